"""How fast one host is asked: calls of this process to it are spaced, whatever thread makes them."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from frtaudit.core.machine import signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """``rate``: calls a second to one host, None for as fast as it goes.

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
