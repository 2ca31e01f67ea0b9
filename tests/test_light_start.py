"""What a command imports: heavy libraries only where they are needed. Not timed: module names are compared."""

import subprocess
import sys
from pathlib import Path

import pytest

REPORTING = {"jinja2", "matplotlib", "pyhanko", "weasyprint"}
NUMERICAL = {"numba", "pandas", "pyarrow", "scipy.optimize", "scipy.stats", "sklearn", "statsmodels"}
PROGRAM = """
import sys
from frtaudit.cli.main import main
code = main(sys.argv[2:])
sys.stderr.write(f"{code} {sorted(set(sys.argv[1].split(',')) & set(sys.modules))}")
"""


def imported(words: str, watched: set[str], folder: Path) -> str:
    """The exit code of a command, and which of the watched modules it imported."""
    command = [sys.executable, "-c", PROGRAM, ",".join(watched), *words.split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return ended.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("list", 0),
        ("run audit=nosuch", 2),
        ("run missing/scores.csv", 2),
        ("run audit=demo bootstrap.B=99999999999", 2),
    ],
)
def test_a_list_and_an_error_import_no_heavy_library(words: str, code: int, tmp_path: Path) -> None:
    """The list, and errors in a name, a path or a value, import no library of numbers or of reports."""
    assert imported(words, REPORTING | NUMERICAL, tmp_path) == f"{code} []"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("check audit=demo", 0),
        ("run audit=scores cohort.scores=[missing.csv]", 2),
    ],
)
def test_a_check_imports_nothing_of_reports(words: str, code: int, tmp_path: Path) -> None:
    """A check, and a file of scores that is missing, import nothing of reports and neither pandas nor statsmodels."""
    watched = REPORTING | NUMERICAL - {"numba", "pyarrow"}
    assert imported(words, watched, tmp_path) == f"{code} []"
