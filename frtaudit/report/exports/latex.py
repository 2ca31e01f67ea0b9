"""The report's tables as LaTeX, with the rules of booktabs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from frtaudit.core import AuditResult
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.registry import register
from frtaudit.core.text.file_names import file_name
from frtaudit.errors import printable
from frtaudit.report.exports.run_folder import FinishedRun
from frtaudit.report.figures import canvas
from frtaudit.report.pieces import (
    Block,
    Footnotes,
    Table,
    Text,
    TextSpan,
    pieces_of,
    plain_text,
    spans,
)
from frtaudit.report.section import sections
from frtaudit.report.sections import vendor_choice, verdicts
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source

FOLDER = "latex"
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "−": r"$-$", "×": r"$\times$", "≤": r"$\leq$",
    "≥": r"$\geq$", "∞": r"$\infty$", "<": r"$<$", ">": r"$>$", "|": r"$|$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # behind a row or a rule they would be its argument
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
_POWER = re.compile(f"[{''.join(_RAISED)}]+")


@register("export", "latex")
@dataclass(frozen=True, slots=True, kw_only=True)
class Latex:
    """latex/: every table of the report, a file each, for a paper that loads booktabs; notes below the table."""

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the folder ``latex``."""
        out = OutputFolder(folder)
        for name, table in tables_of(run.result).items():
            out.write(f"{FOLDER}/{file_name(name)}.tex", to_latex(table).encode())


def tables_of(result: AuditResult) -> dict[str, Table]:
    """Every table of a result's report, by name, in the order of the report: first what page 1 shows."""
    source = Source(result)
    with canvas.undrawn():
        first_page = [_requirements(source), vendor_choice.choice(source)]
        views = [*first_page, *(entry.build(source) for entry in sections())]
        return {table.name: table for table in pieces_of(views, Table)}


def _requirements(source: Source) -> Table | None:
    """The requirements of page 1, each with its findings; None where nothing was required."""
    blocks = [
        Block(
            head=spans(rows[0].requirement, ": ", *rows[0].condition),
            rows=tuple((row.who, row.value, row.interval, row.bound, (row.verdict,)) for row in rows),
        )
        for rows in verdicts.requirement_rows(verdicts.all_finding_rows(source))
    ]
    texts = ("Interval for the population", "Bound that decides", "Verdict")
    columns = (*header(["System"], ["Estimate"]), *header(texts))
    caption = spans("Requirements and verdicts. A failure is adjusted for all findings.")
    return build_table("requirements", caption, columns, blocks, Footnotes()) if blocks else None


def to_latex(table: Table) -> str:
    """A table as a ``table`` environment, without empty columns."""
    rows = [row for block in table.blocks for row in block.rows]
    columns = [at for at, _ in enumerate(table.columns) if any(plain_text(row[at]).strip() for row in rows)]
    kinds = "".join("r" if table.columns[index].kind == "num" else "l" for index in columns)
    lines = [
        r"\begin{table}",
        rf"\caption{{{_latex(table.alone or table.caption)}}}",
        rf"\label{{tab:{re.sub(r'[^A-Za-z0-9.:-]+', '-', table.name)}}}",
        r"\centering",
        rf"\begin{{tabular}}{{@{{}}{kinds}@{{}}}}",
        r"\toprule",
        _row([escaped(table.columns[index].title) for index in columns]),
        r"\midrule",
        *_body(table.blocks, columns),
        r"\bottomrule",
        r"\end{tabular}",
        *(
            rf"\par\footnotesize\textsuperscript{{{escaped(mark)}}} {_latex(note)}"
            for mark, note in table.notes
        ),
        *([rf"\par\footnotesize {escaped(table.left_out)}"] if table.left_out else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    r"""A text in which nothing is a command of LaTeX.

    >>> print(escaped("5 % of a_b < 10⁻³"))
    5 \% of a\_b $<$ 10$^{-3}$
    """
    parts: list[str] = []
    end = 0
    for match in _POWER.finditer(text := printable(text)):
        raised = "".join(_RAISED[sign] for sign in match.group())
        parts += [_plain(text[end : match.start()]), f"$^{{{raised}}}$"]
        end = match.end()
    return "".join([*parts, _plain(text[end:])])


def _plain(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def _body(blocks: Sequence[Block], columns: Sequence[int]) -> Iterator[str]:
    for number, block in enumerate(blocks):
        if number:
            yield r"\addlinespace"
        if block.head:
            yield rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{{_latex(block.head)}}} \\"
        for row in block.rows:
            yield _row([_latex(row[index]) for index in columns])


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex(text: Text) -> str:
    return "".join(_piece(piece) for piece in text)


def _piece(piece: TextSpan) -> str:
    if piece.kind == "br":
        return "; "
    return rf"\textsuperscript{{{escaped(piece.text)}}}" if piece.kind == "mark" else escaped(piece.text)
