"""Best matches in blocks against the whole matrix, and against faiss where it is installed."""

import subprocess
import sys

import numpy as np
import pytest

from frtaudit.stats.similarity import nearest


def unit(seed: int, n: int, d: int = 16) -> np.ndarray:
    """Random unit vectors."""
    return nearest.unit_rows(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (7, 50, 3), (23, 101, 2), (5, 2, 4)])
def test_best_matches_are_those_of_the_whole_matrix(
    monkeypatch: pytest.MonkeyPatch, n: int, m: int, k: int
) -> None:
    """In blocks of 4 by 9: the same rows in the same order as sorting every score; -1 where the gallery ends."""
    monkeypatch.setattr(nearest, "ROWS", 4)
    monkeypatch.setattr(nearest, "COLUMNS", 9)
    probes, gallery = unit(1, n), unit(2, m)
    found = nearest.best_matches(probes, gallery, k)
    scores = probes @ gallery.T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    held = min(k, m)
    assert np.array_equal(found.index[:, :held], order[:, :held])
    assert np.allclose(found.score[:, :held], np.take_along_axis(scores, order, axis=1), atol=1e-6)
    assert np.all(found.index[:, held:] == -1)


def test_ties_go_to_the_earlier_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal scores across blocks: the first rows of the gallery."""
    monkeypatch.setattr(nearest, "COLUMNS", 2)
    gallery = np.tile(np.float32([[1, 0]]), (7, 1))
    assert nearest.best_matches(np.float32([[1, 0]]), gallery, 3).index.tolist() == [[0, 1, 2]]


def test_faiss_finds_the_same() -> None:
    """The exact index of faiss agrees in rows and scores."""
    pytest.importorskip("faiss")
    probes, gallery = unit(3, 40), unit(4, 300)
    one, other = nearest.best_matches(probes, gallery, 3), nearest.faiss_matches(probes, gallery, 3)
    assert np.array_equal(one.index, other.index)
    assert np.allclose(one.score, other.score, atol=1e-5)


MEASURED = """
import re, time, numpy as np
from pathlib import Path
from frtaudit.stats.similarity.nearest import best_matches, unit_rows
rng = np.random.default_rng(0)
gallery, probes = (unit_rows(rng.standard_normal((n, 128), dtype=np.float32)) for n in (200_000, 5_000))
start = time.process_time()
best_matches(probes, gallery, 2)
seconds = time.process_time() - start
# VmHWM is this program's own: ru_maxrss begins with what the process that started it held.
print(seconds, int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1e6)
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_a_large_search_is_quick_and_small() -> None:
    """5,000 x 200,000 templates of 128 numbers: below 180 seconds of CPU time and 2 GB, all libraries included."""
    done = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    seconds, gigabytes = map(float, done.stdout.split())
    assert seconds < 180
    assert gigabytes < 2
