"""Limits of the machine for tests that run into them."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """No file of this process, and of those that it starts, grows beyond ``size`` bytes until the end of the block.

    Bytecode is not written there: Python 3.11 takes a file that was cut short for whole.
    """
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    environment = patch.dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
    try:
        with environment, patch.object(sys, "dont_write_bytecode", True):
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
