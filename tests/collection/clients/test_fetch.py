"""Fetching what somebody else chose; also what connection does: the address checked is the one reached."""

import gzip
import ipaddress
import logging
import socket
import threading
import time
import traceback
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from select import select

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from web_pages import HERE, certificate, local, photo
from werkzeug import Request, Response

from frtaudit.collection.clients.addresses import is_public
from frtaudit.collection.clients.fetch import Fetch, Wanted
from frtaudit.collection.clients.gate import Pace
from frtaudit.core.collecting import CallError

MAX_BYTES = 1_000_000


def refused(fetch: Fetch, url: str, most: int = MAX_BYTES) -> tuple[str, str]:
    """Refusal and code of a fetch that gives nothing."""
    with pytest.raises(CallError) as caught:
        fetch.image(url, most)
    return caught.value.refusal.value, caught.value.code


def test_an_image_comes_as_it_is(httpserver: HTTPServer) -> None:
    """The bytes, whatever the header says of their type; the request holds the name, no cookie, no proxy's trace."""
    seen: list[Request] = []

    def handler(request: Request) -> Response:
        seen.append(request)
        return Response(photo(), content_type="text/html", headers={"Set-Cookie": "who=you"})

    httpserver.expect_request("/a.jpg").respond_with_handler(handler)
    url = f"http://photos.example:{httpserver.port}/a.jpg?x=1"
    fetch = local()
    assert fetch.image(url, MAX_BYTES) == fetch.image(url, MAX_BYTES) == photo()
    assert seen[1].headers["Host"] == f"photos.example:{httpserver.port}"
    assert "Cookie" not in seen[1].headers
    assert seen[1].query_string == b"x=1"


def test_proxies_of_the_environment_are_not_used(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that nobody listens at changes nothing."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    assert local().image(httpserver.url_for("/a.jpg"), MAX_BYTES) == photo()


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0"],
)
def test_this_machine_and_private_networks_are_not_asked(httpserver: HTTPServer, host: str) -> None:
    """By number, by name, in IPv6, mapped: refused, and the server that listens there hears nothing."""
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    assert refused(Fetch(), f"http://{host}:{httpserver.port}/a.jpg") == ("policy", "address_not_allowed")
    assert not httpserver.log


def test_a_name_that_leads_inside_is_not_asked(httpserver: HTTPServer) -> None:
    """The name's address decides, not the name."""
    fetch = Fetch(resolve=lambda *_: [HERE])
    assert refused(fetch, f"http://photos.example:{httpserver.port}/") == ("policy", "address_not_allowed")
    assert not httpserver.log


@pytest.mark.parametrize("to", ["http://10.0.0.7/a", "http://inside.example/a", "http://[::1]/", "//127.1/"])
def test_a_redirect_inside_is_refused(httpserver: HTTPServer, to: str) -> None:
    """The second address is checked as the first was."""
    httpserver.expect_request("/a.jpg").respond_with_data("", 302, {"Location": to})
    port = httpserver.port

    def resolve(host: str, _: int) -> list[str]:
        return [{"photos.example": HERE, "inside.example": "192.168.0.9"}.get(host, host)]

    def allowed(address: object) -> bool:
        return str(address) == HERE or is_public(address)  # type: ignore[arg-type]  # an address

    fetch = local(allowed=allowed, resolve=resolve)
    assert refused(fetch, f"http://photos.example:{port}/a.jpg") == ("policy", "address_not_allowed")


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ("ftp://photos.example/", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("http://me:secret@photos.example/", "credentials_in_address"),
        ("http://a.example\\b/", "not_an_address"),
    ],
)
def test_a_redirect_to_what_may_not_be_asked(httpserver: HTTPServer, to: str, code: str) -> None:
    """Other schemes and credentials do not get in by a redirect either."""
    httpserver.expect_request("/a.jpg").respond_with_data("", 301, {"Location": to})
    assert refused(local(), httpserver.url_for("/a.jpg")) == ("policy", code)


def test_redirects_are_followed_five_times(httpserver: HTTPServer) -> None:
    """Relative ones too; the sixth is one too many."""
    for n in range(6):
        httpserver.expect_request(f"/{n}").respond_with_data("", 307, {"Location": f"{n + 1}"})
    httpserver.expect_request("/6").respond_with_data(photo())
    assert local().get(httpserver.url_for("/1"), Wanted(most_bytes=MAX_BYTES)).address == httpserver.url_for(
        "/6"
    )
    assert refused(local(), httpserver.url_for("/0")) == ("failure_to_acquire", "too_many_redirects")


