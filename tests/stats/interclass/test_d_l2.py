"""d_l2 in both spaces against exact fractions, and its bootstrap of subjects against literal resampling."""

from fractions import Fraction

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.interclass import d_l2
from frtaudit.stats.interclass.class_curves import Classes, redrawn
from frtaudit.stats.interclass.d_l2 import Space

RANGE = (0.0, 100.0)
scores = st.integers(0, 40).map(lambda value: value * 2.5)
classes = st.lists(st.lists(scores, min_size=1, max_size=9).map(np.array), min_size=2, max_size=4)


def _fractions(of: list[np.ndarray]) -> list[list[Fraction]]:
    return [[Fraction(float(score)) for score in one] for one in of]


@given(classes)
def test_quantile_distance_is_the_exact_integral(of: list[np.ndarray]) -> None:
    """Unequal sizes and ties: every class equals the sum over all breakpoints in fractions."""
    assert d_l2.d_l2(of, RANGE) == pytest.approx(slow.quantile_distance(_fractions(of)), abs=1e-9)


@given(classes)
def test_tar_distance_is_the_exact_integral(of: list[np.ndarray]) -> None:
    """The same over the score range, TAR in 0..1."""
    found = d_l2.d_l2(of, RANGE, Space.TAR)
    assert found == pytest.approx(slow.tar_distance(_fractions(of)), abs=1e-9)


@given(classes, st.sampled_from(Space))
def test_order_of_classes_and_scores_moves_nothing(of: list[np.ndarray], space: Space) -> None:
    """Permuting classes permutes the distances; the order of scores within a class does not matter."""
    turned = [one[::-1] for one in of[::-1]]
    found = d_l2.d_l2(turned, RANGE, space)
    assert found[::-1] == pytest.approx(d_l2.d_l2(of, RANGE, space), abs=1e-9)


@given(classes, st.floats(0.1, 3), st.floats(-5, 5))
def test_an_affine_change_of_score_and_range_moves_nothing(
    of: list[np.ndarray], scale: float, shift: float
) -> None:
    """Scores are mapped to 0..100 by the declared range, whatever the provider's units."""
    moved = [one * scale + shift for one in of]
    for space in Space:
        found = d_l2.d_l2(moved, (shift, 100 * scale + shift), space)
        assert found == pytest.approx(d_l2.d_l2(of, RANGE, space), abs=1e-4)


@given(st.lists(st.lists(scores, min_size=1, max_size=9).map(np.array), min_size=2, max_size=2))
def test_two_classes_differ_by_twice_their_distance_from_the_mean(of: list[np.ndarray]) -> None:
    """Class minus class is twice class minus mean when there are two (FORMULAS 3 ii)."""
    for space in Space:
        pairs, single = d_l2.d_l2_pairs(of, RANGE, space), d_l2.d_l2(of, RANGE, space)
        assert pairs[0, 1] == pytest.approx(2 * single[0])
        assert pairs[0, 1] == pairs[1, 0]
        assert pairs[0, 0] == 0


def test_a_shift_of_one_class_is_its_distance() -> None:
    """In quantile space one class of two shifted by 10 points lies 5 from the mean, at any size."""
    drawn = np.random.default_rng(3).normal(50, 10, 100_000)
    found = d_l2.d_l2([drawn, drawn + 10], RANGE)
    assert found == pytest.approx([5, 5])


def test_the_score_at_a_tar_is_a_quantile() -> None:
    """The score at a TAR is the quantile below which 1 - TAR of the scores lie."""
    one = np.array([0.1, 0.2, 0.2, 0.4])
    at = d_l2.threshold_curves([one], [1.0, 0.75, 0.5, 0.25, 0.0], (0, 1))[0]
    assert at.tolist() == [10.0, 10.0, 20.0, 20.0, 40.0]


def test_scores_outside_the_range_are_not_integrated_over() -> None:
    """A cosine of 1 + 1e-16 does not widen the range of the integral."""
    inside = d_l2.d_l2([np.array([0.0, 100.0]), np.array([50.0])], RANGE, Space.TAR)
    beyond = d_l2.d_l2([np.array([0.0, 100.5]), np.array([50.0])], RANGE, Space.TAR)
    assert inside == pytest.approx(beyond)


