"""Scores that were made elsewhere: the cohort's score lists."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.thresholds.recommendation import check_recommended

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons
    from frtaudit.core.scores import ScoreTable


@register("provider", "precomputed")
@dataclass(frozen=True, slots=True, kw_only=True)
class Precomputed:
    """The scores that the cohort's lists hold under ``name``, which lie in ``score_range`` (low, high).

    ``recommended``: the vendor's thresholds by name, of version ``thresholds_version``.
    """

    name: str
    score_range: tuple[float, float] = (0.0, 1.0)
    recommended: Mapping[str, float] = field(default_factory=dict)
    thresholds_version: str | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a range without width, or a recommended threshold out of it."""
        check_recommended(self.name, self.recommended, self.score_range)

    def failed(self, cohort_data: "CohortData", seed: int) -> Mapping[int, str]:  # noqa: ARG002  providers share a signature
        """Nothing: score lists tell of failed comparisons, not of failed samples."""
        return {}

    def score_table(
        self,
        cohort_data: "CohortData",
        comparisons: "Comparisons",
        seed: int,  # noqa: ARG002  providers share a signature
        failures: FailureScore = FailureScore.APART,
    ) -> "ScoreTable":
        """The scores of the listed ``comparisons``; one that the list lacks failed with code ``not_compared``.

        Raises :class:`SpecError` for an unknown name, :class:`DataError` for a score out of the declared range.
        """
        import numpy as np

        from frtaudit.stats.rates.failures import score_zero

        if self.name not in cohort_data.tables:
            accepted = ", ".join(cohort_data.tables) or "a cohort of score lists"
            raise SpecError(f"providers.{self.name}", f"no score list names {self.name!r}", accepted)
        table = _aligned(comparisons, *cohort_data.tables[self.name])
        low, high = self.score_range
        out = int(np.count_nonzero((table.score < low) | (table.score > high)))
        if out:
            accepted = f"{low:g} to {high:g}, or another providers.{self.name}.score_range"
            raise DataError(f"provider {self.name}", f"{out} score(s) out of the declared range", accepted)
        return score_zero(table, self.score_range) if failures is FailureScore.SCORE_ZERO else table

    def score_tail(self, *_: object, **__: object) -> NoReturn:
        """Raise :class:`SpecError`: a list does not hold all pairs."""
        raise SpecError("protocol", f"provider {self.name!r} holds listed scores only", "protocol=listed")


def _aligned(comparisons: "Comparisons", listed: "Comparisons", table: "ScoreTable") -> "ScoreTable":
    """The table's lines in the order of ``comparisons``; a pair that is compared more often than scored, the first."""
    import numpy as np

    from frtaudit.core.scores import NOT_COMPARED, ScoreTable
    from frtaudit.inputs.pairing import align, pair_keys

    ordered = comparisons.ordered
    wanted = pair_keys(comparisons.probe, comparisons.reference, ordered=ordered)
    have = pair_keys(listed.probe, listed.reference, ordered=ordered)
    line = align(wanted, have)
    if (line < 0).any():
        once, place = np.unique(wanted, return_inverse=True)
        line = np.where(line < 0, align(once, have)[place], line)
    missing = line < 0
    codes = (*table.codes, NOT_COMPARED) if missing.any() else table.codes
    return ScoreTable(
        score=np.where(missing, np.nan, table.score[line]),
        failure=np.where(missing, len(codes) - 1, table.failure[line]).astype(np.int16),
        codes=codes,
    )
