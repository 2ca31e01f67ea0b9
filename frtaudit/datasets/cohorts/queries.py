"""Faces found by query, without identity labels: these are estimated from the services' scores (Knott et al.)."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from frtaudit.core.canonical import Json, sha256_file
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH, SIMILARITY
from frtaudit.errors import DataError, SpecError, column_names
from frtaudit.inputs.places import COLLECTION, STORE, need_search, need_templates, visible
from frtaudit.inputs.pseudonyms import pseudonym_key, read_key
from frtaudit.inputs.tables import SUFFIXES, need_table, read_table, table_suffix, unread_tables
from frtaudit.labelling.settings import Between, Detected, How

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats, Texts
    from frtaudit.core.cohort import CohortData, LedgerEntry
    from frtaudit.core.labelling import Faces, Service

T = TypeVar("T")

SELF = "self_comparison"
EARLIER = "earlier"
ANSWERS = "answers.csv"  # where frtaudit label writes: never a score list
REVIEWER = "answers_"  # begin of the names of files of several reviewers


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What the files of a search say.

    ``columns``: of the faces, texts (F,); ``ledger``: what was left out before any label; ``paths``: file name to where
    it was read; ``size_of``: of the boxes of each service; ``notes``: warnings of how it was collected; ``facts``: how,
    None where nobody says.
    """

    faces: "Faces"
    columns: "Mapping[str, Texts]"
    services: "tuple[Service, ...]"
    ledger: "tuple[LedgerEntry, ...]"
    paths: Mapping[str, Path]
    size_of: "Mapping[str, Floats]"
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Json] | None = None


