"""Intervals and their methods, and operating_points, at which rates are read.

tests/analyses/test_identity_check.py tests suspected_duplicates, which has no door of its own.
"""

import re
from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from small_audits import audit, interval, one, pick, plain, put, spec, system_of, whole

from frtaudit.core import Interval, Method, Target
from frtaudit.core.spec import Bootstrap, IntervalSpec, Plan, Weighting
from frtaudit.evaluation import operating_points
from frtaudit.evaluation.intervals import (
    MIN_ERROR_SUBJECTS,
    MIN_ERRORS,
    PLAN_OF,
    RateSummary,
    empty,
    finite,
    intervals_of,
)
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate, read
from frtaudit.stats.intervals.closed_form import wilson_iid
from frtaudit.stats.intervals.wilson import prepare

B_MANY = 199
RNG = np.random.default_rng(3)
DRAWN = {
    plan: RNG.normal(0.3, 0.02, 999)
    for plan in (Plan.IMAGES, Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL)
}
EVERY = tuple(IntervalSpec(method=method, target=method.serves[0]) for method in Method)


def rule(alpha: float) -> Interval:
    return Interval(low=0.2, high=0.4, level=1 - alpha, method=Method.WILSON, target=Target.POPULATION)


def summary(**changes: Any) -> RateSummary:
    fields = {
        "value": 0.3,
        "vstat": 0.25,
        "errors": 30,
        "trials": 100,
        "subjects_with_errors": 20,
        "replicates": DRAWN,
        "rule": rule,
        "variance": 0.004,
    }
    return RateSummary(**{**fields, **changes})


def made(method: str, alpha: float = 0.05, **changes: Any) -> Interval:
    wanted = IntervalSpec(method=Method(method), target=Method(method).serves[0])
    return intervals_of(summary(**changes), [wanted], alpha)[0]


@given(st.permutations(EVERY).map(lambda items: items[:5]), st.booleans())
def test_the_order_is_the_wanted_one(wanted: list[IntervalSpec], thin: bool) -> None:
    """Whatever is withheld, there is one entry for each wanted interval, in order, at the level, for its target."""
    found = intervals_of(summary(errors=3) if thin else summary(), wanted, 0.1)
    assert [(item.method, item.target) for item in found[: len(wanted)]] == [
        (item.method, item.target) for item in wanted
    ]
    assert all(item.level == pytest.approx(0.9) for item in found)
    assert len(found) - len(wanted) in (0, 1)
    assert all(item.method is Method.WILSON for item in found[len(wanted) :])


def test_bounds_of_each_method() -> None:
    """Percentile, naive, recentered, Gaussian and two-level bounds by plain numpy on the replicates."""

    def quantiles(plan: Plan) -> tuple[float, float]:
        low, high = np.quantile(DRAWN[plan], [0.025, 0.975])
        return float(low), float(high)

    def bounds(item: Interval) -> tuple[float, float]:
        assert item.low is not None
        assert item.high is not None
        return item.low, item.high

    assert bounds(made("vertex")) == pytest.approx(quantiles(Plan.SUBJECTS))
    assert bounds(made("double_or_nothing")) == pytest.approx(quantiles(Plan.DOUBLE_OR_NOTHING))
    assert bounds(made("naive")) == pytest.approx(quantiles(Plan.IMAGES))
    assert bounds(made("recentered")) == pytest.approx([0.05 + bound for bound in quantiles(Plan.IMAGES)])
    assert bounds(made("two_level")) == pytest.approx([0.05 + bound for bound in quantiles(Plan.TWO_LEVEL)])
    gaps = DRAWN[Plan.IMAGES] - 0.25
    half = stats.norm.isf(0.025) * gaps.std(ddof=1)
    assert bounds(made("gaussian")) == pytest.approx([0.3 + gaps.mean() - half, 0.3 + gaps.mean() + half])
    assert made("vertex").n_resamples == 999
    assert 0 < (made("vertex").mc_error or 0) < 0.01


