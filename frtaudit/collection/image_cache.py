"""Images in memory only: the last ones used, as many as a number of bytes holds; others are read again when needed."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from frtaudit.collection.clients.protocol import Source, SourceImage
from frtaudit.core.collecting import CallError, Picture, Refusal

MAX_BYTES = 256_000_000
CHANGED, GONE = "image_changed", "image_gone"
_LOCKS = 64


class ImageCache:
    """Pictures by the number of their image, from 1 in the order of the source; several threads may ask.

    ``found``: what the source knows of; ``digests``: of the images that were read before, by number. One that is
    another one now, or that the source does not give again, says nothing of a service: it is asked for again later.
    """

    def __init__(self, source: Source, most: int = MAX_BYTES) -> None:
        self.found: Sequence[SourceImage] = ()
        self.digests: dict[int, str] = {}
        self._source, self._most = source, most
        self._held: OrderedDict[int, Picture] = OrderedDict()
        self._bytes = 0
        # images that are not as they were read before, and why: not read again
        self._lost: dict[int, str] = {}
        self._lock = threading.Lock()
        self._reading = [threading.Lock() for _ in range(_LOCKS)]

    def get(self, image: int) -> Picture:
        """Raises :class:`CallError`: what the source says of a new image, ``image_changed``, ``image_gone``."""
        picture = self._look(image)
        if picture is not None:
            return picture
        with self._reading[image % _LOCKS]:  # who waited here finds it in the cache
            return self._look(image) or self._read(image)

    def _look(self, image: int) -> Picture | None:
        with self._lock:
            if image in self._held:
                self._held.move_to_end(image)
            return self._held.get(image)

    def _read(self, image: int) -> Picture:
        known = self.digests.get(image)
        if image in self._lost:
            raise CallError(Refusal.TRANSPORT, self._lost[image])
        try:
            picture = self._source.read(self.found[image - 1])
        except CallError as error:
            if known is None or error.refusal is Refusal.TRANSPORT:
                raise
            self._lost[image] = GONE
            raise CallError(Refusal.TRANSPORT, GONE) from None
        if known not in (None, picture.digest):
            self._lost[image] = CHANGED
            raise CallError(Refusal.TRANSPORT, CHANGED)
        with self._lock:
            self._held[image] = picture
            self._bytes += len(picture.data)
            while self._bytes > self._most and len(self._held) > 1:
                self._bytes -= len(self._held.popitem(last=False)[1].data)
        return picture
