"""AWS Rekognition through botocore, with its own retries, against a server of this machine."""

import json

import pytest
from made_up_services import CLEAN, Counting, with_credentials
from pytest_httpserver import HTTPServer

from frtaudit.collection.clients.gate import Budget, BudgetError, RateLimiter
from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.services.rekognition import QualityFilter, Rekognition, RekognitionSession, Retries
from frtaudit.core.collecting import Box, CallError, Crop, DetectedFace
from frtaudit.errors import ProviderError

PICTURE = CLEAN.picture(0, 0)
CROP = Crop(picture=PICTURE, face=DetectedFace(box=Box(x=40.0, y=30.0, width=96.0, height=96.0)))


def face(width: float) -> dict[str, object]:
    """As the service describes one."""
    return {"BoundingBox": {"Width": width, "Height": width, "Left": 0.1, "Top": 0.1}, "Confidence": 99.9}


def answer(*matches: tuple[float, float], unmatched: tuple[float, ...] = ()) -> dict[str, object]:
    """Similarities and widths."""
    return {
        "SourceImageFace": face(0.5) | {"Confidence": 99.5},
        "FaceMatches": [{"Similarity": score, "Face": face(width)} for score, width in matches],
        "UnmatchedFaces": [face(width) for width in unmatched],
    }


GOOD = answer((87.5, 0.5))


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthetic ones; no wait before a second attempt."""
    with_credentials(monkeypatch)


def session(server: HTTPServer, gate: object = None, **settings: object) -> RekognitionSession:
    """Open on a server of this machine."""
    endpoint = server.url_for("").rstrip("/")
    return Rekognition(endpoint=endpoint, **settings).open(gate or Counting())  # type: ignore[arg-type]


def says(server: HTTPServer, *answers: tuple[object, int]) -> None:
    """One after the other, and the last one from then on."""
    for body, status in answers[:-1]:
        text = body if isinstance(body, str) else json.dumps(body)
        server.expect_ordered_request("/").respond_with_data(text, status=status)
    body, status = answers[-1]
    text = body if isinstance(body, str) else json.dumps(body)
    server.expect_request("/").respond_with_data(text, status=status, headers={"x-amzn-RequestId": "ab12"})


def test_the_request_hides_no_score(httpserver: HTTPServer) -> None:
    """Threshold 0, no filter, the crops as bytes, a signature; the answer keeps its request id."""
    says(httpserver, (GOOD, 200))
    found = session(httpserver).compare(CROP, CROP)
    assert (found.score, found.version, found.request) == (87.5, "", "ab12")
    assert found.facts == {"faces": 1.0, "area": 0.25, "source_confidence": 99.5}
    asked = httpserver.log[0][0]
    sent = json.loads(asked.data)
    assert (sent["SimilarityThreshold"], sent["QualityFilter"]) == (0.0, "NONE")
    assert asked.headers["X-Amz-Target"] == "RekognitionService.CompareFaces"
    assert asked.headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAMADEUP")


def test_detection_gives_boxes_in_pixels_and_quality(httpserver: HTTPServer) -> None:
    """Shares of the sides become pixels; from left to right."""
    quality = {"Quality": {"Brightness": 73.1, "Sharpness": 92.2}}
    other = {"BoundingBox": {"Width": 0.2, "Height": 0.4, "Left": 0.0, "Top": 0.0}, "Confidence": 98.0}
    says(httpserver, ({"FaceDetails": [face(0.5) | quality, other]}, 200))
    found = session(httpserver).detect(PICTURE)
    assert [seen.box for seen in found.faces] == [
        Box(x=0.0, y=0.0, width=48.0, height=80.0),
        Box(x=24.0, y=20.0, width=120.0, height=100.0),
    ]
    assert found.faces[1].facts == {"confidence": 99.9, "brightness": 73.1, "sharpness": 92.2}


def test_of_several_faces_the_largest_is_compared(httpserver: HTTPServer) -> None:
    """Not the one with the highest similarity: the crop was made around the largest."""
    says(httpserver, (answer((99.0, 0.1), (12.0, 0.6)), 200))
    assert session(httpserver).compare(CROP, CROP).score == 12.0


@pytest.mark.parametrize(
    "nothing", [answer(), answer(unmatched=(0.5,)), answer((50.0, 0.1), unmatched=(0.5,))]
)
def test_no_comparison_is_no_score_of_zero(httpserver: HTTPServer, nothing: dict[str, object]) -> None:
    """An empty match, or one of a smaller face than the one that was not matched, is a failure to acquire."""
    says(httpserver, (nothing, 200))
    with pytest.raises(CallError, match="failure_to_acquire: no_comparison"):
        session(httpserver).compare(CROP, CROP)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("mode", Retries)
def test_botocore_alone_makes_calls_again_and_each_attempt_passes_the_gate(
    httpserver: HTTPServer, mode: Retries
) -> None:
    """Throttled, failed, torn, then answered: four requests, four counts, one score."""
    throttled = {"__type": "ThrottlingException", "message": "slow down"}
    says(httpserver, (throttled, 400), ({}, 500), ('{"FaceMatc', 200), (GOOD, 200))
    gate = Counting()
    assert session(httpserver, gate, retries=mode).compare(CROP, CROP).score == 87.5
    assert dict(gate.passed) == {"compare": 4}
    assert len(httpserver.log) == 4


@pytest.mark.parametrize(
    ("code", "status", "refusal", "attempts"),
    [
        ("ThrottlingException", 400, "transport: throttled", 3),
        ("ProvisionedThroughputExceededException", 400, "transport: throttled", 3),
        ("InternalServerError", 500, "transport: internal_error", 3),
        ("InvalidParameterException", 400, "failure_to_acquire: no_face", 1),
        ("ImageTooLargeException", 400, "failure_to_acquire: too_large", 1),
        ("InvalidImageFormatException", 400, "failure_to_acquire: unreadable_image", 1),
        ("SomethingNewException", 400, "policy: refused", 1),
    ],
)
def test_errors_are_sorted(
    httpserver: HTTPServer, code: str, status: int, refusal: str, attempts: int
) -> None:
    """By the service's exceptions; as many attempts as the limits say, in one layer."""
    says(httpserver, ({"__type": code, "message": "some words"}, status))
    gate = Counting()
    with pytest.raises(CallError) as caught:
        session(httpserver, gate, limits=Limits(attempts=3)).compare(CROP, CROP)
    assert str(caught.value) == refusal
    assert gate.passed["compare"] == len(httpserver.log) == attempts


