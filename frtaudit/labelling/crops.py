"""Faces that stay, and what each service said of its own crops of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Texts
from frtaudit.core.cohort import LedgerEntry, ledger_of
from frtaudit.core.labelling import OF_QUERY, UNSAID, Faces, Service
from frtaudit.errors import DataError
from frtaudit.inputs.template_files import TemplateFile
from frtaudit.labelling.detection import Detections
from frtaudit.stats.labels.duplicates import duplicated

NEAR_DUPLICATE, NO_EMBEDDING = "near_duplicate", "image_without_embedding"
OF_FACE_LEFT_OUT, OF_SEVERAL = "comparison_of_face_left_out", "annotation_of_several_faces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crops:
    """F faces, their other columns, texts (F,), what services said of pairs of them, and what was left out.

    ``size_of``: service to the sizes of its boxes, shape (F,), pixels, of services with boxes.
    """

    faces: Faces
    columns: Mapping[str, Texts]
    services: tuple[Service, ...]
    ledger: tuple[LedgerEntry, ...]
    size_of: Mapping[str, Floats]


def crops_of_faces(
    images: Faces,
    columns: Mapping[str, Texts],
    services: Sequence[Service],
    detections: Detections,
    gone: Flags,
) -> Crops:
    """The faces ``detections`` but those of images that are ``gone``, shape (images,), sorted by query and name.

    ``services``: of their own crops; comparisons of crops that are no face left are counted. That an image shows the
    query's person is said of none of its faces where it holds several. Raises :class:`DataError` where none is left.
    """
    names = np.array(detections.names, dtype=object)
    stay = np.flatnonzero(~gone[detections.row])
    order = stay[np.lexsort((names[stay].astype(str), images.query_of[detections.row[stay]]))]
    if not order.size:
        problem = f"none of {len(images.names)} images has a face that every service found"
        raise DataError("faces", problem, "one at least")
    place = np.full(names.size + 1, -1, dtype=np.int64)  # the last for crops of no face
    place[order] = np.arange(order.size)
    row = detections.row[order]
    open_to_doubt = detections.among[order] & (images.annotated[row] == OF_QUERY)
    faces = Faces(
        names=tuple(names[order].tolist()),
        query_of=images.query_of[row],
        queries=images.queries,
        annotated=np.where(open_to_doubt, UNSAID, images.annotated[row]).astype(np.int8),
    )
    renumbered = [service.renumbered(place[detections.face_of[service.name]]) for service in services]
    ledger = [*detections.ledger, *ledger_of({OF_SEVERAL: int(open_to_doubt.sum())}, "faces")]
    for service, left in zip(services, renumbered, strict=True):
        count = service.first.size - left.first.size
        ledger += ledger_of({OF_FACE_LEFT_OUT: count}, "comparisons", service.name)
    return Crops(
        faces=faces,
        columns={name: texts[row] for name, texts in columns.items()},
        services=tuple(renumbered),
        ledger=tuple(ledger),
        size_of={name: size[order] for name, size in detections.size_of.items()},
    )


def near_duplicates(
    path: Path, images: Faces, used: Flags, similarity: float
) -> tuple[Flags, list[LedgerEntry]]:
    """Which images are left out for another that is all but the same, shape (images,), of those that are ``used``.

    ``path``: an .npz of embeddings under the names of ``images``, some of which may be missing. Raises
    :class:`DataError` for a file that templates could not be read from.
    """
    index = {name: row for row, name in enumerate(images.names)}
    read = TemplateFile(path=path, name=path.name, index=index, n_samples=len(index), reasons={}).templates()
    keep = used[read.rows]
    rows = read.rows[keep]
    gone = np.zeros(used.size, dtype=np.bool_)
    gone[rows] = duplicated(images.query_of[rows], read.vectors[keep], similarity)
    counts = {NEAR_DUPLICATE: int(gone.sum()), NO_EMBEDDING: int(used.sum()) - rows.size}
    return gone, ledger_of(counts, "images")
