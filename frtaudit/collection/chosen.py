"""From what was read and seen to the faces that are compared, and which pairs of them."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from frtaudit.collection.detected_faces import faces_of
from frtaudit.collection.rows import PLACES, ImageRow
from frtaudit.collection.single import faces_shown
from frtaudit.collection.spec import CollectionSpec
from frtaudit.collection.store import Store
from frtaudit.core.arrays import Index, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.collecting import DetectedFace
from frtaudit.core.labelling import UNSAID, Faces
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.queries.boxes import SIDES, boxes_of
from frtaudit.inputs.tables import Table
from frtaudit.labelling.detection import faces_in
from frtaudit.labelling.pairs import pairs_of

BOXES = "boxes.csv"
SAME, FEW, NOT_ONE = "same_image_in_query", "query_with_too_few_faces", "not_one_face"
NOT_SEEN = "not_looked_at_by_all"
BEYOND = "query_beyond_budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a collection compares.

    ``images``: number to face_id, of every image of a query that is compared, in the order of face ids; ``columns``: of
    each query; ``queries``: of each image; ``boxes``: a row for each face that a service with boxes saw in them;
    ``faces``: those that are compared; ``crops``: service to the number of its crop of each face, shape (F,) int64;
    ``pairs``: indices of faces, shape (2, P) int32; ``left_out``: code to number of images, or of queries.
    """

    images: Mapping[int, str]
    queries: Mapping[int, str]
    columns: Mapping[str, Mapping[str, str]]
    boxes: pd.DataFrame | None
    faces: Faces
    crops: Mapping[str, Ints]
    pairs: Index
    left_out: Mapping[str, int]


def chosen(store: Store, spec: CollectionSpec, alike: Mapping[int, str] = MappingProxyType({})) -> Chosen:
    """The faces and pairs of a collection whose images were read; ``alike``: image to why it gives way to another.

    The same for the same images and answers, whenever they came. Raises :class:`DataError` where no pair is left.
    """
    left_out: Counter[str] = Counter()
    seen = _faces_by_service(store, spec)
    rows = _kept(store.images(), alike, seen, left_out)
    names = {row.image: face_id(row) for row in rows}
    boxed = {name: detected_faces for name, detected_faces in seen.items() if _with_boxes(detected_faces)}
    boxes = _boxes(names, boxed) if boxed else None
    images = _faces([(query_name(row.query), names[row.image]) for row in rows])
    number_of = {name: image for image, name in names.items()}
    table = None if boxes is None else Table(name=BOXES, frame=boxes, unit="line", first=2)
    detections = faces_in(images, None if table is None else boxes_of(table), (), spec.detected)
    query_of = images.query_of[detections.row]
    count = np.bincount(query_of, minlength=len(images.queries))
    left_out.update({FEW: few} if (few := int((count < spec.least).sum())) else {})
    indices = np.flatnonzero(count[query_of] >= spec.least)
    face_names = np.array(detections.names, dtype=object)[indices].astype(str)
    order = indices[np.lexsort((face_names, query_of[indices]))]
    blind = boxes is not None and not set(boxed) <= set(boxes["provider"])  # saw nobody in any image
    if blind or not order.size:
        text = " and ".join(sorted(seen)) or "every service"
        problem = f"no query has {spec.least} images with a face that {text} found"
        raise DataError("collection", problem, "least=N, or other images")
    faces = _faces([(images.queries[query_of[face]], detections.names[face]) for face in order.tolist()])
    columns = {query_name(row.query): dict(json.loads(row.columns)) for row in rows}
    crops = {
        name: _crops(boxes, name, detections.face_of.get(name), number_of, detections.row, images, order)
        for name in sorted(spec.services)
    }
    pairs = _pairs(faces, columns, spec)
    used = np.isin(images.query_of, query_of[order])
    read = {number_of[name]: name for name, of in zip(images.names, used.tolist(), strict=True) if of}
    return Chosen(
        images=read,
        queries={row.image: query_name(row.query) for row in rows},
        columns=columns,
        boxes=None if boxes is None else boxes[boxes["image"].isin(read.values())].reset_index(drop=True),
        faces=faces,
        crops=crops,
        pairs=pairs,
        left_out=dict(sorted(left_out.items())),
    )


def _faces_by_service(store: Store, spec: CollectionSpec) -> dict[str, dict[int, tuple[DetectedFace, ...]]]:
    """What each service saw in each image: none where it refused, no entry where unknown."""
    seen: dict[str, dict[int, tuple[DetectedFace, ...]]] = {}
    for number, (name, service) in enumerate(sorted(spec.services.items())):
        if service.detects:
            seen[name] = {image: faces_of(facts)[0] for image, facts in store.detection_facts(number)}
        else:  # it finds faces by comparing: it says how many, and not where
            shown = faces_shown(store, number, spec.least)
            seen[name] = {image: (DetectedFace(box=None),) * n for image, n in shown.items()}
    return seen


