"""From images and what each service found in them to faces that all services found, each by its own crop."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.cohort import LedgerEntry, ledger_of
from frtaudit.core.labelling import Faces, Service
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.settings import Detected
from frtaudit.labelling.single import MORE, UNTOLD, told_by
from frtaudit.stats.labels.box_matching import joined

if TYPE_CHECKING:
    import pandas as pd

    from frtaudit.inputs.queries.boxes import BoxList

NO_FACE = "no_face"  # as a service says it
NONE_FOUND, SEVERAL_FOUND, NOT_TOLD = "no_face_found", "several_faces_found", "not_told_how_many_faces"
APART, CUT, NOT_BY_ALL = "boxes_apart", "face_cut_from_others", "face_not_found_by_all"
IMAGE_LEFT_OUT = "image_left_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Detections:
    """F faces, in the order of their images.

    ``row``: shape (F,), the image of each, a row of the list of images; ``names``: F texts; ``among``: shape (F,),
    whether its image holds other faces; ``face_of``: service to the face of each of its crops, -1 for none;
    ``size_of``: service to the size of its box of each face, shape (F,), pixels, of services with boxes;
    ``ledger``: what was left out.
    """

    row: Ints
    names: tuple[str, ...]
    among: Flags
    face_of: Mapping[str, Ints]
    ledger: tuple[LedgerEntry, ...]
    size_of: Mapping[str, Floats] = field(default_factory=dict)


def crops_of(boxes: "BoxList | None", services: Sequence[str]) -> "dict[str, pd.Index]":
    """What each service with boxes calls its crops, in the order of the file.

    Raises :class:`DataError` naming the line of a service that has boxes and no scores.
    """
    import pandas as pd

    if boxes is None:
        return {}
    strange = np.flatnonzero(~np.isin(boxes.provider.astype(str), list(services)))
    if strange.size:
        problem = f"boxes of {boxes.provider[strange[0]]!r}, which has no scores"
        raise DataError(boxes.table.place(int(strange[0])), problem, ", ".join(services))
    names = sorted(set(boxes.provider.tolist()))
    return {name: pd.Index(boxes.face[boxes.provider == name]) for name in names}


def faces_in(
    images: Faces, boxes: "BoxList | None", services: Sequence[Service], detected: Detected
) -> Detections:
    """Faces of ``images`` by the boxes of services that have some and by Algorithm 1 for those that have none.

    ``services``: their ``first`` and ``second`` count their own crops (:func:`crops_of`), or images where they have
    no boxes. Raises :class:`DataError` naming the line of a box in an image that is not listed,
    :class:`SpecError` for all faces where a service has no boxes.
    """
    boxed = None if boxes is None else _boxed(images, boxes)
    without = [system for system in services if boxed is None or system.name not in boxed.names]
    if boxed is not None and detected is Detected.ALL:
        if without:
            problem = (
                f"all faces, but {without[0].name} has no boxes to say which face of an image it compared"
            )
            raise SpecError("cohort.detected", problem, "single, or boxes of every service")
        return _all(images, boxed)
    keep = np.ones(len(images.names), dtype=np.bool_)
    ledger: list[LedgerEntry] = []
    if boxed is not None:
        keep &= _one_each(boxed, len(images.names), ledger)
    for service in without:
        answers = told_by(service, len(images.names))  # Algorithm 1
        counts = {SEVERAL_FOUND: int((answers == MORE).sum()), NOT_TOLD: int((answers == UNTOLD).sum())}
        ledger += ledger_of(counts, "images", service.name)
        keep &= (answers != MORE) & (answers != UNTOLD)
    number = np.where(keep, np.cumsum(keep) - 1, -1)
    return Detections(
        row=np.flatnonzero(keep),
        names=tuple(images.names[row] for row in np.flatnonzero(keep)),
        among=np.zeros(int(keep.sum()), dtype=np.bool_),
        face_of={system.name: number for system in without}
        | ({} if boxed is None else boxed.own(number[boxed.row])),
        size_of={} if boxed is None else boxed.sizes(number[boxed.row], int(keep.sum())),
        ledger=(*ledger, *ledger_of({IMAGE_LEFT_OUT: int((~keep).sum())}, "images")),
    )


def with_reasons(
    ledger: Iterable[LedgerEntry], refused: Mapping[str, Mapping[str, int]]
) -> tuple[LedgerEntry, ...]:
    """Images that a service would not look at are counted by its reason, and not as images without a face.

    ``refused``: service to code to the number of such images.
    """
    entries: list[LedgerEntry] = []
    for entry in ledger:
        reasons = refused.get(entry.provider or "", {}) if entry.code == NONE_FOUND else {}
        why = {code: n for code, n in sorted(reasons.items()) if code != NO_FACE}
        counts = {entry.code: max(entry.count - sum(why.values()), 0), **why}
        entries += ledger_of(counts, entry.unit, entry.provider) if why else [entry]
    return tuple(entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boxed:
    """B boxes: the row of their image, service, joined face, whether it was cut, rank by id; S services by name."""

    row: Ints
    service: Ints
    face: Ints
    cut: Flags
    rank: Ints
    box: Floats
    names: tuple[str, ...]

    def own(self, face: Ints) -> dict[str, Ints]:
        """``face`` (B,) of each box by service, in the order of its crops."""
        return {name: face[self.service == s] for s, name in enumerate(self.names)}

    def sizes(self, face: Ints, n_faces: int) -> dict[str, Floats]:
        """Harmonic mean of width and height of the box of each face, shape (n_faces,), pixels, by service."""
        width, height = self.box[:, 2], self.box[:, 3]
        size = {name: np.full(n_faces, np.nan) for name in self.names}
        for s, name in enumerate(self.names):
            mine = np.flatnonzero((self.service == s) & (face >= 0))
            size[name][face[mine]] = (2 * width * height / (width + height))[mine]
        return size


def _boxed(images: Faces, boxes: "BoxList") -> _Boxed:
    import pandas as pd

    row = pd.Index(list(images.names), dtype=object).get_indexer(pd.Index(boxes.image)).astype(np.int64)
    boxes.table.refuse(row < 0, "an image that the list of images lacks", "images of that list")
    names, service = np.unique(boxes.provider.astype(str), return_inverse=True)
    face, cut = joined(row, service, boxes.box)
    rank = np.unique(boxes.face.astype(str), return_inverse=True)[1]
    return _Boxed(
        row=row, service=service, face=face, cut=cut, rank=rank, box=boxes.box, names=tuple(names.tolist())
    )


def _one_each(boxed: _Boxed, size: int, ledger: list[LedgerEntry]) -> Flags:
    """Images in which each service with boxes finds exactly one face, and the same."""
    n_services = len(boxed.names)
    count = np.bincount(boxed.row * n_services + boxed.service, minlength=size * n_services)
    count = count.reshape(size, n_services)
    for s, name in enumerate(boxed.names):
        counts = {NONE_FOUND: int((count[:, s] == 0).sum()), SEVERAL_FOUND: int((count[:, s] > 1).sum())}
        ledger += ledger_of(counts, "images", name)
    one_each = (count == 1).all(axis=1)
    faces = np.bincount(np.unique(np.stack([boxed.row, boxed.face]), axis=1)[0], minlength=size)
    ledger += ledger_of({APART: int((one_each & (faces > 1)).sum())}, "images")
    return np.asarray(one_each & (faces == 1))


def _all(images: Faces, boxed: _Boxed) -> Detections:
    """Every face that all services found, named image/1, image/2 from left to right."""
    first = np.unique(boxed.face, return_index=True)[1]
    row = boxed.row[first]
    whole = np.bincount(boxed.face) == len(boxed.names)  # a face holds at most one box of a service
    level = np.full((row.size, 3), np.inf)  # leftmost and upmost edges; whatever is level by the ids of crops
    for side, values in enumerate((boxed.box[:, 0], boxed.box[:, 1], boxed.rank)):
        np.minimum.at(level[:, side], boxed.face, values)
    order = np.lexsort((level[:, 2], level[:, 1], level[:, 0], row))
    order = order[whole[order]]
    row_of = row[order]
    place = np.arange(order.size) - np.searchsorted(row_of, row_of) + 1
    number = np.full(first.size, -1, dtype=np.int64)
    number[order] = np.arange(order.size)
    ledger = (
        *ledger_of({CUT: int(boxed.cut[first].sum()), NOT_BY_ALL: int((~whole).sum())}, "faces"),
        *ledger_of({IMAGE_LEFT_OUT: len(images.names) - np.unique(row_of).size}, "images"),
    )
    return Detections(
        row=row_of,
        names=tuple(f"{images.names[at]}/{k}" for at, k in zip(row_of.tolist(), place.tolist(), strict=True)),
        among=np.bincount(row, minlength=len(images.names))[row_of] > 1,
        face_of=boxed.own(number[boxed.face]),
        size_of=boxed.sizes(number[boxed.face], order.size),
        ledger=ledger,
    )
