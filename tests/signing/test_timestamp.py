"""Tests of frtaudit.signing.timestamp. Tests also waiting, which it runs its coroutines by."""

import asyncio
import base64
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import pytest
from asn1crypto import tsp
from local_tsa import Clock, authorities, running

from frtaudit.core.machine.waiting import wait
from frtaudit.errors import DataError, VerificationError
from frtaudit.signing.timestamp import Authority, authority, read_stamp, stamp, warnings_of

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A time-stamping authority on loopback."""
    with running() as found:
        found.when = WHEN
        yield found


def test_a_time_holds_for_its_data(clock: Clock) -> None:
    """The authority's time comes back, trusted under its root and not without."""
    token = stamp(b"data", clock.url)
    found = read_stamp(token, b"data", [authorities().root], "seal.json")
    assert (found.when, found.certificate, found.distrust) == (WHEN, authorities().tsa, None)
    assert read_stamp(token, b"data", [], "seal.json").distrust


def test_a_time_of_other_data_does_not_hold(clock: Clock) -> None:
    """A token moved to other data, cut short, or no token at all, is invalid."""
    token = stamp(b"data", clock.url)
    for wrong, data in ((token, b"other"), (token[:400], b"data"), ("", b"data"), ("?", b"data")):
        with pytest.raises(VerificationError, match=r"^seal.json: its time"):
            read_stamp(wrong, data, [authorities().root], "seal.json")


def test_flips_in_the_signed_part_of_a_token_are_seen(clock: Clock) -> None:
    """A flipped byte in what the authority signs (the time and the digest) never passes as trusted."""
    token = base64.b64decode(stamp(b"data", clock.url))
    start, chance = token.index(b"20260304050607Z"), random.Random(1)
    for position in (start, start + 10, *chance.sample(range(start - 60, start), 5)):
        forged = bytearray(token)
        forged[position] ^= 1
        try:
            found = read_stamp(base64.b64encode(forged).decode(), b"data", [authorities().root], "s")
        except VerificationError:
            continue
        assert found.distrust


def test_an_authority_that_gives_no_time_is_refused(clock: Clock) -> None:
    """No URL, a refusal, and nobody at the port are one line each."""
    with pytest.raises(DataError, match=r"^tsa: found 'file:///x'"):
        authority("file:///x")
    clock.status = 503
    with pytest.raises(DataError, match=r"gives no time \(HTTP 503 .*\); accepted"):
        stamp(b"data", clock.url)
    with pytest.raises(DataError, match=r"gives no time \(.*Connection refused\); accepted"):
        authority("http://127.0.0.1:9/tsa")


