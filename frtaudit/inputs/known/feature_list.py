"""MagFace's evaluation lists: ``feat.list`` with a path and its numbers a line, ``pair.list`` with the labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from frtaudit.core.arrays import Flags, Singles
from frtaudit.core.machine.files import check_regular
from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.attach import attached
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.folds import positional_folds
from frtaudit.inputs.importing.stored_embeddings import Vectors
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Pairs, Samples
from frtaudit.inputs.tables import unreadable

NUMBERS = 16  # of a line, at least
MEAN = "its authors subtract the mean of the training folds before they compare: their published rates differ slightly"


@register("known_set", "feature_list")
@dataclass(frozen=True)
class FeatureList:
    """MagFace's feat.list and pair.list: rows 2i and 2i + 1 are pair i; people if the paths name them."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A file of lines ``path number number ...``, and one whose lines end with 0 or 1, half as many."""
        files = _files(folder)
        return files and Evidence(file=files[0], found=f"a path and numbers a line; labels in {files[1]}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Embeddings, pairs by place, labels; people where folders or names agree with all labels."""
        features, labels = _files(folder) or ("", "")
        paths, vectors = _rows(folder, features)
        mated = _labels(labels, folder.lines(labels))
        if len(paths) != 2 * mated.size:
            raise DataError(features, f"{len(paths)} lines for {mated.size} pairs", "two lines for each pair")
        ids = list(dict.fromkeys(paths))
        number = {name: row for row, name in enumerate(ids)}
        rows = np.array([number[path] for path in paths], dtype=np.int32)
        fold, fold_note = positional_folds(mated)
        lines = np.arange(1, mated.size + 1, dtype=np.int64)
        pairs = Pairs(file=labels, probe=rows[::2], reference=rows[1::2], lines=lines, mated=mated, fold=fold)
        subjects, who = people_by_path(ids, pairs, mated)
        first = np.unique(rows, return_index=True)[1]
        known = KnownSet(
            name="feature_list",
            title="a list of features (MagFace)",
            terms="those of the set that it was made from: mostly research only",
            samples=Samples(ids=ids, subjects=subjects),
            pairs=pairs,
            notes=(fold_note, who, MEAN),
        )
        return attached(
            known, [Vectors(file=features, vectors=vectors[first], ids=[paths[row] for row in first])]
        )


def people_by_path(paths: Sequence[str], pairs: Pairs, mated: Flags) -> tuple[list[str] | None, str]:
    """Who each path shows, where the folder or the name without its number agrees with every label, and the words.

    >>> rows = np.array([0, 1], dtype=np.int32)
    >>> pairs = Pairs(file="", probe=rows[:1], reference=rows[1:], lines=rows[:1])
    >>> people_by_path(["a/1.jpg", "a/2.jpg"], pairs, np.array([True]))[0]
    ['a', 'a']
    """
    places = [PurePosixPath(path) for path in paths]
    ways = {
        "the folder": [place.parent.name for place in places],
        "the name of the file without its number": [place.stem.rpartition("_")[0] for place in places],
    }
    for part, names in ways.items():
        texts = np.array(names, dtype=object)
        if all(names) and np.array_equal(texts[pairs.probe] == texts[pairs.reference], mated):
            return names, f"people: {part}, which agrees with every label"
    return None, "people: no part of the paths agrees with all labels"


def _files(folder: Contents) -> tuple[str, str] | None:
    """The file of features and the one of labels."""
    texts = folder.texts(".list", ".txt")
    features = next((name for name in texts if _is_row(folder.head(name))), None)
    labels = next((name for name in texts if name != features and _is_label(folder.head(name))), None)
    return (features, labels) if features and labels else None


def _is_row(head: list[str]) -> bool:
    fields = head[0].split(" ") if head else []
    if len(fields) <= NUMBERS:
        return False
    try:
        [float(text) for text in fields[1 : NUMBERS + 1]]
    except ValueError:
        return False
    return not fields[0].replace(".", "").isdecimal()


def _is_label(head: list[str]) -> bool:
    rows = [line.split() for line in head[:5]]
    return bool(rows) and all(1 <= len(row) <= 4 and row[-1] in {"0", "1"} for row in rows)


def _labels(name: str, lines: list[str]) -> Flags:
    last = [line.split()[-1] if line.split() else "" for line in lines]
    wrong = next((row for row, text in enumerate(last) if text not in {"0", "1"}), None)
    if wrong is not None:
        raise DataError(
            f"{name} line {wrong + 1}", "the last field is neither 1 nor 0", "1 mated, 0 non-mated"
        )
    return np.array([text == "1" for text in last], dtype=np.bool_)


def _rows(folder: Contents, name: str) -> tuple[list[str], Singles]:
    """Paths and vectors of a file of features."""
    import pandas as pd

    check_regular(folder.path(name), name)
    try:
        frame = pd.read_csv(
            folder.path(name),
            sep=" ",
            header=None,
            quoting=3,
            na_filter=False,
            dtype={0: str},
            encoding="utf-8",
        )
        vectors = frame.iloc[:, 1:].to_numpy(dtype=np.float32)
    except unreadable():
        raise DataError(
            name, "a line is not a path with as many numbers as the first", "path number number ..."
        ) from None
    return [str(path) for path in frame.iloc[:, 0]], vectors
