"""What a service sent back: bounded, decoded and parsed; and attempts that were never sent."""

import json
import time
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

from frtaudit.core.collecting import CallError, Refusal

MAX_BYTES = 4_000_000  # of an answer, also after decoding
CODINGS = {"gzip": zlib.MAX_WBITS | 16, "x-gzip": zlib.MAX_WBITS | 16, "deflate": zlib.MAX_WBITS}


class UnsentError(CallError):
    """No connection was made, so nothing was sent."""


def content_of(parts: Iterable[bytes], coding: str = "") -> object:
    """The JSON of a body in its content coding, None where it is none. Raises :class:`CallError` for too many bytes.

    >>> content_of([b'{"score": ', b"1}"]), content_of([b"<html>"]), content_of([b"1"], "gzip, gzip")
    ({'score': 1}, None, None)
    """
    body = bytearray()
    for part in parts:
        body += part
        _refuse_more(body)
    coding = coding.strip().lower()
    if coding in ("", "identity"):
        return _json_of(bytes(body))
    if coding not in CODINGS:
        return None
    try:
        plain = zlib.decompressobj(CODINGS[coding]).decompress(body, MAX_BYTES + 1)
    except zlib.error:
        return None
    _refuse_more(plain)
    return _json_of(plain)


def _refuse_more(body: bytes | bytearray) -> None:
    if len(body) > MAX_BYTES:
        raise CallError(Refusal.TRANSPORT, "response_too_large")


def _json_of(body: bytes) -> object:
    """None also for half a surrogate pair: no file can hold it, and no further request."""
    try:
        content: object = json.loads(body)
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):  # towers of brackets are no answer
        return None
    return content


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After``, given as seconds or as a date; None where there is none that can be read.

    A date is counted from the reply's own ``Date``, for the two clocks may differ.

    >>> wait_of({"retry-after": "7"}), wait_of({"retry-after": "soon"}), wait_of({})
    (7.0, None, None)
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = _moment(text), _moment(headers.get("date", ""))
    return None if until is None else max(0.0, until - (time.time() if now is None else now))


def _moment(text: str) -> float | None:
    with suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(text).timestamp()
    return None
