"""What a run prints at its end, for people and for programs."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep

from frtaudit.cli import ending
from frtaudit.core import AuditResult, Verdict
from frtaudit.evaluation.score_notes import FALLING
from frtaudit.pipeline.run import RunSummary


def summary_of(result: AuditResult) -> RunSummary:
    """What a run that came to a result says."""
    counts = {kind.value: sum(finding.verdict is kind for finding in result.findings) for kind in Verdict}
    return RunSummary(
        exit_code=3, verdict_counts=counts, result=result, result_sha256=result.sha256, report=None
    )


@pytest.fixture
def summary() -> RunSummary:
    """A run with findings of several verdicts."""
    return summary_of(small_sweep.result(1.0, 0.05))


def test_the_table_has_a_line_for_each_finding_the_worst_first(summary: RunSummary, tmp_path: Path) -> None:
    """Verdict, requirement, system, rate and limit stand in columns; the counts and the files follow."""
    (tmp_path / "report.html").touch()
    lines = ending.text(summary, tmp_path).splitlines()
    findings = summary.result.findings
    head, rows = lines[0], lines[1 : 1 + len(findings)]
    assert head.split() == ["verdict", "requirement", "of", "estimate", "bound", "limit"]
    order = ["fail", "inconclusive", "not testable", "pass"]
    verdicts = [row[: head.index("requirement")].strip() for row in rows]
    assert verdicts == sorted(verdicts, key=order.index)
    assert sorted(verdicts) == sorted(finding.verdict.value.replace("_", " ") for finding in findings)
    names = {row[head.index("requirement") : head.index("  of")].strip() for row in rows}
    assert names == {finding.requirement for finding in findings}
    assert lines[1 + len(findings)].startswith("verdicts: ")
    assert lines[-1].endswith("report.html")


def test_names_are_aligned_by_the_columns_that_they_take_and_harmless(summary: RunSummary) -> None:
    """Wide letters take two columns, marks none, and a control character is written out."""
    first, *others = summary.result.findings
    named = replace(first, requirement="検証\x1b[2J")
    lines = ending.table(replace(summary.result, findings=(named, *others)))
    assert not any("\x1b" in line for line in lines)
    (line,) = (line for line in lines if "検証" in line)
    longest = max(len(finding.requirement) for finding in others)
    cell = "検証\\x1b[2J"
    gap = len(line.partition(cell)[2]) - len(line.partition(cell)[2].lstrip())
    assert gap == 2 + max(longest - (len(cell) + 2), 0)


def test_an_advisory_verdict_is_named_so(summary: RunSummary) -> None:
    """It fails nothing, and the line says that it is advisory."""
    findings = tuple(replace(finding, advisory=True) for finding in summary.result.findings)
    lines = ending.table(replace(summary.result, findings=findings))[1:]
    assert [line.split("  ")[0].endswith(", advisory") for line in lines] == [True] * len(findings)


def test_a_long_table_says_how_many_more_there_are(summary: RunSummary) -> None:
    """Forty findings, the worst of them, and a line that counts the others."""
    findings = summary.result.findings * 30
    lines = ending.table(replace(summary.result, findings=findings))
    assert len(lines) == 1 + ending.MAX_FINDINGS + 1
    assert lines[-1] == f"{len(findings) - ending.MAX_FINDINGS} more in the report"


def test_no_requirement_no_table(summary: RunSummary, tmp_path: Path) -> None:
    """A run without requirements says so, in one line."""
    bare = summary_of(replace(summary.result, findings=()))
    assert ending.text(bare, tmp_path) == "verdicts: no requirement declared"


def test_why_nothing_estimates_a_requirement_is_said(summary: RunSummary, tmp_path: Path) -> None:
    """A line of its own, with the requirement, after the number of each verdict."""
    lines = ending.text(summary, tmp_path).splitlines()
    (asked,) = (finding for finding in summary.result.findings if finding.estimate is None)
    assert lines[-2].startswith("verdicts: ")
    assert lines[-1] == f"{asked.requirement}: {asked.sentence}"


def test_scores_that_look_like_distances_are_warned_of(summary: RunSummary, tmp_path: Path) -> None:
    """Below the verdicts and files, of each system."""
    bare = summary_of(replace(summary.result, findings=(), notes=("other", f"a: {FALLING}", f"b: {FALLING}")))
    (tmp_path / "report.html").write_text("", "utf-8")
    lines = ending.text(bare, tmp_path).splitlines()
    assert lines[-2:] == [f"warning: a: {FALLING}", f"warning: b: {FALLING}"]


def test_numbers_that_are_classes_are_warned_of(summary: RunSummary, tmp_path: Path) -> None:
    """Below the verdicts and files."""
    rows = [{"group": str(age)} for age in range(20, 50)]
    cohort = {**summary.result.cohort, "schemas": {"age": {"groups": rows}}}
    spec = {**summary.result.spec, "schemas": {"age": {"column": "age", "classes": [], "bins": None}}}
    bare = summary_of(replace(summary.result, findings=(), cohort=cohort, spec=spec))
    assert ending.text(bare, tmp_path).splitlines()[-1] == (
        "warning: schemas.age: each number in column 'age' is a class; to make ranges of them, add bins: {edges: [...]}"
    )


def test_letters_that_the_pdf_cannot_show_are_said(
    summary: RunSummary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a page without a PDF, and where the machine has a font for each, nothing is said."""
    bare = replace(summary, result=replace(summary.result, findings=()), verdict_counts={})
    monkeypatch.setattr("matplotlib.font_manager.findSystemFonts", list)
    (tmp_path / "report.html").write_text("<p>é <b>男性</b></p>", "utf-8")
    assert ending.text(bare, tmp_path).endswith("report.html")
    (tmp_path / "report.pdf").touch()
    line = "warning: report.pdf has boxes for letters without a font on this machine: 性, 男"
    assert ending.text(bare, tmp_path).splitlines()[-1] == line
    (tmp_path / "report.html").write_text("<p>é</p>", "utf-8")
    assert ending.text(bare, tmp_path).endswith("report.pdf")


@pytest.mark.parametrize(
    ("terminal", "environment", "coloured"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_a_terminal_that_has_them_and_nobody_refused(
    *, monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], coloured: bool
) -> None:
    """A pipe gets none, nor does NO_COLOR (unless it is empty) or a dumb terminal."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert ending.wants_colour() == coloured


def test_colours_move_no_column(summary: RunSummary) -> None:
    """A coloured table without its colours is the plain one."""
    coloured = "\n".join(ending.table(summary.result, coloured=True))
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert "\x1b" not in coloured
    assert [line.rstrip() for line in coloured.splitlines()] == ending.table(summary.result)


def test_a_program_reads_one_object(summary: RunSummary, tmp_path: Path) -> None:
    """The findings as :meth:`frtaudit.Report.findings` has them, the exit code, and the files that are there."""
    (tmp_path / "result.json").touch()
    told = json.loads(ending.as_json(summary, tmp_path))
    assert (told["exit_code"], told["files"]) == (3, ["result.json"])
    assert told["verdicts"] == dict(summary.verdict_counts)
    assert [row["verdict"] for row in told["findings"]] == [
        finding.verdict.value for finding in summary.result.findings
    ]
    assert told["findings"][0]["sentence"] == summary.result.findings[0].sentence
