"""How far a long audit is: a bar on a terminal, nothing elsewhere."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import Protocol, TypeVar

from frtaudit.core.machine import signals

T = TypeVar("T")
QUIET_SECONDS = 2.0
FEW = 12  # items, each of which may be long: the bar is there from the start
BAR = "{desc}: {n_fmt} of {total_fmt} |{bar:20}| {remaining} left"


class Progress(Protocol):
    """Wraps the items of a long loop."""

    def __call__(self, items: Sequence[T], what: str) -> Iterable[T]:
        """The items, one by one."""


def quiet(items: Sequence[T], what: str) -> Iterator[T]:  # noqa: ARG001  one signature for all
    """Say nothing; a signal that was noted is acted on before each item."""
    for entry in items:
        signals.check()
        yield entry


def on_terminal(items: Sequence[T], what: str) -> Iterator[T]:
    """As :func:`quiet`; a bar on standard error says what is done and how long the rest may take.

    It comes after two seconds, that of a loop of few items at once: the first may be long. Loops inside each other have
    a bar each. A bar goes when its loop ends.
    """
    if not sys.stderr.isatty():
        yield from quiet(items, what)
        return
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread of its own
    delay = 0.0 if len(items) <= FEW else QUIET_SECONDS
    bar = tqdm(items, what, leave=False, file=sys.stderr, delay=delay, bar_format=BAR, dynamic_ncols=True)
    with closing(bar):
        yield from quiet(bar, what)
