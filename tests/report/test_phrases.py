"""Words of numbers and operating points."""

from frtaudit.report import phrases
from frtaudit.report.pieces import TextSpan, plain_text


def test_a_mark_of_a_note_keeps_its_look() -> None:
    """It is raised beside a bold number too."""
    pieces = TextSpan(text="80.0 %", kind="n"), TextSpan(text="a", kind="mark")
    assert [piece.kind for piece in phrases.styled(pieces, "b")] == ["n b", "mark"]


def test_a_threshold_of_the_same_data_names_its_target() -> None:
    """``threshold 0.31, set at pooled FMR 1 % on these data``; one from a file keeps its source and its name."""
    at = {"threshold": 0.31, "source": "same_data", "name": "fmr=0.01"}
    assert plain_text(phrases.at_words(at, "/e")) == "threshold 0.31, set at pooled FMR 1 % on these data"
    other = at | {"source": "file", "name": "gate"}
    assert plain_text(phrases.at_words(other, "/e")) == "threshold 0.31, from a file, named gate"


def test_a_threshold_of_the_group_with_the_largest_fmr_is_one_phrase() -> None:
    """It says what the threshold sets, and each number has its place."""
    said = phrases.at_words({"fmr": 0.01, "schema": "skin_tone", "threshold_of": "max_group"}, "/estimates/0")
    assert plain_text(said) == "the threshold that sets the largest FMR by skin tone to 1 %"
    assert [span.pointer for span in said if span.pointer] == [
        "/estimates/0/at/schema",
        "/estimates/0/at/fmr",
    ]
