"""Columns of texts held once each: as texts would do, and the same services from every kind of file."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_formats import services_by_rows

from frtaudit.core.labelling import Faces, Service
from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded, coded_of, joined
from frtaudit.inputs.queries.faces import services_of
from frtaudit.inputs.score_lists.scorelist import read_scores
from frtaudit.inputs.tables import read_table

TEXTS = st.lists(st.sampled_from(["", "a", "b", "c d", "é"]), max_size=12)


def column(texts: Sequence[str]) -> Coded:
    """Texts as a column."""
    return coded_of(np.array(texts, dtype=object))


@given(TEXTS, TEXTS, st.sampled_from(["a", "new"]))
def test_a_column_says_what_its_texts_say(texts: list[str], others: list[str], fill: str) -> None:
    """Rows, parts, fillings and joins as lists of str have them; every name is used by a row, none is empty."""
    one, other = column(texts), column(others)
    assert one.texts().tolist() == texts
    assert [one.text(row) for row in range(len(texts))] == texts
    assert sorted(one.names.tolist()) == sorted(set(texts) - {""})
    assert one.at(slice(1, 4)).used().texts().tolist() == texts[1:4]
    assert set(one.at(slice(1, 4)).used().names.tolist()) == set(texts[1:4]) - {""}
    rows = np.array([text in {"", "b"} for text in texts], dtype=np.bool_)
    filled = one.filled(rows, fill)
    assert filled.texts().tolist() == [fill if text in {"", "b"} else text for text in texts]
    both = joined([one, other])
    assert both.texts().tolist() == texts + others
    assert both.names.tolist() == sorted(set(texts + others) - {""})


def test_parquet_columns_of_every_kind_read_as_their_texts(tmp_path: Path) -> None:
    """Dictionaries whose values are unused, empty or equal once stripped, one for each row group; plain text."""
    dictionary = pa.array([" a", "a ", "unused", " ", ""])
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 3, 4], pa.int32()), dictionary),
        pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 0, 1], pa.int32()), pa.array(["z", "a"])),
    ]
    texts = pa.chunked_array([part.cast(pa.string()) for part in parts])
    table = pa.table(
        {
            "dictionary": pa.chunked_array(parts),
            "text": texts,
            "large": texts.cast(pa.large_string()),
            "number": pa.array(range(10)),
            "numbers": pa.array(range(10)).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=5)
    read = read_table(tmp_path / "t.parquet", "t.parquet")
    for name in table.column_names:
        found = read.coded(name)
        assert found.texts().tolist() == read.texts(name).tolist()
        assert set(found.names.tolist()) == set(found.texts().tolist()) - {""}
    assert read.coded("dictionary").texts().tolist() == ["a", "a", "", "", "", "a", "z", "a", "z", "a"]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.int64(), pa.bool_(), pa.string()])
def test_numbers_are_those_that_texts_would_read_as(tmp_path: Path, kind: pa.DataType) -> None:
    """The same bits as through text; a column of truth values or texts is no column of numbers."""
    values = pa.array([0.1, 2.0, None, 1e-300]) if pa.types.is_floating(kind) else pa.array([1, 0, None, 1])
    pq.write_table(pa.table({"x": values.cast(kind)}), tmp_path / "t.parquet")
    read = read_table(tmp_path / "t.parquet", "t.parquet")
    found = read.numbers("x")
    if kind in (pa.bool_(), pa.string()):
        assert found is None
    else:
        slow = [float(text) if text else np.nan for text in read.texts("x")]
        assert np.array_equal(found, slow, equal_nan=True)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["two", "one"]),
        st.integers(0, 5),
        st.integers(0, 5),
        st.one_of(st.floats(-2, 2, width=32), st.sampled_from(["", "blur", "no_face"])),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda line: line[:3],
)


@given(lines=LINES)
def test_files_of_every_kind_give_the_services_of_a_slow_reading(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, int, int, float | str]]
) -> None:
    """CSV, Parquet of texts and Parquet of dictionaries: the same services as from rows, one by one, in Python."""
    folder, names = tmp_path_factory.getbasetemp(), tuple(f"face {n}" for n in range(6))
    faces = Faces(names=names, query_of=np.zeros(6, np.int32), queries=("q",), annotated=np.zeros(6, np.int8))
    rows = [
        {
            "provider": provider,
            "probe": names[i],
            "reference": names[j],
            "score": None if isinstance(said, str) else said,
            "failure": said if isinstance(said, str) else None,
        }
        for provider, i, j, said in lines
    ]
    expected = services_by_rows(faces, rows)
    for path in files_of_three_kinds(folder, rows):
        found, alone = services_of(faces, [read_scores(path, path.name)])
        assert [told(one) for one in found] == expected[0]
        assert alone == expected[1]


def files_of_three_kinds(folder: Path, rows: Sequence[Mapping[str, object]]) -> list[Path]:
    """The rows as files of three kinds."""
    table = pa.Table.from_pylist(
        [dict(row) for row in rows],
        schema=pa.schema(
            [
                *((name, pa.string()) for name in ("provider", "probe", "reference", "failure")),
                ("score", pa.float64()),
            ]
        ),
    )
    paths = [folder / name for name in ("lines.csv", "plain.parquet", "coded.parquet")]
    with paths[0].open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    pq.write_table(table, paths[1])
    coded = [part.dictionary_encode() if pa.types.is_string(part.type) else part for part in table.columns]
    pq.write_table(pa.table(coded, names=table.column_names), paths[2], row_group_size=3)
    return paths


def told(service: Service) -> tuple[object, ...]:
    """A service as plain values."""
    score = [None if np.isnan(value) else value for value in service.score.tolist()]
    codes = [None if code < 0 else service.codes[code] for code in service.failure.tolist()]
    return service.name, service.first.tolist(), service.second.tolist(), score, codes, service.codes


def test_faults_of_a_parquet_list_name_the_row(tmp_path: Path) -> None:
    """An infinite score, a score with a code, an empty id, an unknown face: the row, counted from 1."""
    good = {"probe": ["a", "b"], "reference": ["b", "a"], "score": [0.5, 0.5], "failure": [None, None]}
    faces = Faces(names=("a", "b"), query_of=[0, 0], queries=("q",), annotated=[1, 1])
    wrong = [
        ({"score": [0.5, float("inf")]}, "the score is infinite"),
        ({"failure": [None, "blur"]}, "both a score and a failure code"),
        ({"probe": ["a", None]}, "an id is empty"),
        ({"reference": ["b", "c"]}, "a face that the list of faces lacks"),
    ]
    for change, message in wrong:
        table = pa.table(good | change)
        pq.write_table(table, tmp_path / "s.parquet")
        with pytest.raises(DataError, match=f"s.parquet row 2: {message}"):
            services_of(faces, [read_scores(tmp_path / "s.parquet", "s.parquet")])
