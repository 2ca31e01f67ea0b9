"""Embeds drawn photographs into FOLDER and is killed again and again: ``python killed_embed.py FOLDER WORKERS``.

A process that has loaded everything forks a child for each run and kills it when more blocks are whole than before.
"""

import os
import signal
import sys
import time
from pathlib import Path

from frtaudit.collection.embed.run import embed
from frtaudit.config.load import load_embedding

KILLS = 5
WORDS = ["preset=arcface_rgb_127.5", "detector=given", "name=drawn"]


def words(photographs: Path, into: Path, workers: int) -> list[str]:
    """What ``frtaudit embed`` is asked for."""
    places = [f"images={photographs}/photographs.csv", f"model={photographs}/drawn.onnx", f"into={into}"]
    return [*places, *WORDS, f"workers={workers}"]


def blocks(into: Path) -> int:
    """Blocks that are whole."""
    return len(list((into / "unfinished-drawn").glob("[0-9]*.block")))


def start(photographs: Path, into: Path, workers: int) -> int:
    """A run in a child of this process; its id."""
    child = os.fork()
    if child == 0:
        try:
            embed(load_embedding(words(photographs, into, workers)))
        finally:
            os._exit(0 if (into / "templates").exists() else 1)
    return child


def killed(photographs: Path, into: Path, workers: int) -> list[int]:
    """Runs that are killed, and one that is not; blocks that were whole at each kill."""
    seen = []
    for number in range(KILLS):
        child, before = start(photographs, into, workers), blocks(into)
        running = True
        while running and blocks(into) < before + (number > 0):
            time.sleep(0.005)
            running = os.waitpid(child, os.WNOHANG) == (0, 0)
        if running:  # else it was done before another block was seen
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        seen.append(blocks(into))
    assert os.waitpid(start(photographs, into, workers), 0)[1] == 0
    return seen


if __name__ == "__main__":
    sys.stdout.write(" ".join(map(str, killed(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))))
