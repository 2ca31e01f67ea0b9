"""Tests of frtaudit.core.machine.waiting."""

import asyncio

from frtaudit.core.machine.waiting import wait


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
