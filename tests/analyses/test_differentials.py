import math
from dataclasses import replace

import numpy as np
import pytest
from small_audits import CLASSES, SCHEMAS, TARGETS, B, audit, one, pick, plain, put, spec, whole

from frtaudit.analyses.differentials import Differentials
from frtaudit.core import Method
from frtaudit.core.spec import Thresholds
from frtaudit.errors import SpecError

THRESHOLDS = Thresholds(fmr=(0.3,))


def rates(rate: str, target: float) -> list[float]:
    """Pooled rates of both classes at the global threshold, by counting."""
    threshold = plain().threshold(target)
    return [errors / trials for errors, trials in (plain().rate(rate, threshold, code) for code in (0, 1))]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rate", ["fmr", "fnmr"])
def test_simple_indices_of_the_group_rates(target: float, rate: str) -> None:
    """max/min, max over geometric mean, sum of absolute log ratios and Gini of the two classes' plain rates."""
    a, b = rates(rate, target)
    middle = math.sqrt(a * b)
    expected = {
        "max_min": max(a, b) / min(a, b),
        "max_geomean": max(a, b) / middle,
        "log_geomean": abs(math.log10(a / middle)) + abs(math.log10(b / middle)),
        "gini": abs(a - b) / (a + b),
    }
    for kind, value in expected.items():
        where = {
            "provider": "one",
            "schema": "group",
            "weighting": "pooled",
            "at": {"fmr": target, "rate": rate},
        }
        found = one(whole().result, kind, **where)
        assert found.value == pytest.approx(value, rel=1e-9)
        assert (found.group, found.numerator, found.unit) == ("all", None, "index")


@pytest.mark.parametrize("target", TARGETS)
def test_composite_indices_of_both_rates(target: float) -> None:
    """FDR, inequity rate and GARBE of the two classes' plain rates, FMR weighing half."""
    (m0, m1), (n0, n1) = rates("fmr", target), rates("fnmr", target)
    ratio = [max(pair) / min(pair) for pair in ((m0, m1), (n0, n1))]
    gini = [abs(pair[0] - pair[1]) / sum(pair) for pair in ((m0, m1), (n0, n1))]
    expected = {
        "fdr": 1 - (abs(m0 - m1) + abs(n0 - n1)) / 2,
        "inequity_rate": math.sqrt(ratio[0] * ratio[1]),
        "garbe": sum(gini) / 2,
    }
    for kind, value in expected.items():
        where = {
            "provider": "one",
            "schema": "group",
            "weighting": "pooled",
            "at": {"fmr": target, "weight": 0.5},
        }
        assert one(whole().result, kind, **where).value == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_the_strictest_groups_threshold(target: float) -> None:
    """At the max-group threshold the larger class FMR meets the target, and one score lower it does not."""
    at = {"fmr": target, "threshold_of": "max_group", "schema": "group"}
    where = {"provider": "one", "at": at}
    found = one(whole().result, "threshold_at_fmr", group="max", weighting="pooled", **where)
    made = plain()
    scores = np.unique(made.score[~made.mated])
    place = int(np.abs(scores - found.value).argmin())

    def largest(threshold: float) -> float:
        return max(
            errors / trials for errors, trials in (made.rate("fmr", threshold, code) for code in (0, 1))
        )

    assert largest(scores[place]) <= target < largest(scores[place - 1])
    for group, code in (("all", None), ("x", 0), ("y", 1)):
        rate = one(whole().result, "fnmr_at_fmr", group=group, weighting="pooled", **where)
        assert (rate.numerator, rate.denominator) == made.rate("fnmr", scores[place], code)
        assert rate.schema == (None if code is None else "group")


def test_thin_groups_keep_the_index_and_lose_the_intervals() -> None:
    """Below 10 errors or 10 subjects with errors the index stands; every interval is null and names the thin group."""
    thin = [
        item for item in pick(whole().result, "max_min", at={"rate": "fnmr"}) if item.intervals[0].low is None
    ]
    assert thin
    for item in thin:
        assert item.value is not None
        notes = {made.note for made in item.intervals}
        assert len(notes) == 1
        assert "a comparison of groups needs 10 errors of 10 subjects in each" in (notes.pop() or "")


def test_a_thin_group_is_called_by_its_label() -> None:
    """The reason why groups cannot be compared names the group as the report prints it."""
    schemas = {"group": replace(SCHEMAS["group"], labels=tuple(f"Class {name}" for name in CLASSES))}
    system = put(spec("differentials", schemas=schemas, thresholds=Thresholds(fmr=(0.01,))), "two")
    made = Differentials().estimates(system, 0.05).estimates
    notes = {item.test.note for item in made if item.test is not None and item.test.p is None}
    assert notes
    assert all((note or "").startswith("Class ") for note in notes)


def test_intervals_of_an_index() -> None:
    """Recentered for these identities, simultaneous for the population, which never goes below an index's least."""
    result = audit(spec("differentials", thresholds=THRESHOLDS)).result
    full = [item for item in result.estimates if item.unit == "index" and item.intervals[0].low is not None]
    assert len(full) > 10
    least = {"max_min": 1, "max_geomean": 1, "inequity_rate": 1}
    for item in full:
        assert [made.method for made in item.intervals] == [Method.RECENTERED, Method.MAX_T]
        population = item.intervals[1]
        assert population.low is not None
        if item.metric != "fdr":
            assert population.low >= least.get(item.metric, 0) - 1e-12


