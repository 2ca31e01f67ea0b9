"""Names in a spec."""

import pytest

from frtaudit.core.text.names import LONGEST, is_name, is_title


@pytest.mark.parametrize("name", ["a", "Age group", "18-35", "Âge", "שם", "a_b_", "x" * LONGEST])
def test_words_of_any_script_are_names(name: str) -> None:
    """Also digits and signs, up to the longest."""
    assert is_name(name)


@pytest.mark.parametrize("name", ["", " a", "a ", "a|b", "a&b", "a\nb", "_target_", "x" * (LONGEST + 1)])
def test_what_could_not_be_printed_or_means_something_is_none(name: str) -> None:
    """Nor outer spaces, nor what separates names, nor keys of Hydra's own."""
    assert not is_name(name)


@pytest.mark.parametrize(
    ("name", "seen"), [("FMR, a | b", True), ("שם", True), ("", False), ("\u200b ", False), ("a\n", False)]
)
def test_a_title_is_seen_on_one_line(name: str, seen: bool) -> None:
    """Any text with a visible character and no control character."""
    assert is_title(name) is seen
