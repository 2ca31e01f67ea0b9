import gzip
import os
import re
import signal
from pathlib import Path

import pandas as pd
import pytest

from frtaudit.core.machine import signals
from frtaudit.errors import DataError
from frtaudit.inputs.tables import read_table, table_stem, table_suffix


def table_file(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def test_values_stay_text(tmp_path: Path) -> None:
    """No value is read as a number, a truth value or a missing one."""
    table = read_table(table_file(tmp_path, "id,x\n010,no\n1.0,NA\n"), "t.csv")
    assert table.texts("id").tolist() == ["010", "1.0"]
    assert table.texts("x").tolist() == ["no", "NA"]


def test_parquet_and_csv_read_alike(tmp_path: Path) -> None:
    """A Parquet table reads as the CSV of the same values, nulls as empty text, integers without a point."""
    frame = pd.DataFrame({"id": ["a", "b"], "age": pd.array([30, None], dtype="Int64")})
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", "t.parquet")
    assert table.texts("age").tolist() == ["30", ""]
    assert table.place(1) == "t.parquet row 2"


def test_a_line_is_named_as_an_editor_counts_it(tmp_path: Path) -> None:
    """Places count the header, blank lines and the lines of a field in quotes."""
    table = read_table(table_file(tmp_path, "id,x\n1,a\n\n2,b\n"), "t.csv")
    assert [table.place(row) for row in range(2)] == ["t.csv line 2", "t.csv line 4"]
    text = 'sep=;\r\nid;x\r\n"1\n\n";"a\nb"\r\n2;b\r\n\r\n3;c'
    table = read_table(table_file(tmp_path, text), "t.csv")
    assert [table.place(row) for row in range(3)] == ["t.csv line 3", "t.csv line 7", "t.csv line 9"]
    table = read_table(table_file(tmp_path, 'a,b\n1,"x\ny"\n3,4'), "t.csv")
    assert [table.place(row) for row in range(2)] == ["t.csv line 2", "t.csv line 4"]
    table = read_table(table_file(tmp_path, '"a\nz",b\n1,2\n"3\n",4\n5,6\n'), "t.csv")
    assert [table.place(row) for row in range(3)] == ["t.csv line 3", "t.csv line 4", "t.csv line 6"]


def test_a_byte_order_mark_is_no_part_of_the_header(tmp_path: Path) -> None:
    """A file as spreadsheets save it has the column that it shows."""
    assert read_table(table_file(tmp_path, "\ufeffid,x\r\n1,a\r\n"), "t.csv").columns == ("id", "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a readable CSV"),
        ("id,x\n", "holds no row"),
        ("id,id\n1,2\n", "column id appears twice"),
        ("id,x\n1,2\n3,4,5\n", "line 3"),
        ("id,x\n1,2,3\n3,4,5\n", "line 2: holds more fields than the header"),
        ('id,x\n1,2\n"3,4\n5,6\n', "line 3: a quote is not closed; accepted: quotes in pairs"),
        ('id,x\n"1\n\n",2\n3,4\n3,4,5\n', "line 6: holds more fields than the header; accepted: as many"),
        ('sep=,\nid\n"1\n"\n3,4\n', "line 5: holds more fields"),
        ('"i\nd",x\n1,2,3\n', "line 3: holds more fields"),
        ('id,x\n"1\n\n",2\n\n"3,4\n', "line 6: a quote is not closed"),
        ('id,x\n"1\n",2\n"3,4\n' + "5,6\n" * 50_000, "line 4: a quote is not closed"),
        (
            "7,7,0.5\n1,2,0.25\n",
            "the first line is no header: it holds a number, and a text twice; accepted: uni",
        ),
        ('sep=,\nid,x\n1,2\n"3,4\n', "line 4: a quote is not closed; accepted: quotes in pairs"),
    ],
)
def test_a_bad_csv_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """Empty, ragged and ambiguous files are refused by name."""
    with pytest.raises(DataError, match=message) as caught:
        read_table(table_file(tmp_path, text), "t.csv")
    assert re.match(r"t\.csv( line \d+)?: ", str(caught.value))
    assert "\n" not in str(caught.value)


def test_columns_without_a_name_are_no_repeat(tmp_path: Path) -> None:
    """A spreadsheet writes a comma for each column that once held something."""
    table = read_table(table_file(tmp_path, "id,x,,\n1,2,,\n3,4,,\n"), "t.csv")
    assert table.texts("x").tolist() == ["2", "4"]


