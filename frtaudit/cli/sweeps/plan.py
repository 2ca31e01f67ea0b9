"""What a sweep will run: its jobs, each with the settings that differ and the digest of its spec."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from frtaudit.core.canonical import digest, to_bytes
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import DataError, SpecError
from frtaudit.report.files import TABLE

# An absolute path, in a value or a sentence.
_PATH = re.compile(r"(?<![^\s\[,'\"=:{(])/(?!/)[^\s\[\],'\"{}()]*")
SHORT = 16  # hexadecimal digits of a folder's name
HIDDEN = ".sweep"
PLAN = f"{HIDDEN}/plan.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One audit of the sweep.

    ``number``: from 1; ``settings``: what the command line varies, by key; ``overrides``: all that describes the job;
    ``spec``: SHA-256 of its spec, paths and report included and thread counts not; None where the spec was refused, and
    ``error`` says why.
    """

    number: int
    settings: Mapping[str, str]
    overrides: tuple[str, ...]
    spec: str | None
    error: str | None = None
    exit_code: int = 0

    @property
    def folder(self) -> str:
        """Name of the job's folder within the sweep's; empty for a job that was refused."""
        return (self.spec or "")[:SHORT]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All jobs in the command line's order; ``audit``: its name, or ``several``; ``config_dir``: the user's presets."""

    audit: str
    jobs: tuple[Job, ...]
    config_dir: str | None = None

    def __post_init__(self) -> None:
        seen: dict[str, Job] = {}
        for job in self.jobs:
            twin = seen.setdefault(job.spec, job) if job.spec else job
            if twin is not job:
                text = f"{settings_text(twin.settings)} and {settings_text(job.settings)} describe the same audit"
                raise SpecError("command line", text, "settings that change the spec")

    @property
    def digest(self) -> str:
        """SHA-256 over settings and specs of all jobs: the sweep's identity."""
        return digest([[dict(job.settings), job.spec or job.error] for job in self.jobs])

    @property
    def keys(self) -> tuple[str, ...]:
        """The settings that the command line varies."""
        return tuple(self.jobs[0].settings)

    @property
    def folder(self) -> Path:
        """Where the sweep goes below the folder of all sweeps: its audit's name and its digest."""
        return Path(self.audit) / self.digest[:SHORT]


def without_places(settings: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The settings of all jobs, absolute paths by as many of their last parts as make them distinct.

    >>> without_places([{"cohort.root": "/data/a/run", "seed": "1"}, {"cohort.root": "/data/b/run", "seed": "1"}])
    [{'cohort.root': 'a/run', 'seed': '1'}, {'cohort.root': 'b/run', 'seed': '1'}]
    """
    labels: list[dict[str, str]] = [dict(job) for job in settings]
    for key in labels[0] if labels else ():
        values = sorted({job[key] for job in settings})
        most = max((path.count("/") for value in values for path in _PATH.findall(value)), default=0)
        short = {value: value for value in values}
        for count in range(1, most + 1):
            short = {value: last_parts(value, count) for value in values}
            if len(set(short.values())) == len(values):
                break
        for job in labels:
            job[key] = short[job[key]]
    return labels


def last_parts(text: str, count: int = 1) -> str:
    """A text whose absolute paths have as many of their last parts.

    >>> last_parts("cohort.root: no folder '/data/a/run'"), last_parts("[/data/a,/data/b]"), last_parts("runs/x")
    ("cohort.root: no folder 'run'", '[a,b]', 'runs/x')
    """
    return _PATH.sub(lambda path: "/".join(path[0].split("/")[1:][-count:]), text)


def settings_text(settings: Mapping[str, str]) -> str:
    """Settings as they are typed.

    >>> settings_text({"providers": "[a]", "bootstrap.alpha": "0.1"})
    'providers=[a] bootstrap.alpha=0.1'
    """
    return " ".join(f"{key}={value}" for key, value in settings.items()) or "its one job"


def check(plan: Plan, folder: Path, names: Iterable[str]) -> None:
    """Raise where the folder of a sweep contains another, or a run or files of somebody who never ran a sweep there.

    ``names``: of the files that a sweep or a run writes there.
    """
    _refuse_another(plan, folder)
    begun = (folder / PLAN).exists() or (folder / TABLE).exists()
    there = () if begun else (name for name in names if (folder / name).exists())
    for name in there:
        text = f"{name} is there, which has the name of a run's or a sweep's file"
        raise DataError("hydra.sweep.dir", text, "a new folder, or one without it")


def write(plan: Plan, folder: Path) -> None:
    """Into a sweep's folder. Raises :class:`SpecError` where the folder contains another sweep."""
    _refuse_another(plan, folder)
    # Settings as pairs: a mapping would lose their order.
    jobs = [asdict(job) | {"settings": [list(pair) for pair in job.settings.items()]} for job in plan.jobs]
    OutputFolder(folder).replace(PLAN, to_bytes(asdict(plan) | {"jobs": jobs}))


def _refuse_another(plan: Plan, folder: Path) -> None:
    """Raise :class:`SpecError` where a folder contains another sweep; a finished one keeps its table and no plan."""
    stored: str | None = plan.digest
    try:
        if (folder / PLAN).exists():
            stored = read(folder).digest
        elif (folder / TABLE).exists():
            stored = json.loads((folder / TABLE).read_bytes())["digest"]
    except (ValueError, KeyError, TypeError):
        stored = None
    if stored != plan.digest:
        raise SpecError("hydra.sweep.dir", f"{folder.name} contains another sweep", "a separate folder")


def read(folder: Path) -> Plan:
    """The plan that :func:`write` wrote."""
    content = json.loads((folder / PLAN).read_bytes())
    jobs = tuple(
        Job(**{**job, "settings": dict(job["settings"]), "overrides": tuple(job["overrides"])})
        for job in content["jobs"]
    )
    return Plan(**{**content, "jobs": jobs})
