"""Stored scores read into an audit: ``python -m benchmarks.stored``, 10 million of five services by default.

    python -m benchmarks.stored [--queries 8000] [--services 5] [--plain]

Each query finds 20 faces; a service scored all 190 pairs within a query and 60 of its faces with another's: 250 lines
for each query. The files are as a collection exports them, Parquet with texts as dictionaries; ``--plain`` writes
texts as they are. One process reads files to services (``search``), another files to what is audited (``load``), labels
included; one line of JSON for each.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.clock import Clock, peak_memory
from frtaudit.datasets.cohorts.queries import Queries

FACES, BETWEEN = 20, 60
STRANGERS = 2  # faces of a query that show another person
FAILED = 0.0005  # of a person's pairs
TEXT = pa.dictionary(pa.int32(), pa.string())


def write_scores(folder: Path, queries: int, services: int, *, plain: bool = False) -> int:
    """Write faces and score lists of a synthetic search; how many scores."""
    rng = np.random.default_rng(17)
    query = np.repeat(np.arange(queries), FACES)
    names = [f"{q:08d}-{rng.integers(1 << 60):015x}" for q in query]
    pq.write_table(
        pa.table({"face_id": names, "query": [f"q{q:06d}" for q in query]}), folder / "faces.parquet"
    )
    a, b = np.triu_indices(FACES, 1)
    start = np.arange(queries)[:, None] * FACES
    other = (np.arange(queries)[:, None] + 1 + rng.integers(queries - 1, size=(queries, BETWEEN))) % queries
    first = np.concatenate([(start + a).ravel(), (start + rng.integers(FACES, size=other.shape)).ravel()])
    second = np.concatenate(
        [(start + b).ravel(), (other * FACES + rng.integers(FACES, size=other.shape)).ravel()]
    )
    _, once = np.unique(first * query.size + second, return_index=True)
    first, second = (side[np.sort(once)] for side in (first, second))  # a pair is asked once
    own = np.arange(query.size) % FACES >= STRANGERS
    mated = (query[first] == query[second]) & own[first] & own[second]
    for s in range(services):
        score = np.clip(np.where(mated, 0.75, 0.25) + 0.08 * rng.standard_normal(first.size), 0.0, 1.0)
        failed = rng.random(first.size) < FAILED * mated
        columns = {
            "probe": coded(first, names),
            "reference": coded(second, names),
            "score": pa.array(score, mask=failed),
            "failure": pa.DictionaryArray.from_arrays(
                pa.array(np.zeros(first.size, np.int32), mask=~failed), pa.array(["no_face"])
            ),
        }
        table = pa.table(columns)
        if plain:
            table = pa.table(
                {
                    name: column.cast(TEXT.value_type) if pa.types.is_dictionary(column.type) else column
                    for name, column in zip(table.column_names, table.columns, strict=True)
                }
            )
        pq.write_table(table, folder / f"service{s}.parquet", compression="zstd")
    return first.size * services


def coded(index: np.ndarray, names: list[str]) -> pa.DictionaryArray:
    """Names by their numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), pa.array(names))


def read(folder: Path, step: str) -> dict[str, object]:
    """What one process spends on reading the folder."""
    cohort, clock = Queries(root=str(folder), faces="faces.parquet"), Clock(patience=0)
    clock.peak("before")
    if step == "search":
        found = clock.run(step, cohort.search)
        clock.note("scores", sum(one.score.size for one in found.services))
    else:
        made = clock.run(step, lambda: cohort.load({}, 0))
        clock.note("samples", made.cohort.n_samples)
        clock.note("scores", sum(table.score.size for _, table in made.tables.values()))
    return clock.as_dict() | {"peak": peak_memory()}


def main() -> None:
    """Write the folder, read it in fresh processes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stored")
    parser.add_argument("--queries", type=int, default=8000)
    parser.add_argument("--services", type=int, default=5)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--read", nargs=2, metavar=("FOLDER", "STEP"))
    asked = parser.parse_args()
    if asked.read:
        print(json.dumps(read(Path(asked.read[0]), asked.read[1])))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        n = write_scores(folder, asked.queries, asked.services, plain=asked.plain)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(json.dumps({"scores": n, "bytes": size}), flush=True)
        for step in ("search", "load"):
            subprocess.run([sys.executable, "-m", "benchmarks.stored", "--read", name, step], check=True)


if __name__ == "__main__":
    main()
