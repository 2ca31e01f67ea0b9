"""How one service differs from itself at an earlier date: rates at both, their difference and its replicates.

FNMR at an FMR target has a threshold of each date, found anew in every draw of queries; both rates at the earlier
date's threshold, kept as it is, are what somebody meets who set it then. The same queries are drawn at both dates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.estimates import Interval
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS, Method
from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Plan, Weighting
from frtaudit.core.text.formatting import counted
from frtaudit.evaluation.intervals import empty, from_bounds, from_variance
from frtaudit.evaluation.system import WEIGHTINGS
from frtaudit.labelling.dates import Sides
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.intervals import bootstrap_intervals, dependence
from frtaudit.stats.intervals.wilson import WilsonRule, bounds_from_variance, prepare_mated
from frtaudit.stats.rates.censoring import censoring_of
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.stats.systems import support


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How queries are drawn: ``n`` times with ``seed``, within ``strata`` (Q,) of the shared queries; ``weighting``."""

    n: int
    seed: int
    strata: Ints
    weighting: Weighting
    threads: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedRates:
    """One date, A targets, the first ``declared`` of which judge: ``thresholds`` (A,), NaN where ``refused`` says why;
    ``fnmr`` (A,), ``errors`` (A,), ``trials``; ``drawn`` (B, A): its replicates. ``fixed``: FNMR and FMR (2, D) at the
    earlier date's declared thresholds, ``drawn_fixed`` (2, B, D).
    """  # noqa: D205  one sentence

    tail: ScoreTail
    thresholds: Floats
    fnmr: Floats
    errors: Ints
    trials: int
    drawn: Floats
    fixed: Floats
    drawn_fixed: Floats
    counts: Ints
    rule: WilsonRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One service at both dates: ``targets`` (A,), the first ``declared`` judge; ``refused``: None, or why not.

    ``decided``: target to the mated decisions that differ, all of them, and the subjects of the first, each date at its
    own threshold; ``at_earlier``: (rate, target) to the same at the earlier date's.
    """

    earlier: DatedRates
    later: DatedRates
    targets: tuple[float, ...]
    declared: int
    refused: tuple[str | None, ...]
    subjects: int
    weighting: Weighting
    identical: bool = False
    decided: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    at_earlier: Mapping[tuple[str, int], tuple[int, int, int]] = field(default_factory=dict)

    def too_few_errors(self, a: int, rate: str | None = None) -> str | None:
        """Why target ``a`` is not tested: too few comparisons are discordant (FORMULAS 8.3).

        ``rate``: at the earlier date's threshold.
        """
        count, _, subjects_with_errors = self.decided[a] if rate is None else self.at_earlier[rate, a]
        if count >= MIN_ERRORS and subjects_with_errors >= MIN_ERROR_SUBJECTS:
            return None
        needed = f"a test needs {MIN_ERRORS} of {MIN_ERROR_SUBJECTS}"
        return f"discordant: {count}, of {counted(subjects_with_errors, 'subject')}; {needed}"


def compared(
    both: Sides, targets: Sequence[float], declared: Sequence[float], drawing: Drawing, *, same_images: bool
) -> Compared:
    """Rates of one service at both dates; ``targets``: further FMR targets, which only draw curves."""
    tails = both.earlier, both.later
    wanted = (*declared, *(value for value in targets if value not in declared))
    trials = [(int(tail.mated_score.size), int(tail.tail_score.size)) for tail in tails]
    refused = [_few(target, trials) for target in wanted]
    remaining = [a for a, reason in enumerate(refused) if reason is None or a < len(declared)]
    wanted, refused = tuple(wanted[a] for a in remaining), [refused[a] for a in remaining]
    thresholds = [_thresholds(tail, wanted, refused, drawing.weighting) for tail in tails]
    atoms = [_hidden(tail, at) for tail, at in zip(tails, thresholds, strict=True)]
    reasons = tuple(reason or first or second for reason, first, second in zip(refused, *atoms, strict=True))
    at_earlier = thresholds[0][: len(declared)]
    systems = [
        _dated_rates(tail, wanted, reasons, (at, at_earlier), drawing, both.query)
        for tail, at in zip(tails, thresholds, strict=True)
    ]
    usable = [a for a in range(len(declared)) if reasons[a] is None]
    return Compared(
        earlier=systems[0],
        later=systems[1],
        targets=wanted,
        declared=len(declared),
        refused=reasons,
        subjects=both.query.size,
        weighting=drawing.weighting,
        identical=same_images and support.contents(tails[0]) == support.contents(tails[1]),
        decided={
            a: _decided(systems, [system.thresholds[a] for system in systems], same_images=same_images)
            for a in usable
        },
        at_earlier={
            **{("fnmr", a): _decided(systems, [at_earlier[a]] * 2, same_images=same_images) for a in usable},
            **{("fmr", a): _matched(systems, float(at_earlier[a]), same_images=same_images) for a in usable},
        },
    )


def band(rates: DatedRates, a: int, weighting: Weighting, alpha: float) -> Interval:
    """The interval of FNMR at target ``a``: Wilson's on the replicates' variance (FORMULAS 8.2), at few errors 8.1."""
    threshold = float(rates.thresholds[a])
    if not np.isfinite(threshold):
        return empty(Method.WILSON, alpha, "no threshold")
    residuals = rates.rule.fnmr_residuals(threshold, 0, weighting)
    known = rates.drawn[np.isfinite(rates.drawn[:, a]), a]
    enough = (
        residuals.errors >= MIN_ERRORS
        and residuals.subjects_with_errors >= MIN_ERROR_SUBJECTS
        and not residuals.few(MIN_ERRORS, MIN_ERROR_SUBJECTS)
    )
    if enough and known.size > 1 and known.var() > 0:
        degrees = dependence.degrees_of_freedom(residuals.effective_subjects)
        spread = float(known.var(ddof=1))
        bounds, wider = (
            bounds_from_variance(residuals.rate, variance, residuals.trials, degrees, residuals.image)
            for variance in (spread, spread + bootstrap_intervals.variance_error(known))
        )
        return from_variance(bounds, wider, int(known.size), alpha)
    ruled = rates.rule.fnmr(threshold, 0, alpha, weighting)
    if ruled.low is None:
        return empty(Method.WILSON, alpha, ruled.note or "no bounds")
    return from_bounds(ruled.bounds, alpha, ruled.note)


def _few(target: float, trials: Sequence[tuple[int, int]]) -> str | None:
    if any(mated == 0 for mated, _ in trials):
        return "no mated comparison at one of the dates"
    return next((reason for _, count in trials if (reason := unresolved(target, count)) is not None), None)


def _thresholds(
    tail: ScoreTail, targets: Sequence[float], refused: Sequence[str | None], weighting: Weighting
) -> Floats:
    groups = no_groups(tail)
    return np.array(
        [
            np.nan if reason else threshold_at(tail, groups, target, weighting)
            for target, reason in zip(targets, refused, strict=True)
        ]
    )


def _hidden(tail: ScoreTail, thresholds: Floats) -> list[str | None]:
    """Why a threshold cannot be told from these scores: it lies in a floor or a ceiling."""
    atoms = censoring_of(tail.mated_score.astype(np.float64), tail.tail_score.astype(np.float64))
    low = -np.inf if atoms.floor is None else atoms.floor.score
    high = np.inf if atoms.ceiling is None else atoms.ceiling.score
    return [
        "the threshold lies in a floor of the scores"
        if value <= low and np.isfinite(low)
        else "the threshold lies in a ceiling of the scores"
        if value >= high
        else None
        for value in thresholds.tolist()
    ]


def _dated_rates(
    tail: ScoreTail,
    targets: Sequence[float],
    refused: Sequence[str | None],
    thresholds: tuple[Floats, Floats],
    drawing: Drawing,
    query: Index,
) -> DatedRates:
    indices = np.where([reason is None for reason in refused], thresholds[0], np.nan)
    at_earlier = [thresholds[1][a] for a in range(thresholds[1].size) if refused[a] is None]
    usable = [a for a, reason in enumerate(refused) if reason is None]
    w, groups = WEIGHTINGS.index(drawing.weighting), no_groups(tail)
    fnmr, drawn = np.full(len(targets), np.nan), np.full((drawing.n, len(targets)), np.nan)
    errors = np.zeros(len(targets), dtype=np.int64)
    fixed, drawn_fixed = (
        np.full((2, thresholds[1].size), np.nan),
        np.full((2, drawing.n, thresholds[1].size), np.nan),
    )
    counts = np.zeros((2, thresholds[1].size), dtype=np.int64)
    declared = [a for a in usable if a < thresholds[1].size]
    if usable:
        replicates = _drawn(tail, [targets[a] for a in usable], at_earlier, drawing, query)
        here, there = rates(tail, groups, indices[usable]), rates(tail, groups, np.array(at_earlier))
        fnmr[usable], errors[usable] = (here.frr if w else here.fnmr)[:, 0], here.false_non_matches[:, 0]
        drawn[:, usable] = replicates.fnmr[w, :, : len(usable), 0]
        fixed[0, declared] = (there.frr if w else there.fnmr)[:, 0]
        fixed[1, declared] = (there.far if w else there.fmr)[:, 0]
        counts[:, declared] = there.false_non_matches[:, 0], there.false_matches[:, 0]
        drawn_fixed[0][:, declared] = replicates.fnmr[w, :, len(usable) :, 0]
        drawn_fixed[1][:, declared] = replicates.fmr[w, :, len(usable) :, 0]
    return DatedRates(
        tail=tail,
        thresholds=indices,
        fnmr=fnmr,
        errors=errors,
        trials=int(tail.mated_score.size),
        drawn=drawn,
        fixed=fixed,
        drawn_fixed=drawn_fixed,
        counts=counts,
        rule=prepare_mated(tail, groups, indices[np.isfinite(indices)]),
    )


def _drawn(
    tail: ScoreTail, targets: Sequence[float], thresholds: Sequence[float], drawing: Drawing, query: Index
) -> Replicates:
    return replicate(
        tail,
        no_groups(tail),
        plan=Plan.SUBJECTS,
        n=drawing.n,
        seed=drawing.seed,
        targets=list(targets),
        thresholds=list(thresholds),
        strata=drawing.strata[query],
        threads=drawing.threads,
    )


def _decided(
    systems: Sequence[DatedRates], thresholds: Sequence[float], *, same_images: bool
) -> tuple[int, int, int]:
    """Mated comparisons that err at one date only, all of them, and the subjects of the first."""
    pairs = [support.mated_by_pair(system.tail) for system in systems]
    wrong = [score <= threshold for threshold, (_, score, _) in zip(thresholds, pairs, strict=True)]
    keys = [key[bad] for (key, _, _), bad in zip(pairs, wrong, strict=True)]
    subjects = [subject[bad] for (_, _, subject), bad in zip(pairs, wrong, strict=True)]
    every = np.union1d(pairs[0][0], pairs[1][0]).size
    total = int(every) if same_images else sum(system.trials for system in systems)
    discordant = _discordant(keys, subjects, same_images=same_images)
    return int(discordant.size), total, int(np.unique(discordant).size)


def _matched(systems: Sequence[DatedRates], threshold: float, *, same_images: bool) -> tuple[int, int, int]:
    """False matches at one date only, all non-mated comparisons that are kept, and the subjects of the first."""
    tails = [system.tail for system in systems]
    ends = [np.stack([tail.tail_i, tail.tail_j])[:, tail.tail_score > threshold] for tail in tails]
    rows = [np.sort(tail.rows[both], axis=0).astype(np.int64) for tail, both in zip(tails, ends, strict=True)]
    subjects = [tail.subject_of[both].astype(np.int64) for tail, both in zip(tails, ends, strict=True)]
    discordant = _discordant([low << 31 | high for low, high in rows], subjects, same_images=same_images)
    total = sum(tail.tail_score.size for tail in tails)
    return discordant.shape[1], int(total), int(np.unique(discordant).size)


def _discordant(keys: Sequence[Ints], subjects: Sequence[Ints], *, same_images: bool) -> Ints:
    """Subjects (..., n) of the comparisons that err at one date only.

    ``keys``, ``subjects``: of those that err at each date. Of other images nothing is compared twice: every one counts.
    """
    if same_images:
        alone = [~np.isin(keys[0], keys[1]), ~np.isin(keys[1], keys[0])]
        subjects = [subject[..., keep] for subject, keep in zip(subjects, alone, strict=True)]
    return np.concatenate(subjects, axis=-1)
