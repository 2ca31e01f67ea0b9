"""Faces found by query, whom nobody named: the services' own scores say who is who (Knott et al.)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from frtaudit.canonical import digest, sha256_file
from frtaudit.core.cohort import LedgerEntry, Material
from frtaudit.core.spec import PATH, SchemaSpec
from frtaudit.errors import DataError
from frtaudit.intake.faces import faces_of, services_of
from frtaudit.intake.pseudonyms import key_bytes
from frtaudit.intake.scorelist import read_scores
from frtaudit.intake.tables import SUFFIXES, read_table
from frtaudit.labelling.enrolment import material_of
from frtaudit.labelling.estimate import How
from frtaudit.registry import register

SELF = "self_comparison"


@register("cohort", "queries")
@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """``root``: a folder with ``faces`` (face_id, query, perhaps annotation, columns of schemas) and score lists.

    ``files``: the score lists below ``root``; by default all but ``faces``. ``labels``: how faces get their labels.
    ``pseudonym_key``: a file whose bytes key the pseudonyms; by default the digest of what was read does.
    """

    root: str = field(metadata=PATH)
    faces: str = "faces.csv"
    files: tuple[str, ...] = ()
    labels: How = field(default_factory=How)
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> Material:  # noqa: ARG002  sources share a signature
        """Read, label, enrol. Raises :class:`DataError` naming file and line, never a face or a query."""
        folder, paths = self._files()
        faces, columns = faces_of(read_table(folder / self.faces, self.faces))
        services, alone = services_of(faces, [read_scores(path, path.name) for path in paths])
        made = material_of(faces, services, columns, self.labels, schemas)
        read = {path.name: path for path in (folder / self.faces, *paths)}
        inputs = {name: sha256_file(path) for name, path in read.items()}
        selves = [
            LedgerEntry(code=SELF, count=n, unit="comparisons", provider=name) for name, n in alone.items()
        ]
        return replace(
            made,
            cohort=replace(made.cohort, ledger=(*made.cohort.ledger, *selves)),
            inputs=inputs,
            paths=read,
            pseudonym_key=key_bytes(self.pseudonym_key, digest(inputs)),
        )

    def _files(self) -> tuple[Path, list[Path]]:
        folder = Path(self.root)
        if not folder.is_dir():
            raise DataError(
                "cohort.root", f"no folder {self.root!r}", "a folder with faces.csv and score lists"
            )
        found = sorted(
            path for path in folder.iterdir() if path.suffix in SUFFIXES and path.name != self.faces
        )
        paths = [folder / name for name in self.files] or found
        if not paths:
            raise DataError(
                "cohort.root", "the folder holds no score list", "files ending in .csv or .parquet"
            )
        return folder, paths
