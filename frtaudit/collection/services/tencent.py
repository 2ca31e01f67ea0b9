"""Tencent Cloud face recognition (iai 2020-03-03). Keys: ``TENCENTCLOUD_SECRET_ID``, ``TENCENTCLOUD_SECRET_KEY``."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar  # Any: parsed JSON

from frtaudit.collection.clients import http
from frtaudit.collection.clients.fitting import Cutter, Shape, base64_of, fitted, scale, scaled
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.collection.clients.tc3 import authorization
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
from frtaudit.errors import SpecError

T = TypeVar("T")
KEYS = ("TENCENTCLOUD_SECRET_ID", "TENCENTCLOUD_SECRET_KEY")
API = "2020-03-03"
MAX_BYTES = 5 * 1024 * 1024 * 3 // 4  # 5 MB as base64
SHAPE = Shape(most_bytes=MAX_BYTES, shortest=64, longest=4000, longest_png=2000)
MAX_FACES = 120
_TYPE = "application/json; charset=utf-8"
_NO_FACE = "InvalidParameterValue.NoFaceInPhoto"
_ACCOUNT = (
    "AuthFailure",
    "UnauthorizedOperation",
    "ResourceUnavailable",
    "ResourcesSoldOut",
    "IpNotInWhitelist",
)
_ACQUIRE = {
    _NO_FACE: "no_face",
    "FailedOperation.FaceSizeTooSmall": "face_too_small",
    "FailedOperation.FaceQualityNotQualified": "low_quality",
    "FailedOperation.ImageFacedetectFailed": "no_face",
    "FailedOperation.ImageDecodeFailed": "unreadable_image",
    "FailedOperation.ImageResolutionExceed": "image_size",
    "FailedOperation.ImageResolutionTooSmall": "too_small",
    "FailedOperation.ImageSizeExceed": "too_large",
    "InvalidParameterValue.ImageEmpty": "unreadable_image",
    "LimitExceeded.ImageSizeExceed": "too_large",
    "RequestSizeLimitExceeded": "too_large",
}
_TRANSPORT = {
    "RequestLimitExceeded": "throttled",
    "LimitExceeded": "throttled",
    "FailedOperation.RequestLimitExceeded": "throttled",
    "FailedOperation.RequestTimeout": "timeout",
    "FailedOperation.RpcCallFailed": "internal_error",
    "FailedOperation.ServerError": "internal_error",
    "FailedOperation.UnKnowError": "internal_error",
    "InternalError": "internal_error",
    "ServiceUnavailable": "internal_error",
    "AuthFailure.SignatureExpire": "signature_expired",
}


class FaceModel(Enum):
    """The recognition model; scores of the two lie on different scales."""

    V2 = "2.0"
    V3 = "3.0"


@register("service", "tencent")
@dataclass(frozen=True, slots=True, kw_only=True)
class Tencent:
    """Tencent Cloud: DetectFace, CompareFace with a score in [0, 100]; each answer has its model version.

    ``quality_control``: 0 (none) to 4 (very high), above which a face is refused; ``margin``: of the face's own size on
    each side of its crop. Keys: ``TENCENTCLOUD_SECRET_ID`` and ``TENCENTCLOUD_SECRET_KEY`` in the environment.
    """

    endpoint: str = field(default="https://iai.tencentcloudapi.com", metadata=MACHINE)
    region: str = ""
    face_model: FaceModel = FaceModel.V3
    quality_control: int = 0
    margin: float = 0.25
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for settings that cannot be."""
        http.checked_endpoint(".endpoint", self.endpoint)
        if not 0 <= self.quality_control <= 4:
            raise SpecError(".quality_control", f"{self.quality_control}", "0 to 4")

    detects = True  # a call of its own finds faces
    score_range = (0.0, 100.0)  # of the score

    def recorded_settings(self) -> Mapping[str, str]:
        """Model, parameters, region."""
        return {
            "api_version": API,
            "face_model": self.face_model.value,
            "quality_control": str(self.quality_control),
            "margin": f"{self.margin:g}",
            "region": self.region,
            "place": http.place_of(self.endpoint),
        }

    def open(self, gate: Gate) -> "TencentSession":
        """Raises :class:`~frtaudit.errors.ProviderError` without keys."""
        secret_id, secret_key = http.credentials("tencent", *KEYS)
        caller = http.caller_of(self.endpoint, self.limits, gate, classify_error)
        return TencentSession(self, caller, secret_id, secret_key)


