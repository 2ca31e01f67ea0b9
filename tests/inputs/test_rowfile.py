"""Tests of frtaudit.inputs.rowfile."""

import gzip
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frtaudit.core.rows import changed
from frtaudit.errors import DataError
from frtaudit.inputs.rowfile import row_digests

ROWS = 50


def as_text(path: Path, scores: list[float]) -> None:
    """A score list as CSV, its header on line 1."""
    path.write_text("\n".join(["probe,score", *(f"a{row},{score}" for row, score in enumerate(scores))]))


def as_packed(path: Path, scores: list[float]) -> None:
    """The same, compressed."""
    as_text(path, scores)
    path.write_bytes(gzip.compress(path.read_bytes()))


def as_table(path: Path, scores: list[float]) -> None:
    """The same as Parquet."""
    pd.DataFrame({"probe": [f"a{row}" for row in range(ROWS)], "score": scores}).to_parquet(path)


def as_templates(path: Path, scores: list[float]) -> None:
    """Templates of one dimension."""
    ids = np.array([f"a{row}" for row in range(ROWS)])
    np.savez(path, embedding=np.float32(scores)[:, None], image_id=ids, version=np.int64(3))


@pytest.mark.parametrize(
    ("write", "name", "said"),
    [
        (as_text, "s.csv", "line 19 "),
        (as_text, "s.tsv", "line 19 "),
        (as_packed, "s.csv.gz", "line 19 "),
        (as_table, "s.parquet", "row 18 "),
        (as_templates, "s.npz", "row 17 "),
    ],
)
def test_a_changed_row_is_found_again(
    write: Callable[[Path, list[float]], None], name: str, said: str, tmp_path: Path
) -> None:
    """One changed score of a list, of a table, or one changed template is named as errors count its rows."""
    scores = [0.5] * ROWS
    write(tmp_path / name, scores)
    before = row_digests(tmp_path / name)
    assert before == row_digests(tmp_path / name)
    scores[17] = 0.51
    write(tmp_path / name, scores)
    after = row_digests(tmp_path / name)
    assert before is not None
    assert after is not None
    assert changed(before, after).startswith(said)


def test_line_ends_are_no_part_of_a_row(tmp_path: Path) -> None:
    """A list written on another system has the same rows."""
    (tmp_path / "a.csv").write_bytes(b"x\n1\n2\n")
    (tmp_path / "b.csv").write_bytes(b"x\r\n1\r\n2")
    assert row_digests(tmp_path / "a.csv") == row_digests(tmp_path / "b.csv")


def test_a_file_without_rows_has_none(tmp_path: Path) -> None:
    """Nothing is said of an empty file, or of one of another kind."""
    (tmp_path / "a.csv").write_bytes(b"")
    (tmp_path / "key.bin").write_bytes(b"x")
    assert row_digests(tmp_path / "a.csv") is row_digests(tmp_path / "key.bin") is None


def test_an_array_that_lies_about_its_shape_is_one_line(tmp_path: Path) -> None:
    """A member whose header promises more than the file holds is refused; its digest cannot be taken."""
    path = tmp_path / "m.npz"
    np.savez(path, a=np.zeros(3))
    with zipfile.ZipFile(path, "a") as held:
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999,), }\n"
        held.writestr("b.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(DataError, match=r"m\.npz: an array that cannot be read"):
        row_digests(path)


def test_rows_are_hashed_one_block_at_a_time(tmp_path: Path) -> None:
    """Beside the file's own array a few blocks are in memory, not a copy of it in blocks and another in strides."""
    np.savez(tmp_path / "t.npz", embedding=np.zeros((4000, 64), dtype=np.float32))
    row_digests(tmp_path / "t.npz")
    tracemalloc.start()
    try:
        row_digests(tmp_path / "t.npz")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.7 * 4000 * 64 * 4
