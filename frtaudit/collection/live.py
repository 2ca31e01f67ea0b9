"""How far a collection is: a line on a terminal with cost and time left, nothing elsewhere."""

import sys
import time
from fractions import Fraction

from frtaudit.collection.spec import Budget

EVERY = 0.5


class LiveLine:
    """``done`` of ``total`` calls; the time left is told by this sitting's calls."""

    def __init__(self, budget: Budget) -> None:
        self.done = self.total = self._before = 0
        self._budget, self._began, self._last = budget, time.monotonic(), 0.0
        self._shown = False

    def begin(self, done: int, total: int) -> None:
        """``done`` of earlier sittings."""
        self.done, self._before, self.total, self._began = done, done, total, time.monotonic()

    def show(self, spent: Fraction) -> None:
        """Write the line again, where half a second has passed."""
        now = time.monotonic()
        if now - self._last < EVERY or not sys.stderr.isatty():
            return
        self._last, self._shown = now, True
        sys.stderr.write("\r" + self.text(spent, now - self._began).ljust(90))
        sys.stderr.flush()

    def text(self, spent: Fraction, seconds: float) -> str:
        """The line.

        >>> live = LiveLine(Budget(limit=2))
        >>> live.begin(0, 300)
        >>> live.done = 100
        >>> live.text(Fraction("0.1"), 60.0)
        'collect: 100 of 300 calls, 0.10 of 2 USD spent, about 2 min left'
        """
        limit = "" if self._budget.limit is None else f" of {self._budget.limit:g}"
        said = f"collect: {self.done} of {self.total} calls, {float(spent):.2f}{limit} {self._budget.currency} spent"
        made = self.done - self._before
        if made:
            left = seconds / made * (self.total - self.done)
            said += f", about {left:.0f} s left" if left < 100 else f", about {left / 60:.0f} min left"
        return said

    def end(self) -> None:
        """Leave the line."""
        if self._shown:
            sys.stderr.write("\n")
