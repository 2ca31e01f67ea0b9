from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from small_audits import audit, pick, spec
from web_search import lfw, web_search, write

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.label_cost import BLIND, MODEL, LabelCost, on_truth
from frtaudit.core import AuditResult, Method, Target
from frtaudit.core.spec import AuditSpec, Bootstrap, FailureScore, Grid, Thresholds
from frtaudit.core.spec_values import LabelSource
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import RateSummary, from_bounds
from frtaudit.labelling.settings import How
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.testing.label_study import rate_on_truth

ALPHA = 0.05
SERVICES = {
    "acme": SyntheticService(noise=0.25),
    "bolt": SyntheticService(noise=0.4, scale=1.0),
    "crest": SyntheticService(noise=0.5, failure_rate=0.01),
}
SEARCH = SyntheticQueries(queries=40, faces=(12, 20), twins=0.0, bad=0.08, services=SERVICES)


def made(cohort: SyntheticQueries = SEARCH, **changes: object) -> AuditSpec:
    """An audit of a small synthetic search: rates, and what its labels cost."""
    return spec(
        cohort=cohort,
        protocol=Listed(),
        schemas={},
        analyses={"error_rates": ErrorRates(curve_points=5), "label_cost": LabelCost(truths=100)},
        thresholds=Thresholds(fmr=(0.01, 0.1), grid=Grid()),
        bootstrap=Bootstrap(B=199),
        **changes,
    )


@cache
def result() -> AuditResult:
    """The audit, made once."""
    return audit(made()).result


@cache
def annotated() -> AuditResult:
    """The same search by its annotation."""
    return audit(made(replace(SEARCH, labels=How(source=LabelSource.ANNOTATED)))).result


@pytest.mark.slow
@pytest.mark.parametrize("provider", sorted(SERVICES))
def test_the_cost_is_reported_less_true(provider: str) -> None:
    """At each target: the report's own FNMR less the cost is the rate on true labels; the two kinds add up."""
    for target in (0.01, 0.1):
        own = next(
            e
            for e in pick(result(), "fnmr_at_fmr", provider=provider, group="all", at={"fmr": target})
            if e.weighting == "pooled"
        )
        (true,) = pick(result(), "fnmr_true_labels", provider=provider, at={"fmr": target})
        parts = {
            e.at["of"]: e.value
            for e in pick(result(), "label_cost", provider=provider)
            if (e.at["fmr"], e.at["rate"]) == (target, "fnmr")
        }
        assert own.value - true.value == pytest.approx(parts["all"], abs=1e-12)
        assert parts["left_out"] + parts["wrong"] == pytest.approx(parts["all"], abs=1e-12)


def test_intervals_hold_the_rate_on_annotated_labels() -> None:
    """Of every service at every target; they say for whom and how."""
    for provider in SERVICES:
        for target in (0.01, 0.1):
            (true,) = pick(result(), "fnmr_true_labels", provider=provider, at={"fmr": target})
            (interval,) = true.intervals
            assert (interval.method, interval.target) == (Method.LABELS, Target.POPULATION)
            known = next(
                e
                for e in pick(annotated(), "fnmr_at_fmr", provider=provider, group="all", at={"fmr": target})
                if e.weighting == "pooled"
            )
            assert interval.low <= known.value <= interval.high
            assert interval.low < true.value < interval.high
            assert interval.mc_error > 0


def test_fmr_at_the_reported_threshold_has_its_interval() -> None:
    """It holds the target, by which the threshold was chosen, and the draws' mean."""
    for estimate in pick(result(), "fmr_true_labels"):
        (interval,) = estimate.intervals
        assert interval.low < estimate.value < interval.high
        assert interval.low < float(estimate.at["fmr"]) < interval.high


def test_the_seed_and_the_name_decide() -> None:
    """Another analysis beside it moves no number, and the same audit gives the same numbers."""
    alone = made()
    alone = replace(alone, analyses={"label_cost": alone.analyses["label_cost"]})
    found = [e for e in audit(alone).result.estimates if e.analysis == "label_cost"]
    assert found == [e for e in result().estimates if e.analysis == "label_cost"]


