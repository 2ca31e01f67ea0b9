"""AWS Rekognition by boto3, which alone makes calls again. Credentials and region: boto3's own chain."""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Any  # Any: boto3 has no types

from frtaudit.collection.clients import http
from frtaudit.collection.clients.fitting import Cutter, Shape, fitted
from frtaudit.collection.clients.protocol import Gate, Limits
from frtaudit.collection.clients.reply import wait_of
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
from frtaudit.core.machine.extras import need
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE
from frtaudit.errors import FrtauditError, ProviderError

SHAPE = Shape(most_bytes=5 * 1024 * 1024, shortest=80)
_SHAPES = (AttributeError, LookupError, OverflowError, TypeError, ValueError)  # JSON of another shape
_KINDS = {"CompareFaces": "compare", "DetectFaces": "detect"}
_NAMES = {"compare_faces": "CompareFaces", "detect_faces": "DetectFaces"}
_EXPECTED = {"CompareFaces": "FaceMatches", "DetectFaces": "FaceDetails"}
_ACQUIRE = {
    "InvalidParameterException": "no_face",
    "ImageTooLargeException": "too_large",
    "InvalidImageFormatException": "unreadable_image",
}
_THROTTLED = {"ThrottlingException", "ProvisionedThroughputExceededException", "LimitExceededException"}
_ACCOUNT = {
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "OptInRequired",
    "SignatureDoesNotMatch",
    "SubscriptionRequiredException",
    "UnrecognizedClientException",
}


class Retries(Enum):
    """How botocore makes calls again: ``adaptive`` also slows down where the service throttles."""

    STANDARD = "standard"
    ADAPTIVE = "adaptive"


class QualityFilter(Enum):
    """Faces below this quality are not compared."""

    NONE = "NONE"
    AUTO = "AUTO"
    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


