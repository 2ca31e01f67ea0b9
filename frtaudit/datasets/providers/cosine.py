"""Cosine similarity of templates, or their squared distance turned into a similarity."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore
from frtaudit.core.spec_values import COSINE_RANGE, UNIT_DISTANCE_RANGE
from frtaudit.errors import SpecError
from frtaudit.inputs.thresholds.recommendation import check_recommended

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats, Index
    from frtaudit.core.cohort import CohortData, Templates
    from frtaudit.core.comparisons import Comparisons
    from frtaudit.core.scores import Groups, ScoreTable
    from frtaudit.inputs.acquisition import PairScorer
    from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest


class Metric(Enum):
    """How two unit vectors are compared: their cosine, or minus their squared Euclidean distance, 2 cosine - 2."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


RANGES = {Metric.COSINE: COSINE_RANGE, Metric.EUCLIDEAN: UNIT_DISTANCE_RANGE}


@register("provider", "cosine")
@dataclass(frozen=True, slots=True, kw_only=True)
class Cosine:
    """Scores of the cohort's templates named ``templates`` (default: ``name``), normalised to unit length.

    ``recommended``: the vendor's thresholds by name, of version ``thresholds_version``.
    """

    name: str
    metric: Metric = Metric.COSINE
    templates: str | None = None
    recommended: Mapping[str, float] = field(default_factory=dict)
    thresholds_version: str | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a recommended threshold out of the score range."""
        check_recommended(self.name, self.recommended, self.score_range)

    @property
    def score_range(self) -> tuple[float, float]:
        """Lowest and highest possible score: -1..1, or -4..0 for squared distances."""
        return RANGES[self.metric]

    def failed(self, cohort_data: "CohortData", seed: int) -> Mapping[int, str]:  # noqa: ARG002  providers share a signature
        """Cohort index to failure code of the samples without a template."""
        return cohort_data.failures.get(self.templates or self.name, {})

    def score_table(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        seed: int,
        failures: FailureScore = FailureScore.APART,
    ) -> "ScoreTable":
        """Scores of listed comparisons; raises as :meth:`score_tail` does."""
        from frtaudit.inputs.acquisition import table_of

        scorer = pair_scorer(self._load(cohort_data), self.metric)
        return table_of(scorer, comparisons, self.failed(cohort_data, seed), self.score_range, failures)

    def score_tail(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        groups: "Groups",
        request: "TailRequest",
        seed: int,  # noqa: ARG002  providers share a signature
        failures: FailureScore = FailureScore.APART,
    ) -> "ScoredTail":
        """Scores of all pairs.

        Raises :class:`SpecError` when the cohort holds no such templates, :class:`DataError` when they are unusable.
        """
        from frtaudit.inputs.acquisition import tail_of
        from frtaudit.stats.similarity.scorers import cosine_blocks, unit_distance_blocks

        templates = self._load(cohort_data)
        blocks = cosine_blocks if self.metric is Metric.COSINE else unit_distance_blocks
        block, rows, cohort = blocks(templates.vectors), templates.rows, cohort_data.cohort
        return tail_of(block, rows, cohort, comparisons, groups, self.score_range, request, failures)

    def _load(self, cohort_data: "CohortData") -> "Templates":
        stem = self.templates or self.name
        if stem not in cohort_data.templates:
            accepted = ", ".join(cohort_data.templates) or "a cohort with templates"
            problem = f"the cohort holds no templates named {stem!r}"
            raise SpecError(f"providers.{self.name}", problem, accepted)
        return cohort_data.templates[stem]()


def pair_scorer(templates: "Templates", metric: Metric) -> "PairScorer":
    """A scorer of listed pairs by cohort index, in float64.

    >>> import numpy as np
    >>> from frtaudit.core.cohort import Templates
    >>> two = Templates(rows=np.int32([0, 4]), vectors=np.float32([[1, 0], [1, 1]]))
    >>> pair_scorer(two, Metric.COSINE)(np.int32([4]), np.int32([0])).round(4).tolist()
    [0.7071]
    """
    import numpy as np

    vectors = templates.vectors.astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    def scored(probe: "Index", reference: "Index") -> "Floats":
        a, b = (vectors[np.searchsorted(templates.rows, side)] for side in (probe, reference))
        cosine: Floats = np.einsum("ij,ij->i", a, b)
        return np.clip(cosine, -1.0, 1.0) if metric is Metric.COSINE else np.clip(2 * cosine - 2, -4.0, 0.0)

    return scored
