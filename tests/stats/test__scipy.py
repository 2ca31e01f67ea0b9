"""SciPy as the statistics import it."""

import subprocess
import sys

from frtaudit.stats._scipy import scipy


def test_it_is_loaded_when_a_part_is_asked_for() -> None:
    """Not before, and then it is the package's own part."""
    program = (
        "import sys; from frtaudit.stats._scipy import scipy; before = 'scipy' in sys.modules; "
        "x = scipy.special.ndtri(0.5); print(before, 'scipy' in sys.modules, x)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False", "True", "0.0"]


def test_its_parts_are_those_of_the_package() -> None:
    """The same modules, whoever asks."""
    import scipy as package

    assert scipy.special is package.special
    assert scipy.stats is package.stats
