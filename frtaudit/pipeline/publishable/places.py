"""The folders of a publishable variant: the run that it is made of, and where it is written."""

from pathlib import Path

from frtaudit.errors import DataError
from frtaudit.report.files import DRAFT, refuse_sweep

SIGNED = "a signed run that frtaudit verify accepts"


def refuse_unverified(run_folder: Path) -> None:
    """Raise :class:`DataError` for nothing, a file, a sweep, and a run that does not verify."""
    if not run_folder.exists():
        raise DataError(str(run_folder), "there is no such file or folder", SIGNED)
    if run_folder.is_file():
        raise DataError(str(run_folder), "is a file", "the folder of a signed run")
    refuse_sweep(run_folder)
    from frtaudit.signing.verification import CheckStatus  # with the libraries that sign
    from frtaudit.signing.verify import verify

    verification = verify(run_folder)
    if verification.worst in (CheckStatus.INVALID, CheckStatus.INDETERMINATE):
        first = next(check for check in verification.checks if check.status is verification.worst)
        text = first.message if first.subject == str(run_folder) else f"{first.subject} {first.message}"
        raise DataError(str(run_folder), text, SIGNED)


def refuse_occupied(folder: Path) -> None:
    """Raise :class:`DataError` for an output folder that holds more than what a run that ended early leaves."""
    if folder.exists() and any(path.name != DRAFT for path in folder.iterdir()):
        raise DataError(str(folder), "is not empty", "a new or empty folder")
