"""Hostile data files: nothing in them is executed, nothing is written, nothing waits, and each gets one line."""

import hashlib
import json
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import hostile_data as hostile
import pytest

from frtaudit.cli.main import main
from frtaudit.config.load import load_spec
from frtaudit.config.plugins import load_plugins
from frtaudit.core.spec import AuditSpec, Thresholds, ThresholdSource
from frtaudit.datasets.cohorts.queries import Queries
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.errors import FrtauditError
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.inputs.previous import read_previous
from frtaudit.inputs.run_tables import read_run_tables
from frtaudit.inputs.twins import twin_notes
from frtaudit.pipeline.dry_run import check
from frtaudit.report.exports.run_folder import read_run

SECONDS = 20


@pytest.fixture(scope="module")
def spec() -> AuditSpec:
    """Analyses and thresholds of the shipped audit of templates; the cohort is each test's own."""
    load_plugins()
    return load_spec(["audit=templates", "cohort.root=.", "thresholds.fmr=[0.1]", "bootstrap.B=99"])


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """A test that waits for a pipe fails rather than hangs."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _says(work: Callable[[], object]) -> str | None:
    """The one line that ``work`` is refused with, None where it is not."""
    with _within(SECONDS):
        try:
            work()
        except FrtauditError as error:
            return str(error)
    return None


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def _attempt(folder: Path, work: Callable[[], object], said: str | None) -> None:
    before = _files(folder)
    line = _says(work)
    assert _files(folder) == before
    assert line is None or len(line.splitlines()) == 1
    assert line is None if said is None else line is not None and said in line, line


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder in which nothing may appear."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.parametrize("name", hostile.TEMPLATES)
def test_templates(name: str, here: Path, spec: AuditSpec) -> None:
    """A folder of templates with one hostile file: the check ends with its line, or reads what it says."""
    plant, said = hostile.TEMPLATES[name]
    hostile.templates_folder(here / "data")
    plant(here / "data")
    _attempt(here, lambda: check(replace(spec, cohort=TemplateFolder(root=str(here / "data")))), said)


@pytest.mark.parametrize("name", hostile.SCORES)
def test_score_lists(name: str, here: Path, spec: AuditSpec) -> None:
    """A folder of score lists with one hostile file."""
    plant, said = hostile.SCORES[name]
    hostile.scores_folder(here / "data")
    plant(here / "data")
    cohort = ScoreLists(root=str(here / "data"))
    _attempt(here, lambda: check(replace(spec, cohort=cohort, protocol=Listed())), said)


@pytest.mark.parametrize("name", hostile.PAIRS)
def test_pair_lists(name: str, here: Path) -> None:
    """A list of pairs whose numbers no program should trust."""
    data, said = hostile.PAIRS[name]
    hostile.templates_folder(here / "data")
    (here / "pairs.txt").write_bytes(data if isinstance(data, bytes) else data.encode())
    cohort = TemplateFolder(root=str(here / "data")).load({}, 0).cohort
    _attempt(here, lambda: read_pairs(here / "pairs.txt", cohort), said)


@pytest.mark.parametrize("name", hostile.THRESHOLDS)
def test_threshold_files(name: str, here: Path, spec: AuditSpec) -> None:
    """A file of thresholds that is none."""
    hostile.templates_folder(here / "data")
    (here / "thresholds.json").write_text(hostile.THRESHOLDS[name])
    own = Thresholds(fmr=(0.1,), source=ThresholdSource.FILE, file=str(here / "thresholds.json"))
    cohort = TemplateFolder(root=str(here / "data"))
    _attempt(here, lambda: check(replace(spec, cohort=cohort, thresholds=own)), "thresholds.json")


@pytest.mark.parametrize("name", hostile.PREVIOUS)
def test_earlier_results(name: str, here: Path) -> None:
    """An earlier result that is none."""
    (here / "previous.json").write_text(hostile.PREVIOUS[name])
    _attempt(here, lambda: read_previous(here / "previous.json"), "previous.json")


@pytest.mark.parametrize("name", hostile.COLLECTIONS)
def test_collections(name: str, here: Path) -> None:
    """A collection that names files elsewhere, or is none."""
    plant, said = hostile.COLLECTIONS[name]
    (here / "data").mkdir()
    plant(here / "data")
    _attempt(here, lambda: Queries(root=str(here / "data")).load({}, 0), said)


@pytest.mark.parametrize("name", hostile.RUNS)
def test_run_folders(name: str, here: Path) -> None:
    """A run folder that is none, read to be exported and to be compared."""
    plant, said = hostile.RUNS[name]
    (here / "run").mkdir()
    plant(here / "run")
    _attempt(here, lambda: read_run(here / "run"), said)
    _attempt(here, lambda: read_run_tables(here / "run"), "run")


@pytest.mark.parametrize("name", hostile.RESULTS)
def test_results(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A finished run whose result was made hostile, with a verdict that fits: export, compare and reproduce."""
    shutil.copytree(Path(__file__).parent / "signed_runs" / "0.1" / "run", here / "run")
    (here / "run" / "statement.dsse.json").unlink()
    data = hostile.RESULTS[name](json.loads((here / "run" / "result.json").read_bytes()))
    (here / "run" / "result.json").write_bytes(data)
    digest = {"result_sha256": hashlib.sha256(data).hexdigest()}
    (here / "run" / "verdict.json").write_text(json.dumps(digest))
    _attempt(here, lambda: read_run_tables(here / "run"), "cannot be read")
    assert main(["reproduce", str(here / "run")]) == 4
    assert len(capsys.readouterr().out.splitlines()) == 1
    if name not in hostile.READ:
        _attempt(here, lambda: read_run(here / "run"), "not a result")


def test_what_is_harmless_but_odd_is_warned_of(here: Path, spec: AuditSpec) -> None:
    """Ids that look alike and an array that appears twice: read, and said by the check."""
    hostile.templates_folder(here / "data")
    hostile.TEMPLATES["a doubled member"][0](here / "data")
    hostile.TEMPLATES["ids that look alike"][0](here / "data")
    lines = check(replace(spec, cohort=TemplateFolder(root=str(here / "data"))))
    said = [line for line in lines if line.startswith("warning: ")]
    assert said == [
        "warning: templates/door.npz holds embedding twice: the last one is read",
        "warning: " + twin_notes(["a", "c", "d", "\u0430"], "subject")[0],
    ]
