"""Hypothesis strategies: small cohorts, comparisons, score tables, and audits whose truth is plain counting.

Needs hypothesis (``pip install frtaudit[testing]``); nothing else in the package imports it.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from frtaudit.core import Classification, Cohort, Comparisons, ScoreTable
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.rates.trials import members
from frtaudit.stats.similarity.tail import from_listed, from_matrix
from frtaudit.testing.checks import ScoredCohort

FAILURES = ("failure_to_acquire", "provider_error")


@dataclass(frozen=True, slots=True)
class Compared:
    """One comparison: its subjects (equal when mated) and its score."""

    first: int
    second: int
    score: float

    @property
    def subjects(self) -> set[int]:
        """The one or two subjects."""
        return {self.first, self.second}


@dataclass(frozen=True, slots=True)
class Counted:
    """A small audit: the tail and groups that estimators read, and the same comparisons one by one."""

    tail: ScoreTail
    groups: Groups
    mated: list[Compared]
    non_mated: list[Compared]

    def within(self, group_index: int) -> tuple[list[Compared], list[Compared]]:
        """Mated and non-mated comparisons of one group: both subjects in its group."""
        membership = members(self.groups, self.tail.n_samples.size)[group_index]
        mated = [compared for compared in self.mated if membership[compared.first]]
        return mated, [
            compared
            for compared in self.non_mated
            if membership[compared.first] and membership[compared.second]
        ]

    def fnmr(self, threshold: float, group_index: int = 0) -> Fraction | None:
        """Pooled FNMR, counted; None without mated comparisons."""
        mated, _ = self.within(group_index)
        return Fraction(sum(compared.score <= threshold for compared in mated), len(mated)) if mated else None

    def fmr(self, threshold: float, group_index: int = 0) -> Fraction | None:
        """Pooled FMR, counted; None without non-mated comparisons."""
        _, other = self.within(group_index)
        return Fraction(sum(compared.score > threshold for compared in other), len(other)) if other else None


def scores() -> st.SearchStrategy[float]:
    """Scores in 0..0.9 by tenths: ties are common."""
    return st.integers(0, 9).map(lambda value: value / 10)


@st.composite
def cohorts(draw: st.DrawFn, *, max_subjects: int = 6, max_samples: int = 3) -> Cohort:
    """Cohorts with one schema of two classes, some subjects in neither."""
    sizes = draw(st.lists(st.integers(1, max_samples), min_size=2, max_size=max_subjects))
    codes = draw(st.lists(st.sampled_from([0, 1, -1]), min_size=len(sizes), max_size=len(sizes)))
    schema = Classification(
        name="group", classes=("a", "b"), labels=("a", "b"), codes=np.array(codes, dtype=np.int16)
    )
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return Cohort(
        sample_ids=tuple(f"sample {i}" for i in range(owner.size)),
        subject_ids=tuple(f"subject {k}" for k in range(len(sizes))),
        subject_of=owner,
        classifications={"group": schema},
        digest="",
    )


@st.composite
def comparisons(draw: st.DrawFn, cohort: Cohort) -> Comparisons:
    """A list of one or more comparisons of a cohort, in either order, some of them twice."""
    index = st.integers(0, cohort.n_samples - 1)
    pair = st.tuples(index, index).filter(lambda ends: ends[0] != ends[1])
    ends = np.array(draw(st.lists(pair, min_size=1, max_size=20)), dtype=np.int32)
    subject = cohort.subject_of
    return Comparisons(
        all_pairs=False,
        probe=ends[:, 0].copy(),
        reference=ends[:, 1].copy(),
        mated=subject[ends[:, 0]] == subject[ends[:, 1]],
        cells=np.zeros(cohort.n_subjects, dtype=np.int32),
    )


@st.composite
def score_tables(draw: st.DrawFn, listed: Comparisons) -> ScoreTable:
    """Scores of listed comparisons; some failed."""
    failure = st.sampled_from([-1, -1, -1, *range(len(FAILURES))])
    failed = draw(st.lists(failure, min_size=listed.n_listed, max_size=listed.n_listed))
    values = [np.nan if code >= 0 else draw(scores()) for code in failed]
    return ScoreTable(score=np.array(values), failure=np.array(failed, dtype=np.int16), codes=FAILURES)


@st.composite
def scored_cohorts(draw: st.DrawFn, *, max_subjects: int = 6, max_samples: int = 3) -> ScoredCohort:
    """Cohorts with all their scores, for :func:`frtaudit.testing.invariance`; each subject in group a or b."""
    sizes = draw(st.lists(st.integers(1, max_samples), min_size=2, max_size=max_subjects))
    names = draw(st.lists(st.sampled_from("ab"), min_size=len(sizes), max_size=len(sizes)))
    n = sum(sizes)
    upper = np.zeros((n, n))
    upper[np.triu_indices(n, k=1)] = draw(
        st.lists(scores(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
    return ScoredCohort(
        scores=upper + upper.T + np.eye(n),
        subjects=np.repeat([f"s{k}" for k in range(len(sizes))], sizes),
        groups=np.repeat(names, sizes),
    )


@st.composite
def audits(draw: st.DrawFn, *, listed: bool | None = None, max_subjects: int = 6) -> Counted:
    """Audits with ties, single-sample subjects, two schemas, cells; all pairs, or a list with repetitions."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=3, max_size=max_subjects))
    subject = np.repeat(np.arange(len(sizes)), sizes)
    n = subject.size
    cells = draw(st.lists(st.sampled_from([0, 0, 0, 1, -1]), min_size=len(sizes), max_size=len(sizes)))
    as_list = draw(st.booleans()) if listed is None else listed
    if as_list:
        index = st.integers(0, n - 1)
        pairs = draw(st.lists(st.tuples(index, index).filter(lambda pair: pair[0] != pair[1]), min_size=6))
    else:
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    values = [draw(scores()) for _ in pairs]
    rows = [Compared(int(subject[i]), int(subject[j]), v) for (i, j), v in zip(pairs, values, strict=True)]
    counted = [row for row in rows if cells[row.first] == cells[row.second] >= 0 and row.first != row.second]
    if as_list:
        i, j = np.array(pairs).T
        tail = from_listed(values, i, j, subject_of=subject, cells=cells, score_range=(0, 1))
    else:
        matrix = np.zeros((n, n))
        for (i, j), value in zip(pairs, values, strict=True):
            matrix[i, j] = matrix[j, i] = value
        tail = from_matrix(matrix, [f"{k:02}" for k in subject], cells=cells)
    return Counted(tail, draw(_groups(len(sizes))), [row for row in rows if row.first == row.second], counted)


@st.composite
def _groups(draw: st.DrawFn, n: int) -> Groups:
    """Two schemas: g puts everybody in a or b, h some in c."""
    of = [draw(st.lists(st.sampled_from(codes), min_size=n, max_size=n)) for codes in ([0, 1], [-1, 2])]
    names = (("g", "a"), ("g", "b"), ("h", "c"))
    return Groups(schemas=("g", "h"), names=names, of=np.array(of, dtype=np.int32), ranked=(True, True, True))
