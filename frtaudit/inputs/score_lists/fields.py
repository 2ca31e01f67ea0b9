"""Lines of fields, as other programs write scores: columns of coded text, and the score, read in one pass.

What the fast reader does not take is read again line by line: that either finds the first line at fault, or lays out
for the fast reader what a person would call harmless (tabs, runs of spaces, remarks, empty lines at the end).
"""

import csv
import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from frtaudit.core.spec_values import Nan
from frtaudit.errors import DataError, excerpt
from frtaudit.inputs.number_signs import is_number, may_be_thousands
from frtaudit.inputs.places import need_scores
from frtaudit.inputs.tables import check_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from frtaudit.core.arrays import Flags, Floats, Ints
    from frtaudit.inputs.coded import Coded

SCORE = "score"
LONGEST = 1 << 20  # bytes of a line
_REMARK = b"#"
_UNEVEN = (b"\t", b"  ", b"\n ", b" \n", b" \r", b'"')  # what is laid out anew between spaces
_UTF8, _OTHERS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How lines are to be read: ``columns`` by name, in their order, the score one of them.

    ``header``: the first line names the columns, and commas part them; else there is none, and white space does.
    ``remarks``: lines that begin with # are none. ``others``: what else the caller would have taken, for errors.
    """

    columns: tuple[str, ...]
    header: bool = False
    remarks: bool = False
    others: str = ""

    @property
    def expected(self) -> str:
        """For an error: what a line is to hold."""
        parted = "commas" if self.header else "spaces"
        if len(self.columns) == 1:
            return f"one field: {self.columns[0]}"
        return f"{len(self.columns)} fields, separated by {parted}: {' '.join(self.columns)}{self.others}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """A file as it was read, P lines.

    ``texts``: an empty one is a name as others are. ``score``: (P,) float64, finite, or NaN where the spec takes that
    for a failure; ``lines``: (P,) int64, their numbers in the file, from 1, or None where they are ``first``,
    ``first`` + 1, ...
    """

    name: str
    texts: "dict[str, Coded]"
    score: "Floats"
    lines: "Ints | None"
    first: int

    def place(self, row: int) -> str:
        """Where row ``row`` stands in the file, for an error."""
        return f"{self.name} line {self.line(row)}"

    def line(self, row: int) -> int:
        """The number of row ``row``'s line."""
        return self.first + row if self.lines is None else int(self.lines[row])


def first_line(path: Path, name: str) -> str:
    """The first line that is not blank, stripped. Raises :class:`DataError` for what is not a text file."""
    need_scores(path, name)
    with path.open("rb") as stream:
        for number in range(1, LONGEST):
            line = _line(stream)
            _check_bytes(line, f"{name} line {number}", first=number == 1)
            if not line:
                break
            text = line.removeprefix(_UTF8).strip()
            if text:
                return _decoded(text, f"{name} line {number}")
    raise DataError(name, "the file is empty", "one comparison per line")


def header_of(path: Path, name: str) -> tuple[str, ...]:
    """The column names of a file with a header; :class:`DataError` when one appears twice."""
    need_scores(path, name)
    place = f"{name} line 1"
    with path.open("rb") as stream:
        line = _line(stream)
    _check_bytes(line, place, first=True)
    text = _decoded(line.removeprefix(_UTF8), place).strip()
    columns = tuple(column.strip() for column in _split_csv(text, place))
    check_columns(columns, place)
    return columns


def _line(stream: BinaryIO) -> bytes:
    r"""The next line, no more of it than shows that it is too long; it may end with ``\n``, ``\r\n`` or ``\r``."""
    line = stream.readline(LONGEST + 1)
    end = line.find(b"\r") + 1
    if 0 < end < len(line) and line[end:] != b"\n":
        stream.seek(end - len(line), os.SEEK_CUR)
        return line[:end]
    return line


