"""One layer of HTTP: attempts, waits, refusals; and that nothing a service said is passed on."""

import socket
import threading
import time
from pathlib import Path

import pytest
from made_up_services import Counting
from pytest_httpserver import HTTPServer
from web_pages import certificate
from werkzeug import Request as Asked
from werkzeug import Response as Answered

from frtaudit.collection.clients import gate as gates
from frtaudit.collection.clients import http, reply
from frtaudit.collection.clients.connection import trusted
from frtaudit.collection.clients.gate import Budget, RateLimiter
from frtaudit.collection.clients.http import (
    Ask,
    Caller,
    Reply,
    caller_of,
    checked_endpoint,
    credentials,
    place_of,
)
from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.clients.reply import UnsentError
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.errors import FrtauditError, ProviderError, SpecError

SECRET = "s3cret-of-somebody"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait before a second attempt."""
    monkeypatch.setattr(http, "FIRST_WAIT", 0.001)


def caller(server: HTTPServer, gate: Counting | RateLimiter | None = None, **limits: float) -> Caller:
    """With an empty table."""
    return caller_of(server.url_for("/"), Limits(**limits), gate or Counting(), lambda _: None)  # type: ignore[arg-type]


def score(made: Caller) -> float:
    """One call."""
    ask = Ask(headers={"key": SECRET}, content=SECRET.encode())
    return made.call("compare", "score", lambda: ask, lambda reply: float(reply.content["score"]))  # type: ignore[index]


def test_each_attempt_passes_the_gate_once_and_a_failure_of_transport_is_tried_again(
    httpserver: HTTPServer,
) -> None:
    """Two 500 and an answer: three attempts, three counts, one score."""
    for _ in range(2):
        httpserver.expect_ordered_request("/score").respond_with_data("no", status=500)
    httpserver.expect_ordered_request("/score").respond_with_json({"score": 0.5})
    gate = Counting()
    assert score(caller(httpserver, gate)) == 0.5
    assert gate.passed["compare"] == 3


def test_attempts_end_with_the_limit(httpserver: HTTPServer) -> None:
    """Four attempts where four are allowed, and then the refusal."""
    httpserver.expect_request("/score").respond_with_data("", status=503)
    gate = Counting()
    with pytest.raises(CallError, match="transport: http_503"):
        score(caller(httpserver, gate, attempts=4))
    assert gate.passed["compare"] == 4


@pytest.mark.parametrize(
    ("status", "body", "refusal"),
    [
        (200, '{"score": 0.', "transport: unreadable_response"),
        (200, "<html>", "transport: unreadable_response"),
        (200, '{"sc0re": 1}', "transport: unreadable_response"),
        (200, '{"score": "x"}', "transport: unreadable_response"),
        (200, "[1]", "transport: unreadable_response"),
        (200, '{"score": 1, "similar": "\\ud800"}', "transport: unreadable_response"),
        (200, "[" * 100_000, "transport: unreadable_response"),
        (200, '{"score": 1' + "0" * 400 + "}", "transport: unreadable_response"),
        (302, "", "transport: redirected"),
        (408, "", "transport: http_408"),
        (429, "", "transport: throttled"),
        (500, "{}", "transport: http_500"),
        (413, "Request Entity Too Large", "failure_to_acquire: too_large"),
        (400, "{}", "policy: http_400"),
        (400, "<html>", "transport: http_400"),
        (403, "", "transport: http_403"),
        (407, "{}", "transport: http_407"),
        (421, "{}", "transport: http_421"),
        (425, "{}", "transport: http_425"),
        (499, "{}", "transport: http_499"),
    ],
)
def test_answers_that_are_none_are_sorted(
    httpserver: HTTPServer, status: int, body: str, refusal: str
) -> None:
    """By status and by what the body is; only transport is tried again."""
    headers = {"Location": httpserver.url_for("/elsewhere")}
    httpserver.expect_request("/score").respond_with_data(body, status=status, headers=headers)
    gate = Counting()
    with pytest.raises(CallError) as caught:
        score(caller(httpserver, gate, attempts=2))
    assert str(caught.value) == refusal
    assert gate.passed["compare"] == (2 if refusal.startswith("transport") else 1)


def test_retry_after_is_honoured(httpserver: HTTPServer) -> None:
    """A second is waited because the service asks for it, where the own wait is a thousandth."""
    httpserver.expect_ordered_request("/score").respond_with_data(
        "", status=429, headers={"Retry-After": "1"}
    )
    httpserver.expect_ordered_request("/score").respond_with_json({"score": 1})
    begun = time.monotonic()
    assert score(caller(httpserver)) == 1.0
    assert time.monotonic() - begun >= 1.0


def test_a_wait_that_is_too_long_is_handed_on(httpserver: HTTPServer) -> None:
    """An hour is not waited: the refusal says how long the service asked for, after one attempt."""
    httpserver.expect_request("/score").respond_with_data("", status=429, headers={"Retry-After": "3600"})
    gate = Counting()
    with pytest.raises(CallError) as caught:
        score(caller(httpserver, gate))
    assert (caught.value.wait, gate.passed["compare"]) == (3600.0, 1)


def test_an_attempt_ends_with_its_time(httpserver: HTTPServer) -> None:
    """A service that does not answer in time is a failure of transport."""

    def late(_: Asked) -> Answered:
        time.sleep(0.5)
        return Answered("{}")

    httpserver.expect_request("/score").respond_with_handler(late)
    with pytest.raises(CallError, match="transport: timeout"):
        score(caller(httpserver, timeout=0.1, attempts=1))


def test_an_endless_answer_is_not_read(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """More bytes than any answer has are a failure of transport."""
    monkeypatch.setattr(reply, "MAX_BYTES", 1000)
    httpserver.expect_request("/score").respond_with_data("1" * 5000)
    with pytest.raises(CallError, match="response_too_large"):
        score(caller(httpserver, attempts=1))


def test_nobody_there_is_a_failure_of_transport() -> None:
    """A closed port."""
    made = caller_of("http://127.0.0.1:9", Limits(attempts=2), Counting(), lambda _: None)
    with pytest.raises(CallError, match="transport: no_connection"):
        score(made)


def test_no_proxy_of_the_environment_is_asked(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY is not looked at: images go to the service and to nobody else."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    httpserver.expect_request("/score").respond_with_json({"score": 1})
    assert score(caller(httpserver)) == 1.0


def test_the_budget_stops_attempts_and_not_only_calls(httpserver: HTTPServer) -> None:
    """With money for two attempts the third of a failing call is not made."""
    httpserver.expect_request("/score").respond_with_data("", status=500)
    limits = Limits(compare=1.0)
    gate = RateLimiter(limits=limits, budget=Budget(limit=2))  # type: ignore[arg-type]  # a whole number is a Fraction here
    with pytest.raises(FrtauditError, match="budget"):
        score(caller(httpserver, gate, attempts=6))
    assert len(httpserver.log) == 2


def test_no_more_calls_are_in_flight_than_allowed() -> None:
    """Eight threads on a service that takes two calls at once."""
    flying, most, lock = [0], [0], threading.Lock()

    def slow(_: Asked) -> Answered:
        with lock:
            flying[0] += 1
            most[0] = max(most[0], flying[0])
        time.sleep(0.1)
        with lock:
            flying[0] -= 1
        return Answered('{"score": 1}')

    with HTTPServer(threaded=True) as server:
        server.expect_request("/score").respond_with_handler(slow)
        made = caller(server, concurrency=2)
        threads = [threading.Thread(target=score, args=(made,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(server.log), most[0]) == (8, 2)


def test_nothing_that_was_sent_or_said_is_in_an_error(httpserver: HTTPServer) -> None:
    """Neither the key, nor the body, nor the service's words, nor another error behind the error that shows them."""
    httpserver.expect_request("/score").respond_with_data(f"bad key {SECRET}", status=400)
    made = caller(httpserver, attempts=1)
    with pytest.raises(CallError) as caught:
        score(made)
    shown = f"{caught.value!r} {caught.value} {caught.value.__context__!r} {made!r} {Reply(status=1, content=SECRET)!r}"
    assert SECRET not in shown


