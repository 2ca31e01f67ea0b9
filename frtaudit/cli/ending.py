"""The end of a run on the terminal: its verdicts as a table and the paths of its files, or both as JSON."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import Json, dumps
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.text.columns import aligned
from frtaudit.errors import printable

if TYPE_CHECKING:
    from frtaudit.core import AuditResult
    from frtaudit.pipeline.run import RunSummary

FILES = (RESULT, "report.html", "report.pdf", "annex.pdf")
SHOWN = 5  # letters without a font
MAX_FINDINGS = 40  # findings in the table; the report holds all
HEAD = ("verdict", "requirement", "of", "estimate", "bound", "limit")
COLOURS = {"pass": "32", "fail": "31", "inconclusive": "33", "not_testable": "33"}


def text(summary: "RunSummary", folder: Path) -> str:
    """Lines: the choice, findings by severity, verdicts, why nothing estimates a requirement, files, warnings."""
    from frtaudit.evaluation.result_warnings import warnings_of

    counts, chosen = counted(summary.verdict_counts), summary.result.choice
    lines = [f"choice: {printable(sentence)}" for sentence in chosen]
    lines += table(summary.result, coloured=wants_colour())
    lines += [f"verdicts: {counts or 'no requirement declared'}"] if counts or not chosen else []
    unanswered = [finding for finding in summary.result.findings if finding.estimate is None]
    lines += [printable(f"{finding.requirement}: {finding.sentence}") for finding in unanswered]
    lines += [printable(str(shown(path))) for path in _written(folder)]
    warnings = [f"warning: {printable(note)}" for note in warnings_of(summary.result)]
    return "\n".join([*lines, *warnings, *_unprinted(folder)])


def _unprinted(folder: Path) -> list[str]:
    """A line where the PDF has boxes for letters of names; a browser finds fonts of its own."""
    page, paper = folder / "report.html", folder / "report.pdf"
    if not (page.exists() and paper.exists()):
        return []
    from frtaudit.report.versions import letters_without_font

    letters = letters_without_font(page.read_text("utf-8"))
    few = f"{', '.join(letters[:SHOWN])}{' and more' if len(letters) > SHOWN else ''}"
    line = f"warning: report.pdf has boxes for letters without a font on this machine: {few}"
    return [line] if letters else []


def table(result: "AuditResult", *, coloured: bool = False) -> list[str]:
    """Each finding on a line: verdict, requirement, system and group, estimate, the bound that decides, limit.

    ``coloured``: the verdicts, as a terminal shows them. Empty where no requirement is declared.
    """
    from frtaudit.report.pieces import plain_text
    from frtaudit.report.sections.verdicts import all_finding_rows
    from frtaudit.report.source import Source

    finding_rows = all_finding_rows(Source(result)) if result.findings else ()
    cells = [
        (
            row.verdict.text + ", advisory" * result.findings[row.index].advisory,
            row.requirement.text,
            *map(plain_text, (row.who, row.value, row.bound, row.limit)),
        )
        for row in finding_rows[:MAX_FINDINGS]
    ]
    rows = [HEAD, *(tuple(printable(cell.replace("\u00a0", " ")) for cell in row) for row in cells)]
    lines = aligned(rows, range(len(HEAD)))
    if coloured:
        paint = [COLOURS[row.code] for row in finding_rows[:MAX_FINDINGS]]
        lines[1:] = [
            line.replace(cells[0], f"\x1b[{code}m{cells[0]}\x1b[0m", 1)
            for code, line, cells in zip(paint, lines[1:], rows[1:], strict=True)
        ]
    more = len(finding_rows) - MAX_FINDINGS
    lines += [f"{more} more in the report"] if more > 0 else []
    return lines if finding_rows else []


def as_json(summary: "RunSummary", folder: Path) -> str:
    """The same for a program: one line of canonical JSON."""
    from frtaudit.pipeline.frames import finding_rows

    content: dict[str, Json] = {
        "exit_code": summary.exit_code,
        "verdicts": dict(summary.verdict_counts),
        "findings": finding_rows(summary.result),
        "choice": list(summary.result.choice),
        "folder": str(folder),
        "files": [path.name for path in _written(folder)],
        "result_sha256": summary.result_sha256,
    }
    return dumps(content)


def wants_colour() -> bool:
    """Whether standard output is a terminal that shows colours, and ``NO_COLOR`` is not set (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def counted(verdicts: Mapping[str, int]) -> str:
    """The number of each verdict, without zeros.

    >>> counted({"pass": 2, "fail": 0, "not_testable": 1})
    '2 pass, 1 not testable'
    """
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in verdicts.items() if count)


def shown(path: Path) -> Path:
    """A path as seen from the working folder, where it lies below it.

    >>> shown(Path.cwd() / "reports")
    PosixPath('reports')
    """
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _written(folder: Path) -> list[Path]:
    return [folder / name for name in FILES if (folder / name).exists()]
