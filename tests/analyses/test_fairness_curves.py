import json
from dataclasses import replace
from functools import cache

import numpy as np
import oracles_bands as slow
import pytest
from small_audits import interval, put, spec

import frtaudit
from frtaudit.analyses.fairness_curves import FairnessCurves
from frtaudit.core import AuditResult, Curve, Target
from frtaudit.core.result_schema import result_schema
from frtaudit.core.spec import AuditSpec, Plan
from frtaudit.evaluation.system import POOLED, WEIGHTINGS, SystemData
from frtaudit.pipeline.audit import audit
from frtaudit.stats.groups.differentials import RateIndex

SMALL = ("cohort.subjects=60", "cohort.concentration=[60.0,90.0]", "bootstrap.B=80", "threads=1")
SMALL = (*SMALL, "thresholds.fmr=[0.1,0.01]", "thresholds.curve.per_decade=4")


@cache
def small_spec(weighting: str = "identity") -> AuditSpec:
    """The shipped audit, made small."""
    return frtaudit.load_spec(["audit=similarity_uncertainty", *SMALL, f"weighting={weighting}"])


@cache
def result(weighting: str = "identity") -> AuditResult:
    """What the small audit finds."""
    return audit(small_spec(weighting)).result


@cache
def system(weighting: str = "identity") -> SystemData:
    """The same system audited: the replicates behind the curves."""
    return put(small_spec(weighting), "synthetic")


def fairness(weighting: str = "identity") -> list[Curve]:
    """The fairness curves of the small audit."""
    return [item for item in result(weighting).curves if item.analysis == "fairness"]


def groups_at(on: SystemData, rate: str, w: int, a: int) -> tuple[list[float], list[float], np.ndarray]:
    """Rates, V-statistics and image replicates (B, G) of the three classes at a target, straight from the engine."""
    rates, drawn = on.rates[w], on.replicates[Plan.IMAGES]
    if rate == "fmr":
        table = rates.fmr if w == POOLED else rates.far
        value = table[a, 1:].tolist()
        return value, value, drawn.fmr[w, :, a, 1:]
    table, bar = (rates.fnmr, rates.fnmr_bar) if w == POOLED else (rates.frr, rates.frr_bar)
    return table[a, 1:].tolist(), bar[a, 1:].tolist(), drawn.fnmr[w, :, a, 1:]


def enough(on: SystemData, rate: str, w: int, a: int) -> bool:
    """Ten errors of ten people in every class, counted by the rule's residuals."""
    threshold = float(on.operating_points.at_target[w, a])
    find = on.rule.fnmr_residuals if rate == "fnmr" else on.rule.fmr_residuals
    found = [find(threshold, group_index, WEIGHTINGS[w]) for group_index in (1, 2, 3)]
    return all(item.errors >= 10 and item.subjects_with_errors >= 10 for item in found)


@pytest.mark.parametrize("weighting", ["identity", "pooled"])
def test_all_eight_metrics_are_there_with_every_band(weighting: str) -> None:
    """Eight metrics: a naive, a recentered and a Gaussian band for fixed identities each, in the primary weighting."""
    made = [(item.metric, item.rate, item.method.value) for item in fairness(weighting) if item.method]
    wanted = [
        (kind.value, rate, method)
        for rate in ("fnmr", "fmr")
        for kind in RateIndex
        for method in ("naive", "recentered", "gaussian")
    ]
    assert made == wanted
    assert {item.weighting for item in fairness(weighting)} == {weighting}
    assert {item.target for item in fairness(weighting)} == {Target.FIXED_IDENTITIES}


@pytest.mark.parametrize("weighting", ["identity", "pooled"])
def test_values_and_bands_are_those_of_the_formulas(weighting: str) -> None:
    """Every value, bound and uncertainty is worked out again in plain Python from the engine's group rates.

    Bounds stand exactly where every class has ten errors of ten people and the replicates allow an interval.
    """
    on = system(weighting)
    w = [item.value for item in WEIGHTINGS].index(weighting)
    bounds = 0
    for curve in fairness(weighting):
        assert curve.metric is not None
        assert curve.rate is not None
        assert curve.low is not None
        assert curve.high is not None
        assert curve.method is not None
        for x, y, low, high in zip(curve.x, curve.y, curve.low, curve.high, strict=True):
            a = on.operating_points.targets.index(x)
            value, bar, drawn = groups_at(on, curve.rate, w, a)
            stat, vstat = slow.index(curve.metric, value), slow.index(curve.metric, bar)
            assert y == pytest.approx(stat, rel=1e-9, abs=1e-12, nan_ok=True)
            replicates = [slow.index(curve.metric, one) for one in drawn.tolist()]
            known = np.isfinite(replicates).all() and np.isfinite(vstat)
            if not enough(on, curve.rate, w, a):
                assert np.isnan([low, high]).all()
            elif known:
                expected = slow.interval(curve.method.value, replicates, stat, vstat, 0.05)
                assert (low, high) == pytest.approx(expected, rel=1e-9, abs=1e-9)
                bounds += 1
    assert bounds > 100


