import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.labelling import Faces, Service
from frtaudit.labelling.pairs import NOT_DRAWN, OTHER_GROUP, kept_between, pairs_of
from frtaudit.labelling.settings import Between


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


def listed(swap: bool = False) -> tuple[Faces, list[Service], np.ndarray]:
    """Six names in two groups, a face of none; two services, one of which lacks a tenth of all pairs."""
    rng = np.random.default_rng(5)
    query = np.repeat(np.arange(6, dtype=np.int32), 9)
    faces = Faces(
        names=tuple(f"f{row:02d}" for row in range(54)), query_of=query,
        queries=tuple("abcdef"), annotated=np.full(54, -2, dtype=np.int8),
    )  # fmt: skip
    group = np.where(query < 3, "one", "two").astype(object)
    group[-1] = ""
    first, second = (side.astype(np.int32) for side in np.triu_indices(54, 1))
    services = []
    for name, share in (("acme", 1.0), ("bolt", 0.9)):
        rows = rng.permutation(np.flatnonzero(rng.random(first.size) < share))
        sides = (second, first) if swap else (first, second)
        score = (first * 100 + second)[rows] / 5454.0
        failure = np.full(rows.size, -1, dtype=np.int16)
        one, two = (side[rows] for side in sides)
        services.append(Service(name=name, first=one, second=two, score=score, failure=failure, codes=()))
    return faces, services, group


@pytest.mark.parametrize("between", [Between.MATCHED, Between.ALL])
def test_pairs_between_queries_are_of_one_group(between: Between) -> None:
    """Matched: as many as within, by all services alike; all: every one; pairs within stay; the rest is counted."""
    faces, services, group = listed()
    made, ledger = kept_between(faces, services, group, between, 1)
    counts = {(entry.code, entry.provider): entry.count for entry in ledger}
    keys = []
    for one, before in zip(made, services, strict=True):
        a, b = faces.query_of[one.first], faces.query_of[one.second]
        own = faces.query_of[before.first] == faces.query_of[before.second]
        assert np.count_nonzero(a == b) == np.count_nonzero(own)
        apart = a != b
        assert (group[one.first[apart]] == group[one.second[apart]]).all()
        assert "" not in group[one.first[apart]]
        keys.append(
            {(min(i, j), max(i, j)) for i, j in zip(one.first[apart], one.second[apart], strict=True)}
        )
        lost = sum(counts.get((code, one.name), 0) for code in (OTHER_GROUP, NOT_DRAWN))
        assert lost == before.first.size - one.first.size
        assert ((NOT_DRAWN, one.name) in counts) == (between is Between.MATCHED)
    within = 6 * 9 * 8 // 2
    every = 3 * 81 + 2 * 72 + 81
    assert len(keys[0]) == (within if between is Between.MATCHED else every)
    assert keys[1] < keys[0]


def test_what_is_drawn_depends_on_the_seed_and_the_names_alone() -> None:
    """Another order of lines and of faces draws the same pairs; another seed others; listed keeps what was listed."""
    faces, services, group = listed()

    def drawn(found: list[Service], seed: int) -> set[tuple[int, int]]:
        (one, _), _ = kept_between(faces, found, group, Between.MATCHED, seed)
        return {(min(i, j), max(i, j)) for i, j in zip(one.first, one.second, strict=True)}

    assert drawn(services, 1) == drawn(listed(swap=True)[1], 1)
    other = drawn(services, 2)
    assert drawn(services, 1) != other
    shares = [len(drawn(services, seed) & other) for seed in range(3, 9)]
    assert 216 < np.mean(shares) < 216 + 0.75 * 216  # by chance 216 within and 216 * 216 / 468 drawn
    assert kept_between(faces, services, group, Between.LISTED, 1) == (tuple(services), ())
