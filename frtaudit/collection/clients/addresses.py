"""Which addresses of the internet may be fetched: judged by where a name leads, not by how it is written."""

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from frtaudit.core.collecting import CallError, Refusal

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Allowed = Callable[[Address], bool]
Resolve = Callable[[str, int], Sequence[str]]

PORTS = {"http": 80, "https": 443}
LONGEST = 8000
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # RFC 4291, 2.4: what is routed, of IPv6
_NOT_OF_ALL = (  # that the standard library takes for public
    ipaddress.IPv4Network("192.0.0.0/24"),  # RFC 6890: for protocols, and a cloud's metadata
    ipaddress.IPv4Network("168.63.129.16/32"),  # a cloud's own services, from each of its machines
    ipaddress.IPv4Network("192.88.99.0/24"),  # RFC 7526: relays that are no more
    ipaddress.IPv6Network("3fff::/20"),  # RFC 9637: for documentation
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address is written inside
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\\]")
_HOST = re.compile(r"[a-z0-9._:-]+")
_KEPT = "%/:=&?~+!$,;'@()*[]-._"

REASONS = {
    "not_an_address": "no address of the form https://host/path",
    "scheme_not_allowed": "an address that is neither http nor https",
    "credentials_in_address": "an address with a user name or a password in it",
    "address_not_allowed": "an address of this machine, of a private network or otherwise not of the public internet",
    "too_many_redirects": "redirected too often",
    "unknown_host": "no host has that name",
    "wrong_type": "no JPEG and no PNG, by its first bytes",
    "too_large": "more bytes than are allowed",
    "too_many_pixels": "more pixels than are allowed",
    "unreadable_image": "an image that cannot be decoded to its end",
    "unknown_encoding": "sent in a content encoding that was not asked for",
    "timeout": "no answer within the timeout",
    "no_connection": "the connection could not be made or broke",
    "no_lead_image": "an article without a lead image",
    "too_old": "an article from before the months that are searched",
    "robots": "a page that its host lets no program read (robots.txt)",
}
"""What the codes of a fetch mean, for the one line that a user reads after the place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a request goes. Nothing of it is shown, for an address may hold a name.

    ``host``: lower-case ASCII; ``path``: with the query, percent-encoded.
    """

    scheme: str = field(repr=False)
    host: str = field(repr=False)
    port: int = field(repr=False)
    path: str = field(repr=False)

    @property
    def authority(self) -> str:
        """As the Host header says it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet: not of this machine, a private network, a group, or reserved.

    An IPv4 address inside an IPv6 one (mapped, 6to4, Teredo, NAT64) is judged in its place.

    >>> import ipaddress
    >>> [is_public(ipaddress.ip_address(text)) for text in ("93.184.216.34", "10.1.2.3", "::ffff:127.0.0.1")]
    [True, False, False]
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL_UNICAST:
            return False
    if any(address in network for network in _NOT_OF_ALL if network.version == address.version):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def target_of(url: str) -> Target:
    """Where a request for ``url`` goes. Looks nothing up.

    Raises :class:`CallError`, which does not hold the address: ``not_an_address``, ``scheme_not_allowed``,
    ``credentials_in_address``, ``address_not_allowed`` (a number written otherwise than as 93.184.216.34).

    >>> target_of("https://photos.example/a b.jpg").path
    '/a%20b.jpg'
    """
    code = _fault(url.strip())
    if code:
        raise CallError(Refusal.POLICY, code)
    split = urlsplit(url.strip())
    path, query = (quote(part, safe=_KEPT) for part in (split.path or "/", split.query))
    return Target(
        scheme=split.scheme,
        host=_ascii(split.hostname or ""),
        port=split.port or PORTS[split.scheme],
        path=f"{path}?{query}" if query else path,
    )


def _fault(url: str) -> str:
    """The code of what is wrong with an address, empty where nothing is."""
    try:
        split = urlsplit(url)
        host, _ = _ascii(split.hostname or ""), split.port
    except ValueError:  # a port or a bracket that is none, a label that IDNA does not know
        return "not_an_address"
    if split.scheme not in PORTS:
        return "scheme_not_allowed" if split.scheme else "not_an_address"
    if split.username is not None or split.password is not None:
        return "credentials_in_address"
    if not _HOST.fullmatch(host) or _UNSAFE.search(url) or len(url) > LONGEST:
        return "not_an_address"
    return "address_not_allowed" if _odd_number(host) else ""


def is_host(host: str) -> bool:
    """Whether a name, of any script, or an address can be asked for.

    >>> is_host("api.example"), is_host("a b"), is_host("a" * 64 + ".example"), is_host("")
    (True, False, False, False)
    """
    try:
        return _HOST.fullmatch(_ascii(host)) is not None
    except ValueError:
        return False


def _ascii(host: str) -> str:
    if ":" in host:
        return str(ipaddress.IPv6Address(host.partition("%")[0]))
    return host.encode("idna").decode("ascii").lower()


def _odd_number(host: str) -> bool:
    """Whether a host is a number, such as 2130706433, 0x7f.1 or 0177.0.0.1, but not four plain decimal ones."""
    if ":" in host:
        return False
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        return bool(_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]))
    return False


def addresses_of(host: str, port: int, allowed: Allowed, resolve: Resolve) -> list[str]:
    """The addresses of a host, each looked at: one that is not allowed refuses the host.

    Raises :class:`CallError`: ``unknown_host``, ``address_not_allowed``.
    """
    fromkeys = list(dict.fromkeys(resolve(host, port)))
    if not fromkeys:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unknown_host")
    if not all(allowed(ipaddress.ip_address(text)) for text in fromkeys):
        raise CallError(Refusal.POLICY, "address_not_allowed")
    return fromkeys


def resolved(host: str, port: int) -> Sequence[str]:
    """What the system's resolver says, in its order; empty for a name that nobody has.

    Raises :class:`CallError` (transport) where the resolver itself does not answer.
    """
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        again = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
    else:
        return [str(entry[4][0]) for entry in entries]
    if again:
        raise CallError(Refusal.TRANSPORT, "no_connection")
    return []
