"""The synthetic services on one port of this machine, and how a client is set to find them."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import numpy as np

from frtaudit.collection.clients.http import is_loopback
from frtaudit.collection.fake import azure, facepp, luxand, rekognition, tencent
from frtaudit.collection.fake.wire import Request, Response, Wire, json_response
from frtaudit.collection.fake.world import World
from frtaudit.core.canonical import seed_of
from frtaudit.core.machine import signals
from frtaudit.errors import DataError

HOST = "127.0.0.1"
MAX_BYTES = 40_000_000
SHORTEST = 400  # bytes of a request with an image
WIRES: tuple[Wire, ...] = (
    rekognition.Rekognition(),
    azure.Azure(),
    facepp.FacePlusPlus(),
    tencent.Tencent(),
    luxand.Luxand(),
)
_TOO_LARGE = Response(status=413, body=b"Request Entity Too Large", media="text/plain")

ENVIRONMENT: Mapping[str, str] = {
    "AWS_ACCESS_KEY_ID": rekognition.KEY_ID,
    "AWS_SECRET_ACCESS_KEY": rekognition.SECRET,
    "AWS_DEFAULT_REGION": "us-east-1",
    "AZURE_FACE_KEY": azure.KEY,
    "FACEPP_API_KEY": facepp.KEY,
    "FACEPP_API_SECRET": facepp.SECRET,
    "LUXAND_API_TOKEN": luxand.TOKEN,
    "TENCENTCLOUD_SECRET_ID": tencent.SECRET_ID,
    "TENCENTCLOUD_SECRET_KEY": tencent.SECRET_KEY,
}
"""Synthetic credentials, by the variables that the real ones are read from."""


def answered(request: Request, world: World) -> Response:
    """What is sent back: counts, a refusal, a fault, or an answer."""
    if not is_loopback(urlsplit(f"//{request.headers.get('host', HOST)}").hostname or ""):
        return json_response({"error": "for this machine only"}, status=421)
    if request.method == "GET" and request.path == "/counts":
        return json_response(world.counts())
    for wire in WIRES:
        kind = wire.kind(request)
        if kind is not None:
            return wire.refused(request) or _served(wire, kind, request, world)
    return json_response({"error": "no such service"}, status=404)


def _served(wire: Wire, kind: str, request: Request, world: World) -> Response:
    faults, key = world.conduct.faults, wire.key(request)
    if kind == "detect" and len(request.body) < SHORTEST:  # a key is tried, which nobody pays
        return wire.answer(request, world, key)
    number = world.attempt(wire.name, kind, key)
    fault = "throttled" if world.too_fast(wire.name) else faults.of(key, number)
    if fault is not None:
        world.befell(fault)
    draw = np.random.default_rng(seed_of(world.conduct.seed, "latency", key)).random()
    latency = float(world.conduct.latency * (0.5 + draw))
    time.sleep(latency + (faults.slowness if fault == "slow" else 0.0))
    if fault == "throttled":
        response = wire.failure(fault, kind)
        return replace(response, headers={**response.headers, "Retry-After": str(faults.retry_after)})
    if fault in ("error", "error_in_answer"):
        return wire.failure(fault, kind)
    empty = faults.empties(key)
    response = wire.failure("empty", kind) if empty else wire.answer(request, world, key)
    world.answered(wire.name, kind, key)
    if fault == "torn":
        return replace(response, body=response.body[: len(response.body) // 2])
    return Response(closes=True) if fault == "lost" else response


class _Handler(BaseHTTPRequestHandler):
    """One connection; ``server`` is the :class:`_Server`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "_Server"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BYTES:
            self.close_connection = True
            self._send(_TOO_LARGE)
            return
        body = self.rfile.read(length)
        if len(body) < length:  # whoever asked went away in the middle: nothing was asked
            self.close_connection = True
            return
        self._send(self._answer(body))

    def do_GET(self) -> None:
        self._send(self._answer(b""))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its name there
        """Nothing is logged: requests hold credentials."""

    def _answer(self, body: bytes) -> Response:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        query, method = dict(parse_qsl(parts.query)), self.command
        request = Request(method=method, path=parts.path, query=query, headers=headers, body=body)
        return answered(request, self.server.world)

    def _send(self, response: Response) -> None:
        if response.closes:
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            return
        with contextlib.suppress(ConnectionError):  # a client that waited long enough
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", response.media)
            self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            self.wfile.write(response.body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, world: World) -> None:
        self.world = world
        super().__init__((HOST, port), _Handler)

    def handle_error(self, *_: object) -> None:
        """A client that went away is none of our business."""


@contextlib.contextmanager
def running(world: World, port: int = 0) -> Iterator[str]:
    """The address of the services, served from another thread until the end of the block."""
    try:
        server = _Server(port, world)
    except (OSError, OverflowError):
        raise DataError("--port", f"{port} is in use or not a port", "0 for any free one") from None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def serve(world: World, port: int = 0) -> None:
    """Print how they are found, and serve until stopped."""
    with running(world, port) as address:
        print("\n".join(instructions(address)), flush=True)  # noqa: T201  the command's output
        while True:
            signals.sleep(60.0)


def instructions(address: str) -> list[str]:
    """What a shell and a spec are told.

    >>> instructions("http://127.0.0.1:8000")[0]
    'synthetic services on http://127.0.0.1:8000, Ctrl-C stops them; what was asked: http://127.0.0.1:8000/counts'
    """
    head = f"synthetic services on {address}, Ctrl-C stops them; what was asked: {address}/counts"
    shell = [f"export {name}={value}" for name, value in ENVIRONMENT.items()]
    names = [wire.name for wire in WIRES]
    spec = [f"  services.{name}.type={name} services.{name}.endpoint={address}" for name in names]
    return [head, "", "in the shell that collects:", *shell, "", "any of these to frtaudit collect:", *spec]
