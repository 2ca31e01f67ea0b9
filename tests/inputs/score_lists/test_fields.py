from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from frtaudit.core.spec_values import Nan
from frtaudit.errors import DataError
from frtaudit.inputs.score_lists import fields
from frtaudit.inputs.score_lists.fields import SCORE, Layout, first_line, header_of, read_fields

THREE = Layout(columns=("a", "b", SCORE))
ID = st.text("abcé#'", min_size=1, max_size=3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    rows=st.lists(st.tuples(ID, ID, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=9)
)
def test_both_ways_read_alike(rows: list[tuple[str, str, float]], tmp_path: Path) -> None:
    """The fast reader and the one that lays out line by line give the same columns, bit for bit; text reads back."""
    fast, slow = tmp_path / "fast", tmp_path / "slow"
    fast.write_text("".join(f"{a} {b} {score!r}\n" for a, b, score in rows))
    slow.write_text("".join(f"{a}\t{b}  {score!r}\n" for a, b, score in rows))
    first, second = (read_fields(path, "x", THREE, ["b"], Nan.REFUSE) for path in (fast, slow))
    assert first.lines is None
    assert second.lines is not None
    for read in (first, second):
        assert [read.texts["b"].names[code] for code in read.texts["b"].code] == [row[1] for row in rows]
        assert np.array_equal(read.score, [row[2] for row in rows])
        assert len(set(read.texts["b"].names)) == len(read.texts["b"].names)


def test_blocks_are_joined(tmp_path: Path) -> None:
    """A file of several blocks has one code for each name, in the order of the lines."""
    path = tmp_path / "long"
    rows = [(f"name{i % 7}" + "x" * 50, i / 64) for i in range(60_000)]
    path.write_text("".join(f"k {name} {score}\n" for name, score in rows))
    assert path.stat().st_size > 3 * fields.LONGEST
    read = read_fields(path, "long", THREE, ["b"], Nan.REFUSE)
    assert len(read.texts["b"].names) == 7
    assert [read.texts["b"].names[code] for code in read.texts["b"].code[-9:]] == [
        row[0] for row in rows[-9:]
    ]
    assert read.score.tolist() == [score for _, score in rows]


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    """Remarks and a header move the number of a line, and the place says so."""
    path = tmp_path / "x"
    path.write_text("# one\n1 2 3\n# three\n1 2 nan\n")
    remarks = Layout(columns=THREE.columns, remarks=True)
    with pytest.raises(DataError, match="x line 4: the score is NaN"):
        read_fields(path, "x", remarks, [], Nan.REFUSE)
    with pytest.raises(DataError, match="x line 1: 2 fields"):
        read_fields(path, "x", THREE, [], Nan.REFUSE)
    path.write_text("a,b,score\n1,2,3\n1,,4\n")
    with pytest.raises(DataError, match="x line 3: b is empty; accepted: a name"):
        read_fields(path, "x", Layout(columns=THREE.columns, header=True), ["b"], Nan.REFUSE)
    read = read_fields(path, "x", Layout(columns=THREE.columns, header=True), ["a"], Nan.REFUSE, ["b"])
    assert list(read.texts["b"].names) == ["2", ""]


def test_quotes_hold_spaces(tmp_path: Path) -> None:
    """A field between double quotes may hold spaces, and quotes written twice."""
    path = tmp_path / "x"
    path.write_text('"an a" "say ""b""" 0.5\n')
    assert read_fields(path, "x", THREE, ["a", "b"], Nan.REFUSE).texts["b"].names == ['say "b"']


def test_headers_and_first_lines(tmp_path: Path) -> None:
    """The header is the first line; the first line of scores is the first that is not blank."""
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbfa, b,score\r\n")
    assert header_of(path, "x") == ("a", "b", "score")
    path.write_text("\n  \n 1 2 \n")
    assert first_line(path, "x") == "1 2"
    path.write_text("\n \n")
    with pytest.raises(DataError, match="x: the file is empty"):
        first_line(path, "x")
    with pytest.raises(DataError, match="is a folder"):
        first_line(tmp_path, "x")
