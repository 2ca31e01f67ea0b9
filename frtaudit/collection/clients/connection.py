"""Connections to the very addresses that were checked, each with a time by which all must be done."""

import logging
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import httpcore
import httpx

from frtaudit.collection.clients.addresses import Allowed, Resolve, addresses_of, resolved
from frtaudit.collection.clients.reply import UnsentError
from frtaudit.core.collecting import CallError, Refusal

logging.getLogger("httpcore").setLevel(logging.WARNING)  # its debug lines hold hosts and addresses
PIECE = 65_536  # bytes that are sent at once: between two, the time is looked at
IDLE = 5.0  # seconds after which a connection that nobody uses is closed

Until = Callable[[], float]
"""On the clock of time.monotonic: by when what goes on in this thread must be done."""


class CheckedBackend(httpcore.NetworkBackend):
    """Looks a host up once, checks every address that it has, and connects to one of these: nothing to rebind.

    TLS and the Host header keep the name. A connection that goes on for longer than ``until`` ends, however it is
    dripped.
    """

    def __init__(self, allowed: Allowed, resolve: Resolve, until: Until) -> None:
        self._allowed, self._resolve, self._until = allowed, resolve, until
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """To the first of the checked addresses that answers."""
        failed: Exception = httpcore.ConnectError("no address")
        for address in addresses_of(host, port, self._allowed, self._resolve):
            left = _left(self._until, timeout)
            try:
                stream = self._plain.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
            else:
                return _Timed(stream, self._until)
        raise failed


class _Timed(httpcore.NetworkStream):
    """A stream that ends at a time."""

    def __init__(self, stream: httpcore.NetworkStream, until: Until) -> None:
        self._stream, self._until = stream, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._until, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            self._stream.write(buffer[start : start + PIECE], _left(self._until, timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(self._until, timeout)
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, left), self._until)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _left(until: Until, timeout: float | None) -> float:
    left = until() - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the time is over")
    return left if timeout is None else min(left, timeout)


@cache
def trusted() -> ssl.SSLContext:
    """Authorities that certificates are checked against: certifi's, and the system's or those of ``SSL_CERT_FILE``."""
    return httpcore.default_ssl_context()


class _Until(threading.local):
    """When the attempt of this thread ends, on the clock of time.monotonic."""

    moment = 0.0


class TimedTransport(httpx.HTTPTransport):
    """To a service. ``seconds``: of an attempt, from its connection to the last byte of its answer."""

    def __init__(self, seconds: float, concurrency: int) -> None:
        super().__init__(verify=trusted())
        self._seconds, self._until = seconds, _Until()
        self._pool = httpcore.ConnectionPool(
            ssl_context=trusted(),
            max_connections=concurrency,
            max_keepalive_connections=concurrency,
            keepalive_expiry=IDLE,
            network_backend=CheckedBackend(lambda _: True, _addresses, lambda: self._until.moment),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Time begins. The thread that asks also reads the answer."""
        self._until.moment = time.monotonic() + self._seconds
        return super().handle_request(request)


def _addresses(host: str, port: int) -> Sequence[str]:
    """As :func:`resolved`. Raises :class:`UnsentError` where there are none, or no resolver answers."""
    try:
        addresses = resolved(host, port)
    except CallError:
        addresses = ()
    if not addresses:
        raise UnsentError(Refusal.TRANSPORT, "host_not_found")
    return addresses