@register("cohort", "queries")
@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """``root``: a folder with ``faces`` (face_id, query, optionally annotation, columns of schemas) and score lists.

    ``files``: the score lists below ``root``; by default all but ``faces`` and ``boxes``. ``boxes``: a file of image,
    provider, face, x, y, width, height: ``faces`` then lists images, and each provider's scores are of its own faces;
    ``detected``: which of them are used. ``duplicates``: an .npz of embeddings under the names of ``faces``, of which
    one is kept where several of a query have a cosine above ``similarity``. ``labels``: how faces get their labels.
    ``between``: which listed pairs of faces of different queries count: all that are ``listed``; or, of one ``group``
    (a column of ``faces``; without it all are of one), ``all``, or ``matched``: as many as within queries, drawn with
    the spec's seed. ``answers``: a file of ``frtaudit label`` that stands over the column annotation. ``earlier``: a
    folder of the same form, collected at an earlier date, for ``analysis=two_dates``. ``pseudonym_key``: a file whose
    bytes key the pseudonyms; by default the faces and their queries do. A folder that ``frtaudit collect`` wrote
    says itself which files are which, and must be finished.
    """

    root: str = field(metadata=PATH)
    faces: str = "faces.csv"
    files: tuple[str, ...] = ()
    boxes: str | None = None
    detected: Detected = Detected.SINGLE
    duplicates: str | None = None
    similarity: float = SIMILARITY
    labels: How = field(default_factory=How)
    between: Between = Between.LISTED
    group: str | None = None
    answers: str | None = field(default=None, metadata=PATH)
    earlier: str | None = field(default=None, metadata=PATH)
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a cosine that cannot be exceeded, or all faces of no boxes."""
        if not -1 <= self.similarity < 1:
            raise SpecError("cohort.similarity", f"{self.similarity:g}", "a cosine, -1 or more and below 1")
        if self.detected is Detected.ALL and self.boxes is None:
            raise SpecError("cohort.detected", "all faces, but no boxes", "cohort.boxes=FILE, or single")
        if self.group is not None and self.between is Between.LISTED:
            raise SpecError("cohort.group", f"{self.group!r} with between=listed", "between=matched or all")

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        folder = Path(self.root)
        if not any(os.path.lexists(folder / name) for name in (COLLECTION, STORE)):  # which tells its files
            folder, paths = self._files()
            extra = [] if self.boxes is None else [folder / self.boxes]
            need_table(folder / self.faces, self.faces)
            for path in (*paths, *extra):
                need_table(path, path.name)
        if self.duplicates is not None:
            need_templates(folder / self.duplicates)
        if self.answers is not None:
            need_table(Path(self.answers), Path(self.answers).name)
        if self.pseudonym_key is not None:
            read_key(self.pseudonym_key)
        if self.earlier is not None:
            _earlier(self, self.earlier, Queries.check_files)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":
        """Read, join, label, enrol. Raises :class:`DataError` naming file and line, never a face or a query."""
        self.check_files()
        from frtaudit.labelling.enrolment import labelled_cohort, labelling_of

        search = self._picked(self.search(), seed)
        faces, services, columns = search.faces, search.services, search.columns
        cohort_data = labelled_cohort(faces, services, columns, self.labels, schemas, search.size_of)
        paths, earlier = dict(search.paths), None
        if self.earlier is not None:
            before = self._picked(_earlier(self, self.earlier, Queries.search), seed)
            earlier = labelling_of(before.faces, before.services, self.labels.among(before.services))
            paths |= {f"{EARLIER}/{name}": path for name, path in before.paths.items()}
        subjects = [faces.queries[q] for q in faces.query_of]
        return replace(
            cohort_data,
            cohort=replace(cohort_data.cohort, ledger=(*search.ledger, *cohort_data.cohort.ledger)),
            inputs={name: sha256_file(path) for name, path in paths.items()},
            paths={name: path for name, path in paths.items() if table_suffix(path.name)},
            pseudonym_key=pseudonym_key(self.pseudonym_key, faces.names, subjects),
            secret=self.pseudonym_key is not None,
            earlier=earlier,
            unread=() if self.files or search.facts is not None else _unread(Path(self.root), paths),
            notes=search.notes,
            collection=search.facts,
        )

    def search(self) -> Search:
        """What the files say, before anything is labelled. Raises :class:`DataError` as :meth:`load` does."""
        from frtaudit.inputs.queries.collected import read_collected
        from frtaudit.labelling.detection import with_reasons

        collected = read_collected(Path(self.root))
        if collected is None:
            return self._read(*self._files())
        files = self.files or collected.lists
        named = replace(self, faces=collected.faces, boxes=collected.boxes, files=files)
        read = named._read(*named._files())  # noqa: SLF001  itself, with other fields
        return replace(
            read,
            ledger=(*collected.ledger, *with_reasons(read.ledger, collected.refused)),
            paths={COLLECTION: Path(self.root) / COLLECTION, **read.paths},
            notes=collected.notes,
            facts=collected.facts,
        )

    def _read(self, folder: Path, paths: Sequence[Path]) -> Search:
        import numpy as np

        from frtaudit.core.cohort import ledger_of
        from frtaudit.inputs.queries.answers import with_answers
        from frtaudit.inputs.queries.boxes import boxes_of, need_no_boxes
        from frtaudit.inputs.queries.faces import faces_of, services_of
        from frtaudit.inputs.score_lists.scorelist import read_scores
        from frtaudit.labelling.crops import crops_of_faces, near_duplicates
        from frtaudit.labelling.detection import crops_of, faces_in

        images, columns = faces_of(read_table(folder / self.faces, self.faces))
        extra = [folder / name for name in (self.boxes, self.duplicates) if name is not None]
        if self.answers is not None:
            extra.append(Path(self.answers))
            images = with_answers(images, read_table(extra[-1], extra[-1].name))
        lists = [read_scores(need_no_boxes(path), path.name) for path in paths]
        boxes = None if self.boxes is None else boxes_of(read_table(folder / self.boxes, self.boxes))
        providers = sorted({name for scores in lists for name in scores.provider.names.tolist()})
        raw, alone = services_of(images, lists, crops_of(boxes, providers))
        detections = faces_in(images, boxes, raw, self.detected)
        gone = np.zeros(len(images.names), dtype=np.bool_)
        alike: list[LedgerEntry] = []
        if self.duplicates is not None:
            used = np.isin(np.arange(len(images.names)), detections.row)
            gone, alike = near_duplicates(folder / self.duplicates, images, used, self.similarity)
        crops = crops_of_faces(images, columns, raw, detections, gone)
        selves = [entry for name, n in alone.items() for entry in ledger_of({SELF: n}, "comparisons", name)]
        return Search(
            faces=crops.faces,
            columns=crops.columns,
            services=tuple(crops.services),
            ledger=(*crops.ledger, *alike, *selves),
            paths={path.name: path for path in (folder / self.faces, *extra, *paths)},
            size_of=crops.size_of,
        )

    def _picked(self, search: Search, seed: int) -> Search:
        """The search with the pairs between queries that count. Raises :class:`SpecError` for a column not there."""
        import numpy as np

        from frtaudit.labelling.pairs import kept_between

        texts = np.full(len(search.faces.names), "all", dtype=object)
        if self.group is not None:
            if self.group not in search.columns:
                known = column_names(search.columns) or f"a column of {self.faces}"
                raise SpecError("cohort.group", f"no column {self.group!r} in {self.faces}", known)
            texts = search.columns[self.group]
        services, left = kept_between(search.faces, search.services, texts, self.between, seed)
        return replace(search, services=services, ledger=(*search.ledger, *left))

    def _files(self) -> tuple[Path, list[Path]]:
        folder = need_search("cohort.root", self.root)
        others = {self.faces, self.boxes, ANSWERS}
        score_lists = [
            path
            for path in visible(folder)
            if table_suffix(path.name) and path.name not in others and not path.name.startswith(REVIEWER)
        ]
        paths = [folder / name for name in self.files] or score_lists
        if not paths:
            accepted = f"files ending in {', '.join(SUFFIXES)}"
            raise DataError("cohort.root", "the folder holds no score list", accepted)
        return folder, paths


def _unread(root: Path, paths: Mapping[str, Path]) -> tuple[str, ...]:
    return tuple(name for name in unread_tables(root) if name not in paths)


def _earlier(later: Queries, root: str, read: Callable[[Queries], T]) -> T:
    """Another folder read, or checked, in the same way. Raises :class:`DataError`, the folder before what it names."""
    need_search("cohort.earlier", root)
    try:
        return read(replace(later, root=root, earlier=None, answers=None, pseudonym_key=None))
    except DataError as error:
        raise DataError(f"{EARLIER}: {error.where}", error.found, error.accepted) from None
