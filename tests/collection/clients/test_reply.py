"""What is read of an answer: no more bytes than one has, one content coding, JSON that a file can hold."""

import gzip
import time
import tracemalloc
import zlib
from email.utils import formatdate

import pytest

from frtaudit.collection.clients import reply
from frtaudit.collection.clients.reply import MAX_BYTES, content_of, wait_of
from frtaudit.core.collecting import CallError

SCORE = b'{"score": 1}'
PACKED = gzip.compress(SCORE, mtime=0)  # without the time, which would name a test otherwise in each process


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (SCORE, "identity"),
        (PACKED, "gzip"),
        (PACKED, " GZip "),
        (zlib.compress(SCORE), "deflate"),
    ],
)
def test_one_content_coding_is_undone(body: bytes, coding: str) -> None:
    """A service may compress though it was asked not to."""
    assert content_of([body[:5], body[5:]], coding) == {"score": 1}


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (gzip.compress(PACKED, mtime=0), "gzip, gzip"),
        (SCORE, "br"),
        (SCORE, "gzip"),
        (PACKED[:-12], "gzip"),
        (b"\x1f\x8b\x08\x08" + b"\x00" * 5 + b"\x03name", "gzip"),
    ],
)
def test_other_codings_and_torn_ones_are_no_answer(body: bytes, coding: str) -> None:
    """Two at once, one that is not known, no gzip at all, half of it, a header without an end."""
    assert content_of([body], coding) is None


def test_a_small_body_does_not_unfold_to_any_size() -> None:
    """A hundred megabytes of blanks in a tenth of one take the memory of one answer."""
    bomb = gzip.compress(b" " * 100_000_000, 9)
    tracemalloc.start()
    with pytest.raises(CallError, match="response_too_large"):
        content_of([bomb], "gzip")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * MAX_BYTES


@pytest.mark.parametrize("body", [b'"\\ud800"', b'{"\\uDFFF": 1}', b'["\xed\xa0\x80"]'])
def test_half_a_surrogate_pair_is_no_json(body: bytes) -> None:
    """In a value, in a key, and as bytes; a whole pair is a letter."""
    assert content_of([body]) is None
    assert content_of([b'"\\ud83d\\ude00"']) == "\U0001f600"


def test_a_date_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry-After as an HTTP date is the seconds until then; one that is over is 0."""
    now = float(round(time.time()))
    monkeypatch.setattr(reply.time, "time", lambda: now)
    assert wait_of({"retry-after": formatdate(now + 60, usegmt=True)}) == 60.0
    assert wait_of({"retry-after": formatdate(0, usegmt=True)}) == 0.0
    assert wait_of({"retry-after": "²"}) is None  # a digit, and no number


@pytest.mark.parametrize("off", [-7200, 7200])
def test_a_date_is_counted_from_the_clock_of_the_service(off: int) -> None:
    """Two hours ahead or behind, a minute is a minute; a Date that is none is not looked at."""
    there = time.time() + off
    until = formatdate(there + 60, usegmt=True)
    assert wait_of({"retry-after": until, "date": formatdate(there, usegmt=True)}) == 60.0
    here = wait_of({"retry-after": formatdate(time.time() + 60, usegmt=True), "date": "now"})
    assert here is not None
    assert 55 < here <= 60
