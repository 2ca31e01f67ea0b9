"""CFP: lists of frontal and profile images, and ten folders of pairs by their numbers, for FF and for FP."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from frtaudit.core.registry import register
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.lists import joined, pairs_of
from frtaudit.inputs.importing.values import RESEARCH, Evidence, KnownSet, Options, Samples

SPLIT = re.compile(r"(?:.*/)?(?P<kind>F[FP])/(?P<fold>\d\d)/(?P<said>same|diff)\.txt")
LIST = re.compile(
    r"\s*(?P<number>\d{1,9})\s+(?P<path>\S+/(?P<who>\w+)/(?P<pose>frontal|profile)/(?P<image>\w+)\.\w+)\s*"
)
PAIR = re.compile(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*")
SIDES = {"FF": ("frontal", "frontal"), "FP": ("frontal", "profile")}


@register("known_set", "cfp")
@dataclass(frozen=True)
class Cfp:
    """CFP: frontal-frontal (file=FF) or frontal-profile (file=FP) pairs, 10 folds; a folder for each person."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A numbered list of ``.../id/frontal/NN.jpg``, and files of pairs ``a,b`` in folders of folds."""
        lists = _lists(folder)
        splits = [
            name
            for name in folder.texts(".txt")
            if SPLIT.fullmatch(name) and PAIR.fullmatch("".join(folder.head(name)[:1]))
        ]
        if "frontal" not in lists or not splits:
            return None
        return Evidence(
            file=lists["frontal"], found=f"numbered images, {len(splits)} files of pairs of numbers"
        )

    def read(self, folder: Contents, options: Options) -> KnownSet:
        """The pairs of one protocol; numbers count from 1."""
        splits = sorted(name for name in folder.texts(".txt") if SPLIT.fullmatch(name))
        kind = options.chosen(sorted({_match(name)["kind"] for name in splits}), "protocols")
        images = {pose: _images(folder, file) for pose, file in _lists(folder).items()}
        rows = {name: row for by_number in images.values() for name, row in by_number.values()}
        ids = sorted(rows)
        parts = []
        for name in (text for text in splits if _match(text)["kind"] == kind):
            fields = _match(name)
            sides = _sides(folder, name, [images.get(pose, {}) for pose in SIDES[kind]])
            size = len(sides[0])
            mated = np.full(size, fields["said"] == "same")
            fold = np.full(size, int(fields["fold"]) - 1, dtype=np.int16)
            parts.append(pairs_of(name, sides, ids, mated=mated, fold=fold))
        return KnownSet(
            name=f"cfp_{kind.lower()}",
            title=f"CFP, {kind}",
            terms=RESEARCH,
            samples=Samples(
                ids=ids,
                subjects=[name.partition("/")[0] for name in ids],
                columns={"pose": [name.split("/")[1] for name in ids], "path": [rows[name] for name in ids]},
            ),
            pairs=joined(parts),
            notes=("pose differs between images of one person, so it is not a group of people",),
        )


def _match(name: str) -> dict[str, str]:
    match = SPLIT.fullmatch(name)
    return match.groupdict() if match else {}


def _lists(folder: Contents) -> dict[str, str]:
    """Pose to the file that numbers its images."""
    lists: dict[str, str] = {}
    for name in folder.texts(".txt"):
        head = folder.head(name)
        first = LIST.fullmatch(head[0]) if head else None
        if first and first["number"] == "1":
            lists.setdefault(first["pose"], name)
    return lists


def _images(folder: Contents, file: str) -> dict[int, tuple[str, str]]:
    """Number to ``person/pose/image`` and to its path below the folder, empty where it is not there."""
    rows: dict[int, tuple[str, str]] = {}
    paths = {"/".join(PurePosixPath(name).with_suffix("").parts[-3:]): name for name in folder.images()}
    for number, line in enumerate(folder.lines(file), 1):
        match = LIST.fullmatch(line)
        if match is None or int(match["number"]) != number:
            raise DataError(
                f"{file} line {number}", "not a number and a path", f"{number} ../Data/Images/ID/POSE/NN.jpg"
            )
        name = f"{match['who']}/{match['pose']}/{match['image']}"
        rows[number] = (name, paths.get(name, ""))
    return rows


def _sides(
    folder: Contents, file: str, images: list[dict[int, tuple[str, str]]]
) -> tuple[list[str], list[str]]:
    sides: tuple[list[str], list[str]] = ([], [])
    for number, line in enumerate(folder.lines(file), 1):
        match = PAIR.fullmatch(line)
        if match is None or any(int(match[side + 1]) not in images[side] for side in (0, 1)):
            raise DataError(
                f"{file} line {number}", "not a pair of numbers of the lists", "a,b: numbers from 1"
            )
        for side in (0, 1):
            sides[side].append(images[side][int(match[side + 1])][0])
    return sides
