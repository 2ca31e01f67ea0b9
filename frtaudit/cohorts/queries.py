"""Faces found by query, whom nobody named: the services' own scores say who is who (Knott et al.)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from frtaudit.canonical import digest, sha256_file
from frtaudit.core.cohort import Cohort, LedgerEntry, Material
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.labelling import (
    LEFT_OUT,
    OF_QUERY,
    UNSAID,
    Faces,
    Labelled,
    Labelling,
    LabelSource,
    Service,
)
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import PATH, SchemaSpec
from frtaudit.errors import DataError, SpecError
from frtaudit.intake.faces import faces_of, services_of
from frtaudit.intake.pairing import both_orders, listed_comparisons
from frtaudit.intake.pseudonyms import key_bytes
from frtaudit.intake.roster import Roster, attributes_of, enrol
from frtaudit.intake.schemas import Texts
from frtaudit.intake.scorelist import read_scores
from frtaudit.intake.tables import SUFFIXES, read_table
from frtaudit.labelling.estimate import How, Several, labelled
from frtaudit.registry import register
from frtaudit.stats.spectral import Limits, Reason, Rule

SELF, OTHERS, SAME_QUERY = "self_comparison", "comparison_of_face_without_label", "identities_of_one_query"
FACES_LEFT_OUT, QUERIES_LEFT_OUT = "face_without_label", "query_left_out"

Index = npt.NDArray[np.int32]


@register("cohort", "queries")
@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """``root``: a folder with ``faces`` (face_id, query, perhaps annotation, columns of schemas) and score lists.

    ``labels``: whose labels make the cohort. ``rule``, ``size``, ``ratio``, ``tau``, ``min_faces``,
    ``min_positives``: of the estimate (FORMULAS 5). ``several``: what becomes of queries with several identities.
    ``modes``: service to the modes of its scores; by default those of a mixture. ``services``: that label; by
    default all. ``files``: the score lists below ``root``; by default all but ``faces``. ``pseudonym_key``: a file
    whose bytes key the pseudonyms.
    """

    root: str = field(metadata=PATH)
    faces: str = "faces.csv"
    files: tuple[str, ...] = ()
    labels: LabelSource = LabelSource.ESTIMATED
    rule: Rule = Rule.PUBLIC
    size: float = 4.0
    ratio: float = 1.5
    tau: float = 0.2
    min_faces: int = 8
    min_positives: int = 5
    several: Several = Several.DROP
    modes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    services: tuple[str, ...] = ()
    pseudonym_key: str | None = field(default=None, metadata=PATH)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> Material:  # noqa: ARG002  sources share a signature
        """Read, label, enrol. Raises :class:`DataError` naming file and line, never a face or a query."""
        folder, paths = self._files()
        faces, columns = faces_of(read_table(folder / self.faces, self.faces))
        services, alone = services_of(faces, [read_scores(path, path.name) for path in paths])
        found = labelled(faces, self._asked(services), self.how)
        person = _persons(faces, found, self.labels)
        cohort, attributes, sample_of = _enrolled(faces, person, columns, schemas)
        labelling = Labelling(
            faces=faces, services=services, labelled=found, source=self.labels, sample_of=sample_of
        )
        tables, lines = _tables(labelling, cohort)
        read = {path.name: path for path in (folder / self.faces, *paths)}
        inputs = {name: sha256_file(path) for name, path in read.items()}
        ledger = (*cohort.ledger, *_left_out(found, person), *lines, *_alone(alone))
        return Material(
            cohort=replace(cohort, ledger=ledger),
            tables=tables,
            inputs=inputs,
            paths=read,
            attributes=attributes,
            pseudonym_key=key_bytes(self.pseudonym_key, digest(inputs)),
            labelling=labelling,
        )

    @property
    def how(self) -> How:
        """How labels are estimated."""
        limits = Limits(
            size=self.size,
            ratio=self.ratio,
            tau=self.tau,
            min_faces=self.min_faces,
            min_positives=self.min_positives,
        )
        return How(rule=self.rule, limits=limits, several=self.several, modes=self.modes)

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

    def _asked(self, services: Sequence[Service]) -> list[Service]:
        """The services that label."""
        known = [one.name for one in services]
        unknown = next((name for name in (*self.services, *self.modes) if name not in known), None)
        if unknown is not None:
            raise SpecError("cohort.services", f"no score list of {unknown!r}", ", ".join(known))
        return [one for one in services if not self.services or one.name in self.services]


def _persons(faces: Faces, found: Labelled, source: LabelSource) -> npt.NDArray[np.int32]:
    """Which person of its query each face shows, shape (F,), -1 for none or not known."""
    said = faces.annotated
    if source is not LabelSource.ESTIMATED and not bool(np.any(said != UNSAID)):
        raise SpecError(
            "cohort.labels", f"{source} without an annotation", "estimated, or a column annotation"
        )
    annotated = np.where(said == OF_QUERY, 0, LEFT_OUT).astype(np.int32)
    if source is LabelSource.ANNOTATED:
        return annotated
    if source is LabelSource.COMBINED:
        return np.where(said == UNSAID, found.identity, annotated).astype(np.int32)
    return found.identity


def _enrolled(
    faces: Faces,
    person: npt.NDArray[np.int32],
    columns: Mapping[str, Texts],
    schemas: Mapping[str, SchemaSpec],
) -> tuple[Cohort, dict[str, Texts], Index]:
    """The cohort of the faces whose person is known, a subject being a query's person; and each face's sample."""
    rows = np.flatnonzero(person >= 0)
    several = {int(q) for q in faces.query_of[rows[person[rows] > 0]]}
    subjects = [
        f"{faces.queries[q]}/{k + 1}" if q in several else faces.queries[q]
        for q, k in zip(faces.query_of[rows].tolist(), person[rows].tolist(), strict=True)
    ]
    if len(set(subjects)) < 2:
        raise DataError(
            "faces",
            f"{len(set(subjects))} of {len(faces.queries)} queries show a person that can be told",
            "two queries at least; the report of cohort.several=use and other limits may keep more",
        )
    roster = Roster(
        sample_ids=[faces.names[row] for row in rows],
        subjects=subjects,
        columns={name: texts[rows] for name, texts in columns.items()},
        places=[f"face {number + 1}" for number in range(rows.size)],
    )
    cohort = enrol(roster, schemas)
    place = {name: number for number, name in enumerate(cohort.sample_ids)}
    sample_of = np.array(
        [place.get(faces.names[row], -1) if person[row] >= 0 else -1 for row in range(person.size)]
    )
    return cohort, attributes_of(roster, cohort), sample_of.astype(np.int32)


def _tables(
    labelling: Labelling, cohort: Cohort
) -> tuple[dict[str, tuple[Comparisons, ScoreTable]], list[LedgerEntry]]:
    """Comparisons and scores of each service among the cohort's faces.

    Two identities of one query are told apart by the scores that are judged here, so they are not compared.
    """
    tables, ledger = {}, []
    for service in labelling.services:
        probe, reference = labelling.sample_of[service.first], labelling.sample_of[service.second]
        known = (probe >= 0) & (reference >= 0)
        same_query = labelling.faces.query_of[service.first] == labelling.faces.query_of[service.second]
        mated = known & (cohort.subject_of[probe] == cohort.subject_of[reference])
        keep = known & (mated | ~same_query)
        if not keep.any():
            raise DataError(
                f"scores of {service.name}",
                "no line compares two faces with labels",
                "pairs within and between queries",
            )
        comparisons = listed_comparisons(
            cohort,
            probe[keep],
            reference[keep],
            np.zeros(cohort.n_subjects, dtype=np.int32),
            ordered=both_orders(probe[keep], reference[keep]),
        )
        tables[service.name] = (
            comparisons,
            ScoreTable(score=service.score[keep], failure=service.failure[keep], codes=service.codes),
        )
        counted = ((OTHERS, int((~known).sum())), (SAME_QUERY, int((known & ~keep).sum())))
        ledger += [
            LedgerEntry(code=code, count=n, unit="comparisons", provider=service.name)
            for code, n in counted
            if n
        ]
    return tables, ledger


def _left_out(found: Labelled, person: npt.NDArray[np.int32]) -> list[LedgerEntry]:
    """Queries by the reason for which the estimate leaves them out, and faces without a person."""
    entries = [
        LedgerEntry(code=f"{QUERIES_LEFT_OUT}_{reason}", count=found.reason.count(reason), unit="queries")
        for reason in map(str, Reason)
        if reason in found.reason
    ]
    rest = int(np.count_nonzero(person < 0))
    return [*entries, LedgerEntry(code=FACES_LEFT_OUT, count=rest, unit="faces")] if rest else entries


def _alone(alone: Mapping[str, int]) -> list[LedgerEntry]:
    return [LedgerEntry(code=SELF, count=n, unit="comparisons", provider=name) for name, n in alone.items()]
