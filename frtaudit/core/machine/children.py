"""Processes that a command starts: the folder in which it works is data to them, too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def no_modules_of_the_folder() -> Iterator[None]:
    """Python processes that are started meanwhile import nothing from the folder in which they are started.

    ``python -c`` and ``python -m``, by which libraries start workers, look there first.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(SAFE_PATH)
        if before is not None:
            os.environ[SAFE_PATH] = before
