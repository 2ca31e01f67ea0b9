"""How many subjects would decide an inconclusive finding, and under which condition."""

from dataclasses import replace

import pytest
from report_fixture import interval, result

from frtaudit.core import Method, Target, Verdict
from frtaudit.core.canonical import entries, mapping
from frtaudit.core.result import AuditResult
from frtaudit.evaluation.subjects_needed import subjects_for_distance
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, deciding, verdicts
from frtaudit.report.source import Source


def undecided(low: float, high: float) -> AuditResult:
    """A result whose one finding is an inconclusive limit of 1 on the largest of three distances, estimated as 1.7."""
    made = result()
    place = next(n for n, item in enumerate(made.estimates) if item.metric == "d_l2" and item.group == "max")
    largest = made.estimates[place]
    wide = replace(interval(1.7, 0.4, Method.VERTEX_GAUSSIAN, Target.POPULATION), low=low, high=high)
    estimates = list(made.estimates)
    estimates[place] = replace(largest, intervals=(wide,))
    (open_,) = [item for item in made.findings if item.verdict is Verdict.INCONCLUSIVE]
    finding = replace(open_, estimate=f"/estimates/{place}", limit=1.0, bound_level=0.95, family=2)
    return replace(made, estimates=tuple(estimates), findings=(finding,))


def text_of(made: AuditResult) -> str:
    """The sentence on what is inconclusive."""
    source = Source(made)
    lines = [plain_text(text) for text in answer.sentences(source, verdicts.all_finding_rows(source))]
    (line,) = [line for line in lines if line.startswith("Inconclusive")]
    return line


def test_page_one_says_how_many_subjects_would_decide_a_distance() -> None:
    """All subjects of the cohort, with an error divided among the findings and the classes chosen from."""
    made = undecided(0.9, 2.2)
    needed = subjects_for_distance(
        1.7,
        1.0,
        (0.9, 2.2),
        level=0.95,
        errors=(0.05, 0.05 / 2 / 3),
        subjects=float(str(made.cohort["subjects"])),
    )
    assert needed is not None
    assert f" (about {needed:,.0f} subjects in all are needed). {deciding.OF_DISTANCES}" in text_of(made)


def test_a_bound_on_both_sides_takes_more_subjects() -> None:
    """Half of the error is on each side: their number grows by the square of z."""
    made = result()
    (unclear,) = [finding for finding in made.findings if finding.verdict is Verdict.INCONCLUSIVE]
    made = replace(made, findings=(unclear,))
    asked = [dict(mapping(each)) for each in entries(made.spec["requirements"])]
    numbers = []
    for sided in ("one_sided", "two_sided"):
        requirements = [{**each, "sided": sided} for each in asked]
        source = Source(replace(made, spec={**made.spec, "requirements": requirements}))
        (row,) = verdicts.all_finding_rows(source)
        record = verdicts.record_of(source, unclear)
        assert record is not None
        numbers.append(deciding.subjects(source, row, record))
    assert None not in numbers
    assert 1.2 < (numbers[1] or 0.0) / (numbers[0] or 1.0) < 1.6


def test_a_lower_bound_of_zero_gives_no_number_of_subjects() -> None:
    """Where the lower bound is cut off at 0, the variance is not known from it, and nothing is projected."""
    assert "subjects" not in text_of(undecided(0.0, 2.2)).casefold()


@pytest.mark.parametrize(
    ("metric", "condition"), [("d_l2", deciding.OF_DISTANCES), ("fta", deciding.OF_RATES)]
)
def test_the_condition_names_what_is_projected(metric: str, condition: str) -> None:
    """A rate's number is based on its effective sample size, a distance's on its variance."""
    record = next(record for record in Source(result()).records if record.estimate.metric == metric)
    assert deciding.condition(record) == condition
