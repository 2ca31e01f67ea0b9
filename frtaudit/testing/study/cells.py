"""What the study tries: populations, sizes of cohorts, and the points at which rates are read."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core import Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.testing.populations import HARD, POPULATIONS, Population
from frtaudit.testing.truth import Scores

TARGETS = (0.01, 0.001)
RESOLVED = 10  # FORMULAS 8.4
FEW_MATCHES, FEW_NON_MATCHES = 2.0, 4.0  # errors expected at the points of few errors
NOMINAL = 0.95
INDICES = ("max_min", "gini")
METHODS: tuple[tuple[Method, Target], ...] = (
    (Method.WILSON, Target.POPULATION),
    (Method.VERTEX, Target.POPULATION),
    (Method.DOUBLE_OR_NOTHING, Target.POPULATION),
    (Method.WILSON_PLUGIN, Target.POPULATION),
    (Method.TWO_LEVEL, Target.POPULATION),
    (Method.RECENTERED, Target.FIXED_IDENTITIES),
    (Method.GAUSSIAN, Target.FIXED_IDENTITIES),
    (Method.NAIVE, Target.FIXED_IDENTITIES),
    (Method.WILSON_IID, Target.COMPARISONS_IID),
)
INTERVALS = tuple(IntervalSpec(method=method, target=target) for method, target in METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One population and one shape of cohort, drawn again for every cohort: other people, other samples.

    ``pattern``: samples per subject, repeated and shuffled; ``deep``: also the two-level bootstrap, and a threshold so
    low that false non-matches are few: both cost as much as all the rest, so that the small cohorts alone have them.
    """

    population: Population
    subjects: int
    pattern: tuple[int, ...]
    deep: bool = False

    @property
    def name(self) -> str:
        """What the study calls it, for instance ``isotropic, 40 x 4``."""
        return f"{self.population.name}, {self.subjects} x {'/'.join(map(str, self.pattern))}"

    @property
    def weightings(self) -> tuple[Weighting, ...]:
        """Both where subjects have unequal numbers of samples; else they are the same."""
        return tuple(Weighting) if len(self.pattern) > 1 else (Weighting.POOLED,)

    @property
    def intervals(self) -> tuple[IntervalSpec, ...]:
        """Every method offered for a rate; the two-level bootstrap where the cell is deep."""
        return tuple(
            interval for interval in INTERVALS if self.deep or interval.method is not Method.TWO_LEVEL
        )

    @property
    def targets(self) -> tuple[float, ...]:
        """FMR targets at which a cohort expects ten false matches or more: below that an audit warns, then refuses."""
        return tuple(target for target in TARGETS if target * self.non_mated >= RESOLVED)

    @property
    def mated(self) -> int:
        """Mated comparisons of a cohort."""
        sizes = self._sizes()
        return int((sizes * (sizes - 1) // 2).sum())

    @property
    def non_mated(self) -> int:
        """Non-mated comparisons of a cohort."""
        sizes = self._sizes()
        return int((sizes.sum() ** 2 - np.square(sizes).sum()) // 2)

    def thresholds(self, scores: Scores) -> Mapping[str, float]:
        """Fixed thresholds by name: at true FMRs, and where two false matches or four false non-matches are due."""
        by_name = {f"FMR {target:g}": scores.threshold(target, self.subjects) for target in self.targets}
        by_name["few false matches"] = scores.threshold(FEW_MATCHES / self.non_mated, self.subjects)
        if self.deep:
            by_name["few false non-matches"] = _at_fnmr(scores, FEW_NON_MATCHES / self.mated)
        return {name: float(f"{value:.6f}") for name, value in by_name.items()}

    def _sizes(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.resize(np.asarray(self.pattern, dtype=np.int64), self.subjects)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelsCell:
    """The study of 002, appendix B.1: FNMR at one FMR, at every nominal level.

    ``same``: the same subjects in every cohort, with new samples (002); else new subjects, as an audit's reader means.
    """

    same: bool
    population: Population = HARD
    subjects: int = 300
    samples: int = 6
    fmr: float = 0.001

    @property
    def name(self) -> str:
        """What the study calls it."""
        return f"{'fixed identities' if self.same else 'new people'}, {self.subjects} x {self.samples}"

    @property
    def intervals(self) -> tuple[IntervalSpec, ...]:
        """002's three methods; beside them, for the population, those that serve the population."""
        wanted = [Method.RECENTERED, Method.NAIVE, Method.GAUSSIAN]
        wanted += [] if self.same else [Method.WILSON, Method.VERTEX]
        return tuple(interval for interval in INTERVALS if interval.method in wanted)


SHAPES: tuple[tuple[int, tuple[int, ...]], ...] = ((40, (4,)), (100, (4,)), (60, (2, 2, 3, 4, 9)))
CELLS = tuple(
    Cell(population=population, subjects=subjects, pattern=pattern, deep=subjects == SHAPES[0][0])
    for population in POPULATIONS
    for subjects, pattern in SHAPES
)

LEVELS_CELLS = (LevelsCell(same=True), LevelsCell(same=False))


def _at_fnmr(scores: Scores, rate: float) -> float:
    """The threshold at which FNMR is ``rate``: bisection on a rising function."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if scores.fnmr(middle) > rate else (middle, high)
    return low
