"""What frtaudit collect cannot use: one clear line each, the right exit code, and nothing lost."""

import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import stoppable
from made_up_services import FIVE
from pytest_httpserver import HTTPServer

from frtaudit.cli.main import main
from frtaudit.collection.clients.addresses import REASONS, Address, is_public, resolved
from frtaudit.collection.clients.fetch import Fetch
from frtaudit.collection.fake.faults import Faults
from frtaudit.collection.fake.server import ENVIRONMENT, running
from frtaudit.collection.fake.world import Conduct, World
from frtaudit.collection.sources.made_up import MadeUp

CLEAN = MadeUp(queries=3, images=4, wrong=0.0, crowd=0.0, near_duplicate=0.0, empty=0.0)
ACME = ["services.acme.type=made_up", "least=2", "canaries.pairs=0"]
NONE = [f"source.{name}=0" for name in ("wrong", "crowd", "near_duplicate", "empty")]
MADE_UP = ["source=made_up", "source.queries=3", "source.images=4", *NONE, *ACME]


def photos(folder: Path) -> Path:
    """Three people with four photos each."""
    for query in range(3):
        (folder / "photos" / f"Qwixl {query}").mkdir(parents=True)
        for image in range(4):
            (folder / "photos" / f"Qwixl {query}" / f"{image}.png").write_bytes(
                CLEAN.picture(query, image).data
            )
    return folder / "photos"


def bomb() -> bytes:
    """A PNG of a few bytes that says it is of 60,000 by 60,000 pixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(bytes(1000))
    parts = [
        struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in (head, data)
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def told(folder: Path) -> dict[str, object]:
    """What a collection says of itself."""
    return dict(json.loads((folder / "collection.json").read_text()))


def test_images_that_cannot_be_used_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A torn one, one of 200 MB, a decompression bomb: a line each, and every pair of the others is scored."""
    folder = photos(tmp_path) / "Qwixl 1"
    (folder / "0.png").write_bytes((folder / "0.png").read_bytes()[:900])
    (folder / "1.png").write_bytes(bomb())
    with (folder / "4.jpg").open("wb") as stream:
        stream.truncate(200_000_000)
    assert (
        main(["collect", "source=folder", f"source.root={folder.parent}", *ACME, f"into={tmp_path / 'c'}"])
        == 0
    )
    assert sorted(capsys.readouterr().err.splitlines()) == [
        "frtaudit: folder 2 image 1: unreadable_image: an image that cannot be decoded to its end",
        "frtaudit: folder 2 image 2: too_many_pixels: more pixels than are allowed",
        "frtaudit: folder 2 image 5: too_large: more bytes than are allowed",
    ]
    read = told(tmp_path / "c")
    assert read["images"] == {
        "found": 13,
        "left_out": {"too_large": 1, "too_many_pixels": 1, "unreadable_image": 1},
        "listed": 10,
    }
    assert read["services"]["acme"]["scores"] == read["pairs"] == 2 * (6 + 6 + 1)  # type: ignore[index]


def test_addresses_of_this_network_are_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """127.0.0.1, 10.x and a redirect to one: a line each, by number, with nothing of an address or a name in it."""
    there = "127.0.0.2"  # as if it were of the public internet

    def resolve(host: str, port: int) -> Sequence[str]:
        return [there] if host == "photos.example" else resolved(host, port)

    def allowed(address: Address) -> bool:
        return str(address) == there or is_public(address)

    monkeypatch.setattr(
        "frtaudit.collection.sources.urls.Fetch", partial(Fetch, resolve=resolve, allowed=allowed)
    )
    with HTTPServer(host=there) as server:
        for number in range(5):
            picture = CLEAN.picture(number // 3, number).data
            server.expect_request(f"/{number}.png").respond_with_data(picture)
        away = {"Location": "http://10.9.9.9/qwixl.jpg"}
        server.expect_request("/away.jpg").respond_with_data("", status=302, headers=away)
        here = f"http://photos.example:{server.port}"
        urls = [f"{here}/{number}.png" for number in range(5)]
        urls[2:2] = ["http://127.0.0.1/qwixl.jpg", "http://10.1.2.3/qwixl.jpg", f"{here}/away.jpg"]
        lines = [f"Qwixl {number // 4},{url}" for number, url in enumerate(urls)]
        (tmp_path / "urls.csv").write_text("\n".join(["query,url", *lines]) + "\n")
        asked = [
            "source=urls",
            f"source.file={tmp_path / 'urls.csv'}",
            "source.rate=999",
            f"into={tmp_path / 'c'}",
        ]
        assert main(["collect", *asked, *ACME]) == 0
    why = f"address_not_allowed: {REASONS['address_not_allowed']}"
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f"frtaudit: urls.csv line {number}: {why}" for number in (4, 5, 6)
    ]
    assert told(tmp_path / "c")["images"] == {
        "found": 8,
        "left_out": {"policy_address_not_allowed": 3},
        "listed": 5,
    }
    for path in (tmp_path / "c").iterdir():
        assert not [word for word in (b"qwixl", b"Qwixl", b"photos.example") if word in path.read_bytes()]


