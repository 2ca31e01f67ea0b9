import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from frtaudit.errors import DataError
from frtaudit.stats import _numba
from frtaudit.stats._numba import PLAIN, Deferred, compiled, deferred, inner, kernel, reordered


@kernel
def doubled(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Twice the values."""
    out = np.empty_like(values)
    for place in range(values.size):
        out[place] = 2 * values[place]
    return out


def test_a_kernel_computes_what_its_python_does() -> None:
    """Compiled and plain body give the same numbers."""
    values = np.arange(5.0)
    plain = getattr(doubled, "py_func", doubled)
    np.testing.assert_array_equal(doubled(values), plain(values))


def test_without_the_compiler_a_kernel_stays_python() -> None:
    """With NUMBA_DISABLE_JIT=1 the decorator hands the function back, so that coverage sees its lines."""
    code = "from frtaudit.stats._numba import kernel\ndef f(): pass\nassert kernel(f) is f"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@inner
def tripled(value: float) -> float:
    """Three times a number."""
    return 3 * value


def test_numba_is_imported_at_the_first_call_of_a_kernel() -> None:
    """A module of kernels is imported without Numba; the first call imports it."""
    code = (
        "import sys\nfrom frtaudit.stats.bootstrap import kernels\nfrom frtaudit.stats.rates.targets import *\n"
        "from frtaudit.stats import _numba, rates\nassert not {'numba', 'llvmlite'} & set(sys.modules)\n"
        "import doctest\nassert doctest.testmod(_numba).attempted == 7\nassert 'numba' in sys.modules"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_inner_function_runs_inside_a_kernel() -> None:
    """A kernel calls it with arrays, tuples of results come back."""

    def extremes(values: np.ndarray) -> tuple[float, float]:
        return values.min(), values.max()

    both = inner(extremes)
    spread = kernel(lambda values: both(values)[1] - both(values)[0])
    assert spread(np.array([1.0, 4.0, 2.0])) == 3.0


def test_a_sum_in_any_order_is_the_sum() -> None:
    """Terms added side by side give the plain sum but for rounding."""

    def total(values: np.ndarray) -> float:
        found = 0.0
        for value in values:
            found += value
        return found

    values = np.random.default_rng(1).normal(size=1000)
    inside = reordered(total)
    assert abs(kernel(lambda given: inside(given) + 0.0)(values) - values.sum()) < 1e-10


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_a_kernel_is_compiled_with_what_it_names() -> None:
    """Functions that a kernel names, in its module, in another or around it, are compiled ones when it is."""

    def around(value: float) -> float:
        return 5 * value

    fivefold = inner(around)

    def product(value: float) -> float:
        return tripled(value) * fivefold(value)

    compiled = kernel(product)
    assert isinstance(compiled, Deferred)
    assert isinstance(tripled, Deferred)
    assert compiled(2.0) == 60.0
    assert compiled.compiled() is compiled.compiled()
    assert not isinstance(globals()["tripled"], Deferred)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_threads_compile_a_kernel_once() -> None:
    """Called at the same moment from several threads, a kernel is compiled once."""
    made = []

    def compile_now(function: Callable[[int], int]) -> Callable[[int], int]:
        made.append(function)
        return function

    once = deferred(lambda value: value + 1, compile_now)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(once, range(64))) == list(range(1, 65))
    assert len(made) == 1


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_settings_of_numba_in_the_working_folder_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's folder cannot name the cache, which Numba unpickles: no kernel is compiled there."""

    @kernel
    def tripled(value: float) -> float:
        return 3 * value

    (tmp_path / ".numba_config.yaml").symlink_to("cache_dir: theirs")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="settings of Numba in the working folder"):
        tripled(1.0)
    (tmp_path / ".numba_config.yaml").unlink()
    assert tripled(1.0) == 3.0


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_a_kernel_without_a_folder_for_its_cache_is_compiled_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As for a user without a home folder who cannot write where frtaudit is installed."""
    caching = pytest.importorskip("numba.core.caching")
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    assert compiled(_half, cache=True)(3.0) == 1.5


def _half(x: float) -> float:
    return x / 2


@pytest.mark.compiled
def test_a_cached_kernel_is_of_these_sources_only(tmp_path: Path) -> None:
    """Where another module changed, whose functions are part of a kernel, it is compiled anew; else it is read."""
    (tmp_path / "kernels.py").write_text(
        "import sys\nfrom frtaudit.stats import _numba\n_numba._sources = lambda: sys.argv[1]\n\n\n"
        "@_numba.kernel\ndef double(x):\n    return 2 * x\n\n\n"
        "assert double(1.5) == 3\nstats = double.compiled().stats\n"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n"
    )
    environment = {
        **os.environ, "NUMBA_DISABLE_JIT": "0", "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    told = []
    for sources in ("a", "a", "b", "b"):
        command = [sys.executable, str(tmp_path / "kernels.py"), sources]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout.strip())
    assert told == ["0 1", "1 0", "0 1", "1 0"]


def test_the_sources_of_kernels_are_all_of_their_package() -> None:
    """A digest of every module of frtaudit.stats."""
    files = sorted(Path(_numba.__file__).parent.rglob("*.py"))
    assert len(files) > 100
    assert _numba._sources() == sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