@pytest.mark.parametrize("method", ["vertex", "double_or_nothing"])
def test_quantiles_of_a_rate_are_at_most_1(method: str) -> None:
    """Replicates of a rate that rounding of sums leaves above 1 give bounds in [0, 1]; those of an index exceed it."""
    drawn = np.where(np.arange(999) % 2, 1 + 2e-16, 1 - 2e-16)
    bounded = made(method, value=1.0, vstat=1.0, replicates=dict.fromkeys(DRAWN, drawn))
    assert (bounded.low, bounded.high) == (pytest.approx(1.0), 1.0)
    index = made(method, value=1.0, replicates=dict.fromkeys(DRAWN, 2 * drawn + RNG.random(999)), rule=None)
    assert index.low == pytest.approx(2, abs=0.1)
    scores = dict.fromkeys(DRAWN, 66 + RNG.random(999))  # of a threshold, which has a rule too
    threshold = made(method, value=66.5, vstat=66.5, replicates=scores, is_rate=False)
    assert 66 < (threshold.low or 0) < 66.5 < (threshold.high or 0) < 67


def test_published_wilson_intervals() -> None:
    """The i.i.d. interval is Wilson's formula; the plug-in one puts p (1 - p) / variance for the number of trials."""

    def wilson(n: float) -> tuple[float, float]:
        z = stats.norm.isf(0.025)
        centre = (0.3 + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(0.3 * 0.7 / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        return centre - half, centre + half

    iid, plugin = made("wilson_iid"), made("wilson_plugin")
    assert (iid.low, iid.high) == pytest.approx(wilson(100))
    assert (plugin.low, plugin.high) == pytest.approx(wilson(0.3 * 0.7 / 0.004))
    assert (iid.n_eff, plugin.n_eff) == (100, pytest.approx(52.5))


@pytest.mark.parametrize(
    ("errors", "subjects_with_errors"), [(MIN_ERRORS - 1, 9), (50, MIN_ERROR_SUBJECTS - 1)]
)
@pytest.mark.parametrize(
    "method", ["vertex", "recentered", "naive", "gaussian", "double_or_nothing", "two_level"]
)
def test_thin_errors_withhold_replicates(errors: int, subjects_with_errors: int, method: str) -> None:
    """Below 10 errors or 10 subjects with errors the entry stands with nulls and a note, Wilson's beside it (8.3)."""
    wanted = [interval(method, Method(method).serves[0].value)]
    withheld, beside = intervals_of(
        summary(errors=errors, subjects_with_errors=subjects_with_errors), wanted, 0.05
    )
    assert (withheld.low, withheld.high, withheld.method.value) == (None, None, method)
    assert (
        withheld.note
        == f"withheld: {errors} errors of {subjects_with_errors} subjects; a bootstrap needs 10 of 10"
    )
    assert (beside.method, beside.target) == (Method.WILSON, Target.POPULATION)


def test_at_ten_errors_of_ten_subjects_nothing_is_withheld() -> None:
    """The limits themselves are enough, and then no further interval is added."""
    (found,) = intervals_of(
        summary(errors=10, subjects_with_errors=10), [interval("vertex", "population")], 0.05
    )
    assert found.low is not None


def test_wilson_is_not_added_twice() -> None:
    """Where the spec wants Wilson anyway it stands once, in its place."""
    wanted = [interval("wilson", "population"), interval("vertex", "population")]
    assert [item.method for item in intervals_of(summary(errors=2), wanted, 0.05)] == [
        Method.WILSON,
        Method.VERTEX,
    ]


def test_no_wilson_for_what_is_no_rate() -> None:
    """A number without a rule has no Wilson interval of any kind, and none is put beside a withheld one."""
    assert made("wilson", rule=None).note == "Wilson's interval is for rates"
    assert made("wilson_iid", rule=None).note == "Wilson's interval is for rates"
    assert len(intervals_of(summary(rule=None, errors=1), [interval("vertex", "population")], 0.05)) == 1


@pytest.mark.parametrize(
    ("method", "changes", "note"),
    [
        ("vertex", {"replicates": {}}, "no replicates at this point"),
        (
            "vertex",
            {"replicates": {Plan.SUBJECTS: np.full(99, 0.1)}},
            "degenerate: every replicate gives the same value",
        ),
        (
            "vertex",
            {"replicates": {Plan.SUBJECTS: np.full(100, np.nan)}},
            "undefined in 100.0% of the replicates",
        ),
        ("wilson_iid", {"trials": 0}, "no comparison"),
        ("wilson_plugin", {"variance": None}, "the published intervals are for pooled rates"),
        ("t_bootstrap", {}, "this method is not for this metric"),
        ("max_t", {}, "this method is not for this metric"),
        ("naive", {"missing": {Method.NAIVE: "because"}}, "because"),
    ],
)
def test_what_cannot_be_had_says_why(method: str, changes: dict[str, Any], note: str) -> None:
    """An interval that cannot be made has no bounds and its reason."""
    found = made(method, **changes)
    assert (found.low, found.high, found.note) == (None, None, note)


def test_few_undefined_replicates_are_left_out() -> None:
    """Up to two in a hundred undefined replicates are left out of the quantiles; more refuse the interval."""
    values = DRAWN[Plan.SUBJECTS][:100].copy()
    values[:2] = np.nan
    found = made("vertex", replicates={Plan.SUBJECTS: values})
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(values[2:], [0.025, 0.975])))
    values[2] = np.nan
    assert made("vertex", replicates={Plan.SUBJECTS: values}).note == "undefined in 3.0% of the replicates"


