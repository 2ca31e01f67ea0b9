"""d_l2 in both spaces against exact fractions, and its bootstraps against literal resampling."""

from fractions import Fraction

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats import interclass
from frtaudit.stats.interclass import Space

RANGE = (0.0, 100.0)
scores = st.integers(0, 40).map(lambda value: value * 2.5)
classes = st.lists(st.lists(scores, min_size=1, max_size=9).map(np.array), min_size=2, max_size=4)


def _fractions(of: list[np.ndarray]) -> list[list[Fraction]]:
    return [[Fraction(float(score)) for score in one] for one in of]


@given(classes)
def test_quantile_distance_is_the_exact_integral(of: list[np.ndarray]) -> None:
    """Unequal sizes and ties: every class equals the sum over all breakpoints in fractions."""
    assert interclass.d_l2(of, RANGE) == pytest.approx(slow.quantile_distance(_fractions(of)), abs=1e-9)


@given(classes)
def test_tar_distance_is_the_exact_integral(of: list[np.ndarray]) -> None:
    """The same over the score range, TAR in 0..1."""
    found = interclass.d_l2(of, RANGE, Space.TAR)
    assert found == pytest.approx(slow.tar_distance(_fractions(of)), abs=1e-9)


@given(classes, st.sampled_from(Space))
def test_order_of_classes_and_scores_moves_nothing(of: list[np.ndarray], space: Space) -> None:
    """Permuting classes permutes the distances; the order of scores within a class does not matter."""
    turned = [one[::-1] for one in of[::-1]]
    found = interclass.d_l2(turned, RANGE, space)
    assert found[::-1] == pytest.approx(interclass.d_l2(of, RANGE, space), abs=1e-9)


@given(classes, st.floats(0.1, 3), st.floats(-5, 5))
def test_an_affine_change_of_score_and_range_moves_nothing(
    of: list[np.ndarray], scale: float, shift: float
) -> None:
    """Scores are mapped to 0..100 by the declared range, whatever the provider's units."""
    moved = [one * scale + shift for one in of]
    for space in Space:
        found = interclass.d_l2(moved, (shift, 100 * scale + shift), space)
        assert found == pytest.approx(interclass.d_l2(of, RANGE, space), abs=1e-4)


@given(st.lists(st.lists(scores, min_size=1, max_size=9).map(np.array), min_size=2, max_size=2))
def test_two_classes_differ_by_twice_their_distance_from_the_mean(of: list[np.ndarray]) -> None:
    """Class minus class is twice class minus mean when there are two (FORMULAS 3 ii)."""
    for space in Space:
        pairs, single = interclass.d_l2_pairs(of, RANGE, space), interclass.d_l2(of, RANGE, space)
        assert pairs[0, 1] == pytest.approx(2 * single[0])
        assert pairs[0, 1] == pairs[1, 0]
        assert pairs[0, 0] == 0


def test_a_shift_of_one_class_is_its_distance() -> None:
    """In quantile space one class of two shifted by 10 points lies 5 from the mean, at any size."""
    drawn = np.random.default_rng(3).normal(50, 10, 100_000)
    found = interclass.d_l2([drawn, drawn + 10], RANGE)
    assert found == pytest.approx([5, 5])


def test_curves_count_scores_above_the_threshold() -> None:
    """TAR is the share of scores > t; the score at a TAR is the quantile below which 1 - TAR lie."""
    one = np.array([0.1, 0.2, 0.2, 0.4])
    assert interclass.tar_curves([one], [0.0, 0.1, 0.2, 0.4])[0].tolist() == [1.0, 0.75, 0.25, 0.0]
    at = interclass.threshold_curves([one], [1.0, 0.75, 0.5, 0.25, 0.0], (0, 1))[0]
    assert at.tolist() == [10.0, 10.0, 20.0, 20.0, 40.0]


def test_scores_outside_the_range_are_not_integrated_over() -> None:
    """A cosine of 1 + 1e-16 does not widen the range of the integral."""
    inside = interclass.d_l2([np.array([0.0, 100.0]), np.array([50.0])], RANGE, Space.TAR)
    beyond = interclass.d_l2([np.array([0.0, 100.5]), np.array([50.0])], RANGE, Space.TAR)
    assert inside == pytest.approx(beyond)


def _literal(of: list[np.ndarray], n: int, rng: np.random.Generator) -> list[list[np.ndarray]]:
    return [
        [np.bincount(rng.integers(one.size, size=one.size), minlength=one.size) for one in of]
        for _ in range(n)
    ]


def test_drawn_order_statistics_agree_with_literal_resampling() -> None:
    """Bounds from drawn order statistics and from resampled scores differ by Monte Carlo noise only (5 %, seed 7)."""
    rng = np.random.default_rng(7)
    of = [rng.normal(50, 10, 40), rng.normal(55, 12, 25), rng.normal(52, 9, 31)]
    n = 3000
    fast = interclass.thesis_bootstrap(of, RANGE, alpha=0.1, n=n, rng=rng)
    given_counts = interclass.thesis_bootstrap_of_counts(of, RANGE, _literal(of, n, rng), 0.1)
    assert fast.upper == pytest.approx(given_counts.upper, rel=0.05)
    assert fast.lower == pytest.approx(given_counts.lower, rel=0.05, abs=0.05)
    assert fast.point == pytest.approx(given_counts.point)
    assert fast.integrated == given_counts.integrated


