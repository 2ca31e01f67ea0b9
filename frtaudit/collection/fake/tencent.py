"""Tencent Cloud's wire: signed JSON to ``/``, errors in answers of 200."""

import base64
from collections.abc import Mapping

from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.clients.tc3 import authorization
from frtaudit.collection.fake.wire import Request, Response, digest_of, json_response
from frtaudit.collection.fake.world import World, area
from frtaudit.core.collecting import CallError

SECRET_ID, SECRET_KEY = "AKIDmadeup", "made-up-tencent-key"
_ACTIONS = {"DetectFace": "detect", "CompareFace": "compare"}


class Tencent:
    """See :class:`frtaudit.collection.fake.wire.Wire`."""

    name = "tencent"

    def kind(self, request: Request) -> str | None:
        """By the action header."""
        return _ACTIONS.get(request.headers.get("x-tc-action", ""))

    def refused(self, request: Request) -> Response | None:
        """The signature is computed again and compared."""
        headers = request.headers
        moment = headers.get("x-tc-timestamp", "")
        right = authorization(
            secret_id=SECRET_ID,
            secret_key=SECRET_KEY,
            service="iai",
            host=headers.get("host", ""),
            content_type=headers.get("content-type", ""),
            body=request.body,
            moment=int(moment) if moment.isdigit() else 0,
        )
        return None if headers.get("authorization") == right else _error("AuthFailure.SignatureFailure")

    def key(self, request: Request) -> str:
        """Action and body."""
        return digest_of(request.headers["x-tc-action"].encode(), request.body)

    def answer(self, request: Request, world: World, key: str) -> Response:
        """Detect or compare."""
        asked = request.json()
        try:
            if self.kind(request) == "detect":
                return self._detected(asked, world, key)
            pictures = [
                picture_of(base64.b64decode(str(asked[name]), validate=True)) for name in ("ImageA", "ImageB")
            ]
        except (CallError, ValueError, KeyError):  # a data: prefix is no base64
            return _error("FailedOperation.ImageDecodeFailed")
        faces = [max(detected, key=area) for detected in map(world.faces, pictures) if detected]
        if len(faces) < 2:
            return _error("InvalidParameterValue.NoFaceInPhoto")
        score = world.score(self.name, faces[0][1], faces[1][1], key)
        swapped = world.swapped(self.name, key)
        version = f"{asked.get('FaceModelVersion', '3.0')}{'.1' if swapped else ''}"
        return _response({"Score": score, "FaceModelVersion": version}, key)

    def _detected(self, asked: Mapping[str, object], world: World, key: str) -> Response:
        picture = picture_of(base64.b64decode(str(asked["Image"]), validate=True))
        faces = sorted(world.faces(picture), key=area, reverse=True)[: int(str(asked.get("MaxFaceNum", 1)))]
        if not faces:
            return _error("InvalidParameterValue.NoFaceInPhoto")
        infos = [
            {
                "X": round(box.x),
                "Y": round(box.y),
                "Width": round(box.width),
                "Height": round(box.height),
                "FaceQualityInfo": {"Score": 88, "Sharpness": 90, "Brightness": 50},
            }
            for box, _ in faces
        ]
        sizes = {"ImageWidth": picture.width, "ImageHeight": picture.height}
        version = asked.get("FaceModelVersion", "3.0")
        return _response({**sizes, "FaceInfos": infos, "FaceModelVersion": version}, key)

    def failure(self, fault: str, kind: str) -> Response:  # noqa: ARG002  the wires share a signature
        """As Tencent says errors."""
        if fault == "error":
            return json_response({"message": "made up"}, status=500)
        codes = {"throttled": "RequestLimitExceeded", "error_in_answer": "InternalError"}
        return _error(codes.get(fault, "InvalidParameterValue.NoFaceInPhoto"))


def _response(content: Mapping[str, object], key: str) -> Response:
    return json_response({"Response": {**content, "RequestId": key[:32]}})


def _error(code: str) -> Response:
    return json_response({"Response": {"Error": {"Code": code, "Message": "made up"}, "RequestId": "error"}})
