"""An attempt ends after its seconds, whatever is dripped; what is asked for."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from made_up_services import Counting

from frtaudit.collection.clients.http import Ask, Caller, caller_of
from frtaudit.collection.clients.protocol import Limits
from frtaudit.core.collecting import CallError

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + b'{"score": 1}'
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"


@contextmanager
def dripping(first: bytes, drop: bytes, reads: int = 65_536) -> Iterator[str]:
    """A server that says ``first``, then ``drop`` every fiftieth second; it reads ``reads`` bytes at a time."""
    ended = threading.Event()
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen()

    def serve() -> None:
        with suppress(OSError):
            connection = listener.accept()[0]
            with connection:
                connection.recv(reads)
                connection.sendall(first)
                while not ended.wait(0.02):
                    connection.sendall(drop) if drop else connection.recv(reads)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    ended.set()
    listener.close()
    thread.join(5)


def score(made: Caller, body: bytes = b"") -> float:
    """One call."""
    return made.call(
        "compare", "score", lambda: Ask(content=body), lambda reply: float(reply.fields["score"])
    )


@pytest.mark.parametrize(
    ("first", "drop"),
    [
        (HEAD, b"a"),
        (HEAD, b"X-A: b\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (CHUNKED + b"\r\n1;", b"x"),
        (CHUNKED + b"\r\n", b"1\r\n \r\n"),
        (CHUNKED + b"Content-Encoding: gzip\r\n\r\na\r\n\x1f\x8b\x08\x08\0\0\0\0\0\x03\r\n", b"1\r\na\r\n"),
    ],
    ids=["header", "headers", "continue", "extension", "chunks", "gzip header"],
)
def test_an_attempt_ends_with_its_time_whatever_is_dripped(first: bytes, drop: bytes) -> None:
    """Something comes every fiftieth second, and the attempt still ends after three tenths of one."""
    with dripping(first, drop) as endpoint:
        begun = time.monotonic()
        with pytest.raises(CallError, match="transport: timeout"):
            score(caller_of(endpoint, Limits(timeout=0.3, attempts=1), Counting(), lambda _: None))
        assert 0.25 < time.monotonic() - begun < 1.5


def test_an_attempt_ends_with_its_time_also_while_it_sends() -> None:
    """A service that reads a few kilobytes every fiftieth second is not waited for."""
    with dripping(b"", b"", reads=4096) as endpoint:
        made, begun = (
            caller_of(endpoint, Limits(timeout=0.3, attempts=1), Counting(), lambda _: None),
            time.monotonic(),
        )
        with pytest.raises(CallError, match="transport: timeout"):
            score(made, b" " * 8_000_000)
        assert time.monotonic() - begun < 1.5


def test_each_attempt_on_a_connection_has_its_own_time() -> None:
    """Three calls on one connection, each of which takes most of its time; nothing compressed is asked for."""
    seen: list[bytes] = []
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            connection = listener.accept()[0]
            with connection:
                for _ in range(3):
                    seen.append(connection.recv(65_536))
                    time.sleep(0.3)
                    connection.sendall(ANSWER)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
        made = caller_of(endpoint, Limits(timeout=0.5), Counting(), lambda _: None)
        assert [score(made) for _ in range(3)] == [1.0] * 3
        made.close()
        thread.join(5)
    assert all(b"accept-encoding: identity\r\n" in asked.lower() for asked in seen)
