"""The images of a run: the subject of each, its columns, and the face that a table gives."""

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.clients.pictures import MAX_BYTES
from frtaudit.collection.sources.folder import Folder
from frtaudit.core.arrays import Floats
from frtaudit.core.collecting import Box, CallError, Refusal
from frtaudit.core.machine.files import check_below, open_regular
from frtaudit.errors import DataError
from frtaudit.inputs.tables import KNOWN, NO_ID, Table, is_no_id, read_table, table_suffix

IMAGE = ("image", "image_path", "path", "file", "file_name", "filename")
IMAGE_ID = ("image_id", "sample_id")
SUBJECT = ("subject_id", "subject", "person", "identity")
BOX = ("x", "y", "width", "height")
POINTS = tuple(f"{axis}{number}" for number in range(1, 6) for axis in "xy")
EYES = 4  # of POINTS: the first two landmarks
_NO_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Shot:
    """One image: ``address`` below the root, ``given``: its face in a table."""

    address: str
    given: FoundFace | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageList:
    """N images.

    ``root``: the folder that addresses start from; ``ids``, ``subjects``: of each; ``columns``: name to texts (N,);
    ``given``: the face of each in the table, if it has any; ``boxes``, ``landmarks``: whether it has their
    columns; ``cautions``: what was left aside.
    """

    root: str
    addresses: tuple[str, ...]
    ids: tuple[str, ...]
    subjects: tuple[str, ...]
    columns: Mapping[str, Sequence[str]]
    given: tuple[FoundFace | None, ...] = ()
    boxes: bool = False
    landmarks: bool = False
    cautions: tuple[str, ...] = ()

    def shot(self, row: int) -> Shot:
        """One of them."""
        return Shot(self.addresses[row], self.given[row] if self.given else None)


def read_image(root: str, address: str) -> bytes:
    """The bytes of an image's file, no more than are allowed.

    Raises :class:`CallError` (failure to acquire, ``unreadable_image``).
    """
    try:
        with open_regular(Path(root) / address) as stream:
            return stream.read(MAX_BYTES + 1)
    except (OSError, DataError) as error:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image") from error


def digest_of(root: str, address: str) -> str:
    """The sha256 of an image's file, empty where it cannot be read."""
    try:
        return hashlib.sha256(read_image(root, address)).hexdigest()
    except CallError:
        return ""


def images_of(images: str, people: str | None = None, root: str | None = None) -> ImageList:
    """The images of a folder of folders, one for each person, or of a CSV whose paths start from ``root``.

    Raises :class:`DataError`: no image, a column that is missing, a path that leads out, a duplicate id.
    """
    path = Path(images)
    if path.is_dir():
        if root is not None:
            raise DataError("root", "not used with a folder of images", "no root=, or a CSV of images")
        return _named(_of_folder(path, people))
    accepted = f"a folder with a folder for each person, or a table of images: {KNOWN}"
    if not path.exists():
        raise DataError("images", f"no file or folder {images!r}", accepted)
    if path.is_file() and not table_suffix(path.name):
        raise DataError("images", f"{path.name} is neither a folder nor a table", accepted)
    if people is not None:
        raise DataError("people", "not used with a CSV of images", "no people=, and the columns in that CSV")
    return _named(_of_table(path, path.parent if root is None else Path(root)))


def _named(images: ImageList) -> ImageList:
    """The same. Raises :class:`DataError` for an id that metadata cannot hold."""
    for row, names in enumerate(zip(images.ids, images.subjects, strict=True), 1):
        if any(map(is_no_id, names)):
            raise DataError("images", f"the name of image {row} or of its person has {NO_ID}", "an id")
    return images


def _of_folder(root: Path, people: str | None) -> ImageList:
    try:
        folder = Folder(root=str(root), limit=_NO_LIMIT)
        images, cautions = list(folder.finds()), folder.cautions()
    except DataError as error:
        where = f"images {error.where.removeprefix('source.root').strip()}".strip()
        raise DataError(where, error.found, f"{error.accepted} in a folder for each person") from None
    addresses = tuple(str(image.address) for image in images)
    subjects = tuple(address.split("/")[0] for address in addresses)
    places = [image.place.partition(" image")[0] for image in images]
    columns = {} if people is None else _about(Path(people), subjects, places)
    return ImageList(
        root=str(root),
        addresses=addresses,
        ids=addresses,
        subjects=subjects,
        columns=columns,
        cautions=cautions,
    )


def _about(path: Path, subjects: Sequence[str], places: Sequence[str]) -> dict[str, list[str]]:
    """The columns of people, for each image; ``places``: which folder it is in."""
    table = read_table(path, path.name)
    key = table.need(SUBJECT)
    names = table.texts(key).tolist()
    row_of: dict[str, int] = {}
    for row, name in enumerate(names):
        if row_of.setdefault(name, row) != row:
            problem = f"the person of {table.unit} {row_of[name] + table.first} again"
            raise DataError(table.place(row), problem, "one line for each person")
    row_of |= _in_another_form([*dict.fromkeys(subjects)], row_of)
    if absent := list(dict.fromkeys(subject for subject in subjects if subject not in row_of)):
        first = places[subjects.index(absent[0])]
        problem = f"no line for {len(absent)} of the folders; the first is {first}, by name"
        raise DataError(table.name, problem, "a line for each folder of images")
    rows = [row_of[subject] for subject in subjects]
    others = [name for name in table.columns if name != key]
    return {name: table.texts(name)[rows].tolist() for name in others}