def test_what_the_account_is_refused_stops_at_once(httpserver: HTTPServer) -> None:
    """A table's ProviderError goes through, after one attempt."""

    def table(_: Reply) -> CallError | None:
        raise http.authentication_error("somebody")

    httpserver.expect_request("/score").respond_with_json({})
    gate = Counting()
    made = caller_of(httpserver.url_for("/"), Limits(), gate, table)
    with pytest.raises(ProviderError, match="credentials refused"):
        score(made)
    assert gate.passed["compare"] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        "http://example.org",
        "ftp://127.0.0.1",
        "https://user:word@example.org",
        "https://",
        "https://a.org?key=1",
        "x",
        "https://[",
        "https://a.org:99999",
    ],
)
def test_endpoints_that_are_refused(wrong: str) -> None:
    """Plain HTTP leaves this machine nowhere; a user in an address is a credential, and is not repeated."""
    with pytest.raises(SpecError) as caught:
        checked_endpoint("endpoint", wrong)
    assert "word" not in str(caught.value)


@pytest.mark.parametrize(
    "right", ["https://example.org/face", "http://127.0.0.1:1", "http://[::1]:1", "http://localhost"]
)
def test_endpoints_that_are_taken(right: str) -> None:
    """HTTPS anywhere, HTTP on this machine, which a result names without its port."""
    checked_endpoint("endpoint", right)
    checked_endpoint("feed", f"{right}?q=1", query=True)
    assert place_of(right) in ("example.org", "loopback")


