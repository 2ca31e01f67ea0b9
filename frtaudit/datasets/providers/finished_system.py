"""A system of a finished run: its scores are read from the tables that the run left."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore
from frtaudit.errors import DataError, SpecError

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData, StoredSystem
    from frtaudit.core.comparisons import Comparisons
    from frtaudit.core.scores import Groups, ScoreTable
    from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest

NOT_KEPT = "not_in_the_run"


@register("provider", "finished")
@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSystem:
    """The system ``name`` of a cohort of finished runs, whose scores lie in ``score_range`` (low, high)."""

    name: str
    score_range: tuple[float, float] = (0.0, 1.0)

    @property
    def recommended(self) -> Mapping[str, float]:
        """Nothing: systems are compared at FMR targets."""
        return {}

    @property
    def thresholds_version(self) -> str | None:
        """Nothing, as above."""
        return None

    def failed(self, cohort_data: "CohortData", seed: int) -> Mapping[int, str]:  # noqa: ARG002  providers share a signature
        """Cohort index to failure code of the samples that the run lost."""
        return cohort_data.failures.get(self.name, {})

    def score_table(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        seed: int,  # noqa: ARG002  providers share a signature
        failures: FailureScore = FailureScore.APART,  # noqa: ARG002  the run's scores are as its spec made them
    ) -> "ScoreTable":
        """The run's table; of other pairs those of its folds, the rest failed with code ``not_in_the_run``."""
        import numpy as np

        from frtaudit.core.scores import ScoreTable
        from frtaudit.inputs.pairing import align, pair_keys

        run = self._run(cohort_data)
        if comparisons is cohort_data.compared and run.table is not None:
            return run.table
        score = np.full(comparisons.n_listed, np.nan)
        if run.pairs is not None:
            listed, table = run.pairs
            keys = pair_keys(comparisons.probe, comparisons.reference, ordered=False)
            line = align(keys, pair_keys(listed.probe, listed.reference, ordered=False))
            score = np.where(line < 0, np.nan, table.score[line])
        failed = np.where(np.isfinite(score), -1, 0).astype(np.int16)
        return ScoreTable(score=score, failure=failed, codes=(NOT_KEPT,))

    def score_tail(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",  # noqa: ARG002  providers share a signature
        groups: "Groups",  # noqa: ARG002  the same
        request: "TailRequest",
        seed: int,  # noqa: ARG002  the same
        failures: FailureScore = FailureScore.APART,  # noqa: ARG002  the run's scores are as its spec made them
    ) -> "ScoredTail":
        """The run's tail.

        Raises :class:`DataError` for a threshold below the scores that the run kept.
        """
        import numpy as np

        from frtaudit.stats.similarity.allpairs import ScoredTail

        run = self._run(cohort_data)
        if run.tail is None:
            raise DataError(f"providers.{self.name}", "its run listed comparisons", "protocol=finished")
        lowest, floor = min(request.thresholds, default=np.inf), run.tail.cutoff
        if lowest < floor:
            problem = f"threshold {lowest:g} lies below the scores that its run kept"
            raise DataError(f"providers.{self.name}", problem, f"{floor:g} or higher")
        return ScoredTail(tail=run.tail)

    def _run(self, cohort_data: "CohortData") -> "StoredSystem":
        if self.name not in cohort_data.stored_systems:
            accepted = ", ".join(cohort_data.stored_systems) or "cohort=runs"
            raise SpecError(f"providers.{self.name}", "no finished run holds it", accepted)
        return cohort_data.stored_systems[self.name]