def test_uncertainty_of_every_metric_is_sd_over_value() -> None:
    """Normalized uncertainty of the ROC and of the eight metrics: sd(gap)/value from the replicates, else a gap."""
    on = system()
    found = [item for item in result().curves if item.analysis == "normalized_uncertainty"]
    assert len({(item.metric, item.rate) for item in found}) == 9
    seen = 0
    for curve in found:
        if curve.metric == "roc" or curve.metric is None or curve.rate is None:
            continue
        for x, y in zip(curve.x, curve.y, strict=True):
            a = on.operating_points.targets.index(x)
            value, _, drawn = groups_at(on, curve.rate, 1, a)
            replicates = [slow.index(curve.metric, one) for one in drawn.tolist()]
            if enough(on, curve.rate, 1, a) and np.isfinite(replicates).all():
                assert y == pytest.approx(np.std(replicates, ddof=1) / slow.index(curve.metric, value))
                seen += 1
            else:
                assert np.isnan(y)
    assert seen > 30


def in_percent(text: str) -> float:
    """The rate that a text of percent says."""
    assert text.endswith(" %"), text
    return float(text.removesuffix(" %")) / 100


def test_gaps_say_why() -> None:
    """Every point without a finite value or without bounds is covered by a note of its curve."""
    missing = 0
    for curve in fairness():
        assert curve.low is not None
        gaps = [x for x, y, low in zip(curve.x, curve.y, curve.low, strict=True) if not np.isfinite(y + low)]
        spans = [note.removeprefix("FMR ").partition(": ")[0].split(" to ") for note in curve.notes]
        ranges = [(in_percent(item[0]), in_percent(item[-1])) for item in spans]
        missing += len(gaps)
        for x in gaps:
            assert any(low * (1 - 5e-3) <= x <= high * (1 + 5e-3) for low, high in ranges), (x, curve.notes)
    assert missing


def test_a_gap_names_the_class_as_it_is_printed() -> None:
    """By its label, as tables do: Cedar, whose name in the spec is cedar."""
    notes = [note for curve in fairness() for note in curve.notes]
    named = {note.partition("no band: ")[2].partition(" has ")[0] for note in notes if " has fewer" in note}
    assert named
    assert named <= {"Amber", "Birch", "Cedar"}


def test_curves_reach_the_resolution_and_no_further() -> None:
    """The grid goes down to the last tenth of a decade at which five false matches are expected (FORMULAS 8.4)."""
    on = system()
    smallest, total = on.operating_points.targets[0], int(on.trials.non_mated[0])
    assert smallest * total >= 5 * (1 - 1e-9)
    assert smallest * 10 ** (-1 / 4) * total < 5


def test_the_result_is_small_and_valid() -> None:
    """The result obeys its JSON Schema, survives JSON, and its new curves take less than 150 kB."""
    jsonschema = pytest.importorskip("jsonschema")
    plain = json.loads(result().to_bytes())
    schema = result_schema({"type": "object"})
    jsonschema.validate(plain, schema)
    assert AuditResult.from_json(plain) == result()
    new = [item for item in plain["curves"] if item["analysis"] not in ("roc", "det", "fmr", "fnmr")]
    assert len(json.dumps(new)) < 150_000


def test_without_wanted_bands_the_metric_stands_alone() -> None:
    """Where the spec wants no interval for fixed identities, the curve has no band; without classes there is none."""
    on = put(spec(intervals=(interval("vertex", "population"),)), "two")
    found = FairnessCurves().estimates(on, 0.05).curves
    assert len(found) == 8
    assert all(item.low is None and item.method is None for item in found)
    bare = put(spec(schemas={}), "two")
    assert FairnessCurves().estimates(bare, 0.05).curves == ()


def test_adding_the_analyses_moves_no_other_number() -> None:
    """The estimates are those of the same audit without the two new analyses."""
    made = small_spec()
    few = {name: item for name, item in made.analyses.items() if name not in ("roc_bands", "fairness_curves")}
    assert audit(replace(made, analyses=few)).result.estimates == result().estimates
