"""Tests of frtaudit.cli.sweeps.jobs: when a job counts as done, and locks that die with their process."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import small_run
import small_sweep

from frtaudit.cli.sweeps.jobs import State, change_since, clear, fail, finish, held, is_done, job_result
from frtaudit.errors import DataError, SpecError
from frtaudit.signing.key_folder import generate

JOB = small_sweep.plan().jobs[0]


def done(sweep: Path) -> Path:
    """A finished job's folder."""
    folder = clear(JOB, sweep)
    made = small_sweep.result()
    (folder / "result.json").write_bytes(made.to_bytes())
    finish(JOB, sweep, made.sha256)
    return folder


def test_a_finished_job_is_done(tmp_path: Path) -> None:
    """Its result comes back."""
    done(tmp_path)
    found = job_result(JOB, tmp_path)
    assert is_done(JOB, tmp_path)
    assert (found.state, found.result) == (State.DONE, small_sweep.result())


@pytest.mark.parametrize(
    "harm", ["no mark", "no result", "another result", "another spec", "another version", "torn"]
)
def test_anything_less_is_unfinished(tmp_path: Path, harm: str) -> None:
    """Without its mark, its result, its spec or this version a job is to be run again."""
    folder = done(tmp_path)
    mark = folder / "DONE.json"
    said = json.loads(mark.read_bytes())
    if harm == "no mark":
        mark.unlink()
    elif harm == "no result":
        (folder / "result.json").unlink()
    elif harm == "another result":
        (folder / "result.json").write_bytes(small_sweep.result(2.0).to_bytes())
    elif harm == "torn":
        mark.write_bytes(mark.read_bytes()[:10])
    else:
        key = {"another spec": "spec", "another version": "frtaudit"}[harm]
        mark.write_text(json.dumps(said | {key: "other"}))
    found = job_result(JOB, tmp_path)
    assert not is_done(JOB, tmp_path)
    assert (found.state, found.result, found.exit_code) == (State.UNFINISHED, None, 1)


@pytest.mark.parametrize("file", ["report.html", "result.json", "statement.dsse.json"])
def test_a_signed_job_that_is_not_as_it_was_signed_is_named(tmp_path: Path, file: str) -> None:
    """The first file that changed or is gone, the statement too; an intact job and an unsigned one are left alone."""
    folder = tmp_path / JOB.folder
    small_run.write_run(folder, generate(tmp_path / "key", "Auditor", None, small_run.WHEN))
    (folder / "report.json").write_text('{"status":"signed"}')
    assert change_since(JOB, tmp_path) is None
    whole = (folder / file).read_bytes()
    (folder / file).write_bytes(whole + b" ")
    assert (change_since(JOB, tmp_path) or "").startswith(file)
    (folder / file).unlink()
    assert (change_since(JOB, tmp_path) or "").startswith(file)
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "result.json").write_bytes(b"{}")
    assert change_since(JOB, tmp_path) is None


def test_a_failed_job_says_why_and_is_cleared_for_the_next_attempt(tmp_path: Path) -> None:
    """The line and the code that were said; a further attempt begins in an empty folder."""
    fail(JOB, tmp_path, DataError("metadata.csv", "the file is missing"))
    found = job_result(JOB, tmp_path)
    assert (found.state, found.error, found.exit_code) == (
        State.FAILED,
        "metadata.csv: the file is missing",
        1,
    )
    assert list(clear(JOB, tmp_path).iterdir()) == []


def test_a_refused_job_needs_no_folder(tmp_path: Path) -> None:
    """What was wrong with its spec is its outcome."""
    found = job_result(small_sweep.refused(SpecError("seed", "found 'x'", "a number")), tmp_path)
    assert (found.state, found.error, found.exit_code) == (
        State.REFUSED,
        "seed: found 'x'; accepted: a number",
        2,
    )
    assert list(tmp_path.iterdir()) == []
    assert not is_done(replace(JOB, spec=None), tmp_path)


def test_a_lock_is_held_by_one_process_and_dies_with_it(tmp_path: Path) -> None:
    """A second process is refused in one line while the first lives; after its kill the lock is free."""
    words = (
        "import sys,time,pathlib;from frtaudit.cli.sweeps.jobs import held\n"
        "with held(pathlib.Path(sys.argv[1]), 'sweep', wait=False):\n print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", words, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(DataError, match=r"^hydra.sweep.dir: another process runs the sweep"),
            held(tmp_path, "sweep", wait=False),
        ):
            pass
    finally:
        other.kill()
        other.communicate()
    began = time.monotonic()
    with held(tmp_path, "sweep", wait=True):
        assert time.monotonic() - began < 30
