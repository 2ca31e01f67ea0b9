"""``frtaudit run``: Hydra composes, this module turns what it composed into an audit and an exit code.

A run that is refused or stopped leaves nothing behind. Sweeps are in :mod:`frtaudit.launch`.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from frtaudit import signals, streams
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import FrtauditError, SpecError
from frtaudit.faults import as_line
from frtaudit.hydra_errors import HYDRA_ERRORS, translated
from frtaudit.shipped import shipped
from frtaudit.spec import CONFIG, from_config, publish, rewritten, to_full

DONE, COULD_NOT, USAGE, REQUIREMENT_FAILED = 0, 1, 2, 3
DEBUG = "FRTAUDIT_DEBUG"
RESULT, TRACES = "result.json", ".hydra"
REPORTS = ("report.html", "report.pdf")


class FailOn(Enum):
    """The mildest verdict that makes a run exit with 3."""

    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTABLE = "not_testable"


_FAILING: Mapping[FailOn, tuple[str, ...]] = {
    FailOn.FAIL: ("fail",),
    FailOn.INCONCLUSIVE: ("fail", "inconclusive"),
    FailOn.NOT_TESTABLE: ("fail", "inconclusive", "not_testable"),
}


def exit_code(verdicts: Mapping[str, int], fail_on: FailOn = FailOn.FAIL) -> int:
    """0, or 3 when a verdict that counts as failure was reached.

    >>> exit_code({"pass": 2, "inconclusive": 1}), exit_code({"inconclusive": 1}, FailOn.INCONCLUSIVE)
    (0, 3)
    """
    failing = any(verdicts.get(verdict, 0) for verdict in _FAILING[fail_on])
    return REQUIREMENT_FAILED if failing else DONE


@dataclass(slots=True)
class _Parent:
    """What the process learns of its run: mutable, one per process, reset by :func:`run`."""

    code: int = DONE
    made: tuple[Path, ...] = ()

    def reset(self) -> None:
        """As at the start of a process."""
        self.code, self.made = DONE, ()


_parent = _Parent()


class Folders(Callback):
    """Notes where a run writes, before it does."""

    def on_run_start(self, config: DictConfig, **_: object) -> None:
        """Folders that a refused run made are removed again, the deepest first."""
        folder = Path(config.hydra.run.dir).absolute()
        _parent.made = tuple(path for path in (folder, *folder.parents) if not path.exists())


def run(flags: Sequence[str], overrides: Sequence[str], config_dir: str | None, fail_on: FailOn) -> int:
    """Hand a run to Hydra; the exit code is the run's.

    ``flags``: Hydra's own (``--cfg job``, ...). Raises :class:`FrtauditError`.
    """
    _parent.reset()
    try:
        publish()
        words = [*flags, *rewritten(overrides, config_dir), f"++fail_on={fail_on.value}"]
        with called_as(words):
            _hydra()
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    except OSError as error:  # a job tells its own; what is left is a folder that Hydra could not make
        if os.environ.get(DEBUG):
            raise
        raise as_line(error, "hydra.run.dir") from error
    return _parent.code


def complete(words: Sequence[str]) -> int:
    """Hydra's own tab completion: ``install=bash`` prints what a shell evaluates, ``query=bash`` what it then asks."""
    publish()
    line = os.environ.get("COMP_LINE", "")
    os.environ["COMP_LINE"] = re.sub(r"^(\s*\S+\s+)(run|check|plan)\s+", r"\1", line)
    with called_as(["--shell-completion", *words]):
        _hydra()
    return DONE


def job(config: DictConfig) -> None:
    """One audit, as Hydra calls it."""
    folder = Path(HydraConfig.get().runtime.output_dir)
    try:
        _parent.code = _audit(config, folder)
    except Exception as error:  # noqa: BLE001  the user reads one line, whatever happened
        _parent.code = _refused(error)
    except KeyboardInterrupt:
        _remove_made()
        raise


def refuse_used(folder: Path) -> None:
    """Raise :class:`SpecError` for an output folder that already holds a result."""
    if (folder / RESULT).exists():
        raise SpecError(
            "hydra.run.dir", f"{folder.name} already holds a {RESULT}", "a folder without a result"
        )


def say(error: FrtauditError) -> None:
    """One line on standard error."""
    streams.say(str(error))


def _hydra() -> None:
    hydra.main(config_path=str(shipped("conf")), config_name=CONFIG, version_base="1.3")(job)()


def _audit(config: DictConfig, folder: Path) -> int:
    signals.check()
    from frtaudit.delivery import run as run_audit  # the pipeline loads every numerical library

    signals.check()
    refuse_used(folder)
    try:
        spec = from_config(config, HydraConfig.get().runtime.choices.get("audit"))
    except HYDRA_ERRORS as error:
        raise translated(error) from error
    summary = run_audit(spec, folder, partial(exit_code, fail_on=FailOn(config.fail_on)))
    write_traces(spec, HydraConfig.get().overrides.task, folder / TRACES)
    sys.stdout.write(told(summary.verdict_counts, summary.choice, folder))
    return summary.exit_code


def told(verdicts: Mapping[str, int], choice: Sequence[str], folder: Path) -> str:
    """What a run says at its end: what was chosen, how many findings of each verdict, and where its files are.

    >>> import tempfile
    >>> print(told({"pass": 2, "fail": 0, "not_testable": 1}, (), Path(tempfile.mkdtemp())).splitlines()[0])
    verdicts: 2 pass, 1 not testable
    """
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in verdicts.items() if count)
    written = [shown(folder) / name for name in (RESULT, *REPORTS) if (folder / name).exists()]
    found = [f"verdicts: {counts or 'no requirement declared'}"] if counts or not choice else []
    return "".join(f"{line}\n" for line in (*(f"choice: {said}" for said in choice), *found, *written))


def shown(path: Path) -> Path:
    """A path as seen from the working folder, where it lies below it.

    >>> shown(Path.cwd() / "reports")
    PosixPath('reports')
    """
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def write_traces(spec: AuditSpec, overrides: Sequence[str], folder: Path) -> None:
    """What was asked, paths and machine settings included: ``reproduce`` finds the inputs by it; not in the result."""
    folder.mkdir(exist_ok=True)
    OmegaConf.save(OmegaConf.create(dict(to_full(spec))), folder / "config.yaml")
    OmegaConf.save(OmegaConf.create(list(overrides)), folder / "overrides.yaml")


def _refused(error: Exception) -> int:
    """Say why, and leave no trace."""
    if os.environ.get(DEBUG):
        raise error
    line = as_line(error)
    say(line)
    _remove_made()
    return line.exit_code


def _remove_made() -> None:
    """The folders that this run made, the deepest first, as far as they are empty."""
    with suppress(OSError):
        for made in _parent.made:
            made.rmdir()


@contextmanager
def called_as(words: Sequence[str]) -> Iterator[None]:
    """As if called so: Hydra reads ``sys.argv``, and raises rather than prints with HYDRA_FULL_ERROR."""
    before, full = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv, os.environ["HYDRA_FULL_ERROR"] = ["frtaudit", *words], "1"
    try:
        yield
    finally:
        sys.argv = before
        os.environ.pop("HYDRA_FULL_ERROR") if full is None else os.environ.update(HYDRA_FULL_ERROR=full)
