"""A page for the summary of a CI job."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from frtaudit.core import Verdict
from frtaudit.core.findings import verdict_counts
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text import formatting
from frtaudit.errors import printable
from frtaudit.report.exports.run_folder import RISING, FinishedRun
from frtaudit.report.sections.interclass_published import upper_bounds
from frtaudit.report.source import OF_SUBJECTS, Record, Source
from frtaudit.report.words import words

FILE = "summary.md"
LINES = 100  # of a table: a CI server takes a megabyte at most
ORDER = (*RISING, Verdict.PASS)
OF_D_L2 = (
    "Distance between a class's threshold curve and the mean curve of all classes in quantile space, 0 to 100: 0 under "
    "equality. Comparisons are treated as independent; Total is the largest bound.\n\n"
)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~@!&$])")
_ADDRESS = re.compile(r"(?i)\b(www|[a-z]+)(\.(?<=www\.)|:(?=//))")  # what becomes a link by itself
_OPENING = re.compile(r"^(\d+(?=[.)](\s|$))|(?=[-+=]))")  # what begins a list, or underlines a title


@register("export", "markdown")
@dataclass(frozen=True, slots=True, kw_only=True)
class Markdown:
    """summary.md: the question, the verdicts, the rates and the interclass bias of each system, and which result it is.

    For GitHub: ``cat DIR/summary.md >> "$GITHUB_STEP_SUMMARY"``. Verdicts that count as failure (--fail-on) first.
    """

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write ``summary.md``."""
        page = "\n\n".join(_parts(run)) + "\n"
        OutputFolder(folder).write(FILE, page.encode())


def _parts(run: FinishedRun) -> Iterable[str]:
    spec, source = run.result.spec, Source(run.result)
    yield f"# Audit {_text(str(spec.get('name', '')))}"
    if spec.get("question"):
        yield _text(str(spec["question"]))
    if run.result.choice:
        yield "\n".join(["## The choice", "", *(f"- {_text(line)}" for line in run.result.choice[:LINES])])
    if run.result.findings or not run.result.choice:
        yield _tally(run)
    if run.swept is not None:
        yield f"Verdicts over the sweep: a failure holds among the {run.swept:,} findings of all its jobs."
    yield from _findings(run)
    yield from _rates(source)
    yield from _interclass(source)
    yield from _failures(run)
    if run.result.notes:
        yield "\n".join(["## Notes", "", *(f"- {_text(note)}" for note in run.result.notes[:LINES])])
    beside = ", ".join(f"`{name}`" for name in ("report.html", "report.pdf") if name in run.files)
    more = f"; beside it: {beside}" if beside else ""
    yield f"Result sha256 `{run.sha256}`{more}."


def _tally(run: FinishedRun) -> str:
    reached = verdict_counts(run.result.findings)
    counts = [(verdict, reached[verdict.value]) for verdict in ORDER]
    parts = [f"{count} {words().verdict[verdict.value]}" for verdict, count in counts if count]
    return f"**{' · '.join(parts)}**" if parts else "**No requirement was declared: estimates, no verdicts.**"


def _findings(run: FinishedRun) -> Iterable[str]:
    """Verdicts that count as failures are bold."""
    ranked = sorted(run.result.findings, key=lambda finding: ORDER.index(finding.verdict))
    lines = []
    for finding in ranked:
        bold = "**" if finding.verdict in run.failing else ""
        verdict = f"{bold}{words().verdict[finding.verdict.value]}{bold}"
        lines.append((verdict, _text(finding.requirement), _text(finding.sentence)))
    if lines:
        yield "## Findings\n\n" + _table(("Verdict", "Requirement", "Finding"), lines)


def _rates(source: Source) -> Iterable[str]:
    """FNMR of every system at every FMR target, for everybody, with the interval that the report prints first."""
    lines = []
    for record in source.select("fnmr_at_fmr", grouped=False, primary=True):
        estimate = record.estimate
        if set(estimate.at) == {"fmr"}:
            target = formatting.exact(float(estimate.at["fmr"]))
            rate = "–" if estimate.value is None else formatting.rate(estimate.value)
            counts = " / ".join(formatting.count(n or 0) for n in (estimate.numerator, estimate.denominator))
            lines.append((_text(estimate.provider), target, rate, *_bounds(record), counts))
    if lines:
        columns = ("System", "FMR", "FNMR", "Interval", "It holds for", "Errors / mated comparisons")
        yield "## FNMR at FMR targets\n\n" + _table(columns, lines)


def _interclass(source: Source) -> Iterable[str]:
    """Upper bounds of d_l2 by class and system, as the thesis prints them."""
    for schema in source.schemas:
        rows = upper_bounds(source, schema)
        if rows:
            systems = list(rows["Total"])
            lines = [
                (
                    _text(name if name.startswith("Total") else source.label(schema, name)),
                    *(formatting.plain(row[system]) if system in row else "–" for system in systems),
                )
                for name, row in rows.items()
            ]
            by = _text(schema.replace("_", " "))
            title = f"## d_l2 by {by}, upper bounds as in Peña-Alcántara (2022)\n\n"
            yield title + OF_D_L2 + _table(("Class", *map(_text, systems)), lines)


def _bounds(record: Record) -> tuple[str, str]:
    best = record.bound(*OF_SUBJECTS)
    if best is None or best.interval.low is None or best.interval.high is None:
        return "–", "–"
    low, high = map(formatting.rate, formatting.clipped(best.interval.low, best.interval.high))
    target = words().target[best.interval.target.value]
    return f"{low} to {high} ({formatting.exact(best.interval.level)})", target


def _failures(run: FinishedRun) -> Iterable[str]:
    lines = [
        (_text(entry.provider or "–"), _text(entry.code), formatting.count(entry.count), _text(entry.unit))
        for entry in run.result.failures
        if entry.count and entry.schema is None
    ]
    if lines:
        yield "## Failures\n\n" + _table(("System", "Failed or left out", "Count", "Of"), lines)


def _table(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    shown = [f"| {' | '.join(line)} |" for line in (columns, ["---"] * len(columns), *lines[:LINES])]
    left = len(lines) - LINES
    return "\n".join(shown) + (f"\n\n... and {left} more in the report." if left > 0 else "")


def _text(text: str) -> str:
    """Words as words: nothing in them is Markdown, a mention, or a second line."""
    marked = _SPECIAL.sub(r"\\\1", printable(" ".join(text.split())))
    return _ADDRESS.sub(r"\1\\\2", _OPENING.sub(r"\1\\", marked))