def test_the_address_that_was_checked_is_the_one_reached(httpserver: HTTPServer) -> None:
    """A name whose second answer would be another (DNS rebinding) is looked up once for a connection."""
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    answers = iter([[HERE], ["10.0.0.1"]])
    fetch = local(resolve=lambda *_: next(answers))
    assert fetch.image(f"http://photos.example:{httpserver.port}/a.jpg", MAX_BYTES) == photo()
    assert next(answers) == ["10.0.0.1"]


def test_the_next_address_is_tried(httpserver: HTTPServer) -> None:
    """Where the first of several addresses does not answer."""
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    fetch = local(resolve=lambda *_: ["127.0.0.2", HERE])
    assert fetch.image(f"http://photos.example:{httpserver.port}/a.jpg", MAX_BYTES) == photo()


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (404, ("failure_to_acquire", "http_404")),
        (206, ("failure_to_acquire", "http_206")),
        (302, ("failure_to_acquire", "http_302")),
        (403, ("policy", "http_403")),
        (429, ("transport", "throttled")),
        (503, ("transport", "http_503")),
    ],
)
def test_answers_without_an_image_are_sorted(
    httpserver: HTTPServer, status: int, expected: tuple[str, str]
) -> None:
    """Not there, not allowed, not now; only the last is asked for three times."""
    httpserver.expect_request("/a.jpg").respond_with_data("", status)
    assert refused(local(), httpserver.url_for("/a.jpg")) == expected
    assert len(httpserver.log) == (3 if expected[0] == "transport" else 1)


def test_a_host_that_asks_to_wait_is_waited_for(httpserver: HTTPServer) -> None:
    """Retry-After in seconds, up to a limit; then the image comes."""
    waits: list[float] = []
    for after in ("2", "9000"):
        httpserver.expect_ordered_request("/a.jpg").respond_with_data("", 503, {"Retry-After": after})
    httpserver.expect_ordered_request("/a.jpg").respond_with_data(photo())
    assert local(sleep=waits.append).image(httpserver.url_for("/a.jpg"), MAX_BYTES) == photo()
    assert waits == [2.0, 30.0]


@pytest.mark.parametrize("data", [b"<html>no image</html>", b"", b"\xff", b"GIF89a" + bytes(50), b"%PDF-1.7"])
def test_what_is_no_image_is_refused_by_its_bytes(httpserver: HTTPServer, data: bytes) -> None:
    """Whatever the header says."""
    httpserver.expect_request("/a.jpg").respond_with_data(data, content_type="image/jpeg")
    assert refused(local(), httpserver.url_for("/a.jpg")) == ("failure_to_acquire", "wrong_type")


