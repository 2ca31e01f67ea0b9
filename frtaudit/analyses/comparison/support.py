"""A common support for several systems: the comparisons that all of them scored, thresholds and replicates on these.

Subjects are drawn with the seed of the audit's own replicates, which knows the plan and not the system: one row of the
replicates is the same people in every system. Each system's threshold is found anew in each (FORMULAS 8.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core import Groups, LedgerEntry, ScoreTail
from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import sha256
from frtaudit.core.cohort import NOT_SHARED
from frtaudit.core.spec import Plan
from frtaudit.errors import DataError
from frtaudit.evaluation.system import WEIGHTINGS, SystemData, replicates_of, subject_copies
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.rates.targets import thresholds_at
from frtaudit.stats.systems import support

BELOW = "a threshold lies below the floor of the kept tail"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOnSupport:
    """One system on the common support, W = 2 weightings (pooled, identity), A targets, G + 1 groups, B replicates.

    ``tail``: its scores there; ``digest``: of these scores; ``thresholds`` (W, A), NaN where there is none; ``fnmr``,
    ``fmr`` (W, A, G+1): rates at them; ``drawn_fnmr``, ``drawn_fmr`` (W, B, A, G+1): replicates, t* found anew in
    each.
    """

    system: SystemData
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
    ``trials``: the denominators that all share; ``ledger``: what only some systems scored: excluded.
    """

    systems: tuple[SystemOnSupport, ...]
    groups: Groups
    targets: tuple[float, ...]
    refused: tuple[str | None, ...]
    trials: rates_of.Trials
    ledger: tuple[LedgerEntry, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, in the spec's order."""
        return tuple(system.system.provider for system in self.systems)

    @property
    def first_system(self) -> SystemData:
        """Data that all systems share: spec, cohort, groups."""
        return self.systems[0].system

    def copies(self) -> Ints:
        """How often each subject is drawn in each replicate, shape (B, K)."""
        system = self.first_system
        drawn = subject_copies(system.spec, system.groups, system.cohort.n_subjects)
        return np.ascontiguousarray(drawn.T.astype(np.int64))


def support_of(systems: Sequence[SystemData]) -> CommonSupport:
    """Put systems on a common support. Raises :class:`DataError` where they share no comparison."""
    tails, ledger = _shared(systems)
    first = systems[0]
    trials = rates_of.trials(tails[0], first.groups)
    for kind in ("mated", "non_mated"):
        if int(getattr(trials, kind)[0]):
            continue
        some = any(int(getattr(system.trials, kind)[0]) for system in systems)
        text = f"no {kind.replace('_', '-')} comparison was scored by every system"
        more = ", or protocol.strangers of protocol=round_robin" if kind == "non_mated" and not some else ""
        raise DataError("providers", text, f"systems that share some{more}")
    targets = tuple(first.operating_points.targets[a] for a in first.operating_points.declared)
    refused = tuple(
        unresolved(target, int(trials.non_mated[0])) or _hidden(systems, a)
        for target, a in zip(targets, first.operating_points.declared, strict=True)
    )
    thresholds = [thresholds_at(tail, first.groups, targets, refused, WEIGHTINGS) for tail in tails]
    lost = [bool(np.isnan([at[:, a] for at in thresholds]).any()) for a in range(len(targets))]
    reasons = tuple(reason or (BELOW if gone else None) for reason, gone in zip(refused, lost, strict=True))
    usable = [a for a, reason in enumerate(reasons) if reason is None]
    on_support = tuple(
        _system_on_support(system, tail, at, targets, usable)
        for system, tail, at in zip(systems, tails, thresholds, strict=True)
    )
    return CommonSupport(
        systems=on_support,
        groups=first.groups,
        targets=targets,
        refused=reasons,
        trials=trials,
        ledger=tuple(ledger),
    )


def _hidden(systems: Sequence[SystemData], a: int) -> str | None:
    """Why a system's scores cannot tell the threshold at target ``a``, if one's cannot: nothing is compared there."""
    others = "; without it in providers, the others are compared" if len(systems) > 2 else ""
    reasons = (
        f"{system.provider}: {system.hidden[w, a]}{others}"
        for system in systems
        for w in range(len(WEIGHTINGS))
        if (w, a) in system.hidden
    )
    return next(reasons, None)


def _shared(systems: Sequence[SystemData]) -> tuple[list[ScoreTail], list[LedgerEntry]]:
    """Each system's scores on the common support, and how much of its own each leaves out."""
    listed = [system.table is not None for system in systems]
    if all(listed):
        return _shared_list(systems)
    if any(listed):
        raise DataError("providers", "some systems scored a list and some all pairs", "one protocol for all")
    acquired = [support.acquired(system.tail, systems[0].cohort.n_samples) for system in systems]
    keep = np.logical_and.reduce(acquired)
    tails = [support.restricted(system.tail, keep) for system in systems]
    return tails, _left_out(systems, acquired, keep, "samples")


def _shared_list(systems: Sequence[SystemData]) -> tuple[list[ScoreTail], list[LedgerEntry]]:
    first = systems[0].comparisons
    scores: list[Floats] = []
    for system in systems:
        same = np.array_equal(system.comparisons.probe, first.probe)
        if (
            system.table is None
            or not same
            or not np.array_equal(system.comparisons.reference, first.reference)
        ):
            raise DataError("providers", "the systems were given different comparisons", "one list for all")
        scores.append(system.table.score)
    known = [np.isfinite(score) for score in scores]
    keep = np.logical_and.reduce(known)
    ends, of = (first.probe, first.reference), systems[0].cohort.subject_of
    tails = [
        system.tail if np.array_equal(flags, keep) else support.listed(score, keep, system.tail, ends, of)
        for system, score, flags in zip(systems, scores, known, strict=True)
    ]
    return tails, _left_out(systems, known, keep, "comparisons")


def _left_out(
    systems: Sequence[SystemData], scored: Sequence[Flags], keep: Flags, unit: str
) -> list[LedgerEntry]:
    return [
        LedgerEntry(code=NOT_SHARED, count=count, unit=unit, provider=system.provider, group="all")
        for system, flags in zip(systems, scored, strict=True)
        if (count := int(np.count_nonzero(flags & ~keep)))
    ]


def _system_on_support(
    system: SystemData, tail: ScoreTail, thresholds: Floats, targets: Sequence[float], usable: Sequence[int]
) -> SystemOnSupport:
    shape = (len(WEIGHTINGS), len(targets), len(system.groups.names) + 1)
    fnmr, fmr = np.full(shape, np.nan), np.full(shape, np.nan)
    for w in range(len(WEIGHTINGS)) if usable else ():
        rates = rates_of.rates(tail, system.groups, thresholds[w, usable])
        fnmr[w, usable] = rates.frr if w else rates.fnmr
        fmr[w, usable] = rates.far if w else rates.fmr
    drawn = _drawn(system, tail, targets, usable)
    return SystemOnSupport(
        system=system,
        tail=tail,
        digest=sha256(support.contents(tail)),
        thresholds=thresholds,
        fnmr=fnmr,
        fmr=fmr,
        drawn_fnmr=drawn[0],
        drawn_fmr=drawn[1],
    )


def _drawn(
    system: SystemData, tail: ScoreTail, targets: Sequence[float], usable: Sequence[int]
) -> tuple[Floats, Floats]:
    """The audit's own replicates where nothing was left out, else new ones of the same people."""
    draws = system.replicates.get(Plan.SUBJECTS) if tail is system.tail else None
    places = [system.operating_points.declared[a] for a in usable]
    if draws is None:
        places = list(range(len(usable)))
        draws = replicates_of(system.spec, Plan.SUBJECTS, tail, system.groups, [targets[a] for a in usable])
    shape = (len(WEIGHTINGS), draws.B, len(targets), len(system.groups.names) + 1)
    fnmr, fmr = np.full(shape, np.nan), np.full(shape, np.nan)
    fnmr[:, :, list(usable)] = draws.fnmr[:, :, places]
    fmr[:, :, list(usable)] = draws.fmr[:, :, places]
    return fnmr, fmr
