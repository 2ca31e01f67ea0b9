"""The answer of the first page: sentences on requirements, groups, and what the data cannot decide."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core import Verdict
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, verdicts
from frtaudit.report.source import Source


def paragraphs(source: Source) -> list[str]:
    """The sentences as text."""
    return [plain_text(text) for text in answer.sentences(source, verdicts.all_finding_rows(source))]


def test_a_failure_is_said_with_its_interval_and_limit() -> None:
    """A system that fails is named with the number, its interval and the limit; groups that differ with both rates."""
    lines = paragraphs(Source(result()))
    assert (
        "quill_2 fails 1 of 2 requirements: FNMR at FMR 0.1 % is 9.51 %, 95 % CI 7.14 % to 11.9 %, limit at most 3 %."
        in lines
    )
    assert any(
        line.startswith("northgate: FNMR at FMR 0.1 % is ") and " times as high (p 0.00300" in line
        for line in lines
    )
    assert any(line.startswith("Inconclusive on these data: northgate, failure to acquire") for line in lines)


def test_a_requirement_of_several_findings_counts_once() -> None:
    """A requirement for each group has a finding for each; it fails once."""
    (failed,) = [item for item in result().findings if item.verdict is Verdict.FAIL]
    lines = paragraphs(Source(replace(result(), findings=(failed, failed))))
    assert lines[0].startswith("quill_2 fails its requirement: FNMR at FMR 0.1 % is 9.51 %")


def test_failures_of_one_operating_point_and_limit_name_them_once() -> None:
    """What all failures of a system share stands before them; where limits differ each has its own."""
    (failed,) = [item for item in result().findings if item.verdict is Verdict.FAIL]
    place = int(str(failed.estimate).rpartition("/")[2])
    cedar = replace(result().estimates[place], group="cedar", schema="group")
    estimates = (*result().estimates, cedar)
    other = replace(failed, estimate=f"/estimates/{len(result().estimates)}")
    for limit, start in (
        (
            failed.limit,
            "requirement at FMR 0.1 %, limit at most 3 %: FNMR is 9.51 %, 95 % CI 7.14 % to 11.9 %; FNMR of",
        ),
        (
            0.04,
            "requirement: FNMR at FMR 0.1 % is 9.51 %, 95 % CI 7.14 % to 11.9 %, limit at most 3 %; FNMR of",
        ),
    ):
        findings = (failed, replace(other, limit=limit))
        line = paragraphs(Source(replace(result(), estimates=estimates, findings=findings)))[0]
        assert line.startswith(f"quill_2 fails its {start}")


def test_without_requirements_the_rates_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report without requirements says FNMR and FMR of each system at the main target; FNMR alone of many."""
    lines = paragraphs(Source(replace(result(), findings=())))
    fnmr = "northgate: FNMR 1.74 % at FMR 0.1 %, 95 % CI 1.31 % to 2.19 %"
    assert lines[0] == f"{fnmr}; FMR of that threshold 0.0990 %, 95 % CI 0.0742 % to 0.134 %."
    monkeypatch.setattr(answer, "FEW_SYSTEMS", 1)
    assert paragraphs(Source(replace(result(), findings=())))[0] == f"{fnmr}."
    assert lines[1].startswith("quill_2: FNMR 9.51 % at FMR 0.1 %")


def test_a_system_without_fnmr_says_why() -> None:
    """The estimate's note stands for the rate and for the FMR of a threshold that does not exist."""
    why = "FMR 0.001 falls between two steps of the scores, at FMR 0 and 1"
    estimates = tuple(
        replace(row, value=None, intervals=(), note=why)
        if row.provider == "northgate" and row.metric in ("fnmr_at_fmr", "fmr")
        else row
        for row in result().estimates
    )
    lines = paragraphs(Source(replace(result(), findings=(), estimates=estimates), target=0.001))
    assert lines[0] == f"northgate: no FNMR at FMR 0.1 %: {why}."


