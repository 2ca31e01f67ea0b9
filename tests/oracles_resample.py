"""Slow twin of the replicates: people and their samples resampled literally, every score compared, in fractions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import inf, nan

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.similarity.tail import from_listed, from_matrix

Person = tuple[int, list[int]]
"""A subject and the samples drawn for one copy of it, with repeats."""


@dataclass(frozen=True)
class World:
    """A cohort small enough to be resampled literally: scores of all its samples, and its groups."""

    scores: npt.NDArray[np.float64]
    tail: ScoreTail
    groups: Groups

    @property
    def samples(self) -> list[list[int]]:
        """Samples of each subject."""
        ends = np.cumsum(self.tail.n_samples)
        return [list(range(e - n, e)) for e, n in zip(ends, self.tail.n_samples, strict=True)]

    def listed_blocks(self) -> list[tuple[int, int]]:
        """Pairs of subjects with a non-mated comparison."""
        listed = self.tail.blocks
        return [] if listed is None else list(zip(listed.k.tolist(), listed.l.tolist(), strict=True))

    def every_group(self) -> list[set[int]]:
        """Subjects of each group."""
        everybody = set(range(self.tail.n_samples.size))
        return [everybody] + [
            {k for k in everybody if g in self.groups.of[:, k]} for g in range(len(self.groups.names))
        ]


def people_of_images(world: World, weights: Sequence[int]) -> list[Person]:
    """Everybody once, with samples repeated by their weight."""
    return [(k, [i for i in own for _ in range(int(weights[i]))]) for k, own in enumerate(world.samples)]


def people_of_subjects(world: World, copies: Sequence[int]) -> list[Person]:
    """Every subject as often as it was drawn, with all samples."""
    return [(k, own) for k, own in enumerate(world.samples) for _ in range(int(copies[k]))]


def people_of_copies(world: World, copies: Sequence[int], within: npt.NDArray[np.uint8]) -> list[Person]:
    """Every subject as often as it was drawn, each copy c with samples repeated by ``within`` (C, N)."""
    return [
        (k, [i for i in own for _ in range(int(within[c, i]))])
        for k, own in enumerate(world.samples)
        for c in range(int(copies[k]))
    ]


def blocks(world: World, people: list[Person], group_index: set[int]) -> list[list[float]]:
    """Non-mated scores of every pair of people of different subjects in one cell, both of the group."""
    cells = world.tail.cells
    return [
        found
        for (k, a), (other, b) in combinations(people, 2)
        if k != other and {k, other} <= group_index and cells[k] == cells[other] >= 0
        if (found := scored(world, ((i, j) for i in a for j in b)))
    ]


def mated(world: World, people: list[Person], group_index: set[int]) -> list[list[float]]:
    """Mated scores of every person of the group; a copy of a sample matches itself (+inf: never rejected)."""
    return [found for k, own in people if k in group_index if (found := scored(world, combinations(own, 2)))]


def scored(world: World, pairs: Iterable[tuple[int, int]]) -> list[float]:
    """Scores of those pairs that were compared."""
    found = [inf if i == j else float(world.scores[i, j]) for i, j in pairs]
    return [score for score in found if not np.isnan(score)]


def share(groups: list[list[float]], threshold: float, *, above: bool, weighted: bool) -> Fraction | None:
    """Share of scores above (or not above) the threshold, over all or as the mean over groups; None over nothing."""
    if not groups:
        return None
    hits = [sum((score > threshold) == above for score in one) for one in groups]
    if not weighted:
        return Fraction(sum(hits), sum(map(len, groups)))
    return sum((Fraction(hit, len(one)) for hit, one in zip(hits, groups, strict=True)), Fraction(0)) / len(
        groups
    )


def threshold_of(groups: list[list[float]], target: Fraction, *, weighted: bool) -> float:
    """inf{t : FMR(t) <= target}, by trying every score from the lowest."""
    if not groups:
        return nan
    if target >= 1:
        return -inf
    tried = sorted({score for one in groups for score in one})
    return next(t for t in tried if (share(groups, t, above=True, weighted=weighted) or 0) <= target)


def max_threshold_of(
    world: World, people: list[Person], schema: int, target: Fraction, *, weighted: bool
) -> float:
    """The largest threshold of the ranked groups of a schema that have comparisons; NaN if one has none here."""
    once = [(k, own) for k, own in enumerate(world.samples)]
    live = [
        group_index
        for g, group_index in enumerate(world.every_group()[1:])
        if world.groups.ranked[g]
        and world.groups.names[g][0] == world.groups.schemas[schema]
        and blocks(world, once, group_index)
    ]
    found = [
        threshold_of(blocks(world, people, group_index), target, weighted=weighted) for group_index in live
    ]
    return nan if not found or any(np.isnan(found)) else max(found)


def rates_at(
    world: World, people: list[Person], threshold: float, *, above: bool, weighted: bool
) -> list[float]:
    """FMR (above) or FNMR of every group at a threshold; NaN over nothing or at NaN."""
    select = blocks if above else mated
    found = [
        share(select(world, people, group_index), threshold, above=above, weighted=weighted)
        for group_index in world.every_group()
    ]
    return [nan if value is None or np.isnan(threshold) else float(value) for value in found]


def truncated(tail: ScoreTail, keep: int) -> ScoreTail:
    """The same tail cut just below its ``keep`` highest scores and their ties."""
    floor = float(tail.tail_score[keep])
    kept = int((tail.tail_score > floor).sum())
    edges = np.array([-9.0, 9.0])
    return replace(
        tail, tail_i=tail.tail_i[:kept], tail_j=tail.tail_j[:kept], tail_score=tail.tail_score[:kept], cutoff=floor,
        edges=edges, histogram=np.array([tail.tail_score.size]), mated_histogram=np.array([tail.mated_score.size]),
    )  # fmt: skip


@st.composite
def worlds(draw: st.DrawFn, *, grid: int = 10, cells: bool = True) -> World:
    """Two to five subjects with up to four samples, scores on a grid (ties), up to two schemas, perhaps cells."""
    n_samples = draw(st.lists(st.integers(1, 4), min_size=2, max_size=5))
    n, k = sum(n_samples), len(n_samples)
    values = draw(st.lists(st.integers(0, grid), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(values, dtype=np.float64).reshape(n, n) / grid, 1)
    room = (
        draw(st.lists(st.integers(-1, 1), min_size=k, max_size=k))
        if cells and draw(st.booleans())
        else [0] * k
    )
    scores = upper + upper.T + np.eye(n)
    ids = np.repeat(np.arange(k), n_samples)
    return World(scores, from_matrix(scores, ids.tolist(), cells=room), draw(groupings(k)))


@st.composite
def listed_worlds(draw: st.DrawFn) -> World:
    """A world in which some pairs were not compared: NaN in ``scores``."""
    whole = draw(worlds())
    i, j = np.triu_indices(len(whole.scores), 1)
    listed = np.array(draw(st.lists(st.booleans(), min_size=i.size, max_size=i.size)), dtype=bool)
    i, j = i[listed], j[listed]
    tail = from_listed(
        whole.scores[i, j], j, i, subject_of=whole.tail.subject_of, cells=whole.tail.cells, score_range=(0, 1)
    )
    scores = np.full_like(whole.scores, np.nan)
    scores[i, j] = scores[j, i] = whole.scores[i, j]
    return World(scores[np.ix_(tail.rows, tail.rows)], tail, whole.groups)


@st.composite
def groupings(draw: st.DrawFn, k: int) -> Groups:
    """Up to two schemas of one to three groups, the last of which may be unranked; some subjects in none."""
    schemas = draw(st.integers(0, 2))
    sizes = [draw(st.integers(1, 3)) for _ in range(schemas)]
    rows, start = [], 0
    for size in sizes:
        own = draw(st.lists(st.integers(-1, size - 1), min_size=k, max_size=k))
        rows.append([g + start if g >= 0 else -1 for g in own])
        start += size
    names = tuple((f"s{s}", f"g{g}") for s, size in enumerate(sizes) for g in range(size))
    ranked = tuple(draw(st.booleans()) if g == size - 1 else True for size in sizes for g in range(size))
    return Groups(
        schemas=tuple(f"s{s}" for s in range(schemas)),
        names=names,
        of=np.array(rows, dtype=np.int32).reshape(schemas, k),
        ranked=ranked,
    )


def cohort_of(number: int) -> World:
    """One of fifty cohorts: sizes constant, mixed or very unequal by turns; scores on a grid (ties) or not; groups."""
    rng = np.random.default_rng(number)
    sizes = (np.full(5, 3), rng.integers(1, 5, 6), np.array([1, 1, 11, 2, 1]))[number % 3]
    n, k = int(sizes.sum()), sizes.size
    scores = rng.integers(0, 8, (n, n)) / 8 if number % 2 else rng.random((n, n))
    scores = np.triu(scores, 1) + np.triu(scores, 1).T + np.eye(n)
    of = np.stack([rng.integers(0, 2, k), rng.integers(2, 5, k)]).astype(np.int32)
    names = (("s0", "g0"), ("s0", "g1"), ("s1", "g0"), ("s1", "g1"), ("s1", "g2"))
    groups = Groups(schemas=("s0", "s1"), names=names, of=of, ranked=(True, True, True, True, False))
    return World(scores, from_matrix(scores, np.repeat(np.arange(k), sizes).tolist()), groups)
