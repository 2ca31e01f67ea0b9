"""Compiled kernels: one decorator, so that every kernel releases the interpreter lock and is cached on disk.

Numba is imported, and a function compiled, when it is first called: a command that computes nothing loads neither.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache, update_wrapper
from hashlib import sha256
from pathlib import Path
from threading import RLock
from types import CodeType, FunctionType, ModuleType
from typing import Generic, ParamSpec, TypeVar, cast

from frtaudit.errors import DataError

P = ParamSpec("P")
R = TypeVar("R")

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
SETTINGS = ".numba_config.yaml"  # Numba reads it in the working folder, whenever it compiles
_COMPILING = RLock()
_INNER = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy"}


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
    return compiled(function, nogil=True, cache=on_disk, no_cfunc_wrapper=True)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call: no entry from Python, divisors unchecked; half the time to compile.

    With ``NUMBA_DISABLE_JIT=1`` it stays Python.

    >>> square = inner(lambda x: x * x)
    >>> int(kernel(lambda x: square(x) + 1)(3))
    10
    """
    return compiled(function, **_INNER)


def reordered(function: Callable[P, R]) -> Callable[P, R]:
    """As :func:`inner`; the terms of its sums may be added in any order, so that they are added side by side.

    >>> import numpy as np
    >>> total = reordered(lambda a: a.sum())
    >>> float(kernel(lambda a: total(a))(np.ones(3)))
    3.0
    """
    return compiled(function, **_INNER, fastmath={"reassoc", "contract", "nsz"})


def compiled(function: Callable[P, R], **options: object) -> Callable[P, R]:
    """Compile a function with these options of Numba, when it is first called; in memory where no cache can be written.

    That is so for a user without a home folder who cannot write where frtaudit is installed.
    """

    def by_numba(plain: Callable[P, R]) -> Callable[P, R]:
        refuse_settings()
        from numba import njit

        try:
            outcome = njit(**options)(plain)  # type: ignore[call-overload]  # the stubs know few options
        except RuntimeError as error:
            if "no locator available" not in str(error):
                raise
            outcome = njit(**{**options, "cache": False})(plain)  # type: ignore[call-overload]  # as above
        _stamp(outcome)
        return cast("Callable[P, R]", outcome)

    return deferred(function, by_numba)


def _stamp(outcome: object) -> None:
    """Let a cached kernel hold for these sources only: Numba looks at the kernel's own file, not at what it calls."""
    cached = getattr(getattr(outcome, "_cache", None), "_cache_file", None)
    if cached is not None:  # Numba has no public way to say so
        cached._source_stamp = cached._source_stamp, _sources()  # noqa: SLF001  as above


@cache
def _sources() -> str:
    """Digest of all modules from which kernels take functions and numbers."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def refuse_settings() -> None:
    """Raise :class:`DataError` where the working folder holds settings of Numba, which Numba would obey.

    They name the folder of its cache, whose files it unpickles: a folder that somebody hands over must not say so.
    """
    if os.path.lexists(SETTINGS):
        problem = "settings of Numba in the working folder, which name files that are executed"
        raise DataError(
            SETTINGS, problem, "a working folder without this file; set NUMBA_... in the environment"
        )


def deferred(
    function: Callable[P, R], compile_now: Callable[[Callable[P, R]], Callable[P, R]]
) -> Callable[P, R]:
    """What ``compile_now`` makes of a function, made at the first call; with ``NUMBA_DISABLE_JIT=1`` the function."""
    return function if PLAIN else cast("Callable[P, R]", Deferred(function, compile_now))


class Deferred(Generic[P, R]):
    """A function that is compiled when it is first called, and with it every one of its kind that it names."""

    def __init__(
        self, function: Callable[P, R], compile_now: Callable[[Callable[P, R]], Callable[P, R]]
    ) -> None:
        self.py_func = function
        self._compile_now = compile_now
        self._compiled: Callable[P, R] | None = None
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call what was compiled."""
        return (self._compiled or self.compiled())(*args, **kwargs)

    def compiled(self) -> Callable[P, R]:
        """What was compiled; Numba finds compiled functions in the place of those that the function names."""
        with _COMPILING:
            if self._compiled is None:
                _compile_named(self.py_func)
                self._compiled = self._compile_now(self.py_func)
            return self._compiled


def _compile_named(function: Callable[P, R]) -> None:
    """Put what was compiled in the place of each :class:`Deferred` that a function names."""
    if not isinstance(function, FunctionType):
        return
    known, names = function.__globals__, set(_names(function.__code__))
    modules = [known[name] for name in names if isinstance(known.get(name), ModuleType)]
    for space in (known, *(vars(module) for module in modules)):
        for name in names:
            if isinstance(deferred := space.get(name), Deferred) and deferred.py_func is not function:
                space[name] = deferred.compiled()
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, Deferred):
            cell.cell_contents = cell.cell_contents.compiled()


def _names(code: CodeType) -> Iterator[str]:
    """Names that a function and those inside it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
