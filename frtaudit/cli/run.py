"""``frtaudit run``: run the composed spec; its files and its exit code.

A run that is refused or stopped leaves nothing behind. Sweeps are in :mod:`frtaudit.cli.multirun`.
"""

import errno
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from omegaconf import OmegaConf

from frtaudit.cli.refusals import checked_early
from frtaudit.config.composition import (
    CONFIG,
    Composed,
    composed,
    hydra_session,
    publish,
    rewritten,
    value_of,
)
from frtaudit.config.guard import RUN_FOLDER, check_override, is_name, is_setting
from frtaudit.config.hydra_errors import translating
from frtaudit.config.interpolation import PLAIN, value_at
from frtaudit.config.load import Typed
from frtaudit.config.plugins import DEBUG
from frtaudit.core.findings import FailOn, exit_code
from frtaudit.core.machine import signals, streams
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.run_files import RESULT
from frtaudit.core.spec import AuditSpec
from frtaudit.core.text.names import ASCII
from frtaudit.errors import FrtauditError, SpecError

DONE, COULD_NOT = 0, 1
FOLDER = "reports/${name}/${now:%Y-%m-%dT%H-%M-%S-%f}"
_IN_FOLDER = re.compile(rf"\$\{{now:(?P<now>[^${{}}]*)\}}|{PLAIN.pattern}")


def run(
    flags: Sequence[str],
    overrides: Sequence[str],
    config_dir: str | None,
    fail_on: FailOn,
    *,
    as_json: bool = False,
) -> int:
    """Run an audit in its folder; the exit code is the run's.

    ``flags``: what is shown instead (``--cfg job``, ...); ``as_json``: print the result as JSON. Raises
    :class:`FrtauditError`.
    """
    config = composed(CONFIG, overrides, config_dir)
    if flags:
        return _show(flags, config, overrides, config_dir)
    read, folder = _ready(config, overrides)
    with _made(folder):
        return _audit(read.whole_with_files(), folder, fail_on, as_json=as_json)


def checked(overrides: Sequence[str], config_dir: str | None) -> AuditSpec:
    """The spec that :func:`run` would run, its folder checked too. Raises :class:`FrtauditError`."""
    read, folder = _ready(composed(CONFIG, overrides, config_dir), overrides)
    spec = read.whole_with_files()
    if folder.exists():
        from frtaudit.pipeline.drafts import refuse_invalid  # it loads what signs

        refuse_invalid(folder)
    if spec.checkpoint is not None:
        from frtaudit.pipeline.checkpoint import check_place  # it loads what scores

        check_place(spec, folder)
    return spec


def complete(words: Sequence[str]) -> int:
    """Hydra's own tab completion: ``install=bash`` prints what a shell evaluates, ``query=bash`` what it then asks."""
    publish()
    line = re.sub(r"^(\s*\S+\s+)(run|check|plan)\s+", r"\1", os.environ.get("COMP_LINE", ""))
    os.environ["COMP_LINE"] = line
    typed = [word for word in line.split()[1:-1] if not word.startswith("-")]
    with suppress(SpecError), translating(), hydra_session() as hydra:
        for word in typed:
            check_override(word)
        hydra.shell_completion(CONFIG, list(words))
    return DONE


def refuse_used(folder: Path) -> None:
    """Raise :class:`FrtauditError` for an output folder that holds a result, or that cannot be one."""
    try:
        used = (folder / RESULT).exists()
        above = next(path for path in (folder, *folder.parents) if path.exists())
    except OSError as error:  # a name that is too long
        raise as_line(error, RUN_FOLDER) from error
    if not above.is_dir():
        raise as_line(NotADirectoryError(errno.ENOTDIR, "", str(above)), RUN_FOLDER)
    if used:
        text = f"{folder.name} already contains a {RESULT}"
        raise SpecError("hydra.run.dir", text, "a folder without a result")


def print_error(error: FrtauditError) -> None:
    """One line on standard error."""
    streams.write_line(str(error))


def _show(flags: Sequence[str], config: Composed, overrides: Sequence[str], config_dir: str | None) -> int:
    """What ``--cfg`` and ``--info`` print, with ``--resolve`` and ``--package``."""
    flag_values = dict(pairwise(flags))
    if "--cfg" not in flag_values:
        if "--info" not in flag_values:
            raise SpecError("command line", f"{flags[0]} without --cfg", f"--cfg job {flags[0]}")
        words = rewritten([word for word in overrides if not is_setting(word)], config_dir)
        with translating(), hydra_session() as hydra:
            hydra.show_info(flag_values["--info"], CONFIG, words)
        return DONE
    tree = config.resolved if "--resolve" in flags else config.as_written
    package = flag_values.get("--package", "")
    try:
        part = value_at(tree, package)
    except KeyError:
        raise SpecError("--package", f"no key {package!r}", ", ".join(tree)) from None
    sys.stdout.write(f"# @package {package}\n" if package else "")
    text = OmegaConf.to_yaml(OmegaConf.create(part)) if isinstance(part, (dict, list)) else f"{part}\n"
    sys.stdout.write(text)
    return DONE


def _ready(config: Composed, overrides: Sequence[str]) -> tuple[Typed, Path]:
    """The spec of a run, without its analyses, and its folder, which holds no result yet. Raises FrtauditError."""
    read = checked_early(config)
    folder = _folder(overrides, config)
    refuse_used(folder)
    return read, folder


def _folder(overrides: Sequence[str], config: Composed) -> Path:
    """Where a run goes; ``${key}`` in its name stands for a value of the spec that is one name and no path."""
    named = [str(value_of(word)) for word in overrides if word.startswith(f"{RUN_FOLDER}=")]
    moment = datetime.now()  # noqa: DTZ005  a folder is named by the clock on the wall

    def value(match: re.Match[str]) -> str:
        if match["now"] is not None:
            return moment.strftime(match["now"])
        try:
            text = str(value_at(config.resolved, match[2]))
        except KeyError:
            raise SpecError(RUN_FOLDER, f"no key {match[2]!r}", "a ${key} of the spec") from None
        if not is_name(text):
            raise SpecError(RUN_FOLDER, f"{text!r} for {match[0]}", f"a value of {ASCII}")
        return text

    text = _IN_FOLDER.sub(value, named[-1] if named else FOLDER)
    if "${" in text:
        raise SpecError(RUN_FOLDER, f"the resolver in {text!r}", "${key} and ${now:FORMAT}")
    return Path(os.path.abspath(text))  # noqa: PTH100  without `..`: what is made here is removed by name


def _audit(spec: AuditSpec, folder: Path, fail_on: FailOn, *, as_json: bool) -> int:
    from frtaudit.cli import ending
    from frtaudit.pipeline.rederive import note_paths
    from frtaudit.pipeline.run import run as run_audit  # the pipeline loads every numerical library

    signals.check()
    summary = run_audit(spec, folder, partial(exit_code, fail_on=fail_on))
    note_paths(spec, summary.result_sha256)
    output_of = ending.as_json if as_json else ending.text
    sys.stdout.write(output_of(summary, folder) + "\n")
    return summary.exit_code


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A run's folder: it and those above it go again, as far as they are empty and were made here.

    Raises :class:`DataError` where it cannot be made.
    """
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if os.environ.get(DEBUG):
            raise
        raise as_line(error, RUN_FOLDER) from error
    try:
        yield
    finally:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