def test_a_finding_on_the_largest_of_the_classes_names_the_schema() -> None:
    """``largest FNMR by group``, not a group called max; no projection where no number of subjects is given."""
    (failed,) = [item for item in result().findings if item.verdict is Verdict.FAIL]
    place = int(str(failed.estimate).rpartition("/")[2])
    estimates = list(result().estimates)
    estimates[place] = replace(estimates[place], group="max", schema="group")
    lines = paragraphs(Source(replace(result(), estimates=tuple(estimates), findings=(failed,))))
    assert "largest FNMR by group at FMR 0.1 % is 9.51 %" in lines[0]


def test_numbers_of_subjects_are_explained_only_where_they_stand() -> None:
    """Without a number of subjects the sentence says nothing of their conditions."""
    (open_,) = [item for item in result().findings if item.verdict is Verdict.INCONCLUSIVE]
    without = replace(open_, bound_level=None)
    lines = paragraphs(Source(replace(result(), findings=(without,))))
    (line,) = [line for line in lines if line.startswith("Inconclusive")]
    assert "Numbers of subjects" not in line


def test_systems_of_the_same_outcomes_share_a_sentence() -> None:
    """Two systems that pass, or have as many inconclusive findings, are named together."""
    source = Source(result())
    rows = [row for row in verdicts.all_finding_rows(source) if row.record is not None]
    names = {row.record.estimate.provider: row for row in rows if row.record is not None}
    for verdict, expected in (
        (Verdict.PASS, "northgate and quill_2 pass their requirement."),
        (
            Verdict.INCONCLUSIVE,
            "northgate and quill_2 fail no requirement: for each of them, 1 finding is inconclusive.",
        ),
    ):
        finding = replace(result().findings[0], verdict=verdict)
        held = Source(replace(result(), findings=(finding,)))
        finding_rows = [replace(row, index=0, code=verdict.value) for row in names.values()]
        assert plain_text(answer.sentences(held, finding_rows)[0]) == expected


def test_where_no_system_passes_the_answer_says_so() -> None:
    """A system that fails nothing does not pass for it; where each fails, or one passes, nothing is to be added."""
    rows = verdicts.all_finding_rows(Source(result()))
    of = {row.record.estimate.provider: row for row in rows if row.record is not None}
    said_of = "No system passes all that was required of it."
    for codes, expected in (
        ({"northgate": "fail", "quill_2": "inconclusive"}, True),
        ({"northgate": "fail", "quill_2": "pass"}, False),
        ({"northgate": "fail", "quill_2": "fail"}, False),
    ):
        finding_rows = [replace(of[name], code=code) for name, code in codes.items()]
        lines = [plain_text(text) for text in answer.sentences(Source(result()), finding_rows)]
        assert (said_of in lines) is expected


def test_what_all_inconclusive_findings_ask_stands_once() -> None:
    """Systems whose findings ask the same are named after it, each with the subjects that would decide."""
    source = Source(result())
    (row,) = [row for row in verdicts.all_finding_rows(source) if row.code == "inconclusive"]
    other = replace(row, who=(replace(row.who[0], text="quill_2"), *row.who[1:]))
    (line,) = [
        plain_text(text)
        for text in answer.sentences(source, [row, other])
        if plain_text(text).startswith("Inconclusive")
    ]
    assert line.startswith("Inconclusive on these data: failure to acquire of northgate")
    assert "; quill_2" in line
    assert line.count("failure to acquire") == 1


def test_an_advisory_finding_that_is_inconclusive_is_named_as_such() -> None:
    """It is no verdict that counts, and the sentence on what the data do not decide says so."""
    (open_,) = [item for item in result().findings if item.verdict is Verdict.INCONCLUSIVE]
    advisory = replace(result(), findings=(replace(open_, advisory=True),))
    for source, marked in ((Source(result()), False), (Source(advisory), True)):
        (line,) = [line for line in paragraphs(source) if line.startswith("Inconclusive on these data")]
        assert (", advisory" in line) is marked
