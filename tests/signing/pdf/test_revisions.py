"""Tests of frtaudit.signing.pdf.revisions. What is refused: also test_attacks."""

import zlib

import pytest
from small_run import WHEN, render_pdf

from frtaudit.signing.pdf.revisions import (
    AlterationError,
    _lines,
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
    assert inflated(packed) == b"a" * 1000
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
