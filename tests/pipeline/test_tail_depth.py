import numpy as np
import pytest
from small_audits import audit, one, pick, put, spec

from frtaudit.core.spec import Grid, GridKind, Thresholds, Weighting
from frtaudit.pipeline.tail_depth import needs_more


@pytest.mark.parametrize("weighting", list(Weighting))
@pytest.mark.usefixtures("one_pass")
def test_a_threshold_below_the_floor_needs_more(weighting: Weighting) -> None:
    """Only thresholds below the floor that the scoring pass did not count ask for another pass."""
    system = put(spec(tail_budget=1), "two")
    assert system.tail.cutoff > 0.3
    assert not needs_more(system.tail, [(0.1, {}), (0.9, {})])
    assert needs_more(system.tail, [(0.11, {})])
    assert np.isnan(system.operating_points.at_target[list(Weighting).index(weighting)]).all()
    assert (
        sum("tail_budget of 1 bytes holds the scores of FMR targets up to" in note for note in system.notes)
        == 1
    )


def test_measured_thresholds_below_the_floor_are_counted() -> None:
    """A quantile grid under a small budget is counted in a second pass: the same counts as with room for all."""
    quantiles = Thresholds(fmr=(0.1, 0.03), grid=Grid(kind=GridKind.QUANTILE, num=4))
    small, large = (audit(spec(thresholds=quantiles, tail_budget=size)).result for size in (1, 10**9))
    assert pick(small, "fmr", group="all", weighting="pooled")
    for item in pick(large, "fmr"):
        if "threshold" not in item.at:
            continue
        where = {"provider": item.provider, "group": item.group, "weighting": item.weighting}
        beside = one(small, "fmr", at=dict(item.at), **where)
        assert (beside.numerator, beside.denominator) == (item.numerator, item.denominator)


def test_a_small_budget_moves_no_number() -> None:
    """Targets and thresholds below the floor have the values and bootstrap intervals of a whole tail, with a note."""
    small, large = (audit(spec(tail_budget=size)).result for size in (1, 10**9))
    assert len(small.estimates) == len(large.estimates)
    for found, whole in zip(small.estimates, large.estimates, strict=True):
        if found.metric == "eer":
            continue
        assert (found.metric, found.at, found.numerator) == (whole.metric, whole.at, whole.numerator)
        assert found.value == whole.value or found.value == pytest.approx(whole.value, rel=1e-12)
        for one_way, other in zip(found.intervals, whole.intervals, strict=True):
            assert one_way.method == other.method
            if (
                other.n_resamples is None
            ):  # Wilson borrows the dependence from the thresholds that the tail holds
                continue
            assert one_way.low == other.low or one_way.low == pytest.approx(other.low, rel=1e-9)
            assert one_way.high == other.high or one_way.high == pytest.approx(other.high, rel=1e-9)
    assert sum("all pairs were scored again" in note for note in small.notes) == len(
        {item.provider for item in small.estimates}
    )
