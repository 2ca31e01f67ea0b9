"""Runs, sweeps, comparisons and collections ended at random moments: ``python interrupted.py FOLDER [SEED]``.

A process that has loaded everything forks a child for each command and sends it a signal at a random moment, lets its
disk be full, or takes its memory. FRTAUDIT_FAULTS is how often: ``term,int,hup,kill,disk,memory`` (``2,2,1,1,1,1``
unless set; the whole campaign is ``100,100,30,30,10,10``). Prints a JSON object: exit codes by fault, the longest time
from a signal to the end, and what was wrong, which is to be nothing.
"""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import drawn_faces

from frtaudit.cli import main as cli
from frtaudit.cli import multirun  # noqa: F401  loaded once, not in each child
from frtaudit.cli.sweeps import paper  # noqa: F401
from frtaudit.collection import run as collection_run  # noqa: F401
from frtaudit.config import load
from frtaudit.config.plugins import load_plugins
from frtaudit.core.machine.faults import MIN_SPACE, SPACE_OF_A_CORE
from frtaudit.pipeline import compare, run  # noqa: F401

FAULTS = "FRTAUDIT_FAULTS"
FEW = "2,2,1,1,1,1"
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
SMALL = ["audit=demo", "cohort.subjects=20", "requirements=[]", "bootstrap.B=39", "thresholds.fmr=[0.1]"]
HTML, BARE = ["report.pdf=false"], ["report.pdf=false", "report.html=false"]
SECONDS = 300.0  # after which a child hangs
KINDS = ("run", "printed", "sweep", "compare", "collect")
WEIGHTS = (10, 1, 7, 10, 12)  # a report on paper takes as long as ten others
ROOM = 3_000_000  # bytes of a full disk, at most
STARVED = ("run", "sweep", "compare")  # what a process without the tests' services can do
SHORT = 250_000_000  # bytes of address space beyond the least: a run of this size needs about 300 MB more
ABORTED = (-signal.SIGABRT, -signal.SIGTRAP, -signal.SIGSEGV)  # by libraries that get no memory


def words(kind: str, into: Path, finished: Path) -> list[str]:
    """What the command is told; ``finished``: two runs to compare."""
    if kind == "run":
        return ["run", *SMALL, *HTML, f"hydra.run.dir={into}"]
    if kind == "printed":
        return ["run", *SMALL, f"hydra.run.dir={into}"]
    if kind == "sweep":
        return ["run", "-m", *SMALL, *BARE, "seed=1,2", f"hydra.sweep.dir={into}"]
    if kind == "compare":
        return ["compare", f"one={finished / '1'}", f"two={finished / '2'}", *HTML, f"hydra.run.dir={into}"]
    twin = f"services.acme={{type: twin, wait: 0.002, log: '{into}.log', limits: {{concurrency: 4}}}}"
    made = ["source=drawn", "source.queries=4", "duplicates.embedding=none", "duplicates.faces=none"]
    return ["collect", *made, twin.replace("'", '"'), "least=5", f"into={into}"]