def test_no_replicates_no_population_interval() -> None:
    """With image replicates only, an index keeps its interval for these identities and says what the other needs."""
    from frtaudit.core.spec import Bootstrap, Plan

    made = spec("differentials", thresholds=THRESHOLDS, bootstrap=Bootstrap(B=39, plans=(Plan.IMAGES,)))
    items = [
        item
        for item in audit(made).result.estimates
        if item.unit == "index" and item.intervals[0].low is not None
    ]
    assert items
    assert {item.intervals[1].note for item in items} == {"needs subject replicates"}


def test_the_weight_of_the_composites() -> None:
    """With weight 1 the composites are those of FMR alone."""
    made = replace(
        spec("differentials", thresholds=THRESHOLDS), analyses={"differentials": Differentials(weight=1.0)}
    )
    result = audit(made).result
    where = {"provider": "two", "weighting": "pooled"}
    ratio = one(result, "max_min", at={"fmr": 0.3, "rate": "fmr"}, **where).value
    gini = one(result, "gini", at={"fmr": 0.3, "rate": "fmr"}, **where).value
    at = {"fmr": 0.3, "weight": 1.0}
    assert one(result, "inequity_rate", at=at, **where).value == pytest.approx(ratio)
    assert one(result, "garbe", at=at, **where).value == pytest.approx(gini)


def test_an_unresolved_group_is_refused_alone() -> None:
    """Where a class cannot resolve the target its max-group threshold is null and names the smallest target."""
    result = audit(spec("differentials", thresholds=Thresholds(fmr=(0.005,)))).result
    for item in pick(result, "threshold_at_fmr", group="max"):
        assert item.value is None
        assert "the smallest target allowed is" in (item.note or "")
        assert any(f"group {name}:" in (item.note or "") for name in CLASSES)
    assert all(item.value is None for item in pick(result, "fnmr_at_fmr", at={"threshold_of": "max_group"}))
    assert all(item.value is not None for item in pick(result, "max_min", at={"rate": "fnmr"}))


@pytest.mark.usefixtures("one_pass")
def test_a_small_tail_refuses_the_indices() -> None:
    """Where the threshold lies below the kept tail every index is null with a note."""
    result = audit(spec("differentials", tail_budget=1)).result
    assert result.estimates
    assert {item.value for item in result.estimates} == {None}
    assert all("floor of the kept tail" in (item.note or "") for item in result.estimates)


def test_one_sided_bounds_of_an_index_keep_alpha() -> None:
    """An index folds two directions into one: each bound alone errs with alpha in the interval of level 1 - alpha."""
    system = put(spec("differentials", thresholds=THRESHOLDS), "two")
    alpha = system.spec.bootstrap.alpha
    made = [item for found in Differentials().estimates(system, alpha).estimates for item in found.intervals]
    full = [item for item in made if item.method is Method.MAX_T and item.low is not None]
    assert full
    for item in full:
        assert item.one_sided is not None
        assert item.one_sided(alpha) == item
        assert item.mc_error is not None
        assert item.mc_error > 0


def test_every_index_is_tested_or_says_why_not() -> None:
    """Each index that stands has a test: a p value with its null and what was detectable, or the reason for none."""
    result = audit(spec("differentials", thresholds=THRESHOLDS)).result
    tests = [item.test for item in result.estimates if item.unit == "index" and item.value is not None]
    assert tests
    assert None not in tests
    testable = [test for test in tests if test is not None and test.p is not None]
    for test in testable:
        assert test.n_resamples == B
        assert test.null_median is not None
        assert test.detectable is None or test.detectable > 1
        assert test.note is None or "unadjusted p" in test.note
    thin = [test for test in tests if test is not None and test.p is None]
    assert all(
        "a comparison of groups needs 10 errors of 10 subjects in each" in (test.note or "") for test in thin
    )
    assert testable


def test_a_schema_that_is_not_the_stratum_is_said() -> None:
    """Where subjects were drawn among everybody, the test of a schema says so."""
    from frtaudit.core.spec import Bootstrap

    made = spec("differentials", thresholds=THRESHOLDS, bootstrap=Bootstrap(B=B, stratify="none"))
    notes = [item.test.note for item in audit(made).result.estimates if item.test and item.test.p is not None]
    assert notes
    assert all(
        "subjects were resampled among all subjects, not within group" in (note or "") for note in notes
    )


def test_renaming_or_reordering_groups_moves_nothing() -> None:
    """With the classes listed the other way round every index and every test is the same, but for rounding."""
    from frtaudit.core.spec import SchemaSpec

    turned = {"group": SchemaSpec(column="group", classes=("y", "x"))}
    first, second = (
        audit(spec("differentials", thresholds=THRESHOLDS, schemas=schemas)).result.estimates
        for schemas in (SCHEMAS, turned)
    )
    others = {(item.provider, item.metric, item.weighting, item.at.get("rate")): item for item in second}
    checked = 0
    for item in (found for found in first if found.unit == "index"):
        other = others[item.provider, item.metric, item.weighting, item.at.get("rate")]
        assert item.value == pytest.approx(other.value, rel=1e-12)
        assert item.test is not None
        assert other.test is not None
        if item.test.p is not None:
            for name in ("p", "null_median", "null_edge", "detectable"):
                assert getattr(item.test, name) == pytest.approx(getattr(other.test, name), rel=1e-9)
            checked += 1
    assert checked


@pytest.mark.parametrize("weight", [-0.1, 1.5, math.nan])
def test_the_weight_is_a_share(weight: float) -> None:
    """A weight outside 0..1 is a usage error."""
    with pytest.raises(
        SpecError, match=r"^analyses\.differentials\.weight: found .*; accepted: a number from 0 to 1$"
    ):
        Differentials(weight=weight)
