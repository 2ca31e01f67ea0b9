"""LFW, XQLFW and lists in LFW's layout: pairs.txt with folds, or pairsDevTrain.txt and pairsDevTest.txt without."""

from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.core.text.quoting import choices
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents, columns_at, stem
from frtaudit.inputs.importing.lists import pairs_of, with_images
from frtaudit.inputs.importing.values import RESEARCH, Evidence, KnownSet, Options, Samples
from frtaudit.inputs.pairlist import lfw_lines

OFFICIAL = "ea42330c62c92989f9d7c03237ed5d591365e89b3e649747777b70e692dc1592"  # sha256 of View 2's pairs.txt
FIELDS = (3, 4)  # of a mated line, and of a non-mated one where it should not stand
DIGITS = 9  # of a number


@register("known_set", "lfw")
@dataclass(frozen=True)
class Lfw:
    """LFW's layout (LFW, XQLFW): a list of pairs with one or two counts in its first line; people by name."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A first line of counts, then a line ``name i j``; a list with folds is preferred to those without."""
        lists = _lists(folder)
        if not lists:
            return None
        file = min(lists, key=lambda name: -len(lists[name]))
        counts = " ".join(map(str, lists[file]))
        return Evidence(file=file, found=f"first line {counts!r}, then name i j")

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """The pairs, their folds, the images that are there, and XQLFW's quality where its file is."""
        lists = _lists(folder)
        with_folds = [name for name, counts in lists.items() if len(counts) == 2]
        likely = lists if options.file else with_folds or lists
        file = options.chosen(sorted(likely), "lists of pairs in LFW's layout")
        lines = lfw_lines(folder.path(file))
        sides = [line.probe for line in lines], [line.reference for line in lines]
        ids, columns, notes = with_images([*sides[0], *sides[1]], folder, _belongs)
        quality = _quality(folder)
        if quality:
            columns["quality"] = [quality.get(name, "") for name in ids]
        folds = [line.fold for line in lines if line.fold is not None]
        official = sha256_file(folder.path(file)) == OFFICIAL
        others = sorted(set(lists) - {file})
        more = (f"not read: {', '.join(others)} ({choices('file', others[:1])} reads it)",) if others else ()
        return KnownSet(
            name="xqlfw" if quality or "xqlfw" in file.lower() else "lfw",
            title="LFW, the official pairs of View 2"
            if official
            else f"pairs in LFW's layout ({stem(file)})",
            terms=RESEARCH,
            samples=Samples(ids=ids, subjects=[person(name) for name in ids], columns=columns),
            pairs=pairs_of(
                file,
                sides,
                ids,
                first=2,
                mated=np.array([line.mated for line in lines], dtype=np.bool_),
                fold=np.array(folds, dtype=np.int16) if folds else None,
            ),
            notes=(*notes, *more),
        )


def person(image: str) -> str:
    """The subject of an image: its name without the number.

    >>> person("Aaron_Peirsol_0001")
    'Aaron_Peirsol'
    """
    return image.rpartition("_")[0]


def _belongs(path: str) -> bool:
    """Whether a file is ``name/name_0001.jpg``."""
    place = PurePosixPath(path)
    return person(place.stem) == place.parent.name and place.stem[-4:].isdecimal()


def _lists(folder: Contents) -> dict[str, tuple[int, ...]]:
    """Lists in LFW's layout: the counts of their first lines."""
    by_name = {name: _counts(folder.head(name)) for name in folder.texts(".txt")}
    return {name: counts for name, counts in by_name.items() if counts}


def _counts(head: list[str]) -> tuple[int, ...]:
    if len(head) < 2:
        return ()
    first, second = head[0].split(), head[1].split("\t") if "\t" in head[1] else head[1].split()
    if not 1 <= len(first) <= 2 or not all(map(_is_count, first)) or len(second) not in FIELDS:
        return ()
    numbered = all(text.strip().isdecimal() for text in (second[1], second[-1]))
    boxes = len(second) > FIELDS[0] and any(text.strip().isdecimal() for text in second[::2])
    return tuple(map(int, first)) if numbered and not boxes else ()


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= DIGITS


def _quality(folder: Contents) -> dict[str, str]:
    """XQLFW's score of each image, by image id."""
    for name in folder.texts(".txt"):
        head = folder.head(name)
        if head and columns_at(head[0].split(), "id", "num", "score"):
            rows = [line.split() for line in folder.lines(name)[1:] if line.strip()]
            wrong = next((i for i, row in enumerate(rows) if len(row) != 3 or not _is_count(row[1])), None)
            if wrong is not None:
                raise DataError(f"{name} line {wrong + 2}", "not an image and a score", "ID Num Score")
            return {f"{row[0]}_{int(row[1]):04d}": row[2] for row in rows}
    return {}
