"""Luxand.cloud's wire: photos in parts, a token in a header, failures in answers of 200."""

from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.fake.wire import Request, Response, digest_of, json_response
from frtaudit.collection.fake.world import World, area
from frtaudit.core.collecting import Box, CallError

TOKEN = "made-up-luxand-token"  # noqa: S105  opens nothing


class Luxand:
    """See :class:`frtaudit.collection.fake.wire.Wire`."""

    name = "luxand"

    def kind(self, request: Request) -> str | None:
        """By the path."""
        return {"/photo/detect": "detect", "/photo/similarity": "compare"}.get(request.path)

    def refused(self, request: Request) -> Response | None:
        """Another token."""
        if request.headers.get("token") == TOKEN:
            return None
        return json_response({"status": "failure", "message": "Token is not valid"}, status=401)

    def key(self, request: Request) -> str:
        """Path and parts; their boundary is another one each time."""
        parts = [name.encode() + b"=" + value for name, value in sorted(request.fields().items())]
        return digest_of(request.path.encode(), *parts)

    def answer(self, request: Request, world: World, key: str) -> Response:
        """Detect or compare."""
        sent = request.fields()
        try:
            if self.kind(request) == "detect":
                detected = world.faces(picture_of(sent.get("photo", b"")))
                return json_response([_face(number, box) for number, (box, _) in enumerate(detected)])
            faces = [world.faces(picture_of(sent.get(name, b""))) for name in ("face1", "face2")]
        except CallError:
            return _failure("Can't read image")
        if not all(faces):
            return _failure("Can't find faces in the image")
        template, other = (max(face, key=area)[1] for face in faces)
        score = world.score(self.name, template, other, key)
        return json_response({"score": score, "similar": score >= float(sent.get("threshold", b"0.8"))})

    def failure(self, fault: str, kind: str) -> Response:
        """As Luxand says errors."""
        if fault == "throttled":
            return json_response({"status": "failure", "message": "Too many requests"}, status=429)
        if fault == "error":
            return json_response({"status": "failure", "message": "Internal server error"}, status=500)
        if fault == "error_in_answer":
            return _failure("Internal error, please try again")
        return json_response([]) if kind == "detect" else _failure("Can't find faces in the image")


def _face(number: int, box: Box) -> dict[str, object]:
    right, bottom = int(box.x + box.width), int(box.y + box.height)
    edges = {"left": int(box.x), "top": int(box.y), "right": right, "bottom": bottom}
    return {"id": number, "rectangle": edges, "probability": 0.99}


def _failure(message: str) -> Response:
    return json_response({"status": "failure", "message": message})