def test_an_empty_interval_serves_a_target() -> None:
    """Without a named target an empty interval has its method's own."""
    assert empty(Method.NAIVE, 0.05, "why").target is Target.FIXED_IDENTITIES
    assert (finite(None), finite(float("inf")), finite(1.5)) == (None, None, 1.5)


def place(**changes: Any) -> OperatingPoint:
    fields = {"rate": "fnmr", "weighting": Weighting.POOLED, "group_index": 0, "threshold": 0.3, "point": 0}
    return OperatingPoint(**{**fields, **changes})


def fixed_point(system: Any, threshold: float) -> int:
    return len(system.operating_points.targets) + system.operating_points.thresholds.index(threshold)


@pytest.mark.parametrize("rate", ["fnmr", "fmr"])
def test_a_reading_is_the_plain_rate(rate: str) -> None:
    """Value, counts, subjects with errors and the published variance of FORMULAS 2 by plain loops over the scores."""
    system, scores = system_of(), plain()
    found = read(system, place(rate=rate, threshold=0.2, point=fixed_point(system, 0.2)))
    kind = scores.mated if rate == "fnmr" else ~scores.mated
    wrong = (scores.score <= 0.2) if rate == "fnmr" else (scores.score > 0.2)
    bad = kind & wrong
    p = bad.sum() / kind.sum()
    assert (found.errors, found.trials) == (bad.sum(), kind.sum())
    assert found.value == pytest.approx(p)
    assert found.subjects_with_errors == len(set(scores.first[bad]) | set(scores.second[bad]))
    blocks: dict[tuple[int, int], float] = {}
    for a, b, error in zip(scores.first[kind], scores.second[kind], wrong[kind], strict=True):
        blocks[a, b] = blocks.get((a, b), 0.0) + error - p
    if rate == "fnmr":
        total = sum(value**2 for value in blocks.values())
    else:
        of_subject = [sum(value for pair, value in blocks.items() if k in pair) for k in range(24)]
        total = sum(value**2 for value in of_subject) - sum(value**2 for value in blocks.values())
        total = max(total, sum(value**2 for value in blocks.values()))
    assert found.variance == pytest.approx(total / kind.sum() ** 2)