def stream_of(size: int) -> Iterator[bytes]:
    yield b"\xff\xd8\xff"
    for _ in range(size // 65536):
        yield bytes(65536)


@pytest.mark.parametrize("said", [False, True])
def test_200_megabytes_are_stopped_early(httpserver: HTTPServer, *, said: bool) -> None:
    """With or without a length in the header: too large, and memory stays below 16 MB at a limit of 1 MB."""
    size = 200_000_000

    def handler(_: Request) -> Response:
        headers = {"Content-Length": str(size)} if said else {}
        return Response(stream_of(size), headers=headers, direct_passthrough=True)

    httpserver.expect_request("/a.jpg").respond_with_handler(handler)
    tracemalloc.start()
    try:
        assert refused(local(), httpserver.url_for("/a.jpg")) == ("failure_to_acquire", "too_large")
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", deflated)])
def test_an_encoding_unfolds_no_further_than_allowed(
    httpserver: HTTPServer, coding: str, pack: object
) -> None:
    """An image in gzip or deflate is read; 60 MB in 60 kB are refused with memory below 16 MB."""
    assert callable(pack)
    named = {"Content-Encoding": coding}
    httpserver.expect_request("/a.jpg").respond_with_data(pack(photo()), headers=named)
    httpserver.expect_request("/b.jpg").respond_with_data(
        pack(b"\xff\xd8\xff" + bytes(60_000_000)), headers=named
    )
    assert local().image(httpserver.url_for("/a.jpg"), MAX_BYTES) == photo()
    tracemalloc.start()
    try:
        assert refused(local(), httpserver.url_for("/b.jpg")) == ("failure_to_acquire", "too_large")
        assert tracemalloc.get_traced_memory()[1] < 16_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("coding", ["br", "gzip, gzip", "zstd", "gzip"])
def test_an_encoding_that_cannot_be_unfolded(httpserver: HTTPServer, coding: str) -> None:
    """Unknown ones, towers of them, and a torn gzip."""
    data = gzip.compress(photo())[:-20]
    httpserver.expect_request("/a.jpg").respond_with_data(data, headers={"Content-Encoding": coding})
    assert refused(local(), httpserver.url_for("/a.jpg")) == ("failure_to_acquire", "unknown_encoding")


@pytest.fixture
def dripping() -> Iterator[int]:
    """The port of a server that sends a header one byte each 20 ms and never ends it."""
    server = socket.create_server((HERE, 0))
    over = threading.Event()

    def serve() -> None:
        while not select([server], [], [], 0.02)[0]:
            if over.is_set():
                return
        asked, _ = server.accept()
        with asked:
            while not over.wait(0.02):
                try:
                    asked.send(b"H")
                except OSError:
                    return

    thread = threading.Thread(target=serve)
    thread.start()
    yield server.getsockname()[1]
    over.set()
    server.close()
    thread.join()


def test_a_host_that_drips_is_left_in_time(dripping: int) -> None:
    """A byte at a time does not hold a fetch: the whole attempt ends after its seconds."""
    began = time.monotonic()
    fetch = local(seconds=0.4, silence=5.0, attempts=1)
    assert refused(fetch, f"http://{HERE}:{dripping}/a.jpg") == ("transport", "timeout")
    assert time.monotonic() - began < 3


def test_a_host_that_is_silent_is_left(httpserver: HTTPServer) -> None:
    """No byte for as long as is waited: a failure of transport."""
    over = threading.Event()

    def handler(_: Request) -> Response:
        over.wait(5)
        return Response(photo())

    httpserver.expect_request("/a.jpg").respond_with_handler(handler)
    assert refused(local(silence=0.2, attempts=1), httpserver.url_for("/a.jpg")) == ("transport", "timeout")
    over.set()


def test_waiting_for_ones_turn_costs_no_time_of_the_fetch(httpserver: HTTPServer) -> None:
    """At two calls a second the second waits longer than a fetch may take, and comes."""
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    fetch = local(seconds=0.4, pace=Pace(rate=2.0), attempts=1)
    assert [fetch.image(httpserver.url_for("/a.jpg"), MAX_BYTES) for _ in range(2)] == [photo()] * 2


def test_nobody_there_is_a_failure_of_transport() -> None:
    """A port that nobody listens at, an answer that is no HTTP."""
    with socket.create_server((HERE, 0)) as server:
        port = server.getsockname()[1]
    assert refused(local(), f"http://{HERE}:{port}/") == ("transport", "no_connection")


def test_tls_speaks_to_the_name_at_the_checked_address(tmp_path: Path) -> None:
    """The certificate is of the name, the connection to the number; another name is not believed."""
    shown, trusting = certificate(tmp_path, "photos.example")
    names: list[str | None] = []
    shown.sni_callback = lambda _, name, __: names.append(name)
    with HTTPServer(host=HERE, ssl_context=shown) as server:
        server.expect_request("/a.jpg").respond_with_data(photo())
        fetch = local(trusted=lambda: trusting, attempts=1)
        assert fetch.image(f"https://photos.example:{server.port}/a.jpg", MAX_BYTES) == photo()
        assert refused(fetch, f"https://other.example:{server.port}/a.jpg") == ("transport", "no_connection")
    assert names == ["photos.example", "other.example"]


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30)
ends = st.sampled_from(
    ["", ":1", ":x", "/Ada-Lovelace.jpg", "@127.0.0.1", "?q=Ada Lovelace", "\r\nX: y", "[", "]"]
)
starts = st.sampled_from(
    ["http://", "https://", "ftp://", "file:///", "//", "http:", "http://Ada-Lovelace", ""]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(start=starts, middle=words, end=ends)
def test_no_error_holds_an_address(
    start: str, middle: str, end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the address: a CallError and nothing else, and neither it, its causes nor a log hold what was asked."""
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    fetch = Fetch(resolve=lambda *_: ["10.0.0.1"], sleep=lambda _: None)
    with pytest.raises(CallError) as caught:
        fetch.image(f"{start}{middle}{end}", MAX_BYTES)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None or isinstance(error.__context__, CallError)
    assert "Ada" not in "".join(traceback.format_exception_only(error)) + caplog.text


def test_nothing_of_a_fetch_is_logged(httpserver: HTTPServer, caplog: pytest.LogCaptureFixture) -> None:
    """Neither address nor header, at the finest level of logging."""
    caplog.set_level(logging.DEBUG)
    httpserver.expect_request("/Ada-Lovelace.jpg").respond_with_data("", 503, {"X-Who": "Ada-Lovelace"})
    refused(local(), f"http://ada-lovelace.example:{httpserver.port}/Ada-Lovelace.jpg")
    logged = [line for line in caplog.records if not line.name.startswith("werkzeug")]
    assert "ovelace" not in " ".join(line.getMessage() for line in logged)


def test_addresses_inside_are_compared_as_numbers() -> None:
    """An IPv6 address with a zone is not allowed either."""
    assert not is_public(ipaddress.ip_address("fe80::1%eth0"))
