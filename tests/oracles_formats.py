"""Slow readers of other programs' score files, from their public descriptions; nothing is shared with ours."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from frtaudit.core.labelling import Faces

Row = tuple[str, str, str, str, float]
"""Reference, its subject, probe, its subject, score."""


def lines(path: Path) -> list[list[str]]:
    """Fields of each line that is neither empty nor a remark."""
    rows = [line.split() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    return [row for row in rows if row and not row[0].startswith("#")]


def quoted(path: Path) -> list[list[str]]:
    """Fields of each line, those with a space in double quotes."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, delimiter=" "))


def four(path: Path) -> list[Row]:
    """claimed_id real_id test_label score: the reference is the claimed subject's model."""
    return [(f"model of {a}", a, label, b, float(score)) for a, b, label, score in quoted(path)]


def five(path: Path) -> list[Row]:
    """claimed_id model_label real_id test_label score."""
    return [(model, a, label, b, float(score)) for a, model, b, label, score in quoted(path)]


def table(path: Path) -> list[Row]:
    """CSV as bob.bio writes it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [
            (
                row["bio_ref_template_id"],
                row["bio_ref_subject_id"],
                row["probe_template_id"],
                row["probe_subject_id"],
                float(row["score"]),
            )
            for row in csv.DictReader(file)
        ]


def two(path: Path) -> tuple[list[float], list[float]]:
    """Label and score: mated, non-mated."""
    rows = [(float(label), float(score)) for label, score in lines(path)]
    return [score for label, score in rows if label == 1], [score for label, score in rows if label == -1]


def last(path: Path) -> list[float]:
    """The last field of each line."""
    return [float(row[-1]) for row in lines(path)]


def services_by_rows(
    faces: Faces, rows: Sequence[Mapping[str, Any]]
) -> tuple[list[tuple[object, ...]], dict[str, int]]:
    """What services said, from rows of a score list one by one: (name, first, second, score, code, codes), selves.

    By pair, the smaller face first unless some pair stands in both orders.
    """
    place = {name: number for number, name in enumerate(faces.names)}
    told, alone = [], {}
    for name in sorted({row["provider"] for row in rows}):
        lines = []
        for row in rows:
            if row["provider"] != name:
                continue
            if row["probe"] == row["reference"]:
                alone[name] = alone.get(name, 0) + 1
                continue
            failed = row["failure"] or (None if row["score"] is not None else "missing_score")
            lines.append((place[row["probe"]], place[row["reference"]], row["score"], failed))
        lines.sort(key=lambda line: (min(line[:2]), max(line[:2]), line[0]))
        if not any((second, first) == other[:2] for first, second, *_ in lines for other in lines):
            lines = [(min(first, second), max(first, second), *said) for first, second, *said in lines]
        columns = [list(column) for column in zip(*lines, strict=True)] or [[], [], [], []]
        told.append((name, *columns, tuple(sorted(set(columns[3]) - {None}))))
    return told, alone
