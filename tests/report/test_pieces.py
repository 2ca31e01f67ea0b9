"""Pieces, footnotes and capped tables."""

from hypothesis import given
from hypothesis import strategies as st

from frtaudit.report.pieces import Block, Footnotes, TextSpan, capped, letter, listed, plain_text, spans


def test_equal_notes_share_a_mark() -> None:
    """Two numbers with one note get one letter; another note gets the next."""
    notes = Footnotes()
    marks = [plain_text(notes.mark(text, "/p")) for text in ("few errors", "no errors", "few errors")]
    assert marks == ["a", "b", "a"]
    assert [plain_text(note) for _, note in notes.all()] == ["Few errors.", "No errors."]


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
