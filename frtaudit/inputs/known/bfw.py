"""BFW: one table with pairs, folds, groups and the cosines of several systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from frtaudit.core.arrays import Floats, Shorts
from frtaudit.core.registry import register
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError
from frtaudit.inputs.importing.contents import Contents
from frtaudit.inputs.importing.values import Evidence, KnownSet, Options, Pairs, PairScores, Samples
from frtaudit.inputs.tables import Table, read_table

NEEDED = ("fold", "p1", "p2", "label", "att1", "att2")
OTHERS = ("id1", "id2", "a1", "a2", "g1", "g2", "e1", "e2", "", "index", "unnamed: 0", "same", "subgroup")
GENDERS = {"F": "female", "M": "male"}
ETHNICITIES = {"A": "asian", "B": "black", "I": "indian", "W": "white"}
FAULTY = (  # known upstream: another person, two drawings
    "asian_females/n002509/0139_03",
    "white_females/n003391/0017_02",
    "asian_males/n006741/0275_02",
)
TERMS = "non-commercial research and education, no redistribution"


@register("known_set", "bfw")
@dataclass(frozen=True)
class Bfw:
    """BFW's table: p1, p2, label, fold, groups by gender and ethnicity, one column of cosines for each system."""

    def recognise(self, folder: Contents) -> Evidence | None:
        """A header with fold, p1, p2, label, att1 and att2."""
        file = folder.table(*NEEDED)
        return None if file is None else Evidence(file=file, found=f"columns {', '.join(NEEDED)}")

    def read(self, folder: Contents, options: Options) -> KnownSet:  # noqa: ARG002  readers share a signature
        """Pairs, groups, and every other column of numbers as a system."""
        file = folder.table(*NEEDED)
        table = read_table(folder.path(file or ""), file or "")
        for name in NEEDED:
            table.need((name,))
        sides = [table.coded(name) for name in ("p1", "p2")]
        ids = sorted({str(name) for side in sides for name in side.names})
        number = {name: row for row, name in enumerate(ids)}
        probe, reference = (side.indices(number) for side in sides)
        for side in (probe, reference):
            table.refuse(side < 0, "an image is missing", "p1 and p2")
        people, columns = _people(table, ids)
        systems = _systems(table)
        faulty = [number[name] for name in ids if name.rpartition(".")[0] in FAULTY]
        touched = int((np.isin(probe, faulty) | np.isin(reference, faulty)).sum())
        return KnownSet(
            name="bfw",
            title="BFW",
            terms=TERMS,
            samples=Samples(ids=ids, subjects=people, columns=columns, groups=tuple(columns)),
            pairs=Pairs(
                file=table.name,
                probe=probe.astype(np.int32),
                reference=reference.astype(np.int32),
                lines=np.asarray(table.frame.index, dtype=np.int64) + table.first,
                mated=_labels(table),
                fold=_folds(table),
            ),
            scores={name: PairScores(score=score) for name, score in systems.items()},
            notes=(f"{counted(len(faulty), 'image')} with known errors in {counted(touched, 'pair')}",)
            if faulty
            else (),
        )


def _labels(table: Table) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    texts = table.coded("label")
    kinds = texts.mapped(
        np.array([{"1": 1, "0": 0, "1.0": 1, "0.0": 0}.get(str(name), -1) for name in texts.names]), -1
    )
    table.refuse(kinds < 0, "the label is neither 1 nor 0", "1 mated, 0 non-mated")
    return np.asarray(kinds > 0, dtype=np.bool_)


def _folds(table: Table) -> Shorts:
    texts = table.coded("fold")
    wrong = [str(name) for name in texts.names if not str(name).isdecimal() or len(str(name)) > 3]
    if wrong or (texts.code < 0).any():
        raise DataError(table.name, "a fold is not a number", "1, 2, 3, ...")
    folds = texts.mapped(np.array([int(str(name)) for name in texts.names], dtype=np.int64), -1)
    return np.unique(folds, return_inverse=True)[1].astype(np.int16)


def _people(table: Table, ids: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """``group/person`` of each image, and its classes; columns a, g and e must agree with the folder."""
    people = [str(PurePosixPath(name).parent) for name in ids]
    if any("/" not in person for person in people):
        raise DataError(table.name, "an image is not group/person/image", "paths as BFW has them")
    columns = {"attribute": [person.partition("/")[0] for person in people]}
    if not {"g1", "e1", "g2", "e2"} <= set(table.columns):
        return people, columns
    of: dict[str, tuple[str, str]] = {}
    for side in ("1", "2"):
        frame = table.frame[[f"p{side}", f"att{side}", f"g{side}", f"e{side}"]].drop_duplicates()
        for image, group, gender, ethnicity in frame.itertuples(index=False):
            classes = (ETHNICITIES.get(str(ethnicity), ""), GENDERS.get(str(gender), ""))
            if of.setdefault(str(image), classes) != classes or f"{classes[0]}_{classes[1]}s" != str(group):
                raise DataError(
                    table.name, "att, g and e of an image disagree", "one gender and ethnicity of an image"
                )
    columns["ethnicity"], columns["gender"] = ([of[name][part] for name in ids] for part in (0, 1))
    return people, columns


def _systems(table: Table) -> Mapping[str, Floats]:
    """Columns of numbers that BFW does not define."""
    scores: dict[str, Floats] = {}
    for name in table.columns:
        if name.lower() in {*NEEDED, *OTHERS}:
            continue
        try:
            score = np.array(
                [float(text) if text else np.nan for text in table.texts(name)], dtype=np.float64
            )
        except ValueError:
            continue
        scores[name.lower()] = np.where(np.isfinite(score), score, np.nan)
    if not scores:
        raise DataError(table.name, "no column of scores", "a column of cosines for each system")
    return scores
