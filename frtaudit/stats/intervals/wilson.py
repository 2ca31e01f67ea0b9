"""Intervals of error rates for the population of subjects: the one rule of FORMULAS 8.1.

It divides p(1-p) by a variance that knows which comparisons share a subject, for every number of errors, none
included: where errors are few it borrows the design effect from the nearest threshold that has enough. Its bounds are
those of :mod:`~frtaudit.stats.intervals.rate_bounds`.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.scores import Groups, NonMatedSums, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.core.text import formatting
from frtaudit.stats.intervals import borrowing
from frtaudit.stats.intervals.borrowing import (
    DesignEffectSource,
    DesignEffectSources,
    fmr_sources,
    fnmr_sources,
)
from frtaudit.stats.intervals.dependence import (
    Residuals,
    Spread,
    degrees_of_freedom,
    inflated_variance,
    match_rate,
    mated_residuals,
    non_mated_residuals,
    spread,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds, pair_weight
from frtaudit.stats.rates.sums import MatedSums, joined, mated_sums, non_mated_sums, rows_at
from frtaudit.stats.rates.trials import members
from frtaudit.stats.similarity.tail import no_groups

OF_HUB, OF_FEW = "one subject takes part in", "few subjects take part in"


def bounds_from_variance(
    rate: float, variance: float, trials: int, degrees: float = math.inf, image: float = 0.0
) -> RateBounds:
    """Bounds on n_eff = min(p(1-p)/variance, trials), as for FNMR at an FMR target (FORMULAS 8.2).

    ``variance``: of the rate, for instance over vertex replicates with t* recomputed in each; ``degrees``: of
    freedom of Student's t, infinite for the normal; ``image``: as in :class:`RateBounds`. Raises ``ValueError`` for a
    rate of 0 or 1 or a variance that is not positive: no effective size follows from them, and FORMULAS 8.1
    (:class:`WilsonRule`) serves instead.

    >>> bounds_from_variance(0.5, 0.01, 1000).n_eff
    25.0
    """
    if not (0 < rate < 1 and variance > 0):
        raise ValueError(f"rate {rate}, variance {variance}: no effective size; the rule of 8.1 applies here")
    n_eff = min(rate * (1 - rate) / variance, float(trials))
    return RateBounds(rate=rate, n_eff=n_eff, degrees=degrees, image=image)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInterval:
    """An interval by FORMULAS 8.1, target population, at level 1 - ``alpha``; its ends are computed when they are read.

    ``n_eff`` = trials/deff;
    ``deff``: design effect, >= 1; ``borrowed_from``: the threshold whose design effect was larger than the
    own one and taken, else None; ``rate``, ``errors``, ``trials``, ``subjects``, ``effective_subjects``,
    ``subjects_with_errors``: as in :class:`~frtaudit.stats.intervals.dependence.Residuals`; Student's t has
    ``effective_subjects`` - 1 degrees of freedom, at least 1;
    ``pairs``: pairs of people by weight, 0 for mated comparisons; ``pair``, ``person``: of FORMULAS 8.18, None and 0
    for mated comparisons; ``image``: what one more bad image adds, 0 for non-mated ones.
    """

    alpha: float
    n_eff: float
    deff: float
    borrowed_from: float | None
    rate: float
    errors: int
    trials: int
    subjects: int
    effective_subjects: float
    subjects_with_errors: int
    pairs: float = 0.0
    pair: float | None = None
    person: float = 0.0
    image: float = 0.0
    note: str | None = None

    @property
    def low(self) -> float | None:
        """None where nothing was compared, and ``note`` says so."""
        return self.bounds.low(self.alpha / 2) if self.trials else None

    @property
    def high(self) -> float | None:
        """As ``low``."""
        return self.bounds.high(self.alpha / 2) if self.trials else None

    @property
    def bounds(self) -> RateBounds:
        """What the bounds at any level are made of; of one subject nothing is known."""
        return RateBounds(
            rate=self.rate,
            n_eff=self.n_eff if self.subjects > 1 else 0.0,
            degrees=degrees_of_freedom(self.effective_subjects),
            pair=self.pair,
            person=self.person,
            image=self.image,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WilsonRule:
    """FORMULAS 8.1, prepared for one system: sums at every threshold, and whose design effect a group takes.

    Make it with :func:`prepare`; then :meth:`fmr` and :meth:`fnmr` cost O(K) each. ``sources_fmr``,
    ``sources_fnmr``: G+1 each.
    """

    spread: Spread
    non_mated: NonMatedSums
    mated: MatedSums
    sources_fmr: tuple[DesignEffectSources, ...]
    sources_fnmr: tuple[DesignEffectSources, ...]

    def fmr(self, threshold: float, group_index: int, alpha: float, weighting: Weighting) -> RuleInterval:
        """Interval of FMR (pooled) or FAR (identity) of a group at a prepared threshold, two-sided (8.1, 8.18)."""
        residuals = self.fmr_residuals(threshold, group_index, weighting)
        source = self.sources_fmr[group_index].of(residuals)
        lent = None
        if source.threshold is not None and borrowing.few(residuals):
            lent = self.fmr_residuals(source.threshold, group_index, weighting)
        row, member = _row(self.mated.thresholds, threshold), self.spread.member[group_index]
        matched = match_rate(self.mated, row, member, weighting)
        return _rule(residuals, lent, source, alpha, ends=2, match_rate=matched)

    def fnmr(self, threshold: float, group_index: int, alpha: float, weighting: Weighting) -> RuleInterval:
        """Interval of FNMR (pooled) or FRR (identity) of ``group_index`` at a prepared threshold, two-sided."""
        residuals = self.fnmr_residuals(threshold, group_index, weighting)
        source = self.sources_fnmr[group_index].of(residuals)
        lent = None
        if source.threshold is not None and borrowing.few(residuals):
            lent = self.fnmr_residuals(source.threshold, group_index, weighting)
        return _rule(residuals, lent, source, alpha, ends=1)

    def along(self, tail: ScoreTail, groups: Groups, thresholds: Floats) -> "WilsonRule":
        """The same rule prepared for other thresholds, with the sources that are known and were summed once."""
        return self.given(tail, groups, non_mated_sums(tail, groups, np.unique(thresholds)))

    def given(self, tail: ScoreTail, groups: Groups, sums: NonMatedSums) -> "WilsonRule":
        """The same rule prepared for the ascending thresholds of ``sums``."""
        lent = _with_sources((), self.sources_fmr)
        more = rows_at(sums, np.setdiff1d(sums.thresholds, lent))
        return replace(
            self,
            non_mated=joined(rows_at(self.non_mated, lent), more),
            mated=mated_sums(tail, groups, _with_sources(sums.thresholds, self.sources_fnmr)),
        )

    def overall(self, tail: ScoreTail) -> "WilsonRule":
        """The rule of all subjects together, without their groups, prepared at the same thresholds."""
        sums = {field.name: getattr(self.non_mated, field.name) for field in fields(NonMatedSums)}
        return WilsonRule(
            spread=Spread(**{field.name: getattr(self.spread, field.name)[:1] for field in fields(Spread)}),
            non_mated=NonMatedSums(**{k: v[:, :1] if v.ndim > 1 else v for k, v in sums.items()}),
            mated=mated_sums(tail, no_groups(tail), self.mated.thresholds),
            sources_fmr=self.sources_fmr[:1],
            sources_fnmr=self.sources_fnmr[:1],
        )

    def fmr_residuals(self, threshold: float, group_index: int, weighting: Weighting) -> Residuals:
        """Residual sums of FMR or FAR at a prepared threshold."""
        row = _row(self.non_mated.thresholds, threshold)
        return non_mated_residuals(self.non_mated, row, group_index, self.spread, weighting)

    def fnmr_residuals(self, threshold: float, group_index: int, weighting: Weighting) -> Residuals:
        """Residual sums of FNMR or FRR at a prepared threshold."""
        row = _row(self.mated.thresholds, threshold)
        return mated_residuals(self.mated, row, self.spread.member[group_index], weighting)


def prepare(tail: ScoreTail, groups: Groups, thresholds: Iterable[float]) -> WilsonRule:
    """Prepare the rule of FORMULAS 8.1 for all groups at ``thresholds`` (score units, score > threshold matches).

    A threshold at or below the tail's floor must be one of those declared to the scoring pass, else
    ``ValueError``.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix(np.eye(6), ["a", "a", "b", "b", "c", "c"])
    >>> found = prepare(tail, no_groups(tail), [0.5]).fmr(0.5, 0, 0.05, Weighting.POOLED)
    >>> found.errors, found.trials, found.deff
    (0, 12, 8.0)
    """
    member, counted = members(groups, tail.n_samples.size), spread(tail, groups)
    sources_fmr = tuple(
        fmr_sources(tail, chosen, int(n)) for chosen, n in zip(member, counted.trials, strict=True)
    )
    sources_fnmr = tuple(fnmr_sources(tail, chosen) for chosen in member)
    return WilsonRule(
        spread=counted,
        non_mated=non_mated_sums(tail, groups, _with_sources(thresholds, sources_fmr)),
        mated=mated_sums(tail, groups, _with_sources(thresholds, sources_fnmr)),
        sources_fmr=sources_fmr,
        sources_fnmr=sources_fnmr,
    )


def prepare_mated(tail: ScoreTail, groups: Groups, thresholds: Iterable[float]) -> WilsonRule:
    """The same for FNMR alone, at any thresholds, also below the tail's floor; it has no :meth:`WilsonRule.fmr`.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix(np.eye(6), ["a", "a", "b", "b", "c", "c"])
    >>> prepare_mated(tail, no_groups(tail), [0.5]).fnmr(0.5, 0, 0.05, Weighting.POOLED).errors
    3
    """
    sources = tuple(fnmr_sources(tail, chosen) for chosen in members(groups, tail.n_samples.size))
    return WilsonRule(
        spread=spread(tail, groups),
        non_mated=non_mated_sums(tail, groups, []),
        mated=mated_sums(tail, groups, _with_sources(thresholds, sources)),
        sources_fmr=(),
        sources_fnmr=sources,
    )


def _with_sources(thresholds: Iterable[float], sources: Iterable[DesignEffectSources]) -> Floats:
    lent = [
        source.threshold
        for of in sources
        for source in (of.errors, of.others)
        if source.threshold is not None
    ]
    return np.unique(np.array([*thresholds, *lent], dtype=np.float64))


def _row(thresholds: Floats, threshold: float) -> int:
    row = int(np.searchsorted(thresholds, threshold))
    if row == thresholds.size or thresholds[row] != threshold:
        raise ValueError(f"threshold {threshold} was not prepared")
    return row


def _rule(
    residuals: Residuals,
    lent: Residuals | None,
    source: DesignEffectSource,
    alpha: float,
    *,
    ends: int,
    match_rate: float = 1.0,
) -> RuleInterval:
    """FORMULAS 8.1; ``ends``: subjects in one comparison, 2 for FMR and 1 for FNMR; ``match_rate``: TMR of 8.18."""
    unknown = _nothing_known(residuals)
    if unknown is not None:
        return _interval(residuals, alpha, math.inf, note=unknown)
    deff, borrowed, note = _design_effect(residuals, ends), None, None
    if borrowing.few(residuals):
        offer, note = _offer(residuals, lent, source, ends=ends)
        if offer > deff:
            deff, borrowed = offer, source.threshold
    notes = [note, *_concentrated(residuals)]
    interval = _interval(residuals, alpha, deff, borrowed, "; ".join(filter(None, notes)) or None)
    if not residuals.blocks:
        return interval
    pair = float(pair_weight(match_rate, residuals.blocks))
    return replace(interval, pairs=residuals.blocks, pair=pair, person=residuals.heaviest / residuals.total)


def _concentrated(residuals: Residuals) -> Iterator[str]:
    """That one subject, or a few, take part in much of the comparisons."""
    if residuals.hub:
        yield f"{OF_HUB} {formatting.rate(residuals.hub)} of the comparisons"
    if residuals.is_concentrated:
        yield f"{OF_FEW} most of the comparisons: by weight {formatting.effective_size(residuals.effective_subjects)}"


def _nothing_known(residuals: Residuals) -> str | None:
    """Why nothing is known of the population; None where something is."""
    if not residuals.trials:
        return "no comparisons"
    if residuals.subjects < 2:
        return "one subject only"
    return f"{OF_HUB} every comparison: nothing is known of others" if residuals.hub == 1 else None


def _design_effect(residuals: Residuals, ends: int) -> float:
    """max(1, V n/(p(1-p))); with no error, or nothing but errors, the limit at one: ``ends``."""
    p = residuals.rate
    if not 0 < p < 1:
        return float(ends)
    return max(1.0, inflated_variance(residuals) * residuals.trials / (p * (1 - p)))


def _offer(
    residuals: Residuals, lent: Residuals | None, source: DesignEffectSource, *, ends: int
) -> tuple[float, str | None]:
    """Design effect of where it is taken from, else comparisons per subject (2M/K, n/K2)."""
    enough = lent is not None and not (source.whole and borrowing.few(lent))
    if lent is not None and enough and 0 < lent.errors < lent.trials:
        note = (
            None
            if source.whole
            else "too few errors in the stored scores: the design effect is that of their lowest threshold"
        )
        return _design_effect(lent, ends), note
    known = residuals.is_concentrated or (residuals.hub and ends > 1)
    subjects = residuals.effective_subjects if known else residuals.subjects
    return (
        ends * residuals.trials / subjects,
        "too few errors at every threshold: the number of comparisons per subject replaces the design effect",
    )


def _interval(
    residuals: Residuals, alpha: float, deff: float, borrowed: float | None = None, note: str | None = None
) -> RuleInterval:
    return RuleInterval(
        alpha=alpha,
        n_eff=residuals.trials / deff,
        deff=deff,
        borrowed_from=borrowed,
        rate=residuals.rate,
        errors=residuals.errors,
        trials=residuals.trials,
        subjects=residuals.subjects,
        effective_subjects=residuals.effective_subjects,
        subjects_with_errors=residuals.subjects_with_errors,
        image=residuals.image,
        note=note,
    )
