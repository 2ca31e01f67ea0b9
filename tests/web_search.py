"""LFW as if it were a web search: queries are people with eight images and more, strangers' faces mixed in."""

import csv
import os
from functools import cache
from pathlib import Path

import numpy as np

from frtaudit.core.labelling import UNSAID, Faces, Service
from frtaudit.labelling.pairs import pairs_of
from frtaudit.labelling.settings import Between

MODELS = (
    "dlib_resnet",
    "mobilefacenet_foamliu",
    "mobilefacenet_insightface",
    "mobilefacenet_quant_zye",
    "mobilefacenet_xiaoccer",
)
ENOUGH, MAX_IMAGES, SHARES = 8, 40, (0.1, 0.6)


def lfw() -> Path:
    """The folder of LFW, perhaps missing."""
    return Path(os.environ.get("FRTAUDIT_DATA", "no such folder")) / "lfw"


@cache
def web_search(
    seed: int = 1, shares: tuple[float, float] = SHARES
) -> tuple[Faces, tuple[Service, ...], np.ndarray]:
    """Faces with the truth as annotation, what five models say of pairs, and the group of each query.

    ``shares``: lowest and highest share of wrong faces in a query.
    Pairs: all within a query, and as many between queries of one group.
    """
    vectors = {name: _templates(name) for name in MODELS}
    people, gender = _people(set.intersection(*(set(one) for one in vectors.values())))
    rng = np.random.default_rng(seed)
    searched = sorted(name for name, images in people.items() if len(images) >= ENOUGH)
    strangers = [image for name, images in sorted(people.items()) if len(images) < ENOUGH for image in images]
    rng.shuffle(strangers)
    names, query_of, truth = [], [], []
    for q, name in enumerate(searched):
        own = sorted(rng.choice(people[name], min(MAX_IMAGES, len(people[name])), replace=False).tolist())
        share = rng.uniform(*shares)
        wrong = round(len(own) * share / (1 - share))
        found = [(image, 1) for image in own] + [(strangers.pop(), 0) for _ in range(wrong)]
        found.sort()
        names += [image for image, _ in found]
        truth += [label for _, label in found]
        query_of += [q] * len(found)
    faces = Faces(
        names=tuple(names), query_of=np.array(query_of, dtype=np.int32), queries=tuple(searched),
        annotated=np.array(truth, dtype=np.int8),
    )  # fmt: skip
    group = np.array([gender[name] for name in searched])
    code = np.unique(group, return_inverse=True)[1].astype(np.int64)
    first, second = pairs_of(faces, code, Between.MATCHED, rng)
    services = tuple(
        _service(name, np.array([vectors[name][image] for image in names]), first, second) for name in MODELS
    )
    return faces, services, group


def write(
    folder: Path, faces: Faces, services: tuple[Service, ...], group: np.ndarray, *, annotated: bool
) -> Path:
    """The folder that audit=rapid_test reads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "faces.csv").open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["face_id", "query", "group", *(["annotation"] if annotated else [])])
        for row, name in enumerate(faces.names):
            q = faces.query_of[row]
            answer = "" if faces.annotated[row] == UNSAID else int(faces.annotated[row])
            lines.writerow([name, faces.queries[q], group[q], *([answer] if annotated else [])])
    for one in services:
        with (folder / f"{one.name}.csv").open("w", newline="") as stream:
            lines = csv.writer(stream)
            lines.writerow(["probe", "reference", "score", "failure"])
            lines.writerows(
                (
                    faces.names[i],
                    faces.names[j],
                    "" if k >= 0 else f"{score:.9g}",
                    one.codes[k] if k >= 0 else "",
                )
                for i, j, score, k in zip(
                    one.first.tolist(),
                    one.second.tolist(),
                    one.score.tolist(),
                    one.failure.tolist(),
                    strict=True,
                )
            )
    return folder


def _service(name: str, vectors: np.ndarray, first: np.ndarray, second: np.ndarray) -> Service:
    score = np.einsum("pd,pd->p", vectors[first], vectors[second]).astype(np.float64)
    return Service(
        name=name,
        first=first,
        second=second,
        score=score,
        failure=np.full(score.size, -1, dtype=np.int16),
        codes=(),
    )


def _templates(model: str) -> dict[str, np.ndarray]:
    held = np.load(lfw() / "templates" / f"{model}.npz", allow_pickle=False)
    found = held["embedding"].astype(np.float32)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return dict(zip(held["image_id"].tolist(), found, strict=True))


def _people(known: set[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    people: dict[str, list[str]] = {}
    gender: dict[str, str] = {}
    with (lfw() / "metadata.csv").open(newline="") as stream:
        for row in csv.DictReader(stream):
            if row["image_id"] in known:
                people.setdefault(row["subject_id"], []).append(row["image_id"])
                gender[row["subject_id"]] = row["subject_gender_majority"]
    return people, gender
