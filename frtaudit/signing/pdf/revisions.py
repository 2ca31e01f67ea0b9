"""Revisions of a PDF, read letter by letter in the one form in which frtaudit appends them.

An appended revision is a sequence of whole objects, the table of where they begin, and nothing else: no comment, no
gap, no object that the table leaves out. What the objects may be is for :mod:`frtaudit.signing.pdf.additions`.
"""

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

HEAD = re.compile(rb"([1-9]\d{0,9}) 0 obj\n")
BREAK = re.compile(rb"\n(endobj|stream)\n")
LENGTH = re.compile(rb"\n/Length (0|[1-9]\d*)\n>>\Z")
LINE = re.compile(rb"(/[A-Za-z0-9]+) ([^\n]*)\n")
TAIL = re.compile(rb"startxref\n(\d+)\n%%EOF\n\Z")
ID = re.compile(rb"\[ <([0-9a-f]*)> <([0-9a-f]{32})> \]")
LARGEST = 1 << 24
FREE = b"0000000000 65535 f \n"
PLAIN = re.compile(rb"trailer\n(<<\n(?:/[^\n]*\n)+>>)")


class AlterationError(ValueError):
    """Bytes that frtaudit does not append; the words say which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Objects appended between two offsets: number to text, and number to where the text begins in the file.

    ``table``: the number of the object that is the table, None where it is none.
    """

    start: int
    end: int
    objects: Mapping[int, bytes]
    places: Mapping[int, int]
    trailer: Mapping[bytes, bytes]
    table: int | None


def revisions(pdf: bytes, start: int) -> Iterator[Revision]:
    """What was appended from ``start`` on, in order. Raises :class:`AlterationError` for bytes in any other form."""
    trailer = last_trailer(pdf, start)
    while start < len(pdf):
        revision = _revision(pdf, start)
        _check_trailer(pdf, revision, trailer)
        yield revision
        start, trailer = revision.end, revision.trailer


def last_trailer(pdf: bytes, end: int) -> Mapping[bytes, bytes]:
    """The trailer of the revision that ends at ``end``, by key. Raises :class:`AlterationError`."""
    at = _last_table(pdf, end)
    head = HEAD.match(pdf, at)
    start = head.end() if head else pdf.index(b"trailer\n", at, end) + len(b"trailer\n")
    return _lines(pdf[start : pdf.index(b"\n>>\n", start, end) + 3])


def _last_table(pdf: bytes, end: int) -> int:
    match = TAIL.search(pdf[max(end - 64, 0) : end])
    if match is None:
        raise AlterationError("does not end as a revision does")
    return int(match[1])


def stream_of(text: bytes) -> bytes | None:
    """What an object's stream holds, as it stands in the file; None for an object without one."""
    head, mark, rest = text.partition(b"\nstream\n")
    return rest.removesuffix(b"\nendstream") if mark and LENGTH.search(head) else None


def inflated(data: bytes, most: int = LARGEST) -> bytes:
    """A zlib stream, unpacked. Raises :class:`AlterationError` where it is cut off, too large, or more follows."""
    unpacker = zlib.decompressobj()
    try:
        decompress = unpacker.decompress(data, most)
    except zlib.error:
        raise AlterationError("holds a stream that cannot be unpacked") from None
    if not unpacker.eof or unpacker.unused_data:
        raise AlterationError("holds a stream that cannot be unpacked")
    return decompress


def _revision(pdf: bytes, start: int) -> Revision:
    objects: dict[int, bytes] = {}
    places: dict[int, int] = {}
    heads: dict[int, int] = {}
    at = start
    while (head := HEAD.match(pdf, at)) is not None:
        number = int(head[1])
        if number <= max(objects, default=0):
            raise AlterationError("holds objects out of order")
        stop = _object_end(pdf, head.end())
        heads[number], places[number], objects[number] = at, head.end(), pdf[head.end() : stop]
        at = stop + len(b"\nendobj\n")
    last = max(objects, default=0)
    is_stream = b"\n/Type /XRef\n" in objects.get(last, b"")
    if not objects or (is_stream and len(objects) == 1):
        raise AlterationError("holds bytes that belong to no object")
    table = heads[last] if is_stream else at
    if is_stream:
        trailer = _stream_trailer(objects.pop(last), heads)
    else:
        trailer, at = _plain_trailer(pdf, at, heads)
    end = b"\nstartxref\n%d\n%%%%EOF\n" % table
    if pdf[at : at + len(end)] != end:
        raise AlterationError("does not end as a revision does")
    return Revision(
        start=start,
        end=at + len(end),
        objects=objects,
        places=places,
        trailer=trailer,
        table=last if is_stream else None,
    )


