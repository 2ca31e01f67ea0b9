"""How far a long audit is: a line on a terminal, nothing elsewhere."""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from frtaudit.core.machine import signals

T = TypeVar("T")
QUIET_SECONDS = 2.0


class Progress(Protocol):
    """Wraps the items of a long loop."""

    def __call__(self, items: Sequence[T], what: str) -> Iterable[T]:
        """The items, one by one."""


def quiet(items: Sequence[T], what: str) -> Iterator[T]:  # noqa: ARG001  one signature for all
    """Say nothing; a signal that was noted is acted on before each item."""
    for item in items:
        signals.check()
        yield item


def on_terminal(items: Sequence[T], what: str) -> Iterator[T]:
    """As :func:`quiet`; after two seconds a line on standard error says what is done and how long the rest may take."""
    if not sys.stderr.isatty():
        yield from quiet(items, what)
        return
    began = time.monotonic()
    for done, item in enumerate(items):
        spent = time.monotonic() - began
        if done and spent > QUIET_SECONDS:
            left = spent / done * (len(items) - done)
            sys.stderr.write(f"\r{what}: {done} of {len(items)} done, about {left:.0f} s left ")
            sys.stderr.flush()
        signals.check()
        yield item
    if time.monotonic() - began > QUIET_SECONDS:
        sys.stderr.write(f"\r{what}: {len(items)} of {len(items)} done" + " " * 24 + "\n")
