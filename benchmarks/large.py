"""How scoring and replicates grow with the samples, and what Dask costs: ``python -m benchmarks.large 60000 120000``.

    python -m benchmarks.large SAMPLES... [--fmr 0.001] [--dimension 128] [--dask WORKERS] [--rounds 3]

Each size runs in a process of its own, on one thread; the templates are those of the contests. With ``--dask``
each round scores on as many threads and then on as many local Dask workers: compared are the CPU seconds of all that
takes part (client, scheduler, nannies, workers), handing out templates included, starting processes not; the answers
must be the same bits. One line of JSON for each size; docs/guides/large.md holds what was measured.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import fields
from typing import Any

import numpy as np

from benchmarks import data, ours
from benchmarks.clock import Clock, peak_memory
from benchmarks.data import EACH, people
from frtaudit.core import ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.pipeline.dask import DaskExecutor, executor_of

WARM = 4000  # samples: every worker gets a block
TARGETS = ("1/1000", "1/10000")


def grown(samples: int, fmr: float) -> dict[str, Any]:
    """CPU seconds, wall seconds and peak memory of scoring and of 1000 replicates of two plans."""
    clock, warm = Clock(patience=0), people(WARM // EACH, fmr)
    ours.replicates(ours.scored(warm), warm, n=64, targets=TARGETS)
    ours.replicates(ours.scored(warm), warm, Plan.SUBJECTS, n=64, targets=TARGETS)
    given = people(samples // EACH, fmr)
    clock.peaks["before"] = peak_memory()
    tail = clock.run("score", lambda: ours.scored(given))
    clock.peak("score")
    for plan in (Plan.IMAGES, Plan.SUBJECTS):
        clock.run(plan.value, lambda plan=plan: ours.replicates(tail, given, plan, targets=TARGETS))
        clock.peak(plan.value)
    clock.note("tail", tail.tail_score.size)
    return {"samples": samples, "fmr": fmr} | clock.as_dict()


def shared(samples: int, fmr: float, workers: int, rounds: int) -> dict[str, Any]:
    """CPU and wall seconds of scoring, each round on threads and then on Dask workers."""
    given, warm, found = people(samples // EACH, fmr), people(WARM // EACH, fmr), []
    ours.scored(warm, workers)
    began, start = time.perf_counter(), time.process_time()
    with executor_of("local", workers) as executor:
        assert isinstance(executor, DaskExecutor)
        started = {
            "wall": time.perf_counter() - began,
            "cpu": time.process_time() - start + _workers(executor),
        }
        ours.scored(warm, 1, executor)
        for _ in range(rounds):
            one, other = Clock(patience=0), Clock(patience=0)
            expected = one.run("threads", lambda: ours.scored(given, workers))
            before = _workers(executor)
            tail = other.run("dask", lambda: ours.scored(given, 1, executor))
            spent = other.steps["dask"].cpu + _workers(executor) - before
            _same(expected, tail)
            threads, dask = one.steps["threads"], other.steps["dask"]
            found.append(
                {
                    "threads": {"cpu": threads.cpu, "wall": threads.wall},
                    "dask": {"cpu": spent, "wall": dask.wall, "client": dask.cpu},
                    "ratio": spent / threads.cpu,
                }
            )
    return {"samples": samples, "fmr": fmr, "workers": workers, "started": started, "rounds": found}


def _workers(executor: DaskExecutor) -> float:
    return float(sum(executor.client.run(time.process_time).values()))


def _same(expected: ScoreTail, found: ScoreTail) -> None:
    for field in fields(ScoreTail):
        one, other = getattr(expected, field.name), getattr(found, field.name)
        if isinstance(one, np.ndarray) and one.tobytes() != other.tobytes():
            raise SystemExit(f"{field.name} differs")


def main() -> int:
    """One process for each size."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("samples", type=int, nargs="+")
    parser.add_argument("--fmr", type=float, default=1e-3)
    parser.add_argument("--dimension", type=int, default=data.DIMENSION)
    parser.add_argument("--dask", type=int, metavar="WORKERS")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    data.DIMENSION = given.dimension
    if len(given.samples) == 1:
        (size,) = given.samples
        if given.dask is None:
            print(json.dumps(grown(size, given.fmr)))
        else:
            print(json.dumps(shared(size, given.fmr, given.dask, given.rounds)))
        return 0
    rest = [f"--fmr={given.fmr}", f"--rounds={given.rounds}", f"--dimension={given.dimension}"]
    rest += [] if given.dask is None else [f"--dask={given.dask}"]
    for size in given.samples:
        subprocess.run([sys.executable, "-m", "benchmarks.large", str(size), *rest], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
