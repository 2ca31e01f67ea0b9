"""Pieces, footnotes and capped tables."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.report import layout
from frtaudit.report.pieces import (
    Block,
    Column,
    Figure,
    Footnotes,
    Table,
    TextSpan,
    capital,
    capped,
    letter,
    listed,
    plain_text,
    sentence,
    spans,
)


def test_equal_notes_share_a_mark() -> None:
    """Two numbers with one note get one letter; another note gets the next."""
    notes = Footnotes()
    marks = [plain_text(notes.mark(text, "/p")) for text in ("few errors", "no errors", "few errors")]
    assert marks == ["a", "b", "a"]
    assert [plain_text(note) for _, note in notes.all()] == ["Few errors.", "No errors."]


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("z has 0 FMR errors of 0 subjects; few", "z has 0 FMR errors of 0 subjects. Few."),
        ("c & m has 1 FNMR error of 1 subject; few", "c & m has 1 FNMR error of 1 subject. Few."),
        ("a; b has fewer than 10 subjects", "a; b has fewer than 10 subjects."),
        ("no mask has 3 subjects in this stratum", "no mask has 3 subjects in this stratum."),
        ("u z: FMR 0.01 of 30 comparisons", "u z: FMR 0.01 of 30 comparisons."),
        ("no subject has two samples: few", "No subject has two samples: few."),
        ("no error: Wilson's bound; x", "No error: Wilson's bound. X."),
    ],
)  # fmt: skip
def test_a_class_is_printed_as_it_is_called(note: str, shown: str) -> None:
    """A note that begins with the name of a class does not begin with a capital: names may differ by case alone."""
    assert sentence(note) == shown


@pytest.mark.parametrize("title", ["d_l2 by group", "FMR by group", "3 systems"])
def test_only_a_word_gets_a_capital(title: str) -> None:
    """d_l2 is no word."""
    assert (capital(title), capital("gap of FMR")) == (title, "Gap of FMR")


def test_no_note_leaves_no_mark() -> None:
    """A number without a note stands alone."""
    assert Footnotes().mark(None, "/p") == ()


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_letters_are_unique(first: int, second: int) -> None:
    """Footnote letters differ for different footnotes."""
    assert (letter(first) == letter(second)) == (first == second)


@given(st.lists(st.integers(0, 9), max_size=9), st.integers(0, 40))
def test_capping_loses_no_row_silently(sizes: list[int], rows: int) -> None:
    """Rows kept and rows counted as cut add up, and no more than asked for are kept."""
    blocks = [Block(rows=tuple(((TextSpan(text="x"),),) for _ in range(size))) for size in sizes]
    kept, cut = capped(blocks, rows)
    shown = sum(len(block.rows) for block in kept)
    assert shown + cut == sum(sizes)
    assert shown == min(sum(sizes), rows)


def test_lists_read_as_sentences() -> None:
    """Commas, then and."""
    assert plain_text(listed(["a"])) == "a"
    assert plain_text(listed([spans("a"), "b"])) == "a and b"


@pytest.mark.parametrize(
    ("shown", "ending"), [(3, ""), (2, "has 1 more figure."), (1, "has 2 more figures.")]
)
def test_figures_that_are_folded_are_counted_in_the_last_caption(shown: int, ending: str) -> None:
    """On paper the fold is not there: the caption of the last figure before it says how many the annex has."""
    macros = layout.shipped_templates().get_template("macros.html.j2").module
    figures = [Figure(name=f"f{number}", title="T", caption=spans("C."), panels=()) for number in range(3)]
    page = str(macros.brief("Title", figures, [], shown, 0))  # type: ignore[attr-defined]  # the template's macro
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    said = [re.sub("<[^>]+>", "", caption) for caption in captions]
    alone = [f"T. C. The annex (report.html) {ending}" if ending else "T. C."]
    assert said == ["T. C."] * (shown - 1) + alone + ["T. C."] * (3 - shown)


@pytest.mark.parametrize(("rows", "whole"), [(1, True), (12, True), (13, False)])
def test_a_short_block_of_a_table_stays_whole(rows: int, whole: bool) -> None:
    """A block with a heading goes to the next page with it, so that its rows are never without a name."""
    macros = layout.shipped_templates().get_template("macros.html.j2").module
    cells = tuple((spans("a"),) for _ in range(rows))
    blocks = (Block(head=spans("System"), rows=cells), Block(rows=cells))
    table = Table(name="t", caption=spans("C."), columns=(Column(title="A"),), blocks=blocks)
    page = str(macros.table(table))  # type: ignore[attr-defined]  # the template's macro
    assert re.findall(r"<tbody[^>]*>", page) == ['<tbody class="whole">' if whole else "<tbody>", "<tbody>"]
