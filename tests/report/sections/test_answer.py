"""The answer of the first page: sentences on requirements, groups, and what the data cannot decide."""

from dataclasses import replace

import pytest
from report_fixture import result

from frtaudit.core import Verdict
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer, verdicts
from frtaudit.report.source import Source


def said(source: Source) -> list[str]:
    """The sentences as text."""
    return [plain_text(text) for text in answer.sentences(source, verdicts.all_rulings(source))]


def test_a_failure_is_said_with_its_interval_and_limit() -> None:
    """A system that fails is named with the number, its interval and the limit; groups that differ with both rates."""
    lines = said(Source(result()))
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
    lines = said(Source(replace(result(), findings=(failed, failed))))
    assert lines[0].startswith("quill_2 fails its requirement: FNMR at FMR 0.1 % is 9.51 %")


def test_without_requirements_the_rates_answer() -> None:
    """A report without requirements says the FNMR of each system at the main target."""
    lines = said(Source(replace(result(), findings=())))
    assert lines[0] == "northgate: FNMR 1.74 % at FMR 0.1 %, 95 % CI 1.31 % to 2.19 %."
    assert lines[1].startswith("quill_2: FNMR 9.51 % at FMR 0.1 %")


def test_what_was_not_established_is_said_with_the_detectable_ratio() -> None:
    """No difference between groups: how large a ratio the test would have found, with its power."""
    alike = [
        replace(item, test=replace(item.test, p=0.5, p_adjusted=1.0))
        if item.metric == "max_min" and item.test is not None and item.test.p is not None
        else item
        for item in result().estimates
    ]
    lines = said(Source(replace(result(), estimates=tuple(alike))))
    (line,) = [line for line in lines if line.startswith("No difference between groups")]
    assert "(minimum detectable ratio 2.31, 80 % power)" in line


def test_few_errors_are_said_with_how_many_it_takes() -> None:
    """Groups that cannot be tested: how many errors, of how many subjects, each group needs."""
    (line,) = [line for line in said(Source(result())) if line.startswith("Not testable")]
    assert line.endswith("; each group needs at least 10 errors, from 10 subjects or more.")


def test_a_finding_on_the_largest_of_the_classes_names_the_schema() -> None:
    """``largest FNMR by group``, not a group called max; no projection where no number of subjects is given."""
    (failed,) = [item for item in result().findings if item.verdict is Verdict.FAIL]
    place = int(str(failed.estimate).rpartition("/")[2])
    estimates = list(result().estimates)
    estimates[place] = replace(estimates[place], group="max", schema="group")
    lines = said(Source(replace(result(), estimates=tuple(estimates), findings=(failed,))))
    assert "largest FNMR by group at FMR 0.1 % is 9.51 %" in lines[0]


def test_numbers_of_subjects_are_explained_only_where_they_stand() -> None:
    """Without a number of subjects the sentence says nothing of their conditions."""
    (open_,) = [item for item in result().findings if item.verdict is Verdict.INCONCLUSIVE]
    without = replace(open_, bound_level=None)
    lines = said(Source(replace(result(), findings=(without,))))
    (line,) = [line for line in lines if line.startswith("Inconclusive")]
    assert "Numbers of subjects" not in line


def test_systems_of_the_same_outcomes_share_a_sentence() -> None:
    """Two systems that pass, or have as many inconclusive findings, are named together."""
    source = Source(result())
    rows = [row for row in verdicts.all_rulings(source) if row.record is not None]
    names = {row.record.estimate.provider: row for row in rows if row.record is not None}
    for verdict, expected in (
        (Verdict.PASS, "northgate and quill_2 pass their requirement."),
        (Verdict.INCONCLUSIVE, "northgate and quill_2: no requirement fails; 1 inconclusive each."),
    ):
        finding = replace(result().findings[0], verdict=verdict)
        held = Source(replace(result(), findings=(finding,)))
        rulings = [replace(row, index=0, code=verdict.value) for row in names.values()]
        assert plain_text(answer.sentences(held, rulings)[0]) == expected


def test_rates_that_differ_are_gathered() -> None:
    """Systems whose groups differ in one rate are listed behind its name once."""
    (line,) = [line for line in said(Source(result())) if line.startswith("Not testable")]
    assert "differences between groups in FMR by group of northgate and quill_2, at FMR 0.1 %;" in line


def test_many_rates_that_differ_name_the_group_with_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more rates differ than are told one by one, each has its ratio and whose rate is the largest."""
    monkeypatch.setattr(answer, "MAX_NAMED", 0)
    (line,) = [line for line in said(Source(result())) if line.startswith("Groups differ in ")]
    assert (
        "FNMR by group of northgate (3.43, Cedar) and quill_2 (3.43, Cedar), at FMR 0.1 %; in brackets: "
        in line
    )


def test_an_advisory_finding_that_is_inconclusive_is_named_as_such() -> None:
    """It is no verdict that counts, and the sentence on what the data do not decide says so."""
    (open_,) = [item for item in result().findings if item.verdict is Verdict.INCONCLUSIVE]
    advisory = replace(result(), findings=(replace(open_, advisory=True),))
    for source, marked in ((Source(result()), False), (Source(advisory), True)):
        (line,) = [line for line in said(source) if line.startswith("Inconclusive on these data")]
        assert (", advisory" in line) is marked


def test_unadjusted_tests_of_d_l2_are_named_as_such() -> None:
    """Without requirements of rates the tests of d_l2 answer; where no p is adjusted, that is said."""
    test = next(item.test for item in result().estimates if item.metric == "max_min" and item.test)
    for adjusted, end in ((None, " (p values not adjusted, see Interclass bias)."), (0.01, "northgate.")):
        estimates = [
            replace(item, test=replace(test, p=0.001, p_adjusted=adjusted, family=7), group="max")
            if item.metric == "d_l2" and item.group == "amber" and item.provider == "northgate"
            else item
            for item in result().estimates
            if item.metric != "max_min"
        ]
        lines = said(Source(replace(result(), estimates=tuple(estimates), findings=())))
        (line,) = [line for line in lines if line.startswith("d_l2 by group: a difference of classes")]
        assert line.endswith(end)
