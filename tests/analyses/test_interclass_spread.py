import re
from functools import cache

import numpy as np
import pytest
from small_audits import CLASSES, audit, one, pick, put, spec, system_of

from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.interclass_spread import OF_TWO, InterclassSpread, _Drawing
from frtaudit.core import AuditResult, Method
from frtaudit.core.spec import Thresholds
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import class_scores
from frtaudit.report.source import Source

ANALYSES = {
    "interclass": Interclass(B=99),
    "interclass_spread": InterclassSpread(B=99, shares={"group": {"x": 3, "y": 1}}),
}


@cache
def result() -> AuditResult:
    """The small audit with both analyses."""
    return audit(spec(analyses=ANALYSES)).result


def test_tar_space_and_fmr_axis_have_intervals_and_a_test() -> None:
    """Each class and the largest have an interval for the population, the largest a test, in each space's own unit."""
    units = {"tar": "TAR (0..1) times the root of", "fmr_axis": "decades of the pooled FMR"}
    for space, unit in units.items():
        own = [
            e for e in result().estimates if e.analysis == "interclass_spread" and e.at.get("space") == space
        ]
        single = [e for e in own if e.metric == "d_l2" and e.provider == "one"]
        assert [e.group for e in single] == [*CLASSES, "x|y", "max"]
        assert all(e.unit.startswith(unit) for e in single)
        assert all(any(i.method is Method.VERTEX_GAUSSIAN for i in e.intervals) for e in single)
        assert [e.test is not None for e in single] == [False, False, False, True]
    tar = [e for e in result().estimates if e.at.get("space") == "tar" and e.analysis == "interclass_spread"]
    assert tar[0].intervals[0].method is Method.T_BOOTSTRAP


def test_pairs_of_the_quantile_space_have_an_interval_for_new_people() -> None:
    """In the report the pair's record holds the thesis's interval and the one for the population."""
    (record,) = [
        r
        for r in Source(result()).select("d_l2")
        if (r.estimate.group, r.estimate.provider, dict(r.estimate.at))
        == ("x|y", "one", {"space": "quantile"})
    ]
    assert {b.interval.method for b in record.bounds} == {Method.T_BOOTSTRAP, Method.VERTEX_GAUSSIAN}
    (largest,) = [
        r
        for r in Source(result()).select("d_l2")
        if (r.estimate.group, r.estimate.provider, dict(r.estimate.at)) == ("max", "one", {"space": "tar"})
    ]
    assert largest.estimate.test is not None


def test_declared_shares_weight_overall() -> None:
    """With shares 3:1 of two classes x lies a quarter and y three quarters of their distance from overall."""
    at = {"space": "quantile", "overall": "declared shares"}
    between = one(
        result(), "d_l2", provider="one", group="x|y", analysis="interclass_spread", at={"space": "quantile"}
    )
    for name, share in (("x", 0.25), ("y", 0.75)):
        found = one(result(), "d_l2", provider="one", group=name, at=at)
        assert found.value == pytest.approx(share * between.value, rel=5e-3)


def test_sd_and_worst_to_best() -> None:
    """Over the classes' distances in each space, and over the thesis's upper bounds, which are those of interclass."""
    upper = [
        one(result(), "d_l2", provider="one", group=name, analysis="interclass", at={"space": "quantile"})
        .intervals[0]
        .high
        for name in CLASSES
    ]
    at = {"space": "quantile", "of": "thesis's upper bound"}
    assert max(upper) == pytest.approx(min(upper))
    assert one(result(), "d_l2_ratio", provider="one", at=at).value == 1
    assert one(result(), "d_l2_sd", provider="one", at=at).value == 0
    assert len(pick(result(), "d_l2_sd", provider="one")) == 4
    assert {e.note for e in pick(result(), "d_l2_ratio")} == {OF_TWO}


def test_sd_and_worst_to_best_of_three() -> None:
    """Over three distances: their standard deviation with ddof 0, and the largest over the smallest."""
    system = system_of("one")
    drawing = _Drawing(system=system, held=class_scores(system, "group")[0], alpha=0.05)
    sd, ratio = drawing.indices(np.array([1.0, 2.0, 6.0]), {"space": "quantile"}, "points")
    assert (sd.value, ratio.value) == (pytest.approx(np.std([1, 2, 6])), 6)
    assert sd.note == "a ratio of distances: under equality of the classes it is a ratio of noise"


def test_two_systems_share_their_draws() -> None:
    """The replicates of two systems draw the same people, so that systems can be compared."""
    values = [
        one(result(), "d_l2", provider=name, group="max", analysis="interclass_spread", at={"space": "tar"})
        for name in ("one", "two")
    ]
    assert values[0].test is not None
    assert values[0].test.n_resamples == 199


def test_too_few_non_mated_comparisons_for_the_axis() -> None:
    """Where fewer than five false matches are expected at the ceiling there is no FMR axis, and a note says so."""
    system = put(spec(thresholds=Thresholds(fmr=(0.1,))), "two")
    outcome = InterclassSpread(B=99, ceiling=1e-4).estimates(system, 0.05)
    assert outcome.notes == ("two: too few non-mated comparisons for d_l2 on the FMR axis",)
    assert not [e for e in outcome.estimates if e.at.get("space") == "fmr_axis"]


def test_a_class_of_one_subject_is_said() -> None:
    """No interval for the population can be had of one person: a note instead."""
    from dataclasses import replace

    system = system_of("two")
    tail = system.tail
    codes = system.cohort.classifications["group"].codes[tail.subject_of[tail.mated_i]]
    first = tail.subject_of[tail.mated_i] == tail.subject_of[tail.mated_i][codes == 0][0]
    parts = {
        name: getattr(tail, name)[(codes == 1) | first] for name in ("mated_i", "mated_j", "mated_score")
    }
    outcome = InterclassSpread().estimates(replace(system, tail=replace(tail, **parts)), 0.05)
    assert (outcome.estimates, outcome.notes) == ((), ("two: group x has 1 subject(s): no spread of d_l2",))


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ({"alpha": 2.0}, "analyses.interclass_spread.alpha: found 2; accepted: a number between 0 and 1"),
        ({"ceiling": 0.0}, "analyses.interclass_spread.ceiling: found 0; accepted: a number between 0 and 1"),
        ({"B": 1}, "analyses.interclass_spread.B: found 1; accepted: 2 or more"),
    ],
)
def test_its_numbers_are_checked(field: dict[str, float], line: str) -> None:
    """Numbers that no bootstrap has are usage errors."""
    with pytest.raises(SpecError, match=f"^{re.escape(line)}"):
        InterclassSpread(**field)  # type: ignore[arg-type]  # the point of the test
