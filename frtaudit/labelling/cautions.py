"""What a reader has to know of services that could not be asked about many faces."""

import numpy as np

from frtaudit.core.cohort import LedgerEntry
from frtaudit.core.labelling import Faces, Labelling, Service

NOT_SCORED = "face_not_scored_within_its_query"
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


def not_scored_entries(faces: Faces, services: tuple[Service, ...]) -> list[LedgerEntry]:
    """The ledger's lines of services that scored some faces with no other of their query."""
    counted = [(one.name, not_scored(faces, one)[0]) for one in services]
    return [
        LedgerEntry(code=NOT_SCORED, count=count, unit="faces", provider=name)
        for name, count in counted
        if count
    ]


def cautions(labelling: Labelling) -> tuple[str, ...]:
    """A sentence for each service that could not be asked about a tenth of the faces and more."""
    said = []
    for one in labelling.services:
        count, size = not_scored(labelling.faces, one)
        if count > MANY * size:
            labels = one.name in labelling.labelled.modes
            said.append(
                f"{one.name} scored {count} of {size} faces ({100 * count / size:.0f} %) with no other face of their "
                f"query: "
                + (
                    "these have no label, as a label needs every service that labels (cohort.labels.services)"
                    if labels
                    else "it labels none, and what it cannot compare is counted among its failures"
                )
            )
    return tuple(said)
