"""Azure Face: detect, then verify two face ids of one recognition model. Key: ``AZURE_FACE_KEY``."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from frtaudit.collection.clients import http
from frtaudit.collection.clients.fitting import Shape, fitted, scale, scaled
from frtaudit.collection.clients.handles import Handles
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
from frtaudit.errors import SpecError

KEY, ENDPOINT = "AZURE_FACE_KEY", "AZURE_FACE_ENDPOINT"
SHAPE = Shape(most_bytes=6 * 1024 * 1024, shortest=36)
_LIFETIMES = (60, 86_400)
_GONE = {"FaceNotFound", "FaceIdNotFound", "PersistedFaceNotFound"}
_REFUSALS = {
    "InvalidImage": CallError(Refusal.FAILURE_TO_ACQUIRE, "unreadable_image"),
    "InvalidImageSize": CallError(Refusal.FAILURE_TO_ACQUIRE, "image_size"),
    "BadArgument": CallError(Refusal.POLICY, "bad_argument"),
    "OperationTimeOut": CallError(Refusal.TRANSPORT, "timeout"),
    "ConcurrentOperationConflict": CallError(Refusal.TRANSPORT, "conflict"),
}


class RecognitionModel(Enum):
    """What makes a template of a face."""

    RECOGNITION_01 = "recognition_01"
    RECOGNITION_02 = "recognition_02"
    RECOGNITION_03 = "recognition_03"
    RECOGNITION_04 = "recognition_04"


class DetectionModel(Enum):
    """What finds faces."""

    DETECTION_01 = "detection_01"
    DETECTION_02 = "detection_02"
    DETECTION_03 = "detection_03"


@register("service", "azure")
@dataclass(frozen=True, slots=True, kw_only=True)
class Azure:
    """Azure Face: ``/detect`` gives a face id that lasts ``id_lifetime`` seconds, ``/verify`` a confidence in [0, 1].

    ``endpoint``: of the resource, or ``AZURE_FACE_ENDPOINT`` in the environment; the key is ``AZURE_FACE_KEY``.
    """

    endpoint: str = field(default="", metadata=MACHINE)
    recognition_model: RecognitionModel = RecognitionModel.RECOGNITION_04
    detection_model: DetectionModel = DetectionModel.DETECTION_03
    api_version: str = "v1.2"
    id_lifetime: int = field(default=86_400, metadata=MACHINE)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for an endpoint or a lifetime that cannot be."""
        if self.endpoint:
            http.checked_endpoint(".endpoint", self.endpoint)
        if not _LIFETIMES[0] <= self.id_lifetime <= _LIFETIMES[1]:
            raise SpecError(".id_lifetime", f"{self.id_lifetime}", "60 to 86400 seconds")
        if not self.api_version.replace(".", "").replace("-", "").isalnum():
            raise SpecError(".api_version", "no version", "such as v1.2")

    detects = True  # a call of its own finds faces
    score_range = (0.0, 1.0)  # of the confidence

    def recorded_settings(self) -> Mapping[str, str]:
        """Both models; of the host only whose it is, for its name is the customer's."""
        place = http.place_of(self.endpoint or os.environ.get(ENDPOINT, ""))
        return {
            "api_version": self.api_version,
            "recognition_model": self.recognition_model.value,
            "detection_model": self.detection_model.value,
            "place": place if place == "loopback" else "azure",
        }

    def open(self, gate: Gate) -> "AzureSession":
        """Raises :class:`~frtaudit.errors.ProviderError` without a key or an endpoint."""
        *endpoints, key = http.credentials("azure", *([] if self.endpoint else [ENDPOINT]), KEY)
        endpoint = self.endpoint or endpoints[0]
        http.checked_endpoint(ENDPOINT, endpoint)
        return AzureSession(self, http.caller_of(endpoint, self.limits, gate, classify_error), key)


