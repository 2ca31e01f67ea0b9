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
HEAVY = REPORTING | NUMERICAL
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


ERRORS = [
    ("export missing", 1, 330),
    ("figures .", 1, 330),
    ("publish missing --out out", 1, 560),
    ("import missing into=out", 1, 400),
    ("approve missing --key missing", 1, 210),
    ("explain missing", 1, 210),
    ("compare missing another", 1, 235),
    ("label missing", 1, 200),
    ("plan audit=nosuch", 2, 420),
    ("embed missing", 2, 425),
    ("embed missing model=m.onnx preset=sface into=out", 2, 425),
    ("collect missing", 2, 420),
    ("run audit=nosuch", 2, 425),
    ("check audit=nosuch", 2, 425),
    ("seal audit=nosuch", 2, 420),
    ("run -m audit=nosuch seed=1,2", 2, 535),
    ("run missing/scores.csv", 2, 420),
    ("run audit=demo bootstrap.B=99999999999", 2, 430),
    ("run audit=demo bootstrap.B=x", 2, 430),
    ("run audit=demo bootstrap.B=1", 2, 430),
    ("run audit=demo requirements=[] bootstrap.B=1", 2, 430),
    ("run audit=demo seed=-1", 2, 430),
    ("run audit=demo requirements.0.metric=nosuch", 2, 430),
    ("run audit=demo +analyses.nosuch={}", 2, 430),
    ("run audit=demo hydra.run.dir=used", 2, 430),
    ("run audit=demo report.key=missing", 1, 430),
    ("run audit=demo seal=missing", 1, 430),
    ("run audit=demo thresholds.source=file thresholds.file=missing", 1, 430),
    ("run audit=templates cohort.root=missing", 1, 430),
    ("run audit=lfw cohort.root=missing", 1, 430),
    ("check audit=templates cohort.root=missing", 1, 430),
    ("seal audit=templates cohort.root=missing", 1, 425),
    ("plan audit=templates cohort.root=missing", 1, 425),
]


@pytest.mark.parametrize(("words", "code", "most"), ERRORS)
def test_an_error_imports_no_heavy_library(words: str, code: int, most: int, tmp_path: Path) -> None:
    """Errors in a name, a path or a value import no library of numbers or reports, and few modules.

    What composes a spec and checks its values imports no NumPy either: its class of cohort is typed without.
    """
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "result.json").touch()
    of_runs = words.split(maxsplit=1)[0] in ("export", "figures", "import") or "-m" in words
    ended, count, found = imported(words, HEAVY if of_runs else HEAVY | {"numpy", "scipy", "PIL"}, tmp_path)
    assert (ended, found) == (code, "[]")
    assert count <= most


def test_a_list_imports_no_heavy_library_and_nothing_of_hydra(tmp_path: Path) -> None:
    """What can be selected is read from presets and sources: no spec is composed for it."""
    watched = HEAVY | {"hydra", "omegaconf", "scipy"}
    ended, count, found = imported("list", watched, tmp_path)
    assert (ended, found) == (0, "[]")
    assert count <= 235


@pytest.mark.parametrize(
    ("words", "code", "most"),
    [
        ("check audit=demo", 0, 780),
        ("run audit=scores cohort.scores=[missing.csv]", 2, 580),
        ("run audit=rapid_test cohort.root=missing", 1, 620),
    ],
)
def test_a_check_compiles_nothing_and_imports_nothing_of_reports(
    words: str, code: int, most: int, tmp_path: Path
) -> None:
    """A check, and what only the files of scores tell: no Numba, pandas or statsmodels, and few modules."""
    ended, count, found = imported(words, HEAVY - {"pyarrow"}, tmp_path)
    assert (ended, found) == (code, "[]")
    assert count <= most