def test_a_time_without_trust_leaves_no_traceback_on_the_terminal(clock: Clock, tmp_path: Path) -> None:
    """The libraries log that they have no path to a trusted certificate; the check says so in one line."""
    (tmp_path / "token").write_text(stamp(b"data", clock.url))
    code = (
        "import sys; from pathlib import Path; from frtaudit.signing.timestamp import read_stamp;"
        "print(read_stamp(Path(sys.argv[1]).read_text(), b'data', [], 'seal.json').distrust)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "token")]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("no path to a trusted certificate\n", "")


def test_waiting_works_inside_an_event_loop() -> None:
    """A coroutine is run to its end where a loop runs already, as in a notebook."""

    async def inner() -> int:
        return 7

    async def outer() -> int:
        return wait(inner())

    assert asyncio.run(outer()) == 7


def test_an_authority_has_thirty_seconds_and_a_mebibyte(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes later or behind is not waited for, nor read."""
    asked: list[float] = []
    headers = SimpleNamespace(get_content_type=lambda: "text/plain")
    answer = SimpleNamespace(read=lambda most: asked.append(most) or b"token", headers=headers)

    def answered(_opener: object, _request: object, timeout: float) -> AbstractContextManager[object]:
        asked.append(timeout)
        return nullcontext(answer)

    monkeypatch.setattr("urllib.request.OpenerDirector.open", answered)
    assert Authority("http://127.0.0.1:9/tsa")._ask(b"request") == (b"token", "text/plain of 5 bytes")
    assert asked == [30.0, 2**20]


@pytest.mark.parametrize(
    ("sends", "kind", "words"),
    [
        (b"<html>", "text/html", r"answered with text/html of 6 bytes, no time stamp"),
        (b"", "text/plain", r"answered with text/plain of 0 bytes, no time stamp"),
        (
            b"0\x82\x01\0junk",
            "application/timestamp-reply",
            r"answered with application/timestamp-reply of 8",
        ),
    ],
)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_an_answer_that_is_no_time_is_one_line_at_every_call(
    clock: Clock, sends: bytes, kind: str, words: str, after: int
) -> None:
    """A page, nothing, a part: the line names the authority and the type, at the first call as at the third."""
    clock.sends, clock.kind, clock.after = sends, kind, after
    with pytest.raises(DataError, match=rf"^tsa {clock.url}: gives no time \({words}"):
        stamp(b"data", clock.url)


def test_a_time_for_another_digest_is_refused(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The authority's answer names what it stamps: other content is no time of this one."""
    monkeypatch.setattr("local_tsa.tsp.TimeStampReq.load", _of_another_digest(tsp.TimeStampReq.load))
    with pytest.raises(DataError, match="its time is for another digest"):
        stamp(b"data", clock.url)


def _of_another_digest(load: Callable[[bytes], tsp.TimeStampReq]) -> Callable[[bytes], tsp.TimeStampReq]:
    def changed(body: bytes) -> tsp.TimeStampReq:
        request = load(body)
        request["message_imprint"]["hashed_message"] = b"1" * 32
        return request

    return changed


def test_a_redirect_is_not_followed(clock: Clock) -> None:
    """What is asked of one address is not sent to another."""
    clock.status = 302
    with pytest.raises(DataError, match=r"gives no time \(HTTP 302 Found, and redirects are not followed\)"):
        stamp(b"data", clock.url)
    assert len(clock.requests) == 1


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://me:SECRET@127.0.0.1:9/tsa", "a URL without them"),
        ("http://127.0.0.1:9/tsa?apikey=SECRET", "gives no time"),
        ("ftp://me:SECRET@a.org/?k=SECRET", "a URL that starts with"),
        ("me:SECRET@a.org", "a URL that starts with"),
        ("http://me:SE?SECRET@a.org", "a URL that starts with"),
        ("http://a.org/tsa?apikey=SECRET x", "a URL that starts with"),
    ],
)
def test_an_error_prints_no_secret_of_a_url(url: str, words: str) -> None:
    """User, password and query are left out of the line."""
    with pytest.raises(DataError, match=words) as caught:
        authority(url)
    assert "SE" not in str(caught.value)


def test_a_scheme_in_capitals_is_taken(clock: Clock) -> None:
    """HTTP:// is http://."""
    assert stamp(b"data", clock.url.replace("http", "HTTP"))


def test_an_authority_that_sends_a_byte_now_and_then_has_one_deadline() -> None:
    """The deadline is that of the whole answer, and not of each byte of it."""
    ended = Event()

    class Drip(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            while not ended.wait(0.02):
                self.wfile.write(b"0")

        def log_message(self, *_: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Drip)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    slow = Authority(f"http://127.0.0.1:{server.server_port}/tsa", timeout=0.2)
    try:
        with pytest.raises(DataError, match="no answer within 0.2 s"):
            wait(slow.async_timestamp(b"d" * 32, "sha256"))
    finally:
        ended.set()
        server.shutdown()
        server.server_close()


def test_what_speaks_against_a_time_is_told(clock: Clock) -> None:
    """A clock more than a day off; a certificate that had ended, or is not for times."""
    good = read_stamp(stamp(b"data", clock.url), b"data", [], "seal.json")
    assert warnings_of(good, WHEN + timedelta(days=1)) == []
    for now in (WHEN + timedelta(days=1, minutes=1), WHEN - timedelta(days=2)):
        assert warnings_of(good, now) == [
            f"'Test time' says 2026-03-04 05:06 UTC, this machine's clock says {now:%Y-%m-%d %H:%M}"
        ]
    for wrong, words in (
        (replace(good, when=WHEN - timedelta(days=365)), "was not valid then"),
        (replace(good, certificate=authorities().root), "is not for time stamps"),
    ):
        (line,) = warnings_of(wrong, wrong.when)
        assert words in line
