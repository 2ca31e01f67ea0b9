"""Reading a report's PDF: a tagged report holds some ten thousand objects in one stream."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import count
from threading import Lock

from pyhanko.pdf_utils import generic, xref
from pyhanko.pdf_utils.decode_limits import DecodePurpose
from pyhanko.pdf_utils.misc import PdfReadError, read_non_whitespace
from pyhanko.pdf_utils.reader import PdfFileReader

MAX_OBJECTS = 1 << 20  # of all tables of a file; a report has some ten thousand
_TABLES = Lock()


class ReportReader(PdfFileReader):
    """pyHanko's reader, which unpacks an object stream once; its own does so for each object in it.

    To look for changes after a signature, every object is read: minutes to hours without this.
    """

    def __init__(self, pdf: bytes) -> None:
        self._unpacked: dict[int, tuple[BytesIO, int, list[tuple[int, int]]]] = {}
        with _bounded_tables():
            super().__init__(BytesIO(pdf))

    def _get_object_from_stream(self, idnum: int, stmnum: int, idx: int) -> generic.PdfObject:
        """Object ``idnum``, the ``idx``-th of stream ``stmnum`` (ISO 32000-2, 7.5.7)."""
        if stmnum not in self._unpacked:
            self._unpacked[stmnum] = self._unpack(stmnum)
        data, first, table = self._unpacked[stmnum]
        if not 0 <= idx < len(table) or table[idx][0] != idnum:
            raise PdfReadError(f"object {idnum} is not where the file says")
        data.seek(first + table[idx][1])
        pdf_object = generic.read_object(data, generic.Reference(idnum, 0, self))
        if isinstance(pdf_object, (generic.StreamObject, generic.IndirectObject)):
            raise PdfReadError(f"object {idnum} may not be in an object stream")
        return pdf_object

    def _unpack(self, stmnum: int) -> tuple[BytesIO, int, list[tuple[int, int]]]:
        """The stream's bytes, where its objects begin, and the number and place of each."""
        stream = generic.Reference(stmnum, 0, self).get_object()
        if not isinstance(stream, generic.StreamObject) or stream["/Type"] != "/ObjStm":
            raise PdfReadError(f"object {stmnum} is not an object stream")
        data = BytesIO(stream.read_data(DecodePurpose.OBJECT_STREAM))
        table = []
        for _ in range(int(stream["/N"])):
            pair = []
            for _ in range(2):
                read_non_whitespace(data, seek_back=True)  # type: ignore[no-untyped-call]  # pyHanko leaves it untyped
                pair.append(int(generic.NumberObject.read_from_stream(data)))  # type: ignore[no-untyped-call]  # pyHanko leaves it untyped
            table.append((pair[0], pair[1]))
        return data, int(stream["/First"]), table


@contextmanager
def _bounded_tables() -> Iterator[None]:
    """Within the block the tables of a file list ``MAX_OBJECTS`` at most, all together.

    pyHanko counts to whatever number a table claims, of entries that take no byte, and keeps each of them.
    """
    with _TABLES:
        parse, numbers = xref.parse_xref_stream, count()

        def bounded(xref_stream: generic.StreamObject, strict: bool = True) -> Iterator[xref.XRefEntry]:  # noqa: FBT001, FBT002  pyHanko's signature
            for entry in parse(xref_stream, strict):
                if next(numbers) >= MAX_OBJECTS:
                    raise PdfReadError(f"lists more than {MAX_OBJECTS} objects")
                yield entry

        xref.parse_xref_stream = bounded
        try:
            yield
        finally:
            xref.parse_xref_stream = parse
