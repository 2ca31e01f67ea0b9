"""What parts decimals and what may part thousands."""

import numpy as np
import pytest

from frtaudit.inputs.number_signs import unsure_number


@pytest.mark.parametrize(
    ("texts", "row", "problem"),
    [
        (["0,25", "0.25"], 1, "numbers with a comma and with a point"),
        (["1", "1.234,5"], 1, "numbers with a comma and with a point"),
        (["987", "1,234"], 1, "a comma that may separate thousands"),
        (["1.234", "987", "2.345"], 0, "a point that may separate thousands"),
    ],
)
def test_the_first_unsure_row_is_named(texts: list[str], row: int, problem: str) -> None:
    """The row whose sign differs, or the first whose sign may part thousands."""
    unsure = unsure_number(np.array(texts, dtype=object))
    assert unsure is not None
    assert (int(np.argmax(unsure[0])), unsure[1]) == (row, problem)


@pytest.mark.parametrize(
    "texts",
    [[], ["", "7"], ["0,5", "7,125"], ["0.5", "7.125", "7"], ["1.234", "1234"], ["1.234", "7", "1500"]],
)
def test_sure_numbers_are_not_refused(texts: list[str]) -> None:
    """No sign, a number of other decimals, or points beside whole numbers of four digits."""
    assert unsure_number(np.array(texts, dtype=object)) is None
