"""A synthetic web search as files: images by query, boxes of two services, a third that finds no faces itself."""

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from frtaudit.core.labelling import Labelling
from frtaudit.datasets.cohorts.synthetic_queries import SyntheticQueries, SyntheticService
from frtaudit.labelling.single import MULTIPLE

SERVICES = ("acme", "bolt", "crest")
BOXED = ("acme", "bolt")
HEADER = ("image", "provider", "face", "x", "y", "width", "height")
Box = tuple[str, str, str, float, float, float, float]


@cache
def search() -> Labelling:
    """Fourteen queries of ten to fourteen images, three services that see much the same."""
    services = {
        name: SyntheticService(noise=noise) for name, noise in zip(SERVICES, (0.2, 0.25, 0.3), strict=True)
    }
    made = SyntheticQueries(queries=14, faces=(10, 14), twins=0.0, services=services).load({}, 5).labelling
    assert made is not None
    return made


def crop(provider: str, image: str) -> str:
    """What a service with boxes calls its crop of the face that all of them find in an image."""
    return f"{provider[0]}{image[-4:]}" if provider in BOXED else image


def usual_boxes() -> list[Box]:
    """One face an image, found by both services in slightly different places."""
    return [
        (image, name, crop(name, image), 10.0 + shift, 20.0 - shift, 40.0, 50.0)
        for image in search().faces.names
        for shift, name in enumerate(BOXED)
    ]


def write(
    folder: Path,
    boxes: Sequence[Box] | None = None,
    *,
    several: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    rng: np.random.Generator | None = None,
) -> Path:
    """The folder that cohort=queries reads; ``boxes`` None: no file of boxes, every service scores images.

    ``several``: images that the service without boxes refuses; ``rename``: service to another name; ``rng``: shuffles
    the lines of every file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made, called = search(), rename or {}
    drawn = {(box[1], box[2]) for box in boxes or ()}
    names = made.faces.names
    rows = [
        (name, made.faces.queries[q], int(answer))
        for name, q, answer in zip(names, made.faces.query_of, made.faces.annotated, strict=True)
    ]
    lines(folder / "faces.csv", ("image", "query", "annotation"), rows, rng)
    if boxes is not None:
        lines(folder / "boxes.csv", HEADER, [(b[0], called.get(b[1], b[1]), *b[2:]) for b in boxes], rng)
    for one in made.services:
        said = []
        for i, j, score in zip(one.first.tolist(), one.second.tolist(), one.score.tolist(), strict=True):
            refused = one.name not in BOXED and {names[i], names[j]} & set(several)
            own = [crop(one.name, names[k]) if boxes is not None else names[k] for k in (i, j)]
            if boxes is not None and one.name in BOXED and not {(one.name, face) for face in own} <= drawn:
                continue  # what a service did not find it did not compare
            said.append((*own, "" if refused else f"{score:.6g}", MULTIPLE if refused else ""))
        name = called.get(one.name, one.name)
        lines(folder / f"{name}.csv", ("probe", "reference", "score", "failure"), said, rng)
    return folder


def lines(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]], rng: object = None) -> None:
    """Write a CSV file, its rows in a random order where ``rng`` is given."""
    order = rng.permutation(len(rows)) if isinstance(rng, np.random.Generator) else range(len(rows))
    with path.open("w", newline="") as stream:
        out = csv.writer(stream)
        out.writerow(header)
        out.writerows(rows[k] for k in order)
