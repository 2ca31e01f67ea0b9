"""Luxand.cloud: faces of a photo, similarity of two. Token: ``LUXAND_API_TOKEN``."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from frtaudit.collection.clients import http
from frtaudit.collection.clients.fitting import Cutter, Shape, fitted, scale, scaled
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.collecting import (
    Answer,
    Box,
    CallError,
    Crop,
    DetectedFace,
    Detection,
    Facts,
    Picture,
    Refusal,
    left_to_right,
)
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE

KEY = "LUXAND_API_TOKEN"
# no limit is documented: large enough for a face, small to send
SHAPE = Shape(most_bytes=10_000_000, shortest=1)
_THROTTLED = ("too many", "rate limit")  # before _ACCOUNT: such a message may name the token
_MESSAGES = (  # part of a message in lower case, and what it means; the first that fits
    ("internal", CallError(Refusal.TRANSPORT, "internal_error")),
    ("try again", CallError(Refusal.TRANSPORT, "internal_error")),
    ("find face", CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")),
    ("no face", CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face")),
    ("image", CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image")),
    ("photo", CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image")),
)
_ACCOUNT = ("token", "unauthorized", "subscription", "quota", "balance", "payment")


@register("service", "luxand")
@dataclass(frozen=True, slots=True, kw_only=True)
class Luxand:
    """Luxand.cloud: ``/photo/detect``, ``/photo/similarity`` with a score in [0, 1].

    ``threshold``: what the service's own word ``similar`` is decided by, kept beside the score; ``margin``: of the
    face's own size on each side of its crop. Token: ``LUXAND_API_TOKEN`` in the environment.
    """

    endpoint: str = field(default="https://api.luxand.cloud", metadata=MACHINE)
    threshold: float = 0.8
    margin: float = 0.25
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`~frtaudit.errors.SpecError` for an endpoint that cannot be."""
        http.checked_endpoint(".endpoint", self.endpoint)

    detects = True  # a call of its own finds faces
    score_range = (0.0, 1.0)  # of the score

    def recorded_settings(self) -> Mapping[str, str]:
        """Parameters; Luxand names no model."""
        place = http.place_of(self.endpoint)
        return {"threshold": f"{self.threshold:g}", "margin": f"{self.margin:g}", "place": place}

    def open(self, gate: Gate) -> "LuxandSession":
        """Raises :class:`~frtaudit.errors.ProviderError` without a token."""
        (token,) = http.credentials("luxand", KEY)
        return LuxandSession(self, http.caller_of(self.endpoint, self.limits, gate, classify_error), token)


class LuxandSession:
    """Open for calls."""

    def __init__(self, settings: Luxand, caller: http.Caller, token: str) -> None:
        self._caller, self._token = caller, token
        self._threshold = {"threshold": f"{settings.threshold:g}"}
        self._cutter = Cutter(shape=SHAPE, margin=settings.margin)

    def detect(self, picture: Picture) -> Detection:
        """The faces of a photo; none where the service says that it cannot find any."""
        sent = fitted(picture, SHAPE)
        by = scale(picture, sent)
        ask = http.Ask(headers={"token": self._token}, files={"photo": _file("photo", sent)})
        try:
            return self._caller.call("detect", "photo/detect", lambda: ask, lambda reply: _faces(reply, by))
        except CallError as error:
            if error.code != "no_face":
                raise
            return Detection(faces=())

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The similarity of two faces, cut out."""
        crops = {"face1": self._cutter.of(probe), "face2": self._cutter.of(reference)}
        files = {name: _file(name, picture) for name, picture in crops.items()}
        ask = http.Ask(headers={"token": self._token}, data=self._threshold, files=files)
        return self._caller.call("compare", "photo/similarity", lambda: ask, _answer)

    def check(self) -> None:
        """See :class:`~frtaudit.collection.clients.protocol.Session`."""
        self._caller.check("photo/detect", http.Ask(headers={"token": self._token}))

    def close(self) -> None:
        """Let connections go."""
        self._caller.close()


def classify_error(reply: http.Reply) -> CallError | None:
    """Failures come with status 200 and a message: its words are looked for, and none of them is kept."""
    if reply.status in (401, 403):
        raise http.authentication_error("luxand")
    if reply.status == 429 or reply.fields.get("status") != "failure":
        return None
    message = str(reply.fields.get("message", "")).lower()
    if any(words in message for words in _THROTTLED):
        return CallError(Refusal.TRANSPORT, "throttled")
    if any(word in message for word in _ACCOUNT):
        raise http.authentication_error("luxand")
    for words, known in _MESSAGES:
        if words in message:
            return CallError(known.refusal, known.code)
    return CallError(Refusal.TRANSPORT, "error_in_answer")


def _file(name: str, picture: Picture) -> tuple[str, bytes, str]:
    return (f"{name}.{picture.media.partition('/')[2]}", picture.data, picture.media)


def _faces(reply: http.Reply, by: float) -> Detection:
    faces = left_to_right(_face(face, by) for face in reply.items)
    return Detection(faces=faces, request=reply.headers.get("x-request-id", ""))


def _face(face: Mapping[str, Mapping[str, float]], by: float) -> DetectedFace:
    edges = face["rectangle"]
    left, top = edges["left"], edges["top"]
    box = Box(x=left, y=top, width=edges["right"] - left, height=edges["bottom"] - top)
    probability = face.get("probability")
    facts = {"probability": float(str(probability))} if probability is not None else {}
    return DetectedFace(box=scaled(box, by), facts=facts)


def _answer(reply: http.Reply) -> Answer:
    content = reply.fields
    similar = content.get("similar")
    facts: Facts = {"similar": str(similar).lower()} if isinstance(similar, bool) else {}
    return Answer(score=content["score"], request=reply.headers.get("x-request-id", ""), facts=facts)
