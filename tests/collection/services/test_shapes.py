"""What no service may do, and literal answers of the public documentation: each service reads and sorts them.

Tests also azure, facepp, luxand and tencent; rekognition and made_up have files of their own.
"""

import base64
import contextlib
import json
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_services import CLEAN, FIVE, Counting, service, with_credentials
from pytest_httpserver import HTTPServer

from frtaudit.collection.clients.http import Caller, Reply
from frtaudit.collection.clients.protocol import Limits, Service, Session
from frtaudit.collection.fake.server import ENVIRONMENT
from frtaudit.collection.services.azure import Azure, DetectionModel, RecognitionModel
from frtaudit.collection.services.facepp import By, FacePlusPlus
from frtaudit.collection.services.luxand import Luxand
from frtaudit.collection.services.tencent import Tencent
from frtaudit.core.collecting import Answer, Box, CallError, Crop, DetectedFace, Detection
from frtaudit.core.plain.structure import construct
from frtaudit.errors import ProviderError, SpecError

PICTURE = CLEAN.picture(0, 0)
BOX = Box(x=40.0, y=30.0, width=96.0, height=96.0)
BARE = Crop(picture=PICTURE, face=DetectedFace(box=BOX))
HELD = Crop(
    picture=PICTURE,
    face=DetectedFace(box=BOX, handle="c5c24a82", facts={"recognition_model": "recognition_04"}),
)


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthetic ones; no wait before a second attempt."""
    with_credentials(monkeypatch)


def session(server: HTTPServer, name: str, gate: Counting | None = None) -> Session:
    """Open on a server of this machine, two attempts a call."""
    return service(name, server.url_for("").rstrip("/"), Limits(attempts=2)).open(gate or Counting())


def says(server: HTTPServer, body: object, status: int = 200, **headers: str) -> None:
    """Every call is answered so."""
    text = body if isinstance(body, str) else json.dumps(body)
    server.expect_request("/").respond_with_data(text, status=status)
    for path in ("/face/v1.2/detect", "/face/v1.2/verify", "/facepp/v3/detect", "/facepp/v3/compare"):
        server.expect_request(path).respond_with_data(text, status=status, headers=headers)
    for path in ("/photo/detect", "/photo/similarity"):
        server.expect_request(path).respond_with_data(text, status=status, headers=headers)


def test_azure_reads_the_documented_detection(httpserver: HTTPServer) -> None:
    """Face ids with their end, boxes, the model that made them, quality; the request asks for all of it."""
    face = {
        "faceId": "c5c24a82-6845-4031-9d5d-978df9175426",
        "recognitionModel": "recognition_04",
        "faceRectangle": {"top": 131, "left": 177, "width": 162, "height": 162},
        "faceAttributes": {"qualityForRecognition": "high"},
    }
    says(httpserver, [face], **{"apim-request-id": "ab12"})
    found = session(httpserver, "azure").detect(PICTURE)
    (seen,) = found.faces
    assert (found.version, found.request) == ("recognition_04", "ab12")
    assert (seen.handle, seen.box) == (face["faceId"], Box(x=177, y=131, width=162, height=162))
    assert seen.facts == {"recognition_model": "recognition_04", "quality": "high"}
    assert seen.expires is not None
    asked = httpserver.log[0][0]
    assert asked.headers["Ocp-Apim-Subscription-Key"] == ENVIRONMENT["AZURE_FACE_KEY"]
    assert asked.headers["Content-Type"] == "application/octet-stream"
    assert asked.data == PICTURE.data
    assert dict(asked.args) == {
        "returnFaceId": "true",
        "returnRecognitionModel": "true",
        "recognitionModel": "recognition_04",
        "detectionModel": "detection_03",
        "faceIdTimeToLive": "86400",
        "returnFaceAttributes": "qualityForRecognition",
    }


def test_azure_reads_the_documented_verification(httpserver: HTTPServer) -> None:
    """Confidence, the service's own verdict, and the model of the face ids."""
    says(httpserver, {"isIdentical": True, "confidence": 0.8}, **{"apim-request-id": "cd34"})
    answer = session(httpserver, "azure").compare(HELD, HELD)
    facts = {"is_identical": "true"}
    assert answer == Answer(score=0.8, version="recognition_04", request="cd34", facts=facts)
    assert json.loads(httpserver.log[0][0].data) == {"faceId1": "c5c24a82", "faceId2": "c5c24a82"}


