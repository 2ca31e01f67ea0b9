from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.systems import multiple_comparisons

RNG = np.random.default_rng(5)
VALUES = np.array([0.10, 0.12, 0.30])
DRAWN = VALUES + 0.02 * RNG.standard_normal((399, 3)) + 0.05 * RNG.standard_normal((399, 1))
PAIRS = multiple_comparisons.every_pair(3)


def family(
    values: np.ndarray = VALUES, drawn: np.ndarray = DRAWN, pairs: object = PAIRS
) -> multiple_comparisons.Family:
    """A family that can be judged."""
    found = multiple_comparisons.family_of(values, drawn, pairs)  # type: ignore[arg-type]  # pairs of pairs
    assert found is not None
    return found


def test_p_and_simultaneous_interval_say_the_same() -> None:
    """At any alpha p <= alpha if and only if the interval leaves 0 out."""
    found = family()
    for alpha in (0.01, 0.05, 0.2, 0.5, 0.9):
        low, high = found.bounds(alpha)
        assert ((low > 0) | (high < 0)).tolist() == (found.p() <= alpha).tolist()


@given(shift=st.floats(-0.2, 0.2), margin=st.floats(0.001, 0.3))
def test_equivalence_and_its_interval_say_the_same(shift: float, margin: float) -> None:
    """Both one-sided tests reject at alpha if and only if the interval lies within the margin, one pair or many."""
    moved = VALUES + np.array([shift, 0.0, 0.0])
    for pairs in (((0, 1),), PAIRS):
        found = family(moved, DRAWN - VALUES + moved, pairs)
        low, high = found.narrow(0.05)
        inside = (low > -margin) & (high < margin)
        near = np.minimum(np.abs(low + margin), np.abs(high - margin)) < 1e-6
        assert np.all((found.equivalence_p(margin) <= 0.05) == inside) or near.any()


def test_largest_t_by_going_through_every_replicate() -> None:
    """The adjusted p of each pair by its definition, one replicate after the other."""
    found = family()
    for place, (i, j) in enumerate(PAIRS):
        worst = 0
        for row in DRAWN:
            sizes = []
            for a, b in PAIRS:
                gap = DRAWN[:, a] - DRAWN[:, b]
                sizes.append(abs(row[a] - row[b] - gap.mean()) / gap.std(ddof=1))
            own = DRAWN[:, i] - DRAWN[:, j]
            worst += max(sizes) >= abs(VALUES[i] - VALUES[j]) / own.std(ddof=1) - 1e-9
        assert found.p()[place] == pytest.approx((1 + worst) / 400)


def test_swapping_two_systems_flips_signs_exactly() -> None:
    """The same numbers with the other sign, to the last bit, and the same p."""
    one, other = family(pairs=((0, 2),)), family(pairs=((2, 0),))
    assert one.value[0] == -other.value[0]
    assert one.bounds(0.05)[0][0] == -other.bounds(0.05)[1][0]
    assert one.p()[0] == other.p()[0]


def test_nothing_is_said_without_spread_or_with_undefined_replicates() -> None:
    """Replicates that move together give no certainty; more than 2 % undefined ones refuse, fewer are left out."""
    assert multiple_comparisons.family_of(VALUES, np.repeat(VALUES[None], 99, axis=0), PAIRS) is None
    holes = DRAWN.copy()
    holes[:8, 0] = np.nan
    assert multiple_comparisons.family_of(VALUES, holes, PAIRS) is None
    holes = DRAWN.copy()
    holes[:4, 0] = np.nan
    assert family(drawn=holes).n_resamples == 395
    assert multiple_comparisons.family_of(VALUES, DRAWN, ()) is None


def test_too_few_replicates_decide_nothing() -> None:
    """With B = 9 no p is at or below 0.05, and no interval is made."""
    found = family(drawn=DRAWN[:9])
    with pytest.raises(ValueError, match="9 replicates cannot decide"):
        found.bounds(0.05)
    with pytest.raises(ValueError, match="9 replicates cannot decide"):
        found.narrow(0.05)


