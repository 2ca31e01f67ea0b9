"""``python -m frtaudit.testing.photographs FOLDER``: drawn photographs of drawn people, and a model that knows them.

For demonstrations and tests of ``frtaudit embed``: nothing in these pictures is a face of anybody. Each is turned,
scaled and moved, and ``photographs.csv`` says where its landmarks are, as a detector would; of some there is no face,
and one file is torn.
"""

import argparse
import io
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from frtaudit.collection.clients.made_up import background, drawn, pattern
from frtaudit.collection.embed.align import warped
from frtaudit.core.arrays import Floats, Pixels
from frtaudit.core.canonical import seed_of
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.columns import csv_bytes
from frtaudit.testing.drawn_model import SIDE, model_bytes

TABLE, MODEL = "photographs.csv", "drawn.onnx"
WIDTH, HEIGHT = 200, 180
# Landmarks in a drawn face of 112 x 112, those of ArcFace's template.
LANDMARKS = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]]
)
ALIKE = 0.7  # how much of its left half a face has in its right half, and of its right in its left
GROUPS = {"amber": 0.55, "birch": 0.6, "cedar": 0.7}  # how much two pictures of one person differ


@dataclass(frozen=True, slots=True, kw_only=True)
class Photographs:
    """``people`` with ``images`` pictures each, in turn of each group; of one picture in ``faceless`` nobody's face."""

    people: int = 60
    images: int = 4
    seed: int = 5
    faceless: int = 60

    def write(self, root: Path) -> Path:
        """All files below ``root``; the table's path. The same bytes at each call."""
        root.mkdir(parents=True, exist_ok=True)
        output, lines = OutputFolder(root), []
        for number, (person, image_number) in enumerate(product(range(self.people), range(self.images))):
            address, group = f"person{person:03d}/{image_number}.jpg", list(GROUPS)[person % len(GROUPS)]
            image, points = self.picture(person, number)
            data = _jpeg(image)
            output.replace(address, data[: len(data) // 2] if number == 1 else data)
            seen = (number + 1) % self.faceless != 0
            marks = [f"{value:.3f}" for value in points.ravel()] if seen else [""] * points.size
            lines.append([address, f"person{person:03d}", group, *marks])
        output.replace(MODEL, model_bytes())
        marks = [f"{axis}{number}" for number in range(1, 6) for axis in "xy"]
        return output.replace(TABLE, csv_bytes([["image", "subject_id", "group", *marks], *lines]))

    def picture(self, person: int, number: int) -> tuple[Pixels, Floats]:
        """A picture, RGB, and its landmarks (5, 2)."""
        spread = list(GROUPS.values())[person % len(GROUPS)]
        rng = np.random.default_rng(seed_of(self.seed, "place", str(number)))
        face = np.stack(
            [drawn(self._pattern(person, number, spread, colour), SIDE) for colour in "rgb"], axis=-1
        )
        scale, angle = rng.uniform(0.6, 1.2), rng.uniform(-0.5, 0.5)
        turned = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        middle = np.array([WIDTH, HEIGHT]) / 2 + rng.uniform(-15, 15, 2)
        matrix = np.column_stack([turned, middle - turned @ np.full(2, SIDE / 2)])
        behind = background(self.seed, "behind", str(number)).repeat(15, axis=0).repeat(17, axis=1)
        canvas = behind[:HEIGHT, :WIDTH] // 4
        shown = warped(face, matrix, canvas.shape[:2])
        image = np.where(shown.any(axis=2, keepdims=True), shown, canvas)
        return image, LANDMARKS @ matrix[:, :2].T + matrix[:, 2] + rng.normal(0, 0.5, LANDMARKS.shape)

    def _pattern(self, person: int, number: int, spread: float, colour: str) -> Floats:
        base = pattern(self.seed, "person", str(person), colour)
        varied = base + spread * pattern(self.seed, "picture", str(number), colour)
        return varied + ALIKE * varied[:, ::-1]


def _jpeg(image: Pixels) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(image).save(stream, format="JPEG", quality=90)
    return stream.getvalue()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m frtaudit.testing.photographs")
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where they are written")
    sys.stdout.write(f"{Photographs().write(parser.parse_args().folder)}\n")