def test_azure_uses_a_face_id_until_it_expires(httpserver: HTTPServer) -> None:
    """Ids that last no longer than two time-outs are compared as they are: nothing is detected again."""
    face = {
        "faceId": "c5c24a82",
        "recognitionModel": "recognition_04",
        "faceRectangle": {"top": 131, "left": 177, "width": 162, "height": 162},
    }
    httpserver.expect_request("/face/v1.2/detect").respond_with_json([face])
    httpserver.expect_request("/face/v1.2/verify").respond_with_json({"isIdentical": True, "confidence": 0.8})
    asked, url = Counting(), httpserver.url_for("").rstrip("/")
    azure = Azure(endpoint=url, id_lifetime=60, limits=Limits(timeout=30)).open(asked)
    (seen,) = azure.detect(PICTURE).faces
    for _ in range(2):
        azure.compare(Crop(picture=PICTURE, face=seen), Crop(picture=PICTURE, face=seen))
    assert [request.path.rpartition("/")[2] for request, _ in httpserver.log] == [
        "detect",
        "verify",
        "verify",
    ]


def test_azure_asks_for_quality_where_there_is_any() -> None:
    """Models are settings, and are said beforehand; the resource's name is not."""
    made = Azure(
        endpoint="https://somebody.cognitiveservices.azure.com",
        recognition_model=RecognitionModel.RECOGNITION_01,
        detection_model=DetectionModel.DETECTION_02,
    )
    asked = made.recorded_settings()
    assert (asked["recognition_model"], asked["detection_model"]) == ("recognition_01", "detection_02")
    assert "somebody" not in str(asked)


def test_facepp_reads_the_documented_answers(httpserver: HTTPServer) -> None:
    """Tokens and boxes; confidence and the three thresholds of this very call."""
    httpserver.expect_request("/facepp/v3/detect").respond_with_json(
        {
            "image_id": "Dd2xUw9S/7yjr0oDHHSL/Q==",
            "request_id": "1470472868,dacf2ff1-ea45-4842-9c07-6e8418cea78b",
            "time_used": 752,
            "faces": [
                {
                    "face_rectangle": {"width": 140, "top": 89, "left": 104, "height": 141},
                    "face_token": "ed319e807e039ae669a4d1af0922a0c8",
                    "attributes": {"facequality": {"value": 92.5, "threshold": 70.1}},
                },
                {
                    "face_rectangle": {"width": 40, "top": 8, "left": 4, "height": 41},
                    "face_token": "aa319e807e039ae669a4d1af0922a0c8",
                },
            ],
            "face_num": 2,
        }
    )
    thresholds = {"1e-3": 65.3, "1e-5": 76.5, "1e-4": 71.8}
    says(httpserver, {"request_id": "r1", "time_used": 473, "confidence": 96.46, "thresholds": thresholds})
    opened = session(httpserver, "facepp")
    found = opened.detect(PICTURE)
    assert [face.box for face in found.faces] == [
        Box(x=4, y=8, width=40, height=41),
        Box(x=104, y=89, width=140, height=141),
    ]
    assert found.faces[1].facts == {"quality": 92.5}
    answer = opened.compare(*(Crop(picture=PICTURE, face=face) for face in found.faces))
    kept = {"threshold_1e-3": 65.3, "threshold_1e-4": 71.8, "threshold_1e-5": 76.5}
    assert answer == Answer(score=96.46, request="r1", facts=kept)
    sent = dict(parse_qsl(httpserver.log[1][0].data.decode()))
    assert sent["face_token1"] == "aa319e807e039ae669a4d1af0922a0c8"
    assert sent["face_token2"] == "ed319e807e039ae669a4d1af0922a0c8"


def test_facepp_compares_images_where_it_is_told_to(httpserver: HTTPServer) -> None:
    """The faces cut out, as base64, and no token."""
    says(httpserver, {"request_id": "r1", "time_used": 1, "confidence": 50.0, "thresholds": {}})
    made = FacePlusPlus(endpoint=httpserver.url_for("").rstrip("/"), compare_by=By.IMAGES)
    made.open(Counting()).compare(BARE, BARE)
    sent = dict(parse_qsl(httpserver.log[0][0].data.decode()))
    assert base64.b64decode(sent["image_base64_1"])[:2] == b"\xff\xd8"
    assert "face_token1" not in sent