LINES: tuple[tuple[list[str], int, str], ...] = (
    (["source=image_search", "source.price=0.005", "source.names={names}", *ACME], 1, "names.csv line 3: "),
    ([*MADE_UP, "services.acme.limits.compare=1", "budget.limit=35"], 1,
     "budget.limit: 35 USD, and the plan costs 36; accepted: a higher limit, or budget.partial=true"),
    *((["source=made_up", f"services.acme.type={name}"], 1, "services.acme: no credentials; accepted: ")
      for name in FIVE if name != "azure"),
    (["source=made_up", "services.acme={{type: azure, endpoint: 'https://resource.example'}}"], 1,
     "services.acme: no credentials; accepted: AZURE_FACE_KEY in the environment"),
    (["source=made_up", "services.acme.type=azure"], 1,
     "services.acme: no credentials; accepted: AZURE_FACE_ENDPOINT, AZURE_FACE_KEY in the environment"),
    (["source=made_up", "services.acme.type=acme"], 2, "services.acme.type: no service is named 'acme'; accepted: "),
    (["source=nowhere", *ACME], 2, "source: no option is named 'nowhere'; accepted: folder, "),
    ([*MADE_UP, "source.empty=1"], 1,
     "collection: no query has 2 images with a face that acme found; accepted: least=N, or other images"),
    (["source=made_up", "services.acme={{type: tencent, endpoint: 'http://tencent.example'}}"], 2,
     "services.acme.endpoint: found the scheme 'http'; accepted: https://HOST, or http://127.0.0.1:PORT"),
    ([*MADE_UP, "services.acme.limits.rate=0"], 2, "services.acme.limits: a rate or a timeout of 0 or less"),
    ([*MADE_UP, "source.queries=0"], 2, "source: no query or no image; accepted: 1 or more"),
)  # fmt: skip


