import numpy as np
import oracles_bands as slow
import pytest
from scipy import special
from small_audits import B, interval, put, spec

from frtaudit.analyses.roc_bands import RocBands
from frtaudit.core import Curve, Method, Target
from frtaudit.core.spec import CurveGrid, Plan, Reach, Thresholds, Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.over_fmr import read_along
from frtaudit.evaluation.system import SystemData

WANTED = (interval("recentered", "fixed_identities"), interval("vertex", "population"))


def system(**changes: object) -> SystemData:
    """A small system, read down to the resolution."""
    grid = CurveGrid(per_decade=6, reach=Reach.RESOLUTION)
    made = {"thresholds": Thresholds(fmr=(0.1,), curve=grid), "intervals": WANTED, **changes}
    return put(spec(**made), "one")


def curves(on: SystemData, analysis: RocBands | None = None) -> dict[tuple[str, Method | None], Curve]:
    """Curves by kind and method."""
    found = (analysis or RocBands()).estimates(on, 0.05).curves
    return {(item.analysis, item.method): item for item in found}


@pytest.mark.parametrize("weighting", Weighting)
def test_the_bands_follow_their_formula(weighting: Weighting) -> None:
    """Both simultaneous bands are 8.10's, worked out in plain Python from the replicates."""
    on = system(weighting=weighting)
    along = read_along(on, "fnmr", weighting, 0)
    usable = [reason is None for reason in along.too_few_errors]
    made = curves(on)
    logit = special.logit(along.value).tolist()
    plain = {
        Method.RECENTERED: slow.simultaneous(
            along.replicates[Plan.IMAGES].tolist(), along.value.tolist(), along.vstat.tolist(), usable, 0.05
        ),
        Method.VERTEX: slow.simultaneous(
            special.logit(along.replicates[Plan.SUBJECTS]).tolist(), logit, logit, usable, 0.05
        ),
    }
    for method, target in ((Method.RECENTERED, Target.FIXED_IDENTITIES), (Method.VERTEX, Target.POPULATION)):
        curve = made["roc_band", method]
        assert (curve.target, curve.simultaneous, curve.level) == (target, True, 0.95)
        assert curve.y == tuple(along.value)
        assert curve.low is not None
        assert curve.high is not None
        carry = special.expit if method is Method.VERTEX else np.asarray
        for low, high, item in zip(curve.low, curve.high, plain[method], strict=True):
            expected = (np.nan, np.nan) if item is None else tuple(carry(item))
            assert (low, high) == pytest.approx(expected, rel=1e-9, nan_ok=True)
        assert any(item is not None for item in plain[method])


def test_the_bundle_holds_the_first_replicates_around_the_v_statistic() -> None:
    """The V-statistic stands below the ROC, with the first replicates of the images beside it to six digits."""
    on = system()
    along = read_along(on, "fnmr", Weighting.IDENTITY, 0)
    found = curves(on, RocBands(replicates=7))["roc_vstat", None]
    assert found.y == tuple(along.vstat)
    assert np.all(np.asarray(found.y) <= along.value)
    assert np.asarray(found.replicates) == pytest.approx(along.replicates[Plan.IMAGES][:7], rel=1e-5)
    assert len(curves(on)["roc_vstat", None].replicates) == min(B, 100)


def test_normalized_uncertainty_is_sd_over_value() -> None:
    """It is sd(gap) with ddof 1 over FNMR, where there are ten errors of ten people."""
    on = system()
    along = read_along(on, "fnmr", Weighting.IDENTITY, 0)
    found = curves(on)["normalized_uncertainty", Method.RECENTERED]
    sd = np.std(along.replicates[Plan.IMAGES] - along.vstat, axis=0, ddof=1)
    enough = [reason is None for reason in along.too_few_errors]
    assert np.asarray(found.y) == pytest.approx(np.where(enough, sd / along.value, np.nan), nan_ok=True)
    assert (found.metric, found.rate) == ("roc", "fnmr")


@pytest.mark.usefixtures("one_pass")
def test_what_was_not_drawn_is_left_out() -> None:
    """Without image replicates only the population band stands, without a threshold nothing."""
    kinds = set(curves(system(intervals=WANTED[1:])))
    assert kinds == {("roc_band", Method.VERTEX)}
    assert not curves(system(tail_budget=1))


def test_a_negative_number_of_curves_is_refused() -> None:
    """The error names the place and what would be accepted."""
    with pytest.raises(SpecError, match=r"analyses\.roc_bands\.replicates: found -1"):
        RocBands(replicates=-1)
