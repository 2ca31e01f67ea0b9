"""Objects of an object stream are read as pyHanko reads them, each stream unpacked once."""

from io import BytesIO

import pytest
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.misc import PdfReadError
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.pdf_utils.writer import PdfFileWriter

from frtaudit.signing.pdf import reader
from frtaudit.signing.pdf.reader import ReportReader

OBJECTS = 40


def packed() -> tuple[bytes, list[generic.Reference]]:
    """A PDF with its objects in one object stream, and where they are."""
    writer = PdfFileWriter(stream_xrefs=True)
    stream = writer.prepare_object_stream()
    found = [
        writer.add_object(generic.DictionaryObject({generic.pdf_name("/N"): generic.NumberObject(n)}), stream)
        for n in range(OBJECTS)
    ]
    out = BytesIO()
    writer.write(out)
    return out.getvalue(), [item.reference for item in found]


def test_it_reads_what_pyhanko_reads_and_unpacks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every object equals that of the library's own reader; the stream is unpacked once for all of them."""
    pdf, places = packed()
    own, plain = ReportReader(pdf), PdfFileReader(BytesIO(pdf))
    calls: list[int] = []
    unpack = ReportReader._unpack
    monkeypatch.setattr(ReportReader, "_unpack", lambda it, n: calls.append(n) or unpack(it, n))
    for place in places:
        one = own.get_object(generic.Reference(place.idnum, 0, own))
        assert one == plain.get_object(generic.Reference(place.idnum, 0, plain))
    assert len(calls) == 1


def test_an_object_in_another_place_is_refused() -> None:
    """A cross-reference that names the wrong place of a stream does not get an object."""
    pdf, places = packed()
    own = ReportReader(pdf)
    stream = own.xrefs[generic.Reference(places[0].idnum, 0, own)].obj_stream_id
    with pytest.raises(PdfReadError, match="is not where"):
        own._get_object_from_stream(places[0].idnum, stream, 1)
    with pytest.raises(PdfReadError, match="is not where"):
        own._get_object_from_stream(places[0].idnum, stream, OBJECTS)


def test_tables_list_no_more_objects_than_a_report_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that take no byte are counted over all tables of a file, one that claims any number among them."""
    pdf, places = packed()
    monkeypatch.setattr(reader, "MAX_OBJECTS", len(places) + 10)
    ReportReader(pdf)
    end = int(pdf.rsplit(b"startxref", 1)[1].split()[0])
    for claimed in (9, 99_999_999_999):
        table = f"999 0 obj\n<</Type/XRef/W[0 0 0]/Size 1000/Root 1 0 R/Prev {end}/Index[0 {claimed}]/Length 0>>\n"
        text = f"{table}stream\n\nendstream\nendobj\nstartxref\n{len(pdf)}\n%%EOF\n"
        with pytest.raises(PdfReadError, match="lists more than 50 objects"):
            ReportReader(pdf + text.encode())
    PdfFileReader(BytesIO(pdf))


def test_a_stream_of_another_type_holds_no_objects() -> None:
    """What a cross-reference calls an object stream has to be one."""
    pdf, places = packed()
    own = ReportReader(pdf)
    stream = own.xrefs[generic.Reference(places[0].idnum, 0, own)].obj_stream_id
    generic.Reference(stream, 0, own).get_object()["/Type"] = generic.pdf_name("/Other")
    with pytest.raises(PdfReadError, match="is not an object stream"):
        own._unpack(stream)