@pytest.mark.parametrize(("words", "code", "line"), LINES, ids=[line[:30] for *_, line in LINES])
def test_one_line(
    tmp_path: Path,
    words: list[str],
    code: int,
    line: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where it is, what was found, what would be accepted; exit codes: 1 cannot be collected, 2 cannot be asked."""
    for name in (*ENVIRONMENT, "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("GOOGLE_API_KEY", "made-up-google-key")
    monkeypatch.setenv("GOOGLE_CSE_ID", "made-up-engine")
    (tmp_path / "names.csv").write_text("name,country\nAda Qwixl,UK\nada qwixl,UK\n")
    told = [
        word.format(names=tmp_path / "names.csv").replace("'", '"') if "{" in word else word for word in words
    ]
    assert main(["collect", *told, f"into={tmp_path / 'c'}"]) == code
    said = [
        one for one in capsys.readouterr().err.splitlines() if not one.startswith("frtaudit: source made_up")
    ]
    assert len(said) == 1
    assert said[0].startswith(f"frtaudit: {line}"), said[0]
    assert "wixl" not in said[0]


@pytest.mark.slow
def test_services_with_no_common_face(tmp_path: Path) -> None:
    """One of two services sees nobody: no face is common, which is one line that names both."""
    with running(World(conduct=Conduct(faults=Faults(empty=1.0)))) as address:
        blind = f'services.bolt={{type: luxand, endpoint: "{address}"}}'
        done = subprocess.run(
            [sys.executable, "-m", "frtaudit", "collect", *MADE_UP, blind, f"into={tmp_path / 'c'}"],
            env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [
        (
            "frtaudit: collection: no query has 2 images with a face that acme and bolt found; "
            "accepted: least=N, or other images"
        )
    ]


def test_a_folder_of_another_collection_stays_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was collected there is not touched, and goes on with its own words."""
    into = f"into={tmp_path / 'c'}"
    assert main(["collect", *MADE_UP, into]) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()}
    capsys.readouterr()
    assert main(["collect", *MADE_UP, "source.seed=7", into]) == 1
    assert capsys.readouterr().err.splitlines() == [
        (
            "frtaudit: into: the folder holds a collection with another source.seed; "
            "accepted: the same spec, or another folder"
        )
    ]
    assert {path.name: path.read_bytes() for path in (tmp_path / "c").iterdir()} == before
    assert main(["collect", *MADE_UP, into]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_in_the_middle(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Ctrl-C and SIGTERM: calls in flight are waited for and stored, one line, and the same command resumes later."""
    world = World(conduct=Conduct(latency=0.05))
    with running(world) as address:
        made = f'services.acme={{type: luxand, endpoint: "{address}", limits: {{concurrency: 2}}}}'
        words = ["collect", *(word for word in MADE_UP if not word.startswith("services.")), made]
        process = subprocess.Popen(
            stoppable.command(*words, f"into={tmp_path / 'c'}"),
            env={**os.environ, **ENVIRONMENT}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while len(world.counts()["requests"]) < 20:  # type: ignore[arg-type]  # a mapping
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1].splitlines()
        assert (process.returncode, said[-1]) == (code, "frtaudit: stopped")
        with closing(sqlite3.connect(tmp_path / "c" / "store.sqlite")) as db:
            states = dict(db.execute("SELECT state, count(*) FROM calls GROUP BY state").fetchall())
        before = world.counts()["requests"]
        assert states == {1: len(before)}  # type: ignore[arg-type]
        assert 20 <= states[1] < 48
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ENVIRONMENT.items():
                patch.setenv(name, value)
            assert main([*words, f"into={tmp_path / 'c'}"]) == 0
        assert {one["attempts"] for one in world.counts()["requests"].values()} == {1}  # type: ignore[attr-defined]
    assert told(tmp_path / "c")["services"]["acme"]["scores"] == 36  # type: ignore[index]


GONE = (
    "frtaudit: into: store.sqlite is missing or empty, but collection.json exists: every call would be made and paid "
    "for again; accepted: store.sqlite put back, another folder, or --pay-again"
)


@pytest.mark.parametrize("empty", [False, True])
def test_a_collection_whose_store_is_gone_is_not_paid_for_again(
    tmp_path: Path, empty: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that names the flag, nothing asked, nothing written; with the flag everything is asked again."""
    folder = tmp_path / "c"
    words = ["collect", *MADE_UP, f"into={folder}"]
    assert main(words) == 0
    before = (folder / "collection.json").read_bytes()
    (folder / "store.sqlite").unlink()
    if empty:
        (folder / "store.sqlite").touch()
    capsys.readouterr()
    assert main(words) == main(words) == 1
    assert capsys.readouterr().err.splitlines() == [GONE, GONE]
    assert (folder / "store.sqlite").exists() == empty
    for name in ("collection.json", "runs.json"):
        (folder / name).rename(tmp_path / name)
    assert main(words) == 1
    assert "is missing or empty, but acme.parquet exists: every call" in capsys.readouterr().err
    assert main([*words, "--pay-again"]) == 0
    assert (folder / "collection.json").read_bytes() == before
    assert main(words) == 0


def test_a_store_that_is_damaged_inside_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its first page is whole, the others are not: exit 1, and the damaged file is left for who can mend it."""
    folder = tmp_path / "c"
    words = ["collect", *MADE_UP, f"into={folder}"]
    assert main(words) == 0
    store = folder / "store.sqlite"
    size = store.stat().st_size
    with store.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * (size - 4096))
    capsys.readouterr()
    assert main(words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("frtaudit: into: store.sqlite is damaged (")
    assert line.endswith("accepted: a copy of it put back, or another folder")
    assert store.stat().st_size == size