class AzureSession:
    """Open for calls."""

    def __init__(self, settings: Azure, caller: http.Caller, key: str) -> None:
        self._settings, self._caller, self._key = settings, caller, key
        self._handles = Handles(find=self._find)

    def detect(self, picture: Picture) -> Detection:
        """The faces, each with its face id."""
        return self._handles.detect(picture)

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """Verify two face ids; those that ended are made again by a call of ``/detect``."""
        return self._handles.compared(probe, reference, self._verify)

    def check(self) -> None:
        """See :class:`~frtaudit.collection.clients.protocol.Session`."""
        self._caller.check(self._path("detect"), http.Ask(headers=self._headers("application/octet-stream")))

    def close(self) -> None:
        """Let connections go."""
        self._caller.close()

    def _find(self, picture: Picture) -> Detection:
        sent = fitted(picture, SHAPE)
        by, settings = scale(picture, sent), self._settings
        params = {
            "returnFaceId": "true",
            "returnRecognitionModel": "true",
            "recognitionModel": settings.recognition_model.value,
            "detectionModel": settings.detection_model.value,
            "faceIdTimeToLive": str(settings.id_lifetime),
        }
        # quality can be asked for with detection 01 and 03, and recognition 03 and 04
        grading = (RecognitionModel.RECOGNITION_03, RecognitionModel.RECOGNITION_04)
        detecting = settings.detection_model is not DetectionModel.DETECTION_02
        if detecting and settings.recognition_model in grading:
            params["returnFaceAttributes"] = "qualityForRecognition"
        ask = http.Ask(headers=self._headers("application/octet-stream"), params=params, content=sent.data)
        ends, path = time.monotonic() + settings.id_lifetime, self._path("detect")
        return self._caller.call("detect", path, lambda: ask, lambda reply: _faces(reply, by, ends))

    def _verify(self, first: DetectedFace, second: DetectedFace) -> Answer:
        body = json.dumps({"faceId1": first.handle, "faceId2": second.handle}).encode()
        ask = http.Ask(headers=self._headers("application/json"), content=body)
        version, path = str(first.facts.get("recognition_model", "")), self._path("verify")
        return self._caller.call("compare", path, lambda: ask, lambda reply: _answer(reply, version))

    def _path(self, call: str) -> str:
        return f"face/{self._settings.api_version}/{call}"

    def _headers(self, kind: str) -> dict[str, str]:
        return {"Ocp-Apim-Subscription-Key": self._key, "Content-Type": kind}


def classify_error(reply: http.Reply) -> CallError | None:
    """The table of Azure's error codes."""
    error = reply.fields.get("error")
    code = str(error.get("code")) if isinstance(error, dict) else ""
    if reply.status == 401:
        raise http.authentication_error("azure")
    if reply.status == 403:
        why = "verification is not approved for this account, or its quota is used up"
        raise http.authentication_error("azure", why)
    if code in _GONE or (reply.status == 404 and "Face" in code):
        return CallError(Refusal.TRANSPORT, http.HANDLE_GONE)
    known = _REFUSALS.get(code)
    return CallError(known.refusal, known.code) if known else None


def _faces(reply: http.Reply, by: float, ends: float) -> Detection:
    items = reply.items
    faces = left_to_right(_face(face, by, ends) for face in items)
    model = str(items[0]["recognitionModel"]) if items else ""
    return Detection(faces=faces, version=model, request=reply.headers.get("apim-request-id", ""))


def _face(face: Mapping[str, Mapping[str, float]], by: float, ends: float) -> DetectedFace:
    edges = face["faceRectangle"]
    box = Box(x=edges["left"], y=edges["top"], width=edges["width"], height=edges["height"])
    facts: dict[str, float | str] = {"recognition_model": str(face["recognitionModel"])}
    quality = face.get("faceAttributes", {}).get("qualityForRecognition")
    if quality is not None:
        facts["quality"] = str(quality)
    return DetectedFace(box=scaled(box, by), handle=str(face["faceId"]), expires=ends, facts=facts)


def _answer(reply: http.Reply, version: str) -> Answer:
    content = reply.fields
    facts: Facts = {"is_identical": str(bool(content["isIdentical"])).lower()}
    request = reply.headers.get("apim-request-id", "")
    return Answer(score=content["confidence"], version=version, request=request, facts=facts)
