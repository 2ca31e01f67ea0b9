import re
from dataclasses import replace
from pathlib import Path

from finished_runs import finished_run
from hypothesis import example, given
from hypothesis import strategies as st
from report_fixture import result
from vendor_audits import result as of_vendors

from frtaudit.report.exports.latex import Latex, escaped, tables_of, to_latex
from frtaudit.report.pieces import Block, Column, Table, TextSpan, spans

TABLE = Table(
    name="rates of_a",
    caption=spans("FNMR of ", TextSpan(text="a & b", pointer="/estimates/0")),
    columns=(Column(title="System"), Column(title="FNMR", kind="num"), Column(title="empty")),
    blocks=(
        Block(
            rows=((spans("v_1"), spans("5 %", TextSpan(text="a", kind="mark")), ()),), head=spans("x < 10⁻³")
        ),
        Block(rows=((spans("v#2"), spans("6 %", TextSpan(text=" ", kind="br"), "5 % to 7 %"), ()),)),
    ),
    notes=(("a", spans("No error.")),),
)


def test_a_table_of_booktabs() -> None:
    """Caption, rules, heads over all columns, numbers to the right, marks raised, notes below, no empty column."""
    assert to_latex(TABLE).splitlines() == [
        r"\begin{table}",
        r"\caption{FNMR of a \& b}",
        r"\label{tab:rates-of-a}",
        r"\centering",
        r"\begin{tabular}{@{}lr@{}}",
        r"\toprule",
        r"System & FNMR \\",
        r"\midrule",
        r"\multicolumn{2}{@{}l}{x $<$ 10$^{-3}$} \\",
        r"v\_1 & 5 \%\textsuperscript{a} \\",
        r"\addlinespace",
        r"v\#2 & 6 \%; 5 \% to 7 \% \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\footnotesize\textsuperscript{a} No error.",
        r"\end{table}",
    ]


@given(st.text(st.characters(codec="utf-8")))
@example("[18, 35)")
@example("*")
def test_no_text_is_a_command(text: str) -> None:
    """Whatever a name holds, braces and dollars are balanced and no special character stands alone."""
    found = escaped(text)
    assert not found.startswith(("[", "*"))  # behind a row or a rule they would be its argument
    bare = re.sub(r"\{[][*]\}", "", found)
    bare = re.sub(r"\\(textbackslash|textasciicircum|textasciitilde)\{\}|\\[{}$&#%_]", "", bare)
    bare = re.sub(r"\$(-|<|>|\||\\times|\\leq|\\geq|\\infty|\^\{[0-9-]+\})\$", "", bare)
    assert not set(bare) & set("\\{}$&#%_^~[]*")
    assert "\n" not in found


def test_every_table_of_the_report_is_a_file(tmp_path: Path) -> None:
    """The folder has a file for each table, each with as many cells in every row as it has columns."""
    Latex().write(finished_run(tmp_path), tmp_path)
    files = sorted((tmp_path / "latex").iterdir())
    assert {"eer.tex", "fixed-thresholds.tex", "requirements.tex"} <= {path.name for path in files}
    for path in files:
        text = path.read_text("utf-8")
        (kinds,) = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}", text)
        rows = [line for line in text.splitlines() if line.endswith(r" \\") and r"\multicolumn" not in line]
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(kinds)}


def test_no_two_tables_share_a_name_where_targets_are_near() -> None:
    """A table for each FMR target, also where two agree in their first digit."""
    made = result()
    near = [
        replace(item, at={**item.at, "fmr": 1.04 * item.at["fmr"]})
        for item in made.estimates
        if "fmr" in item.at and isinstance(item.at["fmr"], float)
    ]
    names = [name for name in tables_of(made) if name.startswith("fnmr-at-fmr-")]
    both = list(tables_of(replace(made, estimates=(*made.estimates, *near))))
    assert len([name for name in both if name.startswith("fnmr-at-fmr-")]) == 2 * len(names) > 0


def test_the_tables_of_page_1_come_first() -> None:
    """Every finding under its requirement; of a comparison a row for each system."""
    tables = tables_of(result())
    assert next(iter(tables)) == "requirements"
    assert sum(len(block.rows) for block in tables["requirements"].blocks) == len(result().findings)
    assert {len(row) for block in tables["requirements"].blocks for row in block.rows} == {5}
    compared = tables_of(of_vendors())
    assert next(iter(compared)) == "vendors-rates-and-ranks"
    assert len(compared["vendors-rates-and-ranks"].blocks[0].rows) == len(
        {one.provider for one in of_vendors().estimates}
    )
