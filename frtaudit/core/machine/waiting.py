"""Coroutines run to their end."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent import futures
from typing import TypeVar

from frtaudit.core.machine import signals

T = TypeVar("T")


def wait(work: Coroutine[object, None, T]) -> T:
    """Run a coroutine to its end, also where the caller is in an event loop already (a notebook).

    In the main thread a signal ends the wait. Then the work is left behind: it does not hold up the end of the process.

    >>> async def two() -> int:
    ...     return 2
    >>> wait(two())
    2
    """
    answer = in_thread(lambda: asyncio.run(work))
    main = threading.current_thread() is threading.main_thread()
    while not futures.wait([answer], signals.SLICE if main else None).done:
        signals.check()
    return answer.result()


def in_thread(work: Callable[[], T]) -> futures.Future[T]:
    """What ``work`` will give, in a thread that nobody has to wait for.

    >>> in_thread(lambda: 2).result()
    2
    """
    answer: futures.Future[T] = futures.Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001  whoever asks for the answer gets it
            if not answer.cancelled():
                answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return answer
