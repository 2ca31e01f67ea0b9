from dataclasses import replace

import numpy as np
import pytest
from small_audits import CLASSES, TARGETS, B, audit, one, pick, plain, put, spec, system_of, whole

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.core import Method
from frtaudit.core.spec import Thresholds
from frtaudit.errors import SpecError

SYSTEMS = ("one", "two")
GROUPS = [(None, "all", None), ("group", "x", 0), ("group", "y", 1)]


@pytest.mark.parametrize("provider", SYSTEMS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_pooled_threshold_is_the_plain_one(provider: str, target: float) -> None:
    """threshold_at_fmr is the smallest score at which FMR is at most the target, and the score below breaks it."""
    found = one(
        whole().result,
        "threshold_at_fmr",
        provider=provider,
        weighting="pooled",
        group="all",
        at={"fmr": target},
    )
    made = plain(provider)
    assert found.value == pytest.approx(made.threshold(target), abs=2e-7)
    errors, trials = made.rate("fmr", made.threshold(target))
    assert errors <= target * trials
    lower = made.score[~made.mated]
    lower = lower[lower < made.threshold(target)].max()
    assert made.rate("fmr", lower)[0] > target * trials


@pytest.mark.parametrize("provider", SYSTEMS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_identity_threshold_is_attained(provider: str, target: float) -> None:
    """At the identity-weighted threshold the mean share over pairs of subjects meets the target, just below not."""
    found = one(
        whole().result,
        "threshold_at_fmr",
        provider=provider,
        weighting="identity",
        group="all",
        at={"fmr": target},
    )
    made = plain(provider)
    scores = np.unique(made.score[~made.mated])
    at = int(np.abs(scores - found.value).argmin())
    assert scores[at] == pytest.approx(found.value, abs=2e-7)
    assert made.identity("fmr", scores[at]) <= target + 1e-12
    assert made.identity("fmr", scores[at - 1]) > target


@pytest.mark.parametrize("provider", SYSTEMS)
@pytest.mark.parametrize(("schema", "group", "code"), GROUPS)
def test_rates_at_thresholds_are_counted(
    provider: str, schema: str | None, group: str, code: int | None
) -> None:
    """FMR and FNMR at each fixed threshold, of everybody and within each group, both weightings, by plain counting."""
    made = plain(provider)
    for threshold in (0.1, 0.2, 0.3):
        at = {"threshold": threshold}
        for rate in ("fmr", "fnmr"):
            where = {"provider": provider, "schema": schema, "group": group, "at": at}
            pooled = one(whole().result, rate, weighting="pooled", **where)
            errors, trials = made.rate(rate, threshold, code)
            assert (pooled.numerator, pooled.denominator) == (errors, trials)
            assert pooled.value == errors / trials
            weighted = one(whole().result, rate, weighting="identity", **where)
            assert weighted.value == pytest.approx(made.identity(rate, threshold, code), rel=1e-12)
            assert (weighted.numerator, weighted.denominator) == (errors, trials)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("schema", "group", "code"), GROUPS)
def test_fnmr_at_fmr_is_the_rate_at_the_global_threshold(
    target: float, schema: str | None, group: str, code: int | None
) -> None:
    """Groups are read at the threshold of everybody; their own FMR there stands beside."""
    made = plain()
    threshold = made.threshold(target)
    where = {
        "provider": "one",
        "schema": schema,
        "group": group,
        "weighting": "pooled",
        "at": {"fmr": target},
    }
    found = one(whole().result, "fnmr_at_fmr", analysis="error_rates", **where)
    assert (found.numerator, found.denominator) == made.rate("fnmr", threshold, code)
    beside = one(whole().result, "fmr", analysis="error_rates", **where)
    assert (beside.numerator, beside.denominator) == made.rate("fmr", threshold, code)


def test_counts_of_groups_add_up() -> None:
    """Mated errors and trials of the classes add up to those of everybody; non-mated ones to no more."""
    for item in pick(whole().result, "fnmr", group="all", weighting="pooled"):
        parts = [
            one(
                whole().result,
                "fnmr",
                provider=item.provider,
                group=name,
                weighting="pooled",
                at=dict(item.at),
            )
            for name in CLASSES
        ]
        assert sum(part.numerator or 0 for part in parts) == item.numerator
        assert sum(part.denominator or 0 for part in parts) == item.denominator
    for item in pick(whole().result, "fmr", group="all", weighting="pooled"):
        parts = [
            one(
                whole().result,
                "fmr",
                provider=item.provider,
                group=name,
                weighting="pooled",
                at=dict(item.at),
            )
            for name in CLASSES
        ]
        assert sum(part.denominator or 0 for part in parts) < (item.denominator or 0)


@pytest.mark.parametrize("provider", SYSTEMS)
def test_eer_by_trying_every_score(provider: str) -> None:
    """The EER is half the sum of the rates where they differ least, at the smallest such score."""
    made = plain(provider)
    tried = []
    for threshold in np.unique(made.score):
        (fm, n), (fnm, m) = made.rate("fmr", threshold), made.rate("fnmr", threshold)
        tried.append((abs(fm / n - fnm / m), threshold, (fm / n + fnm / m) / 2))
    _, threshold, value = min(tried)
    found = pick(whole().result, "eer", provider=provider, analysis="error_rates")
    assert [item.value for item in found] == [pytest.approx(value, rel=1e-12)]
    assert found[0].note == f"at threshold {threshold:.6g}"


def test_curves_are_the_rates() -> None:
    """Every point of the FMR and FNMR curves is the plain rate there, and DET is one over the other."""
    made = plain()
    curves = {
        (item.analysis, item.group): item
        for item in whole().result.curves
        if item.provider == "one" and item.analysis in ("fmr", "fnmr", "det")
    }
    assert len(curves) == 9
    for _, group, code in GROUPS:
        fmr, fnmr, det = (curves[kind, group] for kind in ("fmr", "fnmr", "det"))
        assert fmr.x == fnmr.x
        assert (det.x, det.y) == (fmr.y, fnmr.y)
        known = np.unique(made.score)
        for threshold, match, non_match in zip(fmr.x, fmr.y, fnmr.y, strict=True):
            near = np.abs(known - threshold)
            exact = float(known[near.argmin()]) if near.min() < 2e-7 else threshold
            errors, trials = made.rate("fmr", exact, code)
            assert match == pytest.approx(errors / trials, abs=1e-12)
            errors, trials = made.rate("fnmr", exact, code)
            assert non_match == pytest.approx(errors / trials, abs=1e-12)


def test_percentile_bounds_are_the_replicates_quantiles() -> None:
    """The vertex interval at a fixed threshold is the type-7 quantiles of the B replicates beside the result."""
    system = system_of()
    drawn = system.replicates[next(plan for plan in system.replicates if plan.value == "subjects")]
    point = len(system.operating_points.targets) + 2
    found = one(
        whole().result, "fnmr", provider="one", group="all", weighting="identity", at={"threshold": 0.3}
    )
    (vertex,) = [item for item in found.intervals if item.method is Method.VERTEX]
    values = drawn.fnmr[1, :, point, 0]
    assert vertex.n_resamples == len(values) == B
    assert (vertex.low, vertex.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_a_threshold_has_the_inverted_interval_first() -> None:
    """A threshold is no rate and has no counts; the interval of FMR, inverted, stands before replicates of t*."""
    for item in pick(whole().result, "threshold_at_fmr", group="all"):
        assert (item.numerator, item.denominator, item.unit) == (None, None, "score")
        assert [made.method.value for made in item.intervals] == ["wilson", "vertex", "recentered"]
        for made in item.intervals[:2]:
            assert made.low is not None
            assert made.high is not None
            assert made.low <= (item.value or 0) <= made.high


def test_fmr_at_its_own_target_has_no_bootstrap_interval() -> None:
    """FMR of everybody at the threshold chosen for it keeps only Wilson's interval; groups keep replicates (8.13)."""
    for item in pick(whole().result, "fmr", analysis="error_rates"):
        if set(item.at) != {"fmr"}:
            continue
        wilson, *drawn = item.intervals
        assert wilson.low is not None
        by_construction = ["meets the target in every replicate" in (made.note or "") for made in drawn]
        assert by_construction == [item.group == "all"] * 2


def test_an_unresolved_provider_is_refused_with_a_note() -> None:
    """A target that one provider's comparisons cannot resolve is null there and says so; another provider's stands."""
    result = audit(spec(thresholds=Thresholds(fmr=(0.1, 0.002)))).result
    for metric in ("threshold_at_fmr", "fnmr_at_fmr", "fmr"):
        for item in pick(result, metric, provider="one", at={"fmr": 0.002}):
            assert (item.value, item.numerator, item.intervals) == (None, None, ())
            assert "the smallest target allowed is 0.00257" in (item.note or "")
        assert all(item.value is not None for item in pick(result, metric, provider="two", at={"fmr": 0.002}))
        assert all(item.value is not None for item in pick(result, metric, provider="one", at={"fmr": 0.1}))
    assert "two: only 5.65 false matches are expected at FMR 0.002" in result.notes


@pytest.mark.usefixtures("one_pass")
def test_a_small_tail_counts_without_replicates() -> None:
    """Thresholds below the floor of a small tail keep counts and Wilson intervals; replicates are null with a note."""
    small, large = (audit(spec(tail_budget=size)).result for size in (1, 10**9))
    for rate in ("fmr", "fnmr"):
        for item in pick(large, rate, at={"threshold": 0.2}):
            where = {"provider": item.provider, "group": item.group, "weighting": item.weighting}
            beside = one(small, rate, at=dict(item.at), **where)
            assert (beside.numerator, beside.denominator) == (item.numerator, item.denominator)
            assert beside.value == pytest.approx(item.value, rel=1e-12)
            wilson = [made for made in beside.intervals if made.method is Method.WILSON]
            assert [made.low is not None for made in wilson] == [True]
            if rate == "fmr":
                others = [made for made in beside.intervals if made.method is not Method.WILSON]
                assert others
                assert all(made.low is None and made.note for made in others)
    for item in pick(small, "fnmr_at_fmr"):
        assert item.value is None
        assert item.note == "the threshold lies below the floor of the kept tail"
    for item in pick(small, "eer"):
        assert item.value is None
        assert item.note == "it lies below the floor of the kept tail"


def test_without_mated_pairs_there_is_no_fnmr() -> None:
    """One sample per subject: FNMR and EER are null with a note, FMR stands."""
    single = replace(spec().cohort, samples_per_subject=(1, 1))
    result = audit(spec(cohort=single, thresholds=Thresholds(fmr=(0.1,), grid=spec().thresholds.grid))).result
    assert {item.value for item in pick(result, "fnmr")} == {None}
    assert {item.note for item in pick(result, "fnmr")} == {"no comparison in this group"}
    assert {item.value for item in pick(result, "eer")} == {None}
    assert all(item.value is not None for item in pick(result, "fmr", group="all"))


def test_trials_stand_where_they_should() -> None:
    """A system is read at targets first, then thresholds, and its data say where each threshold came from."""
    points = put(spec(), "two").operating_points
    assert points.thresholds == (0.1, 0.2, 0.3)
    assert [points.targets[a] for a in points.declared] == sorted(TARGETS)
    assert len(points.origin) == 3


def test_a_curve_has_points() -> None:
    """Fewer than two points of a curve are a usage error."""
    with pytest.raises(
        SpecError, match=r"^analyses\.error_rates\.curve_points: found 0; accepted: 2 or more$"
    ):
        ErrorRates(curve_points=0)
