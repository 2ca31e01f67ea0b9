"""Connections to the very addresses that were checked, each with a time by which all must be done."""

import logging
import ssl
import time
from collections.abc import Callable, Iterable
from functools import cache

import httpcore

from frtaudit.collection.clients.addresses import Allowed, Resolve, addresses_of

logging.getLogger("httpcore").setLevel(logging.WARNING)  # its debug lines hold hosts and addresses
PIECE = 65_536  # bytes that are sent at once: between two, the time is looked at

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