def test_tencent_reads_the_documented_answers(httpserver: HTTPServer) -> None:
    """Boxes and quality; score, model version, request id; no prefix before the base64."""
    quality = {"Score": 90, "Sharpness": 80, "Brightness": 40, "Completeness": {"Eyebrow": 99}}
    inner = {
        "ImageWidth": 550,
        "ImageHeight": 640,
        "FaceInfos": [{"X": 121, "Y": 124, "Width": 259, "Height": 370, "FaceQualityInfo": quality}],
        "FaceModelVersion": "3.0",
        "RequestId": "a9a7fc1e",
    }
    httpserver.expect_ordered_request("/").respond_with_json({"Response": inner})
    httpserver.expect_ordered_request("/").respond_with_json(
        {"Response": {"Score": 93.5, "FaceModelVersion": "3.0", "RequestId": "7d9c"}}
    )
    opened = session(httpserver, "tencent")
    found = opened.detect(PICTURE)
    assert (found.version, found.request) == ("3.0", "a9a7fc1e")
    assert found.faces == (
        DetectedFace(box=Box(x=121, y=124, width=259, height=370), facts={"quality": 90.0}),
    )
    assert opened.compare(BARE, BARE) == Answer(score=93.5, version="3.0", request="7d9c")
    asked = httpserver.log[1][0]
    sent = json.loads(asked.data)
    assert (asked.headers["X-TC-Action"], asked.headers["X-TC-Version"]) == ("CompareFace", "2020-03-03")
    assert (sent["FaceModelVersion"], sent["QualityControl"]) == ("3.0", 0)
    assert base64.b64decode(sent["ImageA"], validate=True)[:2] == b"\xff\xd8"


def test_luxand_reads_lists_and_scores(httpserver: HTTPServer) -> None:
    """Rectangles by their edges; the score and the service's own verdict."""
    edges = {"left": 10, "top": 20, "right": 110, "bottom": 140}
    httpserver.expect_request("/photo/detect").respond_with_json([{"rectangle": edges, "probability": 0.99}])
    httpserver.expect_request("/photo/similarity").respond_with_json({"score": 0.937, "similar": True})
    opened = session(httpserver, "luxand")
    assert opened.detect(PICTURE).faces == (
        DetectedFace(box=Box(x=10, y=20, width=100, height=120), facts={"probability": 0.99}),
    )
    assert opened.compare(BARE, BARE) == Answer(score=0.937, facts={"similar": "true"})
    assert httpserver.log[1][0].headers["token"] == ENVIRONMENT["LUXAND_API_TOKEN"]
    sent = httpserver.log[1][0].get_data()
    assert all(f'name="{part}"'.encode() in sent for part in ("face1", "face2", "threshold"))


@pytest.mark.parametrize("similar", ["luxandkey", None, 1, {"a": 1}])
def test_luxands_similar_is_true_or_false_or_not_kept(httpserver: HTTPServer, similar: object) -> None:
    """Whatever stands there could be what was sent."""
    says(httpserver, {"score": 0.5, "similar": similar})
    assert session(httpserver, "luxand").compare(BARE, BARE) == Answer(score=0.5)


@pytest.mark.parametrize("right", ["Infinity", "NaN", "1e999", "9" * 400])
def test_a_box_that_is_not_finite_is_an_unreadable_response(httpserver: HTTPServer, right: str) -> None:
    """The call is made again, and is then one of transport."""
    says(httpserver, f'[{{"rectangle": {{"left": 1, "top": 1, "bottom": 9, "right": {right}}}}}]')
    with pytest.raises(CallError, match="transport: unreadable_response"):
        session(httpserver, "luxand").detect(PICTURE)
    assert len(httpserver.log) == 2


def azure(code: str) -> object:
    """As Azure says errors."""
    return {"error": {"code": code, "message": "some words"}}


def facepp(message: str) -> object:
    """As Face++ does."""
    return {"time_used": 3, "error_message": message, "request_id": "r"}


def tencent(code: str) -> object:
    """As Tencent does."""
    return {"Response": {"Error": {"Code": code, "Message": "some words"}, "RequestId": "r"}}


def luxand(message: str) -> object:
    """As Luxand does."""
    return {"status": "failure", "message": message}


