"""The gate before each attempt, and the limits (protocol) that it keeps."""

import threading
import time
from fractions import Fraction

import pytest

from frtaudit.collection.clients.gate import Budget, BudgetError, EndedError, Pace, RateLimiter, signals
from frtaudit.collection.clients.protocol import Limits
from frtaudit.errors import SpecError


def test_the_budget_is_met_exactly_and_never_passed_by_many_threads() -> None:
    """Eight threads spend a budget of 1,000 attempts to the last and not one more."""
    budget = Budget(limit=Fraction(1))
    gate = RateLimiter(limits=Limits(compare=0.001), budget=budget)
    refused = []

    def spend() -> None:
        try:
            while True:
                gate.attempt("compare")
        except BudgetError as error:
            refused.append(error)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (gate.passed["compare"], budget.spent, len(refused)) == (1000, Fraction(1), 8)


def test_calls_are_spaced() -> None:
    """At 5 a second the first passes at once, the others each 0.2 s later; at 100, ten are a tenth of a second's."""
    waits: list[float] = []
    gate = RateLimiter(
        limits=Limits(rate=5.0), budget=Budget(limit=None), clock=lambda: 100.0, sleep=waits.append
    )
    for _ in range(3):
        gate.attempt("detect")
    assert [wait for wait in waits if wait > 1e-9] == pytest.approx([0.2, 0.4])
    waits.clear()
    gate = RateLimiter(
        limits=Limits(rate=100.0), budget=Budget(limit=None), clock=lambda: 100.0, sleep=waits.append
    )
    for _ in range(12):
        gate.attempt("detect")
    assert [wait for wait in waits if wait > 1e-9] == pytest.approx([0.01, 0.02])


@pytest.mark.parametrize("wrong", [{"rate": 0.0}, {"attempts": 0}, {"compare": -1.0}, {"timeout": 0.0}])
def test_limits_that_no_call_can_keep_are_refused(wrong: dict[str, float]) -> None:
    """One line names the limit."""
    with pytest.raises(SpecError, match=r"^\."):
        Limits(**wrong)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("rate", [None, 0.001])
def test_after_a_signal_nothing_passes_and_nothing_is_paid(
    rate: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a first attempt nor a further one, at once although the next turn is in a quarter of an hour."""
    gate = RateLimiter(limits=Limits(compare=1.0, rate=rate), budget=Budget(limit=None))
    gate.attempt("compare")
    monkeypatch.setattr(signals, "noted", lambda: True)
    begun = time.monotonic()
    for attempt in (gate.attempt, gate.paid_attempt):
        with pytest.raises(EndedError, match="a signal ended it"):
            attempt("compare")
    assert (gate.passed["compare"], gate.budget.spent) == (1, 1)
    assert time.monotonic() - begun < 1.0


def test_threads_share_the_pace_of_a_host() -> None:
    """Twenty calls of four threads at 10 a second: the waits are 0.1 s apart, none twice."""
    waits: list[float] = []
    pace = Pace(rate=10, clock=lambda: 0.0, sleep=waits.append)
    threads = [threading.Thread(target=lambda: [pace.turn("a") for _ in range(5)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [round(wait, 6) for wait in sorted(waits)] == [round(0.1 * n, 6) for n in range(1, 20)]


def test_no_rate_is_no_wait() -> None:
    """None: as fast as it goes."""
    waits: list[float] = []
    pace = Pace(rate=None, sleep=waits.append)
    pace.turn("a")
    pace.turn("a")
    assert waits == []
