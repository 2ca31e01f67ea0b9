"""FAR and FRR of verification transactions, at each number of attempts, with failures to acquire and to enrol."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.analyses.shared.counted_transactions import CountedTransactions, untimed
from frtaudit.analyses.shared.overall_ratios import chosen_here
from frtaudit.core import CohortData, Estimate, Interval, Method
from frtaudit.core.metrics import unit_of
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec, Plan
from frtaudit.core.transactions import Transactions
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.intervals import AtKey, from_bounds
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate
from frtaudit.evaluation.system import (
    DEFAULT_INTERVALS,
    WEIGHTINGS,
    AnalysisOutput,
    SystemData,
    replicates_of,
)
from frtaudit.stats.intervals.clustered_share import share_bounds
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.similarity.transactions import transaction_tail

NAME = "transactions"
RATES = (("far", "fmr", "gfar"), ("frr", "fnmr", "gfrr"))
BOTH_RATES = "bounds of failure to enrol and of the rate together, whatever their correlation"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionRates:
    """FAR, FRR, GFAR and GFRR of transactions of up to 1, 2, ... ``k`` attempts, and failure to enrol.

    At declared thresholds, and where FAR meets the targets ``far`` or those of a requirement. ``k``: attempts allowed,
    by default the most that the data hold. An estimate for fewer attempts says how many in ``at.attempts``.
    ``timeout``: seconds after which an attempt no longer counts. ``ordered``: of two people the claims of both count,
    for a system whose algorithm is asymmetric; by default those in one direction do.
    """

    k: int | None = None
    far: tuple[float, ...] = ()
    timeout: float | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for no attempt, no time, and for a target that is no rate."""
        if self.k is not None and self.k < 1:
            raise SpecError(f"analyses.{NAME}.k", f"found {self.k}", "1 attempt or more")
        wrong = [target for target in self.far if not 0 < target < 1]
        if wrong:
            raise SpecError(f"analyses.{NAME}.far", f"found {wrong[0]:g}", "rates between 0 and 1")
        if self.timeout is not None and not 0 < self.timeout < np.inf:
            raise SpecError(f"analyses.{NAME}.timeout", f"found {self.timeout:g}", "seconds, more than 0")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Raise :class:`DataError` for comparisons, which form no transactions, and for attempts without times."""
        from frtaudit.pipeline.components import comparisons_of

        recorded = cohort_data.transactions
        if not recorded and comparisons_of(spec, cohort_data).transaction is None:
            text = "these data hold comparisons, which give FMR and FNMR, and no transactions"
            accepted = "cohort=attempts, protocol=transactions, or metric: fmr and metric: fnmr"
            raise DataError(f"analyses.{NAME}", text, accepted)
        if self.timeout is not None and (not recorded or any(map(untimed, recorded.values()))):
            text = "some attempts have no time" if recorded else "samples have no times of attempts"
            raise DataError(f"analyses.{NAME}.timeout", text, "cohort=attempts with a column seconds")
        return None

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Every rate in both weightings, for everybody and for every group."""
        counted = CountedTransactions.of(system, self.timeout, ordered=self.ordered)
        transactions = counted.transactions
        k = self.k or transactions.attempts
        asked = (requirement.at.get("far") for requirement in system.spec.requirements)
        targets = tuple(sorted({*self.far, *(target for target in asked if isinstance(target, float))}))
        estimates = list(_failures_to_enrol(system, counted, alpha))
        for attempts in (
            *range(1, min(k, transactions.attempts + 1)),
            k,
        ):  # more than were made change nothing
            limited = _of_transactions(system, transactions, attempts, targets)
            at: AtKey = {} if attempts == k else {"attempts": float(attempts)}
            estimates += _rates(limited, counted, at, alpha)
        return AnalysisOutput(estimates=tuple(estimates), notes=tuple(counted.notes(system.provider, k)))


def _of_transactions(
    system: SystemData, transactions: Transactions, k: int, targets: tuple[float, ...]
) -> SystemData:
    """The system with transactions of up to ``k`` attempts in the place of comparisons."""
    tail = transaction_tail(transactions, k, system.comparisons.cells, system.tail.score_range)
    groups, spec, known = system.groups, system.spec, system.operating_points
    fixed = [
        (value, at) for value, at in zip(known.thresholds, known.origin, strict=True) if not chosen_here(at)
    ]
    trials = rates_of.trials(tail, groups)
    resolved = tuple(unresolved(target, int(trials.non_mated[0])) for target in targets)
    from frtaudit.pipeline.thresholds import points_of

    points = points_of(targets, tuple(range(len(targets))), tail, groups, resolved, fixed)
    at = [np.concatenate([row, points.thresholds]) for row in points.at_target]
    read = [rates_of.rates(tail, groups, np.where(np.isnan(row), np.inf, row)) for row in at]
    drawn = replicates_of(spec, Plan.SUBJECTS, tail, groups, targets, points.thresholds)
    return replace(
        system,
        spec=replace(spec, intervals=DEFAULT_INTERVALS[:1]),
        tail=tail,
        trials=trials,
        operating_points=points,
        rates=(read[0], read[1]),
        replicates={Plan.SUBJECTS: drawn} if targets else {},
        rule=prepare(tail, groups, np.unique([cut for row in at for cut in row if np.isfinite(cut)])),
        resolved=tuple(None if reason is None else _of_far(reason) for reason in resolved),
    )


