"""CALFW and CPLFW: two lines a pair, ``image.jpg label``; all mated pairs first, then all non-mated ones."""

import re
from dataclasses import dataclass

import numpy as np

from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, stem
from frtaudit.inputs.importing.folds import positional_folds
from frtaudit.inputs.importing.lists import pairs_of, with_images
from frtaudit.inputs.importing.values import RESEARCH, Evidence, KnownSet, Options, Samples

LINE = re.compile(r"(?P<image>\S.*?\.(?:jpe?g|png|bmp)) (?P<label>\d+)\s*", re.IGNORECASE)
NUMBERED = re.compile(r".+_\d+")
ENOUGH = 4  # lines that decide


@register("known_set", "calfw_cplfw")
@dataclass(frozen=True)
class TwoLines:
    """CALFW and CPLFW: two lines a pair, image and label; 3,000 mated pairs, then 3,000 non-mated; people by name."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Lines ``name_number.jpg label`` whose labels are equal two by two; the first pair is mated by name too."""
        file = next((name for name in folder.texts(".txt") if _is_list(folder.head(name))), None)
        return None if file is None else Evidence(file=file, found="two lines a pair: image and label")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """The pairs; any label but 0 is mated; folds by order."""
        file = next(name for name in folder.texts(".txt") if _is_list(folder.head(name)))
        rows = _rows(file, folder.lines(file))
        images = [image for image, _ in rows]
        labels = np.array([label for _, label in rows], dtype=np.int64)
        apart = np.flatnonzero((labels[::2] > 0) != (labels[1::2] > 0))
        if apart.size:
            where = f"{file} line {2 * int(apart[0]) + 2}"
            raise DataError(where, "the two labels of a pair disagree", "both 0, or neither")
        mated = labels[::2] > 0
        fold, fold_note = positional_folds(mated)
        sides = images[::2], images[1::2]
        ids, columns, notes = with_images(images, folder, lambda _: False)
        name = "calfw" if labels.max() > 1 else "cplfw"
        return KnownSet(
            name=name,
            title=name.upper(),
            terms=RESEARCH,
            samples=Samples(ids=ids, subjects=[image.rpartition("_")[0] for image in ids], columns=columns),
            pairs=pairs_of(file, sides, ids, step=2, mated=mated, fold=fold),
            notes=(fold_note, *notes),
        )


def _is_list(head: list[str]) -> bool:
    matches = [LINE.fullmatch(line) for line in head[:ENOUGH]]
    if len(matches) < ENOUGH or not all(matches):
        return False
    (name, first), (other, second) = (
        (match["image"], int(match["label"][:9])) for match in matches[:2] if match
    )
    people = {stem(image).rpartition("_")[0] for image in (name, other)}
    return bool(first and second and len(people) == 1 and NUMBERED.fullmatch(stem(name)))


def _rows(file: str, lines: list[str]) -> list[tuple[str, int]]:
    """Image id and label of each line."""
    rows = []
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        if match is None or not NUMBERED.fullmatch(stem(match["image"])):
            raise DataError(
                f"{file} line {number}", "not an image and a label", "name_number.jpg, a space, a label"
            )
        rows.append((stem(match["image"]), min(int(match["label"][:9]), 99)))
    if len(rows) % 2:
        raise DataError(file, f"{len(rows)} lines", "an even number: two lines for each pair")
    return rows
