"""``frtaudit run --multirun``: plan a sweep, let Hydra's launchers run the jobs that are not done, report on all.

Hydra gets numbers of jobs and nothing else; a job finds its overrides in the sweep's plan and composes them itself, so
that one job's error is that job's alone, and the same command again runs what is missing.
"""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from frtaudit.cli.ending import counted, shown
from frtaudit.cli.refusals import refuse_where_none_can_run
from frtaudit.cli.run import COULD_NOT, print_error
from frtaudit.cli.sweeps import plan as plans
from frtaudit.cli.sweeps.jobs import (
    JobResult,
    State,
    change_since,
    clear,
    fail,
    finish,
    held,
    is_done,
    job_result,
    tidy,
    unmark,
)
from frtaudit.cli.sweeps.plan import Job, Plan, last_parts, settings_text, without_places
from frtaudit.config.composition import CONFIG as AUDIT
from frtaudit.config.composition import composed, hydra_session, publish, refuse_changed
from frtaudit.config.guard import LAUNCHER, RUN_FOLDER, SWEEP_FOLDER, check_override, is_setting
from frtaudit.config.hydra_errors import HYDRA_ERRORS, translated, translating
from frtaudit.config.load import expanded, load_spec, typed, whole_digest
from frtaudit.config.plugins import DEBUG, fault_line
from frtaudit.core.canonical import Json, dumps
from frtaudit.core.findings import FailOn, Verdict, exit_code
from frtaudit.core.machine import signals
from frtaudit.core.machine.faults import UNEXPECTED, as_line
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.spec import AuditSpec, Report
from frtaudit.core.text import formatting
from frtaudit.core.text.quoting import quoted
from frtaudit.errors import DataError, FrtauditError, SpecError, printable

CONFIG = "sweep"
SWEEPS = Path("reports") / "sweeps"
SEVERAL = "several"
WRITTEN = "multirun.yaml"  # by Hydra
AS_JSON = "FRTAUDIT_JSON"  # for jobs in other processes


def sweep(overrides: Sequence[str], config_dir: str | None, fail_on: FailOn, *, as_json: bool = False) -> int:
    """Run what is not done, write the sweep's report; the exit code is the worst job's, by its verdicts over the sweep.

    ``as_json``: print the result as JSON, and a line for each job on standard error. Raises :class:`FrtauditError`.
    """
    publish()
    ours, hydras = _parted(overrides)
    plan, folder, report = _ready(ours, hydras, config_dir)
    # What draws and signs loads its libraries: a refused spec needs none of them.
    from frtaudit.cli.sweeps import paper
    from frtaudit.cli.sweeps.table import table
    from frtaudit.signing.signing import signing_of

    signing = signing_of(report)
    _check_settings(hydras)
    _make(folder)
    OutputFolder(folder).check(paper.FILES)
    plans.check(plan, folder, (RESULT, *paper.FILES))
    with _jobs_apart(as_json), held(folder, "sweep", wait=False):
        plans.write(plan, folder)
        waiting = _begin(plan, folder)
        _launch(waiting, folder, hydras, fail_on)
        outcomes = [job_result(job, folder) for job in plan.jobs]
        _tell_elsewhere(outcomes, hydras)
        swept = table(plan, outcomes)
        written = paper.write(swept, folder, report, signing)
        tidy(outcomes, folder)
    counts = swept.verdict_counts
    total = {kind.value: sum(of_job[kind.value] for of_job in counts.values()) for kind in Verdict}
    codes = [_code(outcome, counts.get(outcome.job.number), fail_on) for outcome in outcomes]
    if as_json:
        summary: dict[str, Json] = {
            "exit_code": max(codes),
            "verdicts": total,
            "jobs": [_job_told(*pair, counts) for pair in zip(outcomes, codes, strict=True)],
            "folder": str(folder),
            "files": [path.name for path in written],
        }
        sys.stdout.write(f"{dumps(summary)}\n")
    else:
        none = "no requirement declared" if counts else "none, as no job is finished"
        sys.stdout.write(f"verdicts over the sweep: {counted(total) or none}\n")
        sys.stdout.write("".join(f"{printable(str(shown(path)))}\n" for path in written))
    return max(codes)


@contextmanager
def _jobs_apart(as_json: bool) -> Iterator[None]:  # noqa: FBT001  what the flag says
    """Jobs, in whatever process, say how far the sweep is on standard error, if the end is told as JSON."""
    if as_json:
        os.environ[AS_JSON] = "1"
    try:
        yield
    finally:
        os.environ.pop(AS_JSON, None)


def _job_told(outcome: JobResult, code: int, counts: Mapping[int, Mapping[str, int]]) -> Json:
    return {
        "settings": dict(outcome.job.settings),
        "folder": outcome.job.folder,
        "state": outcome.state.value,
        "exit_code": code,
        "verdicts": dict(counts[outcome.job.number]) if outcome.job.number in counts else None,
        "error": outcome.error,
    }


