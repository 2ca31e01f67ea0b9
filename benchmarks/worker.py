"""One contender in a process of its own: ``python -m benchmarks.worker benchmarks.plain:fold_loop small full out``.

``small`` and ``full`` are folders of arrays; the small ones warm up what is compiled or loaded late. Writes the answer
and what was spent into the folder ``out``.
"""

import json
import platform
import sys
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path

import numpy as np

from benchmarks.clock import Clock, peak_memory
from benchmarks.data import Arrays

NAMED = ("frtaudit", "numpy", "scipy", "numba", "scikit-learn", "bob.measure", "pyeer", "pandas", "faiss-cpu")


def arrays(folder: Path) -> Arrays:
    """Arrays by name."""
    return {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}


def main() -> int:
    """Warm up, run, write."""
    where, small, full, out = sys.argv[1], *map(Path, sys.argv[2:5])
    module, name = where.split(":")
    contender = getattr(import_module(module), name)
    contender(arrays(small), Clock(patience=0))
    clock = Clock()
    answer = contender(arrays(full), clock)
    np.save(out / "answer.npy", np.asarray(answer, dtype=np.float64))
    present = {found.metadata["Name"]: found.version for found in distributions()}
    spent = {
        **clock.as_dict(),
        "peak": peak_memory(),
        "versions": {"Python": platform.python_version()}
        | {name: present[name] for name in NAMED if name in present},
    }
    (out / "spent.json").write_text(json.dumps(spent))
    return 0


if __name__ == "__main__":
    sys.exit(main())