class TencentSession:
    """Open for calls."""

    def __init__(self, settings: Tencent, caller: http.Caller, secret_id: str, secret_key: str) -> None:
        self._settings, self._caller = settings, caller
        self._id, self._key = secret_id, secret_key
        self._cutter = Cutter(shape=SHAPE, margin=settings.margin)

    def detect(self, picture: Picture) -> Detection:
        """The faces, with their quality."""
        sent = fitted(picture, SHAPE)
        by = scale(picture, sent)
        fields = {
            "Image": base64_of(sent),
            "MaxFaceNum": MAX_FACES,
            "NeedQualityDetection": 1,
            "FaceModelVersion": self._settings.face_model.value,
        }
        try:
            return self._call("detect", "DetectFace", fields, lambda reply: _faces(reply, by))
        except CallError as error:
            if error.code != "no_face":
                raise
            return Detection(faces=())

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The faces cut out; of several in a crop the service takes the largest."""
        fields = {
            "ImageA": base64_of(self._cutter.of(probe)),
            "ImageB": base64_of(self._cutter.of(reference)),
            "FaceModelVersion": self._settings.face_model.value,
            "QualityControl": self._settings.quality_control,
        }
        return self._call("compare", "CompareFace", fields, _answer)

    def check(self) -> None:
        """See :class:`~frtaudit.collection.clients.protocol.Session`."""
        self._caller.check("", self._signed("DetectFace", b"{}"))

    def close(self) -> None:
        """Let connections go."""
        self._caller.close()

    def _call(
        self, kind: str, action: str, fields: Mapping[str, object], read: Callable[[http.Reply], T]
    ) -> T:
        body = json.dumps(fields).encode()
        return self._caller.call(kind, "", lambda: self._signed(action, body), read)

    def _signed(self, action: str, body: bytes) -> http.Ask:
        moment = int(time.time())
        signature = authorization(
            secret_id=self._id,
            secret_key=self._key,
            service="iai",
            host=self._caller.client.base_url.netloc.decode(),
            content_type=_TYPE,
            body=body,
            moment=moment,
        )
        headers = {
            "Authorization": signature,
            "Content-Type": _TYPE,
            "X-TC-Action": action,
            "X-TC-Timestamp": str(moment),
            "X-TC-Version": API,
        }
        if self._settings.region:
            headers["X-TC-Region"] = self._settings.region
        return http.Ask(headers=headers, content=body)


def classify_error(reply: http.Reply) -> CallError | None:
    """The table of Tencent's error codes, which come with status 200."""
    error = _inner(reply).get("Error")
    if not isinstance(error, dict):
        return None
    code = str(error.get("Code"))
    family = code.partition(".")[0]
    if code in _ACQUIRE:
        return CallError(Refusal.FAILURE_TO_ACQUIRE, _ACQUIRE[code])
    if code in _TRANSPORT or family in _TRANSPORT:
        return CallError(Refusal.TRANSPORT, _TRANSPORT.get(code) or _TRANSPORT[family])
    if family in _ACCOUNT:
        raise http.authentication_error("tencent")
    return CallError(Refusal.POLICY, "bad_argument" if "Parameter" in family else "refused")


def _inner(reply: http.Reply) -> Mapping[str, Any]:
    inner = reply.fields.get("Response")
    return inner if isinstance(inner, dict) else {}


def _faces(reply: http.Reply, by: float) -> Detection:
    inner = _inner(reply)
    infos = inner["FaceInfos"]
    if not isinstance(infos, list):
        raise TypeError
    faces = left_to_right(_face(info, by) for info in infos)
    return Detection(faces=faces, version=str(inner["FaceModelVersion"]), request=str(inner["RequestId"]))


def _face(face: Mapping[str, float | Mapping[str, float]], by: float) -> DetectedFace:
    x, y, width, height = (float(str(face[edge])) for edge in ("X", "Y", "Width", "Height"))
    quality = face.get("FaceQualityInfo")
    facts = {"quality": float(quality["Score"])} if isinstance(quality, dict) else {}
    return DetectedFace(box=scaled(Box(x=x, y=y, width=width, height=height), by), facts=facts)


def _answer(reply: http.Reply) -> Answer:
    inner = _inner(reply)
    version, request = str(inner["FaceModelVersion"]), str(inner["RequestId"])
    return Answer(score=inner["Score"], version=version, request=request)