def test_the_v_statistic_of_a_reading() -> None:
    """FNMRbar = sum (1 - 1/n_k) errors_k over pairs, FRRbar = mean of (1 - 1/n_k) FRR_k; FMR is its own."""
    system, scores = system_of(), plain()
    point = fixed_point(system, 0.3)
    samples = np.bincount(scores.subject, minlength=24)
    pooled, people, pairs = 0.0, [], 0
    for k in np.flatnonzero(samples >= 2):
        own = scores.score[scores.mated & (scores.first == k)]
        pooled += (1 - 1 / samples[k]) * (own <= 0.3).sum()
        people.append((1 - 1 / samples[k]) * (own <= 0.3).mean())
        pairs += len(own)
    assert read(system, place(point=point)).vstat == pytest.approx(pooled / pairs)
    assert read(system, place(point=point, weighting=Weighting.IDENTITY)).vstat == pytest.approx(
        np.mean(people)
    )
    fmr = read(system, place(point=point, rate="fmr"))
    assert fmr.vstat == fmr.value


def test_wilson_at_a_target_rests_on_moving_thresholds() -> None:
    """FNMR at an FMR target: n_eff is p (1 - p) over the variance of the vertex replicates, t* drawn anew (8.2)."""
    found = one(
        whole().result, "fnmr_at_fmr", provider="two", group="all", weighting="pooled", at={"fmr": 0.1}
    )
    (wilson,) = [item for item in found.intervals if item.method is Method.WILSON]
    system = system_of("two")
    drawn = system.replicates[Plan.SUBJECTS].fnmr[0, :, system.operating_points.targets.index(0.1), 0]
    assert wilson.n_eff == pytest.approx(
        min(found.value * (1 - found.value) / drawn.var(ddof=1), found.denominator)
    )
    assert wilson.n_resamples == drawn.size


def test_identity_rates_have_no_published_interval() -> None:
    """The published plug-in intervals are for pooled rates only, and say so beside identity-weighted ones."""
    wanted = (interval("wilson_plugin", "population"), interval("wilson_iid", "comparisons_iid"))
    result = audit(spec(intervals=wanted)).result
    for item in pick(result, "fnmr", at={"threshold": 0.2}, group="all"):
        assert [made.low is None for made in item.intervals] == [item.weighting == "identity"] * 2


def test_small_groups_have_no_double_or_nothing() -> None:
    """Below 10 subjects in a group double-or-nothing is refused with its reason."""
    small = replace(spec().cohort, subjects=16)
    made_spec = spec(cohort=small, intervals=(interval("double_or_nothing", "population"),))
    result = audit(made_spec).result
    for item in pick(result, "fnmr", schema="group"):
        assert item.intervals[0].note == "needs 10 subjects in the group"


def test_without_subject_replicates_wilson_stands_on_its_rule() -> None:
    """With image replicates only, Wilson at a target uses FORMULAS 8.1 instead of vertex replicates."""
    made_spec = spec(bootstrap=Bootstrap(B=39, plans=(Plan.IMAGES,)))
    result = audit(made_spec).result
    found = one(result, "fnmr_at_fmr", provider="two", group="all", weighting="pooled", at={"fmr": 0.1})
    wilson, vertex, recentered = found.intervals
    assert (wilson.low is None, wilson.n_resamples) == (False, None)
    assert vertex.note == "no replicates at this point"
    assert recentered.low is not None


def test_a_group_without_comparisons_has_no_rate() -> None:
    """A rate over no comparison is null with counts of zero and a note."""
    system = system_of()
    none = replace(
        system.tail,
        mated_i=system.tail.mated_i[:0],
        mated_j=system.tail.mated_j[:0],
        mated_score=system.tail.mated_score[:0],
    )
    empty_system = replace(system, tail=none, rule=prepare(none, system.groups, [0.3]), replicates={})
    where = place(point=fixed_point(system, 0.3))
    found = rate_estimate(empty_system, "a", "fnmr", None, "all", {"threshold": 0.3}, where, 0.05)
    assert (found.value, found.numerator, found.denominator, found.note) == (
        None,
        0,
        0,
        "no comparison in this group",
    )


