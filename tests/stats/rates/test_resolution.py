"""Which FMR targets can be resolved (FORMULAS 8.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.rates import resolution


@given(st.integers(1, 10**9))
def test_the_smallest_target_is_resolved(non_mated: int) -> None:
    """The target that a refusal names is itself accepted, and is close to the limit."""
    named = float(resolution.smallest_target(non_mated))
    assert resolution.unresolved(named, non_mated) is None
    assert named <= 5 / non_mated * 1.011
    assert resolution.unresolved(4.99 / non_mated, non_mated) is not None


def test_without_non_mated_comparisons_no_target_is_allowed() -> None:
    """There is no smallest one to name."""
    assert str(resolution.unresolved(0.1, 0)).endswith("expects 0 false matches; none is allowed")


def test_warnings_name_what_is_thin() -> None:
    """Few false matches and few subjects are said apart; enough of both says nothing."""
    assert "only 6" in (resolution.warning(1e-3, 6_000, 40) or "")
    assert "3 subjects" in (resolution.warning(1e-3, 60_000, 3) or "")
    assert resolution.warning(1e-3, 60_000, 10) is None


def test_only_targets_above_what_is_held_need_more() -> None:
    """Targets that the scores held resolve are not blamed on the budget; a whole tail blames none."""
    assert resolution.beyond_budget([0.001], 1, 10, 1000) is None
    assert resolution.beyond_budget([0.1, 0.2], 1, 1000, 1000) is None
    assert resolution.beyond_budget([0.1], 1, 0, 0) is None, "no budget holds scores that nobody made"
    assert "up to 0.01; 0.1, 0.2 needs" in (resolution.beyond_budget([0.1, 0.2], 1, 10, 1000) or "")


def test_what_was_scored_again_is_named() -> None:
    """One target has its thresholds, several have theirs."""
    assert "of FMR 0.1: all pairs were scored again to find its thresholds" in resolution.scored_again(
        [0.1], 7
    )
    assert "of FMR 0.1, 0.2: all pairs were scored again to find their" in resolution.scored_again(
        [0.1, 0.2], 7
    )


@pytest.mark.parametrize(("expected", "warned"), [(9.9, True), (10, False), (10.5, False)])
def test_ten_expected_false_matches_are_enough(expected: float, warned: bool) -> None:
    """Fewer are warned of (FORMULAS 8.4)."""
    assert (resolution.warning(expected / 10_000, 10_000, 40) is not None) is warned


@pytest.mark.parametrize(
    ("non_mated", "named"),
    [
        (0, "none"),
        (1, "5"),
        (3, "1.67"),
        (300, "0.0167"),
        (500, "0.01"),
        (4_999, "0.00101"),
        (5_000, "0.001"),
    ],
)
def test_the_smallest_target_has_three_digits(non_mated: int, named: str) -> None:
    """Rounded up, and not where the digits hold it (FORMULAS 8.4)."""
    assert resolution.smallest_target(non_mated) == named


@pytest.mark.parametrize(("subjects", "said"), [(9, True), (10, False)])
def test_false_matches_of_ten_subjects_are_enough(subjects: int, said: bool) -> None:
    """Fewer are warned of; five expected false matches resolve a target, a little fewer do not."""
    assert (resolution.warning(1e-3, 60_000, subjects) is not None) is said
    assert resolution.unresolved(0.05, 100) is None
    assert resolution.unresolved(0.0499, 100) is not None
    assert resolution.beyond_budget([0.01], 1, 10, 1000) is None  # what is stored is enough for it