@pytest.mark.parametrize(
    ("name", "status", "body", "refusal"),
    [
        ("azure", 400, azure("InvalidImage"), "failure_to_acquire: unreadable_image"),
        ("azure", 400, azure("InvalidImageSize"), "failure_to_acquire: image_size"),
        ("azure", 400, azure("BadArgument"), "policy: bad_argument"),
        ("azure", 408, azure("OperationTimeOut"), "transport: timeout"),
        ("azure", 429, azure("429"), "transport: throttled"),
        ("azure", 200, azure("Unspecified"), "transport: unreadable_response"),
        ("azure", 500, "{", "transport: http_500"),
        ("facepp", 403, facepp("CONCURRENCY_LIMIT_EXCEEDED"), "transport: throttled"),
        (
            "facepp",
            400,
            facepp("IMAGE_ERROR_UNSUPPORTED_FORMAT:image_base64_1"),
            "failure_to_acquire: unreadable_image",
        ),
        ("facepp", 400, facepp("INVALID_IMAGE_SIZE: image_base64"), "failure_to_acquire: image_size"),
        ("facepp", 413, "<html>Request Entity Too Large</html>", "failure_to_acquire: too_large"),
        ("facepp", 400, facepp("BAD_ARGUMENTS:face_token1"), "policy: bad_argument"),
        ("facepp", 200, facepp("SOMETHING_NEW"), "transport: error_in_answer"),
        ("facepp", 500, facepp("INTERNAL_ERROR"), "transport: internal_error"),
        ("facepp", 200, {"request_id": "r", "time_used": 1}, "failure_to_acquire: no_comparison"),
        ("tencent", 200, tencent("InvalidParameterValue.NoFaceInPhoto"), "failure_to_acquire: no_face"),
        ("tencent", 200, tencent("FailedOperation.ImageSizeExceed"), "failure_to_acquire: too_large"),
        (
            "tencent",
            200,
            tencent("FailedOperation.FaceQualityNotQualified"),
            "failure_to_acquire: low_quality",
        ),
        ("tencent", 200, tencent("RequestLimitExceeded.UinLimitExceeded"), "transport: throttled"),
        ("tencent", 200, tencent("InternalError"), "transport: internal_error"),
        ("tencent", 200, tencent("InvalidParameterValue.FaceModelVersionIllegal"), "policy: bad_argument"),
        ("tencent", 200, tencent("UnsupportedOperation"), "policy: refused"),
        ("tencent", 200, {"Response": {"RequestId": "r"}}, "transport: unreadable_response"),
        ("luxand", 200, luxand("Can't find faces"), "failure_to_acquire: no_face"),
        ("luxand", 200, luxand("Unable to open image"), "failure_to_acquire: unreadable_image"),
        ("luxand", 200, luxand("Too many requests"), "transport: throttled"),
        ("luxand", 200, luxand("Rate limit of your subscription exceeded"), "transport: throttled"),
        ("luxand", 429, luxand("Too many requests for this token"), "transport: throttled"),
        ("luxand", 429, luxand("Slow down, token"), "transport: throttled"),
        ("luxand", 200, luxand("something new"), "transport: error_in_answer"),
        ("luxand", 200, '{"score": 0.', "transport: unreadable_response"),
        ("azure", 200, {"isIdentical": True, "confidence": True}, "transport: unreadable_response"),
        ("facepp", 200, {"request_id": "r", "confidence": "96"}, "transport: unreadable_response"),
        (
            "tencent",
            200,
            {"Response": {"Score": "nan", "FaceModelVersion": "3.0", "RequestId": "r"}},
            "transport: unreadable_response",
        ),
        ("luxand", 200, '{"score": NaN}', "transport: unreadable_response"),
        ("luxand", 200, {"score": True}, "transport: unreadable_response"),
    ],
)
def test_errors_are_sorted(
    httpserver: HTTPServer, name: str, status: int, body: object, refusal: str
) -> None:
    """By each service's own table; transport alone is tried again, and each attempt passes the gate."""
    says(httpserver, body, status)
    gate = Counting()
    with pytest.raises(CallError) as caught:
        session(httpserver, name, gate).compare(HELD, HELD)
    assert str(caught.value) == refusal
    assert gate.passed["compare"] == len(httpserver.log) == (2 if refusal.startswith("transport") else 1)


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("azure", 401, azure("401")),
        ("azure", 403, azure("UnsupportedFeature")),
        ("facepp", 401, facepp("AUTHENTICATION_ERROR")),
        ("facepp", 403, facepp("AUTHORIZATION_ERROR:Denied by Client.")),
        ("tencent", 200, tencent("AuthFailure.SignatureFailure")),
        ("tencent", 200, tencent("ResourceUnavailable.InArrears")),
        ("luxand", 401, luxand("Token is not valid")),
        ("luxand", 200, luxand("You have no active subscription")),
    ],
)
def test_a_refused_account_stops_the_collection(
    httpserver: HTTPServer, name: str, status: int, body: object
) -> None:
    """Not a failure of half a million comparisons, one by one: ProviderError, after one attempt."""
    says(httpserver, body, status)
    with pytest.raises(ProviderError, match=f"services: {name}"):
        session(httpserver, name).compare(HELD, HELD)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("azure", "{}"),
        ("azure", azure("BadArgument")),
        ("facepp", facepp("SOMETHING_NEW")),
        ("tencent", tencent("UnsupportedOperation")),
        ("luxand", luxand("Please top up")),
        ("luxand", "{}"),
    ],
)
def test_an_account_without_credit_stops_the_collection(
    httpserver: HTTPServer, name: str, body: object
) -> None:
    """HTTP 402, whatever its body: the comparison has no result, so that it is asked again later."""
    says(httpserver, body, 402)
    with pytest.raises(ProviderError, match=r"no credit \(http_402\)"):
        session(httpserver, name).compare(HELD, HELD)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("name", "gone", "answer"),
    [
        ("azure", azure("FaceNotFound"), {"isIdentical": False, "confidence": 0.1}),
        ("facepp", facepp("INVALID_FACE_TOKEN:face_token1"), {"request_id": "r", "confidence": 0.1}),
    ],
)
def test_an_ended_handle_is_made_anew(
    httpserver: HTTPServer, name: str, gone: object, answer: object
) -> None:
    """A detection for the picture and the comparison again: nothing is lost, and each attempt is counted."""
    paths = {
        "azure": ("/face/v1.2/verify", "/face/v1.2/detect"),
        "facepp": ("/facepp/v3/compare", "/facepp/v3/detect"),
    }
    compare, detect = paths[name]
    edges = {"left": BOX.x, "top": BOX.y, "width": BOX.width, "height": BOX.height}
    model = "recognition_04"
    faces: dict[str, object] = {
        "azure": [{"faceId": "new", "faceRectangle": edges, "recognitionModel": model}],
        "facepp": {"request_id": "r", "faces": [{"face_token": "new", "face_rectangle": edges}]},
    }
    status = 404 if name == "azure" else 400
    httpserver.expect_ordered_request(compare).respond_with_json(gone, status=status)
    httpserver.expect_ordered_request(detect).respond_with_json(faces[name])
    httpserver.expect_ordered_request(compare).respond_with_json(answer)
    gate = Counting()
    assert session(httpserver, name, gate).compare(HELD, HELD).score == 0.1
    assert dict(gate.passed) == {"compare": 2, "detect": 1}
    assert "new" in httpserver.log[2][0].data.decode()


