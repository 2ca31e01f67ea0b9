"""``frtaudit export``: a finished run in other programs' formats; all files appear, or none."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import cast

from frtaudit.core.machine.draft_folder import draft_folder
from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.output import keeping_open
from frtaudit.core.machine.progress import quiet
from frtaudit.core.registry import lookup, names
from frtaudit.errors import DataError, SpecError
from frtaudit.report.exports.run_folder import Export, FinishedRun

DRAFT = ".draft-"


def every_format() -> list[str]:
    """The formats that are written where none is named."""
    return [
        name for name in names("export") if not getattr(lookup("export", name, "--as"), "ON_REQUEST", False)
    ]


def export(
    run: FinishedRun, formats: Sequence[str], out: Path, settings: Mapping[str, str] = MappingProxyType({})
) -> list[Path]:
    """Write a run in other formats; all files appear, or none.

    Parameters
    ----------
    run : FinishedRun
        What is written.
    formats : sequence of str
        Names of registered formats.
    out : Path
        The folder; made where it does not exist.
    settings : mapping of str to str
        Fields of formats, such as ``into``; each goes to the formats that have it.

    Returns
    -------
    list of Path
        The files and folders that were made.

    Raises
    ------
    SpecError
        A format is not registered, or none has a setting.
    DataError
        ``out`` cannot be written or holds one of the files.

    Examples
    --------
    >>> import tempfile
    >>> from datetime import UTC, datetime
    >>> from frtaudit.core import AuditResult
    >>> empty = AuditResult(spec={}, digests={}, versions={}, estimates=(), curves=(), findings=(), failures=(),
    ...                     cohort={})
    >>> run = FinishedRun(result=empty, when=datetime(2026, 1, 1, tzinfo=UTC))
    >>> [path.name for path in export(run, ["junit"], Path(tempfile.mkdtemp()))]
    ['junit.xml']
    """
    kinds = [lookup("export", name, "--as") for name in dict.fromkeys(formats)]
    fields = [{field.name for field in dataclasses.fields(kind)} for kind in kinds]
    unknown = next((key for key in settings if not any(key in names for names in fields)), None)
    if unknown is not None:
        known = ", ".join(sorted(set().union(*fields))) or "none"
        raise SpecError("command line", f"no format of these has {unknown!r}", known)
    makers = [
        cast("Export", kind(**{key: value for key, value in settings.items() if key in names}))
        for kind, names in zip(kinds, fields, strict=True)
    ]

    def fill(draft: Path) -> None:
        for maker in quiet(makers, "formats"):
            maker.write(run, draft)

    return write_whole(out, fill)


def write_whole(out: Path, fill: Callable[[Path], None], option: str = "--out") -> list[Path]:
    """Let ``fill`` write into a draft, then move what it made into ``out``, all or nothing; what was made.

    ``option``: what named ``out``, for errors.

    Raises :class:`DataError` where ``out`` cannot be written or holds one of the files.
    """
    with ExitStack() as stack:
        try:
            draft, draft_fd, home = stack.enter_context(draft_folder(out, DRAFT))
        except OSError as error:
            raise as_line(error, option) from None
        with keeping_open(draft, draft_fd):
            fill(draft)
        names = sorted(os.listdir(draft_fd))  # noqa: PTH208  of the open folder
        there = sorted({*names} & {*os.listdir(home)})  # noqa: PTH208  of the open folder; also links that lead nowhere
        if there:
            raise DataError(option, f"already contains {', '.join(there)}", "an empty folder, or another")
        for name in names:
            os.rename(name, name, src_dir_fd=draft_fd, dst_dir_fd=home)
    return [out / name for name in names]
