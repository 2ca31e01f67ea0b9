"""Bytes from an address that somebody else chose: checked before, bounded while, and named by nobody after."""

import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from frtaudit.collection.clients.addresses import Allowed, Resolve, Target, is_public, resolved, target_of
from frtaudit.collection.clients.gate import Pace
from frtaudit.collection.clients.reply import CODINGS, wait_of
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.core.machine import signals

AGENT = "frtaudit (audits of face verification)"
IMAGES = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")
REDIRECTS = (301, 302, 303, 307, 308)
LONGEST_WAIT = 30.0
_POLICY = (401, 403, 451)


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What came, and from where after redirects; ``wait``: seconds that the host asks for, None where it does not."""

    data: bytes = field(repr=False)
    address: str = field(repr=False)
    status: int = 200
    wait: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What may come: at most ``most_bytes`` after decoding, that begin with one of ``begins``, under a status."""

    most_bytes: int
    begins: tuple[bytes, ...] = ()
    statuses: tuple[int, ...] = (200,)
    accept: str = "*/*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """How addresses are fetched. No proxy of the environment, no cookie, no credential goes along.

    ``seconds``: for one attempt, from its first byte to its last; ``silence``: for the next bytes; ``attempts``: after
    failures of transport; ``redirects``: followed by hand, each checked as the first address was. ``allowed``,
    ``resolve``, ``trusted``: for tests against this machine; no spec reaches them.
    """

    seconds: float = 60.0
    silence: float = 10.0
    attempts: int = 3
    redirects: int = 5
    pace: Pace = field(default_factory=lambda: Pace(rate=None))
    allowed: Allowed = is_public
    resolve: Resolve = resolved
    trusted: Callable[[], ssl.SSLContext] | None = None
    sleep: Callable[[float], None] = signals.sleep

    def image(self, address: str, most_bytes: int) -> bytes:
        """Bytes that begin as a JPEG or a PNG does.

        Raises :class:`CallError`: a code of :data:`~frtaudit.collection.clients.addresses.REASONS`, ``http_404`` and
        the like.
        """
        wanted = Wanted(most_bytes=most_bytes, begins=IMAGES, accept="image/jpeg, image/png")
        return self.get(address, wanted).data

    def get(self, address: str, wanted: Wanted) -> Body:
        """What is wanted. Raises :class:`CallError`."""
        for attempt in range(1, self.attempts + 1):
            try:
                return self._followed(address, wanted)
            except CallError as error:
                if error.refusal is not Refusal.TRANSPORT or attempt == self.attempts:
                    raise
                wait = 0.5 * 2**attempt if error.wait is None else min(error.wait, LONGEST_WAIT)
            self.sleep(wait)
        raise AssertionError("unreachable: attempts are 1 or more")

    def _followed(self, address: str, wanted: Wanted) -> Body:
        until = time.monotonic() + self.seconds
        for _ in range(self.redirects + 1):
            target = target_of(address)
            waiting = time.monotonic()
            self.pace.turn(target.host)
            until += time.monotonic() - waiting
            body = self._asked(target, until, wanted)
            if isinstance(body, Body):
                return replace(body, address=address)
            address = joined(address, body)
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_many_redirects")

    def _asked(self, target: Target, until: float, wanted: Wanted) -> Body | str:
        """The bytes, or where a redirect leads. Errors of the HTTP library end here: they hold addresses."""
        import httpcore

        code = "no_connection"
        try:
            return self._read(target, until, wanted)
        except httpcore.TimeoutException:
            code = "timeout"
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError):
            pass
        raise CallError(Refusal.TRANSPORT, code)

    def _read(self, target: Target, until: float, wanted: Wanted) -> Body | str:
        import httpcore

        from frtaudit.collection.clients.connection import CheckedBackend, trusted

        sent = {
            "Host": target.authority,
            "Accept": wanted.accept,
            "User-Agent": AGENT,
            "Accept-Encoding": "identity",
            "Connection": "close",
        }
        url = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=target.path.encode(),
        )
        waits = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), self.silence)}
        pool = httpcore.ConnectionPool(
            ssl_context=(self.trusted or trusted)() if target.scheme == "https" else None,
            network_backend=CheckedBackend(self.allowed, self.resolve, lambda: until),
        )
        with pool, pool.stream("GET", url, headers=[*sent.items()], extensions=waits) as response:
            named = {name.decode().lower(): _text(value) for name, value in response.headers}
            if response.status in REDIRECTS and "location" in named:
                return named["location"]
            _check_status(response.status, named, wanted)
            data = _bounded(_decoded(response.iter_stream(), named, wanted.most_bytes), wanted)
            return Body(data=data, address="", status=response.status, wait=wait_of(named))


def _text(value: bytes) -> str:
    """A header, in UTF-8 where it is."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def joined(address: str, location: str) -> str:
    """The address of a link in a page. Raises :class:`CallError` for what is none."""
    try:
        return urljoin(address, location)
    except ValueError:
        pass
    raise CallError(Refusal.POLICY, "not_an_address")


def _check_status(status: int, named: Mapping[str, str], wanted: Wanted) -> None:
    """Raise for all but what is wanted, sorted: what is worth another attempt, what is refused, what is not there."""
    if status in wanted.statuses:
        return
    if status == 429 or status >= 500:
        code = "throttled" if status == 429 else f"http_{status}"
        raise CallError(Refusal.TRANSPORT, code, wait_of(named))
    raise CallError(Refusal.POLICY if status in _POLICY else Refusal.FAILURE_TO_ACQUIRE, f"http_{status}")


def _decoded(chunks: Iterator[bytes], named: Mapping[str, str], most_bytes: int) -> Iterator[bytes]:
    """Chunks in their content encoding, which may unfold to no more than is still allowed, and one byte."""
    coding = named.get("content-encoding", "identity").strip().lower()
    if coding in ("", "identity"):
        length = named.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > most_bytes:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large")
        yield from chunks
        return
    if coding not in CODINGS:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unknown_encoding")
    unfold, left = zlib.decompressobj(CODINGS[coding]), most_bytes + 1
    for chunk in chunks:
        try:
            data = unfold.decompress(chunk, left)
        except zlib.error:
            break
        left -= len(data)
        yield data
        if left <= 0:
            return
    if not unfold.eof:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unknown_encoding")


def _bounded(chunks: Iterator[bytes], wanted: Wanted) -> bytes:
    """All chunks, stopped at the first byte too many or as soon as the first bytes are of another kind."""
    body, asked = bytearray(), max(map(len, wanted.begins), default=0)
    for chunk in chunks:
        body += chunk
        if len(body) > wanted.most_bytes:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large")
        if len(body) >= asked and not body.startswith(wanted.begins or b""):
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "wrong_type")
    if not body.startswith(wanted.begins or b""):
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "wrong_type")
    return bytes(body)