@dataclass(slots=True)
class Campaign:
    """``times``: seconds of a whole command by kind; ``codes``, ``last``, ``wrong``: what came of the others."""

    folder: Path
    rng: random.Random
    times: dict[str, float] = field(default_factory=dict)
    files: dict[str, set[str]] = field(default_factory=dict)
    codes: dict[str, Counter[int]] = field(default_factory=dict)
    last: str = ""
    slowest: dict[str, float] = field(default_factory=dict)
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    _number: int = 0

    @property
    def finished_runs(self) -> Path:
        """Two runs that are compared."""
        return self.folder / "finished"

    def place(self) -> Path:
        """A folder for one command."""
        self._number += 1
        (self.folder / f"{self._number}").mkdir(parents=True)
        return self.folder / f"{self._number}" / "it"

    def whole(self) -> None:
        """Each command once, to its end: how long it takes, what it writes."""
        for number, vendor in (("1", "vendor_a"), ("2", "vendor_b")):
            told = ["run", *SMALL, *BARE, f"providers=[{vendor}]"]
            assert cli.main([*told, f"hydra.run.dir={self.finished_runs / number}"]) == 0
        for kind in KINDS:
            into = self.place()  # here first: a child finds everything loaded and compiled
            assert cli.main(words(kind, into, self.finished_runs)) == 0
            into = self.place()
            began = time.monotonic()
            child = start(words(kind, into, self.finished_runs), into.parent)
            assert ended(child) == 0, (into.parent / "said").read_text()
            self.times[kind], self.files[kind] = time.monotonic() - began, files_in(into)

    def kind(self) -> str:
        """A command."""
        return self.rng.choices(KINDS, WEIGHTS)[0]

    def signalled(self, number: signal.Signals) -> None:
        """One signal at a random moment of a command that has not ended by itself."""
        while True:
            kind, into = self.kind(), self.place()
            child = start(words(kind, into, self.finished_runs), into.parent)
            time.sleep(self.rng.uniform(0.0, self.times[kind]))
            if os.waitpid(child, os.WNOHANG) == (0, 0):
                break
            shutil.rmtree(into.parent)
        os.kill(child, number)
        sent = time.monotonic()
        code = ended(child)
        name = number.name
        self.slowest[f"{name} {kind}"] = max(self.slowest.get(f"{name} {kind}", 0.0), time.monotonic() - sent)
        self._count(name, kind, code)
        killed = number is signal.SIGKILL
        expected = {-number, 0} if killed else {-number, 128 + number, 0}  # -: before the command listened
        self._look(name, kind, into, code, code in expected, killed=killed)
        if killed and code:
            self._again(name, kind, into)
        shutil.rmtree(into.parent)

    def filled(self) -> None:
        """The disk is full at a random moment."""
        kind, into = self.kind(), self.place()
        size = self.rng.randrange(20_000, 300_000 if kind != "printed" else ROOM)
        with disk(into.parent, size) as limit:
            code = ended(
                start(words(kind, into, self.finished_runs), into.parent, limit, self.folder / "said")
            )
            self._count("disk", kind, code)
            said = (self.folder / "said").read_text()
            good = code == 0 or (code == 1 and ("no space" in said or "file-size limit" in said))
            self._look("disk", kind, into, code, good, said=said)
        shutil.rmtree(into.parent)

    def starved(self) -> None:
        """The address space ends between what start-up asks for and what a command needs: in a process of its own."""
        kind, into = self.rng.choice(STARVED), self.place()
        least = MIN_SPACE + SPACE_OF_A_CORE * (os.cpu_count() or 1)
        code, said = starved(
            words(kind, into, self.finished_runs), into.parent, self.rng.randrange(least, least + SHORT)
        )
        self._count("memory", kind, code)
        good = code == 0 or (code == 1 and "memory" in said) or code in ABORTED
        self._look("memory", kind, into, code, good, killed=code < 0, said=said)
        shutil.rmtree(into.parent)

    def _count(self, fault: str, kind: str, code: int) -> None:
        self.last = f"{fault} {kind}: {code}"
        self.codes.setdefault(fault, Counter())[code] += 1

    def _look(
        self,
        fault: str,
        kind: str,
        into: Path,
        code: int,
        good: bool,
        *,
        killed: bool = False,
        said: str | None = None,
    ) -> None:
        said = (into.parent / "said").read_text() if said is None else said
        there = files_in(into)
        if not good or "unexpected" in said or "Traceback" in said:
            self._wrong(fault, kind, f"ended with {code}: {said[-400:]}")
        if code and kind in ("run", "printed", "compare") and not killed and there:
            self._wrong(fault, kind, f"left {sorted(there)}")
        if code == 0 and kind != "collect" and there != self.files[kind]:
            self._wrong(fault, kind, f"ended with 0 and without {sorted(self.files[kind] - there)}")
        if kind in ("run", "printed", "compare") and "result.json" in there and there < self.files[kind]:
            self._wrong(fault, kind, f"half a run: {sorted(there)}")
        if kind == "sweep":
            for done in into.glob("*/DONE.json"):
                if not (done.parent / "result.json").is_file():
                    self._wrong(fault, kind, "a job that is done without a result")
        if kind == "collect" and fault in ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"):
            self._look_at_store(fault, into, killed=killed)

    def _look_at_store(self, fault: str, into: Path, *, killed: bool) -> None:
        """Every attempt has a result, or, after a kill, an intent."""
        asked = len(drawn_faces.attempts(Path(f"{into}.log")))
        results, intents = calls(into)
        if intents and not killed:
            self._wrong(fault, "collect", f"{intents} calls in flight were not waited for")
        if results > asked or asked > results + intents:
            self._wrong(fault, "collect", f"{asked} attempts, {results} results, {intents} in flight")

    def _again(self, fault: str, kind: str, into: Path) -> None:
        """After a kill the same command ends well, says what was in flight, and leaves nothing of the killed one."""
        _, intents = calls(into) if kind == "collect" else (0, 0)
        self.lost += intents
        code = ended(start(words(kind, into, self.finished_runs), into.parent))
        said = (into.parent / "said").read_text()
        after = files_in(into)
        if code == 2 and "already contains a result.json" in said:  # it was killed after its last file
            code = 0
        if code or after != self.files[kind]:
            missing = self.files[kind] ^ after
            self._wrong(fault, kind, f"again: {code}, {sorted(missing)}, {said[-300:]}")
        if intents and f"{intents} calls had no result" not in said:
            self._wrong(fault, kind, f"{intents} calls in flight are not named: {said[-300:]}")

    def _wrong(self, fault: str, kind: str, what: str) -> None:
        self.wrong.append(f"{fault} {kind}: {what}")
        sys.stderr.write(f"WRONG {fault} {kind}: {what}\n")


