"""What a reader has to know of services that gave no score for many faces, and what that costs in labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.cohort import LedgerEntry, ledger_of
from frtaudit.core.labelling import Faces, Labelled, Labelling, Service
from frtaudit.labelling.estimate import lacking
from frtaudit.stats.labels.spectral import Reason

NOT_SCORED = "face_not_scored_within_its_query"
LACKING = "face_without_scores_that_its_label_needs"
QUERIES_LEFT_OUT = "query_left_out"
MANY = 0.1  # of the faces that have another one in their query


def not_scored(faces: Faces, service: Service) -> tuple[int, int]:
    """How many faces a service scored with no other face of their query, and how many faces have another there.

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 0], queries=("q",), annotated=[1, 1, 1])
    >>> service = Service(name="s", first=[0, 0], second=[1, 2], score=[0.5, float("nan")], failure=[-1, 0],
    ...                   codes=("no_face",))
    >>> not_scored(faces, service)
    (1, 3)
    """
    within = faces.query_of[service.first] == faces.query_of[service.second]
    scored = np.zeros(len(faces.names), dtype=np.bool_)
    for side in (service.first, service.second):
        scored[side[within & (service.failure < 0)]] = True
    company = np.diff(faces.starts)[faces.query_of] > 1
    return int((company & ~scored).sum()), int(company.sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a service that labels costs: ``faces`` without its scores, and ``queries`` left out for such faces."""

    name: str
    faces: int
    queries: int


def costs(faces: Faces, services: Sequence[Service], labelled: Labelled) -> tuple[Cost, ...]:
    """What each service that labels costs, in the order of the services."""
    asked = [service for service in services if service.name in labelled.modes]
    missing = lacking(faces, asked)
    failed = np.array([reason == Reason.FAILED for reason in labelled.reason])
    return tuple(
        Cost(
            name=service.name,
            faces=int(absent.sum()),
            queries=int(np.unique(faces.query_of[absent & failed[faces.query_of]]).size),
        )
        for service, absent in zip(asked, missing.T, strict=True)
    )


def not_scored_entries(faces: Faces, services: Sequence[Service], labelled: Labelled) -> list[LedgerEntry]:
    """Exclusions by each service that labels, and faces that others scored with nobody."""
    ledger = []
    for cost in costs(faces, services, labelled):
        ledger += ledger_of({LACKING: cost.faces}, "faces", cost.name)
        ledger += ledger_of({f"{QUERIES_LEFT_OUT}_{Reason.FAILED}": cost.queries}, "queries", cost.name)
    for service in services:
        if service.name not in labelled.modes:
            ledger += ledger_of({NOT_SCORED: not_scored(faces, service)[0]}, "faces", service.name)
    return ledger


def attribution_notes(faces: Faces, services: Sequence[Service], labelled: Labelled) -> tuple[str, ...]:
    """A sentence for each service that labels and lacks scores of a tenth of the faces and more: cause and way out."""
    every = costs(faces, services, labelled)
    many = [cost for cost in every if cost.faces > MANY * len(faces.names)]
    others = ",".join(cost.name for cost in every if cost not in many)
    total = len(faces.queries)
    out = (
        f"cohort.labels.services=[{others}] lets the others label"
        if others
        else "score every pair within a query by every service that labels"
    )
    size = len(faces.names)
    return tuple(
        f"{cost.name} lacks scores of pairs within queries; without {cost.faces} of {size} faces "
        f"({100 * cost.faces / size:.0f} %) it lacks none. A label needs a score of each pair by every service that "
        f"labels, so these faces have none, and {cost.queries} of {total} queries are left out: {out}"
        for cost in many
    )


def cautions(labelling: Labelling) -> tuple[str, ...]:
    """What is to be said of services that gave no score for many faces, and of one that labels alone."""
    faces, services, labelled = labelling.faces, labelling.services, labelling.labelled
    notes = list(attribution_notes(faces, services, labelled))
    for service in services:
        count, size = not_scored(faces, service)
        if service.name not in labelled.modes and count > MANY * size:
            notes.append(
                f"{service.name} failed on {count} of {size} faces ({100 * count / size:.0f} %), which it scored with "
                "no other face of their query: it labels none, and what it cannot compare is counted among its failures"
            )
    if len(labelled.modes) == 1:
        notes.append(
            f"{next(iter(labelled.modes))} alone labels: there is no vote, and it is judged by labels of its own scores"
        )
    return tuple(notes)
