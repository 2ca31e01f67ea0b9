"""A picture as a service takes it: upright, within its bytes and pixels; and the face that is compared, cut out."""

import base64
import io
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from frtaudit.collection.clients.pictures import cut, jpeg_of, pixels
from frtaudit.core.collecting import Box, CallError, Crop, Picture, Refusal

_ORIENTATION = 0x0112
_SHRINK = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a service takes: at most ``most_bytes``, sides of ``shortest`` to ``longest`` pixels.

    ``longest_png``: the limit of PNG where it is a lower one; None: no limit that is documented.
    """

    most_bytes: int
    shortest: int
    longest: int | None = None
    longest_png: int | None = None


def fitted(picture: Picture, shape: Shape) -> Picture:
    """The picture as is where it fits and stands upright; else drawn again, smaller, as a JPEG: always the same bytes.

    Raises :class:`CallError` (failure to acquire) ``too_small``: nothing is made larger.
    """
    from PIL import Image

    if min(picture.width, picture.height) < shape.shortest:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_small")
    longest = (shape.longest_png if picture.media == "image/png" else None) or shape.longest
    side = max(picture.width, picture.height)
    if len(picture.data) <= shape.most_bytes and (longest is None or side <= longest) and _upright(picture):
        return picture
    image = pixels(picture)
    share = min(1.0, (shape.longest or side) / side)
    while True:
        size = (max(1, round(image.width * share)), max(1, round(image.height * share)))
        if min(size) < shape.shortest:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "too_small")
        smaller = image if size == image.size else image.resize(size, Image.Resampling.LANCZOS)
        encoded = jpeg_of(smaller)
        if len(encoded.data) <= shape.most_bytes:
            return encoded
        share *= _SHRINK


def base64_of(picture: Picture) -> str:
    """Its bytes as base64 alone: a ``data:`` prefix would be read as part of the image."""
    return base64.b64encode(picture.data).decode()


def scale(picture: Picture, sent: Picture) -> float:
    """Pixels of the picture, upright, for one pixel of what was sent."""
    longer, sent_longer = max(picture.width, picture.height), max(sent.width, sent.height)
    return longer / sent_longer


def scaled(box: Box, by: float) -> Box:
    """The same face in another size of the picture.

    >>> scaled(Box(x=1.0, y=2.0, width=3.0, height=4.0), 2.0)
    Box(x=2.0, y=4.0, width=6.0, height=8.0)
    """
    return Box(x=box.x * by, y=box.y * by, width=box.width * by, height=box.height * by)


@dataclass(slots=True, kw_only=True)
class Cutter:
    """Faces cut out of pictures, the last ``keeps`` of them kept: a face is compared many times, and cut once."""

    shape: Shape
    margin: float
    keeps: int = 256
    _kept: "OrderedDict[tuple[str, Box | None], Picture]" = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, crop: Crop) -> Picture:
        """The face with its margin, or the whole picture where no box is known, as the service takes it."""
        box = crop.face.box if crop.face else None
        key = (crop.picture.digest, box)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        picture = fitted(cut(crop.picture, box, self.margin) if box else crop.picture, self.shape)
        with self._lock:
            self._kept[key] = picture
            while len(self._kept) > self.keeps:
                self._kept.popitem(last=False)
        return picture


def _upright(picture: Picture) -> bool:
    from PIL import Image

    with Image.open(io.BytesIO(picture.data)) as opened:
        return opened.getexif().get(_ORIENTATION, 1) in (0, 1)
