"""AgeDB-30: a Matlab file of ten folds; age and gender are in the names of the images."""

import io
import re
import struct
import zlib
from dataclasses import dataclass
from typing import Any, cast  # Any: what Matlab's cells hold

import numpy as np

from frtaudit.core.machine.files import open_regular
from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.lists import pairs_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Samples
from frtaudit.inputs.template_files import UNREADABLE

NAME = re.compile(r"(?P<number>\d+)_(?P<who>.+)_(?P<age>\d+)_(?P<gender>[fm])", re.IGNORECASE)
MATLAB = b"MATLAB 5.0 MAT-file"
VARIABLE = "splits"
COMPRESSED, HEAD = 15, 128  # of Matlab 5: the kind of a packed part, bytes before the first part
MAX_BYTES = 1 << 26  # of the file, and of what is packed in it
GENDERS = {"f": "female", "m": "male"}
TERMS = "non-commercial research, no redistribution, access can be withdrawn"
_UNREADABLE = (*UNREADABLE, AttributeError, IndexError)  # what a broken file of Matlab leads to


@register("known_set", "agedb_30")
@dataclass(frozen=True)
class AgeDb30:
    """AgeDB-30's Matlab file: 10 folds of 600 pairs; people by name, gender as group, age of each image."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A Matlab 5 file with the variable ``splits``."""
        file = next((name for name in folder.ending(".mat") if _has_splits(folder, name)), None)
        return None if file is None else Evidence(file=file, found=f"variable {VARIABLE}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Pairs are mated if the names are equal; labels, if there are any, must agree."""
        file = next(name for name in folder.ending(".mat") if _has_splits(folder, name))
        splits = _splits(folder, file)
        sides = tuple([pair[side] for fold in splits for pair in fold[0]] for side in (0, 1))
        labels = [label for fold in splits for label in fold[1]]
        ids = sorted({*sides[0], *sides[1]})
        matches = [NAME.fullmatch(name) for name in ids]
        if not all(matches):
            bad = next(row for row, match in enumerate(matches) if not match)
            raise DataError(f"{file} image {bad + 1}", "not a name of AgeDB", "number_Name_age_gender")
        parts = [match.groupdict() for match in matches if match]
        paths = folder.by_stem()
        columns = {
            "gender": [GENDERS[row["gender"].lower()] for row in parts],
            "age": [row["age"] for row in parts],
        }
        fold = np.repeat(np.arange(len(splits)), [len(pairs) for pairs, _ in splits]).astype(np.int16)
        return KnownSet(
            name="agedb_30",
            title="AgeDB-30",
            terms=TERMS,
            samples=Samples(
                ids=ids,
                subjects=[row["who"] for row in parts],
                columns={**columns, **({"path": [paths.get(name, "") for name in ids]} if paths else {})},
                groups=("gender",),
            ),
            pairs=pairs_of(
                file,
                (sides[0], sides[1]),
                ids,
                mated=np.array(labels) > 0 if len(labels) == len(sides[0]) else None,
                fold=fold,
            ),
            notes=("age is given for each image, not for each person: bins of age would group images",),
        )


def _has_splits(folder: Contents, name: str) -> bool:
    import scipy.io

    try:
        data = _data(folder, name)
        variables = scipy.io.whosmat(cast("Any", io.BytesIO(data))) if data.startswith(MATLAB) else []
        return any(variable == VARIABLE for variable, _, _ in variables)
    except (*_UNREADABLE, scipy.io.matlab.MatReadError):
        return False


Fold = tuple[list[tuple[str, str]], list[int]]


def _splits(folder: Contents, name: str) -> list[Fold]:
    """Names of the pairs of each fold, and their labels where there are some."""
    import scipy.io

    try:
        data = _data(folder, name)
        if _unpacked(data) > MAX_BYTES:
            raise DataError(name, f"more than {MAX_BYTES} bytes when unpacked", "the pairs of AgeDB")
        cells = scipy.io.loadmat(cast("Any", io.BytesIO(data)), variable_names=[VARIABLE])[VARIABLE].ravel()
        return [_fold(cell) for cell in cells]
    except (*_UNREADABLE, scipy.io.matlab.MatReadError):
        raise DataError(
            name, "not the pairs of AgeDB", "splits: folds of two rows of images, and labels"
        ) from None


def _data(folder: Contents, name: str) -> bytes:
    """The file; nothing of one that is too large."""
    if folder.files[name] > MAX_BYTES:
        return b""
    with open_regular(folder.path(name), name) as stream:
        return stream.read(MAX_BYTES)


def _unpacked(data: bytes) -> int:
    """The bytes of all parts when unpacked, each counted up to the limit and one more."""
    order = "<" if data[HEAD - 2 : HEAD] == b"IM" else ">"
    place, total = HEAD, 0
    while place + 8 <= len(data) and total <= MAX_BYTES:
        kind, size = struct.unpack_from(f"{order}II", data, place)
        part = data[place + 8 : place + 8 + size]
        total += (
            len(zlib.decompressobj().decompress(part, MAX_BYTES + 1)) if kind == COMPRESSED else len(part)
        )
        place += 8 + size
    return total


def _fold(cell: Any) -> Fold:  # noqa: ANN401  a Matlab structure
    record = cell.ravel()[0]
    images, labels = record[0], [np.asarray(part).ravel() for part in list(record)[1:]]
    names = [[_name(image) for image in row] for row in images[:2]]
    pairs = list(zip(names[0], names[1], strict=True))
    chosen = next(
        (part for part in labels if part.size == len(pairs) and part.dtype.kind in "iuf"), np.empty(0)
    )
    return pairs, [int(label) for label in chosen]


def _name(image: Any) -> str:  # noqa: ANN401  a Matlab structure of name and age
    return str(np.asarray(image.ravel()[0][0]).ravel()[0]).removesuffix(".jpg")