def _clustered(shift: float, subjects: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    who = np.repeat(np.arange(subjects), 6)
    return rng.normal(50 + shift, 5, subjects)[who] + rng.normal(0, 3, who.size), who


def test_population_test_tells_a_shift_from_noise() -> None:
    """Classes alike: p is large and the interval reaches 0; one shifted by two spreads: p is smallest (seed 13)."""
    rng = np.random.default_rng(13)
    for shift, alike in ((0.0, True), (10.0, False)):
        drawn = [_clustered(0.0, 60, rng), _clustered(shift, 60, rng)]
        table = d_l2.population_bootstrap(
            [one for one, _ in drawn], [who for _, who in drawn], RANGE, alpha=0.05, n=199, rng=rng
        )
        assert (table.p_value > 0.05) == alike
        assert (table.low.max() == 0) == alike
        assert (table.low <= table.high).all()
        assert table.subjects.tolist() == [60, 60]


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_population_resample_is_a_literal_one(seed: int) -> None:
    """Weights on sorted scores give the quantiles of the concatenated scores of the drawn subjects."""
    rng = np.random.default_rng(seed)
    values, who = rng.integers(0, 20, 30).astype(float), rng.integers(0, 8, 30)
    one_class = Classes.of([values], [who])
    u, names = (np.arange(50) + 0.5) / 50, np.unique(who)
    drawn = rng.integers(names.size, size=names.size)
    literal = np.sort(np.concatenate([values[who == names[one]] for one in drawn]))
    expected = literal[np.ceil(u * literal.size).astype(int) - 1]
    weights = d_l2._often(np.stack([drawn, np.arange(names.size)]))
    assert redrawn(one_class.scores[0], one_class.subjects[0], weights, u, 0.0).tolist() == [
        expected.tolist(),
        d_l2.quantiles(np.sort(values), u).tolist(),
    ]


@pytest.mark.compiled
def test_population_bounds_have_a_monte_carlo_error() -> None:
    """It is about the spread of the bounds over repetitions of the bootstrap on the same scores."""
    rng = np.random.default_rng(5)
    drawn = [_clustered(0.0, 30, rng), _clustered(6.0, 30, rng)]
    tables = [
        d_l2.population_bootstrap(
            [one for one, _ in drawn], [who for _, who in drawn], RANGE, alpha=0.1, n=99, rng=rng
        )
        for _ in range(40)
    ]
    seen = max(np.std([table.low[0] for table in tables]), np.std([table.high[0] for table in tables]))
    said = np.mean([table.mc_error[0] for table in tables])
    assert 0.5 < seen / said < 2


@pytest.mark.compiled
def test_the_null_of_the_population_test_and_what_it_would_find() -> None:
    """Classes alike: a p above alpha most of the time; one class moved by the detectable distance is found in 80 %."""
    rng = np.random.default_rng(5)
    subjects = [np.arange(200) // 5] * 2

    def scores(shift: float) -> list[np.ndarray]:
        own = rng.normal(0, 5, (2, 40)).repeat(5, axis=1)
        return list(50 + own + rng.normal(0, 5, (2, 200)) + np.array([[shift], [0.0]]))

    def table(shift: float) -> d_l2.PopulationTable:
        return d_l2.population_bootstrap(
            scores(shift), subjects, (0, 100), alpha=0.05, n=99, rng=np.random.default_rng(1)
        )

    alike = [table(0.0) for _ in range(40)]
    assert all(0 < item.null_median < item.null_edge for item in alike)
    distance = float(np.median([item.detectable for item in alike if item.detectable is not None]))
    assert (
        stats.binomtest(sum(item.p_value <= 0.05 for item in alike), 40, 0.1, alternative="greater").pvalue
        > 1e-3
    )
    found = sum(
        table(2 * distance).p_value <= 0.05 for _ in range(40)
    )  # each of two classes lies half way off
    assert stats.binomtest(found, 40, 0.8).pvalue > 1e-3


def test_population_bounds_at_any_level() -> None:
    """The table's own bounds are those of its replicates, and a smaller alpha widens them."""
    rng = np.random.default_rng(1)
    made = d_l2.population_bootstrap(
        [rng.random(60), rng.random(60) + 2], [np.arange(60) // 3] * 2, (0, 10), alpha=0.1, n=99, rng=rng
    )
    low, high, _ = made.bounds(0.1)
    assert low.tolist() == made.low.tolist()
    assert high.tolist() == made.high.tolist()
    wider = made.bounds(0.01)
    assert np.all(wider[0] <= low)
    assert np.all(wider[1] >= high)


@pytest.mark.parametrize(
    ("alpha", "degrees", "low", "high"),
    [(0.5, 1.0, 12, (35 + 85**0.5) / 2), (2 * stats.norm.sf(2), np.inf, 7, 19 + 88**0.5)],
)
def test_population_bounds_are_those_of_plain_numbers(
    alpha: float, degrees: float, low: float, high: float
) -> None:
    """d^2 21, mean d*^2 25: centre 17; low 17 - 5 t, high solves (v - 17)^2 = t^2 (4 + v); t is 1, then 2."""
    square, noise = np.array([[20.0], [25.0], [30.0]]), np.array([[1.0], [3.0], [5.0]])  # variances 25 and 4
    bounds = d_l2.population_bounds(square, noise, np.array([21.0]), degrees)(alpha)
    assert [side.item() ** 2 for side in bounds[:2]] == pytest.approx([low, high], rel=1e-12)
