"""Reads images for the first time: a few at once, and not far ahead of the services that look at them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from frtaudit.collection.image_cache import ImageCache
from frtaudit.collection.rows import ImageRow
from frtaudit.collection.worker import Inbox, Read
from frtaudit.core.canonical import dumps
from frtaudit.core.collecting import CallError, Refusal

READERS = 8
AHEAD = 64  # images that are read before the slowest service has looked at them
UNFORESEEN = "source_failed"


class Reader:
    """Of the images ``numbers``, in their order."""

    def __init__(self, numbers: Sequence[int], cache: ImageCache, inbox: Inbox) -> None:
        self._numbers, self._cache, self._inbox = iter(numbers), cache, inbox
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self.flying = 0

    def launch(self, backlog: int) -> None:
        """Start as many as there is room for; ``backlog``: images that wait for the slowest service."""
        while self.flying < READERS and backlog + self.flying < AHEAD:
            image = next(self._numbers, None)
            if image is None:
                return
            self.flying += 1
            self._pool.submit(self._read, image)

    def close(self) -> None:
        """Let threads go."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _read(self, image: int) -> None:
        source_image = self._cache.found[image - 1]
        digest, refusal, code = "", "", ""
        try:
            digest = self._cache.get(image).digest
        except CallError as refused:
            refusal, code = str(refused.refusal), refused.code
        except Exception:  # noqa: BLE001  whatever a plug-in raised: it may hold an address, so it is not shown
            refusal, code = str(Refusal.TRANSPORT), UNFORESEEN
        row = ImageRow(image, source_image.query, dumps(dict(source_image.columns)), digest, refusal, code)
        self._inbox.put(Read(row=row))