@pytest.mark.parametrize(
    ("name", "body"), [("tencent", tencent("InvalidParameterValue.NoFaceInPhoto")), ("azure", [])]
)
def test_a_picture_without_a_face_is_an_empty_detection(
    httpserver: HTTPServer, name: str, body: object
) -> None:
    """The same answer from a service that says so by an error."""
    says(httpserver, body)
    assert session(httpserver, name).detect(PICTURE) == Detection(faces=())


@pytest.mark.parametrize("name", FIVE)
def test_without_credentials_nothing_is_called(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One line that names the variables, before any call."""
    for variable in ENVIRONMENT:
        monkeypatch.delenv(variable)
    with pytest.raises(ProviderError, match="no credentials|no region") as caught:
        session(httpserver, name)
    wanted = {"rekognition": "AWS_"}.get(name, name[:5].upper())
    assert wanted in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not httpserver.log


@pytest.mark.parametrize("name", FIVE)
def test_no_credential_in_anything_that_is_shown(httpserver: HTTPServer, name: str) -> None:
    """A service that throws the credentials back at us: they are in no error, no settings, no session, no answer."""
    secrets = [value for variable, value in ENVIRONMENT.items() if variable != "AWS_DEFAULT_REGION"]
    words = " ".join(secrets)
    bodies = {
        "azure": azure(words),
        "facepp": facepp(words),
        "tencent": tencent(words),
        "luxand": luxand(words),
        "rekognition": {"__type": words, "message": words},
    }
    says(httpserver, bodies[name], 400)
    settings: Service = service(name, httpserver.url_for("").rstrip("/"), Limits(attempts=1))
    opened = settings.open(Counting())
    shown = [repr(settings), repr(opened), str(settings.recorded_settings())]
    for call in (lambda: opened.compare(HELD, HELD), lambda: opened.detect(PICTURE)):
        with pytest.raises((CallError, ProviderError)) as caught:
            call()
        error: BaseException | None = caught.value
        while error is not None:
            shown += [repr(error), str(error)]
            error = error.__context__
    assert not [secret for secret in secrets for text in shown if secret in text]


@pytest.mark.parametrize("kind", [Azure, FacePlusPlus, Tencent, Luxand])
def test_settings_are_plain_and_strict(kind: type) -> None:
    """They are built from a spec's plain data; an endpoint over plain HTTP elsewhere is refused."""
    assert (
        construct(kind, {"endpoint": "http://127.0.0.1:1", "limits": {"rate": 5}}, "services.x").limits.rate
        == 5.0
    )
    with pytest.raises(SpecError, match="endpoint"):
        construct(kind, {"endpoint": "http://example.org"}, "services.x")


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [(Azure, {"id_lifetime": 5}), (Azure, {"api_version": "../x"}), (Tencent, {"quality_control": 9})],
)
def test_settings_that_no_service_takes_are_refused(kind: type, wrong: dict[str, object]) -> None:
    """One line."""
    with pytest.raises(SpecError, match=next(iter(wrong))):
        kind(**wrong)


