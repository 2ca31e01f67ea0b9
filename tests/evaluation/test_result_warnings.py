"""Tests of frtaudit.evaluation.result_warnings; who prints the notes has tests of its own."""

import pytest

from frtaudit.evaluation.result_warnings import MANY, number_note


@pytest.mark.parametrize(("classes", "noted"), [
    ([str(age) for age in range(MANY)], False), ([str(age) for age in range(MANY + 1)], True),
    ([f"{age}.5" for age in range(30)], True), ([f"-{age}" for age in range(30)], True),
    ([f"site {number}" for number in range(30)], False), ([f"{low}-{low + 5}" for low in range(30)], False),
])  # fmt: skip
def test_more_than_twenty_numbers_are_many(classes: list[str], noted: bool) -> None:
    """Words and ranges are no numbers, however many there are."""
    assert (number_note("s", "x", classes) is not None) is noted