@pytest.mark.parametrize(
    "body", ['{"FaceMatches": [', "<html>", "[]", '{"__type": "InternalServerError"}', '{"FaceMatches": 5}']
)
def test_an_answer_of_200_without_an_answer_is_transport(httpserver: HTTPServer, body: str) -> None:
    """Torn, no JSON, another shape, or an error that says it is none: transport, in two attempts at most."""
    says(httpserver, (body, 200))
    with pytest.raises(CallError, match="transport: unreadable_response"):
        session(httpserver, limits=Limits(attempts=2)).compare(CROP, CROP)
    assert 1 <= len(httpserver.log) <= 2


def test_the_budget_stops_attempts_of_botocore(httpserver: HTTPServer) -> None:
    """With money for two attempts the third is not made."""
    says(httpserver, ({}, 500))
    limits = Limits(compare=1.0)
    gate = RateLimiter(limits=limits, budget=Budget(limit=2))  # type: ignore[arg-type]  # a whole number is a Fraction here
    with pytest.raises(BudgetError):
        session(httpserver, gate, limits=limits).compare(CROP, CROP)
    assert len(httpserver.log) == 2


@pytest.mark.parametrize(
    "code", ["AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException"]
)
def test_a_refused_account_stops_the_collection(httpserver: HTTPServer, code: str) -> None:
    """One attempt, one line."""
    says(httpserver, ({"__type": code, "message": "some words"}, 400))
    with pytest.raises(ProviderError, match="rekognition: credentials refused"):
        session(httpserver).compare(CROP, CROP)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("status", "problem"),
    [(404, r"no such call at the endpoint \(http_404\)"), (402, r"no credit \(http_402\)")],
)
def test_a_status_that_stays_stops_the_collection(httpserver: HTTPServer, status: int, problem: str) -> None:
    """Something else answers there, or no credit is left: one attempt, one line, no result."""
    httpserver.expect_request("/").respond_with_data("<html>", status=status)
    with pytest.raises(ProviderError, match=problem):
        session(httpserver).compare(CROP, CROP)
    assert len(httpserver.log) == 1


def test_time_and_nobody_there_are_transport(httpserver: HTTPServer) -> None:
    """A closed port."""
    made = Rekognition(endpoint="http://127.0.0.1:9", limits=Limits(attempts=1)).open(Counting())
    with pytest.raises(CallError, match="transport: no_connection"):
        made.compare(CROP, CROP)


def test_no_proxy_of_the_environment_is_asked(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY is not looked at."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    says(httpserver, (GOOD, 200))
    assert session(httpserver).compare(CROP, CROP).score == 87.5


def test_what_is_asked_is_known_beforehand() -> None:
    """Threshold, filter, region: the settings' own, or what boto3 finds."""
    asked = Rekognition(quality_filter=QualityFilter.HIGH).recorded_settings()
    assert asked == {
        "api_version": "2016-06-27",
        "similarity_threshold": "0",
        "quality_filter": "HIGH",
        "margin": "0.25",
        "region": "us-east-1",
        "place": "aws",
    }
    assert Rekognition(region="eu-west-1").recorded_settings()["region"] == "eu-west-1"


def test_without_a_region_nothing_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that says where one comes from."""
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(ProviderError, match="AWS_DEFAULT_REGION, or region"):
        Rekognition().open(Counting())
