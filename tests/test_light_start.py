"""What a command imports: heavy libraries only where they are needed. Not timed: module names are compared."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import frtaudit
from frtaudit.signing.keys import generate

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
    ("figures search", 1, 330),
    ("figures .", 1, 330),
    ("publish missing --out out", 1, 210),
    ("import missing into=out", 1, 400),
    ("approve missing --key missing", 1, 210),
    ("explain missing", 1, 210),
    ("compare missing another", 1, 235),
    ("label missing", 1, 200),
    ("publish search --out out", 1, 570),
    ("verify search", 4, 570),
    ("approve search --key key", 1, 570),
    ("reproduce search", 4, 330),
    ("label search --answers missing/answers.csv", 1, 200),
    ("plan audit=nosuch", 2, 420),
    ("embed missing", 2, 425),
    ("embed missing model=m.onnx preset=sface into=out", 2, 425),
    ("collect missing", 2, 420),
    ("run audit=nosuch", 2, 425),
    ("check audit=nosuch", 2, 425),
    ("seal audit=nosuch", 2, 420),
    ("run -m audit=nosuch seed=1,2", 2, 535),
    ("run -m audit=templates cohort.root=missing seed=1,2", 1, 535),
    ("run missing/scores.csv", 2, 420),
    ("run audit=demo bootstrap.B=x", 2, 430),
    ("run audit=demo bootstrap.B=1", 2, 430),
    ("run audit=demo providers=[nosuch]", 2, 430),
    ("run audit=templates cohort.root=faces providers=[nosuch]", 2, 430),
    ("run audit=demo +analyses.nosuch={}", 2, 430),
    ("run audit=demo hydra.run.dir=used", 2, 430),
    ("run audit=demo report.key=missing", 1, 430),
    ("run audit=demo seal=missing", 1, 430),
    ("run audit=demo report.key=search/faces.csv", 1, 430),
    ("run audit=demo report.key=search", 1, 430),
    ("run audit=demo seal=search/faces.csv", 2, 430),
    ("run audit=demo report.templates=search", 2, 435),
    ("run audit=demo hydra.run.dir=search/faces.csv/run", 1, 430),
    ("run audit=demo hydra.run.dir=/proc/run", 1, 430),
    ("verify search/faces.csv", 4, 570),
    ("reproduce search/faces.csv", 4, 330),
    ("run audit=demo thresholds.source=file thresholds.file=missing", 1, 430),
    ("run audit=templates cohort.root=missing", 1, 430),
    ("seal audit=templates cohort.root=missing", 1, 425),
    ("plan audit=templates cohort.root=missing", 1, 425),
    ("run audit=rapid_test cohort.root=missing", 1, 430),
    ("run audit=rapid_test cohort.root=search cohort.faces=missing.csv", 1, 430),
    ("run audit=rapid_test cohort.root=search cohort.labels.rule=x", 2, 430),
    ("run audit=two_dates cohort.root=search cohort.earlier=missing", 1, 430),
    ("run audit=scores cohort.scores=[missing.csv]", 2, 430),
    ("run audit=scores cohort.root=search cohort.files=[missing.csv]", 1, 430),
    ("run audit=compare cohort.runs=[missing]", 1, 430),
    ("run audit=templates cohort.root=faces protocol=listed protocol.file=missing", 1, 430),
    ("run audit=goldilocks_demo test_sets.hair.pairs.reviewed=missing", 1, 430),
]
MORE_ERRORS = [
    ("export search", 1, 330),
    ("explain search", 1, 210),
    ("compare search faces", 1, 235),
    ("label search --names missing.csv", 1, 200),
    ("label search --reviews missing another", 1, 200),
    ("run audit=demo seed=-1", 2, 430),
    ("run audit=demo requirements.0.metric=nosuch", 2, 430),
    ("check audit=templates cohort.root=missing", 1, 430),
    ("label audit=rapid_test cohort.root=missing", 1, 425),
    ("run audit=rapid_test cohort.root=search cohort.answers=missing.csv", 1, 430),
    ("run audit=rapid_test cohort.root=search cohort.duplicates=missing.npz", 1, 430),
    ("run audit=rapid_test cohort.root=search cohort.similarity=5", 2, 430),
    ("run audit=scores cohort.root=missing", 1, 430),
    ("run audit=scores cohort.root=search cohort.pseudonym_key=missing", 1, 430),
    ("run audit=scores cohort=bob cohort.root=missing", 1, 430),
    ("run audit=scores cohort=attempts cohort.root=missing", 1, 430),
    ("run audit=nameless cohort=bob_measure cohort.root=missing", 1, 430),
    ("run audit=nameless cohort=pyeer cohort.mated=missing cohort.non_mated=missing", 1, 430),
    ("run audit=compare cohort.runs=[]", 2, 430),
    ("run audit=templates cohort.root=search", 1, 430),
    ("run audit=templates cohort.root=faces cohort.pairs=missing", 1, 430),
    ("run audit=templates cohort.root=faces +cohort.training.x=missing", 1, 430),
    ("run audit=templates cohort.root=faces providers=[{type:cosine,name:a,metric:x}]", 2, 430),
    ("run audit=curate cohort.root=faces protocol.rules.order=x", 2, 430),
    ("run audit=train_test_overlap cohort.root=faces protocol.per_subject=0", 2, 430),
    ("run audit=verification_accuracy cohort.root=faces test_sets.official.pairs.file=missing", 1, 430),
    ("run audit=interclass_demo cohort.subjects=0", 2, 430),
    ("run audit=rapid_demo cohort.queries=0", 2, 430),
    ("run audit=demo report.previous=missing", 1, 430),
    ("run audit=demo report.templates=missing", 2, 435),
    ("run audit=demo report.checklists=[nosuch]", 2, 435),
]


@pytest.mark.parametrize(
    ("words", "code", "most"),
    [*ERRORS, *(pytest.param(*error, marks=pytest.mark.slow) for error in MORE_ERRORS)],
)
def test_an_error_imports_no_heavy_library(words: str, code: int, most: int, tmp_path: Path) -> None:
    """Errors in a name, a path or a value import no library of numbers or reports, and few modules.

    What composes a spec and checks its values imports no NumPy either: its class of cohort is typed without.
    """
    of_faces = ("faces/metadata.csv", "faces/templates/system.npz")
    for name in ("used/result.json", *of_faces, "search/faces.csv", "search/service.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    if words.endswith("--key key"):
        generate(tmp_path / "key", "anyone", None, datetime.now(UTC))
    of_runs = words.split(maxsplit=1)[0] in ("export", "figures", "import", "reproduce")
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
        ("plan collect source=folder source.root=missing services.a.type=made_up", 1, 560),
        ("collect source=folder source.root=missing services.a.type=made_up into=o", 1, 560),
        ("run audit=demo checkpoint=used", 2, 550),
        ("run audit=demo dask=missing", 2, 550),
        ("run audit=demo analyses.identity_check.reviewed=missing", 1, 620),
        ("run audit=demo analyses.robustness.reviewed=missing", 1, 620),
        ("run audit=demo +analyses.train_test_overlap.reviewed=missing", 1, 620),
        ("run audit=demo +analyses.tail_model.draws=0", 2, 620),
        ("run audit=demo +analyses.transactions.k=0", 2, 620),
        ("run audit=demo +analyses.vendor_comparison.decision.rule=x", 2, 620),
    ],
)
def test_what_takes_numpy_compiles_nothing_and_imports_nothing_of_reports(
    words: str, code: int, most: int, tmp_path: Path
) -> None:
    """A check, and errors of a collection or an analysis: no Numba, pandas or statsmodels, and few modules.

    An analysis is typed without SciPy too.
    """
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "other").touch()
    watched = HEAVY - ({"pyarrow"} if words.startswith("check") else set())
    watched |= {"scipy", "numpy.random", "threadpoolctl"} if "analyses" in words else set()
    ended, count, found = imported(words, watched, tmp_path)
    assert (ended, found) == (code, "[]")
    assert count <= most


def test_who_is_tested_and_how_is_typed_without_numpy() -> None:
    """No module of a cohort, a protocol or a provider imports a library of numbers: what reads and scores does."""
    datasets = Path(frtaudit.__file__).parent / "datasets"
    files = [
        file for group in ("cohorts", "protocols", "providers") for file in (datasets / group).glob("*.py")
    ]
    modules = [f"frtaudit.datasets.{file.parent.name}.{file.stem}" for file in files]
    watched = ", ".join(map(repr, sorted(NUMERICAL | {"numpy", "scipy"})))
    program = f"import sys, {', '.join(modules)}; print(sorted({{{watched}}} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