def test_unreadable_files_are_one_line(tmp_path: Path) -> None:
    """A missing file, bytes that are no UTF-8, a false Parquet file, another suffix: each a DataError."""
    (tmp_path / "latin.csv").write_bytes(b"id\n\xff\xfe\n")
    (tmp_path / "false.parquet").write_bytes(b"no parquet")
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    for name, message in (
        ("none.csv", "none.csv: no file "), ("latin.csv", "latin.csv line 2: byte 1 of the line is not UTF-8"),
        ("false.parquet", "not a readable Parquet"), ("t.xlsx", "cannot read a .xlsx"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=message):
            read_table(tmp_path / name, name)


@pytest.mark.parametrize("sign", [";", "\t"])
def test_semicolons_or_tabs_part_fields_too(tmp_path: Path, sign: str) -> None:
    """Whatever a header has most of; of semicolons alone numbers may have a comma, and quotes hold what they hold."""
    table = read_table(table_file(tmp_path, f'photo{sign}person\r\n"a,{sign}b"{sign}c\r\n'), "t.csv")
    assert (table.columns, table.texts("photo").tolist()) == (("photo", "person"), [f"a,{sign}b"])
    assert table.decimal_comma == (sign == ";")
    assert read_table(table_file(tmp_path, f"a{sign}b,c\n1,2\n"), "t.csv").columns == (f"a{sign}b", "c")
    header = f"name, whole{sign}b{sign}c"
    assert read_table(table_file(tmp_path, f"{header}\n1{sign}2{sign}3\n"), "t.csv").columns == (
        "name, whole",
        "b",
        "c",
    )
    with pytest.raises(DataError, match="column a appears twice"):
        read_table(table_file(tmp_path, f"a{sign}a\n1{sign}2\n"), "t.csv")


def test_a_missing_column_names_those_there(tmp_path: Path) -> None:
    """The error lists the names that were looked for and the columns of the file."""
    table = read_table(table_file(tmp_path, "id,x\n1,2\n"), "t.csv")
    assert table.find(("y", "x")) == "x"
    with pytest.raises(DataError, match="no column y or z among id, x; accepted: a column y"):
        table.need(("y", "z"))


def test_of_many_columns_some_are_named(tmp_path: Path) -> None:
    """A matrix has a column for each sample."""
    header = ",".join(f"c{number}" for number in range(42))
    with pytest.raises(DataError, match="among c0, c1, .*, c39 and 2 more; accepted"):
        read_table(table_file(tmp_path, f"{header}\n1\n"), "t.csv").need(("y",))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_more_columns_than_anybody_names_are_refused(suffix: str, tmp_path: Path) -> None:
    """In one line, before the rows are read: 20,000 columns took half a minute."""
    names = [f"c{number}" for number in range(5001)]
    path = tmp_path / f"metadata{suffix}"
    if suffix == ".csv":
        path.write_text(",".join(names) + "\n")
    else:
        pd.DataFrame([range(5001)], columns=names).to_parquet(path)
    with pytest.raises(DataError, match=r"^it: 5001 columns; accepted: at most 5000$"):
        read_table(path, "it")


def test_a_signal_is_heard_between_two_tables(tmp_path: Path) -> None:
    """A cohort of many files is read in many steps."""
    with signals.listening():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(signals.Stopped):
            read_table(tmp_path / "missing.csv", "missing.csv")


PLAIN = "id\tx\n1\ta, b\n2\tc\n"


@pytest.mark.parametrize("name", ["t.tsv", "T.TSV", "t.csv.gz", "t.tsv.gz", "t.TSV.gz"])
def test_tables_are_known_by_the_end_of_their_name(tmp_path: Path, name: str) -> None:
    """Tabs and compression change nothing: the same values, the same lines."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(PLAIN.encode()) if name.endswith("gz") else PLAIN.encode())
    table = read_table(path, name)
    assert (table.columns, table.texts("x").tolist()) == (("id", "x"), ["a, b", "c"])
    assert table.place(1) == f"{name} line 3"
    assert (table_suffix(name), table_stem(name)) == (name.lower()[1:], name[0])


@pytest.mark.parametrize(
    ("first", "sign"), [("sep=;\r\n", ";"), ("\ufeffSEP=,\n", ","), ('"sep=\t"\n', "\t")]
)
def test_a_first_line_may_say_what_separates_fields(tmp_path: Path, first: str, sign: str) -> None:
    """As for Excel: it is no row, and lines are counted with it, whatever else the header holds."""
    table = read_table(table_file(tmp_path, f'{first}"a,;,;b"{sign}c\n1{sign}2.5\n'), "t.csv")
    assert (table.columns, table.place(0), table.decimal_comma) == (
        ("a,;,;b", "c"),
        "t.csv line 3",
        sign == ";",
    )
    with pytest.raises(DataError, match=r"^t.csv line 1: says that '\|' separates fields; accepted: a comma"):
        read_table(table_file(tmp_path, "sep=|\na|b\n1|2\n"), "t.csv")


def test_what_is_no_text_is_one_line(tmp_path: Path) -> None:
    """A zero byte, by its line; UTF-16; a file that was cut short, or is not compressed, or unpacks to very much."""
    packed = gzip.compress(b"id,x\n" + b"1,2\n" * 1000)
    for name, data, message in (
        ("t.csv", b"id,x\n1,a\n2,b\0c\n", "t.csv line 3: holds a zero byte; accepted: UTF-8 text"),
        ("t.csv", "id,x\n1,a\n".encode("utf-16"), "t.csv: the text is UTF-16; accepted: UTF-8 text"),
        ("t.csv.gz", packed[:-20], "t.csv.gz: not a readable CSV file"),
        ("t.csv.gz", b"id,x\n1,a\n", "t.csv.gz: not a readable CSV file"),
        ("t.csv.gz", gzip.compress(b"id,x\n" + bytes([32]) * (1 << 28)), "bytes packed into"),
    ):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match=message) as caught:
            read_table(tmp_path / name, name)
        assert "\n" not in str(caught.value)
