"""Azure Face's wire: ``/face/v1.2/detect`` of bytes, ``/face/v1.2/verify`` of two face ids, a key in a header."""

import uuid

from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.fake.wire import Request, Response, digest_of, json_response
from frtaudit.collection.fake.world import World
from frtaudit.core.collecting import CallError

KEY = "made-up-azure-key"
MIN_BYTES = 1024  # below it, as documented, an image is too small


class Azure:
    """See :class:`frtaudit.collection.fake.wire.Wire`."""

    name = "azure"

    def kind(self, request: Request) -> str | None:
        """By the path."""
        if not request.path.startswith("/face/v1"):
            return None
        return {"detect": "detect", "verify": "compare"}.get(request.path.rpartition("/")[2])

    def refused(self, request: Request) -> Response | None:
        """Another key."""
        if request.headers.get("ocp-apim-subscription-key") == KEY:
            return None
        return _error("401", 401)

    def key(self, request: Request) -> str:
        """Path, the models that are asked for, and body."""
        models = f"{request.query.get('recognitionModel')} {request.query.get('detectionModel')}"
        return digest_of(request.path.encode(), models.encode(), request.body)

    def answer(self, request: Request, world: World, key: str) -> Response:
        """Detect or verify."""
        answer = self._verified if self.kind(request) == "compare" else self._detected
        return answer(request, world, key)

    def _detected(self, request: Request, world: World, key: str) -> Response:
        model = request.query.get("recognitionModel", "recognition_01")
        lifetime = float(request.query.get("faceIdTimeToLive", "86400"))
        if len(request.body) < MIN_BYTES:
            return _error("InvalidImageSize", 400)
        try:
            detected = world.faces(picture_of(request.body))
        except CallError:
            return _error("InvalidImage", 400)
        faces: list[dict[str, object]] = []
        for box, values in sorted(detected, key=lambda face: -face[0].width * face[0].height):
            face_id = str(uuid.UUID(world.token(f"{self.name} {model}", values, lifetime)))
            edges = {"top": box.y, "left": box.x, "width": box.width, "height": box.height}
            face: dict[str, object] = {"faceId": face_id, "faceRectangle": edges}
            if request.query.get("returnRecognitionModel") == "true":
                face["recognitionModel"] = model
            if request.query.get("returnFaceAttributes"):
                face["faceAttributes"] = {"qualityForRecognition": "high"}
            faces.append(face)
        return json_response(faces, apim_request_id=_request(key))

    def _verified(self, request: Request, world: World, key: str) -> Response:
        asked = request.json()
        faces = [world.face_of(str(asked.get(name, "")).replace("-", "")) for name in ("faceId1", "faceId2")]
        if faces[0] is None or faces[1] is None:
            return _error("FaceNotFound", 404)
        score = world.score(self.name, faces[0], faces[1], key)
        content = {"isIdentical": score >= 0.5, "confidence": score}
        return json_response(content, apim_request_id=_request(key))

    def failure(self, fault: str, kind: str) -> Response:
        """As Azure says errors; an error in an answer of 200 is one without what was asked for."""
        failures = {
            "throttled": _error("429", 429),
            "error": _error("InternalServerError", 500),
            "error_in_answer": json_response({"error": {"code": "Unspecified", "message": "made up"}}),
        }
        faceless = json_response([]) if kind == "detect" else _error("InvalidImage", 400)
        return failures.get(fault, faceless)


def _request(key: str) -> str:
    return str(uuid.UUID(key[:32]))


def _error(code: str, status: int) -> Response:
    return json_response({"error": {"code": code, "message": "made up"}}, status=status)
