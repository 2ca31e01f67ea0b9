"""Score lists made elsewhere: the cohort is who stands in them, the comparisons are their lines."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.machine.files import check_regular
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH
from frtaudit.errors import DataError
from frtaudit.inputs.places import need_file, visible
from frtaudit.inputs.pseudonyms import read_key
from frtaudit.inputs.tables import (
    SUFFIXES,
    need_table,
    read_table,
    table_called,
    table_stem,
    table_suffix,
    unread_tables,
)

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData


@register("cohort", "scores")
@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLists:
    """``root``: one score list (a table: ``.csv``, ``.parquet``, ...), or a folder of them, one comparison per line.

    Columns: probe, reference, score; probe_subject and reference_subject, unless ``metadata`` says whose the samples
    are; perhaps failure (a code), provider (else the file's stem names it), mated (checked against the subjects), and
    pairs of columns probe_<x>, reference_<x> that schemas can name as ``<x>``.

    ``metadata``: a table with sample_id and subject_id, in the folder of the lists; metadata.csv, .tsv,
    ... by default where it is. ``files``: the lists below ``root``; by default all but metadata, pairs and failures.
    ``pseudonym_key``: a file whose bytes key the pseudonyms; by default the people of metadata or lists do.
    """

    root: str = field(metadata=PATH)
    files: tuple[str, ...] = ()
    metadata: str | None = None
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        folder, paths = self._lists(Path(self.root))
        for path in paths:
            need_table(path, path.name)
        if self.metadata is not None:
            need_file("cohort.metadata", self.metadata, folder)
        if self.pseudonym_key is not None:
            read_key(self.pseudonym_key)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read all lists. Raises :class:`DataError` naming file and line, never a sample or subject."""
        self.check_files()
        from frtaudit.inputs.score_lists.score_cohort import cohort_of_lists
        from frtaudit.inputs.score_lists.scorelist import read_scores

        folder, paths = self._lists(Path(self.root))
        lists = [read_scores(path, path.name) for path in paths]
        metadata = table_called(folder, "metadata")
        if self.metadata is not None:
            metadata = need_file("cohort.metadata", self.metadata, folder)
        table = read_table(metadata, metadata.name) if metadata else None
        read = {path.name: path for path in (*([metadata] if metadata else []), *paths)}
        inputs = {name: sha256_file(path) for name, path in read.items()}
        unread = unread_tables(folder) if Path(self.root).is_dir() and not self.files else ()
        cohort_data = cohort_of_lists(lists, table, schemas, inputs, self.pseudonym_key)
        return replace(cohort_data, paths=read, unread=unread)

    def _lists(self, root: Path) -> tuple[Path, list[Path]]:
        """The folder and the score lists in it."""
        if root.is_file():
            return root.parent, [root]
        if not root.is_dir():
            check_regular(root, "cohort.root")
            problem = f"no file or folder {str(root)!r}"
            raise DataError("cohort.root", problem, "a score list, or a folder of them")
        apart = {"metadata", "pairs", "failures", table_stem(Path(self.metadata or "metadata").name)}
        score_lists = [
            path for path in visible(root) if table_suffix(path.name) and table_stem(path.name) not in apart
        ]
        paths = [root / name for name in self.files] or score_lists
        if not paths:
            accepted = f"files ending in {', '.join(SUFFIXES)}"
            raise DataError("cohort.root", "the folder holds no score list", accepted)
        return root, paths
