"""Tests of frtaudit.report.sections.data_warnings."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core import AuditResult, Estimate, Verdict
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections.data_warnings import warnings
from frtaudit.report.source import Source

PAIR = Estimate(
    provider="northgate", analysis="robustness", metric="heaviest_pair", schema=None, group="all",
    weighting="identity", at={"fmr": 0.001}, value=0.22, numerator=11, denominator=50, unit="share of the rate",
)  # fmt: skip


def warnings_of(*estimates: Estimate, **changes: object) -> list[str]:
    """The warnings of the synthetic result with these estimates beside its own."""
    base = result()
    found: AuditResult = replace(base, estimates=(*base.estimates, *estimates), **changes)  # type: ignore[arg-type]
    return [plain_text(text) for text in warnings(Source(found))]


def test_a_result_without_any_of_it_warns_of_nothing() -> None:
    """No heavy pair, no suspected duplicate, enough people."""
    assert warnings_of() == []


def test_many_numbers_as_classes_are_said() -> None:
    """Of the result's counts, so that a result of an earlier version has the same bytes."""
    cohort = {**result().cohort, "schemas": {"age": {"groups": [{"group": str(age)} for age in range(30)]}}}
    spec = {**result().spec, "schemas": {"age": {"column": "age"}}}
    said = "schemas.age: each number in column 'age' is a class; to make ranges of them, add bins: {edges: [...]}."
    assert said in map(plain_text, warnings(Source(replace(result(), cohort=cohort, spec=spec))))
    declared = {**spec, "schemas": {"age": {"column": "age", "classes": ["1", "2"]}}}
    assert said not in map(plain_text, warnings(Source(replace(result(), cohort=cohort, spec=declared))))


@pytest.mark.parametrize(
    ("value", "errors", "warned"), [(0.1, 2, True), (0.099, 20, False), (0.5, 1, False), (None, None, False)]
)
def test_a_heavy_pair_has_a_tenth_by_two_false_matches(
    value: float | None, errors: int | None, warned: bool
) -> None:
    """A tenth of FMR, by two false matches at least."""
    found = warnings_of(
        replace(PAIR, value=value, numerator=errors, denominator=errors and 50, note="a note")
    )
    assert bool(found) is warned


def test_each_system_names_the_target_with_the_heaviest_pair() -> None:
    """Of two targets the one at which the pair has more."""
    (warning,) = warnings_of(PAIR, replace(PAIR, at={"fmr": 0.0001}, value=0.6, numerator=3, denominator=5))
    assert warning.startswith("northgate: one pair of subjects has 60.0 % of FMR at FMR 0.01 %")


def test_few_false_matches_at_the_main_target_are_said_of_each_system() -> None:
    """Systems with the same number share a sentence; a note on another target stays in the list of notes."""
    notes = (
        "northgate: only 8.66 false matches are expected at FMR 0.001",
        "quill_2: only 8.66 false matches are expected at FMR 0.001",
        "quill_2: only 0.9 false matches are expected at FMR 0.0001",
    )
    (warning,) = warnings_of(notes=notes)
    assert warning == "northgate and quill_2: only 8.66 false matches are expected at FMR 0.1 %."


def test_too_few_people_is_said_once() -> None:
    """However many findings are not testable because of too few people."""
    base = result()
    few = replace(
        base.findings[0], verdict=Verdict.NOT_TESTABLE, bound=None, bound_level=None,
        sentence="FMR is not testable: too few subjects. Without any false match 246 subjects or more are needed.",
    )  # fmt: skip
    (warning,) = warnings_of(findings=(few, few))
    assert "many subjects are needed" in warning


def failing(value: float, verdict: Verdict = Verdict.PASS) -> list[str]:
    """Warnings where the first limit passes at 2 %, and FNMR would be ``value`` with failures as errors."""
    base = result()
    judged = replace(
        base.estimates[0], metric="fnmr_at_fmr", at={"fmr": 0.001}, schema=None, group="all", value=0.01
    )
    worst = replace(
        judged, analysis="failures", metric="fnmr_worst_case", weighting="pooled", value=value, numerator=7,
        denominator=70, intervals=(),
    )  # fmt: skip
    finding = replace(
        base.findings[0], verdict=verdict, limit=0.02, estimate=f"/estimates/{len(base.estimates)}"
    )
    return warnings_of(judged, worst, findings=(finding,))


def test_a_pass_that_failures_would_undo_is_named() -> None:
    """With the system, the rate and its counts; not for a rate at the limit, or another outcome."""
    (warning,) = failing(0.1)
    assert warning.endswith(
        "With each mated comparison that failed as an error, FNMR (each comparison weighted equally) is beyond the "
        "limit: 10.0 % (7 / 70) for northgate. See the section Failures and exclusions."
    )
    assert failing(0.02) == []
    assert failing(0.1, Verdict.FAIL) == []


def test_a_subject_of_most_comparisons_is_named_once_for_each_system() -> None:
    """From the note of FMR's interval, whatever else it says, at however many thresholds."""
    base = result()
    rate = next(each for each in base.estimates if each.intervals and each.weighting == "identity")
    note = "few errors; one subject takes part in 50.4 % of the comparisons; one pair of subjects has 12 % of the rate"
    hub = replace(
        rate, metric="fmr", schema=None, group="all", at={"threshold": 0.5},
        intervals=(replace(rate.intervals[0], note=note),),
    )  # fmt: skip
    (warning,) = warnings_of(hub, replace(hub, at={"threshold": 0.6}))
    assert warning == (
        f"{rate.provider}: one subject takes part in 50.4 % of the comparisons. "
        "FMR describes that subject more than the population."
    )
