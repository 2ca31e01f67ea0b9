"""One layer of HTTP for services: every attempt passes the gate, and only a failure of transport is tried again."""

import ipaddress
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar  # Any: parsed JSON
from urllib.parse import urlsplit

from frtaudit.collection.clients.addresses import is_host
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.core.machine.extras import need
from frtaudit.errors import ProviderError, SpecError

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 4_000_000  # of an answer
MAX_WAIT = 120.0  # seconds that are waited because a service asked for them
FIRST_WAIT = 0.5  # seconds before the second attempt, doubled for each one after
LONGEST_WAIT = 30.0
NO_CREDIT = 402  # Payment Required: of every service
NOWHERE = (404, 405, 410)  # where the service says nothing of its own
HANDLE_GONE = "handle_gone"  # a face id or token has ended: it is made anew, the same call is not made again
UNREADABLE = "unreadable_response"
ODD = "a blank, a line break or a letter that is not ASCII"
AS_GIVEN = "the key as the service gave it"

T = TypeVar("T")


class Ask(TypedDict, total=False):
    """What is sent: headers, query, and one kind of body."""

    headers: Mapping[str, str]
    params: Mapping[str, str]
    content: bytes
    data: Mapping[str, str]
    files: Mapping[str, tuple[str, bytes, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back: ``content`` is the JSON, None where there is none or it is torn.

    ``headers``: names in lower case.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)
    content: object = field(repr=False, default=None)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The content as an object; empty where it is none, so that what is looked for in it is missing."""
        return self.content if isinstance(self.content, dict) else {}

    @property
    def items(self) -> list[Any]:
        """The content as a list. Raises :class:`TypeError` where it is none."""
        if not isinstance(self.content, list):
            raise TypeError
        return self.content


Table = Callable[[Reply], CallError | None]
"""Sorts what a service says into refusals; None where the reply is an answer. Raises ProviderError for the account."""


@dataclass(slots=True, kw_only=True)
class Caller:
    """Calls of one service over HTTP: at most ``limits.concurrency`` in flight, each attempt behind the gate.

    ``caller_of`` makes one.

    Attributes
    ----------
    limits : Limits
        Rate, attempts, timeout.
    gate : Gate
        Asked before every attempt.
    classify : callable
        From a reply to the ``CallError`` that it stands for; None where the reply is an answer. Raises
        ``ProviderError`` where the account is refused.
    client : httpx.Client
        The connections.
    """

    limits: Limits
    gate: Gate
    classify: Table
    client: "httpx.Client" = field(repr=False)
    _places: threading.BoundedSemaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Nothing is sent."""
        self._places = threading.BoundedSemaphore(self.limits.concurrency)

    def call(self, kind: str, path: str, make: Callable[[], Ask], read: Callable[[Reply], T]) -> T:
        """Call, and repeat the call after failures of transport.

        Parameters
        ----------
        kind : {"detect", "compare"}
            Which price an attempt has.
        path : str
            Below the endpoint.
        make : callable
            Makes what is sent, anew for each attempt, because signatures expire: a dict with ``headers``, ``params``
            and one of ``content``, ``data``, ``files``.
        read : callable
            From a reply (``status``, ``headers``, ``content``, ``fields``, ``items``) to what is returned.

        Returns
        -------
        object
            What ``read`` returns.

        Raises
        ------
        CallError
            No answer; after the last attempt where the failure is one of transport.
        ProviderError
            The account is refused, or nothing answers such calls at the endpoint. What the gate raises passes through.
        """
        import stamina

        attempts = stamina.retry_context(
            on=_again,
            attempts=self.limits.attempts,
            timeout=None,
            wait_initial=FIRST_WAIT,
            wait_max=LONGEST_WAIT,
            wait_jitter=FIRST_WAIT,
        )
        for attempt in attempts:
            with attempt:
                return self._attempt(kind, path, make, read)
        raise AssertionError("an attempt returns or raises")

    def check(self, path: str, ask: Ask) -> None:
        """Send one request without an image, unpaid, to learn whether the account is accepted.

        Parameters
        ----------
        path : str
            Below the endpoint.
        ask : dict
            What is sent, as ``make`` of ``call`` gives it.

        Raises
        ------
        ProviderError
            The account is refused, or nothing answers such calls at the endpoint.
        """
        with suppress(CallError):
            reply = self._sent(path, ask)
            self._classified(reply)

    def close(self) -> None:
        """Let connections go."""
        self.client.close()

    def _attempt(self, kind: str, path: str, make: Callable[[], Ask], read: Callable[[Reply], T]) -> T:
        with self._places:
            self.gate.attempt(kind)
            reply = self._sent(path, make())
        refused = self._classified(reply)
        if refused is not None:
            if refused.refusal is Refusal.TRANSPORT and refused.wait is None:
                refused.wait = wait_of(reply.headers)
            raise refused
        if reply.content is None:
            raise CallError(Refusal.TRANSPORT, UNREADABLE)
        try:
            return read(reply)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise CallError(Refusal.TRANSPORT, UNREADABLE) from None

    def _classified(self, reply: Reply) -> CallError | None:
        if reply.status == NO_CREDIT:
            raise no_credit("services")
        return self.classify(reply) or _refused(reply)

    def _sent(self, path: str, ask: Ask) -> Reply:
        """One request; the exceptions of the library hold headers and bodies, so none of them is passed on."""
        import httpx

        deadline = time.monotonic() + self.limits.timeout
        try:
            with self.client.stream("POST", path, **ask) as response:
                parts, size = [], 0
                for part in response.iter_bytes():
                    parts.append(part)
                    size += len(part)
                    if size > MAX_BYTES:
                        raise CallError(Refusal.TRANSPORT, "response_too_large")
                    if time.monotonic() > deadline:
                        raise CallError(Refusal.TRANSPORT, "timeout")
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Reply(status=response.status_code, headers=headers, content=_json_of(b"".join(parts)))
        except httpx.TimeoutException:
            raise CallError(Refusal.TRANSPORT, "timeout") from None
        except httpx.HTTPError:
            raise CallError(Refusal.TRANSPORT, "no_connection") from None


def caller_of(endpoint: str, limits: Limits, gate: Gate, classify: Table) -> Caller:
    """A caller of an endpoint. It uses no proxy and no netrc of the environment, and follows no redirect.

    Parameters
    ----------
    endpoint : str
        Address to which paths are added.
    limits : Limits
        Rate, attempts, timeout.
    gate : Gate
        Asked before every attempt.
    classify : callable
        From a reply to the ``CallError`` that it stands for; None where the reply is an answer.

    Returns
    -------
    Caller
        Open until ``close``.

    Raises
    ------
    ProviderError
        The extra ``collect`` is not installed.

    Examples
    --------
    >>> class Free:
    ...     def attempt(self, kind): ...
    >>> caller = caller_of("http://127.0.0.1:9", Limits(concurrency=2), Free(), lambda reply: None)
    >>> caller.limits.concurrency
    2
    >>> caller.close()
    """
    need("collect", "httpx", "stamina")
    import httpx

    logging.getLogger("stamina").addHandler(logging.NullHandler())  # a second attempt is no warning
    client = httpx.Client(
        base_url=endpoint,
        trust_env=False,
        follow_redirects=False,
        timeout=limits.timeout,
        limits=httpx.Limits(max_connections=limits.concurrency, max_keepalive_connections=limits.concurrency),
    )
    return Caller(limits=limits, gate=gate, classify=classify, client=client)


def checked_endpoint(where: str, endpoint: str) -> None:
    """Raise :class:`SpecError` unless it is https, or http on this machine, with neither user nor query.

    >>> checked_endpoint("services.luxand.endpoint", "http://127.0.0.1:8080")
    """
    accepted = "https://HOST, or http://127.0.0.1:PORT for a service on this machine"
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise SpecError(where, "found no address", accepted) from None
    if not is_host(host) or parts.username or parts.password or parts.query or parts.fragment:
        raise SpecError(where, "found no host, or a user, query or fragment", accepted)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise SpecError(where, f"found the scheme {parts.scheme!r}", accepted)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("10.0.0.1")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def place_of(endpoint: str) -> str:
    """Which host answers, as a result names it: never a port, for a service on this machine changes it.

    >>> place_of("https://api-us.faceplusplus.com"), place_of("http://127.0.0.1:41234")
    ('api-us.faceplusplus.com', 'loopback')
    """
    host = urlsplit(endpoint).hostname or ""
    return "loopback" if is_loopback(host) else host


def credentials(service: str, *names: str) -> tuple[str, ...]:
    """Values of environment variables, without blanks around them.

    Raises :class:`ProviderError`, naming those that are not set, or one that no header can hold; never a value.
    """
    variables = {name: os.environ.get(name, "").strip() for name in names}
    missing = [name for name, value in variables.items() if not value]
    if missing:
        accepted = f"{', '.join(missing)} in the environment"
        raise ProviderError(f"services: {service}", "no credentials", accepted)
    for name, value in variables.items():
        if not fits_header(value):
            raise ProviderError(f"services: {service}", f"{name} holds {ODD}", AS_GIVEN)
    return tuple(variables.values())


def fits_header(value: str) -> bool:
    """Whether a key is of printable ASCII without blanks, as all keys are.

    >>> fits_header("a1-B_2"), fits_header("a b"), fits_header("clé")
    (True, False, False)
    """
    return value.isascii() and value.isprintable() and " " not in value


def authentication_error(service: str, why: str = "credentials refused") -> ProviderError:
    """The account as a whole is refused, so every further call would be: a collection stops, to be taken up again."""
    accepted = "an account that may make these calls; then the same command"
    return ProviderError(f"services: {service}", why, accepted)


def no_credit(where: str) -> ProviderError:
    """The account has no credit, so that every further call would be refused as well."""
    problem = f"no credit (http_{NO_CREDIT})"
    return ProviderError(where, problem, "an account with credit; then the same command")


def nowhere(where: str, status: int) -> ProviderError:
    """Nothing answers such calls at the endpoint, so that every further call would fail as well."""
    problem = f"no such call at the endpoint (http_{status})"
    return ProviderError(where, problem, "the service's endpoint; then the same command")


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds of ``Retry-After``, given as seconds or as a date; None where there is none that can be read.

    >>> wait_of({"retry-after": "7"}), wait_of({"retry-after": "soon"}), wait_of({})
    (7.0, None, None)
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return None


def _again(error: Exception) -> bool | float:
    """Whether there is another attempt, or after how many seconds."""
    if not isinstance(error, CallError) or error.refusal is not Refusal.TRANSPORT:
        return False
    if error.code == HANDLE_GONE:
        return False
    if error.wait is None:
        return True
    return error.wait if error.wait <= MAX_WAIT else False


def _refused(reply: Reply) -> CallError | None:
    """What HTTP itself says, where the service's own table is silent. Raises what :func:`nowhere` says."""
    status = reply.status
    if status == 413:
        return CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large")
    if status == 429:
        return CallError(Refusal.TRANSPORT, "throttled")
    if status == 408 or status >= 500:
        return CallError(Refusal.TRANSPORT, f"http_{status}")
    if 300 <= status < 400:
        return CallError(Refusal.TRANSPORT, "redirected")
    if status in NOWHERE:
        raise nowhere("services", status)
    if not 200 <= status < 300:
        return CallError(Refusal.POLICY, f"http_{status}")
    return None


def _json_of(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # towers of brackets are no answer
        return None
