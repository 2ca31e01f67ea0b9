"""Who may ask the server what: every request here is made by hand, byte by byte where that matters."""

import http.client
import json
import socket
import threading
from collections.abc import Iterator

import pytest
from review_search import write_search

from frtaudit.cli.annotate.journal import Journal
from frtaudit.cli.annotate.pictures import Pictures
from frtaudit.cli.annotate.server import POLICY, ReviewState, Server
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.errors import DataError


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a search whose second face's picture is a text file, and whose third names a file elsewhere."""
    folder = write_search(tmp_path_factory.mktemp("served") / "search")
    found = Queries(root=str(folder)).search()
    secret = folder.parent / "secret.txt"
    secret.write_text("not for the page")
    names = list(found.columns["image"])
    names[2], names[3] = "faces.csv", str(secret)
    review = ReviewState(
        faces=found.faces,
        sheets=(),
        pictures=Pictures(root=folder, names=tuple(names)),
        journal=Journal(folder.parent / "answers.csv", found.faces),
    )
    with Server(review) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def ask(
    server: Server,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    **headers: str,
) -> tuple[int, bytes, dict[str, str]]:
    """Status, body and headers of an answer; ``path`` after the token."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.request(
        method,
        f"/{server.review.token}/{path}",
        body,
        {name.replace("_", "-"): text for name, text in headers.items()},
    )
    reply = connection.getresponse()
    found = reply.status, reply.read(), dict(reply.getheaders())
    connection.close()
    return found


def post(server: Server, value: object, **headers: str) -> tuple[int, bytes]:
    """Answer as the page does."""
    sent = {"Content_Type": "application/json", **headers}
    return ask(server, "answer", "POST", json.dumps(value).encode(), **sent)[:2]


def raw(server: Server, request: str) -> bytes:
    """The first line of what comes back for these very bytes."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as line:
        line.sendall(request.encode())
        return line.makefile("rb").readline()


def test_it_listens_on_this_machine_only(served: Server) -> None:
    """The address is the loopback's, with a token that nobody guesses."""
    assert served.server_address[0] == "127.0.0.1"
    assert len(served.review.token) >= 32
    assert served.address == f"http://127.0.0.1:{served.server_port}/{served.review.token}/"


def test_the_page_and_its_policy(served: Server) -> None:
    """Page, style and script are served, with a policy that lets nothing in from elsewhere and nothing inline."""
    for path, kind in (("", "text/html"), ("review.css", "text/css"), ("review.js", "text/javascript")):
        code, body, headers = ask(served, path)
        assert (code, headers["Content-Type"].split(";")[0]) == (200, kind)
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert b"http" not in body.replace(b"http-equiv", b"")
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")


def test_a_wrong_token_is_refused(served: Server) -> None:
    """Another token, none, one letter less: nothing there, whatever is asked."""
    token, host = served.review.token, f"127.0.0.1:{served.server_port}"
    for path in ("/", f"/{token}", f"/{token[:-1]}/", f"/{token}x/questions", "/x/questions", "/é/", "//"):
        assert raw(served, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").split()[1] == b"404"


def test_a_foreign_host_is_refused(served: Server) -> None:
    """A name that another site made point here (DNS rebinding), none, or two: refused before the token is looked at."""
    path, port = f"/{served.review.token}/questions", served.server_port
    for lines in (
        f"Host: evil.example:{port}", "Host: 127.0.0.1", f"Host: 127.0.0.1.evil.example:{port}", "Accept: */*",
        f"Host: 127.0.0.1:{port}\r\nHost: evil.example",
    ):  # fmt: skip
        assert raw(served, f"GET {path} HTTP/1.1\r\n{lines}\r\n\r\n").split()[1] == b"403"
    assert raw(served, f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n").split()[1] == b"200"


@pytest.mark.parametrize(
    "path",
    [
        "../../faces.csv",
        "picture/../../faces.csv",
        "picture/%2e%2e%2ffaces.csv",
        "picture/1/../../../secret.txt",
        "review.html",
        "words.toml",
        "picture/",
        "picture/-1",
        "picture/999",
        "picture/9999999999",
        "picture/\u0663",
        "faces.csv",
        "questions/",
    ],
)
def test_no_path_leads_out(served: Server, path: str) -> None:
    """Only what the page needs has an address; no path of a file is one."""
    host = f"127.0.0.1:{served.server_port}"
    line = raw(served, f"GET /{served.review.token}/{path} HTTP/1.1\r\nHost: {host}\r\n\r\n")
    assert line.split()[1] == b"404"


def test_a_file_that_is_no_picture_is_refused(served: Server) -> None:
    """Even where the list of faces names it; a picture comes with its kind, one that is not named does not."""
    code, body, headers = ask(served, "picture/1")
    assert (code, headers["Content-Type"]) == (200, "image/png")
    assert body.startswith(b"\x89PNG")
    assert [ask(served, f"picture/{face}")[:2] for face in (0, 2, 3)] == [(404, b"")] * 3


def test_an_answer_is_kept(served: Server) -> None:
    """The reply says how many stand; null takes one back."""
    home = f"http://127.0.0.1:{served.server_port}"
    assert post(served, {"face": 0, "answer": 1}, Origin=home) == (200, b'{"answers": 1}')
    assert served.review.journal.path.read_text().splitlines()[1:] == ["ad_00,Ada Quill,1"]
    assert post(served, {"face": 0, "answer": None}) == (200, b'{"answers": 0}')


@pytest.mark.parametrize(
    ("value", "headers", "code"),
    [
        ({"face": 0, "answer": 1}, {"Origin": "http://evil.example"}, 403),
        ({"face": 0, "answer": 1}, {"Origin": "null"}, 403),
        ({"face": 0, "answer": 1}, {"Content_Type": "text/plain"}, 404),
        ({"face": 0, "answer": 1, "more": "x" * 300}, {}, 413),
        ({"face": 0}, {}, 400),
        ({"face": True, "answer": 1}, {}, 400),
        ({"face": "0", "answer": 1}, {}, 400),
        ([0, 1], {}, 400),
        ({"face": 0, "answer": 7}, {}, 409),
        ({"face": 99, "answer": 1}, {}, 409),
    ],
)
def test_what_is_no_answer_of_the_page_is_refused(
    served: Server, value: object, headers: dict[str, str], code: int
) -> None:
    """Another site's request, one that a form could send, a long one, and what is no answer; nothing is written."""
    before = dict(served.review.journal.answers)
    assert post(served, value, **headers)[0] == code
    assert dict(served.review.journal.answers) == before


def test_a_port_that_is_taken_is_one_line(served: Server) -> None:
    """The error names the option."""
    with pytest.raises(DataError, match=rf"--port: {served.server_port}: Address already in use"):
        Server(served.review, served.server_port)


@pytest.mark.parametrize("port", [-1, 65536, 10**30])
def test_a_number_that_is_no_port_is_one_line(served: Server, port: int) -> None:
    """The error names the option and the numbers that a port can have."""
    with pytest.raises(DataError, match=rf"--port: {port} is not a port; accepted: 0 to 65535"):
        Server(served.review, port)
