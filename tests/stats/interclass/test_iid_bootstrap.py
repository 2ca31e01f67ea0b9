"""The thesis's bootstrap of d_l2 has the law of literal resampling, and bounds that follow by hand."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import product

import numpy as np
import oracles_thesis as literal
import pytest
from scipy import stats

from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap.gammas import GammaTables
from frtaudit.stats.bootstrap.weights import CURVE, stream_of, word_of
from frtaudit.stats.interclass import d_l2, iid_bootstrap
from frtaudit.stats.interclass.iid_bootstrap import Curves, thesis_bootstrap

RANGE = (0.0, 100.0)
FALSE_ALARM = 1e-6  # of each test of a law here; seeds are fixed


@kernel
def _moves(moved: np.ndarray, curves: Curves, tables: GammaTables, seed: np.uint64) -> None:
    sums = np.empty(moved.shape[2] + 1)
    for resample in range(moved.shape[0]):
        for one in range(moved.shape[1]):
            iid_bootstrap.move(
                moved[resample, one], sums, curves, tables, one, stream_of(seed, CURVE, one, resample)
            )


def _drawn(of: list[np.ndarray], n: int, seed: int) -> np.ndarray:
    """Q* of ``n`` resamples of each class, (n, C, U)."""
    curves, tables = iid_bootstrap._resampled([np.sort(one) for one in of])
    moved = np.empty((n, *curves.own.shape))
    with np.errstate(over="ignore"):
        _moves(moved, curves, tables, word_of(seed))
    return moved + curves.own


@pytest.mark.compiled
@pytest.mark.parametrize("sizes", [(3, 2), (4, 1)])
def test_small_resamples_have_the_law_of_all_resamples(sizes: tuple[int, int]) -> None:
    """Each class's whole ordered resample: all n^n of them written out, chi-square of 100,000 draws."""
    n = 100_000
    drawn = _drawn([np.arange(size) + 0.0 for size in sizes], n, seed=3)
    u = literal.breakpoints(sizes)
    for one, size in enumerate(sizes):
        values = np.arange(size) + 0.0
        law = Counter(
            tuple(literal.curve(values[list(index)], u)) for index in product(range(size), repeat=size)
        )
        seen = Counter(map(tuple, drawn[:, one]))
        assert set(seen) <= set(law)
        expected = np.array(list(law.values())) * n / size**size
        assert len(law) == 1 or stats.chisquare([seen[key] for key in law], expected).pvalue > FALSE_ALARM


@pytest.mark.compiled
def test_classes_are_resampled_apart() -> None:
    """The curves of two classes of one resample, and of two resamples of one class, are uncorrelated (seed 4)."""
    n = 40_000
    drawn = _drawn([np.arange(30.0), np.arange(30.0)], n, seed=4)[:, :, 14]
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1]) < 5 / np.sqrt(n)
    assert abs(np.corrcoef(drawn[1:, 0], drawn[:-1, 0])[0, 1]) < 5 / np.sqrt(n)


@pytest.mark.compiled
def test_a_drawn_quantile_has_its_binomial_law() -> None:
    """P(Q*(u) <= x_(i)) = P(Binomial(n, i/n) >= ceil(n u)): for 12 scores, and for 2,500 on the grid of u."""
    size = 20_000
    for sizes, places in (((12, 5), range(0, 16, 3)), ((2500, 900), (0, 120, 250, 499))):
        n = sizes[0]
        drawn = _drawn([np.arange(1.0, size + 1) for size in sizes], size, seed=5)[:, 0]
        u = iid_bootstrap.pieces(sizes)[0]
        for place in places:
            rank = d_l2.ranks(n, u[place : place + 1])[0]
            for i in sorted({max(rank - 20, 1), max(rank - 1, 1), rank, min(rank + 15, n - 1)}):
                p = min(float(stats.binom.sf(rank - 1, n, i / n)), 1.0)
                seen = int(np.count_nonzero(drawn[:, place] <= i))
                assert stats.binomtest(seen, size, p).pvalue > FALSE_ALARM


@pytest.mark.compiled
def test_curves_have_the_law_of_literal_resampling() -> None:
    """On the grid of u: single quantiles and the largest move of a curve (two-sample Kolmogorov-Smirnov, seed 8)."""
    rng = np.random.default_rng(8)
    of = [rng.normal(50, 10, 1501), rng.normal(55, 12, 730)]
    u = [Fraction(2 * k + 1, 2 * d_l2.LEVELS) for k in range(d_l2.LEVELS)]
    fast = _drawn(of, 1500, seed=8)
    for one, values in enumerate(of):
        own = literal.curve(values, u)
        slow = np.array([literal.curve(rng.choice(values, values.size), u) for _ in range(400)])
        for place in (0, 60, 250, 499):
            assert stats.ks_2samp(slow[:, place], fast[:, one, place]).pvalue > FALSE_ALARM
        for summary in (np.max, np.mean, np.std):
            found = (summary(np.abs(moved - own), axis=1) for moved in (slow, fast[:, one]))
            assert stats.ks_2samp(*found).pvalue > FALSE_ALARM


