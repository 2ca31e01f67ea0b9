"""A request and a response as values, and what each synthetic service offers to the server."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import parse_qsl

from frtaudit.collection.fake.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """``headers``: names in lower case; ``query``: decoded."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)

    def fields(self) -> dict[str, bytes]:
        """The fields of a form, or of a body in parts; empty where it is neither."""
        kind = self.headers.get("content-type", "")
        if kind.startswith("multipart/form-data"):
            fields, boundary = {}, kind.partition("boundary=")[2].strip('"').encode()
            for part in self.body.split(b"--" + boundary)[1:-1]:
                head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
                name = head.partition(b'name="')[2].partition(b'"')[0].decode()
                fields[name] = data.removesuffix(b"\r\n")
            return fields
        if kind.startswith("application/x-www-form-urlencoded"):
            return {name: value.encode() for name, value in parse_qsl(self.body.decode())}
        return {}

    def json(self) -> dict[str, object]:
        """The body as a JSON object; empty where it is none."""
        try:
            content = json.loads(self.body)
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """``body``: sent as it is; ``closes``: nothing is sent and the connection is closed."""

    status: int = 200
    body: bytes = field(default=b"", repr=False)
    media: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False


class Wire(Protocol):
    """How one service speaks."""

    @property
    def name(self) -> str:
        """As in the spec."""

    def kind(self, request: Request) -> str | None:
        """``detect``, ``compare``, or None where a request is not for this service."""

    def refused(self, request: Request) -> Response | None:
        """What a request without the right credentials is told."""

    def key(self, request: Request) -> str:
        """What is asked, without credentials, times and boundaries: a digest."""

    def answer(self, request: Request, world: World, key: str) -> Response:
        """The answer, or the service's own error for an image that it cannot use."""

    def failure(self, fault: str, kind: str) -> Response:
        """``throttled``, ``error``, ``error_in_answer`` or ``empty``, as this service says it."""


def json_response(content: object, status: int = 200, **headers: str) -> Response:
    """A response of JSON."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status=status, body=json.dumps(content).encode(), headers=named)


def digest_of(*parts: bytes) -> str:
    """One digest of several parts.

    >>> digest_of(b"a", b"b") == digest_of(b"ab", b"")
    False
    """
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
