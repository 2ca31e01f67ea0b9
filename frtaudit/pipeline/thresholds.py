"""Which thresholds an audit looks at: those declared, those that these data define, and the FMR targets of curves."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.arrays import Floats
from frtaudit.core.spec import AuditSpec, CurveGrid, GridKind, Reach, ThresholdSource
from frtaudit.errors import SpecError
from frtaudit.evaluation.protocols import Provider
from frtaudit.evaluation.system import WEIGHTINGS, OperatingPoints
from frtaudit.inputs.thresholds.threshold_file import thresholds_from_file
from frtaudit.stats.rates import rates as rates_of
from frtaudit.stats.rates.resolution import MIN_EXPECTED, unresolved
from frtaudit.stats.rates.sums import BelowFloorError
from frtaudit.stats.rates.targets import thresholds_at

Named = Sequence[tuple[float, Mapping[str, float | str]]]


def targets_of(spec: AuditSpec, non_mated: int = 0) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """FMR targets, ascending: the declared and those beside them that draw curves; where the declared stand.

    ``non_mated``: comparisons that bound a curve drawn down to their resolution.
    """
    declared = sorted(set(spec.thresholds.fmr))
    if not declared:
        return (), ()
    grid = _curve_targets(spec.thresholds.curve, declared, non_mated)
    between = [value for value in grid if not any(abs(value / known - 1) < 1e-3 for known in declared)]
    targets = tuple(sorted([*declared, *between]))
    return targets, tuple(targets.index(value) for value in declared)


def _curve_targets(curve: CurveGrid, declared: Sequence[float], non_mated: int) -> set[float]:
    """Targets evenly spaced in log FMR; those to the resolution step down from the largest declared one."""
    low, high = np.log10(declared[0]), np.log10(declared[-1])
    if curve.reach is Reach.DECLARED:
        steps = max(2, round((high - low) * curve.per_decade) + 1)
        return {_six_digits(exponent) for exponent in np.linspace(low, high, steps)}
    if not non_mated:
        return set()
    steps = max(0, int(np.floor((high - np.log10(MIN_EXPECTED / non_mated)) * curve.per_decade + 1e-9)))
    targets = {_six_digits(high - step / curve.per_decade) for step in range(steps + 1)}
    return {value for value in targets if unresolved(value, non_mated) is None}


def _six_digits(exponent: float) -> float:
    return float(f"{10**exponent:.6g}")


def declared_thresholds(spec: AuditSpec, provider: Provider) -> list[tuple[float, Mapping[str, float | str]]]:
    """Fixed thresholds known before scoring: the explicit or linear grid, those from a file, the vendor's.

    Raises :class:`SpecError` for a value outside the provider's score range.
    """
    grid, score_range = spec.thresholds.grid, provider.score_range
    values: list[float] = []
    if grid.kind is GridKind.EXPLICIT:
        values = list(grid.values)
    elif grid.kind is GridKind.LINEAR:
        low = score_range[0] if grid.low is None else grid.low
        high = score_range[1] if grid.high is None else grid.high
        values = [float(f"{value:.12g}") for value in np.linspace(low, high, grid.num)]
    thresholds: list[tuple[float, Mapping[str, float | str]]] = [(value, {}) for value in values]
    thresholds += thresholds_from_file(spec, provider.name)
    version = {} if provider.thresholds_version is None else {"version": provider.thresholds_version}
    thresholds += [(value, {"recommended": name, **version}) for name, value in provider.recommended.items()]
    for value, _ in thresholds:
        if not score_range[0] <= value <= score_range[1]:
            text = f"{value:g} lies outside the score range of {provider.name}"
            raise SpecError("thresholds", text, f"{score_range[0]:g} to {score_range[1]:g}")
    return thresholds


def measured_thresholds(
    spec: AuditSpec, tail: ScoreTail, groups: Groups
) -> list[tuple[float, Mapping[str, float | str]]]:
    """Grid thresholds that these data define: quantiles of the mated scores, or thresholds at FMR decades (pooled).

    Each with the rate that it was chosen by: that rate says nothing of the system (FORMULAS 8.13).
    """
    grid = spec.thresholds.grid
    thresholds: dict[float, str] = {}
    if grid.kind is GridKind.QUANTILE and tail.mated_score.size:
        shares = np.linspace(grid.low or 0.0, 1.0 if grid.high is None else grid.high, grid.num)
        for share in shares.tolist():
            thresholds.setdefault(float(np.quantile(tail.mated_score, share)), f"fnmr={share:.6g}")
    if grid.kind is GridKind.FMR_DECADES and int(tail.histogram.sum()):
        total = int(rates_of.trials(tail, groups).non_mated[0])
        for value in decades_of(spec):
            if unresolved(value, total) is None:
                with suppress(BelowFloorError):
                    threshold = rates_of.threshold_at(tail, groups, value, WEIGHTINGS[0])
                    thresholds.setdefault(threshold, f"fmr={value:g}")
    source = ThresholdSource.SAME_DATA.value
    return [
        (value, {"source": source, "name": name}) for value, name in thresholds.items() if np.isfinite(value)
    ]


def decades_of(spec: AuditSpec) -> list[float]:
    """The FMR decades of the grid, from ``high`` down to ``low`` (defaults: the declared targets' extremes)."""
    grid, targets = spec.thresholds.grid, spec.thresholds.fmr
    if grid.kind is not GridKind.FMR_DECADES or not (targets or (grid.low and grid.high)):
        return []
    high = grid.high or max(targets)
    low = grid.low or min(targets)
    first, last = np.floor(np.log10(high) + 1e-9), np.ceil(np.log10(low) - 1e-9)
    return [float(f"1e{int(power)}") for power in np.arange(first, last - 1, -1)]


def points_of(
    targets: tuple[float, ...],
    declared: tuple[int, ...],
    tail: ScoreTail,
    groups: Groups,
    resolved: Sequence[str | None],
    fixed: Named,
) -> OperatingPoints:
    """Where rates are read: each FMR target's threshold on these data, then the ``fixed`` thresholds.

    ``resolved``: for each target None, or why it has no threshold (NaN then).
    """
    return OperatingPoints(
        targets=targets,
        declared=declared,
        at_target=thresholds_at(tail, groups, targets, resolved, WEIGHTINGS),
        at_max=_at_max(tail, groups, targets, resolved),
        thresholds=tuple(value for value, _ in fixed),
        origin=tuple(at for _, at in fixed),
    )


def _at_max(
    tail: ScoreTail, groups: Groups, targets: Sequence[float], resolved: Sequence[str | None]
) -> Floats:
    """NaN where a threshold lies below the floor that the tail's budget allowed."""
    values = np.full((len(WEIGHTINGS), len(groups.schemas), len(targets)), np.nan)
    for w, weighting in enumerate(WEIGHTINGS):
        for s in range(len(groups.schemas)):
            for a, target in enumerate(targets):
                if resolved[a] is None:
                    with suppress(BelowFloorError):
                        values[w, s, a] = rates_of.threshold_at_max_group(tail, groups, target, weighting, s)
    return values
