"""The folder in which a command works is data, to it and what it starts: nothing there is a module or a setting."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

SAFE_PATH = "PYTHONSAFEPATH"
DRAWING = "MATPLOTLIBRC"  # names the settings of Matplotlib; in lower case, their file


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


@contextmanager
def no_settings_of_the_folder() -> Iterator[None]:
    """Matplotlib, if it is imported meanwhile, opens no ``matplotlibrc`` of the working folder.

    It asks for that file before the environment's; a broken one ends the import, and for a FIFO's it waits. Only in a
    command and what it starts: who imports frtaudit keeps the settings of his own figures.
    """
    known = os.path.exists
    if os.environ.get(DRAWING) == os.devnull:
        vars(os.path)["exists"] = lambda path: path != DRAWING.lower() and known(path)
    try:
        yield
    finally:
        vars(os.path)["exists"] = known
