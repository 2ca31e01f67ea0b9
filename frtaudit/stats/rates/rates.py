"""Error rates at thresholds, per group, in both weightings (FORMULAS 1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Scores
from frtaudit.core.curves import RateCurve
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.rates.eer import eer, group_scores
from frtaudit.stats.rates.histogram import above_edges
from frtaudit.stats.rates.sums import error_sums, mated_sums
from frtaudit.stats.rates.targets import threshold_at, threshold_at_max_group
from frtaudit.stats.rates.trials import Trials, trials

__all__ = ["Rates", "Trials", "curve", "eer", "rates", "threshold_at", "threshold_at_max_group", "trials"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates(FrozenArrays):
    """Rates at T thresholds for G + 1 group indices (0 = everybody, g + 1 = group g); NaN where there is no trial.

    ``thresholds`` (T,) float64. Pooled: ``fmr``, ``fnmr``, ``fnmr_bar`` (V-statistic). Identity-weighted:
    ``far``, ``frr``, ``frr_bar`` (V-statistic); each (T, G+1) float64 in 0..1. ``false_matches``,
    ``false_non_matches`` (T, G+1) int64 are the pooled numerators, ``trials`` the denominators. Group FMR and
    FAR are within the group.
    """

    thresholds: Floats
    fmr: Floats
    far: Floats
    fnmr: Floats
    frr: Floats
    frr_bar: Floats
    fnmr_bar: Floats
    false_matches: Ints
    false_non_matches: Ints
    trials: Trials


def rates(tail: ScoreTail, groups: Groups, thresholds: Sequence[float] | Floats) -> Rates:
    """FMR, FAR, FNMR, FRR and the V-statistics at each threshold (match iff score > threshold), in the order given.

    FORMULAS 1: FRR_n is the mean of FRR_k over subjects with a mated comparison, FAR_n the mean of FAR_kl
    over pairs of subjects, FRRbar_k = (1 - 1/n_k) FRR_k; FORMULAS 8.15: FNMRbar = sum (1 - 1/n_k) errors_k /
    sum pairs_k. Raises :class:`BelowFloorError` for a threshold below the tail's floor without declared sums.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> found = rates(tail, no_groups(tail), [0.25])
    >>> found.fmr.tolist(), found.fnmr.tolist()
    ([[0.5]], [[0.0]])
    """
    denominators = trials(tail, groups)
    matches = error_sums(tail, groups, thresholds)
    mated = mated_sums(tail, groups, thresholds)
    return Rates(
        thresholds=mated.thresholds,
        fmr=_ratio(matches.errors, denominators.non_mated),
        far=_ratio(matches.far_sum, denominators.subject_pairs),
        fnmr=_ratio(mated.errors, denominators.mated),
        frr=_ratio(mated.frr_sum, denominators.subjects_mated),
        frr_bar=_ratio(mated.frr_bar_sum, denominators.subjects_mated),
        fnmr_bar=_ratio(mated.error_bar_sum, denominators.mated),
        false_matches=matches.errors,
        false_non_matches=mated.errors,
        trials=denominators,
    )


def curve(tail: ScoreTail, groups: Groups, group_index: int = 0, num: int = 400) -> RateCurve:
    """FMR and FNMR of one group as exact counts at about ``num`` thresholds.

    Thresholds: non-mated scores at log-spaced ranks and quantiles of the mated scores, all at or above the
    floor; below the floor the inner edges of the histogram (everybody only: groups have no histogram).

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> curve(tail, no_groups(tail)).false_matches.tolist()
    [1, 0, 0]
    """
    denominators = trials(tail, groups)
    mated, non_mated = group_scores(tail, groups, group_index)
    near = _near(mated, non_mated[::-1], tail.cutoff, num)
    far = _edges_below(tail, num) if group_index == 0 else np.zeros(0)
    thresholds = np.concatenate([far, near])
    above = above_edges(tail.histogram)[np.searchsorted(tail.edges, far)]
    above_near = non_mated.size - np.searchsorted(non_mated[::-1], near, side="right")
    return RateCurve(
        thresholds=thresholds,
        false_non_matches=np.searchsorted(mated, thresholds, side="right").astype(np.int64),
        false_matches=np.concatenate([above, above_near]).astype(np.int64),
        n_mated=int(denominators.mated[group_index]),
        n_non_mated=int(denominators.non_mated[group_index]),
    )


def _near(mated: Scores, ascending: Scores, floor: float, num: int) -> Floats:
    """Thresholds > floor among the scores: log-spaced from the top of the non-mated, evenly spaced in the mated."""
    chosen = []
    if ascending.size:
        ranks = np.unique(np.geomspace(1, ascending.size, num).astype(np.int64))
        chosen.append(ascending[ascending.size - ranks])
    if mated.size:
        chosen.append(mated[np.unique(np.linspace(0, mated.size - 1, num).astype(np.int64))])
    if not chosen:
        return np.zeros(0)
    values = np.unique(np.concatenate(chosen).astype(np.float64))
    return values[values > floor]


def _edges_below(tail: ScoreTail, num: int) -> Floats:
    """Inner edges at or below the floor around which a score lies, thinned to about ``num``."""
    inner = np.arange(1, tail.edges.size - 1)
    both = tail.histogram + tail.mated_histogram
    used = (tail.edges[inner] <= tail.cutoff) & ((both[inner - 1] > 0) | (both[inner] > 0))
    edges = tail.edges[inner[used]]
    return np.asarray(edges[:: max(1, edges.size // max(num, 1))], dtype=np.float64)


def _ratio(sums: Floats | Ints, counts: Ints) -> Floats:
    """Sums over counts, NaN where there is nothing to count."""
    values = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=values, where=np.broadcast_to(counts > 0, sums.shape))
    return values
