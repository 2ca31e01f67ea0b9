"""One thread of BLAS for a block of code: the sums of a product do not depend on the cores of a machine."""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """BLAS keeps to one thread within the block, in every library of it that is loaded.

    >>> with one_thread():
    ...     pass
    """
    limited: AbstractContextManager[object] = _loaded(frozenset(sys.modules)).limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _loaded(_: frozenset[str]) -> "ThreadpoolController":
    """The libraries that are loaded; to look for them takes 2 ms, and is done again after an import."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
