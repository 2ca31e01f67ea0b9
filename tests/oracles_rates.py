"""Slow twins of the rates: one comparison at a time, in exact fractions, straight from FORMULAS 1 and 8."""

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from frtaudit.core import Groups, ScoreTail
from frtaudit.stats.rates.histogram import edges_over
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.tail import from_listed, from_matrix
from frtaudit.stats.similarity.tiles import layout_of

NEVER = float("-inf")


@dataclass
class World:
    """A small cohort with every comparison listed: (i, j, score), samples numbered by subject."""

    subject_of: list[int]
    n_subjects: int
    cells: list[int]
    groups: Groups
    pairs: list[tuple[int, int, float]] = field(default_factory=list)

    def n(self, subject: int) -> int:
        """Samples of a subject."""
        return self.subject_of.count(subject)

    def in_group(self, subject: int, group_index: int) -> bool:
        """Whether a subject belongs to a group."""
        return group_index == 0 or any(row[subject] == group_index - 1 for row in self.groups.of)

    @property
    def group_indices(self) -> range:
        """All groups."""
        return range(len(self.groups.names) + 1)

    def mated(self, group_index: int) -> dict[int, list[float]]:
        """Scores of each subject's mated comparisons."""
        found: dict[int, list[float]] = defaultdict(list)
        for i, j, score in self.pairs:
            k = self.subject_of[i]
            if k == self.subject_of[j] and self.in_group(k, group_index):
                found[k].append(score)
        return found

    def blocks(self, group_index: int) -> dict[tuple[int, int], list[float]]:
        """Scores of each pair of subjects' non-mated comparisons within a cell."""
        found: dict[tuple[int, int], list[float]] = defaultdict(list)
        for i, j, score in self.pairs:
            k, l = sorted((self.subject_of[i], self.subject_of[j]))  # noqa: E741  the paper's letter
            allowed = k != l and self.cells[k] == self.cells[l] >= 0
            if (
                allowed
                and self.in_group(k, group_index)
                and self.in_group(l, group_index)
                and self.together(k, l, group_index)
            ):
                found[k, l].append(score)
        return found

    def together(self, k: int, l: int, group_index: int) -> bool:  # noqa: E741  the paper's letter
        """Whether both subjects are in the group's group under the same schema."""
        return group_index == 0 or any(row[k] == row[l] == group_index - 1 for row in self.groups.of)

    def fmr(self, t: float, group_index: int) -> Fraction | None:
        """Pooled false match rate."""
        scores = [s for block in self.blocks(group_index).values() for s in block]
        return Fraction(sum(s > t for s in scores), len(scores)) if scores else None

    def far(self, t: float, group_index: int) -> Fraction | None:
        """Identity-weighted false match rate."""
        return mean([share(block, lambda s: s > t) for block in self.blocks(group_index).values()])

    def fnmr(self, t: float, group_index: int) -> Fraction | None:
        """Pooled false non-match rate."""
        scores = [s for own in self.mated(group_index).values() for s in own]
        return Fraction(sum(s <= t for s in scores), len(scores)) if scores else None

    def frr(self, t: float, group_index: int) -> Fraction | None:
        """Identity-weighted false non-match rate."""
        return mean([share(own, lambda s: s <= t) for own in self.mated(group_index).values()])

    def frr_bar(self, t: float, group_index: int) -> Fraction | None:
        """The V-statistic of the identity-weighted false non-match rate."""
        mated = self.mated(group_index).items()
        return mean([(1 - Fraction(1, self.n(k))) * share(own, lambda s: s <= t) for k, own in mated])

    def fnmr_bar(self, t: float, group_index: int) -> Fraction | None:
        """The V-statistic of the pooled false non-match rate (FORMULAS 8.15)."""
        mated = self.mated(group_index)
        errors = sum((1 - Fraction(1, self.n(k))) * sum(s <= t for s in own) for k, own in mated.items())
        trials = sum(len(own) for own in mated.values())
        return Fraction(errors) / trials if trials else None

    def threshold_at(self, target: Fraction, group_index: int, *, pooled: bool) -> float:
        """inf{t : FMR(t) <= target} by trying -inf and every non-mated score."""
        scores = sorted({s for block in self.blocks(group_index).values() for s in block})
        if not scores:
            return float("nan")
        rate = self.fmr if pooled else self.far
        return next(t for t in [NEVER, *scores] if (rate(t, group_index) or 0) <= target)

    def equal_error(self, group_index: int) -> tuple[float, Fraction, Fraction] | None:
        """Threshold, FMR and FNMR with the smallest |FMR - FNMR| over all distinct scores."""
        scores = {
            s
            for found in (self.mated(group_index), self.blocks(group_index))
            for own in found.values()
            for s in own
        }
        if not self.mated(group_index) or not self.blocks(group_index):
            return None
        rows = [(t, self.fmr(t, group_index), self.fnmr(t, group_index)) for t in sorted(scores)]
        return min(rows, key=lambda row: abs(row[1] - row[2]))


def share(scores: list[float], errs) -> Fraction:  # noqa: ANN001  a predicate of a score
    """Share of the scores that err."""
    return Fraction(sum(map(errs, scores)), len(scores))


