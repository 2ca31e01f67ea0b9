"""Images that a web search finds, against the shapes that Google documents for its Custom Search JSON API."""

import json
import logging
from pathlib import Path

import pytest
from kept_notes import Kept
from pytest_httpserver import HTTPServer
from web_pages import local, photo
from werkzeug import Request, Response

from frtaudit.collection.sources.image_search import ImageSearch
from frtaudit.config.plugins import load_plugins
from frtaudit.core.collecting import CallError
from frtaudit.core.identity import plugin
from frtaudit.errors import ProviderError, SpecError

SECRET, ENGINE = "AIza-secret", "0123:engine"
NAMES = "name,country,group\nAda Lovelace,England,f\nAlan Turing,England,m\n"


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the environment, as the service's other programs have them."""
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.setenv("GOOGLE_CSE_ID", ENGINE)


def source_of(folder: Path, server: HTTPServer, **settings: object) -> ImageSearch:
    """With a synthetic service on this machine that never waits."""
    load_plugins()
    path = folder / "names.csv"
    path.write_text(NAMES)
    fields = {"type": "image_search", "names": str(path), "search_rate": 1000.0, "price": 0.005, **settings}
    made = plugin("source", {**fields, "endpoint": server.url_for("/customsearch/v1")}, "source")
    assert isinstance(made, ImageSearch)
    object.__setattr__(made.searcher, "sleep", lambda _: None)
    return made


def result(link: str) -> dict[str, object]:
    """One image of an answer, as documented."""
    return {
        "kind": "customsearch#result",
        "title": "Ada Lovelace - portrait",
        "htmlTitle": "<b>Ada Lovelace</b> - portrait",
        "link": link,
        "displayLink": "photos.example",
        "snippet": "Ada Lovelace - portrait",
        "htmlSnippet": "<b>Ada Lovelace</b> - portrait",
        "mime": "image/jpeg",
        "fileFormat": "image/jpeg",
        "image": {
            "contextLink": "https://photos.example/ada",
            "height": 640,
            "width": 514,
            "byteSize": 86844,
            "thumbnailLink": "https://thumbnails.example/1",
            "thumbnailHeight": 137,
            "thumbnailWidth": 110,
        },
    }


def page_of(request: Request, total: int) -> dict[str, object]:
    """The answer of a service that has ``total`` images of everybody, all of them at start 1 to 91."""
    start = int(request.args["start"])
    asked = {"title": "Google Custom Search", "totalResults": str(total), "searchTerms": request.args["q"]}
    asked |= {"count": 10, "startIndex": start, "cx": request.args["cx"], "searchType": "image"}  # type: ignore[dict-item]  # numbers too
    answer: dict[str, object] = {
        "kind": "customsearch#search",
        "url": {
            "type": "application/json",
            "template": "https://www.googleapis.com/customsearch/v1?q={searchTerms}",
        },
        "queries": {"request": [asked]},
        "context": {"title": "faces"},
        "searchInformation": {"searchTime": 0.25, "totalResults": str(total)},
    }
    if start + 10 <= total:
        answer["queries"] = {"request": [asked], "nextPage": [{**asked, "startIndex": start + 10}]}
    ends = range(start, min(start + 10, total + 1))
    if ends:
        who = request.args["q"].split()[0]
        answer["items"] = [result(f"https://photos.example/{who}/{n}.jpg") for n in ends]
    return answer


def serve(server: HTTPServer, total: int) -> list[Request]:
    seen: list[Request] = []

    def handler(request: Request) -> Response:
        seen.append(request)
        return Response(json.dumps(page_of(request, total)), content_type="application/json")

    server.expect_request("/customsearch/v1").respond_with_handler(handler)
    return seen


