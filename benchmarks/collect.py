"""100,000 scores into the store of a collection: scores a second and memory, against a writer of one row a commit.

``python benchmarks/collect.py [--scores N] [--concurrency N] [--folder FOLDER]``. The service answers at
once, so that what is measured is the engine and the disk's durable commits. The peer in the same run is what most
programs do: SQLite with WAL and synchronous=FULL, an INSERT and a commit for each score.
"""

import argparse
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from frtaudit.collection.clients.protocol import UNKEPT, Gate, Limits, Notes, SourceImage
from frtaudit.collection.run import CollectionRun
from frtaudit.collection.spec import from_plain
from frtaudit.core import registry
from frtaudit.core.collecting import Answer, Crop, Detection, Picture

SHOWN = (10_000, 50_000, 100_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """``queries`` of ``images`` pictures, each of a few bytes."""

    queries: int
    images: int

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:  # noqa: ARG002  it makes no call
        """Every picture."""
        for number in range(self.queries * self.images):
            query = number // self.images
            yield SourceImage(query=query, place=f"image {number}", columns={}, address=str(number))

    def read(self, found: SourceImage) -> Picture:
        """A picture that is its number."""
        return Picture(data=str(found.address).encode(), width=1, height=1, media="image/png")

    def cautions(self) -> tuple[str, ...]:
        """None."""
        return ()

    def at_most(self) -> Sequence[int]:
        """The same for all."""
        return [self.images] * self.queries

    def calls(self) -> Mapping[str, int]:
        """None."""
        return {}

    @property
    def paid(self) -> Mapping[str, float]:
        """Nothing."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """Answers at once."""

    limits: Limits = field(default_factory=Limits)
    detects: bool = False
    score_range: tuple[float, float] = (0.0, 1.0)

    def recorded_settings(self) -> Mapping[str, str]:
        """Nothing."""
        return {}

    def open(self, gate: Gate) -> "InstantSession":
        """A session that counts."""
        return InstantSession(gate)


class InstantSession:
    """Says how much memory the process holds as scores go by."""

    def __init__(self, gate: Gate) -> None:
        self.gate, self.calls, self.lock, self.began = gate, 0, threading.Lock(), 0.0

    def detect(self, picture: Picture) -> Detection:
        """Is not asked."""
        raise NotImplementedError

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """A number of the two digests."""
        self.gate.attempt("compare")
        with self.lock:
            self.calls += 1
            self.began = self.began or time.perf_counter()
            if self.calls in SHOWN:
                rate = self.calls / (time.perf_counter() - self.began)
                print(f"  {self.calls:>7} scores  {rate:7.0f} a second  {resident():6.1f} MB", flush=True)
        return Answer(
            score=int(probe.picture.digest[:6] + reference.picture.digest[:6], 16) / 16**12, version="1"
        )

    def close(self) -> None:
        """Nothing."""


def resident() -> float:
    """MB of memory that the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def collected(folder: Path, scores: int, concurrency: int) -> None:
    """A collection of as many scores and a little more."""
    registry._registered["source", "numbered"] = Numbered  # noqa: SLF001  for this process
    registry._registered["service", "instant"] = Instant  # noqa: SLF001  for this process
    images = 20
    queries = -(-scores // (images * (images - 1)))
    spec = from_plain(
        {
            "source": {"type": "numbered", "queries": queries, "images": images},
            "services": {"instant": {"type": "instant", "limits": {"concurrency": concurrency}}},
            "duplicates": {"embedding": "none", "faces": "none"},
            "into": str(folder),
        }
    )
    run = CollectionRun(spec, print)
    began, cpu = time.perf_counter(), time.process_time()
    run.run()
    made = run.store.compared(0)
    spent = time.perf_counter() - began
    print(
        f"  {made:>7} scores  {made / spent:7.0f} a second  {resident():6.1f} MB  at its end, with images and export"
    )
    print(f"  {1e6 * (time.process_time() - cpu) / made:.0f} µs of a core for each score")
    run.close()


def plain(folder: Path, rows: int) -> None:
    """The peer: a commit for each row, nothing else."""
    db = sqlite3.connect(folder / "plain.sqlite", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute("CREATE TABLE scores (one TEXT, other TEXT, score REAL, PRIMARY KEY (one, other))")
    began = time.perf_counter()
    for number in range(rows):
        db.execute("INSERT INTO scores VALUES (?, ?, ?)", (f"{number:064x}", f"{number:064x}", 0.5))
    print(f"  {rows:>7} rows    {rows / (time.perf_counter() - began):7.0f} a second, without intents")
    db.close()


def main() -> int:
    """Both, and what they took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=int, default=100_000)
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument(
        "--folder", help="on the disk that is to be measured (default: the folder for temporary files)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        print(f"plain SQLite writer, one commit a row; {resident():.1f} MB at the start")
        plain(Path(name), 2000)
        print(f"frtaudit collect, {options.concurrency} calls in flight")
        collected(Path(name) / "collected", options.scores, options.concurrency)
    return 0


if __name__ == "__main__":
    sys.exit(main())