def start(
    command: list[str], folder: Path, before: Callable[[], object] = lambda: None, said: Path | None = None
) -> int:
    """The command in a child of this process, in ``folder``, its words in a file ``said``; the child's id."""
    told = said or folder / "said"
    told.touch()  # a child may be ended before it says a word
    child = os.fork()
    if child == 0:
        code = 70
        try:
            for number in SIGNALS[:3]:
                signal.signal(number, signal.SIG_DFL)
            out = os.open(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.chdir(folder)
            before()
            code = cli.main(command)
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    """Its exit code, negative for a signal that it did not hear; a child that hangs is killed."""
    until = time.monotonic() + SECONDS
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 999
        time.sleep(0.005)


def files_in(folder: Path) -> set[str]:
    """Files below a folder, those of the sweep's jobs by their job, locks and the store's own apart."""
    apart = (".lock", "-wal", "-shm")
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(apart)
    }


def calls(into: Path) -> tuple[int, int]:
    """Calls with a result, and in flight, as a copy of the store says."""
    if not (into / "store.sqlite").exists():
        return 0, 0
    copy = into.parent / "copy"
    copy.mkdir(exist_ok=True)
    for path in into.glob("store.sqlite*"):
        shutil.copy(path, copy)
    with closing(sqlite3.connect(copy / "store.sqlite")) as db:
        made = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'calls'").fetchone()[0]
        found = (
            db.execute("SELECT state <> 0, count(*) FROM calls WHERE turn <> -1 GROUP BY 1") if made else ()
        )
        counted = {bool(has): int(n) for has, n in found}
    shutil.rmtree(copy)
    return counted.get(True, 0), counted.get(False, 0)


@contextmanager
def disk(folder: Path, size: int) -> Iterator[Callable[[], object]]:
    """A small disk at ``folder`` where this user may mount one; else a limit on the size of each file."""
    mounted = os.geteuid() == 0 and not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], capture_output=True, check=False
    ).returncode  # fmt: skip
    try:
        yield (lambda: None) if mounted else (lambda: limit_files(size // 8))
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)


def limit_files(size: int) -> None:
    """No file longer than that."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def starved(command: list[str], folder: Path, space: int) -> tuple[int, str]:
    """The command in an address space of so many bytes: its exit code, and what it said.

    A child of this process would not do: it has all libraries loaded, and memory that was freed to work with.
    """
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "frtaudit", *command],
            cwd=folder,
            stdout=said,
            stderr=said,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (space, space)),  # noqa: PLW1509  one thread here
        )
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = 999
    return code, (folder / "said").read_text()


def main(folder: Path, seed: int) -> int:
    """The whole campaign; 1 where something was wrong."""
    load_plugins()
    load.load_spec([*SMALL])
    counts = [int(count) for count in os.environ.get(FAULTS, FEW).split(",")]
    drawn_faces.registered()
    folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(folder=folder, rng=random.Random(seed))
    with redirect_stdout(sys.stderr):
        campaign.whole()
    faults: list[Callable[[], None]] = [
        *(
            partial(campaign.signalled, one)
            for one, n in zip(SIGNALS, counts, strict=False)
            for _ in range(n)
        ),
        *(campaign.filled for _ in range(counts[4])),
        *(campaign.starved for _ in range(counts[5])),
    ]
    campaign.rng.shuffle(faults)
    for number, fault in enumerate(faults, 1):
        fault()
        sys.stderr.write(f"{number} of {len(faults)}: {campaign.last} ({len(campaign.wrong)} wrong)\n")
    codes = {
        fault: {str(code): n for code, n in sorted(each.items())}
        for fault, each in sorted(campaign.codes.items())
    }
    told = {
        "codes": codes,
        "seconds": {name: round(spent, 1) for name, spent in sorted(campaign.times.items())},
        "slowest": {name: round(spent, 1) for name, spent in sorted(campaign.slowest.items())},
        "in_flight_at_kills": campaign.lost,
        "wrong": campaign.wrong,
    }
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return 1 if campaign.wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute(), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
