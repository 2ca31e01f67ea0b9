"""What a provider answered: listed scores or failures, or the all-pairs tail."""

from dataclasses import dataclass, field

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints, Scores, Shorts
from frtaudit.core.freeze import FrozenRows, freeze, require

NOT_COMPARED = "not_compared"  # the failure code of a comparison that nobody made


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """Scores of listed comparisons, in their order.

    Parameters
    ----------
    score : ndarray of float64, shape (P,)
        Higher is more alike; NaN where the comparison failed.
    failure : ndarray of int16, shape (P,)
        Index into ``codes``; -1 where there is a score.
    codes : tuple of str
        Failure codes in snake_case.

    Raises
    ------
    ValueError
        A comparison has both a finite score and a failure, or neither; or a failure has no code.

    Examples
    --------
    >>> ScoreTable(score=np.array([0.4, np.nan]), failure=np.array([-1, 0], dtype=np.int16), codes=("no_face",)).codes
    ('no_face',)
    """

    score: Floats
    failure: Shorts
    codes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "score", "failure")
        require(self.score.shape == self.failure.shape, "one failure code per score")
        require(
            bool(np.array_equal(np.isfinite(self.score), self.failure < 0)),
            "a finite score xor a failure",
        )
        require(bool(np.all(self.failure < len(self.codes))), "failure codes are named")


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks(FrozenRows):
    """Listed non-mated comparisons counted by unordered pair of subjects.

    ``k``, ``l``: shape (Q,), int32, k < l, unique pairs; ``count``: shape (Q,), int64, comparisons in each.
    """

    k: Index
    l: Index  # noqa: E741  the paper's letter
    count: Ints

    def __post_init__(self) -> None:
        FrozenRows.__post_init__(self)
        require(self.k.shape == self.l.shape == self.count.shape, "equal lengths")
        require(bool(np.all(self.k < self.l)), "k < l")
        require(bool(np.all(self.count > 0)), "no empty block")


