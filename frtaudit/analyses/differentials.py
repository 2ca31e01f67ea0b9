"""Differences between groups: indices of FMR and FNMR at a common threshold, and the strictest group's threshold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.core import Estimate, Target
from frtaudit.core.registry import register
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.differentials import (
    BOTH,
    Form,
    GroupRates,
    difference,
    fixed_interval,
    forms,
    population_interval,
)
from frtaudit.evaluation.intervals import AtKey, RateSummary
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate, read
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData, stratum
from frtaudit.stats.rates.resolution import unresolved

NAME = "differentials"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Differentials:
    """Differential indices per schema, and rates at the threshold where the largest group FMR meets the target.

    ``weight``: what FMR weighs in the composite indices (FDR, inequity rate, GARBE), the rest is FNMR's.
    """

    weight: float = 0.5

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a weight that is no share."""
        if not 0 <= self.weight <= 1:
            raise SpecError(f"analyses.{NAME}.weight", f"found {self.weight:g}", "a number from 0 to 1")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All indices of every schema at every declared target, in both weightings."""
        index_forms = forms(self.weight)
        estimates = [
            _index(system, view, form, self.weight, alpha) for view in _views(system) for form in index_forms
        ]
        return AnalysisOutput(estimates=(*estimates, *_at_max_group(system, alpha)))


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The ranked groups of one schema at one target; ``rates`` None: refused, and why."""

    schema: str
    weighting: Weighting
    target: float
    rates: GroupRates | None
    refused: str | None


def _views(system: SystemData) -> Iterator[View]:
    for schema in system.groups.schemas:
        for a in system.operating_points.declared:
            for w, weighting in enumerate(WEIGHTINGS):
                threshold = float(system.operating_points.at_target[w, a])
                refused = system.resolved[a] or system.refused(w, a)
                yield View(
                    schema=schema,
                    weighting=weighting,
                    target=system.operating_points.targets[a],
                    rates=None if refused else _group_rates(system, schema, weighting, threshold, a),
                    refused=refused,
                )


def _group_rates(
    system: SystemData, schema: str, weighting: Weighting, threshold: float, a: int
) -> GroupRates:
    summaries = {
        rate: tuple(
            read(system, OperatingPoint(rate, weighting, group_index, threshold, a))
            for group_index, _ in system.classes(schema)
        )
        for rate in BOTH
    }
    return GroupRates(
        labels=system.cohort.classifications[schema].labels,
        summaries=summaries,
        common={rate: _pooled(items) for rate, items in summaries.items()},
        all_pairs=system.comparisons.all_pairs,
    )


def _pooled(summaries: tuple[RateSummary, ...]) -> float:
    """The rate within groups: each group weighs what its rate is divided by (comparisons, subjects or their pairs)."""
    total = sum(summary.total for summary in summaries)
    errors = sum(summary.value * summary.total for summary in summaries if summary.total)
    return errors / total if total else float("nan")


def _index(system: SystemData, view: View, form: Form, weight: float, alpha: float) -> Estimate:
    key: AtKey = {"weight": weight} if form.rates == BOTH else {"rate": form.rates[0]}
    rates = view.rates
    estimate = Estimate.of(
        system.provider,
        NAME,
        form.metric,
        None if rates is None else float(form.value(rates.values(form.rates))),
        of=(view.schema, "all"),
        at={"fmr": view.target, **key},
        weighting=view.weighting.value,
        note=view.refused,
    )
    if rates is None:
        return estimate
    fixed = (spec for spec in system.intervals if spec.target is Target.FIXED_IDENTITIES)
    intervals = (
        *(fixed_interval(form, rates, spec, alpha) for spec in fixed),
        population_interval(form, rates, alpha),
    )
    return replace(
        estimate, intervals=intervals, test=difference(form, rates, alpha, _strata(system, view.schema))
    )


def _strata(system: SystemData, schema: str) -> str | None:
    """Say so where subjects were drawn within other groups than those compared (FORMULAS 8.2, 8.5)."""
    drawn = stratum(system.spec, system.groups.schemas)
    where = f"within {drawn}" if drawn else "among all subjects"
    return None if drawn == schema else f"subjects were resampled {where}, not within {schema}"


def _at_max_group(system: SystemData, alpha: float) -> Iterator[Estimate]:
    """Rates at the threshold where the largest group FMR meets the target (002, remark on the group-wise threshold)."""
    for s, schema in enumerate(system.groups.schemas):
        group_indices = {0: "all"} | dict(system.classes(schema))
        for a in system.operating_points.declared:
            for w, weighting in enumerate(WEIGHTINGS):
                threshold = float(system.operating_points.at_max[w, s, a])
                at: AtKey = {
                    "fmr": system.operating_points.targets[a],
                    "threshold_of": "max_group",
                    "schema": schema,
                }
                note = _unresolved_group(system, schema, a) or (
                    None
                    if np.isfinite(threshold)
                    else system.refused(w, a)
                    or "the threshold lies where the scores are cut off, or below their tail"
                )
                make = partial(
                    Estimate.of, system.provider, NAME, at=at, weighting=weighting.value, note=note
                )
                yield make("threshold_at_fmr", None if note else threshold, of=(schema, "max"))
                for group_index, group in group_indices.items():
                    group_schema = schema if group_index else None
                    if note:
                        yield make("fnmr_at_fmr", None, of=(group_schema, group))
                        continue
                    place = OperatingPoint("fnmr", weighting, group_index, threshold, a, schema=s)
                    yield rate_estimate(system, NAME, "fnmr_at_fmr", group_schema, group, at, place, alpha)


def _unresolved_group(system: SystemData, schema: str, a: int) -> str | None:
    """Why a group's own FMR cannot be resolved at the target (FORMULAS 8.4), naming the smallest target."""
    labels = system.cohort.classifications[schema].labels
    for (group_index, _), label in zip(system.classes(schema), labels, strict=True):
        reason = unresolved(system.operating_points.targets[a], int(system.trials.non_mated[group_index]))
        if reason:
            return f"{schema.replace('_', ' ')} {label}: {reason}"
    return None
