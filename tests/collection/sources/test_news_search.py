"""Lead images of news articles that a feed finds."""

from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

import pytest
from kept_notes import Kept
from pytest_httpserver import HTTPServer
from web_pages import local, photo

from frtaudit.collection.sources.news_search import NewsSearch
from frtaudit.config.plugins import load_plugins
from frtaudit.core.collecting import CallError
from frtaudit.core.identity import plugin
from frtaudit.errors import ProviderError, SpecError

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def source_of(
    folder: Path, server: HTTPServer, query: str = "/feed?q={query}", **settings: object
) -> NewsSearch:
    """With a feed on this machine, at a fixed time."""
    load_plugins()
    path = folder / "names.csv"
    path.write_text("name,group\nAda Lovelace,f\nAlan Turing,m\n")
    fields = {
        "type": "news_search",
        "names": str(path),
        "feed": f"http://{server.host}:{server.port}{query}",
        "rate": 1000.0,
    }
    made = plugin("source", {**fields, **settings}, "source")
    assert isinstance(made, NewsSearch)
    object.__setattr__(made, "clock", NOW.timestamp)
    object.__setattr__(made.searcher, "sleep", lambda _: None)
    return made


def rss(*articles: tuple[str, datetime | None]) -> str:
    """A feed of articles by address and date."""
    items = [
        f"<item><link>{address}</link>{'' if date is None else f'<pubDate>{format_datetime(date)}</pubDate>'}</item>"
        for address, date in articles
    ]
    return f"<rss><channel>{''.join(items)}</channel></rss>"


def test_articles_of_the_last_twelve_months(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Older ones, undated ones and repeats are left out; the words of the search are encoded; the rest is kept."""
    young, old = NOW.replace(month=1), NOW.replace(year=2025, month=10)
    text = rss(
        ("https://a.example/1", young),
        ("https://a.example/2", old),
        ("https://a.example/1", young),
        ("https://a.example/3", None),
    )
    httpserver.expect_request("/feed", query_string="q=Ada%20Lovelace").respond_with_data(text)
    httpserver.expect_request("/feed", query_string="q=Alan%20Turing").respond_with_data(
        rss(("https://a.example/9", NOW))
    )
    source, notes = source_of(tmp_path, httpserver, price=0.01), Kept()
    found = list(source.finds(notes))
    assert [(one.query, one.place, one.address, one.columns["group"]) for one in found] == [
        (0, "names.csv line 2 article 1", "https://a.example/1", "f"),
        (1, "names.csv line 3 article 1", "https://a.example/9", "m"),
    ]
    object.__setattr__(source, "clock", lambda: NOW.timestamp() + 1e9)
    assert list(source.finds(notes)) == found
    assert notes.paid["feed"] == len(httpserver.log) == source.calls()["feed"] == 2
    assert (source.paid, source.at_most(), source.cautions()) == ({"feed": 0.01}, [100, 100], ())
    assert "Ada" not in "".join([*notes.answers, *notes.answers.values()])


def test_the_lead_image_is_read(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Of the page that a redirect leads to; robots.txt is asked for once."""
    page = '<meta property="og:image" content="../lead.jpg">'
    httpserver.expect_request("/a").respond_with_data("", 302, {"Location": "/deep/a.html"})
    httpserver.expect_request("/deep/a.html").respond_with_data(page, content_type="text/html")
    httpserver.expect_request("/robots.txt").respond_with_data("", 404)
    httpserver.expect_request("/lead.jpg").respond_with_data(photo())
    httpserver.expect_request("/feed").respond_with_data(rss((httpserver.url_for("/a"), NOW)))
    source = source_of(tmp_path, httpserver, limit=1)
    found = next(source.finds())
    with pytest.raises(CallError, match="address_not_allowed"):
        source.read(found)
    object.__setattr__(source, "fetch", local())
    assert source.read(found).data == source.read(found).data == photo()
    assert [request.path for request, _ in httpserver.log].count("/robots.txt") == 1


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ("<p>no image", "no_lead_image"),
        (
            '<meta property="article:published_time" content="2020-01-01"><article><img src="/a.jpg">',
            "too_old",
        ),
        ('<meta property="og:image" content="file:///etc/passwd">', "scheme_not_allowed"),
        ('<meta property="og:image" content="/gone.jpg">', "http_404"),
    ],
)
def test_articles_without_an_image_to_use(
    tmp_path: Path, httpserver: HTTPServer, page: str, code: str
) -> None:
    """No image, older than the feed said, an image that may not be fetched or is gone: a code each."""
    httpserver.expect_request("/a").respond_with_data(page)
    httpserver.expect_request("/gone.jpg").respond_with_data("", 404)
    httpserver.expect_request("/robots.txt").respond_with_data("", 404)
    httpserver.expect_request("/feed").respond_with_data(rss((httpserver.url_for("/a"), NOW)))
    source = source_of(tmp_path, httpserver)
    object.__setattr__(source, "fetch", local())
    with pytest.raises(CallError) as caught:
        source.read(next(source.finds()))
    assert caught.value.code == code


