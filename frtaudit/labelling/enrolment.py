"""From labelled faces to a cohort: a query's person is a subject, the faces that show it are samples."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from frtaudit.core.arrays import Floats, Index, Texts
from frtaudit.core.cohort import Cohort, CohortData, LedgerEntry, ledger_of
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.labelling import LEFT_OUT, OF_QUERY, UNSAID, Faces, Labelled, Labelling, Service
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import LabelSource
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.pairing import both_orders, listed_comparisons
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.labelling.cautions import QUERIES_LEFT_OUT, attribution_notes, not_scored_entries
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How
from frtaudit.labelling.tried import query_classes
from frtaudit.stats.labels.spectral import Reason

OTHERS, SAME_QUERY = "comparison_of_face_without_label", "identities_of_one_query"
OF_OTHERS = "comparison_of_face_of_somebody_else"
FAILED_OF_OTHERS = "failed_comparison_of_face_of_somebody_else"
SOMEBODY_ELSE, FACES_LEFT_OUT = "face_of_somebody_else", "face_without_label"

_WHICH = "use with answers, which do not say which of several people of a query is meant"


def labelled_cohort(
    faces: Faces,
    services: Sequence[Service],
    columns: Mapping[str, Texts],
    how: How,
    schemas: Mapping[str, SchemaSpec],
    size_of: Mapping[str, Floats] = MappingProxyType({}),
) -> CohortData:
    """Label the faces, and enrol those whose person is known; ``columns``: what schemas name, texts (F,).

    ``size_of``: service to the sizes of its boxes, shape (F,), pixels.

    Raises :class:`DataError` where fewer than two persons can be told, :class:`SpecError` for labels that are not
    there.
    """
    labels = labelled(faces, how.labelling_services(services), how)
    person = persons(faces, labels, how.source)
    _refuse_few(faces, services, person, labels)
    cohort, attributes, sample_of = _enrolled(faces, person, columns, schemas)
    labelling = Labelling(
        faces=faces,
        services=tuple(services),
        labelled=labels,
        source=how.source,
        sample_of=sample_of,
        classes=query_classes(faces, columns, schemas, cohort, sample_of),
        size_of=size_of,
    )
    tables, lines = _tables(labelling, cohort)
    unscored = not_scored_entries(faces, labelling.services, labels)
    ledger = (*cohort.ledger, *_left_out(labelling, person), *unscored, *lines)
    return CohortData(
        cohort=replace(cohort, ledger=ledger), tables=tables, attributes=attributes, labelling=labelling
    )


def labelling_of(faces: Faces, services: Sequence[Service], how: How) -> Labelling:
    """Labels alone, of faces that are no samples of a cohort. Raises as :func:`labelled_cohort` does."""
    labels = labelled(faces, how.labelling_services(services), how)
    nobody = np.full(len(faces.names), -1, dtype=np.int32)
    persons(faces, labels, how.source)
    return Labelling(
        faces=faces, services=tuple(services), labelled=labels, source=how.source, sample_of=nobody
    )


def persons(faces: Faces, labels: Labelled, source: LabelSource) -> Index:
    """Which person of its query each face shows, shape (F,), -1 for none or not known.

    Raises :class:`SpecError` for answers that are not there, or that would have to be joined with several people of
    one query, of whom they do not say which is meant.
    """
    answers = faces.annotated
    if source is not LabelSource.ESTIMATED and not bool(np.any(answers != UNSAID)):
        problem = f"{source} without an annotation"
        raise SpecError("cohort.labels", problem, "estimated, or a column annotation")
    annotated = np.where(answers == OF_QUERY, 0, LEFT_OUT).astype(np.int32)
    if source is LabelSource.ANNOTATED:
        return annotated
    if source is LabelSource.COMBINED:
        if labels.identity.max(initial=LEFT_OUT) > 0:
            raise SpecError("cohort.labels.several", _WHICH, "several=drop, or source=estimated or annotated")
        return np.where(answers == UNSAID, labels.identity, annotated).astype(np.int32)
    return labels.identity


def _refuse_few(faces: Faces, services: Sequence[Service], person: Index, labels: Labelled) -> None:
    """Raise :class:`DataError` where fewer than two people can be told: why, and what would help."""
    people = {(int(faces.query_of[row]), int(person[row])) for row in np.flatnonzero(person >= 0)}
    if len(people) >= 2:
        return
    shown = f"{len(people)} of {len(faces.queries)} queries show a person whose faces could be labelled"
    cause = next(iter(attribution_notes(faces, services, labels)), None)
    if cause is not None:
        problem, _, out = cause.rpartition(": ")
        raise DataError("faces", f"{shown}; {problem}", out)
    reasons = [reason for reason in Reason if reason in labels.reason]
    counted = ", ".join(f"{reason} {labels.reason.count(reason)}" for reason in reasons)
    helps = {Reason.SEVERAL: "cohort.labels.several=use", Reason.DISAGREE: "cohort.labels.several=use"}
    tips = dict.fromkeys(helps.get(reason, "other cohort.labels.limits") for reason in reasons)
    accepted = "two queries at least" + (f"; {' and '.join(tips)} may keep more" if tips else "")
    raise DataError("faces", f"{shown}" + (f" (left out: {counted})" if counted else ""), accepted)


def _enrolled(
    faces: Faces, person: Index, columns: Mapping[str, Texts], schemas: Mapping[str, SchemaSpec]
) -> tuple[Cohort, dict[str, Texts], Index]:
    """The cohort of the faces whose person is known, a subject being a query's person; and each face's sample."""
    rows = np.flatnonzero(person >= 0)
    several = {int(q) for q in faces.query_of[rows[person[rows] > 0]]}
    subjects = [
        f"{faces.queries[q]}/{k + 1}" if q in several else faces.queries[q]
        for q, k in zip(faces.query_of[rows].tolist(), person[rows].tolist(), strict=True)
    ]
    roster = Roster(
        sample_ids=[faces.names[row] for row in rows],
        subjects=subjects,
        columns={name: texts[rows] for name, texts in columns.items()},
        places=[f"face {number + 1}" for number in range(rows.size)],
    )
    cohort = enrol(roster, schemas)
    place = {name: number for number, name in enumerate(cohort.sample_ids)}
    sample_of = np.full(person.size, -1, dtype=np.int32)
    sample_of[rows] = [place.get(faces.names[row], -1) for row in rows]
    return cohort, attributes_of(roster, cohort), sample_of


def _tables(
    labelling: Labelling, cohort: Cohort
) -> tuple[dict[str, tuple[Comparisons, ScoreTable]], list[LedgerEntry]]:
    """Comparisons and scores of each service among the cohort's faces.

    Two identities of one query are distinguished by the scores that are judged here, so they are not compared.
    """
    tables, ledger = {}, []
    for service in labelling.services:
        probe, reference = labelling.sample_of[service.first], labelling.sample_of[service.second]
        known = (probe >= 0) & (reference >= 0)
        same_query = labelling.faces.query_of[service.first] == labelling.faces.query_of[service.second]
        mated = known & (cohort.subject_of[probe] == cohort.subject_of[reference])
        keep = known & (mated | ~same_query)
        if not keep.any():
            problem, accepted = "no line compares two faces with labels", "pairs within and between queries"
            raise DataError(f"scores of {service.name}", problem, accepted)
        probe, reference = probe[keep], reference[keep]
        comparisons = listed_comparisons(cohort, probe, reference, ordered=both_orders(probe, reference))
        table = ScoreTable(score=service.score[keep], failure=service.failure[keep], codes=service.codes)
        tables[service.name] = (comparisons, table)
        aside = labelling.left_out[service.first] | labelling.left_out[service.second]
        counts = {
            OTHERS: int((~known & aside).sum()),
            OF_OTHERS: int((~known & ~aside).sum()),
            FAILED_OF_OTHERS: int((~known & ~aside & (service.failure >= 0)).sum()),
            SAME_QUERY: int((known & ~keep).sum()),
        }
        ledger += ledger_of(counts, "comparisons", service.name)
    return tables, ledger


def _left_out(labelling: Labelling, person: Index) -> list[LedgerEntry]:
    """Queries by the reason for which the estimate leaves them out; faces of somebody else; faces without a label, why.

    The lines ``face_without_label_...`` together are all faces of which nobody says whom they show.
    """
    labels, annotated, aside = labelling.labelled, labelling.faces.annotated, labelling.left_out
    queries = {f"{QUERIES_LEFT_OUT}_{reason}": labels.reason.count(reason) for reason in map(str, Reason)}
    used = np.array([reason == "" for reason in labels.reason])[labelling.faces.query_of]
    answers = np.zeros_like(aside) if labelling.source is LabelSource.ESTIMATED else annotated == LEFT_OUT
    unasked = aside & ~answers
    if labelling.source is LabelSource.ANNOTATED:
        why = {"not_answered": unasked}
    else:
        why = {"query_left_out": unasked & ~used, "scores_missing": unasked & used}
    counted = {
        SOMEBODY_ELSE: (person < 0) & ~aside,
        **{f"{FACES_LEFT_OUT}_{reason}": flags for reason, flags in why.items()},
        f"{FACES_LEFT_OUT}_answer_not_known": aside & answers,
    }
    faces = {code: int(flags.sum()) for code, flags in counted.items()}
    return ledger_of(queries, "queries") + ledger_of(faces, "faces")
