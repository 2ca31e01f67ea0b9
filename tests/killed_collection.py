"""Collects into a folder FOLDER, and is killed again and again: ``python killed_collection.py FOLDER SEED``.

A process that has loaded everything forks a child for each run and kills it when the services' log has grown to a
random length.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import drawn_faces

from frtaudit.collection.run import collect
from frtaudit.collection.spec import CollectionSpec, from_plain

KILLS, CONCURRENCY = 10, 6


def spec(folder: Path) -> CollectionSpec:
    """Two services, one of which has handles that a run loses."""
    limits = {"concurrency": CONCURRENCY, "detect": 0.001, "compare": 0.002}
    service = {"type": "twin", "wait": 0.002, "limits": limits}
    return from_plain(
        {
            "source": {"type": "drawn", "queries": 6, "strange": 23},
            "services": {
                "acme": {**service, "log": str(folder / "acme.log"), "faults": 29},
                "bolt": {**service, "log": str(folder / "bolt.log"), "lives": 20.0, "blind": 17},
            },
            "into": str(folder / "collected"),
            "duplicates": {"embedding": "none", "faces": "none"},
            "least": 5,
        }
    )


def lines(folder: Path) -> int:
    """Attempts that reached the services."""
    return sum(len(drawn_faces.attempts(folder / f"{name}.log")) for name in ("acme", "bolt"))


def start(folder: Path) -> int:
    """A run in a child of this process; its id."""
    child = os.fork()
    if child == 0:
        collect(spec(folder))
        os._exit(0)
    return child


def killed(folder: Path, seed: int) -> None:
    """Ten runs that are killed, and one that is not."""
    rng = random.Random(seed)
    for at in sorted(rng.sample(range(5, 800), KILLS)):
        child = start(folder)
        while lines(folder) < at and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert os.waitpid(start(folder), 0)[1] == 0


if __name__ == "__main__":
    drawn_faces.registered()
    killed(Path(sys.argv[1]), int(sys.argv[2]))
