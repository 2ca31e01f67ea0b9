"""Images that are safe to open: bytes, pixels and kind are looked at before anything is decoded."""

import io
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from frtaudit.core.collecting import Box, CallError, Picture, Refusal

if TYPE_CHECKING:
    from PIL import Image

MAX_BYTES = 20_000_000
MAX_PIXELS = 50_000_000
_KINDS = {"JPEG": "image/jpeg", "PNG": "image/png"}
_ONE = Lock()
# Pillow's own for broken files, and what its reading of EXIF headers lets through.
_BROKEN = (OSError, SyntaxError, ValueError, struct.error, KeyError, TypeError, IndexError, ArithmeticError)


def picture_of(data: bytes, most_bytes: int = MAX_BYTES, most_pixels: int = MAX_PIXELS) -> Picture:
    """A checked picture: JPEG or PNG, decoded once to the end, so that a torn file is an error here.

    Parameters
    ----------
    data : bytes
        The file.
    most_bytes : int
        Longer files are refused.
    most_pixels : int
        Larger pictures are refused.

    Returns
    -------
    Picture
        ``data`` as it was given, with its size in pixels before any rotation by EXIF.

    Raises
    ------
    CallError
        Failure to acquire: ``too_large``, ``unreadable_image`` or ``too_many_pixels``.

    Examples
    --------
    >>> picture_of(b"no image")
    Traceback (most recent call last):
    frtaudit.core.collecting.CallError: failure_to_acquire: unreadable_image
    """
    from PIL import ImageOps

    with _checked(data, most_bytes, most_pixels) as opened:
        ImageOps.exif_transpose(opened)  # what pixels() will do: a broken header is found here
        return Picture(data=data, width=opened.width, height=opened.height, media=_KINDS[str(opened.format)])


def decoded(data: bytes, most_bytes: int = MAX_BYTES, most_pixels: int = MAX_PIXELS) -> "Image.Image":
    """The :func:`pixels` of :func:`picture_of`, decoded once for both. Raises as :func:`picture_of` does."""
    from PIL import ImageOps

    with _checked(data, most_bytes, most_pixels) as opened:
        # in place: a copy of a large picture takes as long as decoding it
        ImageOps.exif_transpose(opened, in_place=True)
        return _rgb(opened)


@contextmanager
def _checked(data: bytes, most_bytes: int, most_pixels: int) -> Iterator["Image.Image"]:
    """A picture of allowed size, decoded to the end; what goes wrong with it in the block is told as its fault."""
    if len(data) > most_bytes:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large")
    from PIL import Image

    try:
        with _strictly(), Image.open(io.BytesIO(data), formats=tuple(_KINDS)) as opened:
            if opened.width * opened.height > most_pixels:
                raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_many_pixels")
            opened.load()
            yield opened
    except Image.DecompressionBombError as error:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_many_pixels") from error
    except _BROKEN as error:  # an unidentified image is an OSError
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image") from error


@contextmanager
def _strictly() -> Iterator[None]:
    """A torn image is an error, whatever else runs in this process: WeasyPrint tells Pillow to fill what is missing.

    Both settings are the process's, so one picture is decoded at a time.
    """
    from PIL import Image, ImageFile

    with _ONE, warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower or said
        warnings.simplefilter("ignore", UserWarning)  # a header that is cut off: what was read of it counts
        before, ImageFile.LOAD_TRUNCATED_IMAGES = ImageFile.LOAD_TRUNCATED_IMAGES, False
        try:
            yield
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = before


def pixels(picture: Picture) -> "Image.Image":
    """The decoded picture, RGB, turned as its EXIF orientation says.

    Parameters
    ----------
    picture : Picture
        As ``picture_of`` gives it.

    Returns
    -------
    PIL.Image.Image
        As an array: uint8, shape (height, width, 3).

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> stream = io.BytesIO()
    >>> Image.new("L", (3, 2), 200).save(stream, "PNG")
    >>> pixels(picture_of(stream.getvalue())).getpixel((0, 0))
    (200, 200, 200)
    """
    from PIL import Image, ImageOps

    with _strictly(), Image.open(io.BytesIO(picture.data)) as opened:
        return _rgb(ImageOps.exif_transpose(opened))


def _rgb(image: "Image.Image") -> "Image.Image":
    """As RGB. 16-bit grey (I;16, or I) is its high byte, as Pillow reads 16-bit RGB: its ``convert`` clips at 255."""
    from PIL import Image

    if image.mode == "RGB":
        return image
    if image.mode.startswith("I"):
        image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    return image.convert("RGB")


def cut(picture: Picture, box: Box, margin: float = 0.25, quality: int = 95) -> Picture:
    """The part of a picture that a box holds, with a margin on each side, as far as there is picture.

    Parameters
    ----------
    picture : Picture
        As ``picture_of`` gives it.
    box : Box
        Pixels of the picture as ``pixels`` turns it.
    margin : float
        On each side, as a share of the box's size.
    quality : int
        Of the JPEG, 1 to 95.

    Returns
    -------
    Picture
        A JPEG: the same bytes for the same picture and box, without the original's metadata.

    Raises
    ------
    CallError
        Failure to acquire: ``face_lost``, where nothing of the box lies in the picture.

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> stream = io.BytesIO()
    >>> Image.new("RGB", (90, 60)).save(stream, "PNG")
    >>> face = cut(picture_of(stream.getvalue()), Box(x=20, y=20, width=20, height=20))
    >>> face.width, face.height
    (31, 31)
    """
    whole = pixels(picture)
    if not (-box.width < box.x < whole.width and -box.height < box.y < whole.height):
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "face_lost")
    left, top = box.x - margin * box.width, box.y - margin * box.height
    right, bottom = box.x + (1 + margin) * box.width, box.y + (1 + margin) * box.height
    first = (int(max(0, left)), int(max(0, top)))
    last = (int(min(whole.width - 1, right)) + 1, int(min(whole.height - 1, bottom)) + 1)
    return jpeg_of(whole.crop((*first, *last)), quality)


def jpeg_of(image: "Image.Image", quality: int = 95) -> Picture:
    """As a JPEG: the same bytes for the same pixels."""
    stream = io.BytesIO()
    image.save(stream, format="JPEG", quality=quality)
    return Picture(data=stream.getvalue(), width=image.width, height=image.height, media="image/jpeg")