def query_name(query: int) -> str:
    """A query's pseudonym.

    >>> query_name(7)
    'q00007'
    """
    return f"q{query:05d}"


def face_id(row: ImageRow) -> str:
    """Of an image: its query's pseudonym and 64 bits of its digest."""
    return f"{query_name(row.query)}-{row.digest[:16]}"


def _kept(
    images: Iterable[ImageRow],
    alike: Mapping[int, str],
    seen: Mapping[str, Mapping[int, tuple[DetectedFace, ...]]],
    left_out: Counter[str],
) -> list[ImageRow]:
    """Images that were read and looked at by all, each once in its query; others are counted."""
    boxless = [faces for faces in seen.values() if not _with_boxes(faces)]
    rows, known = [], set()
    for row in images:
        if row.refusal:
            left_out[row.code if row.refusal == "failure_to_acquire" else f"{row.refusal}_{row.code}"] += 1
        elif (row.query, row.digest) in known:
            left_out[SAME] += 1
        elif row.image in alike:
            left_out[alike[row.image]] += 1
        elif any(row.image not in faces for faces in seen.values()):
            left_out[NOT_SEEN] += 1
        elif any(len(faces[row.image]) != 1 for faces in boxless):
            left_out[NOT_ONE] += 1
        else:
            rows.append(row)
        known.add((row.query, row.digest))
    return rows


def _with_boxes(detected_faces: Mapping[int, tuple[DetectedFace, ...]]) -> bool:
    """Whether a service says where its faces are."""
    return all(face.box is not None for faces in detected_faces.values() for face in faces)


def _boxes(
    names: Mapping[int, str], boxed: Mapping[str, Mapping[int, tuple[DetectedFace, ...]]]
) -> pd.DataFrame:
    """A row for each face in the images ``names``, by service, then image, then from left to right."""
    rows = [
        (
            names[image],
            service,
            crop_id(names[image], place),
            *(repr(float(getattr(face.box, side))) for side in SIDES),
        )
        for service, detected_faces in sorted(boxed.items())
        for image, faces in sorted(detected_faces.items(), key=lambda pair: names.get(pair[0], ""))
        if image in names
        for place, face in enumerate(faces)
    ]
    return pd.DataFrame(rows, columns=["image", "provider", "face", *SIDES], dtype="str")


def crop_id(name: str, place: int) -> str:
    """What a service's score list calls its crop of a face."""
    return f"{name}/{place + 1}"


def _faces(rows: Sequence[tuple[str, str]]) -> Faces:
    """Faces of (query, name), sorted."""
    ordered = sorted(rows)
    queries = sorted({query for query, _ in ordered})
    place = {query: number for number, query in enumerate(queries)}
    return Faces(
        names=tuple(name for _, name in ordered),
        query_of=np.array([place[query] for query, _ in ordered], dtype=np.int32),
        queries=tuple(queries),
        annotated=np.full(len(ordered), UNSAID, dtype=np.int8),
    )


def _crops(
    boxes: pd.DataFrame | None,
    name: str,
    face_of: Ints | None,
    number_of: Mapping[str, int],
    row: Ints,
    images: Faces,
    order: Ints,
) -> Ints:
    """A service's crop of each face of ``order``."""
    if boxes is None or face_of is None:  # it finds faces by comparing, or does not say where
        crops = [number_of[images.names[row[face]]] * PLACES for face in order.tolist()]
        return np.array(crops, dtype=np.int64)
    box = boxes[boxes["provider"] == name]
    crop_of = np.full(row.size, -1, dtype=np.int64)
    for face, image, crop in zip(face_of.tolist(), box["image"], box["face"], strict=True):
        if face >= 0:
            crop_of[face] = number_of[image] * PLACES + int(crop.rpartition("/")[2]) - 1
    return crop_of[order]


def _pairs(faces: Faces, columns: Mapping[str, Mapping[str, str]], spec: CollectionSpec) -> Index:
    group = groups([columns[query] for query in faces.queries], spec.pairs.group)
    rng = np.random.default_rng(seed_of(spec.seed, "collection", "pairs"))
    first, second = pairs_of(faces, group, spec.pairs.between, rng)
    if not first.size:
        accepted = "queries with two faces, or two queries of a group"
        raise DataError("collection", "no two faces to compare", accepted)
    return np.stack([first, second])


def groups(columns: Sequence[Mapping[str, str]], name: str | None) -> Ints:
    """The group of each query, shape (Q,): by a column of the source, -1 where it is empty.

    Raises :class:`SpecError` for a column that the source does not have.
    """
    if name is None:
        return np.zeros(len(columns), dtype=np.int64)
    if columns and name not in columns[0]:
        accepted = ", ".join(sorted(columns[0])) or "null: the source has none"
        raise SpecError("pairs.group", f"no column {name!r}", accepted)
    known = {text: number for number, text in enumerate(sorted({column[name] for column in columns} - {""}))}
    return np.array([known.get(column[name], -1) for column in columns], dtype=np.int64)
