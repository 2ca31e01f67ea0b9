"""Tests of frtaudit.core.rows."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.plain.records import from_json, to_json
from frtaudit.core.rows import SHOWN, RowDigests, changed, cuts


def made(rows: list[int], first: int = 1) -> RowDigests:
    """Digests that are the rows themselves: no two contents share one."""
    length, strides = cuts(len(rows))
    return RowDigests(
        unit="line",
        first=first,
        count=len(rows),
        blocks=tuple(str(rows[start : start + length]) for start in range(0, len(rows), length)),
        strides=tuple(str(rows[start::strides]) for start in range(min(strides, len(rows)))),
    )


@given(st.integers(1, 3000), st.data())
def test_one_changed_row_is_named(count: int, data: st.DataObject) -> None:
    """Whichever row of a file it is, its number is the one that is said."""
    row = data.draw(st.integers(0, count - 1))
    rows = [0] * count
    before = made(rows, first=7)
    rows[row] = 1
    said = changed(before, made(rows, first=7))
    assert said == f"line {row + 7} is not the one that the report was made from"


@given(st.integers(1, 200), st.data())
def test_changed_rows_are_among_those_named(count: int, data: st.DataObject) -> None:
    """All changed rows are named, up to ten; what is said to have changed at least, has."""
    picked = data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=4))
    rows = [0] * count
    before = made(rows)
    for row in picked:
        rows[row] = 1
    said = changed(before, made(rows))
    least = re.match(r"at least ([\d,]+) lines", said)
    if least:
        assert len(picked) >= int(least[1])
    named = [int(word) for word in re.findall(r"\d+", said.split("among")[-1])]
    if "..." not in said:
        assert {row + 1 for row in picked} <= set(named)
    if "among" not in said:
        assert {row + 1 for row in picked} == set(named)
    assert len(named) <= SHOWN


@pytest.mark.parametrize("count", [1, 2, 100, 4096, 10**6, 2**20, 10**8])
def test_the_list_of_digests_stays_short(count: int) -> None:
    """At most 3 sqrt(N) + 3 digests, and never more than 2,048."""
    length, strides = cuts(count)
    number = -(-count // length) + strides
    assert number <= min(3 * count**0.5 + 3, 2048)
    assert count > 2**20 or length == strides


def test_added_and_removed_rows_are_counted() -> None:
    """Another number of rows is said, with the block where the files part."""
    rows = list(range(100))
    said = changed(made(rows), made([*rows[:40], -1, *rows[40:]]))
    assert said.startswith("holds 101 lines, the report was made from 100 lines")
    assert said.endswith("one of lines 33 to 48")
    assert changed(made(rows), made(rows * 9)).startswith("holds 900 lines")


def test_bytes_between_rows_are_no_row() -> None:
    """A file whose rows are all the same was changed elsewhere: its line ends, its compression."""
    assert changed(made([1, 2]), made([1, 2])).startswith("every line is the one")


def test_digests_read_back() -> None:
    """from_json(to_json(x)) == x."""
    assert from_json(RowDigests, to_json(made([1, 2, 3]))) == made([1, 2, 3])
