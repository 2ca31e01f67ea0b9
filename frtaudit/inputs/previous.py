"""The result of an earlier audit, read for a report that says what changed since."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.machine.files import read_regular
from frtaudit.errors import DataError, why

if TYPE_CHECKING:
    from frtaudit.core.result import Previous

PLACE = "report.previous"
WANTED = "the result.json of an earlier audit"


def read_previous(path: str | Path) -> "Previous":
    """An earlier ``result.json``; one of another schema version is kept by its digest and compared with nothing.

    Raises :class:`DataError` where there is no such file, or it is no result.
    """
    file = Path(path)
    try:
        data = read_regular(file)
        from frtaudit.core.result import Previous  # NumPy: of a file that is not there it is told without

        return Previous.read(data)
    except OSError as error:
        raise DataError(PLACE, f"{file.name}: {error.strerror}", WANTED) from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(PLACE, f"{file.name}: not readable as JSON ({error})", WANTED) from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise DataError(PLACE, f"{file.name}: no result ({why(error)})", WANTED) from None
