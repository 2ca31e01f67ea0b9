"""What stands before every attempt of a paid call: rate, budget, count of a service; and the pace for other hosts."""

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from frtaudit.collection.clients.protocol import Limits
from frtaudit.core.machine import signals
from frtaudit.errors import FrtauditError

BURST = 0.1  # seconds whose calls may come at once: a second holds a tenth more than the rate, and one call


class BudgetError(FrtauditError):
    """The next attempt would pass the budget; it was not made."""


class EndedError(FrtauditError):
    """A signal ended the collection; the next attempt was not made."""


def pause(seconds: float) -> None:
    """Wait before an attempt. Raises :class:`EndedError` as soon as a signal was noted."""
    end = time.monotonic() + seconds
    while not signals.noted() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, signals.SLICE))
    if signals.noted():
        raise EndedError("collect", "a signal ended it", "the same command, to resume")


@dataclass(slots=True, kw_only=True)
class Budget:
    """What all services of a collection may spend together: exact, for prices are decimal numbers.

    ``limit``: None for no limit; ``spent``: of earlier runs at first; ``reserved``: for canaries, if each
    call needs one attempt.
    """

    limit: Fraction | None
    spent: Fraction = Fraction(0)
    reserved: Fraction = Fraction(0)
    _first: Fraction = Fraction(0)  # of this run: for first attempts of calls, and for others
    _again: Fraction = Fraction(0)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def attempts(self) -> Fraction:
        """What calls have cost, in prices of one attempt each.

        >>> budget = Budget(limit=None)
        >>> budget.take(Fraction(2)), budget.take(Fraction(1), again=True), budget.attempts
        (None, None, Fraction(3, 2))
        """
        return 1 + self._again / self._first if self._first else Fraction(1)

    def take(self, price: Fraction, *, canary: bool = False, again: bool = False) -> None:
        """Pay an attempt; ``again``: not the first one of its call.

        Raises :class:`BudgetError` and takes nothing where the limit, or what is reserved, would be passed.
        """
        with self._lock:
            reserved = max(self.reserved - price, Fraction(0)) if canary else self.reserved
            if self.limit is not None and self.spent + price + reserved * self.attempts > self.limit:
                text = f"spent {exactly(self.spent)} of {exactly(self.limit)}; the next call costs {exactly(price)}"
                raise BudgetError("budget.limit", text, "a higher limit, to resume")
            self.spent, self.reserved = self.spent + price, reserved
            self._first, self._again = self._first + price * (not again), self._again + price * again

    def give_back(self, price: Fraction) -> None:
        """What was taken for an attempt that was not made."""
        with self._lock:
            self.spent -= price


@dataclass(slots=True, kw_only=True)
class RateLimiter:
    """The gate of one service: a token bucket of a tenth of a second's calls, the budget, how many attempts passed.

    >>> gate = RateLimiter(limits=Limits(compare=0.001), budget=Budget(limit=Fraction("0.002")))
    >>> gate.attempt("compare"), gate.attempt("compare"), gate.passed["compare"]
    (None, None, 2)
    """

    limits: Limits
    budget: Budget
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = pause
    passed: dict[str, int] = field(default_factory=dict)
    _next: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def attempt(self, kind: str) -> None:
        """Wait for one's turn, then pay a further attempt of a call.

        Raises :class:`BudgetError`, or :class:`EndedError`.
        """
        self._wait()
        self.budget.take(self.price(kind), again=True)
        self._count(kind)

    def paid_attempt(self, kind: str) -> None:
        """Wait for one's turn; the budget was charged already. Raises :class:`EndedError`."""
        self._wait()
        self._count(kind)

    def _wait(self) -> None:
        """Wait for one's turn: calls are spaced by 1 / rate, after as many at once as a burst holds."""
        rate, wait = self.limits.rate, 0.0
        if rate is not None:
            with self._lock:
                now = self.clock()
                self._next = max(self._next, now - max(BURST, 1.0 / rate)) + 1.0 / rate
                wait = max(0.0, self._next - now)
        self.sleep(wait)

    def _count(self, kind: str) -> None:
        with self._lock:
            self.passed[kind] = self.passed.get(kind, 0) + 1

    def price(self, kind: str) -> Fraction:
        """Of one attempt."""
        return prices(self.limits)[kind]


def money(amount: Fraction) -> str:
    """With two decimals, upwards: what was spent is never less than it says.

    >>> money(Fraction("2.855")), money(Fraction(3))
    ('2.86', '3.00')
    """
    whole, cents = divmod(math.ceil(amount * 100), 100)
    return f"{whole}.{cents:02}"


def exactly(amount: Fraction) -> str:
    """With all its decimals, as a limit is compared with it.

    >>> exactly(Fraction("1234.5678")), exactly(Fraction(2))
    ('1234.5678', '2')
    """
    return f"{float(amount):.15g}"


def prices(limits: Limits) -> Mapping[str, Fraction]:
    """Exact prices of an attempt, by kind of call.

    >>> prices(Limits(detect=0.1))["detect"]
    Fraction(1, 10)
    """
    return {"detect": Fraction(str(limits.detect)), "compare": Fraction(str(limits.compare))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Calls of this process to one host are spaced, whatever thread makes them.

    ``rate``: calls a second to one host, None for as fast as it goes.

    >>> waits = []
    >>> pace = Pace(rate=2, clock=lambda: 0.0, sleep=waits.append)
    >>> [pace.turn("a"), pace.turn("b"), pace.turn("a"), pace.turn("a")] and waits
    [0.5, 1.0]
    """

    rate: float | None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = signals.sleep
    _next: dict[str, float] = field(default_factory=dict, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def turn(self, host: str) -> None:
        """Wait for one's turn."""
        if self.rate is None:
            return
        with self._lock:
            now = self.clock()
            start = max(self._next.get(host, now), now)
            self._next[host] = start + 1.0 / self.rate
        if start > now:
            self.sleep(start - now)