@register("service", "rekognition")
@dataclass(frozen=True, slots=True, kw_only=True)
class Rekognition:
    """DetectFaces; CompareFaces with threshold 0, so that no score is hidden: similarity in [0, 100].

    The largest face of a crop is the one that is compared. ``margin``: of the face's own size on each side of its
    crop; ``region``: empty for what boto3 finds; ``endpoint``: empty for AWS.
    """

    endpoint: str = field(default="", metadata=MACHINE)
    region: str = ""
    quality_filter: QualityFilter = QualityFilter.NONE
    retries: Retries = field(default=Retries.STANDARD, metadata=MACHINE)
    margin: float = 0.25
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Raise :class:`~frtaudit.errors.SpecError` for an endpoint that cannot be."""
        if self.endpoint:
            http.checked_endpoint(".endpoint", self.endpoint)

    detects = True  # a call of its own finds faces
    score_range = (0.0, 100.0)  # of the similarity

    def recorded_settings(self) -> Mapping[str, str]:
        """Parameters; no answer names a model."""
        return {
            "api_version": "2016-06-27",
            "similarity_threshold": "0",
            "quality_filter": self.quality_filter.value,
            "margin": f"{self.margin:g}",
            "region": self.region or _usual_region(),
            "place": http.place_of(self.endpoint) if self.endpoint else "aws",
        }

    def open(self, gate: Gate) -> "RekognitionSession":
        """Raises :class:`ProviderError` without boto3, credentials or a region."""
        need("aws", "boto3")
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError

        config = Config(
            retries={"mode": self.retries.value, "total_max_attempts": self.limits.attempts},
            connect_timeout=self.limits.timeout,
            read_timeout=self.limits.timeout,
            max_pool_connections=self.limits.concurrency,
            proxies={},
        )
        try:
            session = boto3.Session(region_name=self.region or None)
            if session.get_credentials() is None:
                raise _missing("no credentials")
            client = session.client("rekognition", endpoint_url=self.endpoint or None, config=config)
        except BotoCoreError:
            raise _missing("no region, profile or credentials that can be used") from None
        return RekognitionSession(self, client, gate)


class RekognitionSession:
    """Open for calls."""

    def __init__(self, settings: Rekognition, client: Any, gate: Gate) -> None:  # noqa: ANN401  boto3 has no types
        self._settings, self._client, self._gate = settings, client, gate
        self._unpaid = False  # what is sent lacks an image
        self._cutter = Cutter(shape=SHAPE, margin=settings.margin)
        self._places = threading.BoundedSemaphore(settings.limits.concurrency)
        for operation in _KINDS:
            client.meta.events.register(f"before-send.rekognition.{operation}", self._passes)
            client.meta.events.register(f"before-parse.rekognition.{operation}", _no_object)
        client.meta.events.register_last("needs-retry.rekognition", self._torn)

    def detect(self, picture: Picture) -> Detection:
        """The faces with the service's confidence and quality."""
        sent = fitted(picture, SHAPE)
        turned = (sent.width > sent.height) != (picture.width > picture.height) and sent is not picture
        width, height = (picture.height, picture.width) if turned else (picture.width, picture.height)
        call = self._call("detect_faces", Image={"Bytes": sent.data}, Attributes=["DEFAULT"])
        try:
            seen = [_face(face, width, height) for face in call["FaceDetails"]]
        except _SHAPES:
            raise CallError(Refusal.TRANSPORT, http.UNREADABLE) from None
        return Detection(faces=left_to_right(seen), request=_request(call))

    def compare(self, probe: Crop, reference: Crop) -> Answer:
        """The similarity of the largest faces of both crops.

        Raises :class:`CallError` ``no_comparison``, never a score of 0, where the service compared nothing.
        """
        call = self._call(
            "compare_faces",
            SourceImage={"Bytes": self._cutter.of(probe).data},
            TargetImage={"Bytes": self._cutter.of(reference).data},
            SimilarityThreshold=0.0,
            QualityFilter=self._settings.quality_filter.value,
        )
        try:
            return _answer(call)
        except _SHAPES:
            raise CallError(Refusal.TRANSPORT, http.UNREADABLE) from None

    def check(self) -> None:
        """See :class:`~frtaudit.collection.clients.protocol.Session`."""
        self._unpaid = True
        with suppress(CallError):
            self._call("detect_faces", Image={"Bytes": b"none"})
        self._unpaid = False

    def close(self) -> None:
        """Let connections go."""
        self._client.close()

    def _passes(self, event_name: str, **_: object) -> None:
        """Before each attempt, also those that botocore makes by itself."""
        if self._unpaid:
            return
        self._gate.attempt(_KINDS[event_name.rpartition(".")[2]])

    def _torn(self, response: Any, operation: Any, attempts: int, **_: object) -> float | None:  # noqa: ANN401  botocore
        """Seconds to the next attempt where an answer of 200 holds no answer, as torn JSON does not."""
        if response is None or response[0].status_code != 200 or _EXPECTED[operation.name] in response[1]:
            return None
        if attempts >= self._settings.limits.attempts:
            return None
        return min(http.LONGEST_WAIT, http.FIRST_WAIT * 2.0 ** (attempts - 1))

    def _call(self, operation: str, **fields: object) -> Mapping[str, Any]:
        """The parsed answer. Exceptions of botocore hold what the service said: none of them is passed on."""
        from botocore import exceptions
        from botocore.parsers import ResponseParserError

        response: Mapping[str, Any] = {}
        refused: FrtauditError | CallError | None = None
        try:
            with self._places:
                response = getattr(self._client, operation)(**fields)
            if _EXPECTED[_NAMES[operation]] not in response:
                refused = CallError(Refusal.TRANSPORT, http.UNREADABLE)
        except exceptions.ClientError as error:
            response = error.response
        except exceptions.BotoCoreError as error:
            refused = _unsaid(error)
        except (ResponseParserError, *_SHAPES):
            refused = CallError(Refusal.TRANSPORT, http.UNREADABLE)
        if refused is None and "Error" in response:
            refused = classify_error(response)
        if refused is not None:
            raise refused
        return response


def _no_object(response_dict: dict[str, Any], **_: object) -> None:
    """A body that is no JSON object is one that says nothing: botocore's parser would stumble over it."""
    try:
        fine = isinstance(json.loads(response_dict["body"]), dict)
    except (ValueError, RecursionError):
        fine = False
    if not fine:
        response_dict["body"] = b"{}"