def _in_another_form(folders: Sequence[str], row_of: Mapping[str, int]) -> dict[str, int]:
    """The lines of folders whose names differ in Unicode's form or outer spaces only; none where two could be."""
    plain = {folder: unicodedata.normalize("NFC", folder.strip()) for folder in folders}
    times = Counter(plain.values())
    rows: dict[str, list[int]] = defaultdict(list)
    for name, row in row_of.items():
        rows[unicodedata.normalize("NFC", name)].append(row)
    return {
        folder: rows[name][0]
        for folder, name in plain.items()
        if folder not in row_of and times[name] == 1 and len(rows[name]) == 1
    }


def _of_table(path: Path, root: Path) -> ImageList:
    table = read_table(path, path.name)
    image, subject = table.need(IMAGE), table.need(SUBJECT)
    named = table.find(IMAGE_ID)
    addresses, subjects = table.texts(image).tolist(), table.texts(subject).tolist()
    ids = addresses if named is None else table.texts(named).tolist()
    _check(table, root, addresses, subjects, ids)
    boxes, landmarks = _numbers(table, BOX), _numbers(table, POINTS, at_least=EYES)
    used = {image, subject, named}
    used |= {*(BOX if boxes is not None else ()), *(POINTS if landmarks is not None else ())}
    return ImageList(
        root=str(root),
        addresses=tuple(addresses),
        ids=tuple(ids),
        subjects=tuple(subjects),
        columns={name: table.texts(name).tolist() for name in table.columns if name not in used},
        given=_given(table, boxes, landmarks),
        boxes=boxes is not None,
        landmarks=landmarks is not None,
    )


def _check(
    table: Table, root: Path, addresses: Sequence[str], subjects: Sequence[str], ids: Sequence[str]
) -> None:
    seen: dict[str, int] = {}
    for row, (address, subject, name) in enumerate(zip(addresses, subjects, ids, strict=True)):
        place = table.place(row)
        if not address or not subject or not name:
            raise DataError(place, "an empty image, subject or id", "a value")
        if seen.setdefault(name, row) != row:
            raise DataError(place, f"the image of {table.unit} {seen[name] + table.first} again", "each once")
        check_below(root, address, place, "the folder of the images")


def _numbers(table: Table, columns: Sequence[str], at_least: int | None = None) -> Floats | None:
    """Columns as numbers, (R, C), NaN where a field is empty; None where the table has none of them."""
    there = [name for name in columns if name in table.columns]
    if not there:
        return None
    if missing := [name for name in columns[: at_least or len(columns)] if name not in there]:
        raise DataError(table.name, f"column {there[0]} without {missing[0]}", ", ".join(columns))
    values = np.full((len(table.frame), len(columns)), np.nan)
    for place, name in enumerate(columns):
        if name in there:
            values[:, place] = [_number(table, row, name, text) for row, text in enumerate(table.texts(name))]
    return values


def _number(table: Table, row: int, column: str, text: str) -> float:
    if not text:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        value = float("inf")
    if not abs(value) < 1e6:
        raise DataError(table.place(row), f"{column} is not a number of pixels", "a number, or nothing")
    return value


def _given(table: Table, boxes: Floats | None, landmarks: Floats | None) -> tuple[FoundFace | None, ...]:
    """Each line's face; none where its box and its landmarks are empty. Raises :class:`DataError` for halves."""
    if boxes is None and landmarks is None:
        return ()
    faces: list[FoundFace | None] = []
    for row in range(len(table.frame)):
        box = None if boxes is None else _box(table, row, boxes[row])
        marks = None if landmarks is None else _marks(table, row, landmarks[row])
        faces.append(None if box is None and marks is None else FoundFace(box=box, landmarks=marks))
    return tuple(faces)


def _box(table: Table, row: int, sides: Floats) -> Box | None:
    if np.isnan(sides).all():
        return None
    if not np.isfinite(sides).all() or not (sides[2:] > 0).all():
        problem = "an incomplete box, or one without area"
        raise DataError(table.place(row), problem, "x, y, width, height, or nothing")
    x, y, width, height = sides.tolist()
    return Box(x=x, y=y, width=width, height=height)


def _marks(table: Table, row: int, values: Floats) -> Floats | None:
    if np.isnan(values).all():
        return None
    marks = values.reshape(-1, 2)
    halves = np.isnan(marks).any(axis=1) != np.isnan(marks).all(axis=1)
    if halves.any() or np.isnan(marks[:2]).any() or (marks[0] == marks[1]).all():
        raise DataError(table.place(row), "landmarks without two different eyes", "x1, y1, x2, y2 at least")
    return marks
