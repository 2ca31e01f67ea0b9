import numpy as np
import pytest

from frtaudit.core import Method, Target
from frtaudit.stats.intervals.closed_form import wilson_score
from frtaudit.testing.study import tally
from frtaudit.testing.study.cohorts import Bounds, Collected
from frtaudit.testing.study.shots import Key

NAN = np.nan


def key(method: Method, quantity: str = "FMR", point: str = "here") -> Key:
    """An interval of some rate somewhere."""
    return Key(quantity=quantity, point=point, weighting="pooled", method=method, target=Target.POPULATION)


def bounds(low: list[float], high: list[float], value: list[float], truth: float) -> Bounds:
    """Bounds of three cohorts."""
    return Bounds(
        low=np.array(low), high=np.array(high), value=np.array(value), truth=np.full(len(low), truth)
    )


def test_misses_are_counted_on_their_side() -> None:
    """A truth below the interval is a lower miss, above it an upper one; what is withheld counts as neither."""
    shots = {key(Method.WILSON_IID): bounds([0.0, 0.6, NAN], [0.4, 0.9, NAN], [0.2, 0.7, 0.5], 0.5)}
    (row,) = tally.rows(Collected(shots=shots, tests={}))
    assert (row["lower_misses"], row["upper_misses"], row["printed"], row["cohorts"]) == (1, 1, 2, 3)
    assert (row["floor"], row["holds"]) == (None, None)


def test_the_rule_stands_in_for_what_is_withheld() -> None:
    """Where vertex is withheld the printed interval is Wilson's; vertex's own numbers stand beside."""
    shots = {
        key(Method.WILSON): bounds([0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5], 0.5),
        key(Method.VERTEX): bounds([0.6, NAN, NAN], [0.9, NAN, NAN], [0.5, 0.5, 0.5], 0.5),
    }
    row = tally.rows(Collected(shots=shots, tests={}))[1]
    assert (row["printed"], row["lower_misses"], row["own"], row["own_covered"]) == (3, 1, 1, 0)


def test_widths_are_measured_against_the_oracle() -> None:
    """Mean width over 2 z sd of the estimate; on the log scale for a ratio; none where the truth is the least value."""
    shots = {key(Method.MAX_T, "gini", "x unlike"): bounds([0.0, 0.0], [1.0, 3.0], [1.0, 3.0], 2.0)}
    (row,) = tally.rows(Collected(shots=shots, tests={}))
    assert row["width_ratio"] == pytest.approx(2 / (2 * 1.96 * np.sqrt(2)), rel=1e-3)
    e = np.e
    logs = {key(Method.MAX_T, "max_min", "x unlike"): bounds([1.0, 1.0], [e, e**3], [e, e**3], e**2)}
    assert tally.rows(Collected(shots=logs, tests={}))[0]["width_ratio"] == row["width_ratio"]
    alike = {key(Method.MAX_T, "max_min", "x alike"): bounds([1.0, 1.0], [2.0, 3.0], [1.5, 2.0], 1.0)}
    folded = tally.rows(Collected(shots=alike, tests={}))[0]
    assert np.isnan(folded["width_ratio"])
    assert folded["narrow"] is None


def test_of_a_rate_the_oracle_prints_wilsons_interval() -> None:
    """At n_eff = p(1-p)/sd^2: an interval of that width has ratio 1, and one of 1.7 times it is not narrow."""
    values = [0.05, 0.09, 0.11, 0.15]
    n_eff = 0.1 * 0.9 / np.var(values, ddof=1)
    made = [wilson_score(value, n_eff, 1.959964) for value in values]
    for factor in (1.0, 1.7):
        high = [one.low + factor * (one.high - one.low) for one in made]
        shots = {key(Method.WILSON): bounds([one.low for one in made], high, values, 0.1)}
        (row,) = tally.rows(Collected(shots=shots, tests={}))
        assert row["width_ratio"] == pytest.approx(factor, rel=1e-3)
        assert row["narrow"] is (factor < 1.6)


def test_a_test_that_rejects_too_often_does_not_hold() -> None:
    """Rejections at 0.05 among 200 true nulls: 8 hold, 40 do not."""
    p_values = {
        ("fair", "x"): np.r_[np.zeros(8), np.ones(192)],
        ("unfair", "x"): np.r_[np.zeros(40), np.ones(160)],
    }
    fair, unfair = tally.null_rows(Collected(shots={}, tests=p_values))
    assert (fair["holds"], fair["size"]) == (True, 0.04)
    assert not unfair["holds"]
