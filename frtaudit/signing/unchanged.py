"""Whether a folder still holds what was signed there: asked by commands that go on from a run or from a sweep."""

from collections.abc import Iterator
from pathlib import Path

from frtaudit.core.machine.run_files import RESULT, STATEMENT
from frtaudit.errors import DataError, VerificationError
from frtaudit.report.files import PDF, TABLE
from frtaudit.signing.coverage import outer_statement_of
from frtaudit.signing.manifest import UNREAD, extends, problem

UNCHANGED = "an unchanged run; frtaudit verify names the changes"


def changes(folder: Path) -> Iterator[tuple[str, str]]:
    """Each file that is not as the folder's statement records, and why; none where nothing is signed.

    A PDF may have been signed once more since.
    """
    if not (folder / STATEMENT).exists():
        return
    try:
        outer = outer_statement_of(folder)
    except VerificationError as error:
        yield STATEMENT, error.found
        return
    for name in (RESULT, TABLE):
        if (folder / name).exists() and name not in outer.subjects:
            yield name, f"is not listed in {STATEMENT}"
    for name, recorded in outer.subjects.items():
        wrong = problem(folder, name, recorded)
        unread = wrong is not None and wrong.startswith(UNREAD)
        approved = not unread and name.rpartition("/")[2] == PDF and extends(folder / name, recorded)
        if wrong is not None and not approved:
            yield name, wrong


def refuse_changed(run: Path) -> None:
    """Raise :class:`DataError` where a file that stands in a signed folder is not as it was signed.

    ``run``: the folder, or its ``result.json``. A file that was left behind when the folder was copied is no change.
    """
    folder = run.parent if run.is_file() else run
    _refuse(folder, ((name, why) for name, why in changes(folder) if (folder / name).exists()))


def refuse_incomplete(folder: Path) -> None:
    """Raise :class:`DataError` where a signed folder lacks a file, or has another than was signed."""
    _refuse(folder, changes(folder))


def _refuse(folder: Path, problems: Iterator[tuple[str, str]]) -> None:
    for name, why in problems:
        raise DataError(f"{folder.name or folder}/{name}", why, UNCHANGED)
