from functools import cache

import numpy as np
import pytest
from small_audits import audit, one, pick, put, spec

from frtaudit.analyses.orders import Orders
from frtaudit.core import AuditResult
from frtaudit.core.spec import AuditSpec
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
    from frtaudit.analyses.interclass import Interclass

    made = {"interclass": Interclass(B=99)}
    twice = audit(spec(analyses=made, protocol=RoundRobin(), providers=("two",))).result
    once = audit(spec(analyses=made, providers=("two",))).result
    for found in pick(once, "d_l2"):
        again = one(twice, "d_l2", group=found.group, at=dict(found.at))
        assert again.value == pytest.approx(found.value, abs=1e-4)
        for ours, theirs in zip(again.intervals, found.intervals, strict=True):
            assert ours.high == pytest.approx(theirs.high, abs=1e-3)
