"""Signals that end a command: noted when they arrive, acted on between two steps.

An exception raised where the program stands may arise inside a library's callback, which prints it and goes on: 5 of 30
were lost. So a handler only notes the signal, and :func:`check`, called between two steps, raises :class:`Stopped`.
Until the first check the import of a module is such a step, too: libraries take seconds to load.
"""

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN = 1.0  # seconds after which a second signal ends the process: terminals and `timeout` send the first one twice
SLICE = 0.2  # seconds of a wait between two checks


class Stopped(KeyboardInterrupt):
    """A signal ended the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@dataclass(slots=True)
class _Noted:
    """What arrived: one state for the process, as signals are."""

    number: int | None = None
    since: float = 0.0
    listening: bool = False
    loading: bool = False
    at_once: bool = False
    is_answered: bool = False


_noted = _Noted()


class _Modules:
    """Asked first for each module that is imported; finds none."""

    def find_spec(self, *_: object) -> None:
        """Raise as :func:`check` does, once: what is cleared away then may import modules, too."""
        if _noted.loading and noted() and threading.current_thread() is threading.main_thread():
            _noted.loading = False
            raise Stopped(_noted.number or 0)


@contextmanager
def listening(*, to_the_end: bool = False) -> Iterator[None]:
    """Note SIGINT, SIGTERM and SIGHUP until the end of the block; one that is ignored (``nohup``) stays ignored.

    Only the main thread can ask for this; elsewhere, and within such a block, nothing changes. A signal that came after
    the last :func:`check` is raised at the end. ``to_the_end``: of the process; what comes after the block is noted, so
    that it ends nothing, while Python waits for threads and unloads libraries.
    """
    if _noted.listening or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STOPPING}
    heard = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    _noted.number, _noted.is_answered, _noted.listening, _noted.loading = None, False, True, True
    modules = _Modules()
    sys.meta_path.insert(0, modules)
    if to_the_end:
        atexit.register(_ignore, tuple(heard))  # before all that libraries register: it is called last
    for number in heard:
        signal.signal(number, _note)
    try:
        yield
    finally:
        sys.meta_path.remove(modules)
        late = None if _noted.is_answered else _noted.number
        if not to_the_end:
            for number, handler in heard.items():
                signal.signal(number, handler)
            _noted.number = None
        _noted.listening = False
    if late is not None:
        raise Stopped(late)


@contextmanager
def at_once() -> Iterator[None]:
    """Raise where the program stands: for a wait in foreign code that makes no checks, such as a question."""
    before, _noted.at_once = _noted.at_once, True
    try:
        check()
        yield
    finally:
        _noted.at_once = before


def check() -> None:
    """Raise :class:`Stopped` if a signal was noted. Called between two steps."""
    _noted.loading = False
    if _noted.number is not None:
        _noted.is_answered = True
        raise Stopped(_noted.number)


def forget() -> None:
    """Take what was noted, and what comes until the end of the block, as answered: the work is whole."""
    _noted.number, _noted.is_answered = None, True


def noted() -> bool:
    """Whether a signal was noted."""
    return _noted.number is not None


def sleep(seconds: float) -> None:
    """Sleep; in the main thread a signal ends it. Other threads are ended by the main one, which waits for them."""
    end = time.monotonic() + seconds
    main = threading.current_thread() is threading.main_thread()
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, SLICE) if main else left)
        if main:
            check()


def _note(number: int, _: FrameType | None) -> None:
    now = time.monotonic()
    if _noted.number is None:
        _noted.number, _noted.since = number, now
    elif now - _noted.since > AGAIN:  # no waiting for the next step: the next run removes what was begun
        os.write(2, b"frtaudit: ended at once\n")
        os._exit(128 + number)
    if _noted.at_once:
        raise Stopped(number)


def _ignore(numbers: Iterable[int]) -> None:
    """The last step of a process: Python would let them end it again."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)
