"""Compiled kernels: one decorator, so that every kernel releases the interpreter lock and is cached on disk."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of arrays with Numba (``nogil``, cached); with ``NUMBA_DISABLE_JIT=1`` it stays Python.

    Bounds are not checked: callers validate.

    >>> @kernel
    ... def twice(x: float) -> float:
    ...     return 2 * x
    >>> twice(1.5)
    3.0
    """
    on_disk = not function.__code__.co_filename.startswith("<")  # typed at a prompt: no file to cache beside
    return cast("Callable[P, R]", njit(nogil=True, cache=on_disk)(function))