def test_faces_in_doubt_are_counted_once_for_all_services() -> None:
    """Strangers taken for a person, own faces missed, own faces left out; assumptions and blind spots are said."""
    found = {(e.at["end"], e.at["of"]): e.value for e in pick(result(), "labels_in_doubt")}
    assert {of for _, of in found} == {"strangers", "missed", "left_out", "own"}
    assert {e.provider for e in pick(result(), "labels_in_doubt")} == {"every system"}
    assert 300 < found["few", "own"] <= found["many", "own"]
    assert found["few", "strangers"] >= found["many", "strangers"]
    assert {MODEL, BLIND} <= set(result().notes)


def test_failures_as_zeros_count_as_in_the_report() -> None:
    """With failures as the lowest score the cost still is the report's rate less the true one."""
    zero = audit(made(failures=FailureScore.SCORE_ZERO)).result
    (own,) = [
        e
        for e in pick(zero, "fnmr_at_fmr", provider="crest", group="all", at={"fmr": 0.1})
        if e.weighting == "pooled"
    ]
    (true,) = pick(zero, "fnmr_true_labels", provider="crest", at={"fmr": 0.1})
    (whole,) = [
        e
        for e in pick(zero, "label_cost", provider="crest")
        if (e.at["fmr"], e.at["rate"], e.at["of"]) == (0.1, "fnmr", "all")
    ]
    assert own.value - true.value == pytest.approx(whole.value, abs=1e-12)


def test_where_nothing_can_be_drawn_a_note_says_so() -> None:
    """Annotated labels have no cost; a cohort whose subjects are known has none either."""
    notes = [note for note in annotated().notes if note.startswith("label_cost")]
    assert notes == ["label_cost was not made: the labels are annotated"]
    assert not [e for e in annotated().estimates if e.analysis == "label_cost"]
    known = audit(spec(analyses={"label_cost": LabelCost()})).result
    assert "label_cost was not made: the cohort's labels are not estimated" in known.notes


def test_too_few_truths_are_refused() -> None:
    """One line that names the setting."""
    with pytest.raises(SpecError, match=r"analyses.label_cost.truths: found 5; 100 or more|truths"):
        LabelCost(truths=5)
    assert np.isfinite(LabelCost().truths)


@pytest.mark.slow
@pytest.mark.skipif(not lfw().is_dir(), reason="no LFW: set FRTAUDIT_DATA")
def test_intervals_hold_the_rate_on_true_labels_of_real_faces(tmp_path: Path) -> None:
    """LFW as a web search, at FMR 1 %: the interval holds FNMR on the truth for at least four of five models."""
    faces, services, group = web_search(1)
    cohort = Queries(root=str(write(tmp_path, faces, services, group, annotated=False)))
    asked = replace(made(), cohort=cohort, thresholds=Thresholds(fmr=(0.01,)))
    found = audit(replace(asked, analyses={"label_cost": LabelCost(truths=100)})).result
    held = 0
    for service in services:
        (estimate,) = pick(found, "fnmr_true_labels", provider=service.name)
        (interval,) = estimate.intervals
        held += interval.low <= rate_on_truth(faces, service) <= interval.high
    assert held >= 4


@pytest.mark.parametrize("rate", [0.0, 0.002])
def test_fmr_on_true_labels_allows_for_people_who_were_not_sampled(rate: float) -> None:
    """The upper bound is at least the rule of three on pairs of people (FORMULAS 8.18), as that of FMR is."""
    unseen = RateBounds(rate=rate, n_eff=5000.0, degrees=29.0, pair=1 / 435, person=0.001)
    summary = RateSummary(
        value=rate,
        vstat=rate,
        errors=round(5000 * rate),
        trials=5000,
        subjects_with_errors=2,
        replicates={},
        effective_subjects=30.0,
        rule=lambda alpha: from_bounds(unseen, alpha),
        bounds=lambda: unseen,
    )
    true = np.full(200, rate)
    made = on_truth(summary, true, true, ALPHA, moving=False)
    assert made is not None
    assert made.high is not None
    assert made.high >= -np.log(ALPHA / 2) / 435
