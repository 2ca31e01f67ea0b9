import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec_values import COSINE_RANGE, UNIT_DISTANCE_RANGE
from frtaudit.stats.similarity.scorers import cosine_blocks, unit_distance_blocks

ALL = slice(0, 12)


@st.composite
def templates(draw: st.DrawFn) -> npt.NDArray[np.float32]:
    """Twelve vectors of any length, none of them zero."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scale = 10.0 ** draw(st.integers(-8, 8))
    return (scale * rng.normal(size=(12, draw(st.integers(1, 20))))).astype(np.float32)


@given(templates())
def test_cosine_is_the_normalised_product(drawn: npt.NDArray[np.float32]) -> None:
    """Each score equals the cosine of its two vectors, within the declared range once rounded to float32."""
    block = cosine_blocks(drawn)(ALL, ALL)
    for i, j in np.ndindex(block.shape):
        a, b = drawn[i].astype(float), drawn[j].astype(float)
        expected = (a @ b) / np.sqrt((a @ a) * (b @ b))
        np.testing.assert_allclose(block[i, j], expected, atol=1e-14)
    rounded = block.astype(np.float32)
    assert COSINE_RANGE[0] <= rounded.min() <= rounded.max() <= COSINE_RANGE[1]


@given(templates())
def test_distances_become_similarities(drawn: npt.NDArray[np.float32]) -> None:
    """The nearer, the higher: minus the squared distance of the normalised vectors, within the declared range."""
    unit = unit_distance_blocks(drawn)(ALL, ALL)
    normal = drawn.astype(float) / np.linalg.norm(drawn.astype(float), axis=1, keepdims=True)
    expected = -((normal[:, None] - normal[None, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(unit, expected, rtol=1e-9, atol=1e-12)
    assert UNIT_DISTANCE_RANGE[0] - 1e-12 <= unit.min() <= unit.max() <= 1e-12


@given(templates())
def test_a_slice_is_part_of_the_whole(drawn: npt.NDArray[np.float32]) -> None:
    """A block of two slices holds the scores of their samples."""
    for scorer in (cosine_blocks, unit_distance_blocks):
        block = scorer(drawn)
        whole = block(ALL, ALL)
        scale = np.abs(whole).max()
        np.testing.assert_allclose(block(slice(2, 5), slice(7, 12)), whole[2:5, 7:12], atol=1e-12 * scale)
