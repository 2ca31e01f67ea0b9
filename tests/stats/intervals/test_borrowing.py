"""Where design effects come from (FORMULAS 8.1)."""

import pytest

from frtaudit.stats.intervals.borrowing import DesignEffectSource, DesignEffectSources
from frtaudit.stats.intervals.dependence import Residuals


@pytest.mark.parametrize(("errors", "are_rarer"), [(1, True), (50, True), (51, False), (99, False)])
def test_the_rarer_outcome_chooses_the_source(errors: int, are_rarer: bool) -> None:
    """Errors up to half of the comparisons, what does not err past it."""
    sources = DesignEffectSources(
        errors=DesignEffectSource(threshold=0.1), others=DesignEffectSource(threshold=0.9)
    )
    residuals = Residuals(
        rate=errors / 100, errors=errors, trials=100, total=60, subjects=60, subjects_with_errors=9,
        effective_subjects=60.0, by_subject=1.0,
    )  # fmt: skip
    assert (sources.of(residuals) is sources.errors) == are_rarer
