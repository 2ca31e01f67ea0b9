"""Gammas of whole shape: their law strip by strip, in the tails and between the strips' lowest density and theirs."""

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from frtaudit.core.arrays import Longs
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap import gammas
from frtaudit.stats.bootstrap.weights import stream_of, word_of

Floats = npt.NDArray[np.float64]
FALSE_ALARM = 1e-6  # of each test here; seeds are fixed


@kernel
def _sums(out: Floats, start: Longs, tables: gammas.GammaTables, seed: np.uint64) -> None:
    """Running sums of a row of gammas, ``out`` (rows, G)."""
    place = np.arange(out.shape[1])
    for row in range(out.shape[0]):
        gammas.fill_sums(out[row], place, start, tables, stream_of(seed, np.uint64(9), row, 0))


def _drawn(shapes: list[int], rows: int, seed: int) -> Floats:
    tables = gammas.strips_of(shapes)
    start = np.arange(len(shapes), dtype=np.uint64) * np.uint64(gammas.STRIPS)
    out = np.empty((rows, len(shapes)))
    with np.errstate(over="ignore"):
        _sums(out, start, tables, word_of(seed))
    return out


def test_sums_run_from_zero() -> None:
    """The first sum is a gamma by itself: of 100 of shape 1 the least is below 0.2 (but for one seed in 5e8)."""
    assert 0 < _drawn([1], 100, seed=1)[:, 0].min() < 0.2


@pytest.mark.compiled
@pytest.mark.parametrize("shape", [1, 2, 3, 8, 200, 20_000])
def test_a_gamma_has_its_law(shape: int) -> None:
    """The distribution function at the draws is uniform over 2,048 cells, four to a strip (400,000 draws)."""
    share = special.gammainc(shape, _drawn([shape], 400_000, seed=shape)[:, 0])
    seen = np.bincount((share * 4 * gammas.STRIPS).astype(np.int64), minlength=4 * gammas.STRIPS)
    assert seen.size == 4 * gammas.STRIPS
    assert stats.chisquare(seen).pvalue > FALSE_ALARM


@kernel
def _rests(out: Floats, strip: np.uint64, tables: gammas.GammaTables, seed: np.uint64) -> None:
    for row in range(out.size):
        out[row] = gammas._rest(stream_of(seed, np.uint64(9), row, 0), strip, tables)


@pytest.mark.compiled
@pytest.mark.parametrize("shape", [1, 2, 8, 3000])
def test_the_rest_of_a_strip_has_its_law(shape: int) -> None:
    """Tails, strips beside them, the mode's and its neighbours': the law less its uniform part (KS, 100,000 draws)."""
    tables = gammas.strips_of([shape])
    mode = int(special.gammainc(shape, shape - 1) * gammas.STRIPS)
    drawn = np.empty(100_000)
    for strip in sorted({0, 1, max(mode - 1, 0), mode, mode + 1, gammas.STRIPS - 2, gammas.STRIPS - 1}):
        with np.errstate(over="ignore"):
            _rests(drawn, np.uint64(strip), tables, word_of(strip))
        share = special.gammainc(shape, drawn) * gammas.STRIPS - strip
        if tables.slope[strip] == 0:
            share -= tables.low[strip] * (drawn - tables.left[strip]) * gammas.STRIPS
        assert stats.kstest(share / (1 - tables.certain[strip]), "uniform").pvalue > FALSE_ALARM


@pytest.mark.compiled
def test_sums_of_gammas_are_gammas() -> None:
    """Gammas of one row are independent: their sum has the sum of the shapes, their ratio a beta law (seed 3)."""
    drawn = _drawn([1, 4, 3, 0, 7], 50_000, seed=3)
    assert (np.diff(drawn, axis=1)[:, 2] == 0).all()
    for place, shape in enumerate((1, 5, 8, 8, 15)):
        assert stats.kstest(drawn[:, place], stats.gamma(shape).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(drawn[:, 1] / drawn[:, -1], stats.beta(5, 10).cdf).pvalue > FALSE_ALARM
    assert abs(np.corrcoef(drawn[:, 0], drawn[:, 1] - drawn[:, 0])[0, 1]) < 5 / np.sqrt(50_000)


def test_a_gamma_depends_on_its_place_alone() -> None:
    """A longer row starts with the same bits; another seed gives others."""
    short, long = _drawn([2, 5], 10, seed=1), _drawn([2, 5, 9], 10, seed=1)
    np.testing.assert_array_equal(short, long[:, :2])
    assert not np.isin(_drawn([2, 5], 10, seed=2), short).any()


@pytest.mark.parametrize("shape", [1, 2, 8, 1000])
def test_nearly_every_draw_ends_at_once(shape: int) -> None:
    """At least 98.5 % of the words need no second one, whatever the shape; tails always do."""
    certain = gammas.strips_of([shape]).certain
    assert certain.mean() > 0.985
    assert certain.max() <= 1 + 1e-9
    assert certain[-1] == 0
