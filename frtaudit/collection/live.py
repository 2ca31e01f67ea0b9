"""How far a collection is: a line on a terminal with cost and time left, nothing elsewhere."""

import os
import sys
import time
from fractions import Fraction

from frtaudit.collection.clients.gate import money
from frtaudit.collection.spec import BudgetSpec
from frtaudit.errors import printable

EVERY = 0.5
WIDTH = 80
_AGAIN = "\r\x1b[K"  # to the left, and nothing on the line


class LiveLine:
    """``done`` of ``total`` calls; the time left is told by this run's calls."""

    def __init__(self, budget: BudgetSpec) -> None:
        self.what, self.done, self.total, self._before = "", 0, 0, 0
        self._budget, self._began, self._last = budget, time.monotonic(), 0.0
        self._shown = False

    def begin(self, what: str, done: int, total: int) -> None:
        """``what`` is done now; ``done`` of earlier runs."""
        self.what, self.done, self._before, self.total = what, done, done, total
        self._began, self._last = time.monotonic(), 0.0

    def show(self, spent: Fraction) -> None:
        """Write the line again, where half a second has passed."""
        now = time.monotonic()
        if now - self._last >= EVERY and sys.stderr.isatty():
            self._last, self._shown = now, True
            try:  # a terminal may not know its width
                columns = os.get_terminal_size(sys.stderr.fileno()).columns or WIDTH
            except (OSError, ValueError):
                columns = WIDTH
            text = self.text(spent, now - self._began)
            self._write(text[: columns - 1])  # a line that is as long as the terminal would begin another

    def text(self, spent: Fraction, seconds: float) -> str:
        """The line.

        >>> live = LiveLine(BudgetSpec(limit=2))
        >>> live.begin("comparing", 0, 300)
        >>> live.done = 100
        >>> live.text(Fraction("0.1"), 60.0)
        'comparing: 100 of 300 calls, 0.10 of 2 USD spent, about 2 min left'
        """
        limit = "" if self._budget.limit is None else f" of {self._budget.limit:g}"
        spent_so_far = f"{money(spent)}{limit} {self._budget.currency} spent"
        text = f"{self.what}: {self.done} of {self.total} calls, {spent_so_far}"
        calls = self.done - self._before
        if calls and self.done < self.total:
            left = seconds / calls * (self.total - self.done)
            text += f", about {left:.0f} s left" if left < 100 else f", about {left / 60:.0f} min left"
        return text

    def clear(self) -> None:
        """Take the line away: something else is to be said, or all is done."""
        if self._shown:
            self._shown = False
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write(_AGAIN + printable(text))
        sys.stderr.flush()