def _ready(
    overrides: Sequence[str], hydras: Sequence[str], config_dir: str | None
) -> tuple[Plan, Path, Report]:
    """What is run and where, and how the sweep's own report is written and signed: as the first job's.

    Raises what is wrong with the first job where no job is done and none can be: before analyses are imported where
    nothing is there, otherwise once it is known which jobs are meant.
    """
    named = [word.partition("=")[2] for word in hydras if word.startswith(f"{SWEEP_FOLDER}=")]
    if not os.path.lexists(named[-1] if named else SWEEPS):
        refuse_where_none_can_run(_typed(overrides, config_dir))
    plan, specs = _planned(overrides, config_dir)
    folder = Path(named[-1] if named else SWEEPS / plan.folder).absolute()
    if not any(is_done(planned_job, folder) for planned_job in plan.jobs):
        refuse_where_none_can_run(specs)
    return plan, folder, specs[0].report


def _typed(overrides: Sequence[str], config_dir: str | None) -> Iterator[AuditSpec]:
    """The spec of every job that is not refused, its analyses not imported."""
    for _, words in expanded(overrides):
        with suppress(FrtauditError):
            yield typed(composed(AUDIT, words, config_dir)).spec


def _planned(overrides: Sequence[str], config_dir: str | None) -> tuple[Plan, list[AuditSpec]]:
    """Every job composed and checked, and the specs of those that are not refused.

    Raises what was wrong with the first job where all are wrong.
    """
    jobs: list[Job] = []
    specs: list[AuditSpec] = []
    errors: list[FrtauditError] = []
    asked = expanded(overrides)
    labels = without_places([settings for settings, _ in asked])
    for number, (settings, (_, words)) in enumerate(zip(labels, asked, strict=True), 1):
        signals.check()
        job = Job(number=number, settings=settings, overrides=words, spec=None)
        try:
            specs.append(load_spec(words, config_dir))
            jobs.append(replace(job, spec=whole_digest(specs[-1])))
        except FrtauditError as error:
            errors.append(error)
            jobs.append(replace(job, error=last_parts(str(error)), exit_code=error.exit_code))
    if not specs:
        raise errors[0]
    names = {spec.name for spec in specs}
    presets = None if config_dir is None else str(Path(config_dir).absolute())
    audit = names.pop() if len(names) == 1 else SEVERAL
    return Plan(audit=audit, jobs=tuple(jobs), config_dir=presets), specs


def job(config: DictConfig) -> None:
    """One job, as Hydra calls it, perhaps in another process: its result is in its folder."""
    folder = Path(HydraConfig.get().runtime.output_dir)
    plan = plans.read(folder)
    this_job = plan.jobs[int(config.job) - 1]
    try:
        with held(folder, this_job.folder, wait=True):  # a worker may outlive its killed parent
            if not is_done(this_job, folder):
                _run(this_job, plan, folder, FailOn(config.fail_on))
    except FrtauditError as error:  # its folder cannot be written: Hydra would say so in lines of its own
        if os.environ.get(DEBUG):
            raise
        print_error(error)


def _run(job: Job, plan: Plan, sweep_folder: Path, fail_on: FailOn) -> None:
    from frtaudit.pipeline.rederive import note_paths
    from frtaudit.pipeline.run import run as run_audit  # the pipeline loads every numerical library

    signals.check()
    folder, began = clear(job, sweep_folder), time.monotonic()
    try:
        spec = _spec(job, plan)
        summary = run_audit(spec, folder, partial(exit_code, fail_on=fail_on))
        note_paths(spec, summary.result_sha256)
    except (Exception, SystemExit) as error:  # the latter of a plug-in
        if os.environ.get(DEBUG):
            raise
        line = fault_line(error)
        fail(job, sweep_folder, line)
        _tell(job, plan, sweep_folder, f"could not audit ({line})")
        return
    finish(job, sweep_folder, summary.result_sha256)
    _tell(job, plan, sweep_folder, f"in {job.folder} ({time.monotonic() - began:.0f} s)")


def _spec(job: Job, plan: Plan) -> AuditSpec:
    spec = load_spec(job.overrides, plan.config_dir)
    if whole_digest(spec) != job.spec:
        raise SpecError("spec", "a preset changed since the sweep began", "the same command again")
    return spec


def _tell(job: Job, plan: Plan, folder: Path, what: str) -> None:
    """Print how a job ended, without its verdicts: those of the sweep are known when all jobs are."""
    done = sum(is_done(planned_job, folder) for planned_job in plan.jobs)
    _say(f"{done} of {len(plan.jobs)} done; {settings_text(job.settings)}: {what}")


