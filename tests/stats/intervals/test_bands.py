"""Simultaneous bands against their slow twin, their properties, and how often they hold."""

import numpy as np
import oracles_bands as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import special, stats

from frtaudit.core.curves import step_envelope
from frtaudit.stats.intervals import bands, bootstrap_intervals

RATES = st.integers(0, 20).map(lambda count: count / 20) | st.just(float("nan"))


@st.composite
def drawn(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Replicates with ties, constant columns and perhaps undefined values; estimate, V-statistic, usable points."""
    size = draw(st.integers(1, 5))
    replicates = draw(arrays.arrays(np.float64, (draw(st.integers(2, 60)), size), elements=RATES))
    if draw(st.booleans()):
        replicates = np.nan_to_num(replicates, nan=0.5)
    row = arrays.arrays(np.float64, size, elements=st.floats(0.125, 0.875, width=16))
    return replicates, draw(row), draw(row), draw(arrays.arrays(np.bool_, size))


@given(drawn(), st.sampled_from((0.01, 0.05, 0.2, 0.5)))
def test_the_band_is_its_slow_twin(made: tuple[np.ndarray, ...], alpha: float) -> None:
    """Centre, half-width, the set of points and undefined replicates follow FORMULAS 8.10 on any replicates."""
    replicates, stat, vstat, usable = made
    band = bands.simultaneous(replicates, stat, vstat, usable, alpha)
    plain = slow.simultaneous(replicates.tolist(), stat.tolist(), vstat.tolist(), usable.tolist(), alpha)
    assert band.inside.tolist() == [item is not None for item in plain]
    for low, high, item in zip(band.low, band.high, plain, strict=True):
        assert (low, high) == pytest.approx(item or (np.nan, np.nan), rel=1e-9, abs=1e-12, nan_ok=True)


@given(drawn(), st.floats(0.001, 0.4), st.floats(0.001, 0.4))
def test_the_band_is_wider_than_pointwise_and_monotone(
    made: tuple[np.ndarray, ...], first: float, second: float
) -> None:
    """It contains its centre and the symmetric pointwise band of the same replicates, and narrows as alpha rises."""
    replicates, stat, vstat, usable = made
    narrow, wide = (
        bands.simultaneous(replicates, stat, vstat, usable, alpha)
        for alpha in (max(first, second), min(first, second))
    )
    at = narrow.inside
    assert np.all(wide.low[at] <= narrow.low[at])
    assert np.all(narrow.high[at] <= wide.high[at])
    assert np.all((narrow.low[at] <= narrow.centre[at]) & (narrow.centre[at] <= narrow.high[at]))
    if at.any():
        alone = replicates[~np.isnan(replicates[:, at]).any(axis=1)][:, at] - vstat[at]
        spread = np.abs(alone - alone.mean(axis=0))
        half = np.quantile(spread, 1 - max(first, second), axis=0)
        assert np.all(half <= narrow.high[at] - narrow.centre[at] + 1e-12)


@given(drawn())
def test_the_logit_band_stays_in_the_open_unit_interval(made: tuple[np.ndarray, ...]) -> None:
    """Carried back from the logit scale it lies in 0..1, is the band made there, and leaves out rates of 0 and 1."""
    replicates, stat, _, usable = made
    band = bands.on_logit(replicates, stat, usable, 0.1)
    edge = np.isin(replicates, (0.0, 1.0)).any(axis=0)
    assert not np.any(band.inside & edge)
    assert np.all((band.low[band.inside] >= 0) & (band.high[band.inside] <= 1))
    plain = slow.simultaneous(
        special.logit(replicates).tolist(),
        special.logit(stat).tolist(),
        special.logit(stat).tolist(),
        usable.tolist(),
        0.1,
    )
    for low, high, item in zip(band.low, band.high, plain, strict=True):
        expected = (np.nan, np.nan) if item is None else tuple(special.expit(item))
        assert (low, high) == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)


def test_the_band_at_one_point_is_symmetric_and_pointwise() -> None:
    """On one point c is the quantile of abs(gap - mean)/sd; normal gaps give nearly the Gaussian interval."""
    replicates = np.random.default_rng(5).normal(0.2, 0.01, size=(4000, 1))
    band = bands.simultaneous(replicates, np.array([0.25]), np.array([0.2]), np.array([True]), 0.05)
    gaussian = bootstrap_intervals.gaussian(replicates[:, 0], 0.25, 0.2, 0.05)
    assert (band.low[0], band.high[0]) == pytest.approx(gaussian, abs=0.0006)
    assert band.n_resamples == 4000


def test_undefined_replicates_are_counted() -> None:
    """Two in a hundred undefined replicates are left out; three leave the point out, and every point no band."""
    replicates = np.tile(np.linspace(0.1, 0.3, 100)[:, None], (1, 2))
    point = np.array([0.2, 0.2])
    for missing, inside, used in ((2, [True, True], 98), (3, [False, True], 100)):
        replicates[:missing, 0] = np.nan
        band = bands.simultaneous(replicates, point, point, np.array([True, True]), 0.05)
        assert (band.inside.tolist(), band.n_resamples) == (inside, used)
    nothing = bands.simultaneous(replicates[:, :1], point[:1], point[:1], np.array([True]), 0.05)
    assert (nothing.n_resamples, np.isnan(nothing.critical), np.isnan(nothing.low[0])) == (0, True, True)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=1, max_size=5),
    st.floats(0.5, 6.5),
)
def test_between_points_low_is_from_the_right_and_high_from_the_left(
    rows: list[tuple[float, float, bool]], at: float
) -> None:
    """The drawn vertices of the envelope are the slow twin's band on either side of every point and between them."""
    x = list(range(1, len(rows) + 1))
    low, high = ([row[end] if row[2] else float("nan") for row in rows] for end in (0, 1))
    vertices = [part.tolist() for part in step_envelope(x, low, high)]
    assert all(len(part) == 2 * sum(row[2] for row in rows) for part in vertices)
    found = slow.band_at(at, x, low, high)
    if found is None or at in x:
        return
    left = max(k for k, place in enumerate(vertices[0]) if place <= at)
    assert (vertices[1][left], vertices[2][left]) == found
    assert (vertices[1][left + 1], vertices[2][left + 1]) == found


def test_the_band_holds_at_all_points_at_once() -> None:
    """95 % bands hold at all five dependent points in 95 % of 400 samples; false-alarm rate 1e-3 a side (binomtest).

    Means of 400 dependent normal vectors, bootstrapped by resampling rows; the pointwise band must fail the same test.
    """
    rng = np.random.default_rng(20)
    truth = np.linspace(0.5, 0.1, 5)
    held = pointwise = 0
    runs, n, resamples = 400, 60, 300
    for _run in range(runs):
        data = truth + rng.normal(size=(n, 1)) * 0.05 + rng.normal(size=(n, 5)) * 0.1
        stat = data.mean(axis=0)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n
        band = bands.simultaneous(weights @ data, stat, stat, np.ones(5, dtype=bool), 0.05)
        held += bool(np.all((band.low <= truth) & (truth <= band.high)))
        ends = np.array([bootstrap_intervals.percentile(column, 0.05) for column in (weights @ data).T])
        pointwise += bool(np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    assert stats.binomtest(held, runs, 0.93, alternative="less").pvalue > 1e-3
    assert stats.binomtest(held, runs, 0.98, alternative="greater").pvalue > 1e-3
    assert stats.binomtest(pointwise, runs, 0.93, alternative="less").pvalue < 1e-3
