import os
import subprocess
import sys

import numpy as np
import numpy.typing as npt

from frtaudit.stats._numba import kernel


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
