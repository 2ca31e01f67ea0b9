"""Tests of frtaudit.core.machine.waiting."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from threading import Event

import pytest

from frtaudit.core.machine import signals
from frtaudit.core.machine.waiting import in_thread, wait


async def doubled(number: int) -> int:
    """Twice a number, a step of the event loop later."""
    await asyncio.sleep(0)
    return 2 * number


def test_a_coroutine_ends_within_a_running_loop_and_without_one() -> None:
    """A notebook has an event loop of its own, a command has none."""

    async def notebook() -> int:
        return wait(doubled(3))

    assert wait(doubled(2)) == 4
    assert asyncio.run(notebook()) == 6


def test_a_first_signal_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work, which nothing interrupts, is left behind."""
    monkeypatch.setattr(signals, "SLICE", 0.01)
    never = Event()

    async def stuck() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        never.wait(20)

    with pytest.raises(signals.Stopped), signals.listening():
        wait(stuck())
    assert not never.is_set()
    never.set()


def test_work_that_is_left_behind_does_not_hold_up_the_end_of_the_process() -> None:
    """The process ends while a thread of it still waits."""
    code = (
        "import time; from frtaudit.core.machine.waiting import in_thread; in_thread(lambda: time.sleep(60))"
    )
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True, timeout=50)
    assert time.monotonic() - start < 50


def test_what_the_work_raises_is_raised_to_who_asks() -> None:
    """Its own error, of any kind: also that of a deadline."""

    async def late() -> None:
        raise TimeoutError("of the work")

    with pytest.raises(TimeoutError, match="of the work"):
        wait(late())
    with pytest.raises(ZeroDivisionError):
        in_thread(lambda: 1 // 0).result()
