"""A test set made by declared rules from a cohort with attributes (004, section 4)."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from frtaudit.core.registry import register
from frtaudit.core.spec_values import PATH
from frtaudit.datasets.pair_rules import Rules, check
from frtaudit.inputs.review import need_review

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.comparisons import Comparisons


@register("protocol", "curated")
@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """Pairs that satisfy ``rules``, in identity-disjoint folds of equal size; each rule is counted and certified.

    ``reviewed``: the review file of an earlier run; pairs with a verdict other than keep leave, others take their
    place.
    """

    rules: Rules
    reviewed: str | None = field(default=None, metadata=PATH)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for rules that contradict each other."""
        check(self.rules)

    def check_files(self) -> None:
        """Raise :class:`DataError` for a review file that is not there, before anything is read."""
        need_review(self.reviewed)

    def comparisons(self, cohort_data: "CohortData") -> "Comparisons":
        """The curated pairs. :class:`DataError` where the rules leave too few, naming the one that binds."""
        from frtaudit.datasets.pair_selection import curate

        return curate(cohort_data, self.rules, self.reviewed)
