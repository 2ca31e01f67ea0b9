"""Embeddings in one file, whatever its layout: rows of numbers, with or without ids, people and flags."""

import re
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any  # Any: pyarrow has no types

import numpy as np

from frtaudit.core.arrays import Array, Flags, Floats, Singles
from frtaudit.core.machine.files import check_regular
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError
from frtaudit.inputs.importing.array_files import ARRAYS, PLAIN, ArrayHeader, arrays, headers, is_converted
from frtaudit.inputs.importing.contents import IMAGES, Contents
from frtaudit.inputs.importing.values import Options
from frtaudit.inputs.table_texts import separator_in
from frtaudit.inputs.tables import (
    SUFFIXES,
    Table,
    read_table,
    table_stem,
    table_suffix,
    unreadable,
)
from frtaudit.inputs.template_files import in_float32

EMBEDDING = ("embedding", "embeddings", "features", "feats", "feature", "feat", "representations",
             "vectors", "embs", "emb", "X", "x", "")  # fmt: skip
ANY_ARRAY = ("X", "x", "")  # names that whole numbers have which are labels or images
IDS = ("image_id", "sample_id", "ids", "id", "paths", "path", "names", "name", "identity", "filenames", "filename",
       "file_name", "files", "file", "img_names", "image", "images", "key")  # fmt: skip
SUBJECTS = ("subject_id", "subject", "subjects", "person", "person_id", "identity_id",
            "id_num", "individual", "labels", "label", "y")  # fmt: skip
HAS = "has_embedding"  # of DeepFace
WIDE = 16  # numbered columns, or numbers of a list of any name, that make an embedding
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>\d{1,5})")
KINDS = (*ARRAYS, *SUFFIXES)
_PLAIN = frozenset(f"{string.ascii_lowercase}{string.digits}._-")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vectors:
    """Embeddings of one file: ``vectors`` (M, D) float32 as stored; the rest has M entries or is None.

    ``here``: False for a row that the file marks as no embedding; ``ids_file``: the file of the ids, if it is another.
    """

    file: str
    vectors: Singles
    ids: Sequence[str] | None = None
    subjects: Sequence[str] | None = None
    here: Flags | None = None
    table: Table | None = None
    ids_file: str = ""

    @property
    def system(self) -> str:
        """The name of the system."""
        return system_name(self.file)


def system_name(file: str) -> str:
    """The name of a system: the file's name without its ending, in lower case, its words joined by ``_``.

    >>> system_name("out/Vendor A.npz"), system_name("b.csv.gz"), system_name("מדקק (2026).npz")
    ('vendor_a', 'b', 'מדקק_2026')
    """
    name = table_stem(PurePosixPath(file).name).removesuffix(PLAIN)
    text = unicodedata.normalize("NFC", name.lower())
    words = "".join(mark if mark in _PLAIN or is_of_a_script(mark) else " " for mark in text).split()
    return "_".join(words).strip("_") or "system"


def is_of_a_script(mark: str) -> bool:
    """Whether a character is a letter, a digit or a mark on one, none of ASCII."""
    return not mark.isascii() and unicodedata.category(mark)[0] in "LMN"


def refuse_shared_names(files: Sequence[str]) -> None:
    """Raise :class:`DataError` for two files whose systems would have one name."""
    first: dict[str, str] = {}
    for file in files:
        system = system_name(file)
        if (other := first.setdefault(system, file)) != file:
            raise DataError(file, f"is system {system!r}, and so is {other}", "a name for each system")


def vectors_in(folder: Contents, name: str, options: Options) -> Vectors | None:
    """The embeddings of a file, or None where it holds none.

    Raises :class:`DataError` where the file cannot be read, holds objects, or has several arrays that could be meant.
    """
    if is_converted(name, folder.files):
        return None
    if name.endswith(ARRAYS):
        return _of_arrays(folder, name, options)
    if name.endswith(".parquet") or _is_wide(folder, name):
        return _of_table(read_table(folder.path(name), name), name, options)
    return None


def described(folder: Contents, name: str) -> str | None:
    """What embeddings a file holds, in words, or None; only headers are read."""
    if is_converted(name, folder.files):
        return None
    if name.endswith(ARRAYS):
        array_headers = headers(folder.path(name), name)
        matrices = [
            f"{key or 'array'} {array_headers[key].shape[0]} x {array_headers[key].shape[1]}"
            for key in _matrices(array_headers)
        ]
        return ", ".join(matrices[:2]) or None
    if name.endswith(".parquet"):
        schema = _parquet_schema(folder, name)
        known = [text for text in EMBEDDING if text in schema.names]
        return "a table of embeddings" if known or _wide_columns(schema.names) else None
    return "a table with numbered columns or lists of numbers" if _is_wide(folder, name) else None


