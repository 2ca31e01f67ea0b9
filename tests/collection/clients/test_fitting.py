"""Pictures as a service takes them."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from frtaudit.collection.clients.fitting import Cutter, Shape, base64_of, fitted, scale
from frtaudit.collection.clients.pictures import picture_of, pixels
from frtaudit.core.collecting import Box, CallError, Crop, DetectedFace, Picture

SMALL = Shape(most_bytes=20_000, shortest=10, longest=200, longest_png=100)


def noisy(width: int, height: int, kind: str = "PNG", orientation: int = 1) -> Picture:
    """Pixels that no format makes small."""
    values = np.random.default_rng(1).integers(0, 255, (height, width, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stream = io.BytesIO()
    Image.fromarray(values).save(stream, format=kind, exif=exif)
    return picture_of(stream.getvalue())


def test_what_fits_is_sent_as_it_is() -> None:
    """The same object: not a byte is changed."""
    picture = noisy(40, 30)
    assert fitted(picture, SMALL) is picture


def test_what_is_too_large_becomes_smaller_and_always_the_same() -> None:
    """Within sides and bytes, its shape kept, the same bytes at each call."""
    picture = noisy(400, 300)
    sent = fitted(picture, SMALL)
    assert max(sent.width, sent.height) <= 200
    assert len(sent.data) <= 20_000
    assert sent.width / sent.height == pytest.approx(4 / 3, rel=0.02)
    assert fitted(noisy(400, 300), SMALL).digest == sent.digest
    assert scale(picture, sent) == 400 / sent.width


def test_a_turned_picture_is_sent_upright() -> None:
    """EXIF 6 is a quarter turn: what a service sees has the sides that a viewer shows."""
    sent = fitted(noisy(40, 30, "JPEG", orientation=6), SMALL)
    assert (sent.width, sent.height) == (30, 40)


@pytest.mark.parametrize("shape", [Shape(most_bytes=10**6, shortest=50), Shape(most_bytes=300, shortest=30)])
def test_what_would_be_too_small_is_refused(shape: Shape) -> None:
    """As it is, or once its bytes fit: a failure to acquire; nothing is made larger."""
    with pytest.raises(CallError, match="failure_to_acquire: too_small"):
        fitted(noisy(48, 48), shape)


def test_a_face_is_cut_out_once_and_few_are_kept() -> None:
    """The same picture comes back for the same box; the oldest is let go."""
    cutter = Cutter(shape=Shape(most_bytes=10**6, shortest=10), margin=0.25, keeps=2)
    picture = noisy(90, 90)
    boxes = [Box(x=at, y=10.0, width=20.0, height=20.0) for at in (10.0, 30.0, 50.0)]
    first = cutter.of(Crop(picture=picture, face=DetectedFace(box=boxes[0])))
    assert cutter.of(Crop(picture=picture, face=DetectedFace(box=boxes[0]))) is first
    assert (first.width, first.height) == (31, 31)
    for box in boxes[1:]:
        cutter.of(Crop(picture=picture, face=DetectedFace(box=box)))
    again = cutter.of(Crop(picture=picture, face=DetectedFace(box=boxes[0])))
    assert again is not first
    assert again.digest == first.digest


def test_without_a_box_the_whole_picture_is_the_crop() -> None:
    """A service that detects by comparing gets all of it."""
    picture = noisy(40, 40)
    assert Cutter(shape=SMALL, margin=0.25).of(Crop(picture=picture)) is picture


def test_base64_is_the_bytes_alone() -> None:
    """Nothing stands before them, and they come out again."""
    picture = noisy(20, 10)
    assert base64.b64decode(base64_of(picture), validate=True) == picture.data


def test_cut_pixels_are_those_of_the_box() -> None:
    """The middle of the cut is the middle of the face: a gray level drawn there is found there."""
    canvas = np.zeros((100, 100, 3), dtype=np.uint8)
    canvas[40:60, 40:60] = 200
    stream = io.BytesIO()
    Image.fromarray(canvas).save(stream, format="PNG")
    box = Box(x=40, y=40, width=20, height=20)
    cut = Cutter(shape=Shape(most_bytes=10**6, shortest=1), margin=0.25).of(
        Crop(picture=picture_of(stream.getvalue()), face=DetectedFace(box=box))
    )
    values = np.asarray(pixels(cut).convert("L"))
    assert values[15, 15] > 190
    assert values[1, 1] < 20
