"""The server behind the page: this machine only, one secret address, nothing but what the page needs."""

import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import cast

from frtaudit.cli.annotate.journal import Journal
from frtaudit.cli.annotate.pictures import Fetched, Pictures
from frtaudit.cli.annotate.questions import Sheet, to_json
from frtaudit.core.labelling import Faces
from frtaudit.core.machine import signals
from frtaudit.core.machine.resources import shipped
from frtaudit.errors import DataError

HOME = "127.0.0.1"
FILES: Mapping[str, tuple[str, str]] = {
    "": ("review.html", "text/html; charset=utf-8"),
    "review.css": ("review.css", "text/css; charset=utf-8"),
    "review.js": ("review.js", "text/javascript; charset=utf-8"),
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LONGEST = 200  # bytes of an answer's request
SECONDS = 30  # that a silent connection is kept
_PICTURE = re.compile(r"picture/(\d{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """What the page is made of; ``names``: of queries; ``boxes``: of faces; ``token``: the secret of its address."""

    faces: Faces
    sheets: tuple[Sheet, ...]
    pictures: Pictures | Fetched
    journal: Journal
    names: Mapping[str, str] = field(default_factory=dict)
    boxes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))


class Server(ThreadingHTTPServer):
    """Listens on this machine, at a free port unless one is given. Raises :class:`DataError` for one that is taken.

    ``heard``: called after each answer that was kept, one at a time.
    """

    daemon_threads = True

    def __init__(
        self, review: ReviewState, port: int = 0, heard: Callable[[], object] = lambda: None
    ) -> None:
        self.review = review
        self._heard, self._turn = heard, Lock()
        try:
            super().__init__((HOME, port), Handler)
        except OSError as error:
            raise DataError("--port", f"{port}: {error.strerror}", "a free port") from error
        except OverflowError:
            raise DataError("--port", f"{port} is not a port", "0 to 65535; 0 for any free one") from None

    def heard(self) -> None:
        """An answer was kept."""
        with self._turn:
            self._heard()

    def service_actions(self) -> None:
        """Between two requests: end where a signal was noted."""
        signals.check()

    @property
    def address(self) -> str:
        """Where the page stands."""
        return f"http://{HOME}:{self.server_port}/{self.review.token}/"


class Handler(BaseHTTPRequestHandler):
    """Answers the page. Whoever does not know the secret address, or came by another host's name, learns nothing."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS

    def do_GET(self) -> None:
        """The page, its questions, its pictures."""
        name = self._asked()
        if name is None:
            return
        review = self._review
        picture = _PICTURE.fullmatch(name)
        if name in FILES:
            file, kind = FILES[name]
            self._send(200, (shipped("templates") / file).read_bytes(), kind)
        elif name == "questions":
            answers, pictures = review.journal.answers, review.pictures.names
            page = to_json(review.sheets, review.faces, pictures, answers, review.names, review.boxes)
            self._json(200, page)
        elif picture is not None and (image := review.pictures.read(int(picture[1]))) is not None:
            self._send(200, image.data, image.kind)
        else:
            self._refuse(404)

    def do_POST(self) -> None:
        """An answer: ``{"face": 3, "answer": 1}``; null takes it back."""
        self.close_connection = True  # what was not read of a refused request is no next one
        name = self._asked()
        if name is None:
            return
        refused = self._amiss(name)
        answer = None if refused else _answer(self.rfile.read(int(self.headers["Content-Length"])))
        if answer is None:
            self._refuse(refused or 400)
            return
        try:
            count = self._review.journal.keep(*answer)
        except DataError as error:
            self._json(409, {"error": str(error)})
        else:
            cast("Server", self.server).heard()
            self._json(200, {"answers": count})

    def _amiss(self, name: str) -> int:
        """Why a posted request is refused unread: another page's, no answer, too long; else 0."""
        origin = self.headers.get("Origin")
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return 403
        if name != "answer" or self.headers.get_content_type() != "application/json":
            return 404
        length = self.headers.get("Content-Length", "")
        return 0 if length.isascii() and length.isdigit() and int(length) <= LONGEST else 413

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  http.server names it so
        """Nothing: an address holds the secret, and names stay out of logs."""

    def version_string(self) -> str:
        """No versions."""
        return "frtaudit"

    @property
    def _review(self) -> ReviewState:
        return cast("Server", self.server).review

    @property
    def _hosts(self) -> tuple[str, str]:
        port = cast("Server", self.server).server_port
        return f"{HOME}:{port}", f"localhost:{port}"

    def _asked(self) -> str | None:
        """What of the page is asked for; None, and the request refused, for another host's name or a wrong token."""
        if self.headers.get_all("Host", []) not in [[host] for host in self._hosts]:
            self._refuse(403)
            return None
        token, slash, name = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self._review.token.encode()):
            self._refuse(404)
            return None
        return name

    def _refuse(self, code: int) -> None:
        self._send(code, b"", "text/plain")

    def _json(self, code: int, value: object) -> None:
        self._send(code, json.dumps(value).encode(), "application/json")

    def _send(self, code: int, data: bytes, kind: str) -> None:
        self.send_response(code)
        for name, text in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(data))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def _answer(data: bytes) -> tuple[int, int | None] | None:
    """Face and answer of a request; None for what is neither."""
    try:
        value = json.loads(data)
    except ValueError:
        return None
    if not isinstance(value, dict) or set(value) != {"face", "answer"}:
        return None
    face, answer = value["face"], value["answer"]
    return (face, answer) if type(face) is int and (answer is None or type(answer) is int) else None