def _of_far(reason: str) -> str:
    return (
        reason.replace("FMR", "FAR")
        .replace("non-mated comparisons", "impostor transactions")
        .replace("false matches", "false acceptances")
    )


def _rates(
    system: SystemData, counted: CountedTransactions, fewer: AtKey, alpha: float
) -> Iterator[Estimate]:
    """Estimates at each target, then at each threshold."""
    points = system.operating_points
    for a, target in enumerate(points.targets):
        for w, weighting in enumerate(WEIGHTINGS):
            value = float(points.at_target[w, a])
            known = bool(np.isfinite(value))
            at: AtKey = {"far": target, **fewer}
            yield Estimate.of(
                system.provider, NAME, "threshold_at_far", value if known else None, at=at,
                weighting=weighting.value, note=None if known else system.refused(w, a),
            )  # fmt: skip
            yield from _at(system, counted, (w, a), value, at, alpha)
    for t, (value, origin) in enumerate(zip(points.thresholds, points.origin, strict=True)):
        for w in range(len(WEIGHTINGS)):
            at = {"threshold": value, **origin, **fewer}
            yield from _at(system, counted, (w, len(points.targets) + t), value, at, alpha)


def _at(
    system: SystemData,
    counted: CountedTransactions,
    place: tuple[int, int],
    threshold: float,
    at: AtKey,
    alpha: float,
) -> Iterator[Estimate]:
    """FAR and FRR of each group at one threshold, and with failure to enrol."""
    w, point = place
    refused = system.refused(w, point) if "far" in at else system.censoring.beyond(threshold)
    for group_index, schema, group in system.every_group():
        fte = _fte(system, counted, group_index)
        for metric, rate, general in RATES:
            if refused:
                estimate = Estimate.of(
                    system.provider, NAME, metric, None, of=(schema, group), at=at,
                    weighting=WEIGHTINGS[w].value, note=refused,
                )  # fmt: skip
            else:
                read = OperatingPoint(rate, WEIGHTINGS[w], group_index, threshold, point)
                estimate = rate_estimate(system, NAME, metric, schema, group, at, read, alpha)
                estimate = replace(estimate, unit=unit_of(metric))
            yield estimate
            if fte is not None:
                yield _generalised(estimate, general, fte, alpha)


def _fte(system: SystemData, counted: CountedTransactions, group_index: int) -> RateBounds | None:
    failed = counted.not_enrolled(system, group_index)
    return None if failed is None else share_bounds(failed, np.ones_like(failed))


def _failures_to_enrol(system: SystemData, counted: CountedTransactions, alpha: float) -> Iterator[Estimate]:
    for group_index, schema, group in system.every_group():
        failed, bounds = counted.not_enrolled(system, group_index), _fte(system, counted, group_index)
        if failed is not None and bounds is not None:
            yield Estimate.of(
                system.provider, NAME, "fte", bounds.rate, of=(schema, group),
                counts=(int(failed.sum()), failed.size), intervals=(from_bounds(bounds, alpha),),
            )  # fmt: skip


def _generalised(estimate: Estimate, metric: str, fte: RateBounds, alpha: float) -> Estimate:
    """GFRR = FTE + (1 - FTE) FRR and GFAR = (1 - FTE) FAR (ISO/IEC 19795-1)."""
    rejects = metric == "gfrr"

    def of(rate: float, lost: float) -> float:
        return (lost if rejects else 0.0) + (1 - lost) * rate

    return replace(
        estimate,
        metric=metric,
        value=None if estimate.value is None else of(estimate.value, fte.rate),
        numerator=None,
        denominator=None,
        unit=unit_of(metric),
        intervals=tuple(
            _combined(interval, fte, of, rejects=rejects, error=alpha / 2) for interval in estimate.intervals
        ),
    )


def _combined(
    rate: Interval, fte: RateBounds, of: Callable[[float, float], float], *, rejects: bool, error: float
) -> Interval:
    """Each bound errs with ``error``, half of it spent on either rate."""
    part = None if rate.one_sided is None else rate.one_sided(error / 2)
    if part is None or part.low is None or part.high is None:
        return Interval.of(None, None, 2 * error, Method.WILSON, note=rate.note or "no interval of the rate")
    fewest, most = fte.low(error / 2), fte.high(error / 2)
    low, high = of(part.low, fewest if rejects else most), of(part.high, most if rejects else fewest)
    return Interval.of(
        low,
        high,
        2 * error,
        Method.WILSON,
        note=BOTH_RATES,
        one_sided=lambda alone: _combined(rate, fte, of, rejects=rejects, error=alone),
    )
