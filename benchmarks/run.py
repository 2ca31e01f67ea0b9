"""`make bench`: CPU time and memory of frtaudit against other ways to the same numbers, in one run on this machine.

Each contender runs in a process of its own, warmed up on small data; the best of three runs counts. CPU seconds of all
threads are compared, not wall time. Answers must agree, or the run ends with an error.
"""

import multiprocessing
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from contests import ATOL, CONTESTS, Contest

ROUNDS = 3
SMALL = 0.05
MIB = 1024.0


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU seconds per unit, memory above what was there before in MiB, and the answer."""

    seconds: float
    memory: float
    answer: npt.NDArray[np.float64]


def measure(contest: int, contender: int, small: Path, full: Path) -> Measured:
    """Run one contender in this process."""
    chosen = CONTESTS[contest].contenders[contender]
    chosen.work(chosen.prepare(dict(np.load(small))))
    data = chosen.prepare(dict(np.load(full)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best, answer = np.inf, np.empty(0)
    for _ in range(ROUNDS):
        start = time.process_time()
        units, answer = chosen.work(data)
        best = min(best, (time.process_time() - start) / units)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Measured(best, (after - before) / MIB, answer)


def hold(number: int, contest: Contest, folder: Path) -> None:
    """Run all contenders of a contest and print its table."""
    small, full = folder / f"{number}_small.npz", folder / f"{number}.npz"
    for path, scale in ((small, SMALL), (full, 1.0)):
        np.savez(path, **contest.data(scale))  # type: ignore[arg-type]  # NumPy's stub takes the names for its own flag
    print(f"\n{contest.title}")
    print(f"  {'':34}{'CPU per ' + contest.unit:>22}{'ratio':>10}{'memory':>12}")
    ours: Measured | None = None
    for place, contender in enumerate(contest.contenders):
        if contender.needs and find_spec(contender.needs) is None:
            print(f"  {contender.name:34}{'skipped: ' + contender.needs + ' is not installed':>44}")
            continue
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply(measure, (number, place, small, full))
        ours = ours or found
        np.testing.assert_allclose(
            found.answer, ours.answer, atol=ATOL, err_msg=f"{contender.name} disagrees"
        )
        ratio = found.seconds / ours.seconds
        print(
            f"  {contender.name:34}{found.seconds * 1e3:>19.3f} ms{ratio:>10.3g}{found.memory:>8.0f} MiB",
            flush=True,
        )


def main() -> int:
    """Hold every contest, or those whose title holds the first argument."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as folder:
        for number, contest in enumerate(CONTESTS):
            if wanted in contest.title:
                hold(number, contest, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
