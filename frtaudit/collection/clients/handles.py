"""What a service calls a face by, a face id or a token, while it lasts; then the face is found again."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from frtaudit.collection.clients.http import HANDLE_GONE
from frtaudit.core.collecting import (
    Answer,
    CallError,
    Crop,
    DetectedFace,
    Detection,
    Picture,
    Refusal,
    same_face,
)


@dataclass(slots=True, kw_only=True)
class Handles:
    """Handles by picture, each used until it expires. ``find``: a call that finds the faces.

    The collection's worker has faces found again before that, so that a call ends in time.
    """

    find: Callable[[Picture], Detection]
    clock: Callable[[], float] = time.monotonic
    _found: dict[str, tuple[DetectedFace, ...]] = field(default_factory=dict, repr=False)
    _own: set[object] = field(default_factory=set, repr=False)  # that this session was given
    _gone: set[object] = field(default_factory=set, repr=False)
    _locks: dict[str, threading.Lock] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def detect(self, picture: Picture) -> Detection:
        """The faces, each with its handle; they are not asked for again while it lasts."""
        detection = self.find(picture)
        with self._lock:
            self._found[picture.digest] = detection.faces
            given = {face.handle for face in detection.faces}
            self._own |= given
            self._gone -= given  # a service may give one again
        return detection

    def compared(
        self, probe: Crop, reference: Crop, ask: Callable[[DetectedFace, DetectedFace], Answer]
    ) -> Answer:
        """The answer; where the service has let go of a face, it is found again, once.

        Raises :class:`CallError`: ``no_face`` and ``face_lost`` where a face is not found (again).
        """
        first, second = self._of(probe), self._of(reference)
        try:
            return ask(first, second)
        except CallError as error:
            if error.code != HANDLE_GONE:
                raise
        with self._lock:
            asked = {first.handle, second.handle}
            self._gone |= asked - self._own or asked  # of an older and a newer one the older ended
        return ask(self._of(probe), self._of(reference))

    def _of(self, crop: Crop) -> DetectedFace:
        if crop.face is not None and self._lasts(crop.face):
            return crop.face
        with self._lock:
            lock = self._locks.setdefault(crop.picture.digest, threading.Lock())
        with lock:  # many threads compare one picture, and one of them finds its faces
            faces = self._found.get(crop.picture.digest)
            if faces is None or not all(self._lasts(face) for face in faces):
                faces = self.detect(crop.picture).faces
        box = crop.face.box if crop.face else None
        return largest(faces) if box is None else same_face(box, faces)

    def _lasts(self, seen: DetectedFace) -> bool:
        if seen.handle is None or seen.handle in self._gone:
            return False
        return seen.expires is None or seen.expires > self.clock()


def largest(faces: tuple[DetectedFace, ...]) -> DetectedFace:
    """The face with the largest box. Raises :class:`CallError` ``no_face``."""
    boxed = [(face.box.width * face.box.height if face.box else 0.0, face) for face in faces]
    if not boxed:
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")
    return max(boxed, key=lambda pair: pair[0])[1]