def test_missing_credentials_are_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables that are not set, and not the values of those that are."""
    monkeypatch.setenv("ONE_KEY", SECRET)
    monkeypatch.delenv("OTHER_KEY", raising=False)
    with pytest.raises(ProviderError) as caught:
        credentials("somebody", "ONE_KEY", "OTHER_KEY")
    assert str(caught.value) == "services: somebody: no credentials; accepted: OTHER_KEY in the environment"


@pytest.mark.parametrize("value", ["a\nb", "a b", "clé-secrète", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the variable and says what is wrong with it; the key is not shown."""
    monkeypatch.setattr(http.os, "environ", {"ONE_KEY": value, "OTHER_KEY": " fine\n"})
    with pytest.raises(ProviderError) as caught:
        credentials("somebody", "OTHER_KEY", "ONE_KEY")
    assert str(caught.value) == (
        "services: somebody: ONE_KEY holds a blank, a line break or a letter that is not ASCII; "
        "accepted: the key as the service gave it"
    )
    assert credentials("somebody", "OTHER_KEY") == ("fine",)


@pytest.mark.parametrize("status", [404, 405, 410])
def test_a_wrong_endpoint_is_no_answer(httpserver: HTTPServer, status: int) -> None:
    """Where such calls are not known the service as a whole cannot be asked: one attempt, and no result."""
    httpserver.expect_request("/score").respond_with_data("<html>", status=status)
    gate = Counting()
    with pytest.raises(ProviderError, match=rf"no such call at the endpoint \(http_{status}\)"):
        score(caller(httpserver, gate))
    assert gate.passed["compare"] == 1


def test_a_refusal_of_transport_alone_is_made_again() -> None:
    """A face id that ended is not, though its score is not known: it is made anew first."""
    again = {refusal: http._pause_after(CallError(refusal, "code"), 0) is not None for refusal in Refusal}
    assert again == {Refusal.TRANSPORT: True, Refusal.POLICY: False, Refusal.FAILURE_TO_ACQUIRE: False}
    assert http._pause_after(CallError(Refusal.TRANSPORT, http.HANDLE_GONE), 0) is None


