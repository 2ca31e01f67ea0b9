"""Tests of frtaudit.cli.multirun: sweeps with a stand-in for the audit, and one small real sweep by each launcher."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import small_sweep

from frtaudit.cli import multirun, run
from frtaudit.cli.run import FailOn
from frtaudit.cli.sweeps.made_again import made_again
from frtaudit.core import Verdict
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.pipeline import run as pipeline_run
from frtaudit.signing.key_folder import PUBLIC
from frtaudit.signing.keys import DEMO_FOLDER
from frtaudit.signing.verification import Depth, Verification
from frtaudit.signing.verify import verify

ExitCode = Callable[[Mapping[str, int]], int]
QUIET = ("report.html=false", "report.pdf=false", "report.sign=false", "report.date=2026-03-04")


def stand_in(spec: AuditSpec, folder: Path, exit_code: ExitCode) -> pipeline_run.RunSummary:
    """What delivery does, without an audit: seed 7 is bad data, seed 8 a fault, seed 9 a failed requirement."""
    if spec.seed == 7:
        raise DataError("metadata.csv", "the file is missing")
    if spec.seed == 8:
        raise ZeroDivisionError("nobody foresaw this")
    if spec.seed == 6:
        raise KeyboardInterrupt
    made = small_sweep.result(1 + spec.seed / 100, spec.bootstrap.alpha)
    if spec.seed != 9:
        findings = (finding for finding in made.findings if finding.verdict is not Verdict.FAIL)
        made = replace(made, findings=tuple(findings))
    counts = {kind.value: sum(finding.verdict is kind for finding in made.findings) for kind in Verdict}
    (folder / "result.json").write_bytes(made.to_bytes())
    return pipeline_run.RunSummary(
        exit_code=exit_code(counts),
        verdict_counts=counts,
        result=made,
        result_sha256=made.sha256,
        report=None,
    )


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and no real audit."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pipeline_run, "run", stand_in)
    return tmp_path


def sweep(*overrides: str, fail_on: FailOn = FailOn.FAIL, config_dir: str | None = None) -> int:
    """Run a sweep in this process."""
    return multirun.sweep(["audit=demo", *QUIET, *overrides], config_dir, fail_on)


def folder_of(somewhere: Path) -> Path:
    """The one sweep's folder."""
    (found,) = (somewhere / "reports" / "sweeps").glob("*/*")
    return found


def told(somewhere: Path) -> list[str]:
    """States of the jobs, as the sweep's table tells them."""
    return [job["state"] for job in json.loads((folder_of(somewhere) / "sweep.json").read_bytes())["jobs"]]


