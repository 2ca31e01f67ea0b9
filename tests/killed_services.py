"""Collects from five synthetic services by the command line, killed repeatedly: ``killed_services.py FOLDER SEED``.

A process that has loaded everything forks the services, then a child for each ``frtaudit collect``, and kills it when
the services were asked a random number of times more. ``FOLDER/whole`` is collected unbroken, ``FOLDER/broken`` is
killed ten times; ``FOLDER/told.json`` says what the services counted, and how many calls were in flight at each kill.
"""

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import boto3  # noqa: F401  loaded once, not in each child
import botocore.retries.standard
import httpx  # noqa: F401

import frtaudit.collection.clients.http
import frtaudit.collection.services.rekognition
from frtaudit.cli import main as cli
from frtaudit.collection import run  # noqa: F401
from frtaudit.collection.fake.faults import Faults
from frtaudit.collection.fake.server import ENVIRONMENT, running
from frtaudit.collection.fake.world import Conduct, World
from frtaudit.collection.sources.made_up import MadeUp
from frtaudit.config import load
from frtaudit.config.plugins import load_plugins

FIVE = ("azure", "facepp", "luxand", "rekognition", "tencent")
NAMES = ("Ada Qwixl", "Bea Zorvund", "Cyd Yttrox", "Dov Jhabbel", "Eve Vlimpt", "Fay Xunzig")
KILLS, CONCURRENCY, IMAGES = 10, 4, 4
DRAWN = MadeUp(queries=len(NAMES), images=IMAGES, wrong=0.1, crowd=0.0, near_duplicate=0.0, empty=0.0)
FAULTS = Faults(
    throttled=0.03,
    error=0.03,
    error_in_answer=0.03,
    torn=0.03,
    slow=0.004,
    lost=0.03,
    empty=0.02,
    retry_after=0,
    slowness=2.5,
)
TIMEOUT = 2.0
CONDUCT = Conduct(faults=FAULTS, latency=0.01)


def photos(folder: Path) -> Path:
    """A folder for each of ``NAMES``."""
    for query, name in enumerate(NAMES):
        (folder / "photos" / name).mkdir(parents=True)
        for image in range(IMAGES):
            (folder / "photos" / name / f"{image}.png").write_bytes(DRAWN.picture(query, image).data)
    return folder / "photos"


def words(root: Path, into: Path, address: str) -> list[str]:
    """What frtaudit collect is told."""
    limits = f"{{attempts: 8, concurrency: {CONCURRENCY}, timeout: {TIMEOUT}, detect: 0.001, compare: 0.002}}"
    five = [
        f"services.{name}={{type: {name}, endpoint: '{address}', limits: {limits}}}".replace("'", '"')
        for name in FIVE
    ]
    canaries = [f"canaries.{name}=2" for name in ("pairs", "rounds", "repeats")]
    return ["collect", "source=folder", f"source.root={root}", f"into={into}", "least=2", *canaries, *five]


def quick() -> None:
    """The synthetic credentials, and no waits before a further attempt."""
    os.environ.update(ENVIRONMENT, AWS_CONFIG_FILE="none", AWS_SHARED_CREDENTIALS_FILE="none")
    frtaudit.collection.clients.http.FIRST_WAIT = 0.01
    botocore.retries.standard.ExponentialBackoff._DEFAULT_BACKOFF_CONFIG = {
        "throttling_base_scale": 0.01,
        "non_throttling_base_scale": 0.01,
    }


@contextmanager
def served() -> Iterator[str]:
    """The services in a child of this process."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with running(World(conduct=CONDUCT)) as address:
            os.write(write, f"{address}\n".encode())
            signal.pause()
    with os.fdopen(read) as said:
        address = said.readline().strip()
    try:
        yield address
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def start(command: list[str]) -> int:
    """The command in a child of this process; its id."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(cli.main(command))
    return child


def counts(address: str) -> dict[str, dict[str, dict[str, int]]]:
    """What the services were asked."""
    with urllib.request.urlopen(f"{address}/counts") as answer:
        return dict(json.load(answer))


def n_requests(address: str) -> int:
    """How often, all together."""
    return sum(one["attempts"] for one in counts(address)["requests"].values())


def in_flight(into: Path) -> list[list[object]]:
    """Calls without a result on the disk: service, whether a comparison, how many."""
    if not (into / "store.sqlite").exists():
        return []
    with TemporaryDirectory() as folder:  # a copy: opening it folds the log in
        for path in into.glob("store.sqlite*"):
            shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder) / "store.sqlite")) as db:
            there = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'calls'").fetchone()[0]
            query = "SELECT service, second <> 0, count(*) FROM calls WHERE state = 0 GROUP BY 1, 2"
            return [list(row) for row in db.execute(query)] if there else []


def killed(command: list[str], into: Path, address: str, seed: int) -> list[list[list[object]]]:
    """Ten runs that are killed, and one that is not; what was in flight at each kill."""
    rng, flying = random.Random(seed), []
    for _ in range(KILLS):
        until, child = n_requests(address) + rng.randint(0, 60), start(command)
        while n_requests(address) < until:
            assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended by itself"
            time.sleep(0.002)
        time.sleep(rng.uniform(0.0, 0.05))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, "it ended by itself"
        flying.append(in_flight(into))
    assert os.waitpid(start(command), 0)[1] == 0
    return flying


def main(folder: Path, seed: int) -> None:
    """Both collections."""
    quick()
    load_plugins()
    root, told = photos(folder), {}
    load.load_collection(words(root, folder, "http://127.0.0.1:1")[1:])
    for name in ("whole", "broken"):
        with served() as address:
            command = words(root, folder / name, address)
            if name == "whole":
                assert os.waitpid(start(command), 0)[1] == 0
            else:
                told["flying"] = killed(command, folder / name, address, seed)
            told[name] = {key: one["attempts"] for key, one in counts(address)["requests"].items()}
            told[f"{name}_faults"] = counts(address)["faults"]
    (folder / "told.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
