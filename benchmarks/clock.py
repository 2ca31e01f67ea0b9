"""What a process spends: CPU seconds of all its threads, wall seconds, peak memory. Standard library only."""

import re
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 3.0  # CPU seconds
MIN_SECONDS = 0.2  # CPU seconds that a short step is repeated for
GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class Step:
    """The best of some rounds: CPU and wall seconds of one unit of work."""

    cpu: float
    wall: float
    units: int
    rounds: int


@dataclass(slots=True)
class Clock:
    """Steps measured in this process, the peaks of its memory in GiB, and other numbers, by name.

    ``patience``: CPU seconds after which a step is not repeated; 0 runs each once.
    """

    steps: dict[str, Step] = field(default_factory=dict)
    peaks: dict[str, float] = field(default_factory=dict)
    facts: dict[str, float] = field(default_factory=dict)
    patience: float = PATIENCE

    def run(self, name: str, work: Callable[[], T], units: int = 1) -> T:
        """Run ``work`` three times and for ``MIN_SECONDS`` seconds, or until patience is gone; keep the best."""
        cpus, walls = [], []
        while True:
            start, began = time.process_time(), time.perf_counter()
            found = work()
            cpus.append(time.process_time() - start)
            walls.append(time.perf_counter() - began)
            if sum(cpus) > self.patience or (len(cpus) >= 3 and sum(cpus) > MIN_SECONDS):
                break
        self.steps[name] = Step(min(cpus) / units, min(walls) / units, units, len(cpus))
        return found

    def peak(self, name: str) -> None:
        """Note the most memory that this process has held so far."""
        self.peaks[name] = peak_memory()

    def note(self, name: str, value: float) -> None:
        """Note a number that belongs to the work, such as how many comparisons it went through."""
        self.facts[name] = float(value)

    def as_dict(self) -> dict[str, dict[str, object]]:
        """Everything, for JSON."""
        return {
            "steps": {name: asdict(step) for name, step in self.steps.items()},
            "peaks": dict(self.peaks),
            "facts": dict(self.facts),
        }


def peak_memory() -> float:
    """The most memory that this process has held, GiB; Linux counts in ``ru_maxrss`` what its parent held, too."""
    status = Path("/proc/self/status")
    if status.is_file():
        (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status.read_text(), re.MULTILINE)
        return int(kilobytes) * 1024.0 / GIB
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held * (1.0 if sys.platform == "darwin" else 1024.0) / GIB
