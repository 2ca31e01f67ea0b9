"""Face++'s wire: forms, face tokens, ``error_message``."""

import base64

from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.fake.wire import Request, Response, digest_of, json_response
from frtaudit.collection.fake.world import World, area
from frtaudit.core.arrays import Floats
from frtaudit.core.collecting import CallError

KEY, SECRET = "made-up-facepp-key", "made-up-facepp-secret"
_SECRETS = ("api_key", "api_secret")
_THRESHOLDS = {"1e-3": 62.327, "1e-4": 69.101, "1e-5": 73.975}


class FacePlusPlus:
    """See :class:`frtaudit.collection.fake.wire.Wire`."""

    name = "facepp"

    def kind(self, request: Request) -> str | None:
        """By the path."""
        return {"/facepp/v3/detect": "detect", "/facepp/v3/compare": "compare"}.get(request.path)

    def refused(self, request: Request) -> Response | None:
        """Other keys."""
        sent = request.fields()
        if sent.get("api_key") == KEY.encode() and sent.get("api_secret") == SECRET.encode():
            return None
        return _error("AUTHENTICATION_ERROR", 401)

    def key(self, request: Request) -> str:
        """Path and fields, without keys."""
        fields = [(name, value) for name, value in sorted(request.fields().items()) if name not in _SECRETS]
        parts = [name.encode() + b"=" + value for name, value in fields]
        return digest_of(request.path.encode(), *parts)

    def answer(self, request: Request, world: World, key: str) -> Response:
        """Detect or compare."""
        sent = request.fields()
        try:
            if self.kind(request) == "detect":
                return self._detected(sent, world, key)
            faces = [self._face(sent, number, world) for number in (1, 2)]
        except LookupError:
            return _error("INVALID_FACE_TOKEN", 400)
        except (CallError, ValueError):
            return _error("IMAGE_ERROR_UNSUPPORTED_FORMAT:image_base64", 400)
        content: dict[str, object] = {"request_id": key[:32], "time_used": 473}
        if faces[0] is not None and faces[1] is not None:
            score = world.score(self.name, faces[0], faces[1], key)
            content |= {"confidence": score, "thresholds": _THRESHOLDS}
        return json_response(content)

    def _detected(self, sent: dict[str, bytes], world: World, key: str) -> Response:
        faces = []
        for box, values in world.faces(picture_of(base64.b64decode(sent["image_base64"]))):
            edges = {"top": box.y, "left": box.x, "width": box.width, "height": box.height}
            quality = {"facequality": {"value": 90.5, "threshold": 70.1}}
            token = world.token(self.name, values)
            faces.append({"face_token": token, "face_rectangle": edges, "attributes": quality})
        content = {"request_id": key[:32], "time_used": 120, "image_id": key[:16]}
        return json_response({**content, "faces": faces, "face_num": len(faces)})

    def _face(self, sent: dict[str, bytes], number: int, world: World) -> Floats | None:
        """By token or by image; None where the image shows nobody."""
        token = sent.get(f"face_token{number}")
        if token is not None:
            values = world.face_of(token.decode())
            if values is None:
                raise LookupError
            return values
        faces = world.faces(picture_of(base64.b64decode(sent.get(f"image_base64_{number}", b""))))
        return max(faces, key=area)[1] if faces else None

    def failure(self, fault: str, kind: str) -> Response:
        """As Face++ says errors."""
        failures = {
            "throttled": _error("CONCURRENCY_LIMIT_EXCEEDED", 403),
            "error": _error("INTERNAL_ERROR", 500),
            "error_in_answer": _error("INTERNAL_ERROR", 200),
        }
        none: dict[str, object] = {"faces1": [], "faces2": []}
        if kind == "detect":
            none = {"image_id": "empty", "faces": [], "face_num": 0}
        return failures.get(fault, json_response({"request_id": "empty", "time_used": 100, **none}))


def _error(message: str, status: int) -> Response:
    return json_response({"time_used": 5, "error_message": message, "request_id": "error"}, status=status)
