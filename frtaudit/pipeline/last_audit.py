"""The last audit that a spec names (``report.previous``), as ``frtaudit verify`` will accept it beside the run."""

from pathlib import Path

from frtaudit.core.result import Previous
from frtaudit.errors import DataError
from frtaudit.inputs.previous import PLACE, WANTED, read_previous
from frtaudit.signing.contents import earlier_problem


def last_audit(path: str | None) -> Previous | None:
    """The earlier result, None where none is named.

    Raises :class:`DataError` for what is no result, or for one that contradicts itself.
    """
    if not path:
        return None
    previous = read_previous(path)
    wrong = earlier_problem(previous)
    if wrong is not None:
        raise DataError(PLACE, f"{Path(path).name}: {wrong}", WANTED)
    return previous