def read_fields(
    path: Path, name: str, layout: Layout, wanted: Sequence[str], nan: Nan, perhaps: Sequence[str] = ()
) -> Fields:
    r"""Read the ``wanted`` columns, which no line may leave empty, those of ``perhaps``, and the score.

    Raises :class:`DataError` naming the first line at fault.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "scores"
    >>> _ = path.write_text("a a a_2 0.9\nb a a_2 0.1\n")
    >>> read = read_fields(path, "scores", Layout(columns=("claimed", "real", "label", SCORE)), ["real"], Nan.REFUSE)
    >>> read.texts["real"].texts().tolist(), read.score.tolist()
    (['a', 'a'], [0.9, 0.1])
    """
    import numpy as np
    import pyarrow as pa

    need_scores(path, name)
    columns = [*wanted, *perhaps, SCORE]
    first, lines = 1 + layout.header, None
    table = None if _uneven(path, name, layout) else _fast(pa.memory_map(str(path)), layout, columns)
    if table is not None and layout.header and table.num_rows != _count_lines(path) - 1:
        table = None  # a quote that is not closed on its line
    if table is None:
        data, lines = _laid_out(path, name, layout)
        table = _fast(pa.BufferReader(data), layout, columns)
        if table is None:  # the two readers disagree
            raise DataError(name, "not a readable table", layout.expected)
    read = Fields(
        name=name,
        texts={column: _coded(table.column(column)) for column in columns[:-1]},
        score=np.array(table.column(SCORE).to_numpy()),
        lines=lines,
        first=first,
    )
    _check_read(read, wanted, nan)
    return read


def _uneven(path: Path, name: str, layout: Layout) -> bool:
    """Whether the file needs laying out before the fast reader takes it; refuse what is not text."""
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _check_bytes(data[:4], f"{name} line 1", first=True)
        nul = data.find(b"\0")
        if nul >= 0:
            _check_bytes(b"\0", f"{name} line {data[:nul].count(10) + 1}")
        if layout.header:
            return False
        start = len(_UTF8) if data[:3] == _UTF8 else 0
        remarks = layout.remarks and (data.find(b"\n" + _REMARK) >= 0 or data[start : start + 1] == _REMARK)
        return remarks or data[start : start + 1] == b" " or any(data.find(mark) >= 0 for mark in _UNEVEN)