def test_pages_of_ten_up_to_a_hundred(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Ten calls a name, images of the last 12 months; the order is the service's; the plan said so."""
    seen = serve(httpserver, 4000)
    source, notes = source_of(tmp_path, httpserver), Kept()
    found = list(source.finds(notes))
    assert len(found) == 200
    assert [found[n].place for n in (0, 99, 100)] == [
        "names.csv line 2 image 1",
        "names.csv line 2 image 100",
        "names.csv line 3 image 1",
    ]
    assert found[11].address == "https://photos.example/Ada/12.jpg"
    assert found[100].columns == {"country": "England", "group": "m"}
    assert [request.args["start"] for request in seen[:10]] == [str(n) for n in range(1, 101, 10)]
    assert dict(seen[0].args) == {
        "q": "Ada Lovelace England",
        "searchType": "image",
        "dateRestrict": "m12",
        "num": "10",
        "start": "1",
        "key": SECRET,
        "cx": ENGINE,
    }
    assert notes.paid["search"] == source.calls()["search"] == 20
    assert source.at_most() == [100, 100]
    assert source.paid == {"search": 0.005}


def test_a_search_ends_where_there_is_no_next_page(tmp_path: Path, httpserver: HTTPServer) -> None:
    """23 images are three calls, none are one; the limit cuts; months can be fewer."""
    seen = serve(httpserver, 23)
    found = list(source_of(tmp_path, httpserver, limit=15, months=3, template="{name}").finds())
    assert [one.query for one in found] == [0] * 15 + [1] * 15
    assert seen[0].args["dateRestrict"] == "m3"
    assert seen[0].args["q"] == "Ada Lovelace"
    seen.clear()
    assert len(list(source_of(tmp_path, httpserver).finds())) == 46
    assert len(seen) == 6
    httpserver.clear()
    seen = serve(httpserver, 0)
    assert (list(source_of(tmp_path, httpserver).finds()), len(seen)) == ([], 2)


def test_going_on_asks_nothing_twice(tmp_path: Path, httpserver: HTTPServer) -> None:
    """A search that broke off at the fourth page goes on there; kept are addresses, not names, titles or the key."""
    seen = serve(httpserver, 1000)
    source, notes = source_of(tmp_path, httpserver), Kept()
    lazily = source.finds(notes)
    first = next(lazily)
    assert len(seen) == 10
    del notes.answers[list(notes.answers)[3]]
    again = list(source.finds(notes))
    assert again[0] == first
    assert len(seen) == 10 + 1 + 10
    kept = "".join([*notes.answers, *notes.answers.values()])
    assert not [word for word in ("Lovelace", "portrait", SECRET, ENGINE, "thumbnails") if word in kept]


def error(code: int, message: str, reason: str = "", status: str = "") -> dict[str, object]:
    """As the service sends errors."""
    listed = [{"message": message, "domain": "global", "reason": reason}]
    return {"error": {"code": code, "message": message, "errors": listed, "status": status}}


PER = "Quota exceeded for quota metric 'Queries' and limit 'Queries per {}' of service 'customsearch.googleapis.com'"
INVALID = "API key not valid. Please pass a valid API key."


@pytest.mark.parametrize(
    ("status", "answer", "said", "asked"),
    [
        (
            429,
            error(429, PER.format("day"), "rateLimitExceeded", "RESOURCE_EXHAUSTED"),
            "quota of the day",
            1,
        ),
        (403, error(403, "Daily Limit Exceeded", "dailyLimitExceeded"), "quota of the day", 1),
        (429, error(429, PER.format("minute per user"), "rateLimitExceeded"), "asks for fewer calls", 3),
        (403, error(403, "User Rate Limit Exceeded", "userRateLimitExceeded"), "asks for fewer calls", 3),
        (400, error(400, INVALID, "badRequest", "INVALID_ARGUMENT"), "refuses the key", 1),
        (403, error(403, "This project does not have the access.", "forbidden"), "refuses the key", 1),
        (400, error(400, "Request contains an invalid argument.", "badRequest"), "refuses the request", 1),
        (200, error(403, "Daily Limit Exceeded", "dailyLimitExceeded"), "quota of the day", 1),
        (500, error(500, "Internal error", "backendError"), "gives no answer (http_500)", 3),
        (200, ["no object"], "cannot be read", 3),
        (200, {"items": [{"title": "no link"}]}, "cannot be read", 3),
        (200, {"items": "none"}, "cannot be read", 3),
    ],
)
def test_errors_of_the_service_are_sorted(
    tmp_path: Path, httpserver: HTTPServer, status: int, answer: object, said: str, asked: int
) -> None:
    """Not today, not so fast, not with this key: one line with the place and none of the service's words."""
    httpserver.expect_request("/customsearch/v1").respond_with_json(answer, status=status)
    with pytest.raises(ProviderError) as caught:
        list(source_of(tmp_path, httpserver).finds())
    assert str(caught.value).startswith("names.csv line 2: the search service")
    assert said in str(caught.value)
    assert len(httpserver.log) == asked
    assert not [word for word in ("Quota exceeded", "Lovelace", SECRET) if word in str(caught.value)]


@pytest.mark.parametrize("text", ['{"items": [', "[" * 100_000, ""])
def test_a_torn_answer_is_asked_again(tmp_path: Path, httpserver: HTTPServer, text: str) -> None:
    """Then the search goes on; a redirect of the endpoint is not followed, for the key would go along."""
    httpserver.expect_ordered_request("/customsearch/v1").respond_with_data(text)
    whole = {"items": [result("https://photos.example/1.jpg")]}
    for _ in range(2):
        httpserver.expect_ordered_request("/customsearch/v1").respond_with_json(whole)
    assert len(list(source_of(tmp_path, httpserver).finds())) == 2
    httpserver.clear()
    httpserver.expect_request("/customsearch/v1").respond_with_data("", 302, {"Location": "/other"})
    with pytest.raises(ProviderError, match="too_many_redirects"):
        list(source_of(tmp_path, httpserver).finds())


def test_no_key_no_name_and_no_address_in_a_log(
    tmp_path: Path, httpserver: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    """At the finest level of logging, but for the synthetic server's own."""
    caplog.set_level(logging.DEBUG)
    serve(httpserver, 5)
    list(source_of(tmp_path, httpserver).finds())
    logged = " ".join(line.getMessage() for line in caplog.records if not line.name.startswith("werkzeug"))
    assert not [word for word in (SECRET, "Ada", "photos.example", "127.0.0.1") if word in logged]


def test_images_are_fetched_as_all_addresses_are(tmp_path: Path, httpserver: HTTPServer) -> None:
    """What a search service names may not be of this machine either."""
    httpserver.expect_request("/a.jpg").respond_with_data(photo())
    inside = {"items": [result(httpserver.url_for("/a.jpg"))]}
    httpserver.expect_request("/customsearch/v1").respond_with_json(inside)
    source = source_of(tmp_path, httpserver)
    found = next(source.finds())
    with pytest.raises(CallError, match="address_not_allowed"):
        source.read(found)
    object.__setattr__(source, "fetch", local())
    assert source.read(found).data == photo()


def test_without_credentials_nothing_is_asked(
    tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line that names the variable; a plan needs none."""
    monkeypatch.delenv("GOOGLE_CSE_ID")
    source = source_of(tmp_path, httpserver)
    assert source.calls() == {"search": 20}
    with pytest.raises(ProviderError, match="GOOGLE_CSE_ID is not set"):
        list(source.finds())
    assert not httpserver.log


def test_near_names_are_told(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Before anything is asked."""
    source = source_of(tmp_path, httpserver)
    Path(source.names).write_text("name,country\nJon Smith,UK\nJohn Smith,UK\n")
    assert [line[:42] for line in source.cautions()] == ["names.csv line 3 is near names.csv line 2:"]


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"limit": 101}, "source.limit"),
        ({"limit": 0}, "source.limit"),
        ({"months": 13}, "source.months"),
        ({"price": -1.0}, "source"),
        ({"rate": 0.0}, "source"),
        ({"endpoint": "http://search.example/"}, "source.endpoint"),
        ({"endpoint": "https://search.example/?key=1"}, "source.endpoint"),
    ],
)
def test_settings_that_the_service_cannot_keep(settings: dict[str, object], where: str) -> None:
    """More than 100 images, older than 12 months, a key over an open line."""
    with pytest.raises(SpecError) as caught:
        ImageSearch(**{"names": "names.csv", "price": 0.0, **settings})  # type: ignore[arg-type]  # whatever a test sets
    assert str(caught.value).startswith(f"{where}:")
