"""A small synthetic search in files: three queries, three services, drawn faces, for ``frtaudit label``."""

import csv
from pathlib import Path

import matplotlib.image
import numpy as np

QUERIES = {
    "Ada Quill": (8, 2),
    "Bo Tern": (6, 6),
    "Cy Marsh": (7, 3),
}  # of the person, and of one other (Bo) or several
SERVICES = ("acme", "bolt", "crest")
WHO = ((231, 178, 120), (141, 178, 216), (196, 150, 190), (150, 190, 150))


def people() -> list[tuple[str, str, int]]:
    """(face, query, person): 0 the one searched for; Bo's strangers are one person, the others' are many."""
    found = []
    for query, (own, other) in QUERIES.items():
        for place in range(own + other):
            stranger = 1 if own == other else 1 + place - own
            found.append((f"{query[:2].lower()}_{place:02d}", query, 0 if place < own else stranger))
    return found


def write_search(folder: Path, pictures: bool = True) -> Path:
    """faces.csv with a column image, pictures in a folder of their own, and a score list of each service."""
    rng = np.random.default_rng(7)
    listed = people()
    (folder / "pictures").mkdir(parents=True)
    with (folder / "faces.csv").open("w", newline="") as stream:
        lines = csv.writer(stream)
        lines.writerow(["face_id", "query", "image"])
        lines.writerows(
            (face, query, f"pictures/{face}.png" if pictures and place else "")
            for place, (face, query, _) in enumerate(listed)
        )
    if pictures:
        for face, query, person in listed[1:]:
            draw(folder / "pictures" / f"{face}.png", (sorted(QUERIES).index(query) + person) % len(WHO), rng)
    keys = [(query, person) for _, query, person in listed]
    for name in SERVICES:
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            lines = csv.writer(stream)
            lines.writerow(["probe", "reference", "score"])
            for i, one in enumerate(listed):
                for j in range(i + 1, len(listed)):
                    level = 0.9 if keys[i] == keys[j] else 0.2
                    lines.writerow([one[0], listed[j][0], f"{level + rng.normal(0, 0.02):.5f}"])
    return folder


def draw(path: Path, colour: int, rng: np.random.Generator, size: int = 96) -> None:
    """A round face with eyes and a mouth."""
    y, x = np.mgrid[0:size, 0:size] / size - 0.5
    made = np.empty((size, size, 3), dtype=np.uint8)
    made[:] = rng.integers(90, 220, 3)
    made[(x / 0.8) ** 2 + y**2 < 0.16] = WHO[colour]
    for side in (-0.13, 0.13):
        made[(x - side) ** 2 + (y + 0.08) ** 2 < 0.0016] = (30, 30, 40)
    bend = y - 0.14 + rng.uniform(-1, 1) * x**2
    made[(abs(bend) < 0.015) & (abs(x) < 0.13)] = (120, 30, 40)
    matplotlib.image.imsave(path, made)