def possible(folder: Contents, name: str) -> list[str]:
    """Arrays of whole numbers and columns of lists that ``embedding`` may name; a ``.npy`` file's has no name."""
    if is_converted(name, folder.files):
        return []
    if name.endswith(ARRAYS):
        return [key for key, header in headers(folder.path(name), name).items() if _is_matrix(header, "iu")]
    if name.endswith(".parquet"):
        schema = _parquet_schema(folder, name)
        return [column.name for column in schema if _is_list(column.type)]
    if _is_wide(folder, name):
        return _list_columns(read_table(folder.path(name), name), least=1)
    return []


def _is_matrix(header: ArrayHeader, kinds: str) -> bool:
    return len(header.shape) == 2 and header.dtype.kind in kinds and min(header.shape) > 0


def _matrices(
    array_headers: Mapping[str, ArrayHeader], asked: str = "", *, any_name: bool = False
) -> list[str]:
    """The arrays that may be embeddings: rows of floats, else rows of whole numbers that are named as embeddings are.

    Other whole numbers are labels or images as well: they count if ``asked`` names them, or in a file that the user
    names (``any_name``).
    """
    floats = [key for key, header in array_headers.items() if _is_matrix(header, "f")]
    whole = [key for key, header in array_headers.items() if _is_matrix(header, "iu")]
    if asked and asked in whole:
        return [asked]
    return floats or [key for key in whole if any_name or key in {*EMBEDDING} - {*ANY_ARRAY}]


def _parquet_schema(folder: Contents, name: str) -> Any:  # noqa: ANN401  pyarrow has no types
    import pyarrow.parquet as pq

    check_regular(folder.path(name), name)
    try:
        return pq.read_schema(folder.path(name))
    except unreadable():
        raise DataError(name, "not a readable Parquet file", "a Parquet file") from None


def _is_list(kind: Any) -> bool:  # noqa: ANN401  pyarrow has no types
    """Whether a column of Parquet holds lists of numbers."""
    from pyarrow import types

    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    numbers = (types.is_floating, types.is_integer)
    return any(test(kind) for test in lists) and any(test(kind.value_type) for test in numbers)


def _of_arrays(folder: Contents, name: str, options: Options) -> Vectors | None:
    array_headers = headers(folder.path(name), name)
    matrices = _matrices(array_headers, options.embedding, any_name=options.file == name)
    if not matrices:
        return None
    embedding = _one(matrices, EMBEDDING, options.embedding, name, "embedding")
    rows = array_headers[embedding].shape[0]
    beside = {key: header for key, header in array_headers.items() if header.shape == (rows,)}
    wanted = {"embedding": embedding}
    for key, names, asked in (("ids", IDS, options.id), ("subjects", SUBJECTS, options.subject)):
        chosen = asked if asked in beside else next((text for text in names if text in beside), None)
        wanted |= {key: chosen} if chosen is not None else {}
    if "ids" not in wanted:
        texts = [key for key in beside if beside[key].dtype.kind in "US" and key not in set(wanted.values())]
        wanted |= {"ids": texts[0]} if len(texts) == 1 else {}
    if HAS in beside and beside[HAS].dtype.kind == "b":
        wanted["here"] = HAS
    read = arrays(folder.path(name), name, wanted)
    here = np.asarray(read["here"], dtype=np.bool_) if "here" in read else None
    numbers = read["embedding"] if here is None else np.where(here[:, None], read["embedding"], 0)
    return Vectors(
        file=name,
        vectors=in_float32(numbers, name),
        ids=_texts(read.get("ids")),
        subjects=_texts(read.get("subjects")),
        here=here,
    )


def _one(candidates: Sequence[str], names: Sequence[str], asked: str, file: str, option: str) -> str:
    """The array or column that is meant: the one asked for, the only one, or the first of the known names."""
    if asked:
        if asked not in candidates:
            raise DataError(option, f"{file} has no {asked!r} of rows of numbers", ", ".join(candidates))
        return asked
    known = [name for name in names if name in candidates]
    if len(candidates) == 1 or known:
        return known[0] if known else candidates[0]
    raise DataError(file, f"{len(candidates)} arrays of rows of numbers", choices(option, candidates))


def _texts(values: Array | None) -> list[str] | None:
    if values is None:
        return None
    if values.dtype.kind == "S":
        return [text.decode("utf-8", "replace") for text in values.tolist()]
    return [str(text) for text in values.tolist()]


def _is_wide(folder: Contents, name: str) -> bool:
    head = folder.head(name)
    if not table_suffix(name) or len(head) < 2:
        return False
    separator = separator_in(head[0])
    columns = [text.strip().strip('"') for text in head[0].split(separator)]
    lists = '"[' in head[1] or (separator != "," and f"{separator}[" in f"{separator}{head[1]}")
    return bool(_wide_columns(columns)) or lists or any(text in columns for text in EMBEDDING[:9])


