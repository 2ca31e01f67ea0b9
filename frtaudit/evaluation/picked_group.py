"""The highest rate of all that were searched, with an interval that allows for the search (FORMULAS 8.19).

The group, or group and system, with the highest rate is picked by its rate: its interval at level 1 - alpha covers the
true rate too rarely, and every miss accuses the group. At level 1 - alpha/m, m being all rates that were searched, the
interval of whichever is picked covers with 1 - alpha at least.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from frtaudit.core import Estimate, Interval
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.requirements import deciding

METRIC = "highest_group_rate"
SEARCHED = ("fnmr_at_fmr", "fmr")


def highest(
    estimates: Sequence[Estimate], ranked: Mapping[str, tuple[str, ...]], weighting: Weighting, alpha: float
) -> Iterator[Estimate]:
    """The highest group FNMR and FMR at each FMR target, over systems and schemas; none where there is one group."""
    for metric in SEARCHED:
        candidates = [
            estimate
            for estimate in estimates
            if estimate.metric == metric
            and estimate.weighting == weighting.value
            and set(estimate.at) == {"fmr"}
            and estimate.group in ranked.get(estimate.schema or "", ())
            and estimate.value is not None
        ]
        for target in sorted({float(estimate.at["fmr"]) for estimate in candidates}, reverse=True):
            here = [estimate for estimate in candidates if estimate.at["fmr"] == target]
            if len(here) > 1:
                yield picked(max(here, key=lambda estimate: estimate.value or 0.0), len(here), alpha)


def picked(most: Estimate, searched: int, alpha: float) -> Estimate:
    """The highest of ``searched`` rates, with its interval at level 1 - alpha over all of them."""
    interval = deciding(most)
    bound = None if interval is None else interval.one_sided
    wide = None if bound is None else _of_all(bound, searched, alpha / 2)
    return replace(
        most,
        metric=METRIC,
        at={**most.at, "rate": most.metric, "searched": float(searched)},
        intervals=() if wide is None else (wide,),
        note=None if wide is not None else "no interval of this rate for the population",
        test=None,
    )


def _of_all(bound: Callable[[float], Interval], searched: int, error: float) -> Interval:
    """The interval with each bound at ``error`` over all rates that were searched, at this and at any other error."""
    interval = bound(error / searched)
    p_value = interval.p_value
    return replace(
        interval,
        one_sided=lambda error: _of_all(bound, searched, error),
        p_value=None if p_value is None else lambda limit, sense: min(1.0, searched * p_value(limit, sense)),
    )
