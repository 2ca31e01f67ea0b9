import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.rates.histogram import edges_over, histogram_of
from frtaudit.stats.similarity.float32_screen import screen
from frtaudit.stats.similarity.scorers import UnitBlocks, cosine_blocks, unit_distance_blocks


@given(
    seed=st.integers(0, 999), size=st.integers(1, 40), floor=st.floats(-1, 1), near=st.booleans(),
    distance=st.booleans(),
)  # fmt: skip
def test_the_screen_is_float64(seed: int, size: int, floor: float, near: bool, distance: bool) -> None:
    """Histogram and pairs kept are those of the float64 scores, also for scores on edges and on the floor."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-2, 3, (size + 3, 8)) if near else rng.normal(size=(size + 3, 20))
    vectors = vectors.astype(np.float32)
    vectors[:, 0] += ~vectors.any(axis=1)
    block = (unit_distance_blocks if distance else cosine_blocks)(vectors)
    assert isinstance(block, UnitBlocks)
    rows, columns = slice(0, 3), slice(3, size + 3)
    scores = block(rows, columns).astype(np.float32)
    if near:
        floor = float(scores[0, 0])
    edges = edges_over((-4.0, 0.0) if distance else (-1.0, 1.0))
    histogram, room = np.zeros(edges.size - 1, dtype=np.int64), np.empty(3 * size, dtype=np.float32)
    i, j, out = np.empty(3 * size, np.int32), np.empty(3 * size, np.int32), np.empty(3 * size, np.float32)
    n = screen(block, rows, columns, floor, edges, histogram, room, i, j, out)
    plain = scores.astype(np.float64)
    sure = np.abs(plain - floor) > 1e-6 if not near else np.ones(plain.shape, dtype=bool)
    kept = {(a, b) for a, b in zip(i[:n].tolist(), j[:n].tolist(), strict=True)}
    want = {(int(a), int(b) + 3) for a, b in np.argwhere((plain > floor) & sure)}
    assert want <= kept <= {(int(a), int(b) + 3) for a, b in np.argwhere((plain > floor) | ~sure)}
    np.testing.assert_allclose(out[:n], scores[i[:n], j[:n] - 3], atol=1e-6)
    assert histogram.sum() == scores.size
    assert np.abs(np.cumsum(histogram - histogram_of(scores.ravel(), edges))).max() <= near * 0 + np.sum(
        np.abs(plain[..., None] - edges).min(axis=-1) < 1e-7
    )


def test_a_score_that_is_not_finite_is_refused() -> None:
    """A vector of length zero has no cosine: the screen says so."""
    block = cosine_blocks(np.ones((4, 4), dtype=np.float32))
    assert isinstance(block, UnitBlocks)
    block.unit[3] = np.nan
    edges = edges_over((-1.0, 1.0))
    room = np.empty(4, dtype=np.float32)
    with pytest.raises(ValueError, match="finite"):
        screen(block, slice(0, 2), slice(2, 4), 0.0, edges, np.zeros(1024, np.int64), room,
               np.empty(4, np.int32), np.empty(4, np.int32), np.empty(4, np.float32))  # fmt: skip
