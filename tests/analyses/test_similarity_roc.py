import numpy as np
import pytest
from small_audits import ANALYSES, TARGETS, audit, interval, one, plain, put, spec, whole

from frtaudit.analyses.similarity_roc import SimilarityRoc
from frtaudit.core.spec import Thresholds


def test_the_roc_is_fnmr_at_each_target() -> None:
    """Each point of the pooled ROC is the plain FNMR at the plain threshold of its FMR target."""
    curves = [
        item
        for item in whole().result.curves
        if (item.analysis, item.provider, item.group, item.weighting) == ("roc", "one", "all", "pooled")
    ]
    assert [item.method.value for item in curves if item.method] == ["wilson", "vertex", "recentered"]
    for curve in curves:
        assert set(TARGETS) <= set(curve.x)
        for target, value in zip(curve.x, curve.y, strict=True):
            errors, trials = plain().rate("fnmr", plain().threshold(target))
            assert value == errors / trials


def test_the_band_is_the_intervals() -> None:
    """At a declared target the band of each method is the interval of the estimate there, NaN where withheld."""
    for curve in whole().result.curves:
        if curve.analysis != "roc":
            continue
        where = {"provider": curve.provider, "group": curve.group, "weighting": curve.weighting}
        for target in TARGETS:
            found = one(whole().result, "fnmr_at_fmr", analysis="error_rates", at={"fmr": target}, **where)
            (made,) = [item for item in found.intervals if item.method is curve.method]
            at = curve.x.index(target)
            assert curve.low is not None
            assert curve.high is not None
            low, high = (np.nan, np.nan) if made.low is None else (made.low, made.high)
            assert (curve.low[at], curve.high[at]) == pytest.approx((low, high), nan_ok=True)


def test_curves_rise_as_the_target_falls() -> None:
    """FNMR never rises with the FMR target."""
    rocs = [item for item in whole().result.curves if item.analysis == "roc"]
    assert len(rocs) == 2 * 2 * 3 * 3
    assert all(np.all(np.diff(item.x) > 0) and np.all(np.diff(item.y) <= 0) for item in rocs)


def test_every_wanted_method_has_a_band() -> None:
    """Naive, recentered, Gaussian, vertex, double-or-nothing and two-level bands stand in the wanted order."""
    fixed = [
        ("naive", "fixed_identities"),
        ("recentered", "fixed_identities"),
        ("gaussian", "fixed_identities"),
    ]
    people = [(name, "population") for name in ("vertex", "double_or_nothing", "two_level")]
    wanted = tuple(interval(*item) for item in [*people, *fixed])
    made = spec(intervals=wanted, thresholds=Thresholds(fmr=(0.1,)))
    outcome = SimilarityRoc(groups=False).estimates(put(made, "two"), 0.05)
    shown = [item for item in outcome.curves if item.weighting == "identity"]
    assert [(item.method.value, item.target.value) for item in shown if item.method and item.target] == [
        *people,
        *fixed,
    ]
    assert {item.group for item in outcome.curves} == {"all"}
    assert all(item.low is not None and np.all(np.isfinite(item.low)) for item in shown)


@pytest.mark.usefixtures("one_pass")
def test_no_resolved_target_no_curve() -> None:
    """Where every threshold lies below the kept tail there is no ROC."""
    result = audit(spec("similarity_roc", tail_budget=1)).result
    assert result.curves == ()
    assert ANALYSES["similarity_roc"].estimates(put(spec(), "two"), 0.05).curves