def mean(values: list[Fraction]) -> Fraction | None:
    """Plain mean, None of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else None


def number(value: Fraction | None) -> float:
    """A rate as the fast code gives it: NaN where there is no trial."""
    return float("nan") if value is None else float(value)


def sums_at(world: World, t: float) -> dict[str, np.ndarray]:
    """Every field of NonMatedSums at one threshold, block by block."""
    n_scopes, k_all = len(world.groups.of) + 1, world.n_subjects
    names = ("errors", "far_sum", "far_square", "error_square", "error_cross")
    found = {name: np.zeros(len(world.group_indices)) for name in names}
    found["subject_errors"] = np.zeros((n_scopes, k_all))
    found["subject_far"] = np.zeros((n_scopes, k_all))
    for group_index in world.group_indices:
        for block in world.blocks(group_index).values():
            e, n = sum(s > t for s in block), len(block)
            for name, value in zip(names, (e, e / n, (e / n) ** 2, e * e, e * n), strict=True):
                found[name][group_index] += value
    for (k, l), block in world.blocks(0).items():  # noqa: E741  the paper's letter
        e, n = sum(s > t for s in block), len(block)
        rows = [0, *(s + 1 for s, row in enumerate(world.groups.of) if row[k] == row[l] >= 0)]
        for subject in (k, l):
            for scope in rows:
                found["subject_errors"][scope, subject] += e
                found["subject_far"][scope, subject] += e / n
    return found


def context_of(world: World, tail: ScoreTail, part: int, threads: int = 1) -> PassContext:
    """The context of a small world whose scores are looked up in a matrix."""
    size = len(world.subject_of)
    scores = np.zeros((size, size))
    for i, j, score in world.pairs:
        scores[i, j] = scores[j, i] = np.float32(score)
    return PassContext(
        block=lambda rows, columns: scores[rows, columns], layout=layout_of(tail.n_samples, part),
        subject_of=tail.subject_of, cells=tail.cells[tail.subject_of], edges=edges_over((0.0, 1.0)),
        threads=threads,
    )  # fmt: skip


def groups_from(codes: np.ndarray, n_groups: int) -> Groups:
    """Groups of the schemas ``codes`` (S, K), each with ``n_groups`` classes, the last one unranked; -1 = none."""
    names = [(f"s{s}", f"g{g}") for s in range(len(codes)) for g in range(n_groups)]
    offset = n_groups * np.arange(len(codes))[:, None]
    return Groups(
        schemas=tuple(f"s{s}" for s in range(len(codes))),
        names=tuple(names),
        of=np.where(codes >= 0, codes + offset, -1).astype(np.int32),
        ranked=tuple(name[1] != f"g{n_groups - 1}" for name in names),
    )


@st.composite
def matrices(draw: st.DrawFn) -> tuple[World, ScoreTail]:
    """A complete world and its tail: ties, subjects with one sample, cells, groups, subjects without a group."""
    n = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = draw(st.sampled_from([3, 10, 1000]))
    subject_of = np.repeat(np.arange(len(n)), n)
    scores = rng.integers(0, steps + 1, (len(subject_of),) * 2) / steps
    scores = np.triu(scores) + np.triu(scores, 1).T
    world = _world(draw, subject_of.tolist(), len(n))
    world.pairs = [(i, j, float(scores[i, j])) for i, j in combinations(range(len(subject_of)), 2)]
    ids = [f"subject{k}" for k in subject_of]
    return world, from_matrix(scores, ids, cells=np.array(world.cells), score_range=(0.0, 1.0))


@st.composite
def lists(draw: st.DrawFn) -> tuple[World, ScoreTail]:
    """A listed world and its tail: some pairs missing, some twice, some failed, in either order."""
    n = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(lambda found: sum(found) >= 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    subject_of = np.repeat(np.arange(len(n)), n)
    size = draw(st.integers(0, 60))
    ends = np.array([rng.choice(len(subject_of), 2, replace=False) for _ in range(size)]).reshape(size, 2)
    score = rng.integers(0, 8, size) / 7
    failed = rng.random(size) < 0.2
    world = _world(draw, subject_of.tolist(), len(n))
    rows = zip(ends.tolist(), score.tolist(), failed, strict=True)
    world.pairs = [(pair[0], pair[1], value) for pair, value, lost in rows if not lost]
    seen = sorted({end for pair in world.pairs for end in pair[:2]})
    tail = from_listed(
        np.where(failed, np.nan, score), ends[:, 0], ends[:, 1],
        subject_of=subject_of, cells=np.array(world.cells), score_range=(0.0, 1.0),
    )  # fmt: skip
    world.pairs = [(seen.index(i), seen.index(j), s) for i, j, s in world.pairs]
    world.subject_of = [int(subject_of[i]) for i in seen]
    return world, tail


def _world(draw: st.DrawFn, subject_of: list[int], n_subjects: int) -> World:
    few = st.lists(st.integers(-1, 1), min_size=n_subjects, max_size=n_subjects)
    whole = st.just([0] * n_subjects)
    codes = np.array(draw(st.lists(few, max_size=2)), dtype=np.int64).reshape(-1, n_subjects)
    return World(subject_of, n_subjects, draw(st.one_of(whole, few)), groups_from(codes, 2))