def _wide_columns(columns: Sequence[str]) -> list[str]:
    """The longest run of columns that are numbered: f0, f1, ...; none where it is short."""
    runs: dict[str, dict[int, str]] = {}
    for column in columns:
        match = _NUMBERED.fullmatch(column)
        if match:
            runs.setdefault(match["stem"], {})[int(match["number"])] = column
    best = max(runs.values(), key=len, default={})
    numbers = sorted(best)
    whole = numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else False
    return [best[number] for number in numbers] if whole and len(numbers) >= WIDE else []


def _of_table(table: Table, name: str, options: Options) -> Vectors | None:
    wide = _wide_columns(table.columns)
    if wide and not options.embedding:
        stacked = np.stack([_parsed(table, column) for column in wide], axis=1)
        vectors, taken = in_float32(stacked, name), set(wide)
    else:
        column = _list_column(table, options.embedding, any_name=options.file == name)
        if column is None:
            return None
        vectors, taken = in_float32(_listed(table, column), name), {column}
    ids, subjects = (
        table.find([asked] if asked else known)
        for asked, known in ((options.id, IDS), (options.subject, SUBJECTS))
    )
    rest = replace(table, frame=table.frame.drop(columns=list(taken)))
    if ids is None and len(candidates := id_columns(rest)) == 1:
        (ids,) = candidates
    return Vectors(
        file=name,
        vectors=vectors,
        ids=_column(table, ids),
        subjects=_column(table, subjects),
        table=rest if len(rest.columns) else None,
    )


def _list_column(table: Table, asked: str, *, any_name: bool) -> str | None:
    """The column of embeddings: the one asked for, one of a known name, or with ``any_name`` that of long lists."""
    known = table.find([asked] if asked else [text for text in EMBEDDING if text])
    lists = [] if known or not any_name else _list_columns(table, WIDE)
    return _one(lists, (), asked, table.name, "embedding") if lists else known


def _list_columns(table: Table, least: int) -> list[str]:
    """The columns of which the first cell is a list of at least so many numbers."""

    def length(cell: object) -> int:
        try:
            numbers = np.asarray(_bracketed(cell) if isinstance(cell, str) else cell, dtype=np.float64)
        except (TypeError, ValueError):
            return 0
        return numbers.size if numbers.ndim == 1 else 0

    return [
        name for name in table.columns if any(length(cell) >= least for cell in table.frame[name].head(1))
    ]


def id_columns(table: Table) -> list[str]:
    """The columns that name another image file in each row, or else those with another word in each."""
    texts = {name: table.texts(name).tolist() for name in table.columns}
    distinct = {name: ids for name, ids in texts.items() if len(set(ids)) == len(ids) and all(ids)}
    images = [name for name, ids in distinct.items() if all(text.lower().endswith(IMAGES) for text in ids)]
    return images or [name for name, ids in distinct.items() if all(map(_no_number, ids))]


def _column(table: Table, name: str | None) -> list[str] | None:
    return None if name is None else table.texts(name).tolist()


def _parsed(table: Table, column: str) -> Floats:
    numbers = table.numbers(column)
    if numbers is not None:
        return numbers
    texts = table.number_texts(column)
    try:
        return np.array([float(text) if text else np.nan for text in texts])
    except ValueError:
        row = next(row for row, text in enumerate(texts) if _no_number(text))
        problem = f"column {column!r} holds no number"
        raise DataError(table.place(row), problem, "a number, or nothing") from None


def _no_number(text: str) -> bool:
    try:
        float(text or "nan")
    except ValueError:
        return True
    return False


def _listed(table: Table, column: str) -> Array:
    """A column of lists (Parquet), or of texts like ``[0.1, 0.2]`` (CSV, pgvector)."""
    cells = table.frame[column].tolist()
    read: Callable[[object], object] = (
        _bracketed if cells and isinstance(cells[0], str) else lambda cell: cell
    )
    rows = []
    for row, cell in enumerate(cells):
        try:
            numbers = np.asarray(read(cell))
            rows.append(numbers.astype(np.float64, copy=False) if numbers.dtype != np.float32 else numbers)
        except (TypeError, ValueError):
            problem = f"column {column!r} holds no list of numbers"
            raise DataError(table.place(row), problem, "[0.1, 0.2, ...]") from None
        if rows[row].ndim != 1 or rows[row].shape != rows[0].shape:
            text = f"{rows[row].size} numbers, the first row has {rows[0].size}"
            raise DataError(table.place(row), text, "as many numbers in each row")
    return np.stack(rows)


def _bracketed(cell: object) -> list[float]:
    text = str(cell).strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(text)
    return [float(part) for part in re.split(r"[,\s]+", text[1:-1].strip())]
