"""What is said of a requirement before anything is scored, held against what an audit comes to."""

from dataclasses import replace
from itertools import product

import pytest
from small_audits import CLASSES, audit, spec, whole, whole_spec

from frtaudit.core.findings import Verdict
from frtaudit.core.spec import AuditSpec, Grid, GridKind, RequirementSpec, Thresholds, Weighting
from frtaudit.evaluation.answerable import ESTIMATED, why_not
from frtaudit.evaluation.requirements import JudgementContext, cases_of

RANKED = {"group": CLASSES}
POINTS: tuple[dict[str, float | str], ...] = (
    {},
    {"fmr": 0.1},
    {"fmr": 0.5},
    {"threshold": 0.2},
    {"threshold": 0.25},
    {"fmr": 0.1, "rate": "fmr"},
    {"fmr": 0.1, "rate": "fnmr"},
)


def estimated(requirement: RequirementSpec) -> bool:
    """Whether a whole audit has an estimate that the requirement names, and that may be judged."""
    context = JudgementContext(
        estimates=whole().result.estimates, ranked=RANKED, alpha=0.05, weighting=Weighting.IDENTITY
    )
    return any(case.index is not None for case in cases_of(requirement, context))


@pytest.mark.parametrize("metric", sorted(ESTIMATED))
def test_what_is_said_to_be_estimated_is_and_nothing_else(metric: str) -> None:
    """For each metric, point and group: a reason where a whole audit has no such estimate, and else none."""
    for at, group in product(POINTS, ("all", "each", "x", "max")):
        asked = RequirementSpec(name="r", metric=metric, at=at, group=group, limit=0.1)
        by_construction = metric == "fmr" and at == {"fmr": 0.1} and group == "all"
        wanted = estimated(asked) and not by_construction
        assert (why_not(asked, whole_spec(), RANKED) is None) == wanted, (metric, at, group)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metric": "fnmr", "at": {"fmr": 0.1}}, "fnmr is not estimated at fmr; write metric: fnmr_at_fmr"),
        ({"at": {"fmr": 0.5}}, "FMR 50 % is not a target of the spec; write thresholds.fmr=[0.5]"),
        ({"metric": "accuracy"}, "no analysis of the spec estimates accuracy; write +analyses.accuracy={}"),
        ({"metric": "eer", "group": "each"}, "eer is not estimated for one group; write group: all"),
    ],
)
def test_a_reason_ends_with_what_to_write(changes: dict[str, object], said: str) -> None:
    """The line names what is missing, and what is written in its place."""
    asked = {"name": "r", "metric": "fnmr_at_fmr", "limit": 0.1, **changes}
    assert why_not(RequirementSpec(**asked), spec(), RANKED) == said  # type: ignore[arg-type]  # several types


def test_what_a_reason_advises_is_answered() -> None:
    """FNMR at an FMR target, under the metric that is advised, has no reason against it."""
    advised = RequirementSpec(name="r", metric="fnmr_at_fmr", at={"fmr": 0.1}, limit=0.1)
    assert why_not(advised, spec(), RANKED) is None


def test_comparisons_asked_for_far_are_told_what_to_write() -> None:
    """Without transactions a limit on FAR names the cohort and FMR; with them FAR and FRR stand at a threshold."""
    asked = [
        RequirementSpec(name="r", metric=name, limit=0.1, at={"threshold": 0.2}) for name in ("far", "frr")
    ]
    said = why_not(asked[0], whole_spec(), RANKED) or ""
    assert said.endswith(
        "write cohort=attempts or protocol=transactions with +analyses.transactions={}, or metric: fmr or fnmr"
    )
    made = whole_spec()
    counted = replace(made, analyses={**made.analyses, "transactions": None})
    assert [why_not(one, counted, RANKED) for one in asked] == [None, None]


