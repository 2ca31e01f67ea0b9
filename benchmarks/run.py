"""`make bench`: CPU time, wall time and memory of frtaudit against other ways to the same numbers, in one run.

    python -m benchmarks.run [--only NAME] [--small] [--docs] [--date TEXT]

Every contender runs in a process of its own, the peers in their own environments, which are made first. What is
compiled or loaded late is warmed up on small data. CPU seconds of all threads are compared, not wall time. Answers
must agree, or the run ends with an error (exit code 1). The table is printed and, with ``--docs``, put into
docs/reference/benchmarks.md; the numbers behind it go to benchmarks/.results/.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import environments, table
from benchmarks.contests import CONTESTS, Contender, Contest
from benchmarks.data import Arrays

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / ".results"
SMALL, WARM = 0.05, 0.01
FLOOR = Contender("floor", "benchmarks.floor:measure")


@dataclass(frozen=True, slots=True)
class Spent:
    """What a contender answered and spent; ``None`` instead where its environment could not be made."""

    answer: npt.NDArray[np.float64]
    numbers: dict[str, Any]


class DisagreementError(Exception):
    """Two contenders give different answers to one question."""


def save(arrays: Arrays, folder: Path) -> Path:
    """Arrays into files of a new folder."""
    folder.mkdir()
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)
    return folder


def run_one(contender: Contender, small: Path, full: Path) -> Spent | None:
    """Run a contender in its environment."""
    python = environments.python_of(contender.env)
    if python is None:
        return None
    with tempfile.TemporaryDirectory() as out:
        command = [python, "-m", "benchmarks.worker", contender.call, small, full, out]
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True)
        numbers = json.loads((Path(out) / "spent.json").read_text())
        return Spent(np.load(Path(out) / "answer.npy"), numbers)


def agree(contest: Contest, contender: Contender, found: Spent, ours: Spent) -> None:
    """Hold an answer against ours: the rows (replicates) that both have."""
    theirs, own = np.atleast_2d(found.answer), np.atleast_2d(ours.answer)
    rows = min(len(theirs), len(own))
    if theirs.shape[1:] != own.shape[1:] or not np.allclose(
        theirs[:rows], own[:rows], rtol=contender.rtol, atol=contender.atol
    ):
        raise DisagreementError(f"{contest.name}: {contender.name} does not agree with frtaudit")


def hold(contest: Contest, scale: float) -> dict[str, dict[str, Any]]:
    """Run everybody in a contest; what each spent, by name."""
    spent: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        warm = save(contest.make(min(WARM, scale)), Path(folder) / "warm")
        full = save(contest.make(scale), Path(folder) / "full")
        ours: Spent | None = None
        for contender in contest.contenders:
            print(f"{contest.name}: {contender.name}", file=sys.stderr, flush=True)
            found = run_one(contender, warm, full)
            if found is not None:
                ours = ours or found
                agree(contest, contender, found, ours)
                spent[contender.name] = found.numbers
    return spent


def floors() -> dict[str, float]:
    """What the machine can do."""
    with tempfile.TemporaryDirectory() as folder:
        nothing = save({}, Path(folder) / "nothing")
        found = run_one(FLOOR, nothing, nothing)
    return {} if found is None else dict(found.numbers["facts"])


def arguments() -> argparse.Namespace:
    """The command line."""
    names = ", ".join(contest.name for contest in CONTESTS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description="Measured ratios.")
    parser.add_argument("--only", action="append", metavar="NAME", help=f"contests to hold: {names}")
    parser.add_argument("--small", action="store_true", help="a twentieth of the data: to try the harness")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/reference/benchmarks.md")
    parser.add_argument("--date", default="", help="text that says when; none by default")
    given = parser.parse_args()
    unknown = sorted(set(given.only or ()) - {contest.name for contest in CONTESTS})
    if unknown:
        parser.error(f"no contest is named {', '.join(unknown)}; there are {names}")
    return given


def main() -> int:
    """Install the peers, hold the contests, print the table."""
    given = arguments()
    chosen = [contest for contest in CONTESTS if not given.only or contest.name in given.only]
    missing = [
        peer
        for peer in sorted({one.env for contest in chosen for one in contest.contenders})
        if environments.install(peer) is None
    ]
    scale = SMALL if given.small else 1.0
    found = {"floors": floors(), "scale": scale, "date": given.date, "contests": {}}
    try:
        for contest in chosen:
            found["contests"][contest.name] = hold(contest, scale)
    except DisagreementError as error:
        print(error, file=sys.stderr)
        return 1
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "benchmarks.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    page = table.page(chosen, found)
    (RESULTS / "benchmarks.md").write_text(page)
    print(page)
    if given.docs:
        table.into(ROOT / "docs" / "reference" / "benchmarks.md", page)
    if missing:
        print(f"not measured, no environment: {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
