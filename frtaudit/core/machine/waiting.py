"""Coroutines run to their end."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def wait(work: Coroutine[object, None, T]) -> T:
    """Run a coroutine to its end, also where the caller is in an event loop already (a notebook).

    >>> async def two() -> int:
    ...     return 2
    >>> wait(two())
    2
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()
