"""RFW: a list of pairs for each race, in LFW's layout without a first line; people are Freebase ids within a race."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from frtaudit.core.registry import register
from frtaudit.core.text.formatting import counted
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.folds import positional_folds
from frtaudit.inputs.importing.lists import joined, pairs_of
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Pairs, Samples
from frtaudit.inputs.pairlist import PairLine, lfw_lines

RACES = ("African", "Asian", "Caucasian", "Indian")
LINE = re.compile(r"m\.\w+\t\d+\t(\d+|m\.\w+\t\d+)")
TERMS = (
    "non-commercial research, no redistribution, access can be withdrawn; images of the withdrawn MS-Celeb-1M"
)
WITHIN = "every pair is within one race: FMR across races is not estimated"


@register("known_set", "rfw")
@dataclass(frozen=True)
class Rfw:
    """RFW: RACE_pairs.txt for up to four races; race as group; 10 folds each; pairs within one race only."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """Lists named after a race whose first lines are ``m.id number number``, separated by tabs, without counts."""
        lists = _lists(folder)
        if not lists:
            return None
        return Evidence(file=next(iter(lists.values())), found=f"Freebase ids, lists of {', '.join(lists)}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """All races; numbers have four digits in file names, also those above 9."""
        lists = _lists(folder)
        paths = {
            f"{race}/{PurePosixPath(name).stem}": name for name in folder.images() for race in _races_in(name)
        }
        lines = {race: lfw_lines(folder.path(file)) for race, file in lists.items()}
        listed = {
            f"{race}/{name}"
            for race in lists
            for line in lines[race]
            for name in (line.probe, line.reference)
        }
        ids = sorted(listed | set(paths))
        people = [name.rpartition("_")[0] for name in ids]
        columns = {"race": [name.partition("/")[0] for name in ids]}
        missing = len(set(ids) - set(paths))
        races = Counter(person.partition("/")[2] for person in set(people))
        twice = sum(times > 1 for times in races.values())  # their key holds the race
        notes = [WITHIN]
        if twice:
            notes.append(f"people in the lists of two races, each of whom counts as two subjects: {twice}")
        if paths and missing:
            notes.append(f"not in the folder: {counted(missing, 'image')} of the lists")
        if paths:
            columns["path"] = [paths.get(name, "") for name in ids]
        return KnownSet(
            name="rfw",
            title="RFW",
            terms=TERMS,
            samples=Samples(ids=ids, subjects=people, columns=columns, groups=("race",)),
            pairs=joined([_pairs(race, file, lines[race], ids) for race, file in lists.items()]),
            notes=tuple(notes),
        )


def _lists(folder: Contents) -> dict[str, str]:
    """Race to its list of pairs."""
    lists: dict[str, str] = {}
    for name in folder.texts(".txt"):
        head = folder.head(name)
        race = next(iter(_races_in(name)), "")
        if race and len(head) > 1 and all(LINE.fullmatch(line.rstrip()) for line in head[:2]):
            lists.setdefault(race, name)
    return dict(sorted(lists.items()))


def _races_in(name: str) -> list[str]:
    """The race that a path names: a folder, or the beginning of the file's name."""
    place = PurePosixPath(name)
    words = {*place.parts[:-1], place.name.partition("_")[0]}
    return [race for race in RACES if race in words]


def _pairs(race: str, file: str, lines: list[PairLine], ids: list[str]) -> Pairs:
    sides = [f"{race}/{line.probe}" for line in lines], [f"{race}/{line.reference}" for line in lines]
    mated = np.array([line.mated for line in lines], dtype=np.bool_)
    return pairs_of(file, sides, ids, mated=mated, fold=positional_folds(mated)[0])
