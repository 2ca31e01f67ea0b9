"""Connections to a service: each attempt ends after its seconds, however what comes is dripped."""

import threading
import time
from collections.abc import Sequence

import httpcore
import httpx

from frtaudit.collection.clients.addresses import resolved
from frtaudit.collection.clients.connection import CheckedBackend, trusted
from frtaudit.collection.clients.reply import UnsentError
from frtaudit.core.collecting import CallError, Refusal

IDLE = 5.0  # seconds after which a connection that nobody uses is closed


class _Until(threading.local):
    """When the attempt of this thread ends, on the clock of time.monotonic."""

    moment = 0.0


class TimedTransport(httpx.HTTPTransport):
    """``seconds``: of an attempt, from its connection to the last byte of its answer."""

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
