import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.labelling import Faces
from frtaudit.labelling.pairs import Between, pairs_of


def faces_of(sizes: list[int]) -> Faces:
    """Queries with so many faces."""
    query = np.repeat(np.arange(len(sizes)), sizes)
    return Faces(
        names=tuple(f"f{i:04d}" for i in range(query.size)), query_of=query.astype(np.int32),
        queries=tuple(f"q{i:04d}" for i in range(len(sizes))), annotated=np.ones(query.size, dtype=np.int8),
    )  # fmt: skip


@given(sizes=st.lists(st.integers(1, 7), min_size=1, max_size=9), seed=st.integers(0, 99), data=st.data())
def test_pairs_are_those_asked_for(sizes: list[int], seed: int, data: st.DataObject) -> None:
    """All within, as many between queries of one group or all there are, each once, none across groups."""
    group = np.array(data.draw(st.lists(st.integers(-1, 1), min_size=len(sizes), max_size=len(sizes))))
    faces = faces_of(sizes)
    found = {kind: pairs_of(faces, group, kind, np.random.default_rng(seed)) for kind in Between}
    within = sum(n * (n - 1) // 2 for n in sizes)
    for first, second in found.values():
        assert (first < second).all()
        assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == first.size
        a, b = faces.query_of[first], faces.query_of[second]
        assert np.count_nonzero(a == b) == within
        assert ((a == b) | ((group[a] == group[b]) & (group[a] >= 0))).all()
    every = found[Between.ALL][0].size - within
    assert found[Between.MATCHED][0].size - within == min(within, every)


def test_the_seed_decides() -> None:
    """The same seed draws the same pairs, another one others."""
    faces, group = faces_of([5] * 40), np.zeros(40, dtype=np.int64)
    one, same, other = (pairs_of(faces, group, Between.MATCHED, np.random.default_rng(n)) for n in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