def test_a_sweep_goes_to_its_folder(somewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for the sweep's digest, one below it for each spec's, DONE.json in each, table and page on top."""
    assert sweep("seed=1,2", "bootstrap.alpha=0.05,0.1", "report.html=true") == 0
    folder = folder_of(somewhere)
    assert folder.parent.name == "demo"
    jobs = json.loads((folder / "sweep.json").read_bytes())["jobs"]
    assert [job["settings"] for job in jobs] == [
        {"seed": seed, "bootstrap.alpha": alpha} for seed in ("1", "2") for alpha in ("0.05", "0.1")
    ]
    for job in jobs:
        assert (folder / job["folder"] / "DONE.json").is_file()
        assert job["spec"].startswith(job["folder"])
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("4 jobs: reports/sweeps/demo/")
    for number, (line, job) in enumerate(zip(said[1:5], jobs, strict=True), 1):
        settings = f"seed={job['settings']['seed']} bootstrap.alpha={job['settings']['bootstrap.alpha']}"
        assert line.startswith(f"{number} of 4 done; {settings}: in {job['folder']} (")
    assert (folder / "sweep.html").is_file()
    assert not [path.name for path in folder.rglob("*") if path.name.startswith((".", "multirun"))]


def test_the_same_command_does_nothing_twice(
    somewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finished jobs are not run again, and the sweep's bytes stay."""
    sweep("seed=1,2")
    before = {path: path.read_bytes() for path in folder_of(somewhere).rglob("*") if path.is_file()}
    monkeypatch.setattr(pipeline_run, "run", pytest.fail)
    assert sweep("seed=1,2") == 0
    assert before == {path: path.read_bytes() for path in folder_of(somewhere).rglob("*") if path.is_file()}
    assert "2 jobs, 2 done before" in capsys.readouterr().out


def test_only_the_missing_job_runs_again(somewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job without its mark is run in an empty folder; what a killed attempt left is gone."""
    sweep("seed=1,2,3")
    folder = folder_of(somewhere)
    before = (folder / "sweep.json").read_bytes()
    job = json.loads(before)["jobs"][1]
    (folder / job["folder"] / "DONE.json").unlink()
    (folder / job["folder"] / ".draft-torn").mkdir()
    ran: list[int] = []

    def noted(spec: AuditSpec, where: Path, exit_code: ExitCode) -> pipeline_run.RunSummary:
        ran.append(spec.seed)
        return stand_in(spec, where, exit_code)

    monkeypatch.setattr(pipeline_run, "run", noted)
    assert sweep("seed=1,2,3") == 0
    assert ran == [2]
    assert (folder / "sweep.json").read_bytes() == before
    assert not (folder / job["folder"] / ".draft-torn").exists()


@pytest.mark.slow
def test_a_failing_job_neither_hides_nor_stops_the_others(
    somewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad data, a fault, a refused spec: each is named in a line, the rest runs, the worst code is the sweep's."""
    assert sweep("seed=1,7,8,2", "bootstrap.alpha=2,0.05") == 2
    assert told(somewhere) == [
        state for seed in (1, 7, 8, 2) for state in ("refused", "failed" if seed in (7, 8) else "done")
    ]
    said = capsys.readouterr()
    assert "seed=1 bootstrap.alpha=2: bootstrap.alpha: found 2" in said.err
    assert "could not audit (metadata.csv: the file is missing)" in said.out
    assert "ZeroDivisionError" in said.out
    assert sweep("seed=1,7") == 1
    assert sweep("seed=1,9") == 3
    assert sweep("seed=1,9", fail_on=FailOn.INCONCLUSIVE) == 3
    assert sweep("seed=1,2") == 0
    assert sweep("seed=1,2", fail_on=FailOn.INCONCLUSIVE) == 3


def test_text_table_and_exit_code_tell_the_sweeps_verdicts(
    somewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A failure of one job that many would show by chance is inconclusive in all three; its own run still fails."""
    by_luck = small_sweep.result(1.0, 0.05, p=0.02)

    def lucky(spec: AuditSpec, folder: Path, exit_code: ExitCode) -> pipeline_run.RunSummary:
        summary = stand_in(spec, folder, exit_code)
        if spec.seed != 9:
            return summary
        (folder / "result.json").write_bytes(by_luck.to_bytes())
        return replace(summary, result_sha256=by_luck.sha256)

    monkeypatch.setattr(pipeline_run, "run", lucky)
    assert sweep("seed=1,9,2") == 0
    jobs = json.loads((folder_of(somewhere) / "sweep.json").read_bytes())["jobs"]
    failures = [finding for finding in by_luck.findings if finding.verdict is Verdict.FAIL]
    assert failures
    assert [job["counts"]["fail"] for job in jobs] == [0, 0, 0]
    assert jobs[1]["counts"]["inconclusive"] == jobs[0]["counts"]["inconclusive"] + len(failures)
    total = sum(job["counts"]["inconclusive"] for job in jobs)
    before, closing = capsys.readouterr().out.split("verdicts over the sweep: ")
    assert f"{total} inconclusive" in closing.splitlines()[0]
    assert not [word for word in ("pass", "fail", "inconclusive", "not testable") if word in before]


def test_a_job_that_failed_is_tried_again(somewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data may have been mended since."""
    sweep("seed=1,7")
    assert told(somewhere) == ["done", "failed"]
    assert (folder_of(somewhere) / ".sweep" / "plan.json").is_file()
    monkeypatch.setattr(
        pipeline_run, "run", lambda spec, folder, code: stand_in(replace(spec, seed=3), folder, code)
    )
    assert sweep("seed=1,7") == 0
    assert told(somewhere) == ["done", "done"]


def test_a_link_in_place_of_the_sweeps_own_file_is_refused_before_a_job_runs(
    somewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No job runs whose table could not be written."""
    sweep("seed=1,2")
    folder = folder_of(somewhere)
    (folder / "sweep.json").unlink()
    (folder / "sweep.json").symlink_to(somewhere / "elsewhere")
    ran: list[Path] = []
    monkeypatch.setattr(pipeline_run, "run", lambda _, where, __: ran.append(where))
    with pytest.raises(DataError, match="output: 'sweep.json' is a link, or no file"):
        multirun.sweep(["audit=demo", *QUIET, "seed=1,2", f"hydra.sweep.dir={folder}"], None, FailOn.FAIL)
    assert not ran


def test_a_link_in_place_of_a_jobs_folder_is_one_line(
    somewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The link is not followed, the other jobs run, and nothing but the one line is said of it."""
    sweep("seed=1,2")
    folder = folder_of(somewhere)
    job = folder / json.loads((folder / "sweep.json").read_bytes())["jobs"][0]["folder"]
    (somewhere / "elsewhere").mkdir()
    shutil.rmtree(job)
    job.symlink_to(somewhere / "elsewhere")
    capsys.readouterr()
    assert sweep("seed=1,2") == 1
    (line,) = capsys.readouterr().err.splitlines()
    told = f"output: a folder of '{job.name}/DONE.json' is a link, or no folder"
    assert line == f"frtaudit: {told}; accepted: a folder without it"
    assert not [*(somewhere / "elsewhere").iterdir()]


def test_the_file_that_hydra_writes_goes_through_no_link(somewhere: Path) -> None:
    """A link of that name ends the sweep before it runs."""
    (somewhere / "s").mkdir()
    (somewhere / "s" / "multirun.yaml").symlink_to(somewhere / "new")
    with pytest.raises(DataError, match=r"'multirun.yaml' is a link"):
        sweep("seed=1,2", "hydra.sweep.dir=s")
    assert not (somewhere / "new").exists()


def test_a_sweep_of_refused_jobs_leaves_nothing(somewhere: Path) -> None:
    """Where no job could run the first one's fault is the command's, and no folder is made."""
    with pytest.raises(SpecError, match=r"^bootstrap: unknown key 'b'"):
        sweep("bootstrap.b=1,2")
    with pytest.raises(SpecError, match=r"describe the same audit"):
        sweep("threads=1,2")
    with pytest.raises(SpecError, match=r"'seed' appears twice"):
        sweep("seed=1,2", "seed=3")
    assert list(somewhere.iterdir()) == []


def test_a_sweep_of_which_no_job_has_data_leaves_nothing(somewhere: Path) -> None:
    """One line and no folder, as a run; also where another sweep was done, or the folder is there."""
    line = r"^cohort.root: no folder 'gone'; accepted: a folder with metadata.csv and templates/"
    with pytest.raises(DataError, match=line):
        sweep("audit=templates", "cohort.root=gone", "seed=1,2")
    assert list(somewhere.iterdir()) == []
    assert sweep("seed=1,2") == 0
    before = {path: path.stat().st_mtime_ns for path in somewhere.rglob("*")}
    (somewhere / "mine").mkdir()
    for named in ((), ("hydra.sweep.dir=mine",)):
        with pytest.raises(DataError, match=line):
            sweep("audit=templates", "cohort.root=gone", "seed=1,2", *named)
    (somewhere / "mine").rmdir()
    assert {path: path.stat().st_mtime_ns for path in somewhere.rglob("*")} == before


def test_a_sweep_of_which_some_jobs_have_data_runs_and_stays_done_without_them(somewhere: Path) -> None:
    """A job without data fails alone; what is done is not asked for its data again."""
    (somewhere / "photos" / "templates").mkdir(parents=True)
    (somewhere / "photos" / "metadata.csv").write_text("image_id,subject_id\na,1\n")
    words = ("audit=templates", "cohort.root=gone,photos", "hydra.sweep.dir=mine")
    assert sweep(*words) == 0  # the stand-in reads nothing: only an audit knows that one job cannot run
    shutil.rmtree(somewhere / "photos")
    assert sweep(*words) == 0


def test_a_signature_out_of_reach_stops_the_sweep_before_it_runs(somewhere: Path) -> None:
    """A level that cannot be reached is refused as in a run, not lowered: no job starts, no folder is made."""
    with pytest.raises(DataError, match=r"^report.tsa: no value, and B-T needs a time"):
        multirun.sweep(["audit=demo", "seed=1,2", "report.pades=B-T"], None, FailOn.FAIL)
    assert list(somewhere.iterdir()) == []


def test_an_unknown_preset_is_one_jobs_fault(somewhere: Path) -> None:
    """Hydra composes each job for itself: one that names no preset does not stop the other."""
    assert sweep("schema=gender,nope") == 2
    assert told(somewhere)[1] == "refused"


def test_a_folder_of_ones_own_holds_one_sweep(somewhere: Path) -> None:
    """hydra.sweep.dir names it; another sweep into it is refused and nothing moves."""
    assert sweep("seed=1,2", "hydra.sweep.dir=mine") == 0
    before = (somewhere / "mine" / "sweep.json").read_bytes()
    with pytest.raises(SpecError, match=r"^hydra.sweep.dir: mine contains another sweep"):
        sweep("seed=3,4", "hydra.sweep.dir=mine")
    assert (somewhere / "mine" / "sweep.json").read_bytes() == before
    (somewhere / "taken").write_text("mine")
    with pytest.raises(DataError, match=r"^hydra.sweep.dir: a file stands where a folder is needed"):
        sweep("seed=1,2", "hydra.sweep.dir=taken")
    with pytest.raises(DataError, match=r"^hydra.sweep.dir: the name is too long"):
        sweep("seed=1,2", f"hydra.sweep.dir={'x' * 300}")


@pytest.mark.parametrize("name", ["result.json", "report.json", "statement.dsse.json", "sweep.csv"])
def test_a_sweep_takes_no_folder_of_a_run(somewhere: Path, name: str) -> None:
    """It would replace the run's signed statement and settings; what is refused leaves no file there, and no lock."""
    (somewhere / "mine").mkdir()
    (somewhere / "mine" / name).write_text("mine")
    with pytest.raises(
        DataError, match=rf"^hydra.sweep.dir: {name} is there, .*; accepted: a new folder, or one"
    ):
        sweep("seed=1,2", "hydra.sweep.dir=mine")
    assert [path.name for path in (somewhere / "mine").iterdir()] == [name]


def test_a_finished_sweep_stays_as_it_is_where_another_is_refused(somewhere: Path) -> None:
    """No lock is left there: verify would name it as not covered."""
    assert sweep("seed=1,2", "hydra.sweep.dir=mine") == 0
    with pytest.raises(SpecError, match="contains another sweep"):
        sweep("seed=3,4", "hydra.sweep.dir=mine")
    assert not (somewhere / "mine" / ".sweep").exists()


def test_a_job_that_changed_since_is_run_again(
    somewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line names what changed; the other job stays done."""
    assert sweep("seed=1,2") == 0
    first = json.loads((folder_of(somewhere) / "sweep.json").read_bytes())["jobs"][0]["folder"]
    changed = {first: "report.html is listed in the statement, but missing"}
    monkeypatch.setattr(multirun, "change_since", lambda job, _: changed.get(job.folder))
    assert sweep("seed=1,2") == 0
    out, err = capsys.readouterr()
    assert f"frtaudit: {first}: {changed[first]}; the job is run again\n" in err
    assert "2 jobs, 1 done before" in out
    assert told(somewhere) == ["done", "done"]


def test_stopping_stops_the_sweep(somewhere: Path) -> None:
    """Ctrl-C is no job's error: it ends the command, and what was done stays done."""
    with pytest.raises(KeyboardInterrupt):
        sweep("seed=1,6,2")
    assert len(list(folder_of(somewhere).glob("*/DONE.json"))) == 1


def test_presets_of_ones_own_reach_every_job(somewhere: Path) -> None:
    """--config-dir is part of the plan; a preset that changes meanwhile is that job's error."""
    (somewhere / "conf" / "audit").mkdir(parents=True)
    preset = somewhere / "conf" / "audit" / "mine.yaml"
    preset.write_text("defaults:\n  - demo\nname: mine\n")
    assert multirun.sweep(["audit=mine", *QUIET, "seed=1,2"], "conf", FailOn.FAIL) == 0
    assert folder_of(somewhere).parent.name == "mine"


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch) -> None:
    """With --debug the error itself comes through."""
    monkeypatch.setenv(run.DEBUG, "1")
    with pytest.raises(ZeroDivisionError):
        sweep("seed=1,8")


TINY = """\
cohort:
  type: synthetic
  subjects: 24
  samples_per_subject: [2, 3]
  dimension: 16
  systems: {one: {noise: 0.3}, two: {noise: 0.5}}
analyses: {error_rates: {curve_points: 10}}
thresholds: {fmr: [0.1]}
bootstrap: {B: 99}
requirements: [{name: few, metric: fnmr_at_fmr, at: {fmr: 0.1}, limit: 0.9}]
report: {pdf: false, date: '2026-03-04'}
"""


def presets(where: Path) -> None:
    """A folder of presets with the small audit."""
    (where / "conf" / "audit").mkdir(parents=True, exist_ok=True)
    (where / "conf" / "audit" / "tiny.yaml").write_text(TINY)


def command(where: Path, *words: str, **more: object) -> "subprocess.Popen[str]":
    """A small real sweep in a process of its own."""
    presets(where)
    line = [sys.executable, "-m", "frtaudit", "run", "-m", "-cd", "conf", "audit=tiny", *words]
    own = os.environ | {"FRTAUDIT_CONFIG_HOME": str(where / "config")}
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]  # as given
        line, cwd=where, env=own, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real sweep of two jobs in this process, one after the other."""
    where = tmp_path_factory.mktemp("unbroken")
    presets(where)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(where)
        patch.setenv("FRTAUDIT_CONFIG_HOME", str(where / "config"))
        told = ["audit=tiny", "seed=1,2", "hydra/launcher=basic"]
        assert multirun.sweep(told, "conf", FailOn.FAIL) == 0
    return folder_of(where)


def held(sweep: Path) -> Verification:
    """What verify finds in a sweep, by the key beside it."""
    signers = [sweep.parents[3] / "config" / DEMO_FOLDER / PUBLIC]
    return verify(sweep, signers, Depth.PAPER, made_again)


@pytest.mark.slow
def test_a_program_reads_what_a_sweep_came_to(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json standard output is one object: each job's settings, folder, exit code and verdicts."""
    assert multirun.sweep(["audit=demo", *QUIET, "seed=1,7"], None, FailOn.FAIL, as_json=True) == 1
    told = json.loads(capsys.readouterr().out)
    assert [job["settings"] for job in told["jobs"]] == [{"seed": "1"}, {"seed": "7"}]
    assert [job["exit_code"] for job in told["jobs"]] == [0, 1]
    assert [job["verdicts"] for job in told["jobs"]] == [told["verdicts"], None]
    assert told["jobs"][1]["error"] == "metadata.csv: the file is missing"
    assert (told["exit_code"], told["files"][0]) == (1, "sweep.json")


def test_a_fresh_sweep_holds_strictly(unbroken: Path) -> None:
    """Nothing of it is uncovered or not compared, and a stranger's file beside a job's is named."""
    found = held(unbroken)
    assert found.strict_exit_code == 0, str(found)
    job = next(unbroken.glob("*/DONE.json")).parent
    (job / "notes.txt").write_text("mine")
    found = held(unbroken)
    (job / "notes.txt").unlink()
    assert (found.exit_code, found.strict_exit_code) == (0, 4)
    *checks, verdict = str(found).splitlines()
    assert sum("notes.txt" in line for line in checks) == 1
    assert "not covered" in verdict


def test_a_sweep_killed_after_its_last_job_leaves_nothing_of_hydra(somewhere: Path) -> None:
    """Hydra's file is there until all jobs have ended; the same command again, with nothing to run, removes it."""
    assert sweep("seed=1,2") == 0
    before = {path.name for path in folder_of(somewhere).iterdir()}
    (folder_of(somewhere) / multirun.WRITTEN).write_text("hydra: {}\n")
    assert sweep("seed=1,2") == 0
    assert {path.name for path in folder_of(somewhere).iterdir()} == before


def test_a_launcher_that_does_not_work_is_one_line(
    somewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Slurm the line names the launcher and what it said; the job stays unfinished, and that is said too."""
    pytest.importorskip("submitit")
    assert sweep("seed=1", "hydra/launcher=submitit_slurm") == 1
    said = capsys.readouterr()
    assert said.err.startswith("frtaudit: hydra/launcher=submitit_slurm: RuntimeError: Could not detect")
    assert said.err.count("\n") == 1
    assert "its one job: could not audit (it did not finish)" in said.out
    assert told(somewhere) == ["unfinished"]


@pytest.mark.slow
@pytest.mark.usefixtures("ink")
@pytest.mark.parametrize("launcher", ["joblib", "submitit_local"])
def test_launchers_give_the_same_bytes(unbroken: Path, tmp_path: Path, launcher: str) -> None:
    """In processes side by side, or as local submitit jobs: the same table, and the sweep holds strictly."""
    pytest.importorskip(launcher.removesuffix("_local"))
    for name in ("joblib", "multiprocessing", "submitit"):  # the folder is data to the workers, too
        (tmp_path / f"{name}.py").write_text("raise ImportError('of the working folder')\n")
    made = command(tmp_path, "seed=1,2", f"hydra/launcher={launcher}")
    out, err = made.communicate(timeout=300)
    assert made.returncode == 0, out + err
    table = json.loads((folder_of(tmp_path) / "sweep.json").read_bytes())
    assert [job["state"] for job in table["jobs"]] == ["done"] * 2
    assert table == json.loads((unbroken / "sweep.json").read_bytes())
    found = held(folder_of(tmp_path))
    assert found.strict_exit_code == 0, str(found)


@pytest.mark.slow
def test_a_killed_sweep_is_resumed_to_the_same_bytes(unbroken: Path, tmp_path: Path) -> None:
    """After kill -9 once the first job is done, the same command gives the results and the table of an unbroken run."""
    broken = tmp_path
    victim = command(broken, "seed=1,2", start_new_session=True)
    deadline = time.monotonic() + 120
    while not list(broken.glob("reports/sweeps/*/*/*/DONE.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.communicate()
    done = len(list(broken.glob("reports/sweeps/*/*/*/DONE.json")))
    assert done == 1
    out, _ = command(broken, "seed=1,2").communicate(timeout=300)
    assert "2 jobs, 1 done before" in out
    one, two = unbroken, folder_of(broken)
    names = [
        path.relative_to(one)
        for path in one.rglob("*")
        if path.name in ("result.json", "sweep.json", "sweep.csv")
    ]
    assert len(names) == 4
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def test_the_folder_of_a_run_is_none_of_a_sweep() -> None:
    """It was ignored: a reader looked for the sweep in vain."""
    with pytest.raises(
        SpecError, match=r"^hydra\.run\.dir: .*; accepted: hydra\.sweep\.dir=FOLDER for a sweep$"
    ):
        multirun.sweep(["audit=demo", "seed=1,2", "hydra.run.dir=x"], None, FailOn.FAIL)
