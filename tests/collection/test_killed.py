"""Five synthetic services collected by the command line: whole, killed again and again, and with a model swapped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from killed_services import CONCURRENCY, FIVE, KILLS, NAMES, photos, words
from made_up_services import with_credentials

from frtaudit.cli.main import main
from frtaudit.collection.fake.server import ENVIRONMENT, running
from frtaudit.collection.fake.world import Conduct, World

TESTS = Path(__file__).resolve().parents[1]
PLAIN = [
    "audit=rapid_test", "report=html_only", "report.sign=false", "schemas=[]", "thresholds.fmr=[0.3]", "bootstrap.B=39",
    "~analyses.label_cost", "~analyses.differentials", "cohort.labels.limits.min_faces=2",
    "cohort.labels.limits.min_positives=2", "cohort.labels.limits.size=1.5",
]  # fmt: skip


def audited(folder: Path, name: str) -> bytes:
    """The result of an audit of a collection."""
    run = folder / f"{name}_run"
    assert main(["run", *PLAIN, f"cohort.root={folder / name}", f"hydra.run.dir={run}"]) == 0
    return (run / "result.json").read_bytes()


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``whole``, ``broken`` and ``told.json``."""
    folder = tmp_path_factory.mktemp("five")
    path = {**os.environ, "PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}"}
    command = [sys.executable, str(TESTS / "killed_services.py"), str(folder), "1"]
    done = subprocess.run(command, env=path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_ten_kills_leave_the_scores_of_an_unbroken_run(collected: Path) -> None:
    """Every pair has a score or a stated failure, and files and result.json are an unbroken run's, byte for byte."""
    told = json.loads((collected / "whole" / "collection.json").read_text())
    assert sorted(told["services"]) == list(FIVE)
    for service in told["services"].values():
        assert service["scores"] + sum(service["refusals"].values()) == told["pairs"]
        assert not any(code.startswith("transport") for code in service["refusals"])
    assert any(service["refusals"] for service in told["services"].values())
    for path in (collected / "whole").iterdir():
        if path.name not in ("store.sqlite", "runs.json"):
            assert path.read_bytes() == (collected / "broken" / path.name).read_bytes(), path.name
    assert audited(collected, "whole") == audited(collected, "broken")


@pytest.mark.slow
def test_calls_made_twice_were_in_flight(collected: Path) -> None:
    """At no kill more calls lack a result than a service may have in flight; no other call was made twice.

    Face ids and tokens outlive a run: no image was looked at again for one.
    """
    told = json.loads((collected / "told.json").read_text())
    runs = json.loads((collected / "broken" / "runs.json").read_text())
    assert set(told["whole_faults"]) == {"throttled", "error", "error_in_answer", "torn", "slow", "lost"}
    assert len(told["flying"]) == KILLS
    lost: dict[tuple[str, str], int] = {}
    for kill in told["flying"]:
        by_service: dict[str, int] = {}
        for number, compares, count in kill:
            name = FIVE[number]
            by_service[name] = by_service.get(name, 0) + count
            kind = (name, "compare" if compares else "detect")
            lost[kind] = lost.get(kind, 0) + count
        assert max(by_service.values(), default=0) <= CONCURRENCY
    twice: dict[tuple[str, str], int] = {}
    for key, attempts in told["broken"].items():
        name, kind, _ = key.split(":")
        twice[name, kind] = twice.get((name, kind), 0) + (attempts > told["whole"][key])
    assert runs["detected_again"] == {}
    for kind, count in twice.items():
        assert count <= lost.get(kind, 0)
    assert told["broken"].keys() == told["whole"].keys()
    counted = {(one["service"], one["kind"]): one["calls"] for one in runs["ambiguous"]}
    assert counted == lost
    paid = sum(one["attempts"] for one in runs["attempts"])
    assert sum(told["broken"].values()) <= paid


@pytest.mark.slow
def test_nothing_that_must_not_be_kept_is_written(collected: Path) -> None:
    """In no file of both collections and their audits: a credential, 32 bytes of an image, a name, an address."""
    audited(collected, "whole") if not (collected / "whole_run").exists() else None
    secrets = [value.encode() for name, value in ENVIRONMENT.items() if name != "AWS_DEFAULT_REGION"]
    said = [word.encode() for name in NAMES for word in (name, name.split()[1], name.split()[1].lower())]
    files = [path for path in collected.rglob("*") if path.is_file() and "photos" not in path.parts]
    assert len(files) > 20
    images = [path.read_bytes() for path in (collected / "photos").rglob("*.png")]
    runs = {image[at : at + 32] for image in images for at in range(len(image) - 31)}
    for path in files:
        held = path.read_bytes()
        assert not [word for word in (*secrets, *said, b"127.0.0.1", b"localhost") if word in held], path.name
        assert not any(held[at : at + 32] in runs for at in range(len(held) - 31)), path.name


@pytest.mark.slow
def test_a_swap_is_found_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each service's model changes halfway: the collection says so, by scores and versions, and so does its audit."""
    with_credentials(monkeypatch)
    root = photos(tmp_path)
    world = World(conduct=Conduct(swap_after=90, swap_shift=0.4))
    with running(world) as address:
        command = words(root, tmp_path / "swapped", address)
        assert main([*command, "canaries.pairs=6", "canaries.repeats=3"]) == 0
    told = json.loads((tmp_path / "swapped" / "collection.json").read_text())
    assert [told["services"][name]["canaries"]["changed"] for name in FIVE] == [True] * 5
    assert [name for name in FIVE if told["services"][name]["canaries"]["several_versions"]] == ["tencent"]
    result = json.loads(audited(tmp_path, "swapped"))
    page = (tmp_path / "swapped_run" / "report.html").read_text().lower()
    for name in FIVE:
        (line,) = [said for said in told["notes"] if said.startswith(f"{name} changed during the collection")]
        assert line in json.dumps(result)
        assert f"{name} changed during the collection" in page
