"""A table of pairs in any columns: two columns of image ids, optionally a label and a fold."""

from collections.abc import Sequence

import numpy as np

from frtaudit.core.text.quoting import choices, shell_word
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, rows_of
from frtaudit.inputs.importing.image_table import tables_in
from frtaudit.inputs.importing.values import Options, Pairs, Samples
from frtaudit.inputs.pairlist import FOLD, PROBE, REFERENCE, said_mated
from frtaudit.inputs.score_lists.scorelist import SCORE
from frtaudit.inputs.tables import Table

LEFT = (*PROBE, "image1", "image1_path", "path1", "img1", "file1", "p1", "image_a")
RIGHT = (*REFERENCE, "image2", "image2_path", "path2", "img2", "file2", "p2", "image_b")


def pairs_in(
    folder: Contents, samples: Samples, taken: Sequence[str], options: Options
) -> tuple[Pairs | None, tuple[str, ...]]:
    """The pairs of the one table of the folder that has some, or None, and a note where scores stand beside them.

    Raises :class:`DataError` for two tables.
    """
    candidates = [table for table in tables_in(folder, taken) if table.find(LEFT) and table.find(RIGHT)]
    chosen = [table for table in candidates if table.name == options.file] or candidates
    if len(chosen) > 1:
        raise DataError(
            "the folder", f"{len(chosen)} tables of pairs", choices("file", [table.name for table in chosen])
        )
    if not chosen:
        return None, ()
    column = chosen[0].find(SCORE)
    audit = f"frtaudit run audit=scores {shell_word('cohort.root', str(folder.path(chosen[0].name)))}"
    note = f"{chosen[0].name}: its pairs are compared, its column {column} is not read; as a system: {audit}"
    return pairs_of_table(chosen[0], samples), (note,) if column else ()


def pairs_of_table(table: Table, samples: Samples) -> Pairs:
    """The pairs of a table; :class:`DataError` for an image that the set does not hold, or a fold that is no number."""
    columns = table.need(LEFT), table.need(RIGHT)
    texts = [table.texts(column).tolist() for column in columns]
    indices = rows_of([*texts[0], *texts[1]], samples.ids)
    sides = np.array(indices, dtype=np.int32).reshape(2, -1)
    for column, rows in zip(columns, sides, strict=True):
        table.refuse(rows < 0, f"column {column} names an image that is not in the set", "images of the set")
    mated = said_mated(table)
    return Pairs(
        file=table.name,
        probe=sides[0],
        reference=sides[1],
        lines=np.asarray(table.frame.index, dtype=np.int64) + table.first,
        mated=mated.astype(np.bool_) if (mated >= 0).all() else None,
        fold=_folds(table),
    )


def _folds(table: Table) -> "np.ndarray[tuple[int, ...], np.dtype[np.int16]] | None":
    column = table.find(FOLD)
    if column is None:
        return None
    texts = table.whole_texts(column)
    wrong = np.array([not text.isdecimal() or len(text) > 4 for text in texts], dtype=np.bool_)
    table.refuse(wrong, "the fold is not an integer from 0 to 9999", "1, 2, 3, ...", texts)
    return np.unique(texts.astype(np.int64), return_inverse=True)[1].astype(np.int16)
