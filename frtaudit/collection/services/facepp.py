"""Face++: detect gives a face token, compare takes two. Keys: ``FACEPP_API_KEY``, ``FACEPP_API_SECRET``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any  # Any: parsed JSON

from frtaudit.collection.clients import http
from frtaudit.collection.clients.fitting import Cutter, Shape, base64_of, fitted, scale, scaled
from frtaudit.collection.clients.handles import Handles
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.core.collecting import (
    Answer,
    Box,
    CallError,
    Crop,
    DetectedFace,
    Detection,
    Picture,
    Refusal,
    left_to_right,
)
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE

KEYS = ("FACEPP_API_KEY", "FACEPP_API_SECRET")
SHAPE = Shape(most_bytes=2 * 1024 * 1024, shortest=48, longest=4096)
_ACCOUNT = {"AUTHENTICATION_ERROR", "AUTHORIZATION_ERROR", "INSUFFICIENT_BALANCE", "OVERDUE_PAYMENT"}
_REFUSALS = {
    "CONCURRENCY_LIMIT_EXCEEDED": CallError(Refusal.TRANSPORT, "throttled"),
    "INVALID_FACE_TOKEN": CallError(Refusal.TRANSPORT, http.HANDLE_GONE),
    "INTERNAL_ERROR": CallError(Refusal.TRANSPORT, "internal_error"),
    "IMAGE_ERROR_UNSUPPORTED_FORMAT": CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image"),
    "INVALID_IMAGE_SIZE": CallError(Refusal.FAILURE_TO_ACQUIRE, "image_size"),
    "IMAGE_FILE_TOO_LARGE": CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large"),
    "Request Entity Too Large": CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large"),
    "NO_FACE_FOUND": CallError(Refusal.FAILURE_TO_ACQUIRE, "no_face"),
    "BAD_ARGUMENTS": CallError(Refusal.POLICY, "bad_argument"),
    "MISSING_ARGUMENTS": CallError(Refusal.POLICY, "bad_argument"),
}


class By(Enum):
    """What two faces are compared by."""

    TOKENS = "tokens"
    IMAGES = "images"


@register("service", "facepp")
@dataclass(frozen=True, slots=True, kw_only=True)
class FacePlusPlus:
    """Face++ v3: confidence in [0, 100]; its three thresholds, which vary from call to call, are stored with the score.

    ``compare_by``: ``tokens`` of detected faces, or ``images``: the faces cut out with ``margin`` times their size on
    each side. Keys: ``FACEPP_API_KEY`` and ``FACEPP_API_SECRET`` in the environment.
    """

    endpoint: str = field(default="https://api-us.faceplusplus.com", metadata=MACHINE)
    compare_by: By = By.TOKENS
    margin: float = 0.25
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`~frtaudit.errors.SpecError` for an endpoint that cannot be."""
        http.checked_endpoint(".endpoint", self.endpoint)

    detects = True  # a call of its own finds faces
    score_range = (0.0, 100.0)  # of the confidence

    def recorded_settings(self) -> Mapping[str, str]:
        """The version of the interface; Face++ names no model."""
        asked = {
            "api_version": "v3",
            "compare_by": self.compare_by.value,
            "place": http.place_of(self.endpoint),
        }
        return asked | ({"margin": f"{self.margin:g}"} if self.compare_by is By.IMAGES else {})

    def open(self, gate: Gate) -> "FacePlusPlusSession":
        """Raises :class:`~frtaudit.errors.ProviderError` without keys."""
        key, secret = http.credentials("facepp", *KEYS)
        caller = http.caller_of(self.endpoint, self.limits, gate, classify_error)
        return FacePlusPlusSession(self, caller, {"api_key": key, "api_secret": secret})


class FacePlusPlusSession:
    """Open for calls."""

    def __init__(self, settings: FacePlusPlus, caller: http.Caller, keys: Mapping[str, str]) -> None:
        self._settings, self._caller, self._keys = settings, caller, keys
        self._handles = Handles(find=self._find)
        self._cutter = Cutter(shape=SHAPE, margin=settings.margin)

    def detect(self, picture: Picture) -> Detection:
        """The faces, each with its token."""
        return self._handles.detect(picture)

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """Compare by tokens, those that ended made again, or by images."""
        if self._settings.compare_by is By.IMAGES:
            crops = {"image_base64_1": self._cutter.of(probe), "image_base64_2": self._cutter.of(reference)}
            return self._compared({name: base64_of(picture) for name, picture in crops.items()})
        return self._handles.compared(probe, reference, self._by_tokens)

    def check(self) -> None:
        """See :class:`~frtaudit.collection.clients.protocol.Session`."""
        self._caller.check("facepp/v3/detect", http.Ask(data=self._keys))

    def close(self) -> None:
        """Let connections go."""
        self._caller.close()

    def _by_tokens(self, first: DetectedFace, second: DetectedFace) -> Answer:
        return self._compared({"face_token1": str(first.handle), "face_token2": str(second.handle)})

    def _compared(self, faces: Mapping[str, str]) -> Answer:
        ask = http.Ask(data={**self._keys, **faces})
        return self._caller.call("compare", "facepp/v3/compare", lambda: ask, _answer)

    def _find(self, picture: Picture) -> Detection:
        sent = fitted(picture, SHAPE)
        by = scale(picture, sent)
        fields = {"image_base64": base64_of(sent), "return_attributes": "facequality"}
        ask = http.Ask(data={**self._keys, **fields})
        return self._caller.call("detect", "facepp/v3/detect", lambda: ask, lambda reply: _faces(reply, by))


def classify_error(reply: http.Reply) -> CallError | None:
    """The table of Face++'s error messages: ``CODE`` or ``CODE:argument``. 413 comes as plain text: HTTP says it."""
    message = reply.fields.get("error_message")
    code = str(message).partition(":")[0].strip() if message is not None else ""
    if code in _ACCOUNT or reply.status == 401:
        raise http.authentication_error("facepp")
    known = _REFUSALS.get(code)
    if known is not None:
        return CallError(known.refusal, known.code)
    if code and 200 <= reply.status < 300:  # an error in an answer that says it is none
        return CallError(Refusal.TRANSPORT, "error_in_answer")
    return None


def _faces(reply: http.Reply, by: float) -> Detection:
    content = reply.fields
    faces = left_to_right(_face(face, by) for face in content["faces"])
    return Detection(faces=faces, request=str(content["request_id"]))


def _face(face: Mapping[str, Any], by: float) -> DetectedFace:
    edges = face["face_rectangle"]
    box = Box(x=edges["left"], y=edges["top"], width=edges["width"], height=edges["height"])
    quality = face.get("attributes", {}).get("facequality")
    facts = {} if quality is None else {"quality": float(quality["value"])}
    return DetectedFace(box=scaled(box, by), handle=str(face["face_token"]), facts=facts)


def _answer(reply: http.Reply) -> Answer:
    content = reply.fields
    request = str(content["request_id"])
    if content.get("confidence") is None:  # as documented: no face in one of the images
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_comparison")
    thresholds = content.get("thresholds") or {}
    facts = {f"threshold_{name}": float(value) for name, value in sorted(thresholds.items())}
    return Answer(score=content["confidence"], request=request, facts=facts)
