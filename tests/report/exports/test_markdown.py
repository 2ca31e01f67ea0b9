import dataclasses
import re
from pathlib import Path

import report_fixture
from finished_runs import counts, finished_run
from markdown_it import MarkdownIt

from frtaudit.core import AuditResult, Verdict
from frtaudit.report.exports.markdown import LINES, Markdown
from frtaudit.report.sections.interclass_published import upper_bounds
from frtaudit.report.source import Source
from frtaudit.report.words import words


def exported(folder: Path, result: AuditResult | None = None) -> str:
    """summary.md."""
    Markdown().write(finished_run(folder, result=result), folder)
    return (folder / "summary.md").read_text(encoding="utf-8")


def cells(page: str) -> list[list[str]]:
    """The rows of all tables as a Markdown reader sees them, as text."""
    html = MarkdownIt("commonmark", {"html": False}).enable("table").render(page)
    assert "|" not in re.sub(r"<code>.*?</code>", "", html)
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [re.findall(r"<t[dh]>(.*?)</t[dh]>", row, re.DOTALL) for row in rows]


def test_the_page_says_what_the_result_says(tmp_path: Path) -> None:
    """The tally counts the verdicts, each finding stands with its sentence, each system with its counts."""
    result, page = report_fixture.result(), exported(tmp_path)
    for verdict, count in counts(result).items():
        assert f"{count} {words().verdict[verdict.value]}" in page.splitlines()[4]
    rows = cells(page)
    for finding in result.findings:
        sentence = finding.sentence.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert [words().verdict[finding.verdict.value], finding.requirement, sentence] in [
            [re.sub("<.*?>", "", row[0]), *row[1:]] for row in rows if len(row) == 3
        ]
    for item in result.estimates:
        if (
            item.metric == "fnmr_at_fmr"
            and item.schema is None
            and item.weighting == result.spec["weighting"]
        ):
            assert any(
                row[0] == item.provider and row[-1] == f"{item.numerator:,} / {item.denominator:,}"
                for row in rows
            )
    source = Source(result)
    bounds = upper_bounds(source, "group")
    assert {row[0] for row in rows} >= {source.label("group", name) for name in bounds} > {"Total, lower"}
    assert "the mean curve of all classes in quantile space, 0 to 100: 0 under equality." in page
    assert result.sha256 in page
    assert "`report.html`" in page
    assert "report.pdf" not in page


def test_failures_come_first(tmp_path: Path) -> None:
    """The table begins with failures."""
    first = next(row for row in cells(exported(tmp_path)) if len(row) == 3 and row[0] != "Verdict")
    assert first[0] == f"<strong>{words().verdict['fail']}</strong>"


def test_words_are_no_markup(tmp_path: Path) -> None:
    """A name with pipes, links, tags, mentions or line ends stays words in its cell."""
    result = report_fixture.result()
    nasty = "a|b [x](http://y) <script>alert(1)</script> @you `c` **d**\n| e"
    findings = (dataclasses.replace(result.findings[0], sentence=nasty),)
    page = exported(tmp_path, dataclasses.replace(result, findings=findings))
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page)
    assert "<script" not in html
    assert "<a " not in html
    assert "\\@you" in page
    row = next(row for row in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL) if "alert" in row)
    assert row.count("<td>") == 3
    assert row.count("<strong>") == int(findings[0].verdict is Verdict.FAIL)


def test_a_long_table_is_cut(tmp_path: Path) -> None:
    """More findings than a CI server shows are counted, not printed."""
    result = report_fixture.result()
    many = tuple(result.findings[0] for _ in range(LINES + 7))
    page = exported(tmp_path, dataclasses.replace(result, findings=many))
    assert "... and 7 more in the report." in page
    assert len(page.encode()) < 1 << 20
