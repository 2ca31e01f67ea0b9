from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded, coded_of
from frtaudit.inputs.places import paths_below
from frtaudit.inputs.score_lists import gathering
from frtaudit.inputs.score_lists.fields import Fields
from frtaudit.inputs.score_lists.gathering import Gathered, people_of


def coded(*texts: str) -> Coded:
    """Texts as a coded column."""
    return coded_of(np.array(texts, dtype=object))


def gathered(
    reference: Coded, probe: Coded, of_reference: Coded, of_probe: Coded, name: str = "x"
) -> Gathered:
    """Lines with a score of 0."""
    read = Fields(name=name, texts={}, score=np.zeros(probe.code.size), lines=None, first=1)
    return Gathered(read=read, sample=(reference, probe), subject=(of_reference, of_probe), columns={})


def test_a_sample_has_one_subject() -> None:
    """Within a side, between sides and between files, lines that disagree about a sample are named."""
    fine = gathered(coded("r", "r"), coded("p", "q"), coded("A", "A"), coded("A", "B"))
    assert people_of([fine, fine]).subjects == ["A", "A", "B"]
    with pytest.raises(DataError, match="x line 2: gives a probe a different subject than an earlier line"):
        people_of([gathered(coded("r", "r"), coded("p", "p"), coded("A", "A"), coded("A", "B"))])
    with pytest.raises(DataError, match="x line 1: gives a sample a different subject than x line 1"):
        people_of([gathered(coded("r"), coded("r"), coded("A"), coded("B"))])
    other = gathered(coded("s", "r"), coded("t", "u"), coded("A", "C"), coded("C", "C"), "y")
    with pytest.raises(DataError, match="y line 2: gives a sample a different subject than x line 1"):
        people_of([fine, other])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_repeats_are_found(pairs: list[tuple[int, int]]) -> None:
    """The first line whose comparison stood before is named, with the line where it stood; else nothing."""
    item = gathered(*(coded(*(f"{kind}{pair[side]}" for pair in pairs)) for side, kind in ((0, "r"), (1, "p"))),
                    coded(*"A" * len(pairs)), coded(*"A" * len(pairs)))  # fmt: skip
    again = next((row for row, pair in enumerate(pairs) if pair in pairs[:row]), None)
    if again is None:
        gathering._check_repeats(item)
        return
    before = pairs.index(pairs[again]) + 1
    with pytest.raises(DataError, match=f"x line {again + 1}: the comparison of line {before} again"):
        gathering._check_repeats(item)


def test_large_tables_are_sorted_instead() -> None:
    """Marking pairs in a table, and sorting them where the table would be too large, find the same."""
    for key in (np.arange(50), np.array([3, 1, 4, 1])):
        repeated = len(set(key.tolist())) < key.size
        assert gathering._repeats(key, 50) == gathering._repeats(key, 1 << 40) == repeated


def test_names_of_systems_are_unique(tmp_path: Path) -> None:
    """Two files of one stem would be one system; hidden files are none."""
    for name in ("a.txt", "a.csv", ".hidden"):
        (tmp_path / name).write_text("x")
    with pytest.raises(DataError, match="two files are called a"):
        paths_below(tmp_path, (), [])
    assert [path.name for path in paths_below(tmp_path, ("a.csv",), [])] == ["a.csv"]
    assert [path.name for path in paths_below(tmp_path, (), ["a.csv"])] == ["a.txt"]
