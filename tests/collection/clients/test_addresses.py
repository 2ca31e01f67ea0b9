"""Addresses that may be fetched, and all others."""

import ipaddress
import socket

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frtaudit.collection.clients.addresses import REASONS, addresses_of, is_public, resolved, target_of
from frtaudit.core.collecting import CallError, Refusal

INSIDE = [
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2001:0:0:0:0:0:80ff:fffe",
    "fe80::1",
    "fec0::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "2001:db8::1",
    "100::1",
    "168.63.129.16",
    "192.0.0.192",
    "192.0.0.8",
    "192.88.99.1",
    "3fff::1",
    "::ffff:168.63.129.16",
]
OUTSIDE = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("text", INSIDE)
def test_what_is_not_of_the_public_internet(text: str) -> None:
    """Of this machine, private, shared and local networks, groups, reserved; IPv4 ones of these inside IPv6."""
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is(text: str) -> None:
    """Ordinary addresses, and such inside IPv6."""
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://photos.example/a.jpg", "scheme_not_allowed"),
        ("file:///etc/passwd", "scheme_not_allowed"),
        ("gopher://photos.example/", "scheme_not_allowed"),
        ("data:image/png;base64,AAAA", "scheme_not_allowed"),
        ("photos.example/a.jpg", "not_an_address"),
        ("", "not_an_address"),
        ("http://", "not_an_address"),
        ("http://photos.example:port/", "not_an_address"),
        ("http://photos.example:99999/", "not_an_address"),
        ("http://[::1/", "not_an_address"),
        ("http://photos.example\\@127.0.0.1/", "credentials_in_address"),
        ("http://photos.example\\x/", "not_an_address"),
        ("http://127.0.0.1%2f.example/", "not_an_address"),
        ("http://pho tos.example/", "not_an_address"),
        ("http://photos.example/a\r\nHost: b", "not_an_address"),
        ("http://photos.example/" + "a" * 9000, "not_an_address"),
        ("http://me:secret@photos.example/", "credentials_in_address"),
        ("http://photos.example@127.0.0.1/", "credentials_in_address"),
        ("http://2130706433/", "address_not_allowed"),
        ("http://0x7f000001/", "address_not_allowed"),
        ("http://0x7f.1/", "address_not_allowed"),
        ("http://0177.0.0.1/", "address_not_allowed"),
        ("http://127.1/", "address_not_allowed"),
        ("http://127.0.0.1./", "address_not_allowed"),
        ("http://１２７.１/", "address_not_allowed"),  # noqa: RUF001  wide digits are the point
    ],
)
def test_addresses_that_are_refused_before_anything_is_looked_up(url: str, code: str) -> None:
    """Other schemes, credentials, numbers in other forms, what is no address: each by its code, which has words."""
    with pytest.raises(CallError) as caught:
        target_of(url)
    assert (caught.value.refusal, caught.value.code) == (Refusal.POLICY, code)
    assert code in REASONS


def test_a_target_is_what_is_sent() -> None:
    """Host in ASCII, port by scheme, path and query encoded, fragment left out, relative to a base."""
    target = target_of(" https://Bücher.example/ä b.jpg?q=ü%20x#top ")
    assert (target.host, target.port, target.authority) == (
        "xn--bcher-kva.example",
        443,
        "xn--bcher-kva.example",
    )
    assert target.path == "/%C3%A4%20b.jpg?q=%C3%BC%20x"
    assert target_of("http://photos.example:8080/b.png").authority == "photos.example:8080"
    assert target_of("http://[2606:2800:220:1::1]:81/").authority == "[2606:2800:220:1::1]:81"
    assert "photos" not in repr(target_of("http://photos.example/"))


def test_one_address_that_is_not_allowed_refuses_the_host() -> None:
    """A name that leads to a public and a private address is not fetched from either."""
    assert addresses_of("a.example", 80, is_public, lambda *_: ["8.8.8.8", "8.8.8.8"]) == ["8.8.8.8"]
    with pytest.raises(CallError, match="address_not_allowed"):
        addresses_of("a.example", 80, is_public, lambda *_: ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(CallError, match="unknown_host"):
        addresses_of("a.example", 80, is_public, lambda *_: [])


@given(st.integers(0, 2**32 - 1))
@example(0x7F000001)
def test_no_form_of_a_number_gets_past_the_check(value: int) -> None:
    """What the system's resolver makes of decimal, octal and hexadecimal forms of non-public addresses is refused."""
    dotted = ipaddress.IPv4Address(value)
    last = value & 0xFFFFFF
    forms = (
        str(value),
        hex(value),
        f"0{value:o}",
        f"{value >> 24}.{last}",
        f"0x{value >> 24:x}.{last}",
        str(dotted),
    )
    for form in forms:
        assert socket.inet_aton(form) == dotted.packed
        if form == str(dotted) and is_public(dotted):
            assert addresses_of(target_of(f"http://{form}/").host, 80, is_public, resolved) == [form]
            continue
        with pytest.raises(CallError, match="address_not_allowed"):
            addresses_of(target_of(f"http://{form}/").host, 80, is_public, resolved)


def test_the_resolver_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of this machine lead to it; a resolver that is silent for now is a failure of transport."""
    assert set(resolved("localhost", 80)) <= {"127.0.0.1", "::1"}

    def busy(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "a.example")

    monkeypatch.setattr(socket, "getaddrinfo", busy)
    with pytest.raises(CallError) as caught:
        resolved("a.example", 80)
    assert caught.value.refusal is Refusal.TRANSPORT
    assert caught.value.__context__ is None

    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "a.example")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    assert list(resolved("a.example", 80)) == []
