"""Wilson's interval of independent comparisons, and the published one at its boundaries."""

import math

import oracles_wilson as slow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.intervals import closed_form

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, st.floats(0.01, 0.3))
def test_iid_interval_holds_the_roots_of_the_score_equation(count: tuple[int, int], alpha: float) -> None:
    """The interval of independent comparisons is Wilson's, 0 at no error and 1 at nothing but errors."""
    x, n = count
    found = closed_form.wilson_iid(x, n, alpha)
    low, high = slow.score_interval(x / n, n, float(stats.norm.isf(alpha / 2)))
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    assert (x > 0) == (found.low > 0)
    assert (x < n) == (found.high < 1)


@given(counts, st.floats(1e-9, 0.2), st.booleans())
@example((1, 2), 0.01, False)
def test_plugin_interval_obeys_its_boundary_rules(count: tuple[int, int], variance: float, cap: bool) -> None:
    """One error: lower limit -ln(1-alpha)/n; all but one: its mirror; none or all: n_eff = n; capped at n."""
    x, n = count
    found = closed_form.wilson_plugin(x, n, variance, 0.05, cap=cap)
    assert not cap or found.n_eff <= n
    if x in {0, n}:
        assert found.n_eff == n
    elif x == 1:
        assert found.low == pytest.approx(-math.log(0.95) / n)
    if x == n - 1 > 0:
        assert found.high == pytest.approx(1 + math.log(0.95) / n)


def test_plugin_interval_without_variance_is_iid() -> None:
    """All subjects equal gives variance 0: n_eff = n (FORMULAS 2)."""
    assert closed_form.wilson_plugin(10, 40, 0.0, 0.05, cap=False).n_eff == 40


def test_plugin_interval_of_a_weighted_rate_stands_around_it() -> None:
    """Identity weighting: the rate is given, the counts only cap n_eff."""
    found = closed_form.wilson_plugin(10, 40, 0.01, 0.05, rate=0.5)
    assert found.n_eff == pytest.approx(25)
    assert found.low < 0.5 < found.high
