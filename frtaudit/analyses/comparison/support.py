"""One footing for several systems: the comparisons that all of them scored, thresholds and replicates on these.

Subjects are drawn with the seed of the audit's own replicates, which knows the plan and not the system: one row of the
replicates is the same people in every system. Each system's threshold is found anew in each (FORMULAS 8.2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core import Groups, LedgerEntry, ScoreTail
from frtaudit.core.canonical import seed_of, sha256
from frtaudit.core.spec import Plan
from frtaudit.errors import DataError
from frtaudit.evaluation.system import WEIGHTINGS, SystemData, strata_of
from frtaudit.stats.bootstrap import weights
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.systems import support

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

NOT_SHARED = "scored_but_not_by_every_system"
BELOW = "a threshold lies below the floor of the kept tail"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOnSupport:
    """One system on the common footing, W = 2 weightings (pooled, identity), A targets, G + 1 tags, B replicates.

    ``tail``: its scores there; ``digest``: of these scores; ``thresholds`` (W, A), NaN where there is none; ``fnmr``,
    ``fmr`` (W, A, G+1): rates at them; ``drawn_fnmr``, ``drawn_fmr`` (W, B, A, G+1): replicates, t* found anew in
    each.
    """

    trial: SystemData
    tail: ScoreTail
    digest: str
    thresholds: Floats
    fnmr: Floats
    fmr: Floats
    drawn_fnmr: Floats
    drawn_fmr: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonSupport:
    """V systems on the same comparisons.

    ``targets``: the declared FMR targets, ascending; ``refused``: for each None, or why it has no threshold;
    ``trials``: the denominators that all share; ``ledger``: what was scored by some systems only, and so is left out.
    """

    standings: tuple[SystemOnSupport, ...]
    groups: Groups
    targets: tuple[float, ...]
    refused: tuple[str | None, ...]
    trials: rates_of.Trials
    ledger: tuple[LedgerEntry, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, in the spec's order."""
        return tuple(item.trial.provider for item in self.standings)

    @property
    def spec_trial(self) -> SystemData:
        """A trial that knows what all share: spec, cohort, groups."""
        return self.standings[0].trial

    def copies(self) -> Ints:
        """How often each subject is drawn in each replicate, shape (B, K): for every replicate."""
        trial = self.spec_trial
        strata = strata_of(trial.spec, trial.groups)
        stratum = np.zeros(trial.cohort.n_subjects, dtype=np.int64) if strata is None else strata
        drawn = weights.draw_between(stratum, seed=_seed(trial), first=0, count=trial.spec.bootstrap.B)
        return np.ascontiguousarray(drawn.T.astype(np.int64))


def footing_of(trials: Sequence[SystemData]) -> CommonSupport:
    """Put systems on one footing. Raises :class:`DataError` where they share no comparison."""
    tails, ledger = _shared(trials)
    first = trials[0]
    found = rates_of.trials(tails[0], first.groups)
    if not int(found.mated[0]) or not int(found.non_mated[0]):
        raise DataError(
            "providers",
            "no mated or no non-mated comparison was scored by every system",
            "systems that share some",
        )
    targets = tuple(first.points.targets[a] for a in first.points.declared)
    refused = tuple(
        unresolved(target, int(found.non_mated[0])) or _hidden(trials, a)
        for target, a in zip(targets, first.points.declared, strict=True)
    )
    thresholds = [_thresholds(tail, first.groups, targets, refused) for tail in tails]
    lost = [bool(np.isnan([at[:, a] for at in thresholds]).any()) for a in range(len(targets))]
    said = tuple(reason or (BELOW if gone else None) for reason, gone in zip(refused, lost, strict=True))
    usable = [a for a, reason in enumerate(said) if reason is None]
    standings = [
        _standing(trial, tail, at, targets, usable)
        for trial, tail, at in zip(trials, tails, thresholds, strict=True)
    ]
    return CommonSupport(
        standings=tuple(standings),
        groups=first.groups,
        targets=targets,
        refused=said,
        trials=found,
        ledger=tuple(ledger),
    )


def _hidden(trials: Sequence[SystemData], a: int) -> str | None:
    """Why a system's scores cannot tell the threshold at target ``a``, if one's cannot: nothing is compared there."""
    found = (
        f"{trial.provider}: {trial.hidden[w, a]}"
        for trial in trials
        for w in range(len(WEIGHTINGS))
        if (w, a) in trial.hidden
    )
    return next(found, None)