def test_a_planned_difference_counts_the_decisions_that_it_adds() -> None:
    """Few decisions that differ make the detectable difference larger, at most as if whole subjects moved."""
    found = replace(family(), value=np.zeros(3))
    alone = found.detectable(0.05)
    assert np.all(found.detectable(0.05, np.full(3, 0.01), 50) > alone)
    assert np.allclose(found.detectable(0.05, np.full(3, 1e-9), 10**9), alone, rtol=1e-3)


def test_decisions_of_a_difference_that_is_seen_are_not_added_again() -> None:
    """Up to a difference that is shown the error alone says how many subjects it takes; one not shown is none."""
    found, apart = family(), np.array([0.05, 0.1, 0.2])
    unseen = replace(found, value=np.zeros(3))
    shown = (found.p() <= 0.05).tolist()
    assert shown == [False, True, True]
    for place, difference in enumerate(np.abs(found.value).tolist()):
        of = [each.subjects_for(0.05, difference, apart, 100)[place] for each in (found, unseen)]
        alone = found.subjects_for(0.05, difference, subjects=100)[place]
        assert of[0] == pytest.approx(alone if shown[place] else of[1])
        assert of[1] > 1.01 * alone
    far = found.detectable(0.05, apart, 100)
    assert far[0] == unseen.detectable(0.05, apart, 100)[0]
    assert far[1:] == pytest.approx(found.detectable(0.05)[1:])


def test_the_detectable_difference_needs_the_subjects_that_there_are() -> None:
    """Subjects and detectable difference are one equation; half the difference takes more than twice the subjects."""
    found = family()
    apart = np.array([0.05, 0.1, 0.2])
    for place, difference in enumerate(found.detectable(0.05, apart, 100)):
        assert found.subjects_for(0.05, difference, apart, 100)[place] == pytest.approx(100)
        assert found.subjects_for(0.05, difference / 2, apart, 100)[place] > 200
    assert found.subjects_for(0.05, float(found.detectable(0.05)[0]), subjects=100)[0] == pytest.approx(100)


def test_rank_sets_hold_what_was_shown() -> None:
    """Nobody shown: all ranks for all; one beaten by both: last; a chain: each its place."""
    assert multiple_comparisons.ranks(3, PAIRS, [0, 0, 0]) == ((1, 3), (1, 3), (1, 3))
    assert multiple_comparisons.ranks(3, PAIRS, [0, -1, -1]) == ((1, 2), (1, 2), (3, 3))
    assert multiple_comparisons.ranks(3, PAIRS, [1, 1, 1]) == ((3, 3), (2, 2), (1, 1))


@given(lift=st.lists(st.floats(0, 0.3), min_size=3, max_size=3), margin=st.floats(0.01, 1))
def test_a_lift_counts_on_its_side(lift: list[float], margin: float) -> None:
    """Intervals grow by the lift of the first below and of the second above; p and equivalence say what they do."""
    plain = family()
    made = multiple_comparisons.family_of(VALUES, DRAWN, PAIRS, np.array(lift))
    assert made is not None
    (low, high), (base_low, base_high) = made.bounds(0.05), plain.bounds(0.05)
    for place, (first, second) in enumerate(PAIRS):
        assert low[place] == pytest.approx(base_low[place] - lift[first])
        assert high[place] == pytest.approx(base_high[place] + lift[second])
    assert ((made.p() <= 0.05) == ((low > 0) | (high < 0))).all()
    assert (made.p() >= plain.p()).all()
    inside = made.narrow(0.05)
    within = (inside[0] > -margin) & (inside[1] < margin)
    assert ((made.equivalence_p(margin) <= 0.05) == within).all()
    assert (made.detectable(0.05) >= plain.detectable(0.05)).all()


def test_noise_alone_lifts_a_norm_by_all_of_it() -> None:
    """A largest that is no larger than its noise may be all noise; one far above it is lifted by little."""
    lift = multiple_comparisons.noise_lift(np.array([1.0, 3.0, 100.0]), np.array([2.0, 3.0, 3.0]))
    assert lift.tolist() == [1.0, 3.0, pytest.approx(0.045, abs=1e-3)]