@dataclass(frozen=True, slots=True, kw_only=True)
class NonMatedSums(FrozenRows):
    """Sums over non-mated comparisons with score > threshold, T thresholds, 1 + S scopes, K subjects, G + 1 groups.

    Index 0 is everybody; index g + 1 is group g of :class:`Groups`, both subjects in it. Scope 0 is everybody, scope
    s + 1 counts only comparisons within one group of schema s. With e_kl the errors and n_kl the comparisons of
    the block of subjects k < l (FORMULAS 1 and 2):

    ``thresholds`` (T,) float64; ``errors`` (T, G+1) int64: sum e_kl; ``far_sum`` (T, G+1) float64: sum e_kl/n_kl;
    ``far_square`` (T, G+1): sum (e_kl/n_kl)^2; ``error_square`` (T, G+1): sum e_kl^2; ``error_cross`` (T, G+1):
    sum e_kl n_kl; ``subject_errors`` (T, 1+S, K) int64: sum over l of e_kl; ``subject_far`` (T, 1+S, K) float64:
    sum over l of e_kl/n_kl.
    """

    thresholds: Floats
    errors: Ints
    far_sum: Floats
    far_square: Floats
    error_square: Floats
    error_cross: Floats
    subject_errors: Ints
    subject_far: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Demographic groups of all schemas in one list.

    Attributes
    ----------
    schemas : tuple of str
        S names, in the order of ``of``.
    names : tuple of (str, str)
        G pairs of schema and class.
    of : ndarray of int32, shape (S, K)
        Group of each subject under each schema, an index into ``names``; -1 where it has none.
    ranked : tuple of bool
        For each group whether it takes part in differentials (``unknown`` does not).

    Examples
    --------
    >>> groups = Groups(schemas=("sex",), names=(("sex", "f"), ("sex", "m")), of=np.array([[0, 1, 0]], np.int32),
    ...                 ranked=(True, True))
    >>> groups.names[groups.of[0, 1]]
    ('sex', 'm')
    """

    schemas: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    of: Index
    ranked: tuple[bool, ...]

    def __post_init__(self) -> None:
        freeze(self, "of")
        require(self.of.ndim == 2 and self.of.shape[0] == len(self.schemas), "one row per schema")
        require(len(self.ranked) == len(self.names), "one rank flag per group")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTail:
    """Scores of one provider as the estimators need them; ``tail_of`` makes it.

    Of N acquired samples, numbered 0..N-1 and sorted by subject, and the K subjects of the cohort; a subject may have
    no acquired sample.

    Attributes
    ----------
    n_samples : ndarray of int64, shape (K,)
        Acquired samples of each subject.
    subject_of : ndarray of int32, shape (N,)
        Subject of each acquired sample, non-decreasing.
    rows : ndarray of int32, shape (N,)
        Cohort index of each acquired sample.
    mated_i, mated_j : ndarray of int32, shape (P,)
        The samples of each mated comparison.
    mated_score : ndarray of float32 or float64, shape (P,)
        Their scores, ascending.
    tail_i, tail_j : ndarray of int32, shape (Q,)
        The samples of each non-mated comparison with score > ``cutoff``.
    tail_score : ndarray of float32 or float64, shape (Q,)
        Their scores, descending; ties in the order of (i, j).
    cutoff : float
        In units of the score; -inf where every non-mated comparison is kept.
    edges : ndarray of float64, shape (H + 1,)
        Edges of the histograms, in units of the score.
    histogram, mated_histogram : ndarray of int64, shape (H,)
        All non-mated scores, and all mated ones.
    cells : ndarray of int32, shape (K,)
        A non-mated comparison counts only within one cell; -1 is in no cell.
    score_range : (float, float)
        Lowest and highest possible score, as declared.
    blocks : frtaudit.core.scores.Blocks or None
        The listed blocks; None where every pair within a cell was compared.
    mated_complete : bool
        Whether every pair within each subject was compared, as the image bootstrap needs.
    rescored : frtaudit.core.scores.NonMatedSums or None
        Sums at declared thresholds at or below ``cutoff``.
    n_mated : ndarray of int64, shape (K,)
        Mated comparisons of each subject.

    Examples
    --------
    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> tail.mated_score.tolist(), tail.tail_score.tolist(), tail.n_mated.tolist()
    ([0.9], [0.3, 0.2], [1, 0])
    """

    n_samples: Ints
    subject_of: Index
    rows: Index
    mated_i: Index
    mated_j: Index
    mated_score: Scores
    tail_i: Index
    tail_j: Index
    tail_score: Scores
    cutoff: float
    edges: Floats
    histogram: Ints
    mated_histogram: Ints
    cells: Index
    score_range: tuple[float, float]
    blocks: Blocks | None = None
    mated_complete: bool = True
    rescored: NonMatedSums | None = None
    n_mated: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        counted = np.bincount(self.subject_of[self.mated_i], minlength=self.n_samples.size)
        object.__setattr__(self, "n_mated", counted.astype(np.int64))
        freeze(self, "n_mated", "n_samples", "subject_of", "rows", "mated_i", "mated_j", "mated_score")
        freeze(self, "tail_i", "tail_j", "tail_score", "edges", "histogram", "mated_histogram")
        freeze(self, "cells")
        require(bool(np.all(np.diff(self.mated_score) >= 0)), "mated scores ascend")
        require(bool(np.all(np.diff(self.tail_score) <= 0)), "tail scores descend")
        require(
            self.tail_score.size == 0 or bool(self.tail_score[-1] > self.cutoff),
            "the tail lies above its floor",
        )
        require(int(self.n_samples.sum()) == self.subject_of.size, "n_samples add up")
        above = self.edges[:-1] >= self.cutoff
        require(
            int(self.histogram[above].sum()) <= self.tail_score.size,
            "tail counts equal the histogram above the cut",
        )
        require(int(self.histogram.sum()) >= self.tail_score.size, "the tail is part of the histogram")
