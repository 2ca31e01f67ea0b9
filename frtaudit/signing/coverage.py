"""What of a folder no signature covers: named, one line each, and never opened where it is not a regular file."""

from collections.abc import Iterator
from pathlib import Path

from frtaudit.config.named_files import ENVELOPE
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.run_files import RESULT, STATEMENT
from frtaudit.errors import DataError, VerificationError
from frtaudit.signing.manifest import UNREAD, empty_folders, entries, left_out
from frtaudit.signing.pdf.marks import is_no_pdf
from frtaudit.signing.statement import Scope, Statement, open_statement
from frtaudit.signing.verification import Check, indeterminate, invalid, unchecked

LARGEST_STATEMENT = 1 << 26
LARGEST_PDF = 1 << 30
SEAL_START = b"{" + ENVELOPE  # of every seal: canonical JSON
ACCEPTED = "a run's or a sweep's folder, a report's PDF, or a seal"


def not_regular(folder: Path) -> Iterator[Check]:
    """Links, FIFOs, sockets and devices: what was signed holds none, so that each is an alteration."""
    for name, kind in entries(folder).items():
        if kind is not None:
            yield altered(name, kind if kind.startswith(UNREAD) else f"{kind}: not opened")


def altered(name: str, problem: str) -> Check:
    """That a file is not as it was signed; indeterminate where it cannot be read, for it may be.

    >>> str(altered("a.csv", "is missing")), str(altered("a.csv", f"{UNREAD} (Permission denied)"))
    ('invalid        a.csv: is missing', 'indeterminate  a.csv: cannot be read by this user (Permission denied)')
    """
    return (indeterminate if problem.startswith(UNREAD) else invalid)(name, problem)


def unsigned(folder: Path) -> Check:
    """That no statement stands in a folder: of a draft, or of what is no run."""
    what = "an unsigned draft" if (folder / RESULT).is_file() else "not a run folder"
    return indeterminate(STATEMENT, f"is missing: {what}")


def is_no_report(file: Path) -> bool:
    """Whether a file is neither a PDF nor a seal, told before what reads PDFs is loaded."""
    if file.stat().st_size > LARGEST_PDF:
        return False  # it is not read at all
    data = file.read_bytes()
    return not data.startswith(SEAL_START) and is_no_pdf(data)


def not_alone(file: Path) -> Check:
    """That a file has no signature of its own: one of a signed run is checked with its folder."""
    if not (file.parent / STATEMENT).is_file():
        return not_signed(file.name)
    return indeterminate(file.name, f"is checked with the folder that it is in; accepted: {ACCEPTED}")


def not_signed(where: str) -> Check:
    """That a file has no signature: a report that is a draft, or another file."""
    return indeterminate(where, f"is not signed: an unsigned draft, or not a report; accepted: {ACCEPTED}")


def not_covered(folder: Path) -> Iterator[Check]:
    """Hidden files and logs, which may change after the signature, and folders in which no file stands."""
    for name in left_out(folder):
        yield unchecked(
            name, f"is not covered by {STATEMENT}: hidden files and logs may change after the signature"
        )
    yield from (
        unchecked(name, "is an empty folder: no statement covers it") for name in empty_folders(folder)
    )


def outer_statement_of(folder: Path) -> Statement:
    """The statement beside a folder's files. Raises FileNotFoundError, :class:`VerificationError`."""
    return open_statement(read_bounded(folder / STATEMENT, LARGEST_STATEMENT), Scope.OUTER, STATEMENT)


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of a regular file that nothing vouches for yet.

    Raises FileNotFoundError; :class:`VerificationError` for what is not a regular file, too large, or not readable.
    """
    try:
        size = path.lstat().st_size
        if size > most:
            raise VerificationError(path.name, f"is {size} bytes long: not read", f"at most {most}")
        return read_regular(path)
    except FileNotFoundError:
        raise
    except DataError as error:
        raise VerificationError(path.name, f"{error.found}: not opened", "a regular file") from None
    except PermissionError as error:
        raise VerificationError(path.name, f"{UNREAD} ({error.strerror})", "a readable file") from None
    except OSError as error:
        raise VerificationError(path.name, f"cannot be read ({error.strerror})", "a readable file") from None
