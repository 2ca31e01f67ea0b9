"""AWS Rekognition's wire: JSON 1.1, ``X-Amz-Target``, a SigV4 header of the synthetic key."""

import base64
import json
from collections.abc import Mapping

from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.fake.wire import Request, Response, digest_of, json_response
from frtaudit.collection.fake.world import World, area
from frtaudit.core.collecting import Box, CallError, Picture

KEY_ID, SECRET = "AKIAMADEUPMADEUP0000", "made-up-aws-secret"
_TARGETS = {"RekognitionService.CompareFaces": "compare", "RekognitionService.DetectFaces": "detect"}


class Rekognition:
    """See :class:`frtaudit.collection.fake.wire.Wire`."""

    name = "rekognition"

    def kind(self, request: Request) -> str | None:
        """By the target header."""
        return _TARGETS.get(request.headers.get("x-amz-target", ""))

    def refused(self, request: Request) -> Response | None:
        """No signature of the synthetic key."""
        sent = request.headers.get("authorization", "")
        if sent.startswith(f"AWS4-HMAC-SHA256 Credential={KEY_ID}/") and "Signature=" in sent:
            return None
        return _error("UnrecognizedClientException", 400)

    def key(self, request: Request) -> str:
        """Target and body."""
        return digest_of(request.headers["x-amz-target"].encode(), request.body)

    def answer(self, request: Request, world: World, key: str) -> Response:
        """Both operations."""
        asked = request.json()
        try:
            if self.kind(request) == "detect":
                picture = _picture(asked["Image"])
                details = [_face(box, picture) | {"Confidence": 99.9} for box, _ in world.faces(picture)]
                return _response({"FaceDetails": details}, key)
            return self._compared(asked, world, key)
        except CallError:
            return _error("InvalidImageFormatException", 400)
        except (KeyError, TypeError, ValueError):
            return _error("InvalidParameterException", 400)

    def _compared(self, asked: Mapping[str, object], world: World, key: str) -> Response:
        source, target = _picture(asked["SourceImage"]), _picture(asked["TargetImage"])
        theirs, others = world.faces(source), world.faces(target)
        if not theirs or not others:
            return _error("InvalidParameterException", 400)
        box, values = max(theirs, key=area)
        scored = [(world.score(self.name, values, other, key), there) for there, other in others]
        least = float(str(asked.get("SimilarityThreshold", 80.0)))
        matches = [
            {"Similarity": score, "Face": _face(there, target)}
            for score, there in sorted(scored, key=lambda pair: -pair[0])
            if score >= least
        ]
        unmatched = [_face(there, target) for score, there in scored if score < least]
        face = {"BoundingBox": _edges(box, source), "Confidence": 99.9}
        return _response({"SourceImageFace": face, "FaceMatches": matches, "UnmatchedFaces": unmatched}, key)

    def failure(self, fault: str, kind: str) -> Response:
        """As JSON 1.1 says errors."""
        if fault == "throttled":
            return _error("ThrottlingException", 400)
        if fault == "error":
            return _error("InternalServerError", 500)
        if fault == "error_in_answer":
            return json_response({"__type": "InternalServerError", "message": "made up"})
        if kind == "detect":
            return json_response({"FaceDetails": []})
        source = {"Confidence": 99.9}
        return json_response({"SourceImageFace": source, "FaceMatches": [], "UnmatchedFaces": []})


def _picture(image: object) -> Picture:
    if not isinstance(image, Mapping):
        raise TypeError
    return picture_of(base64.b64decode(image["Bytes"]))


def _face(box: Box, picture: Picture) -> dict[str, object]:
    return {
        "BoundingBox": _edges(box, picture),
        "Confidence": 99.9,
        "Landmarks": [],
        "Pose": {"Roll": 0.0, "Yaw": 0.0, "Pitch": 0.0},
        "Quality": {"Brightness": 80.0, "Sharpness": 90.0},
    }


def _edges(box: Box, picture: Picture) -> dict[str, float]:
    width, height = picture.width, picture.height
    return {
        "Left": box.x / width,
        "Top": box.y / height,
        "Width": box.width / width,
        "Height": box.height / height,
    }


def _response(content: object, key: str) -> Response:
    headers = {"x-amzn-RequestId": key[:32]}
    return Response(body=json.dumps(content).encode(), media="application/x-amz-json-1.1", headers=headers)


def _error(code: str, status: int) -> Response:
    body = json.dumps({"__type": code, "message": "made up"}).encode()
    return Response(status=status, body=body, media="application/x-amz-json-1.1")