def _shared(trials: Sequence[SystemData]) -> tuple[list[ScoreTail], list[LedgerEntry]]:
    """Each system's scores on the common support, and how much of its own each leaves out."""
    listed = [trial.table is not None for trial in trials]
    if all(listed):
        return _shared_list(trials)
    if any(listed):
        raise DataError("providers", "some systems scored a list and some all pairs", "one protocol for all")
    samples = trials[0].cohort.n_samples
    held = [support.acquired(trial.tail, samples) for trial in trials]
    keep = np.logical_and.reduce(held)
    own = {
        trial.provider: int(np.count_nonzero(one & ~keep)) for trial, one in zip(trials, held, strict=True)
    }
    return [support.restricted(trial.tail, keep) for trial in trials], _entries(own, "samples")


def _shared_list(trials: Sequence[SystemData]) -> tuple[list[ScoreTail], list[LedgerEntry]]:
    first = trials[0].comparisons
    scores: list[Floats] = []
    for trial in trials:
        same = np.array_equal(trial.comparisons.probe, first.probe)
        if (
            trial.table is None
            or not same
            or not np.array_equal(trial.comparisons.reference, first.reference)
        ):
            raise DataError("providers", "the systems were asked other comparisons", "one list for all")
        scores.append(trial.table.score)
    known = [np.isfinite(score) for score in scores]
    keep = np.logical_and.reduce(known)
    ends, of = (first.probe, first.reference), trials[0].cohort.subject_of
    tails = [
        trial.tail if np.array_equal(one, keep) else support.listed(score, keep, trial.tail, ends, of)
        for trial, score, one in zip(trials, scores, known, strict=True)
    ]
    own = {
        trial.provider: int(np.count_nonzero(one & ~keep)) for trial, one in zip(trials, known, strict=True)
    }
    return tails, _entries(own, "comparisons")


def _entries(own: Mapping[str, int], unit: str) -> list[LedgerEntry]:
    return [
        LedgerEntry(code=NOT_SHARED, count=count, unit=unit, provider=name, group="all")
        for name, count in own.items()
        if count
    ]


def _thresholds(
    tail: ScoreTail, groups: Groups, targets: Sequence[float], refused: Sequence[str | None]
) -> Floats:
    found = np.full((len(WEIGHTINGS), len(targets)), np.nan)
    for w, weighting in enumerate(WEIGHTINGS):
        for a, target in enumerate(targets):
            if refused[a] is None:
                try:
                    found[w, a] = rates_of.threshold_at(tail, groups, target, weighting)
                except BelowFloorError:
                    continue
    return found


def _standing(
    trial: SystemData, tail: ScoreTail, thresholds: Floats, targets: Sequence[float], usable: Sequence[int]
) -> SystemOnSupport:
    shape = (len(WEIGHTINGS), len(targets), len(trial.groups.names) + 1)
    fnmr, fmr = np.full(shape, np.nan), np.full(shape, np.nan)
    for w in range(len(WEIGHTINGS)) if usable else ():
        found = rates_of.rates(tail, trial.groups, thresholds[w, usable])
        fnmr[w, usable] = found.frr if w else found.fnmr
        fmr[w, usable] = found.far if w else found.fmr
    drawn = _drawn(trial, tail, targets, usable)
    return SystemOnSupport(
        trial=trial,
        tail=tail,
        digest=sha256(support.contents(tail)),
        thresholds=thresholds,
        fnmr=fnmr,
        fmr=fmr,
        drawn_fnmr=drawn[0],
        drawn_fmr=drawn[1],
    )


def _drawn(
    trial: SystemData, tail: ScoreTail, targets: Sequence[float], usable: Sequence[int]
) -> tuple[Floats, Floats]:
    """The audit's own replicates where nothing was left out, else new ones of the same people."""
    own = trial.replicates.get(Plan.SUBJECTS) if tail is trial.tail else None
    made, places = own, [trial.points.declared[a] for a in usable]
    if made is None:
        made, places = _replicated(trial, tail, [targets[a] for a in usable]), list(range(len(usable)))
    shape = (len(WEIGHTINGS), made.B, len(targets), len(trial.groups.names) + 1)
    fnmr, fmr = np.full(shape, np.nan), np.full(shape, np.nan)
    fnmr[:, :, list(usable)] = made.fnmr[:, :, places]
    fmr[:, :, list(usable)] = made.fmr[:, :, places]
    return fnmr, fmr


def _replicated(trial: SystemData, tail: ScoreTail, targets: Sequence[float]) -> Replicates:
    return replicate(
        tail,
        trial.groups,
        plan=Plan.SUBJECTS,
        n=trial.spec.bootstrap.B,
        seed=_seed(trial),
        targets=list(targets),
        thresholds=[],
        strata=strata_of(trial.spec, trial.groups),
        threads=trial.spec.threads,
    )


def _seed(trial: SystemData) -> int:
    return seed_of(trial.spec.seed, "bootstrap", Plan.SUBJECTS.value)
