"""What is measured: a question, its data, who answers it, how near the answers must be, and what we aim at.

A contender is named ``module:function``; the function takes the arrays and a clock, times its steps and returns the
answer. Ours comes first. A line of the table compares two steps; a target may be missed by a factor of two before the
line counts as a failure (the floor).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from benchmarks import data
from benchmarks.data import Arrays

Floats = npt.NDArray[np.float64]
OURS = "frtaudit"
SLACK = 2.0


class Measure(Enum):
    """What a line states, and whether more of it is better."""

    RATIO = "x"  # CPU of the peer over ours
    PERCENT = "%"  # CPU of a step of ours over another of ours
    MEMORY = "GiB"  # most memory that our process held
    THREADS = "x wall"  # wall time of one step of ours over another: one thread against two

    @property
    def more_is_better(self) -> bool:
        """Ratios are to be large, shares and memory small."""
        return self in {Measure.RATIO, Measure.THREADS}


@dataclass(frozen=True, slots=True)
class Contender:
    """Who answers; ``env`` is the environment it runs in; answers lie within ``rtol`` and ``atol`` of ours."""

    name: str
    call: str
    env: str = OURS
    rtol: float = 1e-9
    atol: float = 1e-12


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: ``step`` of ours against ``other``, a contender (RATIO) or another step of ours."""

    measure: Measure
    step: str
    other: str = ""
    target: float | None = None

    def verdict(self, value: float) -> str:
        """Whether the target is reached, or at least half of it."""
        if self.target is None:
            return ""
        short = self.target / value if self.measure.more_is_better else value / self.target
        return "reached" if short <= 1 else "half reached" if short <= SLACK else "missed"


@dataclass(frozen=True, slots=True)
class Contest:
    """A question and who answers it."""

    name: str
    title: str
    make: Callable[[float], Arrays]
    contenders: tuple[Contender, ...]
    lines: tuple[Line, ...]


EXACT = {
    "rtol": 1e-4,
    "atol": 1e-6,
}  # float32 scores: a comparison may stand on the other side of a threshold
PLANS = ("subjects", "double_or_nothing", "two_level")


def _engine(name: str, make: Callable[[float], Arrays], lowest: str, target: float) -> Contest:
    lines = [
        Line(Measure.PERCENT, "images", "score", target),
        Line(Measure.PERCENT, "images, t*", "score"),
        *(Line(Measure.PERCENT, plan, "score") for plan in PLANS),
        Line(Measure.MEMORY, "images", target=1.5 if lowest == "1e-2" else None),
        Line(Measure.THREADS, "score", "score, 2 threads"),
        Line(Measure.THREADS, "images", "images, 2 threads"),
    ]
    contenders = (
        Contender(OURS, "benchmarks.ours:engine"),
        Contender("NumPy, bincount of the tail", "benchmarks.plain:same_tail", "scipy", **EXACT),
    )
    title = f"60,000 samples, D = 128, 12,000 subjects, 4 groups, lowest FMR {lowest}, B = 1000"
    return Contest(name, title, make, contenders, tuple(lines))


