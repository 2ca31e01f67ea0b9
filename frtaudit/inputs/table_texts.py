"""The text of a table, before it is read as one: compression, separators, the header, and why it cannot be read."""

import csv
import gzip
import io
import re
import sys
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, cast

from frtaudit.errors import DataError

_SEPARATORS = ",;\t"
_DECLARED = re.compile(r'"?sep=(.?)"?[\r\n]*', re.IGNORECASE)  # the first line, as Excel reads it
_BLOCK, INFLATED, RATIO = 1 << 20, 1 << 28, 200  # bytes; times that a compressed text may be larger
_OPEN_QUOTE = "EOF inside string"  # as pandas says it, and a row of too many fields
_LONG_ROW = re.compile(r"Expected (\d+) fields in line \d+, saw")
MORE_FIELDS = "holds more fields than the header"


def open_text(path: Path) -> BinaryIO:
    """The bytes of a text, unpacked where it is compressed."""
    return cast("BinaryIO", gzip.GzipFile(path)) if is_packed(path) else path.open("rb")


def unpacked(path: Path, stream: BinaryIO) -> BinaryIO:
    """``stream``, of ``path``, unpacked where it is compressed."""
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream)) if is_packed(path) else stream


def is_packed(path: Path) -> bool:
    """Whether a file is compressed, by its name."""
    return path.suffix.lower() == ".gz"


def unread(path: Path, name: str, error: Exception) -> DataError:
    """Why a text could not be read, with its line where that is known."""
    accepted = "UTF-8, commas, semicolons or tabs, one header line"
    if _OPEN_QUOTE in str(error):
        return DataError(f"{name} line {_line_of(path, name)}", "a quote is not closed", "quotes in pairs")
    if more := _LONG_ROW.search(str(error)):
        place = f"{name} line {_line_of(path, name, int(more[1]))}"
        return DataError(place, MORE_FIELDS, "as many fields as the header")
    if isinstance(error, UnicodeDecodeError):
        with open_text(path) as stream:
            for number, line in enumerate(stream, 1):
                try:
                    line.decode()
                except UnicodeDecodeError as wrong:
                    problem = f"byte {wrong.start + 1} of the line is not UTF-8"
                    return DataError(f"{name} line {number}", problem, accepted)
    return DataError(name, f"not a readable CSV file ({error})", accepted)


def _line_of(path: Path, name: str, fields: int = sys.maxsize) -> int:
    """The line of the first row with more fields, else of the last row; quoted fields may hold ends of lines."""
    with io.TextIOWrapper(open_text(path), encoding="utf-8-sig", newline="") as stream:
        separator, end, _ = head_of(stream, name)
        stream.seek(0)
        rows = csv.reader(islice(stream, end, None), delimiter=separator)
        first = line = 1 + end
        with suppress(csv.Error):  # a field that is longer than any: that of a quote that is not closed
            for row in rows:
                first, line = line, 1 + end + rows.line_num
                if len(row) > fields:
                    return first
            return first
        return line


def head_of(stream: io.TextIOWrapper, name: str) -> tuple[str, int, list[str]]:
    """What separates the fields of a text, how many lines say so, and the columns."""
    line = stream.readline()
    declared = _DECLARED.fullmatch(line)
    if declared is None:
        separator = separator_in(line)
    else:
        separator, line = declared[1], stream.readline()
        if separator not in tuple(_SEPARATORS):
            problem = f"says that {separator!r} separates fields"
            raise DataError(f"{name} line 1", problem, "a comma, semicolon or tab")
    header = next(csv.reader(chain([line], stream), delimiter=separator), [])
    return separator, int(declared is not None), header


def check_text(path: Path, name: str) -> int:
    """How many lines a file has; refused are UTF-16, zero bytes, a small file that unpacks to a huge one."""
    size, line, ends, packed = 0, 1, True, path.stat().st_size
    with open_text(path) as stream:
        while block := stream.read(_BLOCK):
            if not size and block.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise DataError(name, "the text is UTF-16", "UTF-8 text")
            zero = block.find(b"\0")
            if zero >= 0:
                line += block[:zero].count(b"\n")
                raise DataError(f"{name} line {line}", "holds a zero byte", "UTF-8 text without zero bytes")
            size, line, ends = size + len(block), line + block.count(b"\n"), block.endswith(b"\n")
            if size > INFLATED and size > RATIO * packed:
                raise DataError(name, f"more than {size} bytes packed into {packed}", "the table, unpacked")
    return line - ends


def separator_in(header: str) -> str:
    """What separates the fields of a header: what it has most of, else a comma.

    >>> separator_in("probe;reference;Score, raw")
    ';'
    """
    return max(_SEPARATORS, key=header.count)


def declares_separator(line: str) -> bool:
    """Whether a first line says what separates fields, as for Excel.

    >>> declares_separator("sep=;"), declares_separator("sep=;b")
    (True, False)
    """
    return _DECLARED.fullmatch(line) is not None