@pytest.mark.compiled
def test_bounds_agree_with_those_of_literal_resampling() -> None:
    """Bounds of drawn and of written out resamples differ by Monte Carlo noise only (8 %, seed 7)."""
    rng = np.random.default_rng(7)
    of = [rng.normal(50, 10, 40), rng.normal(55, 12, 25), rng.normal(52, 9, 31)]
    n = 1000
    fast = thesis_bootstrap(of, RANGE, alpha=0.1, n=n, seed=7)
    square = literal.squares(of, [literal.counts_of([40, 25, 31], rng) for _ in range(n)])
    slow = iid_bootstrap.bounds(of, RANGE, square, n=n, alpha=0.1)
    assert fast.upper == pytest.approx(slow.upper, rel=0.08)
    assert fast.lower == pytest.approx(slow.lower, rel=0.08, abs=0.05)
    assert fast.point == pytest.approx(slow.point)


@pytest.mark.compiled
def test_the_spread_is_that_of_the_exact_law() -> None:
    """The mean square of 200,000 resamples is its expectation by binomials, everywhere within 2 % (seed 9)."""
    rng = np.random.default_rng(9)
    of = [rng.normal(50, 10, 40), rng.normal(55, 12, 25), rng.normal(52, 9, 31)]
    curves, tables = iid_bootstrap._resampled([np.sort(one) for one in of])
    square, n = np.zeros_like(curves.own), 200_000
    with np.errstate(over="ignore"):
        iid_bootstrap.add_squares(square, curves, tables, word_of(9), n)
    np.testing.assert_allclose(square / n, literal.mean_squares(of), rtol=0.02)


def test_the_sums_are_those_of_the_curves() -> None:
    """The sum of squares that the bounds stand on, from the drawn curves one by one."""
    rng = np.random.default_rng(2)
    of = [np.sort(rng.normal(50, 10, size)) for size in (40, 7, 1)]
    curves, tables = iid_bootstrap._resampled(of)
    square = np.zeros_like(curves.own)
    with np.errstate(over="ignore"):
        iid_bootstrap.add_squares(square, curves, tables, word_of(2), 50)
    moved = _drawn(of, 50, seed=2) - curves.own
    expected = np.square(moved - moved.mean(axis=1, keepdims=True)).sum(axis=0)
    np.testing.assert_allclose(square, expected, rtol=1e-12)


def test_the_same_seed_gives_the_same_bits() -> None:
    """In any thread, and whatever was drawn before; another seed gives others."""
    rng = np.random.default_rng(1)
    of = [rng.normal(50, 10, 60), rng.normal(55, 12, 40)]

    def lower(seed: int) -> list[float]:
        return list(thesis_bootstrap(of, RANGE, alpha=0.1, n=19, seed=seed).lower.tolist())

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lower, [5, 6, 5, 5]))
    assert found[0] == found[2] == found[3] == lower(5)
    assert found[0] != found[1]


def test_the_band_uses_t_with_b_degrees_and_spread_around_the_estimate() -> None:
    """One replicate equal to the sample and one shifted: S follows by hand, t has df = B (FORMULAS 3)."""
    of = [np.array([0.0, 100.0]), np.array([50.0, 50.0])]
    counts = [
        [np.array([1, 1]), np.array([1, 1])],
        [np.array([0, 2]), np.array([1, 1])],
    ]
    table = iid_bootstrap.bounds(of, RANGE, literal.squares(of, counts), n=2, alpha=0.1)
    critical = float(stats.t.isf(0.05, 2))
    assert table.critical == pytest.approx(critical)
    # Delta of class 1 is (-25, 25); the second replicate gives (25, 25): S = (50, 0) with divisor B - 1 = 1
    assert table.upper[0] == pytest.approx(np.sqrt(((25 + 50 * critical) ** 2 + 25**2) / 2))
    assert table.lower[0] == pytest.approx(np.sqrt((0 + 25**2) / 2))


@pytest.mark.parametrize("sizes", [(3000, 1500), (700, 700, 900, 800), (1990, 30, 1)])
def test_large_classes_are_integrated_on_a_stated_grid(sizes: tuple[int, ...]) -> None:
    """Above 2000 breakpoints u has 500 midpoints; the point estimate stays exact."""
    rng = np.random.default_rng(11)
    of = [rng.normal(50 + shift, 10, size) for shift, size in enumerate(sizes)]
    table = thesis_bootstrap(of, RANGE, alpha=0.1, n=30, seed=11)
    assert iid_bootstrap.pieces(sizes)[0].size == d_l2.LEVELS
    assert table.point.tolist() == d_l2.d_l2(of, RANGE).tolist()
    if min(sizes) > 1:
        assert (table.lower <= table.point).all()
        assert (table.point <= table.upper).all()


def test_classes_without_spread_have_bounds_at_the_estimate() -> None:
    """Resampling one score, or equal ones, moves nothing: no width."""
    table = thesis_bootstrap([np.array([10.0]), np.full(9, 30.0)], RANGE, alpha=0.1, n=9, seed=1)
    for bound in (table.lower, table.point, table.upper):
        assert bound == pytest.approx([10, 10])
