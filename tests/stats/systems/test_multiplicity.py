"""Many claims at once (FORMULAS 8.9)."""

import gc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from frtaudit.stats.intervals import bootstrap_intervals
from frtaudit.stats.intervals.closed_form import wilson_score
from frtaudit.stats.systems import multiplicity

PS = st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=20)


@pytest.fixture(autouse=True, scope="module")
def no_collection() -> Iterator[None]:
    """Statsmodels collects garbage at every call, which walks everything that other tests have loaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gc, "collect", lambda: 0)
        yield


@given(PS)
def test_holm_is_statsmodels(p: list[float]) -> None:
    """Adjusted p values equal statsmodels', and the plain step-down written out."""
    found = multiplicity.holm(p)
    if len(p) > 1:  # one p value is its own, to the bit
        assert found == tuple(multipletests(p, method="holm")[1].tolist())
    order, running, plain = np.argsort(p, kind="stable"), 0.0, [0.0] * len(p)
    for rank, place in enumerate(order):
        running = max(running, min(1.0, (len(p) - rank) * p[place]))
        plain[place] = running
    assert found == pytest.approx(plain)


@given(PS)
def test_benjamini_yekutieli_is_statsmodels(p: list[float]) -> None:
    """Adjusted p values of scans equal statsmodels' and are never below Holm's smallest divided by m."""
    assert multiplicity.benjamini_yekutieli(p) == pytest.approx(multipletests(p, method="fdr_by")[1].tolist())


@given(PS, st.randoms(use_true_random=False))
def test_order_does_not_matter(p: list[float], random: object) -> None:
    """Shuffled claims get the same adjusted p values and the same errors."""
    places = list(range(len(p)))
    random.shuffle(places)  # type: ignore[attr-defined]  # hypothesis gives a Random
    turned = [p[place] for place in places]
    for function in (multiplicity.holm, lambda values: multiplicity.step_errors(values, 0.05)):
        assert [function(p)[place] for place in places] == pytest.approx(list(function(turned)))


@given(PS, st.floats(0.001, 0.2))
def test_step_errors_agree_with_holm(p: list[float], alpha: float) -> None:
    """A claim holds at the error of its step if and only if its adjusted p value is at most alpha."""
    for value, adjusted, error in zip(
        p, multiplicity.holm(p), multiplicity.step_errors(p, alpha), strict=True
    ):
        if abs(adjusted - alpha) > 1e-12:
            assert (value <= error) == (adjusted <= alpha)


@given(st.floats(0.001, 0.2), st.floats(0.001, 0.2), st.floats(30, 5000), st.integers(5, 300))
def test_the_p_value_is_dual_to_wilsons_bound(rate: float, limit: float, n_eff: float, subjects: int) -> None:
    """Inverting Wilson's lower bound gives the score test, (p - L)/sqrt(L(1-L)/n_eff) against Student's t."""

    def breaks(error: float) -> bool:
        return wilson_score(rate, n_eff, float(stats.t.isf(error, subjects - 1))).low > limit

    expected = float(stats.t.sf((rate - limit) / np.sqrt(limit * (1 - limit) / n_eff), subjects - 1))
    found = multiplicity.claim_p(breaks)
    if 1e-11 < expected < 0.49:
        assert found == pytest.approx(expected, rel=1e-5)
    assert (found == 1.0) == (expected >= multiplicity.LARGEST) or abs(expected - 0.5) < 1e-6


@given(st.integers(39, 400), st.floats(-3, 3), st.integers(0, 2**31))
def test_a_p_value_of_replicates_counts_them(n: int, limit: float, seed: int) -> None:
    """With a percentile bound p is (1 + #{replicates at or below the limit})/(B+1), never below 1/(B+1)."""
    drawn = np.sort(np.random.default_rng(seed).standard_normal(n))
    found = multiplicity.claim_p(lambda error: bootstrap_intervals.quantile(drawn, error) > limit, n)
    expected = (1 + np.count_nonzero(drawn <= limit)) / (n + 1)
    if expected < 0.4:
        assert found == pytest.approx(expected)
    else:
        assert found > 0.35


@given(st.integers(1, 12), st.integers(0, 2**31))
def test_a_replicate_at_the_limit_counts_as_beyond_it(rank: int, seed: int) -> None:
    """Rates are fractions and meet a limit exactly: then p counts the replicate, as with any other below."""
    drawn = np.sort(np.random.default_rng(seed).standard_normal(99))
    limit = float(drawn[rank])
    found = multiplicity.claim_p(lambda error: bootstrap_intervals.quantile(drawn, error) > limit, 99)
    assert found == pytest.approx((1 + rank + 1) / 100)
    mirrored = multiplicity.claim_p(
        lambda error: bootstrap_intervals.quantile(-drawn[::-1], 1 - error) < -limit, 99
    )
    assert mirrored == pytest.approx((1 + rank + 1) / 100)


@given(st.integers(1, 200), st.sampled_from([0.01, 0.05, 0.1]))
def test_enough_replicates_are_just_enough(claims: int, alpha: float) -> None:
    """The B that is named lets the smallest p value pass the first step, and one less does not."""
    holm, scan = multiplicity.enough_for_holm(alpha, claims), multiplicity.enough_for_scan(alpha, claims)
    smallest = [1.0] * (claims - 1)
    for enough, adjust in ((holm, multiplicity.holm), (scan, multiplicity.benjamini_yekutieli)):
        assert adjust([1 / (enough + 1), *smallest])[0] <= alpha * (1 + 1e-9)
        assert adjust([1 / enough, *smallest])[0] > alpha
