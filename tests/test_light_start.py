"""What a command imports: heavy libraries only where they are needed. Not timed: module names are compared."""

import subprocess
import sys
from pathlib import Path

import pytest

REPORTING = {"jinja2", "matplotlib", "pyhanko", "weasyprint"}
NUMERICAL = {
    "llvmlite",
    "numba",
    "pandas",
    "pyarrow",
    "scipy.optimize",
    "scipy.stats",
    "sklearn",
    "statsmodels",
}
PROGRAM = """
import sys
from frtaudit.cli.main import main
code = main(sys.argv[2:])
watched = sorted(set(sys.argv[1].split(",")) & set(sys.modules))
sys.stderr.write(f"{code} {len(sys.modules)} {watched}")
"""


def imported(words: str, watched: set[str], folder: Path) -> tuple[int, int, str]:
    """The exit code of a command, how many modules it imported, and which of the watched ones."""
    command = [sys.executable, "-c", PROGRAM, ",".join(watched), *words.split()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    code, count, found = ended.stderr.splitlines()[-1].split(" ", 2)
    return int(code), int(count), found


@pytest.mark.parametrize(
    ("words", "code", "most"),
    [
        ("export missing", 1, 330),
        ("figures .", 1, 330),
        ("publish missing --out out", 1, 560),
        ("approve missing --key missing", 1, 260),
        ("plan audit=nosuch", 2, 450),
        ("embed missing", 2, 600),
        ("collect", 2, 600),
        ("run audit=nosuch", 2, 450),
        ("check audit=nosuch", 2, 450),
        ("run missing/scores.csv", 2, 420),
        ("run audit=demo bootstrap.B=99999999999", 2, 560),
        ("run -m audit=nosuch seed=1,2", 2, 560),
        ("seal audit=nosuch", 2, 450),
    ],
)
def test_an_error_imports_no_heavy_library(words: str, code: int, most: int, tmp_path: Path) -> None:
    """Errors in a name, a path or a value import no library of numbers or reports, and few modules."""
    ended, count, found = imported(words, REPORTING | NUMERICAL, tmp_path)
    assert (ended, found) == (code, "[]")
    assert count <= most


def test_a_list_imports_no_heavy_library_and_nothing_of_hydra(tmp_path: Path) -> None:
    """What can be selected is read from presets and sources: no spec is composed for it."""
    watched = REPORTING | NUMERICAL | {"hydra", "omegaconf", "scipy"}
    ended, count, found = imported("list", watched, tmp_path)
    assert (ended, found) == (0, "[]")
    assert count <= 345


@pytest.mark.parametrize(
    ("words", "code", "most"),
    [
        ("check audit=demo", 0, 780),
        ("run audit=demo requirements=[] bootstrap.B=1", 2, 600),
        ("run audit=demo bootstrap.B=1", 2, 640),
        ("run audit=demo seed=-1", 2, 600),
        ("run audit=demo requirements.0.metric=nosuch", 2, 600),
        ("run audit=demo +analyses.nosuch={}", 2, 600),
        ("run audit=demo report.key=missing", 1, 600),
        ("run audit=demo seal=missing", 1, 600),
        ("run audit=demo hydra.run.dir=used", 2, 640),
        ("run audit=demo thresholds.source=file thresholds.file=missing", 1, 600),
        ("explain missing", 1, 420),
        ("seal audit=templates cohort.root=missing", 1, 600),
        ("plan audit=templates cohort.root=missing", 1, 720),
        ("run audit=scores cohort.scores=[missing.csv]", 2, 580),
        ("run audit=templates cohort.root=missing", 1, 720),
        pytest.param("check audit=templates cohort.root=missing", 1, 720, marks=pytest.mark.slow),
        pytest.param("label missing", 1, 720, marks=pytest.mark.slow),
    ],
)
def test_a_check_compiles_nothing_and_imports_nothing_of_reports(
    words: str, code: int, most: int, tmp_path: Path
) -> None:
    """A check, a B below the least and a missing file of scores: no Numba, pandas or statsmodels, and few modules."""
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "result.json").touch()
    ended, count, found = imported(words, REPORTING | NUMERICAL - {"pyarrow"}, tmp_path)
    assert (ended, found) == (code, "[]")
    assert count <= most