def _fast(source: "pa.NativeFile", layout: Layout, columns: Sequence[str]) -> "pa.Table | None":
    """The table, text coded and scores as numbers; None when any line is not as the layout has it."""
    import pyarrow as pa
    import pyarrow.csv as pc

    coded = pa.dictionary(pa.int32(), pa.string())
    kinds = {column: pa.float64() if column == SCORE else coded for column in columns}
    read = pc.ReadOptions(column_names=list(layout.columns), skip_rows=int(layout.header), block_size=LONGEST)
    parse = pc.ParseOptions(delimiter="," if layout.header else " ", ignore_empty_lines=False)
    convert = pc.ConvertOptions(
        column_types=kinds, include_columns=list(columns), null_values=[], strings_can_be_null=False
    )
    try:
        return pc.read_csv(source, read_options=read, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None


def _laid_out(path: Path, name: str, layout: Layout) -> "tuple[bytes, Ints]":
    """Every line checked, and laid out with one space (or as it stands, with a header); the numbers of the lines."""
    import numpy as np

    rows = path.read_bytes().removeprefix(_UTF8).splitlines()
    while rows and not rows[-1].strip():
        rows.pop()
    laid_out, lines = [], []
    for number, row in enumerate(rows, 1):
        if layout.header and number == 1:
            laid_out.append(row)
            continue
        if layout.remarks and row.lstrip().startswith(_REMARK):
            continue
        laid_out.append(_checked(row, f"{name} line {number}", layout))
        lines.append(number)
    if not lines:
        raise DataError(name, "the file holds no comparison", "one comparison per line")
    return b"\n".join(laid_out) + b"\n", np.array(lines, dtype=np.int64)


def _checked(row: bytes, place: str, layout: Layout) -> bytes:
    """The line for the fast reader; :class:`DataError` saying what is wrong with it."""
    _check_bytes(row, place)
    text = _decoded(row, place)
    if not text.strip():
        raise DataError(place, "the line is blank", layout.expected)
    fields = _split_csv(text, place) if layout.header else split_spaces(text, place)
    if len(fields) != len(layout.columns):
        raise DataError(place, f"{len(fields)} field{'' if len(fields) == 1 else 's'}", layout.expected)
    number = fields[layout.columns.index(SCORE)]
    if not is_number(number):
        raise DataError(place, number_fault(number), "a finite number such as 0.25")
    return row if layout.header else " ".join(_quoted(field) for field in fields).encode()


def split_spaces(text: str, place: str) -> list[str]:
    """The fields of a line between runs of white space; one that holds a space stands in double quotes."""
    if '"' not in text:
        return text.split()
    return _split_csv(" ".join(text.split()), place, " ")


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if " " in field or '"' in field or not field else field


def _count_lines(path: Path) -> int:
    """Lines of a file, the last one perhaps without an end."""
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while block := stream.read(LONGEST):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


def number_fault(text: str) -> str:
    """Why a score that cannot be read as a number cannot.

    >>> number_fault("0,25"), number_fault("high")
    ('the score has a decimal comma', "the score is not a number: 'high'")
    >>> number_fault("57,983")
    'the score has a comma, of decimals or of thousands'
    """
    if "," in text and may_be_thousands(text.strip()):
        return "the score has a comma, of decimals or of thousands"
    whole, comma, part = text.strip().partition(",")
    is_comma = bool(comma) and whole.lstrip("+-").isdecimal() and part.isdecimal()
    return "the score has a decimal comma" if is_comma else f"the score is not a number: {excerpt(text)}"


def _check_bytes(data: bytes, place: str, *, first: bool = False) -> None:
    if first and data.startswith(_OTHERS):
        raise DataError(place, "the text is UTF-16", "UTF-8 text")
    if b"\0" in data:
        raise DataError(place, "the file is not text: it holds a NUL byte", "UTF-8 text")
    if len(data) > LONGEST:
        raise DataError(place, "the line is longer than a mebibyte", "one comparison per line")


def _decoded(row: bytes, place: str) -> str:
    try:
        return row.decode()
    except UnicodeDecodeError as error:
        raise DataError(place, f"byte {error.start + 1} of the line is not UTF-8", "UTF-8 text") from None


def _split_csv(line: str, place: str, delimiter: str = ",") -> list[str]:
    try:
        return next(csv.reader([line], strict=True, delimiter=delimiter), [])
    except csv.Error:
        raise DataError(place, "a quote is not closed", "quotes in pairs, on one line") from None


def _coded(column: "pa.ChunkedArray") -> "Coded":
    import numpy as np

    from frtaudit.inputs.coded import Coded

    whole = column.unify_dictionaries().combine_chunks()
    code, names = np.array(whole.indices.to_numpy(), dtype=np.int32), whole.dictionary.to_pylist()
    stripped = [name.strip() for name in names]  # spaces at the ends of an id do not count
    if stripped != names:
        number = {name: place for place, name in enumerate(dict.fromkeys(stripped))}
        code, names = np.array([number[name] for name in stripped], dtype=np.int32)[code], list(number)
    return Coded(code=code, names=np.array(names, dtype=object))


def _check_read(read: Fields, wanted: Sequence[str], nan: Nan) -> None:
    import numpy as np

    for row in _first(np.isinf(read.score)):
        raise DataError(read.place(row), "the score is infinite", "a finite number")
    if nan is Nan.REFUSE:
        for row in _first(np.isnan(read.score)):
            accepted = "a finite number; cohort.nan=failed counts such lines as failed comparisons"
            raise DataError(read.place(row), "the score is NaN", accepted)
    for column in wanted:
        coded = read.texts[column]
        empty = [code for code, name in enumerate(coded.names) if not name]
        for row in _first(np.isin(coded.code, empty)) if empty else ():
            raise DataError(read.place(row), f"{column} is empty", "a name")


def _first(wrong: "Flags") -> Iterator[int]:
    """The first row that is wrong, or nothing."""
    import numpy as np

    if wrong.any():
        yield int(np.argmax(wrong))
