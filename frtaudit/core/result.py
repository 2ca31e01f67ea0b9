"""The audit's result: the seam between the pipeline and everything that reads it."""

import json
from collections.abc import Mapping, Sequence  # noqa: F401  Sequence: what Json is made of, which the types of fields are read with
from dataclasses import dataclass, field
from pathlib import Path

from frtaudit.core.canonical import Json, plain, read_json, sha256, to_bytes
from frtaudit.core.cohort import LedgerEntry
from frtaudit.core.curves import Curve
from frtaudit.core.estimates import Estimate
from frtaudit.core.findings import Finding
from frtaudit.core.freeze import require
from frtaudit.core.machine.files import read_regular
from frtaudit.core.machine.run_files import RESULT, VERDICT
from frtaudit.core.plain.records import ADDED, PLAIN, from_json, to_json
from frtaudit.core.seal import SealRecord
from frtaudit.errors import DataError, why

SCHEMA_VERSION = "1.0"
DECISION = "vendor_decision"  # the metric of an estimate that says whether a system is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """All estimates, findings and failures of an audit; ``from_json(to_json(x)) == x``.

    Attributes
    ----------
    spec : mapping
        The resolved, typed spec without ``report.*``, paths and numbers of threads.
    digests : mapping
        ``spec``, ``cohort``, and ``inputs``: file name to SHA-256.
    versions : mapping of str to str
        Packages that made the numbers.
    estimates : tuple of Estimate
        Every number with its counts and intervals.
    curves : tuple of Curve
        What the figures draw.
    findings : tuple of Finding
        The requirements with their verdicts.
    failures : tuple of LedgerEntry
        Failures and exclusions.
    cohort : mapping
        Counts of subjects and samples, by schema and class.
    notes : tuple of str
        Sentences that the report prints with the method.
    seal : frtaudit.core.seal.SealRecord or None
        What was sealed before the run, and what was done otherwise.
    schema_version : str
        Version of the format of ``result.json``.

    Examples
    --------
    >>> empty = AuditResult(spec={}, digests={}, versions={}, estimates=(), curves=(), findings=(), failures=(),
    ...                     cohort={})
    >>> AuditResult.from_json(empty.to_json()) == empty
    True
    """

    spec: Mapping[str, Json] = field(metadata=PLAIN)
    digests: Mapping[str, Json] = field(metadata=PLAIN)
    versions: Mapping[str, str]
    estimates: tuple[Estimate, ...]
    curves: tuple[Curve, ...]
    findings: tuple[Finding, ...]
    failures: tuple[LedgerEntry, ...]
    cohort: Mapping[str, Json] = field(metadata=PLAIN)
    notes: tuple[str, ...] = ()
    seal: SealRecord | None = field(default=None, metadata=ADDED)
    schema_version: str = SCHEMA_VERSION
    _written: bytes | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("spec", "digests", "cohort"):
            if not isinstance(getattr(self, name), Mapping):
                raise TypeError(f"{name} is not a mapping")
            object.__setattr__(self, name, plain(getattr(self, name)))
        places = [finding.index for finding in self.findings if finding.index is not None]
        require(max(places, default=-1) < len(self.estimates), "findings point at estimates")

    @property
    def choice(self) -> tuple[str, ...]:
        """What a declared rule says of each system that was compared, each sentence once; empty without a rule."""
        notes = (estimate.note for estimate in self.estimates if estimate.metric == DECISION)
        return tuple(dict.fromkeys(note for note in notes if note))

    def judged(self, finding: Finding) -> Estimate | None:
        """The estimate that a finding is on.

        Parameters
        ----------
        finding : Finding
            One of ``findings``.

        Returns
        -------
        Estimate or None
            None where nothing could be estimated.
        """
        return None if finding.index is None else self.estimates[finding.index]

    def to_json(self) -> dict[str, Json]:
        """The mapping that ``result.json`` holds.

        Returns
        -------
        dict of str to Json
            Keys in the order of the fields; numbers as Python's.
        """
        return to_json(self)

    def to_bytes(self) -> bytes:
        """Canonical bytes of ``result.json``, made once.

        Returns
        -------
        bytes
            JSON in UTF-8, keys sorted, without spaces, with one end of line at its end.
        """
        written = self._written or to_bytes(self.to_json())
        object.__setattr__(self, "_written", written)
        return written

    @property
    def sha256(self) -> str:
        """Digest of the canonical result."""
        return sha256(self.to_bytes())

    @classmethod
    def from_json(cls, value: Mapping[str, object]) -> "AuditResult":
        """Read what ``to_json`` wrote.

        Parameters
        ----------
        value : mapping
            The content of ``result.json``.

        Returns
        -------
        AuditResult
            Equal to the one that was written.

        Raises
        ------
        ValueError, TypeError, KeyError
            The mapping is no result of this schema version.
        """
        result: AuditResult = from_json(cls, value)
        return result

    @classmethod
    def of_file(cls, data: bytes) -> "AuditResult":
        """The result that a file holds; its bytes and digest are those of the file, canonical or not.

        Parameters
        ----------
        data : bytes
            The file.

        Returns
        -------
        AuditResult
            With ``to_bytes() == data``.

        Raises
        ------
        ValueError, TypeError, KeyError
            The bytes are no result of this schema version.
        """
        result = cls.from_json(read_json(data))
        object.__setattr__(result, "_written", data)
        return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Previous:
    """The file's bytes, their digest, the schema version it names, and the result (None: of another version)."""

    data: bytes
    sha256: str
    schema_version: str
    result: AuditResult | None

    @classmethod
    def read(cls, data: bytes) -> "Previous":
        """An earlier ``result.json``. Raises ValueError where it is no JSON or names no schema version.

        What a broken result of this version leads to is raised as it is.
        """
        value = read_json(data)
        version = value.get("schema_version") if isinstance(value, dict) else None
        if not isinstance(version, str):
            raise ValueError("names no schema version")  # noqa: TRY004  the file's content, not an argument's type
        result = AuditResult.from_json(value) if version == SCHEMA_VERSION else None
        return cls(data=data, sha256=sha256(data), schema_version=version, result=result)


def refuse_unnamed(folder: Path, name: str, data: bytes) -> None:
    """Raise :class:`DataError` where ``data`` is not the result that the verdict of a run's folder names."""
    try:
        noted = json.loads(read_regular(folder / VERDICT, f"{name}/{VERDICT}"))["result_sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataError(name, f"{VERDICT} cannot be read ({why(error)})", "a complete run") from None
    if noted != sha256(data):
        raise DataError(name, f"{RESULT} is not the one that {VERDICT} names", "an unchanged run")
