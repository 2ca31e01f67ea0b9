"""Images that are safe to open."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageFile

from frtaudit.collection.clients.pictures import cut, decoded, picture_of, pixels
from frtaudit.core.collecting import Box, CallError


def image(width: int, height: int, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.arange(width * height, dtype=np.uint8).reshape(height, width)).save(stream, kind)
    return stream.getvalue()


def bomb(side: int) -> bytes:
    """A PNG of side x side pixels that takes few bytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\x00" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_is_read_with_its_size(kind: str) -> None:
    """Width and height come from the file."""
    made = picture_of(image(20, 10, kind))
    assert (made.width, made.height, made.media) == (20, 10, f"image/{kind.lower()}")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"no image", "unreadable_image"),
        (image(50, 50)[:-40], "unreadable_image"),
        (bomb(60_000), "too_many_pixels"),
        (b"x" * 20_000_001, "too_large"),
        (image(10, 10, "GIF"), "unreadable_image"),
    ],
)
def test_what_cannot_be_used_is_a_failure_to_acquire(data: bytes, code: str) -> None:
    """Text, a torn file, a decompression bomb, too many bytes, another kind: each with its code."""
    with pytest.raises(CallError) as caught:
        picture_of(data)
    assert (caught.value.refusal, caught.value.code) == ("failure_to_acquire", code)


def test_grey_of_16_bits_is_its_high_byte() -> None:
    """As Pillow reads 16-bit RGB: the same grey as with 8 bits, never white."""
    grey = np.arange(256, dtype=np.uint8).reshape(8, 32)
    stream = io.BytesIO()
    Image.fromarray(grey.astype(np.uint16) * 256 + 255).save(stream, "PNG")
    for image in (pixels(picture_of(stream.getvalue())), decoded(stream.getvalue())):
        assert image.mode == "RGB"
        assert (np.asarray(image) == grey[..., None]).all()


def test_a_picture_of_mode_i_is_its_high_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other versions of Pillow open 16-bit grey as I."""
    grey = np.arange(256, dtype=np.uint8).reshape(8, 32)
    picture = picture_of(image(32, 8))
    opened = Image.fromarray(grey.astype(np.int32) * 256)
    monkeypatch.setattr(Image, "open", lambda *_args, **_kinds: opened)
    assert opened.mode == "I"
    assert (np.asarray(pixels(picture)) == grey[..., None]).all()


@pytest.mark.parametrize(
    "header", [b"no TIFF header at all", b"II*\x00\x08\x00\x00", b"MM\x00*\x00\x00\x00\x08\xff"]
)
def test_a_broken_exif_header_is_an_unreadable_image_or_none(header: bytes) -> None:
    """It never ends a collection: the picture is refused, or its pixels can be read."""
    stream = io.BytesIO()
    Image.new("RGB", (20, 10)).save(stream, "JPEG", exif=b"Exif\x00\x00" + header)
    said, size = "", None
    try:
        size = pixels(picture_of(stream.getvalue())).size
    except CallError as error:
        said = error.code
    assert size == (20, 10) or said == "unreadable_image"


def test_a_torn_image_is_refused_beside_a_library_that_fills_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pillow's setting for torn images, which WeasyPrint turns on, does not reach here, and stays as it was."""
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(CallError, match="unreadable_image"):
        picture_of(image(50, 50)[:-40])
    assert ImageFile.LOAD_TRUNCATED_IMAGES


def test_a_cut_is_the_box_with_its_margin_and_the_same_bytes_each_time() -> None:
    """A quarter on each side, as far as there is picture; no metadata goes with it."""
    whole = picture_of(image(100, 80, "JPEG"))
    first, again = (cut(whole, Box(x=70, y=10, width=40, height=40)) for _ in range(2))
    assert (first.width, first.height) == (40, 61)
    assert first.digest == again.digest
    assert pixels(first).size == (40, 61)


@pytest.mark.parametrize(
    ("x", "y", "width"), [(200, 10, 40), (10, 200, 40), (-41, 10, 40), (1e300, 0, 1e300), (100, 0, 1)]
)
def test_a_box_outside_the_picture_is_a_lost_face(x: float, y: float, width: float) -> None:
    """Nothing can be cut out, whatever the margin: a failure to acquire."""
    with pytest.raises(CallError, match="failure_to_acquire: face_lost"):
        cut(picture_of(image(100, 80)), Box(x=x, y=y, width=width, height=40))


def test_a_box_that_is_larger_than_the_picture_is_cut_at_its_edges() -> None:
    """However large it is."""
    whole = cut(picture_of(image(100, 80)), Box(x=-1.7e308, y=79.5, width=1.79e308, height=1.7e308))
    assert (whole.width, whole.height) == (100, 80)