def test_robots_txt_is_kept_to(tmp_path: Path, httpserver: HTTPServer) -> None:
    """A page that the host lets no program read is not asked for."""
    rules = "User-agent: *\nDisallow: /private/\n"
    httpserver.expect_request("/robots.txt").respond_with_data(rules, content_type="text/plain")
    httpserver.expect_request("/feed").respond_with_data(rss((httpserver.url_for("/private/a"), NOW)))
    source = source_of(tmp_path, httpserver)
    object.__setattr__(source, "fetch", local())
    with pytest.raises(CallError, match="policy: robots"):
        source.read(next(source.finds()))
    assert "/private/a" not in [request.path for request, _ in httpserver.log]


def test_a_feed_that_does_not_answer(tmp_path: Path, httpserver: HTTPServer) -> None:
    """Three attempts, then one line; a key that is asked for must be there."""
    httpserver.expect_request("/feed").respond_with_data("Please limit requests", 429)
    with pytest.raises(ProviderError, match=r"^names.csv line 2: the search service asks for fewer calls"):
        list(source_of(tmp_path, httpserver).finds())
    assert len(httpserver.log) == 3
    with pytest.raises(ProviderError, match="NEWS_API_KEY is not set"):
        list(source_of(tmp_path, httpserver, "/feed?q={query}&key={key}").finds())


def test_a_key_goes_along(tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the environment to the feed, and nowhere else."""
    monkeypatch.setenv("NEWS_API_KEY", "s&cret")
    httpserver.expect_request("/feed").respond_with_data(rss(("https://a.example/1", NOW)))
    source, notes = source_of(tmp_path, httpserver, "/feed?q={query}&key={key}"), Kept()
    list(source.finds(notes))
    assert httpserver.log[0][0].args["key"] == "s&cret"
    assert "cret" not in "".join([*notes.answers, *notes.answers.values(), repr(source)])


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"feed": "https://feed.example/"}, "source.feed"),
        ({"feed": "http://feed.example/{query}"}, "source.feed"),
        ({"feed": "https://[feed.example/{query}"}, "source.feed"),
        ({"limit": 0}, "source:"),
        ({"months": 13}, "source:"),
        ({"rate": 0.0}, "source:"),
        ({"price": -1.0}, "source:"),
    ],
)
def test_settings_that_cannot_be_kept(settings: dict[str, object], where: str) -> None:
    """A feed without a place for the query or over an open line, numbers out of range."""
    with pytest.raises(SpecError) as caught:
        NewsSearch(**{"names": "names.csv", "feed": "https://feed.example/{query}", **settings})  # type: ignore[arg-type]  # whatever a test sets
    assert str(caught.value).startswith(where)
