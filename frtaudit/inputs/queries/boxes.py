"""Boxes that services drew round faces, as a file holds them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Floats, Texts
from frtaudit.errors import DataError
from frtaudit.inputs.score_lists.scorelist import PROVIDER
from frtaudit.inputs.tables import Table, read_table, table_stem

IMAGE, FACE = ("image", "image_id"), ("face", "face_id")
SIDES = ("x", "y", "width", "height")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoxList:
    """B boxes in the order of their file.

    ``image``: names; ``provider``: who drew it; ``face``: what that provider's score list calls its crop, unique
    among its own; ``box``: shape (B, 4), float64, x, y, width, height in pixels, widths and heights above 0.
    """

    table: Table
    image: Texts
    provider: Texts
    face: Texts
    box: Floats


def need_no_boxes(path: Path) -> Path:
    """A score list. Raises :class:`DataError` for a file of boxes among them that is not declared."""
    if table_stem(path.name) == "boxes" and set(SIDES) <= set(read_table(path, path.name).columns):
        raise DataError(path.name, "a file of boxes among the score lists", f"cohort.boxes={path.name}")
    return path


def boxes_of(table: Table) -> BoxList:
    """Columns image, provider, face, x, y, width, height.

    Raises :class:`DataError` naming the line: a name that is empty, a side that is not a number, a width or height that
    is not above 0, a face that its provider names twice.
    """
    import pandas as pd

    image, provider, face = (table.texts(table.need(names)) for names in (IMAGE, PROVIDER, FACE))
    empty = (image == "") | (provider == "") | (face == "")
    table.refuse(empty, "no image, provider or face", "all three named in every row")
    twice = pd.DataFrame({"p": provider, "f": face}).duplicated().to_numpy()
    accepted = "face ids that are unique for each provider"
    table.refuse(twice, "the provider names this face in an earlier row", accepted)
    box = np.stack([_numbers(table, table.need((side,))) for side in SIDES], axis=1)
    table.refuse(box[:, 2:].min(axis=1) <= 0, "a width or height that is not above 0", "pixels, above 0")
    return BoxList(table=table, image=image, provider=provider, face=face, box=box)


def _numbers(table: Table, column: str) -> Floats:
    import pandas as pd

    numbers = pd.to_numeric(pd.Series(table.texts(column)), errors="coerce").to_numpy(dtype=np.float64)
    table.refuse(~np.isfinite(numbers), f"column {column!r} holds no finite number", "a number of pixels")
    return numbers
