"""Ratios of classes' rates to the overall rate, by counting; a profile that asks for them, on real faces."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from small_audits import B, plain, system_of

from frtaudit.analyses.ratio_to_overall import RatioToOverall
from frtaudit.config.load import load_spec
from frtaudit.core import Estimate, Verdict
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.contradictions import contradiction, unfounded
from frtaudit.pipeline.audit import audit
from frtaudit.report.sections import profiles
from frtaudit.report.source import Source
from frtaudit.stats.intervals.overall_ratio import ratio_to_overall

AT = 0.1
CLASSES = ("x", "y")


@cache
def found() -> tuple[Estimate, ...]:
    """All ratios of the small audit's first system."""
    return RatioToOverall().estimates(system_of(), 0.05).estimates


def ratio(rate: str, group: int, weighting: str, **at: float) -> Estimate:
    """One of them."""
    names = [name for _, name in system_of().classes("group")]
    (estimate,) = [
        one
        for one in found()
        if (one.group, one.weighting) == (names[group], weighting) and one.at == {**at, "rate": rate}
    ]
    return estimate


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize("rate", ["fmr", "fnmr"])
def test_a_ratio_is_the_quotient_of_two_counted_rates(rate: str, code: int) -> None:
    """Pooled and by identity, at a fixed threshold and at an FMR target: the class's rate over that of everybody."""
    threshold = plain().threshold(AT)
    for where, at in ((0.2, {"threshold": 0.2}), (threshold, {"fmr": AT})):
        own, everybody = (plain().rate(rate, where, group) for group in (code, None))
        expected = (own[0] / own[1]) / (everybody[0] / everybody[1])
        assert ratio(rate, code, "pooled", **at).value == pytest.approx(expected, rel=1e-9)
    alike = plain().identity(rate, 0.2, code) / plain().identity(rate, 0.2)
    assert ratio(rate, code, "identity", threshold=0.2).value == pytest.approx(alike, rel=1e-6)


def test_bounds_and_p_values_agree() -> None:
    """Bounds hold the ratio and widen with the level; p of a limit is the error at which the bound reaches it."""
    for estimate in found():
        if estimate.value is None:
            continue
        (interval,) = estimate.intervals
        assert interval.one_sided is not None
        assert interval.p_value is not None
        bounds = [interval.one_sided(error) for error in (0.2, 0.05, 0.01)]
        for inner, outer in pairwise(bounds):
            assert (
                (outer.low or 0)
                <= (inner.low or 0)
                <= estimate.value
                <= (inner.high or 0)
                <= (outer.high or 0)
            )
        low = bounds[1].low or 0.0
        if low > 0:
            assert interval.p_value(low, "<=") == pytest.approx(0.05, rel=1e-6)


def test_the_variance_is_that_of_every_subject_by_itself() -> None:
    """The variance term by term: FMR, pooled, at a fixed threshold."""
    system, at = system_of(), 0.2
    known = ratio_to_overall(system.rule, "fmr", at, 1, Weighting.POOLED)
    assert known is not None
    scores = plain()
    kind, wrong = ~scores.mated, scores.score > at
    inside = scores.inside(0)
    errors, trials = np.count_nonzero(kind & wrong), np.count_nonzero(kind)
    group = np.count_nonzero(kind & wrong & inside), np.count_nonzero(kind & inside)
    share, squares = group[0] / errors, 0.0
    people = sorted(set(scores.first.tolist()) | set(scores.second.tolist()))
    members = set(scores.first[inside].tolist())
    for k in people:
        touches = kind & ((scores.first == k) | (scores.second == k))
        own = np.count_nonzero(touches & wrong & inside) - group[0] / group[1] * np.count_nonzero(
            touches & inside
        )
        whole = np.count_nonzero(touches & wrong) - errors / trials * np.count_nonzero(touches)
        squares += ((own - share * whole) / errors) ** 2
    fewer = min(len(members), len(people) - len(members))
    variance = fewer / (fewer - 1) * squares
    assert known.value == pytest.approx((group[0] / group[1]) / (errors / trials))
    assert known.bounds.n_eff == pytest.approx(min(errors, share * (1 - share) / variance), rel=1e-9)
    assert known.bounds.degrees == fewer - 1


def test_replicates_only_widen() -> None:
    """At an FMR target the variance of jointly drawn ratios counts where it is larger than that of subjects."""
    system = system_of()
    known = ratio_to_overall(system.rule, "fnmr", 0.2, 1, Weighting.POOLED)
    assert known is not None
    spread = known.value + np.array([-0.9, 0.9]) * known.value
    assert known.moving(spread).bounds.n_eff < known.bounds.n_eff
    assert known.moving(np.full(B, known.value)) == known
    none = replace(known, share=0.0, bounds=replace(known.bounds, rate=0.0))
    assert (
        none.moving(np.array([0.0, 0.0, 0.0, 2.0])).bounds.n_eff < none.bounds.n_eff
    )  # no error in the group


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "testable"),
    [
        ("nist_800_63a_4", {"nist-800-63a-4-fnmr", "nist-800-63a-4-fmr-ratio", "nist-800-63a-4-fnmr-ratio"}),
        (
            "nist_800_63b_4,cc_biopp_2_0_match,cc_biopp_2_0_accept,fido_bcc_level2,vn_sbv_50_2024,android_class",
            {"nist-800-63b-4-fmr-each-group", "nist-800-63b-4-fnmr", "cc-biopp-2-0-fnmr"},
        ),
    ],
)
def test_every_profile_runs_on_real_faces(face_data: Path, names: str, testable: set[str]) -> None:
    """LFW, three systems: each profile has its part of the report, and every finding follows from the estimates."""
    systems = "providers=[dlib_resnet,mobilefacenet_insightface,mobileface_tfjs_weak]"
    overrides = [
        "audit=lfw",
        f"cohort.root={face_data / 'lfw'}",
        systems,
        "analyses=[error_rates]",
        "folds.source=none",
    ]
    spec = load_spec(
        [*overrides, "requirements=[]", f"requirement=[{names}]", "bootstrap.B=1099", "report.checklists=[]"]
    )
    result = audit(spec).result
    assert (contradiction(result), unfounded(result)) == (None, None)
    decided = {
        finding.requirement for finding in result.findings if finding.verdict is not Verdict.NOT_TESTABLE
    }
    assert decided == testable
    view = profiles.build(Source(result))
    assert view is not None
    assert [part.name for part in view] == sorted(names.split(","))
    ratios = [one.value for one in result.estimates if one.metric == "ratio_to_overall"]
    assert all(value is not None and math.isfinite(value) for value in ratios)