@pytest.mark.parametrize("order", list(permutations(("vertex", "wilson_iid", "naive")))[:3])
def test_an_audit_keeps_the_specs_order(order: tuple[str, ...]) -> None:
    """Methods and targets stand in the result in the order of the spec, and only those plans are drawn."""
    wanted = tuple(interval(name, Method(name).serves[0].value) for name in order)
    system = put(spec(intervals=wanted), "two")
    assert set(system.replicates) == {PLAN_OF[Method(name)] for name in order if Method(name) in PLAN_OF}
    at = place(point=fixed_point(system, 0.3), weighting=Weighting.IDENTITY)
    found = rate_estimate(system, "a", "fnmr", None, "all", {}, at, 0.05)
    assert tuple(item.method.value for item in found.intervals) == order


def test_few_subjects_by_weight_have_no_percentile_interval() -> None:
    """Where one person holds most comparisons vertex is withheld with a note, and the rule of 8.1 stands in."""
    summary = RateSummary(
        value=0.1,
        vstat=0.1,
        errors=40,
        trials=400,
        subjects_with_errors=30,
        replicates={Plan.SUBJECTS: np.linspace(0.05, 0.15, 99)},
        effective_subjects=19.9,
        rule=rule,
    )
    wanted = (interval("vertex", "population"),)
    withheld, instead = intervals_of(summary, wanted, 0.05)
    assert withheld.low is None
    assert "by weight these are 19.9 subjects" in (withheld.note or "")
    assert instead.method is Method.WILSON
    (printed,) = intervals_of(replace(summary, effective_subjects=20.0), wanted, 0.05)
    assert printed.low is not None


@pytest.mark.parametrize("weighting", [Weighting.POOLED, Weighting.IDENTITY])
def test_fmr_at_its_own_target_has_no_bootstrap(weighting: Weighting) -> None:
    """With t* drawn anew FMR* is the target by construction: only Wilson's interval stands for the true FMR (8.13)."""
    at = {"fmr": 0.1}
    found = one(whole().result, "fmr", provider="two", group="all", weighting=weighting.value, at=at)
    wilson, vertex, recentered = found.intervals
    assert wilson.low is not None
    assert (vertex.low, recentered.low) == (None, None)
    assert "FMR* says nothing" in (vertex.note or "")
    threshold = one(
        whole().result, "threshold_at_fmr", provider="two", group="all", weighting=weighting.value, at=at
    )
    assert all(item.low is not None for item in threshold.intervals)


def test_wilson_at_a_target_has_a_monte_carlo_error() -> None:
    """Its bounds come from replicates: the error is about what other replicates of the same B would move them by."""
    bounds, errors = [], []
    for seed in range(12):
        system = put(spec(bootstrap=Bootstrap(B=B_MANY, plans=(Plan.SUBJECTS,))), "two")
        drawn = system.replicates[Plan.SUBJECTS]
        picked = np.random.default_rng(seed).integers(0, B_MANY, B_MANY)
        moved = replace(drawn, fnmr=drawn.fnmr[:, picked])
        at = system.operating_points.targets.index(0.1)
        where = place(threshold=float(system.operating_points.at_target[0, at]), point=at)
        made = read(replace(system, replicates={Plan.SUBJECTS: moved}), where).rule
        assert made is not None
        bounds.append(made(0.05).high)
        errors.append(made(0.05).mc_error)
    assert 0.4 < np.std(bounds) / np.mean(errors) < 2


def test_undefined_replicates_hold_the_threshold() -> None:
    """Where more than 2 % of the replicates have no threshold, Wilson's interval holds it fixed and says so."""
    system = system_of("two")
    drawn = system.replicates[Plan.SUBJECTS]
    lost = drawn.fnmr.copy()
    lost[:, ::10] = np.nan
    at = system.operating_points.targets.index(0.1)
    where = place(threshold=float(system.operating_points.at_target[0, at]), point=at)
    rule_of = read(replace(system, replicates={Plan.SUBJECTS: replace(drawn, fnmr=lost)}), where).rule
    assert rule_of is not None
    assert "held fixed" in (rule_of(0.05).note or "")
    assert rule_of(0.05).n_resamples is None