def _plain_trailer(pdf: bytes, at: int, heads: Mapping[int, int]) -> tuple[Mapping[bytes, bytes], int]:
    """The trailer after the table at ``at``, and where it ends."""
    table = _table(heads)
    match = PLAIN.match(pdf, at + len(table))
    if pdf[at : at + len(table)] != table or match is None:
        raise AlterationError("holds bytes that belong to no object, or another table of its objects")
    return _lines(match[1]), match.end()


def _object_end(pdf: bytes, at: int) -> int:
    """Where the text of an object ends; a stream is as long as it says."""
    match = BREAK.search(pdf, at)
    if match is None:
        raise AlterationError("holds an object without an end")
    end = match.start()
    if match[1] == b"stream":
        length = LENGTH.search(pdf[at:end])
        end = match.end() + int(length[1]) if length else -1
        if length is None or pdf[end : end + 10] != b"\nendstream":
            raise AlterationError("holds a stream whose length is not the declared one")
        end += len(b"\nendstream")
    if pdf[end : end + 8] != b"\nendobj\n":
        raise AlterationError("holds an object without an end")
    return end


def _lines(text: bytes) -> Mapping[bytes, bytes]:
    """A dictionary with one entry to a line."""
    pairs = LINE.findall(text[3:-2])
    if b"<<\n" + b"".join(b"%s %s\n" % pair for pair in pairs) + b">>" != text or len(dict(pairs)) != len(
        pairs
    ):
        raise AlterationError("holds a trailer in another form")
    return dict(pairs)


def _runs(heads: Mapping[int, int]) -> Iterator[list[int]]:
    """Numbers of objects, each run of consecutive ones in a list."""
    for _, run in groupby(enumerate(sorted(heads)), lambda pair: pair[1] - pair[0]):
        yield [number for _, number in run]


def _table(heads: Mapping[int, int]) -> bytes:
    """The table of objects that begin at ``heads`` (ISO 32000-2, 7.5.4)."""
    runs = list(_runs(heads))
    parts = [b"xref\n"]
    if runs[0][0] == 1:
        parts.append(b"0 %d\n" % (len(runs[0]) + 1) + FREE)
    else:
        parts.append(b"0 1\n" + FREE + b"%d %d\n" % (runs[0][0], len(runs[0])))
    for index, run in enumerate(runs):
        if index:
            parts.append(b"%d %d\n" % (run[0], len(run)))
        parts += [b"%010d 00000 n \n" % heads[number] for number in run]
    return b"".join(parts)


def _stream_trailer(text: bytes, heads: Mapping[int, int]) -> Mapping[bytes, bytes]:
    """The same as a stream (ISO 32000-2, 7.5.8), which is the trailer too."""
    trailer = _lines(text.partition(b"\nstream\n")[0])
    runs = list(_runs(heads))
    index = b" ".join(b"%d %d" % (run[0], len(run)) for run in runs)
    rows = [struct.pack(">BQH", 0, 0, 65535)]
    rows += [struct.pack(">BQH", 1, heads[number], 0) for run in runs for number in run]
    fixed = {
        b"/W": b"[ 1 8 2 ]",
        b"/Type": b"/XRef",
        b"/Filter": b"/FlateDecode",
        b"/Index": b"[ 0 1 " + index + b" ]",
    }
    is_other = any(trailer.get(key) != value for key, value in fixed.items())
    if is_other or b"".join(rows) != inflated(stream_of(text) or b""):
        raise AlterationError("holds another table of its objects")
    return trailer


def _check_trailer(pdf: bytes, revision: Revision, before: Mapping[bytes, bytes]) -> None:
    """Root, information and first id stay; the size fits, and the table before is the one before."""
    trailer, is_stream = revision.trailer, revision.table is not None
    keys = {b"/Size", b"/Root", b"/Info", b"/ID", b"/Prev"} & ({*before} | {b"/Size", b"/Prev", b"/ID"})
    keys |= {b"/W", b"/Type", b"/Filter", b"/Index", b"/Length"} if is_stream else set()
    size = max(int(before[b"/Size"]), max(revision.objects) + 1) + is_stream
    ids = ID.fullmatch(trailer.get(b"/ID", b""))
    first = ID.fullmatch(before.get(b"/ID", b""))
    new = [number for number in revision.objects if number >= int(before[b"/Size"])]
    holds = (
        set(trailer) == keys
        and max(new, default=0) - min(new, default=1) + 1 == len(new)
        and all(trailer[key] == before[key] for key in (b"/Root", b"/Info") if key in before)
        and ids is not None
        and (first is None or ids[1] == first[1])
        and trailer[b"/Size"] == b"%d" % size
        and revision.table in (None, size - 1)
        and trailer[b"/Prev"] == b"%d" % _last_table(pdf, revision.start)
    )
    if not holds:
        raise AlterationError("holds a trailer that does not continue the file")
