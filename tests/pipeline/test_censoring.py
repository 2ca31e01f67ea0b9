"""One audit of a synthetic web search in which each service hides something: what is refused, and what is said."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from small_audits import one, pick, put

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.failures import Failures
from frtaudit.analyses.vendor_comparison import VendorComparison
from frtaudit.core import AuditResult, CohortData
from frtaudit.core.spec import AuditSpec, Bootstrap, FailureScore, Grid, GridKind, Report, Thresholds
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.labelling.settings import Between, How
from frtaudit.pipeline.audit import audit
from frtaudit.stats.rates.censoring import Censoring

LABELLING = ("plain", "coarse", "floored", "topped")
SERVICES = {
    "plain": SyntheticService(noise=0.25),
    "coarse": SyntheticService(noise=0.3, levels=21),
    "floored": SyntheticService(noise=0.3, floor=56.0),
    "topped": SyntheticService(noise=0.3, ceiling=64.0),
    "half": SyntheticService(noise=0.3, failure_rate=0.5),
}
COHORT = SyntheticQueries(
    queries=24,
    faces=(10, 16),
    twins=0.0,
    bad=0.0,
    services=SERVICES,
    between=Between.ALL,
    labels=How(services=LABELLING),
)
TARGETS = (0.4, 0.12, 0.05, 0.004)
FIXED = (50.0, 60.0, 70.0)


@cache
def cohort_data() -> CohortData:
    """The search, labelled."""
    return COHORT.load({}, 7)


def spec(**changes: Any) -> AuditSpec:
    """The audit, with other fields changed."""
    made = AuditSpec(
        name="clipped",
        seed=7,
        cohort=COHORT,
        protocol=Listed(),
        analyses={
            "error_rates": ErrorRates(curve_points=20),
            "failures": Failures(),
            "vendor_comparison": VendorComparison(),
        },
        thresholds=Thresholds(fmr=TARGETS, grid=Grid(kind=GridKind.EXPLICIT, values=FIXED)),
        bootstrap=Bootstrap(B=99),
        threads=1,
        report=Report(date="2026-01-02", sign=False),
    )
    return replace(made, **changes)


@cache
def result() -> AuditResult:
    """What the audit found."""
    return audit(spec()).result


def non_mated(name: str) -> np.ndarray:
    """A service's non-mated scores."""
    comparisons, table = cohort_data().tables[name]
    return table.score[~comparisons.mated & (table.failure < 0)]


def refusals(name: str) -> dict[float, str | None]:
    """FMR target to why FNMR is refused there, pooled."""
    found = pick(result(), "fnmr_at_fmr", provider=name, group="all", weighting="pooled")
    return {float(item.at["fmr"]): item.note if item.value is None else None for item in found}


def test_a_service_that_hides_nothing_has_every_number() -> None:
    """No target, threshold or sentence of the service with whole scores is touched."""
    assert set(refusals("plain").values()) == {None}
    assert not [note for note in result().notes if note.startswith("plain: ")]


def test_targets_in_the_floor_are_refused_and_said() -> None:
    """At a floor of 56 FMR 0.4 has no threshold; the smaller targets have, and the report names the floor."""
    scores = non_mated("floored")
    assert np.mean(scores > 56) < 0.4
    found = refusals("floored")
    assert str(found[0.4]).startswith("FMR 0.4 lies in the floor: ")
    assert (found[0.05], found[0.004]) == (None, None)
    said = next(note for note in result().notes if note.startswith("floored: "))
    assert (
        f"{100 * np.mean(scores == 56):.3g} % of non-mated comparisons have the least score, 56: a floor"
        in said
    )


def test_targets_in_the_ceiling_are_refused_and_said() -> None:
    """At a ceiling of 64 FMR 0.004 would need a threshold above it; FMR 0.05 has one."""
    assert np.mean(non_mated("topped") == 64) > 0.004
    found = refusals("topped")
    assert str(found[0.004]).startswith("FMR 0.004 lies in the ceiling: ")
    assert (found[0.4], found[0.05]) == (None, None)
    assert any("the highest score, 64: a ceiling" in note for note in result().notes)


def test_fixed_thresholds_beyond_the_scores_are_refused() -> None:
    """FMR 1 below a floor and FMR 0 above a ceiling are no findings; between them the rates stand."""
    for name, beyond in (("floored", 50.0), ("topped", 70.0)):
        for threshold in FIXED:
            for metric in ("fmr", "fnmr"):
                found = one(
                    result(),
                    metric,
                    provider=name,
                    weighting="pooled",
                    group="all",
                    at={"threshold": threshold},
                )
                assert (found.value is None) == (threshold == beyond)
                assert threshold != beyond or str(found.note).startswith("refused: the threshold ")


def test_steps_that_miss_a_target_are_refused_or_said() -> None:
    """Of 21 levels none is near enough to some target: it is refused, or the rate that it stands for is said."""
    scores = non_mated("coarse")
    found = refusals("coarse")
    for target in TARGETS:
        threshold = np.sort(scores)[::-1][int(target * scores.size)]
        realised = float(np.mean(scores > threshold)) / target
        assert (found[target] is not None) == (realised < 0.5)
        text = f"coarse: the scores come in steps: FNMR at FMR {target:g} is that at FMR"
        assert any(note.startswith(text) for note in result().notes) == (0.5 <= realised < 0.9)
    assert any(reason is not None and "between two steps" in reason for reason in found.values())
    assert any(note.startswith("coarse: the scores take ") for note in result().notes)


def test_a_refused_target_has_no_threshold_and_no_rate_anywhere() -> None:
    """Threshold, FMR, FNMR of every group and FRR say the same reason; no number is left beside it."""
    reason = refusals("topped")[0.004]
    found = [item for item in result().estimates if item.provider == "topped" and item.at.get("fmr") == 0.004]
    assert {item.metric for item in found} >= {"threshold_at_fmr", "fmr", "fnmr_at_fmr", "frr"}
    assert all(item.value is None and item.note == reason for item in found if item.weighting == "pooled")


def test_a_service_that_fails_on_half_the_faces_is_said_and_judged() -> None:
    """It labels none, its failures are counted, its rates are of what it compared, and the report says so."""
    assert set(refusals("half").values()) == {None}
    (said,) = [note for note in result().notes if note.startswith("half failed on ")]
    assert "it labels none" in said
    assert any(
        entry.provider == "half" and entry.code == "face_not_scored_within_its_query"
        for entry in result().failures
    )


def test_systems_are_not_compared_where_one_hides_its_threshold() -> None:
    """A comparison of vendors at FMR 0.004 would rank a service by a ceiling: no value, and whose ceiling it is."""
    found = pick(result(), "vendor_value", at={"fmr": 0.004})
    assert found
    assert all(item.value is None for item in found)
    assert all("ceiling: " in str(item.note) or "steps" in str(item.note) for item in found)
    assert any(item.value is not None for item in pick(result(), "vendor_value", at={"fmr": 0.12}))


def test_a_score_given_to_failures_is_no_floor() -> None:
    """Where the spec scores failures as the lowest score, that pile is the spec's doing and refuses nothing."""
    made = spec(
        failures=FailureScore.SCORE_ZERO,
        bootstrap=Bootstrap(B=39),
        thresholds=Thresholds(fmr=(0.05,)),
        cohort=replace(COHORT, between=Between.MATCHED),
    )
    system = put(made, "half")
    assert system.tail.mated_score.min() == system.tail.score_range[0]
    assert system.censoring == Censoring()
    assert not system.hidden