def test_a_table_never_holds_the_threshold_in_one_group_alone() -> None:
    """A group without an error, or without a rate in some replicates, moves as the others do (FORMULAS 8.21)."""
    system = system_of("two")
    drawn = system.replicates[Plan.SUBJECTS]
    at = system.operating_points.targets.index(0.1)
    none = float(system.tail.mated_score.min()) - 1.0
    here = place(threshold=none, point=at, group_index=1)
    moved = drawn.fnmr.copy()
    moved[0, :, at, 1] = np.where(np.arange(drawn.fnmr.shape[1]) % 2, 0.6, 0.0)
    moved[0, ::10, at, 1] = np.nan
    held = replace(system, rule=prepare(system.tail, system.groups, [none]))
    given = replace(held, replicates={Plan.SUBJECTS: replace(drawn, fnmr=moved)})
    alone, wide = (read(one, here).rule for one in (replace(held, replicates={}), given))
    assert alone is not None
    assert wide is not None
    known = moved[0, np.isfinite(moved[0, :, at, 1]), at, 1]
    mean = known.mean()
    assert wide(0.05).n_eff == pytest.approx(mean * (1 - mean) / known.var(ddof=1))
    assert wide(0.05).high > alone(0.05).high
    assert "held fixed" in (alone(0.05).note or "")
    assert "held fixed" not in (wide(0.05).note or "")


def test_one_subject_alone_is_in_the_singular() -> None:
    """The other extreme of one subject, and of two."""
    for subjects, alone in ((1, "1 subject alone"), (2, "2 subjects alone")):
        ruled: Any = SimpleNamespace(subjects=subjects, errors=0, trials=3)
        text = operating_points._extremes(ruled, 0.05, ends=1)
        assert text is not None
        assert text.endswith(f"% for {alone}")


@pytest.mark.parametrize(
    ("bias", "text"), [(-2.93e-5, "−0.00293 %"), (3.89e-4, "+0.0389 %"), (-2e-9, "< 0.0001 %")]
)
def test_a_bias_is_printed_in_the_unit_of_its_rate(
    bias: float, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Percent beside a rate in percent, however small: footnotes of one table have one unit."""
    monkeypatch.setattr(operating_points, "_moving", lambda *given: given[-1])
    residuals: Any = SimpleNamespace(rate=0.02)
    note = operating_points._of_strictest(residuals, np.full(9, 0.02 + bias), 0.05)
    assert note == f"bias of the estimate, by the replicates: {text}"


def test_no_error_names_both_extremes() -> None:
    """At no error the i.i.d. upper bound and the one on disjoint pairs of subjects stand beside the rule's (8.1)."""
    system = system_of("two")
    top = replace(system, rule=prepare(system.tail, system.groups, [0.9999]))
    rule_of = read(top, place(rate="fmr", threshold=0.9999, point=fixed_point(system, 0.3))).rule
    assert rule_of is not None
    found = rule_of(0.05)
    assert found.low == 0.0
    assert found.note is not None
    extremes = re.search(
        r"bound is (\S+) % for independent comparisons, (\S+) % for 12 disjoint pairs of subjects alone",
        found.note,
    )
    assert extremes is not None
    trials = int(system.trials.non_mated[0])
    assert [float(one) / 100 for one in extremes.groups()] == pytest.approx(
        [wilson_iid(0, trials, 0.05).high, wilson_iid(0, 12, 0.05).high], rel=5e-3
    )


def test_few_images_are_noted_where_images_are_resampled() -> None:
    """Below four of a subject on average the image bootstrap is too narrow; others say nothing of it."""
    for images, noted in ((1.05, True), (3.4, True), (3.9, False), (None, False)):
        made = intervals_of(summary(images=images), EVERY, 0.05)
        told = {
            item.method for item in made if item.note is not None and item.note.startswith("too narrow: ")
        }
        assert told == ({Method.NAIVE, Method.RECENTERED, Method.GAUSSIAN} if noted else set())
    system = system_of("one")
    images = system.tail.n_samples[system.tail.n_samples > 0]
    assert operating_points.images_of(system) == images.mean()
    inside = system.rule.spread.member[1] & (system.tail.n_samples > 0)
    assert operating_points.images_of(system, 1) == system.tail.n_samples[inside].mean()
    assert operating_points.images_of(replace(system, replicates={})) is None
