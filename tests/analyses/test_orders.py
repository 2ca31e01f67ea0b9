from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from oracles_thesis import breakpoints, curve, mean_squares
from scipy import stats
from small_audits import audit, one, pick, put, spec

from frtaudit.analyses.failure_scores import FailureScores, failed_pairs
from frtaudit.analyses.interclass import Interclass
from frtaudit.analyses.orders import Orders
from frtaudit.core import AuditResult, OrderRule, Target
from frtaudit.core.spec import AuditSpec, FailureScore
from frtaudit.datasets.protocols.round_robin import RoundRobin
from frtaudit.datasets.providers.simulated import Simulated


def both(asymmetry: float = 0.1, **changes: object) -> AuditSpec:
    """Two systems in a double round robin with strangers, one of them symmetric by construction."""
    systems = ("two", Simulated(name="lopsided", asymmetry=asymmetry))
    return spec(analyses={"orders": Orders()}, protocol=RoundRobin(strangers=5), providers=systems, **changes)


@cache
def result() -> AuditResult:
    """The audit of :func:`both`."""
    return audit(both()).result


def test_a_symmetric_system_has_no_difference() -> None:
    """Cosine gives both orders the same score; every pair is counted once."""
    found = one(result(), "order_differing", provider="two")
    system = put(both(), "two")
    assert (found.value, found.numerator) == (0, 0)
    assert found.denominator == system.comparisons.n_listed
    assert one(result(), "order_gap_max", provider="two").value == 0


def test_an_asymmetric_system_differs_by_what_was_put_in() -> None:
    """A difference of 2 a |z| has mean 2 a sqrt(2/pi): within four standard errors of the mean of its pairs."""
    found = one(result(), "order_gap_mean", provider="lopsided")
    pairs = one(result(), "order_differing", provider="lopsided").denominator
    assert one(result(), "order_differing", provider="lopsided").value == 1
    mean, sd = 0.2 * np.sqrt(2 / np.pi), 0.2 * np.sqrt(1 - 2 / np.pi)
    assert found.value == pytest.approx(mean, abs=4 * sd / np.sqrt(pairs))


def test_one_order_has_nothing_to_say() -> None:
    """Where all pairs are compared once there is no estimate and no note."""
    outcome = Orders().estimates(put(spec(), "two"), 0.05)
    assert (outcome.estimates, outcome.notes) == ((), ())


def test_the_second_order_is_no_evidence() -> None:
    """With both orders of a symmetric system rates, counts and intervals are those of one order."""
    made = {"interclass": Interclass(B=99)}
    twice = audit(spec(analyses=made, protocol=RoundRobin(), providers=("two",))).result
    once = audit(spec(analyses=made, providers=("two",))).result
    for found in pick(once, "d_l2"):
        again = one(twice, "d_l2", group=found.group, at=dict(found.at))
        assert again.value == pytest.approx(found.value, abs=1e-4)
        for ours, theirs in zip(again.intervals, found.intervals, strict=True):
            assert ours.high == pytest.approx(theirs.high, abs=1e-3)


def by_the_thesis(**changes: object) -> AuditSpec:
    """Both orders counted and failures as zeros, of a system that fails and is not symmetric."""
    return spec(
        analyses={"interclass": Interclass(B=999), "failure_scores": FailureScores()},
        protocol=RoundRobin(orders=OrderRule.EACH),
        failures=FailureScore.SCORE_ZERO,
        providers=("one", Simulated(name="lopsided", asymmetry=0.1)),
        **changes,
    )


@cache
def thesis() -> AuditResult:
    """The audit of :func:`by_the_thesis`."""
    return audit(by_the_thesis()).result


@pytest.mark.parametrize("provider", ["one", "lopsided"])
def test_by_the_thesis_every_order_is_a_score(provider: str) -> None:
    """d_l2 and its upper bounds from plain loops: n (n - 1) scores a person, 0 for failures, S in closed form."""
    system = put(by_the_thesis(), provider)
    cohort, pairs = system.cohort, system.comparisons
    sizes = np.bincount(cohort.subject_of)
    assert int(pairs.mated.sum()) == pairs.n_listed == int(np.sum(sizes * (sizes - 1)))
    low, high = system.tail.score_range
    assert system.table is not None
    score = 100 * (np.nan_to_num(system.table.score, nan=low) - low) / (high - low)
    codes = cohort.classifications["group"].codes[cohort.subject_of[pairs.probe]]
    classes = [score[codes == c] for c in range(2)]
    if provider == "one":
        assert sum(int(np.sum(own == 0)) for own in classes) == 2 * len(failed_pairs(put(spec(), "one"))) > 0
    at = breakpoints([len(own) for own in classes])
    width = np.diff([0.0, *map(float, at)])
    curves = np.stack([curve(own, at) for own in classes])
    delta = curves - curves.mean(axis=0)
    half = stats.t.ppf(0.95, 999) * np.sqrt(mean_squares(classes))
    upper = np.sqrt(((np.abs(delta) + half) ** 2 * width).sum(axis=1)).max()
    found = one(thesis(), "d_l2", provider=provider, group="max", at={"space": "quantile"})
    assert found.value == pytest.approx(np.sqrt((delta**2 * width).sum(axis=1)).max(), rel=1e-5)
    (bound,) = [item for item in found.intervals if item.target is Target.COMPARISONS_IID]
    assert bound.high == pytest.approx(upper, rel=0.03)


def test_failures_both_ways_where_each_order_counts() -> None:
    """Scored zero, d_l2 is that of the audit; left out, it is that of an audit that leaves failures out."""
    apart = audit(replace(by_the_thesis(), failures=FailureScore.APART)).result
    for provider in ("one", "lopsided"):
        zero = one(thesis(), "d_l2", provider=provider, group="max", at={"space": "quantile"}).value
        without = one(apart, "d_l2", provider=provider, group="max", at={"space": "quantile"}).value
        for result in (thesis(), apart):
            for code, expected in (("score_zero", zero), ("apart", without)):
                found = one(result, "d_l2_failures", provider=provider, group="max", at={"failures": code})
                assert found.value == pytest.approx(expected)


def test_the_report_says_that_both_orders_count() -> None:
    """A note of each system, and the asymmetry beside it."""
    said = [note for note in thesis().notes if "both orders of a pair are counted" in note]
    assert len(said) == 2
    assert any("in both orders" in note and note.startswith("lopsided") for note in thesis().notes)