@pytest.mark.parametrize("wait", [None, 0.0, 0.2])
def test_no_service_asks_for_less_than_the_own_wait(
    wait: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retry-After: 0, or a date that is over, is waited as if there were none: half a second, doubled up to 30."""
    monkeypatch.setattr(http, "FIRST_WAIT", 0.5)
    waits = [
        http._pause_after(CallError(Refusal.TRANSPORT, "throttled", wait), n) or 0.0 for n in (0, 1, 2, 5000)
    ]
    assert [least <= made <= least + 0.5 for least, made in zip((0.5, 1, 2, 30), waits, strict=True)] == [
        True
    ] * 4
    assert http._pause_after(CallError(Refusal.TRANSPORT, "throttled", 40.0), 0) == 40.0


def test_a_call_that_is_never_sent_is_paid_once() -> None:
    """Six refused connections are one attempt, which is still to be made."""
    gate = Counting()
    made = caller_of("http://127.0.0.1:9", Limits(attempts=6), gate, lambda _: None)
    with pytest.raises(CallError, match="transport: no_connection"):
        score(made)
    assert gate.passed["compare"] == 1


def test_an_attempt_that_may_have_been_made_is_paid_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that is refused, one that ends without an answer, an answer: two attempts."""
    said = [
        UnsentError(Refusal.TRANSPORT, "no_connection"),
        CallError(Refusal.TRANSPORT, "no_connection"),
        Reply(status=200, content={"score": 1}),
    ]

    def sent(*_: object) -> Reply:
        next_one = said.pop(0)
        if isinstance(next_one, CallError):
            raise next_one
        return next_one

    monkeypatch.setattr(Caller, "_sent", sent)
    gate = Counting()
    assert score(caller_of("http://127.0.0.1:9", Limits(), gate, lambda _: None)) == 1.0
    assert gate.passed["compare"] == 2


def test_after_a_signal_there_is_no_further_attempt(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes during an attempt ends the call at once, though a minute was to be waited."""
    noted = threading.Event()

    def busy(_: Asked) -> Answered:
        noted.set()
        return Answered(status=429, headers={"Retry-After": "60"})

    monkeypatch.setattr(gates.signals, "noted", noted.is_set)
    httpserver.expect_request("/score").respond_with_handler(busy)
    gate, begun = Counting(), time.monotonic()
    with pytest.raises(gates.EndedError):
        score(caller(httpserver, gate))
    assert gate.passed["compare"] == 1
    assert time.monotonic() - begun < 2.0


def checked(endpoint: str) -> str:
    """The line with which a check ends, before anything is paid."""
    gate = Counting()
    made = caller_of(endpoint, Limits(), gate, lambda _: None)
    with pytest.raises(ProviderError) as caught:
        made.check("score", Ask())
    assert not gate.passed
    return str(caught.value)


def test_a_check_says_that_nobody_answers() -> None:
    """A closed port."""
    assert checked("http://127.0.0.1:9") == (
        "services: no connection to the endpoint (no_connection); "
        "accepted: an endpoint that answers; then the same command"
    )


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN])
def test_a_check_says_that_a_host_has_no_address(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such name, or no resolver."""

    def nowhere(*_: object, **__: object) -> None:
        raise socket.gaierror(number, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    assert checked("https://photos.example") == (
        "services: the endpoint's host has no address (host_not_found); "
        "accepted: the service's endpoint, and a network; then the same command"
    )


def test_a_check_says_that_a_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE adds the authority, and then the service answers."""
    shown, _ = certificate(tmp_path, "localhost")
    trusted.cache_clear()
    with HTTPServer(host="127.0.0.1", ssl_context=shown) as server:
        server.expect_request("/score").respond_with_json({"score": 1})
        endpoint = f"https://localhost:{server.port}"
        assert checked(endpoint) == (
            "services: the endpoint's certificate is refused (certificate_refused); "
            "accepted: a valid one, or SSL_CERT_FILE: a PEM file with its authority; then the same command"
        )
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        trusted.cache_clear()
        assert score(caller_of(endpoint, Limits(), Counting(), lambda _: None)) == 1.0
    trusted.cache_clear()
