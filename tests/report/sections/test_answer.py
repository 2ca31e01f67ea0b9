"""The answer of the first page: sentences on requirements, groups, and what the data cannot decide."""

from dataclasses import replace

from report_fixture import result

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
        line.startswith("northgate: FNMR is ") and " times as high (p 0.00300" in line for line in lines
    )
    assert any(line.startswith("Inconclusive on these data: northgate, failure to acquire") for line in lines)


def test_without_requirements_the_rates_answer() -> None:
    """A report without requirements says the FNMR of each system at the main target."""
    lines = said(Source(replace(result(), findings=())))
    assert lines[0] == "northgate: FNMR 1.74 % at FMR 0.1 %, 95 % CI 1.31 % to 2.19 %."
    assert lines[1].startswith("quill_2: FNMR 9.51 % at FMR 0.1 %")
