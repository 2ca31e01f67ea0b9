"""Tests of frtaudit.signing.pdf.revisions. What is refused: also test_attacks."""

import zlib
from contextlib import nullcontext

import pytest
from small_run import WHEN, render_pdf

from frtaudit.signing.pdf.revisions import (
    AlterationError,
    Revision,
    _check_trailer,
    _last_table,
    _lines,
    _plain_trailer,
    _revision,
    _table,
    inflated,
    last_trailer,
    revisions,
    stream_of,
)
from frtaudit.signing.pdf.signature import read_signed_pdf, sign_pdf
from frtaudit.signing.signer import Signer


def test_every_byte_of_a_revision_is_accounted_for(signer: Signer, other: Signer) -> None:
    """A second signature is one revision up to the end; one byte less, more or other between objects is refused."""
    first = sign_pdf(render_pdf({}), signer, WHEN)
    pdf = sign_pdf(first, other, WHEN)
    (found,) = revisions(pdf, len(first))
    assert (found.start, found.end) == (len(first), len(pdf))
    assert found.trailer[b"/Root"] == last_trailer(pdf, len(first))[b"/Root"]
    assert read_signed_pdf(pdf, (), "f").signatures[-1].end == found.end
    gaps = [pdf.index(b"\nendobj\n", len(first)) + 8, pdf.rindex(b"startxref") - 1, len(pdf)]
    for gap in gaps:
        for forged in (pdf[:gap] + b"%\n" + pdf[gap:], pdf[: gap - 1] + pdf[gap:]):
            with pytest.raises(AlterationError):
                list(revisions(forged, len(first)))


def test_a_stream_is_unpacked_whole_and_within_bounds() -> None:
    """A bomb, a stream cut off, and bytes behind a stream are refused."""
    packed = zlib.compress(b"a" * 1000)
    assert inflated(packed) == b"a" * 1000 == inflated(packed, 1000)
    with pytest.raises(AlterationError, match="cannot be unpacked"):
        inflated(zlib.compress(bytes(2**24 + 1), 1))  # 16 MiB and no more, where nothing else is said
    for data, most in (
        (packed, 999),
        (packed[:-1], 2000),
        (packed + b"a", 2000),
        (b"", 2000),
        (b"junk", 2000),
    ):
        with pytest.raises(AlterationError):
            inflated(data, most)


def test_a_stream_stands_between_its_marks() -> None:
    """An object without a stream has none."""
    assert stream_of(b"<<\n/Length 1\n>>\nstream\nx\nendstream") == b"x"
    assert stream_of(b"<<\n/Length 1\n>>") is None


@pytest.mark.parametrize("text", [b"<<\n/Size 5\n/Size 6\n>>", b"<<\n/Size 5 \n\n>>", b"<<\n/Size 5\n>>\n"])
def test_a_trailer_has_one_form(text: bytes) -> None:
    """A name that stands twice, an empty line and a line behind the end are refused."""
    assert _lines(b"<<\n/Size 5\n/Root 1 0 R\n>>") == {b"/Size": b"5", b"/Root": b"1 0 R"}
    with pytest.raises(AlterationError, match="another form"):
        _lines(text)


@pytest.mark.parametrize("numbers", [(2, 1), (2, 2), (1, 3, 3)])
def test_objects_stand_once_each_in_order(numbers: tuple[int, ...]) -> None:
    """The same number again has another meaning for readers that go by the last one."""
    pdf = b"".join(b"%d 0 obj\n<<\n>>\nendobj\n" % number for number in numbers)
    with pytest.raises(AlterationError, match="objects out of order"):
        _revision(pdf, 0)


def test_a_file_of_an_end_alone_names_its_table() -> None:
    """From its first byte on; one byte fewer is no end."""
    end = b"startxref\n7\n%%EOF\n"
    assert _last_table(end, len(end)) == 7
    with pytest.raises(AlterationError, match="does not end"):
        _last_table(end[1:], len(end) - 1)


@pytest.mark.parametrize(
    ("numbers", "size", "holds"),
    [
        ((3,), 10, True),  # none is new
        ((3, 10), 11, True),
        ((10, 11), 12, True),
        ((10, 12), 13, False),  # a gap
        ((3,), 11, False),
        ((3, 10), 10, False),
    ],
)
def test_new_objects_follow_one_another_and_the_size_fits(
    numbers: tuple[int, ...], size: int, holds: bool
) -> None:
    """Ten objects stood there before."""
    end, root = b"startxref\n7\n%%EOF\n", {b"/Root": b"1 0 R"}
    trailer = {**root, b"/Size": b"%d" % size, b"/Prev": b"7", b"/ID": b"[ <> <%s> ]" % (b"0" * 32)}
    revision = Revision(
        start=len(end), end=99, objects=dict.fromkeys(numbers, b""), places={}, trailer=trailer, table=None
    )
    with nullcontext() if holds else pytest.raises(AlterationError, match="does not continue the file"):
        _check_trailer(end, revision, {**root, b"/Size": b"10"})


def test_a_plain_table_lists_where_its_objects_begin() -> None:
    """Ten digits and five, in runs of consecutive numbers, the free object 0 first (ISO 32000-2, 7.5.4)."""
    free = b"0000000000 65535 f \n"
    first = b"xref\n0 3\n" + free + b"0000000005 00000 n \n0000000030 00000 n \n5 1\n0000000060 00000 n \n"
    assert _table({1: 5, 2: 30, 5: 60}) == first
    assert _table({4: 7}) == b"xref\n0 1\n" + free + b"4 1\n0000000007 00000 n \n"
    pdf = b"x" + first + b"trailer\n<<\n/Size 6\n>>\n"
    assert _plain_trailer(pdf, 1, {1: 5, 2: 30, 5: 60}) == ({b"/Size": b"6"}, len(pdf) - 1)
    for forged in (pdf.replace(b"60 0", b"61 0"), pdf.replace(b"trailer", b"trailed")):
        with pytest.raises(AlterationError, match="another table of its objects"):
            _plain_trailer(forged, 1, {1: 5, 2: 30, 5: 60})