CONTESTS = (
    _engine("engine", data.large_deep, "1e-2", 5.0),
    _engine("engine_thin", data.large, "1e-3", 2.5),
    Contest(
        "images",
        "image bootstrap with groups, 20,000 samples (2e8 comparisons), lowest FMR 1e-1: CPU of a replicate",
        data.middle,
        (
            Contender(OURS, "benchmarks.ours:bootstrap"),
            Contender(
                "NumPy, weights and bincount", "benchmarks.plain:weights_and_bincount", "scipy", **EXACT
            ),
            Contender("NumPy, resample and sort", "benchmarks.plain:resample_and_sort", "scipy", **EXACT),
            Contender("NumPy, resample by rows", "benchmarks.plain:resample_by_rows", "scipy", **EXACT),
            Contender("NumPy, bincount of the tail", "benchmarks.plain:same_tail", "scipy", **EXACT),
            Contender("scipy.sparse", "benchmarks.others:sparse_products", "scipy", **EXACT),
        ),
        (
            Line(Measure.RATIO, "replicate", "NumPy, weights and bincount", 3000),
            Line(Measure.RATIO, "replicate", "NumPy, resample and sort", 30000),
            Line(Measure.RATIO, "replicate", "scipy.sparse", 40),
            Line(Measure.RATIO, "replicate", "NumPy, resample by rows"),
            Line(Measure.RATIO, "replicate", "NumPy, bincount of the tail"),
        ),
    ),
    Contest(
        "scoring",
        "all-pairs scoring: mated scores and threshold at FMR 1e-3, 10,000 samples (5e7 comparisons)",
        data.ten_thousand,
        (
            Contender(OURS, "benchmarks.ours:scoring"),
            Contender("NumPy, whole matrix", "benchmarks.plain:whole_matrix", "scipy", rtol=1e-5),
            Contender("faiss range_search", "benchmarks.others:faiss_ranges", "faiss", rtol=1e-5),
        ),
        (
            Line(Measure.RATIO, "score", "NumPy, whole matrix"),
            Line(Measure.RATIO, "score", "faiss range_search"),
        ),
    ),
    Contest(
        "whole",
        "from 2e6 scores to FNMR at FMR 1e-2 with intervals, overall and of 4 groups: CPU of a resample of subjects",
        data.two_thousand,
        (
            Contender(OURS, "benchmarks.ours:whole"),
            # A score at the threshold: no match for us, one for scikit-learn; 1 of 150 mated at the smallest size.
            Contender("scikit-learn, SciPy, pandas", "benchmarks.others:assembled", "sklearn", atol=7e-3),
        ),
        (Line(Measure.RATIO, "replicate", "scikit-learn, SciPy, pandas"),),
    ),
    Contest(
        "fnmr",
        "FNMR at FMR 1e-3 of 1e7 scores",
        data.ten_million,
        (
            Contender(OURS, "benchmarks.ours:fnmr"),
            Contender("scikit-learn roc_curve", "benchmarks.others:sklearn_fnmr", "sklearn"),
            # bob's threshold is the score before ours: mated scores between the two differ.
            Contender("bob.measure far_threshold", "benchmarks.others:bob_fnmr", "bob", atol=2e-3),
        ),
        (
            Line(Measure.RATIO, "find", "scikit-learn roc_curve", 40),
            Line(Measure.RATIO, "find", "bob.measure far_threshold", 30),
        ),
    ),
    Contest(
        "eer",
        "equal error rate of 1e6 scores",
        data.one_million,
        (
            Contender(OURS, "benchmarks.ours:eer"),
            # They take the score before or after the crossing: one mated comparison of 100 at the smallest size.
            Contender("pyeer", "benchmarks.others:pyeer_eer", "pyeer", atol=5e-3),
            Contender("bob.measure eer", "benchmarks.others:bob_eer", "bob", atol=5e-3),
        ),
        (Line(Measure.RATIO, "find", "pyeer", 50), Line(Measure.RATIO, "find", "bob.measure eer")),
    ),
    Contest(
        "thesis",
        "thesis bootstrap of d_l2, 3 classes of 4,000 scores: CPU of a resample",
        data.classes,
        (
            Contender(OURS, "benchmarks.ours:thesis"),
            # Both draw: the bounds differ by the Monte Carlo error of 999 resamples, about 2 % of a half-width.
            Contender(
                "scipy.stats.bootstrap", "benchmarks.others:scipy_thesis", "scipy", rtol=0.03, atol=0.03
            ),
        ),
        (Line(Measure.RATIO, "resample", "scipy.stats.bootstrap", 12),),
    ),
    Contest(
        "folds",
        "ten-fold accuracy, threshold search over 6,000 pairs",
        data.fold_pairs,
        (
            Contender(OURS, "benchmarks.ours:folds"),
            Contender("NumPy, loop over thresholds", "benchmarks.plain:fold_loop", "scipy"),
        ),
        (Line(Measure.RATIO, "search", "NumPy, loop over thresholds", 500),),
    ),
)
