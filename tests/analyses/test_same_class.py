"""FMR within classes and its ratio to FMR of all, by counting; a requirement on it."""

from functools import cache

import pytest
from small_audits import pick, plain, same_class_audit, system_of

from frtaudit.analyses.same_class import SameClass
from frtaudit.core import Estimate

AT = 0.2


@cache
def found() -> tuple[Estimate, ...]:
    """All estimates of the small audit's first system."""
    return SameClass().estimates(system_of(), 0.05).estimates


def one_of(metric: str, weighting: str) -> Estimate:
    """One at the fixed threshold."""
    (estimate,) = [
        one
        for one in found()
        if (one.metric, one.weighting, one.at) == (metric, weighting, {"threshold": AT})
    ]
    return estimate


def test_it_is_the_sum_over_classes() -> None:
    """False matches and comparisons within the two classes, added; the ratio is that to all."""
    parts = [plain().rate("fmr", AT, code) for code in (0, 1)]
    everybody = plain().rate("fmr", AT, None)
    errors, trials = (sum(part[n] for part in parts) for n in (0, 1))
    rate = one_of("fmr_same_class", "pooled")
    assert (rate.numerator, rate.denominator) == (errors, trials)
    assert one_of("fmr_same_class_ratio", "pooled").value == pytest.approx(
        (errors / trials) / (everybody[0] / everybody[1]), rel=1e-9
    )


def test_every_estimate_has_an_interval_around_it_or_a_reason() -> None:
    """Both weightings at each target and threshold."""
    for estimate in found():
        if estimate.value is None:
            assert estimate.note
            continue
        (interval,) = estimate.intervals
        assert interval.low is not None
        assert interval.high is not None
        assert interval.low <= estimate.value <= interval.high


def test_all_schemas_at_once() -> None:
    """With two schemas there is a third estimate, of people who share the class of each."""
    rates = {
        one.schema: one.value
        for one in pick(same_class_audit(), "fmr_same_class", at={"threshold": AT}, weighting="pooled")
    }
    assert set(rates) == {"group", "twin", None}
    assert rates[None] == rates["group"] == rates["twin"]
