"""Scores drawn from known normal distributions, each keyed by its pair: no templates, no state, any order."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore
from frtaudit.errors import SpecError
from frtaudit.inputs.thresholds.recommendation import check_recommended

if TYPE_CHECKING:
    import numpy.typing as npt

    from frtaudit.core.arrays import Floats, Index, Longs
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons
    from frtaudit.core.scores import Groups, ScoreTable
    from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest

FAILED = "simulated_failure"


@register("provider", "simulated")
@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """Mated scores ~ N(mated_mean, mated_sd^2), non-mated ~ N(non_mated_mean, non_mated_sd^2), clipped to the range.

    All draws are independent: at a threshold t inside ``score_range`` the true FMR is 1 - Phi((t - non_mated_mean) /
    non_mated_sd), the true FNMR Phi((t - mated_mean) / mated_sd). ``failure_rate``: the chance that a sample fails.
    ``asymmetry``: in protocols with both orders, A-B scores s + a z and B-A scores s - a z, z standard normal, so that
    their mean is the score s of the unordered comparison. ``recommended``: thresholds by name.
    """

    name: str
    mated_mean: float = 0.6
    mated_sd: float = 0.1
    non_mated_mean: float = 0.1
    non_mated_sd: float = 0.1
    failure_rate: float = 0.0
    asymmetry: float = 0.0
    score_range: tuple[float, float] = (-1.0, 1.0)
    recommended: Mapping[str, float] = field(default_factory=dict)
    thresholds_version: str | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no distribution has."""
        check_recommended(self.name, self.recommended, self.score_range)
        for key in ("mated_sd", "non_mated_sd"):
            if not 0 < getattr(self, key) < math.inf:
                where = f"providers.{self.name}.{key}"
                raise SpecError(where, f"{getattr(self, key):g}", "a positive number")
        if not 0 <= self.failure_rate < 1 or not 0 <= self.asymmetry < math.inf:
            text = f"failure_rate {self.failure_rate:g}, asymmetry {self.asymmetry:g}"
            raise SpecError(f"providers.{self.name}", text, "failure_rate in [0, 1), asymmetry >= 0")

    def failed(self, cohort_data: "CohortData", seed: int) -> Mapping[int, str]:
        """Cohort index to failure code of the samples that fail, each by a draw keyed by its index."""
        import numpy as np

        samples = np.arange(cohort_data.cohort.n_samples, dtype=np.uint64)
        lost = uniform(_key(seed, self.name, "failure"), samples, samples) < self.failure_rate
        return {int(i): FAILED for i in np.flatnonzero(lost)}

    def score_table(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> "ScoreTable":
        """Scores of listed comparisons."""
        import numpy as np

        from frtaudit.inputs.acquisition import table_of

        def scorer(probe: "Index", reference: "Index") -> "Floats":
            score = self._unordered(seed, probe, reference, cohort_data.cohort.subject_of)
            if not (comparisons.ordered and self.asymmetry):
                return score
            low, high = np.minimum(probe, reference), np.maximum(probe, reference)
            z = normal(_key(seed, self.name, "order"), low, high)
            return np.clip(
                score + np.where(probe < reference, 1.0, -1.0) * self.asymmetry * z, *self.score_range
            )

        return table_of(scorer, comparisons, self.failed(cohort_data, seed), self.score_range, failures)

    def score_tail(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        groups: "Groups",
        request: "TailRequest",
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> "ScoredTail":
        """Scores of all pairs."""
        from frtaudit.inputs.acquisition import acquired_rows, tail_of

        cohort = cohort_data.cohort
        rows = acquired_rows(cohort.n_samples, self.failed(cohort_data, seed))

        def block(first: slice, second: slice) -> "Floats":
            return self._unordered(seed, rows[first][:, None], rows[second][None, :], cohort.subject_of)

        return tail_of(block, rows, cohort, comparisons, groups, self.score_range, request, failures)

    def _unordered(self, seed: int, probe: "Index", reference: "Index", subject_of: "Index") -> "Floats":
        """Scores of unordered comparisons; both orders give the same."""
        import numpy as np

        z = normal(_key(seed, self.name, "score"), np.minimum(probe, reference), np.maximum(probe, reference))
        mated = subject_of[probe] == subject_of[reference]
        same, others = self.mated_mean + self.mated_sd * z, self.non_mated_mean + self.non_mated_sd * z
        return np.clip(np.where(mated, same, others), *self.score_range)


def normal(key: int, first: "npt.ArrayLike", second: "npt.ArrayLike") -> "Floats":
    """Standard normal draws keyed by ``key`` and two indices that broadcast.

    >>> float(normal(1, 2, 3)) == float(normal(1, 2, 3)), float(normal(1, 2, 3)) == float(normal(1, 3, 2))
    (True, False)
    """
    import numpy as np
    import scipy

    return np.asarray(scipy.special.ndtri(uniform(key, first, second)), dtype=np.float64)


def uniform(key: int, first: "npt.ArrayLike", second: "npt.ArrayLike") -> "Floats":
    """Uniform draws in (0, 1), 52 bits, keyed by ``key`` (64 bits) and two indices below 2^32 that broadcast."""
    import numpy as np

    a = np.asarray(first).astype(np.uint64)
    b = np.asarray(second).astype(np.uint64)
    word = _mixed(_mixed(((a << np.uint64(32)) | b) ^ np.uint64(key)) ^ np.uint64(key >> 1))
    return np.asarray(((word >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52, dtype=np.float64)


def _mixed(word: "Longs") -> "Longs":
    """One step of the SplitMix64 generator (Steele, Lea, Flood 2014): a bijection of 64-bit words."""
    import numpy as np

    with np.errstate(over="ignore"):
        word = word + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))


def _key(seed: int, name: str, what: str) -> int:
    return seed_of(seed, "provider", name, what)
