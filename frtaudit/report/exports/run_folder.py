"""A finished run, read back from its folder: what exports start from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from frtaudit.core import AuditResult, Estimate, Finding, Verdict
from frtaudit.core.canonical import read_json
from frtaudit.core.machine.files import read_regular
from frtaudit.errors import DataError

RESULT, TABLES = "result.json", "tables"
RISING = (
    Verdict.FAIL,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_TESTABLE,
)  # from the verdict that always fails to the mildest


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """``result``: what the run found; ``when``: its date and time, UTC; ``failing``: verdicts that count as failures.

    ``files``: names in the folder that a reader may want beside an export; ``tables``: the big tables, as Parquet.
    """

    result: AuditResult
    when: datetime
    failing: tuple[Verdict, ...] = RISING[:1]
    files: tuple[str, ...] = ()
    tables: tuple[Path, ...] = ()

    def estimate(self, finding: Finding) -> Estimate | None:
        """The estimate that a finding judges, where there is one."""
        return (
            None
            if finding.estimate is None
            else self.result.estimates[int(finding.estimate.rsplit("/", 1)[1])]
        )


class Export(Protocol):
    """A format (``export`` plug-ins)."""

    def write(self, run: FinishedRun, folder: Path) -> None:
        """Write the run into ``folder``, which exists, as one file or as a folder of them."""


def failing_from(mildest: str) -> tuple[Verdict, ...]:
    """The verdicts that count as failures when ``mildest`` does.

    >>> [verdict.value for verdict in failing_from("inconclusive")]
    ['fail', 'inconclusive']
    """
    return RISING[: RISING.index(Verdict(mildest)) + 1]


def read_run(
    path: Path, when: datetime | None = None, failing: Sequence[Verdict] = RISING[:1]
) -> FinishedRun:
    """Read a run's folder, or its result.json alone; ``when`` stands for the date of that file.

    Raises :class:`DataError` where no result can be read.
    """
    file = path / RESULT if path.is_dir() else path
    try:
        result = AuditResult.from_json(read_json(read_regular(file)))
        changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
    except OSError as error:
        raise DataError(
            str(path), f"no result ({error.strerror})", f"a run's folder, or its {RESULT}"
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError):
        raise DataError(
            str(file), "not a result of frtaudit run", f"a run's folder, or its {RESULT}"
        ) from None
    folder = file.parent
    return FinishedRun(
        result=result,
        when=when or changed,
        failing=tuple(failing),
        files=tuple(sorted(_names(folder.iterdir()))),
        tables=tuple(sorted((folder / TABLES).glob("*.parquet"))),
    )


def _names(paths: Iterable[Path]) -> list[str]:
    return [path.name for path in paths if path.is_file() and not path.name.startswith(".")]
