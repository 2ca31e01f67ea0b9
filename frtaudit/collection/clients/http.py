"""One layer of HTTP for services: every attempt passes the gate, and only a failure of transport is tried again."""

import ipaddress
import os
import random
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar  # Any: parsed JSON
from urllib.parse import urlsplit

from frtaudit.collection.clients.addresses import is_host
from frtaudit.collection.clients.gate import pause
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.collection.clients.reply import UnsentError, content_of, wait_of
from frtaudit.core.collecting import CallError, Refusal
from frtaudit.core.machine.extras import need
from frtaudit.errors import ProviderError, SpecError

if TYPE_CHECKING:
    import httpx

MAX_WAIT = 120.0  # seconds that are waited because a service asked for them
FIRST_WAIT = 0.5  # seconds before the second attempt, doubled for each one after
LONGEST_WAIT = 30.0
NO_CREDIT = 402  # Payment Required: of every service
NOWHERE = (404, 405, 410)  # where the service says nothing of its own
_ON_THE_WAY = (407, 421, 425, 499)  # what a proxy or a gateway says, and no service
HANDLE_GONE = "handle_gone"  # a face id or token has ended: it is made anew, the same call is not made again
UNREADABLE = "unreadable_response"
ODD = "a blank, a line break or a letter that is not ASCII"
AS_GIVEN = "the key as the service gave it"
_UNREACHED = {
    "host_not_found": ("the endpoint's host has no address", "the service's endpoint, and a network"),
    "certificate_refused": (
        "the endpoint's certificate is refused",
        "a valid one, or SSL_CERT_FILE: a PEM file with its authority",
    ),
    "no_connection": ("no connection to the endpoint", "an endpoint that answers"),
}

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
        paid = False  # an attempt that was never sent is still to be made
        for number in range(self.limits.attempts):
            try:
                return self._attempt(kind, path, make, read, paid=paid)
            except CallError as error:
                wait, paid = _pause_after(error, number), isinstance(error, UnsentError)
                if wait is None or number + 1 == self.limits.attempts:
                    raise
            pause(wait)
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
        try:
            self._classified(self._sent(path, ask))
        except UnsentError as error:
            raise unreached("services", error.code) from None
        except CallError:
            pass

    def close(self) -> None:
        """Let connections go."""
        self.client.close()

    def _attempt(
        self, kind: str, path: str, make: Callable[[], Ask], read: Callable[[Reply], T], *, paid: bool
    ) -> T:
        with self._places:
            if not paid:
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

        try:
            with self.client.stream("POST", path, **ask) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                content = content_of(response.iter_raw(), headers.get("content-encoding", ""))
                return Reply(status=response.status_code, headers=headers, content=content)
        except httpx.ConnectError as error:
            raise UnsentError(Refusal.TRANSPORT, _unsent_code(error)) from None
        except httpx.ConnectTimeout:
            raise UnsentError(Refusal.TRANSPORT, "timeout") from None
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
    need("collect", "httpx")
    import httpx

    from frtaudit.collection.clients.connection import TimedTransport

    client = httpx.Client(
        base_url=endpoint,
        headers={"Accept-Encoding": "identity"},  # else a small answer could unfold to any size
        trust_env=False,
        follow_redirects=False,
        timeout=limits.timeout,
        transport=TimedTransport(limits.timeout, limits.concurrency),
    )
    return Caller(limits=limits, gate=gate, classify=classify, client=client)


def checked_endpoint(where: str, endpoint: str, *, query: bool = False) -> None:
    """Raise :class:`SpecError` unless it is https, or http on this machine, without user; without ``query`` too.

    >>> checked_endpoint("services.luxand.endpoint", "http://127.0.0.1:8080")
    """
    accepted = "https://HOST, or http://127.0.0.1:PORT for a service on this machine"
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise SpecError(where, "found no address", accepted) from None
    more = parts.fragment or (parts.query and not query)
    if not is_host(host) or parts.username or parts.password or more:
        refused = "user or fragment" if query else "user, query or fragment"
        raise SpecError(where, f"found no host, or a {refused}", accepted)
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


def unreached(where: str, code: str) -> ProviderError:
    """No connection to the endpoint can be made, so that every further call would fail as well."""
    problem, accepted = _UNREACHED.get(code, _UNREACHED["no_connection"])
    return ProviderError(where, f"{problem} ({code})", f"{accepted}; then the same command")


def _unsent_code(error: BaseException) -> str:
    """Whether the certificate was refused, which the first of the errors says."""
    cause = error.__context__
    if cause is None:
        return "no_connection"
    return "certificate_refused" if isinstance(cause, ssl.SSLCertVerificationError) else _unsent_code(cause)


def _pause_after(error: CallError, number: int) -> float | None:
    """Seconds to wait after the failed attempt ``number``, from 0; None where no other is made.

    A service may ask for more than the own wait, not for less.
    """
    if error.refusal is not Refusal.TRANSPORT or error.code == HANDLE_GONE or (error.wait or 0.0) > MAX_WAIT:
        return None
    jitter = random.uniform(0.0, FIRST_WAIT)  # noqa: S311  no secret
    return max(min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(number, 10) + jitter), error.wait or 0.0)


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
        other = reply.content is None or status in _ON_THE_WAY  # than the service
        return CallError(Refusal.TRANSPORT if other else Refusal.POLICY, f"http_{status}")
    return None