def classify_error(response: Mapping[str, Any]) -> CallError:
    """The table of the service's exceptions. Raises :class:`ProviderError` for the account as a whole."""
    code = str(response.get("Error", {}).get("Code", ""))
    meta = response.get("ResponseMetadata", {})
    status = int(meta.get("HTTPStatusCode", 0))
    if code in _ACCOUNT or status == 401:
        raise http.authentication_error("rekognition")
    if status == http.NO_CREDIT:
        raise http.no_credit("services: rekognition")
    if code in _ACQUIRE:
        return CallError(Refusal.FAILURE_TO_ACQUIRE, _ACQUIRE[code])
    if code in _THROTTLED or status == 429:
        headers = {name.lower(): str(value) for name, value in meta.get("HTTPHeaders", {}).items()}
        return CallError(Refusal.TRANSPORT, "throttled", wait_of(headers))
    if code == "InternalServerError" or status >= 500:
        return CallError(Refusal.TRANSPORT, "internal_error")
    if 300 <= status < 400:
        return CallError(Refusal.TRANSPORT, "redirected")
    if status in http.NOWHERE:
        raise http.nowhere("services: rekognition", status)
    if status == 413:
        return CallError(Refusal.FAILURE_TO_ACQUIRE, "too_large")
    return CallError(Refusal.POLICY, "refused")


def _usual_region() -> str:
    """What boto3 finds, empty where it finds none or is not installed."""
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError:
        return ""
    try:
        return str(boto3.Session().region_name or "")
    except BotoCoreError:
        return ""


def _unsaid(error: Exception) -> FrtauditError | CallError:
    """What botocore says where the service said nothing."""
    from botocore import exceptions

    if isinstance(error, exceptions.ReadTimeoutError | exceptions.ConnectTimeoutError):
        return CallError(Refusal.TRANSPORT, "timeout")
    if isinstance(error, exceptions.ParamValidationError):
        return CallError(Refusal.POLICY, "bad_argument")
    if isinstance(error, exceptions.HTTPClientError | exceptions.ConnectionError):
        return CallError(Refusal.TRANSPORT, "no_connection")
    return _missing("no credentials that can be used")


def _missing(problem: str) -> ProviderError:
    accepted = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or ~/.aws; AWS_DEFAULT_REGION, or region"
    return ProviderError("services: rekognition", problem, accepted)


def _request(reply: Mapping[str, Any]) -> str:
    return str(reply.get("ResponseMetadata", {}).get("RequestId", ""))


def _face(face: Mapping[str, Any], width: int, height: int) -> DetectedFace:
    """Boxes come as shares of the picture's sides."""
    edges = face["BoundingBox"]
    x, y = edges["Left"] * width, edges["Top"] * height
    box = Box(x=x, y=y, width=edges["Width"] * width, height=edges["Height"] * height)
    facts: dict[str, float | str] = {"confidence": float(face["Confidence"])}
    for name, value in face.get("Quality", {}).items():
        facts[name.lower()] = float(value)
    return DetectedFace(box=box, facts=facts)


def _answer(reply: Mapping[str, Any]) -> Answer:
    """Of several faces in the reference's crop the largest; it may stand among those that were not matched."""
    faces = [(_area(match["Face"]), match["Similarity"]) for match in reply["FaceMatches"]]
    others = [_area(face) for face in reply.get("UnmatchedFaces", [])]
    if not faces or max(others, default=0.0) > max(area for area, _ in faces):
        raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_comparison")
    area, score = max(faces)
    facts = {"faces": float(len(faces) + len(others)), "area": area}
    confidence = reply.get("SourceImageFace", {}).get("Confidence")
    if confidence is not None:
        facts["source_confidence"] = float(confidence)
    return Answer(score=score, request=_request(reply), facts=facts)


def _area(face: Mapping[str, Any]) -> float:
    return float(face["BoundingBox"]["Width"]) * float(face["BoundingBox"]["Height"])