def test_a_declared_threshold_needs_a_grid_that_holds_it() -> None:
    """A grid that comes of the scores seldom has it: nothing is estimated there, and the keys that help are named."""
    asked = RequirementSpec(name="r", metric="fnmr", at={"threshold": 0.4}, limit=0.1)
    spec = AuditSpec(name="a", cohort=None, protocol=None, analyses={"error_rates": None})
    reason = why_not(asked, spec, {})
    assert reason is not None
    assert reason.endswith("write thresholds.grid.kind=explicit thresholds.grid.values=[0.4]")
    several = [asked, replace(asked, name="s", at={"threshold": 0.31})]
    some = replace(spec, thresholds=Thresholds(grid=Grid(kind=GridKind.EXPLICIT, values=(0.31,))))
    assert (why_not(asked, some, {}) or "").endswith("write thresholds.grid.values=[0.31,0.4]")
    both = replace(some, thresholds=Thresholds(grid=Grid(kind=GridKind.EXPLICIT, values=(0.31, 0.4))))
    assert [why_not(each, both, {}) for each in several] == [None, None]


def test_transactions_that_are_counted_are_not_called_comparisons() -> None:
    """A threshold at which none are estimated is the reason then; without the analysis, that these are comparisons."""
    asked = RequirementSpec(
        name="r", metric="far", at={"threshold": 0.4}, limit=0.1, minimum={"transactions": 1}
    )
    context = JudgementContext(estimates=(), ranked={}, alpha=0.05, weighting=Weighting.POOLED)
    for has, said in ((False, "this audit counts comparisons"), (True, "None")):
        (case,) = cases_of(asked, replace(context, has_transactions=has))
        assert said in str(case.reason)


@pytest.mark.parametrize(
    ("metric", "group", "is_chosen"),
    [("far", "all", True), ("gfar", "all", True), ("far", "each", False), ("frr", "all", False)],
)
def test_far_of_everybody_at_its_own_target_is_met_by_construction(
    metric: str, group: str, is_chosen: bool
) -> None:
    """As FMR is: its threshold is chosen to meet it, and check says so before the run."""
    asked = RequirementSpec(name="r", metric=metric, at={"far": 0.01}, limit=0.1, group=group)
    audited = AuditSpec(
        name="a", cohort=None, protocol=None, analyses={"transactions": None, "error_rates": None}
    )
    reason = why_not(asked, audited, {"sex": ("f", "m")})
    assert ("chosen to meet it" in str(reason)) == is_chosen


def test_a_metric_that_no_analysis_of_the_spec_declares_is_not_testable() -> None:
    """A metric of a plug-in is known by its analysis: without it the line says what to write."""

    class Halves:
        metrics = ("half_total",)

    asked = RequirementSpec(name="r", metric="half_total", at={}, limit=0.1)
    reason = why_not(asked, spec("error_rates"), RANKED)
    assert reason is not None
    assert reason.startswith("no analysis of the spec estimates half_total; write +analyses.NAME={}")
    known = replace(spec("error_rates"), analyses={"halves": Halves()})
    assert why_not(asked, known, RANKED) is None


def test_an_audit_says_why_a_requirement_is_not_estimated() -> None:
    """The finding has the reason and what to write, which written gives a finding at that point."""
    asked = RequirementSpec(name="r", metric="fmr", at={"threshold": 0.2}, limit=0.1)
    (finding,) = audit(spec(requirements=(asked,), thresholds=Thresholds(fmr=(0.1,)))).result.findings
    assert finding.verdict is Verdict.NOT_TESTABLE
    assert finding.sentence == (
        "FMR cannot be tested against the limit of at most 10 %: a grid of kind fmr_decades is set "
        "from the scores and may not contain threshold 0.2; "
        "write thresholds.grid.kind=explicit thresholds.grid.values=[0.2]."
    )
    grid = Grid(kind=GridKind.EXPLICIT, values=(0.2,))
    advised = spec(requirements=(asked,), thresholds=Thresholds(fmr=(0.1,), grid=grid))
    assert {finding.estimate is None for finding in audit(advised).result.findings} == {False}
