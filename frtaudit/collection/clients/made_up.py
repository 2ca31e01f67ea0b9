"""Synthetic faces and a synthetic matcher: gray patterns on a background without red, compared by their pixels alone.

Nothing here is a face: it is what demos, training and tests are run on, offline, with answers that are known.
"""

import hashlib
import io
from collections.abc import Sequence

import numpy as np
import scipy

from frtaudit.collection.clients.pictures import pixels
from frtaudit.core.arrays import Bytes, Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.collecting import Box, Picture

SIDE = 96  # pixels of a drawn face
GRID = 6  # its pattern has this many patches a side
DARKEST, BRIGHTEST = 80.0, 250.0  # of a face, on a background of 0
EDGE = 40  # a pixel whose red is above this is part of a face
PATCHES = (10, 12)  # of a background: rows, columns
MIN_SIDE = 16  # pixels of a side below which nothing is seen
THUMBNAIL = 12


def pattern(seed: int, *names: str) -> Floats:
    """A face's own pattern, keyed by names: (GRID, GRID), standard normal."""
    return np.random.default_rng(seed_of(seed, *names)).standard_normal((GRID, GRID))


def drawn(patterns: Floats, side: int = SIDE) -> Bytes:
    """A pattern as gray pixels: (side, side), uint8, smooth, brighter than ``EDGE`` everywhere."""
    from PIL import Image

    spread = np.tanh(patterns / 2)
    small = Image.fromarray(np.uint8(np.round(DARKEST + (BRIGHTEST - DARKEST) * (spread + 1) / 2)))
    large: Bytes = np.asarray(small.resize((side, side), Image.Resampling.BICUBIC)).clip(int(DARKEST))
    return large


def background(seed: int, *names: str) -> Bytes:
    """What a picture shows behind its faces, keyed by names: PATCHES of green and blue, (10, 12, 3), uint8."""
    patches = np.random.default_rng(seed_of(seed, *names)).integers(0, 256, (*PATCHES, 3), dtype=np.uint8)
    patches[:, :, 0] = 0
    return patches


def picture_with(
    faces: Sequence[tuple[Bytes, int, int]], width: int, height: int, behind: Bytes | None = None
) -> Picture:
    """A PNG of faces at (left, top) on black, or on the background ``behind``."""
    from PIL import Image

    shown = Image.fromarray(np.zeros((*PATCHES, 3), dtype=np.uint8) if behind is None else behind)
    canvas = np.array(shown.resize((width, height), Image.Resampling.NEAREST))
    for face, left, top in faces:
        canvas[top : top + face.shape[0], left : left + face.shape[1]] = face[:, :, None]
    stream = io.BytesIO()
    Image.fromarray(canvas).save(stream, format="PNG")
    return Picture(data=stream.getvalue(), width=width, height=height, media="image/png")


def boxes_in(picture: Picture) -> tuple[Box, ...]:
    """Regions with red of at least ``MIN_SIDE`` pixels a side, from left to right."""
    labelled, _ = scipy.ndimage.label(np.asarray(pixels(picture).getchannel("R")) > EDGE)
    boxes = []
    for rows, columns in scipy.ndimage.find_objects(labelled):
        height, width = rows.stop - rows.start, columns.stop - columns.start
        if min(height, width) >= MIN_SIDE:
            x, y = float(columns.start), float(rows.start)
            boxes.append(Box(x=x, y=y, width=float(width), height=float(height)))
    return tuple(sorted(boxes, key=lambda box: (box.x, box.y)))


def template(picture: Picture, box: Box) -> Floats:
    """The region's thumbnail, centred and of length 1: (THUMBNAIL^2,); a flat one is of zeros."""
    from PIL import Image

    image = pixels(picture).convert("L")
    edges = (box.x, box.y, box.x + box.width, box.y + box.height)
    thumbnail = image.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX, box=edges)
    small = np.asarray(thumbnail, dtype=np.float64)
    centred: Floats = (small - small.mean()).ravel()
    length = float(np.linalg.norm(centred))
    return centred / length if length > 0 else centred


def likeness(template: Floats, other: Floats, model: str, noise: float, asymmetry: float = 0.0) -> float:
    """Cosine of two templates, plus noise that the pair and the model decide: no state, the same at each call.

    ``noise``: its standard deviation, one draw for both orders; ``asymmetry``: of a draw for each order.

    >>> here, there = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    >>> round(likeness(here, there, "a", 0.0), 12), likeness(here, there, "a", 0.1) == likeness(there, here, "a", 0.1)
    (0.6, True)
    """
    first, second = _key(template), _key(other)
    shared, normal = _normal(model, *sorted((first, second))), _normal(model, "order", first, second)
    return float(template @ other) + noise * shared + asymmetry * normal


def logistic(value: float, middle: float, slope: float) -> float:
    """A likeness as a score in (0, 1): 1 / (1 + exp(-slope (value - middle))).

    >>> logistic(0.4, 0.4, 8.0)
    0.5
    """
    return float(1.0 / (1.0 + np.exp(-slope * (value - middle))))


def _key(values: Floats) -> str:
    """Templates that differ by less than a hundredth mostly have one key."""
    return hashlib.sha256(np.round(values * 50).astype(np.int8).tobytes()).hexdigest()


def _normal(*names: str) -> float:
    return float(np.random.default_rng(seed_of(0, *names)).standard_normal())