EDGES = {"left": 1, "top": 2, "width": 3, "height": 4}
INFO = {"X": 1, "Y": 2, "Width": 3, "Height": 4, "FaceQualityInfo": {"Score": 5}}
DOCUMENTED: dict[str, list[object]] = {
    "azure": [
        [
            {
                "faceId": "a",
                "recognitionModel": "b",
                "faceRectangle": EDGES,
                "faceAttributes": {"qualityForRecognition": "c"},
            }
        ],
        {"isIdentical": True, "confidence": 0.8},
        azure("InvalidImage"),
    ],
    "facepp": [
        {"request_id": "r", "faces": [{"face_token": "t", "face_rectangle": EDGES}]},
        {"request_id": "r", "confidence": 1.0, "thresholds": {"1e-3": 62.0}},
        facepp("INTERNAL_ERROR"),
    ],
    "tencent": [
        {"Response": {"FaceInfos": [INFO], "FaceModelVersion": "3.0", "RequestId": "r"}},
        {"Response": {"Score": 1.0, "FaceModelVersion": "3.0", "RequestId": "r"}},
        tencent("InternalError"),
    ],
    "luxand": [
        [{"rectangle": {"left": 1, "top": 2, "right": 3, "bottom": 4}, "probability": 0.5}],
        {"score": 0.5, "similar": False},
        luxand("Can't find faces"),
    ],
}
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just([]) | st.just({})
)


def places(content: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Paths to everything in a document."""
    inner = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    return [path, *(found for key, value in inner for found in places(value, (*path, key)))]


def changed(content: object, path: tuple[object, ...], value: object) -> object:
    """The document with another value at a path."""
    if not path:
        return value
    copy: dict[object, object] | list[object]
    copy = dict(content) if isinstance(content, dict) else list(content)  # type: ignore[call-overload]
    copy[path[0]] = changed(copy[path[0]], path[1:], value)  # type: ignore[index,call-overload]
    return copy


@settings(max_examples=60)
@given(data=st.data(), name=st.sampled_from(sorted(DOCUMENTED)), status=st.sampled_from([200, 200, 400, 500]))
def test_whatever_a_service_says_is_an_answer_or_a_refusal(
    data: st.DataObject, name: str, status: int
) -> None:
    """A documented answer with anything in one place of it: an answer, a CallError or a refused account."""
    content = data.draw(st.sampled_from(DOCUMENTED[name]))
    content = changed(content, data.draw(st.sampled_from(places(content))), data.draw(LEAVES))
    with pytest.MonkeyPatch.context() as patch:
        with_credentials(patch)
        patch.setattr(Caller, "_sent", lambda *_: Reply(status=status, content=content))
        opened = service(name, "http://127.0.0.1:9", Limits(attempts=1)).open(Counting())
        for call in (lambda: opened.compare(HELD, HELD), lambda: opened.detect(PICTURE)):
            with contextlib.suppress(CallError, ProviderError):
                assert isinstance(call(), Answer | Detection)
        opened.close()
