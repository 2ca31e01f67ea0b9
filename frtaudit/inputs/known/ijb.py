"""IJB-B and IJB-C as insightface packs them: images by template and medium, pairs of templates."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.number_rows import number_rows
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Pairs, Samples
from frtaudit.inputs.tables import read_table

TERMS = "by agreement with NIST; no redistribution"
RULE = "a template is the sum over media of the mean over frames; its authors choose norms, detector scores, flips"
NO_PEOPLE = "these lists have no subject ids; the 1:N lists have them (ijbc_1N_gallery_G1.csv, ...)"


@register("known_set", "ijb")
@dataclass(frozen=True)
class Ijb:
    """IJB-B and IJB-C in insightface's layout: pairs of templates; people if the 1:N lists are present."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Lines ``1.jpg template medium``, and lines ``template template label`` of such templates."""
        files = _files(folder)
        return files and Evidence(file=files[0], found=f"images by template and medium; pairs in {files[1]}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Samples are templates, whose numbers need not be consecutive."""
        images, file = _files(folder) or ("", "")
        frames = number_rows(folder, images, 3, skip=1)
        table = number_rows(folder, file, 3)
        templates, count = np.unique(frames[:, 0], return_counts=True)
        media = np.unique(frames, axis=0)[:, 0]
        labels = table[:, 2]
        wrong = np.flatnonzero((labels != 0) & (labels != 1))
        if wrong.size:
            raise DataError(
                f"{file} line {int(wrong[0]) + 1}", "the label is neither 1 nor 0", "1 mated, 0 non-mated"
            )
        ids = [str(number) for number in templates.tolist()]
        people, people_note = _people(folder, ids)
        columns = {
            "images": [str(number) for number in count.tolist()],
            "media": [str(number) for number in np.unique(media, return_counts=True)[1].tolist()],
        }
        return KnownSet(
            name="ijb",
            title=f"IJB, {templates.size} templates",
            terms=TERMS,
            samples=Samples(ids=ids, subjects=people, columns=columns),
            pairs=Pairs(
                file=file,
                probe=_places(templates, table[:, 0], file),
                reference=_places(templates, table[:, 1], file),
                lines=np.arange(1, labels.size + 1, dtype=np.int64),
                mated=labels == 1,
            ),
            notes=(people_note, RULE),
        )


def _files(folder: Contents) -> tuple[str, str] | None:
    """The list of images and the list of pairs."""
    heads = {name: [line.split() for line in folder.head(name)[:3]] for name in folder.texts(".txt")}
    images = next(
        (name for name, rows in heads.items() if rows and all(_is_image(row) for row in rows)), None
    )
    pairs = next((name for name, rows in heads.items() if rows and all(_is_pair(row) for row in rows)), None)
    return (images, pairs) if images and pairs else None


def _is_image(row: list[str]) -> bool:
    return (
        len(row) == 3
        and row[0].removesuffix(".jpg").isdecimal()
        and row[0].endswith(".jpg")
        and all(text.isdecimal() for text in row[1:])
    )


def _is_pair(row: list[str]) -> bool:
    return len(row) == 3 and all(text.isdecimal() for text in row) and row[2] in {"0", "1"}


def _places(templates: Ints, wanted: Ints, file: str) -> "np.ndarray[tuple[int, ...], np.dtype[np.int32]]":
    place = np.minimum(np.searchsorted(templates, wanted), templates.size - 1)
    lost = np.flatnonzero(templates[place] != wanted)
    if lost.size:
        raise DataError(
            f"{file} line {int(lost[0]) + 1}", "a template without images", "templates of the list of images"
        )
    return place.astype(np.int32)


def _people(folder: Contents, ids: list[str]) -> tuple[list[str] | None, str]:
    """Who each template shows: the first two columns of the 1:N lists; None where one template is in none of them."""
    of: dict[str, str] = {}
    known = set(ids)
    for name in folder.texts(".csv"):
        table = read_table(folder.path(name), name)
        if len(table.columns) < 2:
            continue
        templates, people = (table.texts(column) for column in table.columns[:2])
        if not set(templates[:50]) <= known:
            continue
        for row, (template, who) in enumerate(zip(templates, people, strict=True)):
            if of.setdefault(template, who) != who:
                raise DataError(table.place(row), "a template of two people", "one person for each template")
    if not of:
        return None, NO_PEOPLE
    lost = sum(name not in of for name in ids)
    if lost:
        return None, f"{lost} of {len(ids)} templates are in no 1:N list: subject ids are not used"
    return [of[name] for name in ids], "people from the 1:N lists"
