from dataclasses import replace
from itertools import combinations, pairwise

from vendor_audits import pick, result

from frtaudit.core.result import DECISION
from frtaudit.core.text import formatting
from frtaudit.report.figures.canvas import ink
from frtaudit.report.paper_figures import paper_figures
from frtaudit.report.pieces import plain_text
from frtaudit.report.section import View
from frtaudit.report.sections import vendors
from frtaudit.report.sections.vendor_tables import key_of
from frtaudit.report.source import Source


def view() -> View:
    """The section of the shared audit."""
    found = vendors.build(Source(result()))
    assert found is not None
    return found


def test_the_page_starts_with_the_declared_rule_and_its_outcome() -> None:
    """The rule in words; what it chose stands on the first page."""
    assert plain_text(view().lead[0]).startswith("Declared in the spec: choose every system")
    assert "judged by FNMR at FMR 3 %" in plain_text(view().lead[0])


def test_ranks_stand_below_the_values() -> None:
    """One row for each system; the decisive measure first."""
    table = view().tables[0]
    assert table.columns[1].title == "FNMR at FMR 3 %"
    rows = {plain_text(row[0]): plain_text(row[1]) for block in table.blocks for row in block.rows}
    assert set(rows) == {"one", "two", "three", "twin"}
    assert rows["three"].endswith("rank 4")


def test_pairs_say_who_is_better_or_what_would_have_been_found() -> None:
    """A difference by name, identity by construction, equivalence within the margin; rates in percentage points."""
    rows = {plain_text(row[0]): [plain_text(cell) for cell in row] for row in view().tables[1].blocks[0].rows}
    assert rows["one – three"][4].startswith("one is better (p ")
    assert rows["one – twin"][4] == "Not tested: identical by construction"
    assert "(80 % power)" in rows["one – two"][4]
    assert view().tables[1].columns[5].title == "Equivalent within 25.0 points?"
    assert rows["one – two"][5].startswith("Yes (p ")
    of_pair = {"provider": "one", "against": "three", "fmr": 0.03, "schema": None}
    (record,) = pick(result(), "vendor_difference", "fnmr_at_fmr", **of_pair)
    assert rows["one – three"][1] == formatting.plain(100 * (record.value or 0.0))
    assert plain_text(view().tables[1].caption).endswith(" Differences are in percentage points.")
    assert not [cell for row in rows.values() for cell in row[1:3] if "%" in cell]
    (figure,) = view().figures
    assert "one – three: " in figure.panels[0].alt
    assert " points" in figure.panels[0].alt


def test_details_hold_failures_changes_and_the_ledger() -> None:
    """A table each, with what a reader must know to doubt the choice."""
    shown = (view().shown or (0, 0))[1]
    tables = {table.name: table for table in view().tables[shown:]}
    assert set(tables) == {
        "vendors-further-differences",
        "vendors-bounds-for-failures",
        "vendors-two-dates",
        "vendors-failures",
    }
    (change,) = tables["vendors-two-dates"].blocks[0].rows
    assert plain_text(change[-1]) == "No: the scores are identical"
    assert len(tables["vendors-failures"].blocks[0].rows) == 2


def test_every_printed_number_points_into_the_result() -> None:
    """Pointers of pieces lead to a value of the result."""
    content = result().to_json()
    texts = [view().lead[0]]
    for table in view().tables:
        texts += [cell for block in table.blocks for row in block.rows for cell in row]
    pointers = [piece.pointer for text in texts for piece in text if piece.pointer]
    assert len(pointers) > 100
    for pointer in pointers:
        found: object = content
        for step in pointer.strip("/").split("/"):
            found = found[int(step)] if isinstance(found, list) else found[step]  # type: ignore[index]  # plain data


def test_no_comparison_no_section() -> None:
    """An audit of single systems has no such page."""
    bare = replace(result(), estimates=(), curves=())
    assert vendors.build(Source(bare)) is None


def test_differences_of_thirteen_systems_stand_apart() -> None:
    """78 pairs are drawn in parts on one scale, whose names do not lie on each other."""
    made = result()
    decisive = key_of(Source(made).select(DECISION)[0])
    pairs = Source(made).select(vendors.DIFFERENCE)
    first = next(record.estimate for record in pairs if key_of(record) == decisive)
    names = [f"system_{number:02}" for number in range(13)]
    many = [
        replace(first, provider=one, at={**first.at, "against": other})
        for one, other in combinations(names, 2)
    ]
    rest = [estimate for estimate in made.estimates if estimate.metric != vendors.DIFFERENCE]
    figures = paper_figures(replace(made, estimates=(*rest, *many), findings=()), builds=[vendors.build])
    assert [*figures] == [f"vendors-decisive-differences-part-{part}-of-4" for part in range(1, 5)]
    assert figures["vendors-decisive-differences-part-2-of-4"].title.startswith(
        "The decisive differences, part 2 of 4"
    )
    axes = [figure.drawing.axes[0] for figure in figures.values()]
    assert sum(len(each.get_yticks()) for each in axes) == len(many)
    assert len({each.get_xlim() for each in axes}) == 1
    with ink():
        axes[0].get_figure().draw_without_rendering()
    boxes = [label.get_window_extent() for label in axes[0].get_yticklabels()]
    assert all(upper.y0 > lower.y1 for upper, lower in pairwise(boxes))