def _say(line: str) -> None:
    """Print the progress of the sweep, but not to the stream of the JSON object."""
    stream = sys.stderr if os.environ.get(AS_JSON) else sys.stdout
    stream.write(f"{printable(line)}\n")
    stream.flush()


def _begin(plan: Plan, folder: Path) -> list[Job]:
    """The jobs to run; prints the sweep's folder, and the jobs that are done, changed since, or refused already."""
    for job in plan.jobs:  # one whose files are no longer those that it signed is not done
        change = change_since(job, folder) if is_done(job, folder) else None
        if change is not None:
            sys.stderr.write(f"frtaudit: {printable(f'{job.folder}: {change}; the job is run again')}\n")
            unmark(job, folder)
    done = sum(is_done(planned_job, folder) for planned_job in plan.jobs)
    before = f", {done} done before" if done else ""
    _say(f"{formatting.counted(len(plan.jobs), 'job')}{before}: {shown(folder)}")
    for job in plan.jobs:
        if job.error:
            sys.stderr.write(f"frtaudit: {printable(f'{settings_text(job.settings)}: {job.error}')}\n")
    return [planned_job for planned_job in plan.jobs if planned_job.spec and not is_done(planned_job, folder)]


def _check_settings(hydras: Sequence[str]) -> None:
    """Refuse words that a launcher does not know, or that change more of Hydra than the sweep's settings."""
    chosen = [word for word in hydras if word.startswith(f"{LAUNCHER}=")]
    exempt = [word.partition("=")[0].removeprefix("hydra.") for word in hydras if word not in chosen]
    with translating(), hydra_session() as hydra:
        plainly, asked = (
            hydra.compose_config(CONFIG, ["job=1", *words], RunMode.MULTIRUN) for words in (chosen, hydras)
        )
    refuse_changed(asked.hydra, plainly.hydra, *exempt)


def _launch(waiting: Sequence[Job], folder: Path, hydras: Sequence[str], fail_on: FailOn) -> None:
    """Hand the numbers to the launcher; what it cannot finish (a worker was killed) stays unfinished, and is said."""
    OutputFolder(folder).path(WRITTEN)  # refuses a link in the way: Hydra would follow it
    numbers = ",".join(str(planned_job.number) for planned_job in waiting)
    words = [f"job={numbers}", f"fail_on={fail_on.value}", *hydras, f"{SWEEP_FOLDER}={quoted(str(folder))}"]
    try:
        if waiting:
            # Jobs that run here hear a signal between two steps; a launcher of others makes none.
            elsewhere = _launcher(hydras) != LAUNCHER
            with hydra_session() as hydra, signals.at_once() if elsewhere else nullcontext():
                hydra.multirun(CONFIG, job, words, with_log_configuration=False)
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        signals.check()  # the workers heard it too, and the launcher says no more than that they are gone
        print_error(_of_launcher(error, hydras))
    finally:  # that of a sweep that was killed after its last job, too
        (folder / WRITTEN).unlink(missing_ok=True)


def _of_launcher(error: Exception, hydras: Sequence[str]) -> FrtauditError:
    """One line for what a launcher raises: fault of the machine, or in its own words what it could not do."""
    line = as_line(error)
    if line.where != UNEXPECTED:
        return line
    message = str(error).partition("\n")[0]
    text = f"{type(error).__name__}: {message}"
    return DataError(_launcher(hydras), text, "a launcher that works on this machine")


def _launcher(hydras: Sequence[str]) -> str:
    """The word that selects the launcher."""
    return next((word for word in reversed(hydras) if word.startswith(f"{LAUNCHER}=")), LAUNCHER)


def _tell_elsewhere(outcomes: Sequence[JobResult], hydras: Sequence[str]) -> None:
    """Say why jobs of submitit failed: what they print goes to files of theirs."""
    if not _launcher(hydras).startswith(f"{LAUNCHER}=submitit"):
        return
    for outcome in outcomes:
        if outcome.state in (State.FAILED, State.UNFINISHED):
            _say(f"{settings_text(outcome.job.settings)}: could not audit ({outcome.error})")


def _parted(overrides: Sequence[str]) -> tuple[list[str], list[str]]:
    """What describes the audits, and what is said of the sweep."""
    settings = [word for word in overrides if is_setting(word)]
    for word in settings:
        check_override(word)
        if word.startswith(f"{RUN_FOLDER}="):
            raise SpecError(RUN_FOLDER, "names the folder of one run", f"{SWEEP_FOLDER}=FOLDER for a sweep")
    return [word for word in overrides if word not in settings], settings


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if os.environ.get(DEBUG):
            raise
        raise as_line(error, SWEEP_FOLDER) from error


def _code(result: JobResult, verdicts: Mapping[str, int] | None, fail_on: FailOn) -> int:
    return (result.exit_code or COULD_NOT) if verdicts is None else exit_code(verdicts, fail_on)
