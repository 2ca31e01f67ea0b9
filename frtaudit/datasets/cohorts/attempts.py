"""Attempts of verification transactions: the cohort is who stands in them, the comparisons are the attempts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH
from frtaudit.inputs.places import need_file
from frtaudit.inputs.pseudonyms import read_key
from frtaudit.inputs.tables import need_table, read_table, table_stem

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData


@register("cohort", "attempts")
@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """``root``: a table (``.csv``, ``.parquet``, ...) of attempts, one per line, for ``analyses.transactions``.

    Columns: transaction, attempt (from 1), claimed_subject, subject, score, perhaps failure (a code), seconds (from the
    start of the transaction to the end of the attempt), provider (else the file's stem names it). ``people``: a table
    in its folder with subject, columns that schemas can name, perhaps enrolled (1 or 0): who was not is a failure to
    enrol. ``pseudonym_key``: a file whose bytes key the pseudonyms.
    """

    root: str = field(metadata=PATH)
    people: str | None = None
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        path = Path(self.root)
        need_table(path, path.name)
        if self.people:
            people = need_file("cohort.people", self.people, path.parent)
            need_table(people, people.name)
        if self.pseudonym_key is not None:
            read_key(self.pseudonym_key)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read the tables. Raises :class:`DataError` naming file and line, never a person."""
        self.check_files()
        from frtaudit.inputs.score_lists.attempts import attempts_in, cohort_of_attempts

        path = Path(self.root)
        attempts = attempts_in(read_table(path, path.name), table_stem(path.name))
        known = need_file("cohort.people", self.people, path.parent) if self.people else None
        people = read_table(known, known.name) if known else None
        read = {file.name: file for file in (path, known) if file is not None}
        inputs = {name: sha256_file(file) for name, file in read.items()}
        return replace(cohort_of_attempts(attempts, people, schemas, inputs, self.pseudonym_key), paths=read)
