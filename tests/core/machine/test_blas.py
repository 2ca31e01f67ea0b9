import subprocess
import sys

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info

from frtaudit.core.machine import blas

CODE = """
import numpy
from threadpoolctl import threadpool_info
from frtaudit.core.machine.blas import one_thread

def threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

with one_thread():
    assert threads() <= {1}
import scipy.linalg
before = threads()
with one_thread():
    assert threads() <= {1}
assert threads() == before
"""


def threads() -> set[int]:
    """Threads of the BLAS that is loaded."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_has_one_thread_within_and_its_own_number_after() -> None:
    """Each library of BLAS is held to one thread in the block, also in a block within it, and then let go."""
    np.dot(np.eye(2), np.eye(2))
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        with blas.one_thread():
            with blas.one_thread():
                assert threads() <= {1}
            assert threads() <= {1}
        assert threads() <= {2}


def test_a_library_that_is_loaded_later_is_held_too() -> None:
    """SciPy brings a BLAS of its own, which is imported after the first block."""
    environment = {"OPENBLAS_NUM_THREADS": "2", "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_libraries_are_looked_for_once() -> None:
    """Where nothing was imported since, the libraries of the last block are those of the next."""
    with blas.one_thread():
        pass
    known = blas._loaded.cache_info().misses
    with blas.one_thread():
        pass
    assert blas._loaded.cache_info().misses == known


def test_a_module_in_the_place_of_another_is_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are looked for again too where as many modules are loaded as before, but not the same."""
    monkeypatch.setitem(sys.modules, "first", sys)
    with blas.one_thread():
        pass
    known = blas._loaded.cache_info().misses
    monkeypatch.delitem(sys.modules, "first")
    monkeypatch.setitem(sys.modules, "second", sys)
    with blas.one_thread():
        pass
    assert blas._loaded.cache_info().misses == known + 1