def test_a_drawn_quantile_has_its_binomial_law() -> None:
    """P(Q*(u) <= x_(i)) = P(Binomial(n, i/n) >= ceil(n u)): binomtest, false alarms 3e-5 in all (seed 5)."""
    n, size, u = 12, 20_000, np.array([0.25, 0.5, 1.0])
    ordered = np.arange(1.0, n + 1)
    drawn = interclass._drawn(ordered, u, size, np.random.default_rng(5))
    for column, rank in enumerate((3, 6, 12)):
        for i in range(1, n):
            p = float(stats.binom.sf(rank - 1, n, i / n))
            seen = int(np.count_nonzero(drawn[:, column] <= i))
            assert stats.binomtest(seen, size, min(p, 1.0)).pvalue > 1e-6


def test_the_band_uses_t_with_b_degrees_and_spread_around_the_estimate() -> None:
    """One replicate equal to the sample and one shifted: S follows by hand, t has df = B (FORMULAS 3)."""
    of = [np.array([0.0, 100.0]), np.array([50.0, 50.0])]
    counts = [
        [np.array([1, 1]), np.array([1, 1])],
        [np.array([0, 2]), np.array([1, 1])],
    ]
    table = interclass.thesis_bootstrap_of_counts(of, RANGE, counts, 0.1)
    critical = float(stats.t.isf(0.05, 2))
    assert table.critical == pytest.approx(critical)
    # Delta of class 1 is (-25, 25); the second replicate gives (25, 25): S = (50, 0) with divisor B - 1 = 1
    assert table.upper[0] == pytest.approx(np.sqrt(((25 + 50 * critical) ** 2 + 25**2) / 2))
    assert table.lower[0] == pytest.approx(np.sqrt((0 + 25**2) / 2))
    assert (table.total, table.worst) == (table.upper.max(), int(table.upper.argmax()))
    assert (table.max_point, table.max_lower) == (table.point.max(), table.lower.max())


@pytest.mark.parametrize("sizes", [(3000, 1500), (700, 700, 900, 800)])
def test_large_classes_are_integrated_on_a_stated_grid(sizes: tuple[int, ...]) -> None:
    """Above 2000 breakpoints u has 500 midpoints, said in the table; the point estimate stays exact."""
    rng = np.random.default_rng(11)
    of = [rng.normal(50 + shift, 10, size) for shift, size in enumerate(sizes)]
    table = interclass.thesis_bootstrap(of, RANGE, alpha=0.1, n=100, rng=rng)
    assert table.integrated == interclass.LEVELS
    assert table.point.tolist() == interclass.d_l2(of, RANGE).tolist()
    assert (table.lower <= table.point).all()
    assert (table.point <= table.upper).all()


def _clustered(shift: float, subjects: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    who = np.repeat(np.arange(subjects), 6)
    return rng.normal(50 + shift, 5, subjects)[who] + rng.normal(0, 3, who.size), who


def test_population_test_tells_a_shift_from_noise() -> None:
    """Classes alike: p is large and the interval reaches 0; one shifted by two spreads: p is smallest (seed 13)."""
    rng = np.random.default_rng(13)
    for shift, alike in ((0.0, True), (10.0, False)):
        drawn = [_clustered(0.0, 60, rng), _clustered(shift, 60, rng)]
        table = interclass.population_bootstrap(
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
    clustered = interclass._Clustered.of(values, who)
    u = (np.arange(50) + 0.5) / 50
    drawn = np.random.default_rng(seed).integers(clustered.n_subjects, size=clustered.n_subjects)
    names = np.unique(who)
    literal = np.sort(np.concatenate([values[who == names[one]] for one in drawn]))
    expected = literal[np.ceil(u * literal.size).astype(int) - 1]
    assert clustered.resample(u, np.random.default_rng(seed)).tolist() == expected.tolist()


def test_population_bounds_have_a_monte_carlo_error() -> None:
    """It is about the spread of the bounds over repetitions of the bootstrap on the same scores."""
    rng = np.random.default_rng(5)
    drawn = [_clustered(0.0, 30, rng), _clustered(6.0, 30, rng)]
    tables = [
        interclass.population_bootstrap(
            [one for one, _ in drawn], [who for _, who in drawn], RANGE, alpha=0.1, n=99, rng=rng
        )
        for _ in range(40)
    ]
    seen = max(np.std([table.low[0] for table in tables]), np.std([table.high[0] for table in tables]))
    said = np.mean([table.mc_error[0] for table in tables])
    assert 0.5 < seen / said < 2


def test_the_null_of_the_population_test_and_what_it_would_find() -> None:
    """Classes alike: a p above alpha most of the time; one class moved by the detectable distance is found in 80 %."""
    rng = np.random.default_rng(5)
    subjects = [np.arange(200) // 5] * 2

    def scores(shift: float) -> list[np.ndarray]:
        own = rng.normal(0, 5, (2, 40)).repeat(5, axis=1)
        return list(50 + own + rng.normal(0, 5, (2, 200)) + np.array([[shift], [0.0]]))

    def table(shift: float) -> interclass.PopulationTable:
        return interclass.population_bootstrap(
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
    made = interclass.population_bootstrap(
        [rng.random(60), rng.random(60) + 2], [np.arange(60) // 3] * 2, (0, 10), alpha=0.1, n=99, rng=rng
    )
    low, high, _ = interclass.population_bounds(made.square, made.noise, made.on_grid, 0.1, made.degrees)
    assert low.tolist() == made.low.tolist()
    assert high.tolist() == made.high.tolist()
    wider = interclass.population_bounds(made.square, made.noise, made.on_grid, 0.01, made.degrees)
    assert np.all(wider[0] <= low)
    assert np.all(wider[1] >= high)
