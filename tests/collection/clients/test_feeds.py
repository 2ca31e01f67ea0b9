"""Lists of articles."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.collection.clients.feeds import articles_of
from frtaudit.core.collecting import CallError

RSS = b"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>"Ada" - News</title><link>https://feed.example/</link>
<lastBuildDate>Sun, 22 Nov 2026 00:00:00 GMT</lastBuildDate>
<item><title>One &amp; two</title><link>https://news.example/1?a=1&amp;b=2</link><guid isPermaLink="false">x</guid>
<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><source url="https://news.example">News</source></item>
<item><title>Three</title><link><![CDATA[https://news.example/3]]></link><dc:date>2026-10-02T10:00:00+02:00</dc:date></item>
<item><title>No date</title><link>https://news.example/4</link></item>
<item><title>No link</title><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate></item>
</channel></rss>"""

ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="https://feed.example/"/>
<entry><title>One</title><link rel="enclosure" href="https://news.example/1.mp3"/>
<link rel="alternate" type="text/html" href="https://news.example/1"/><id>urn:1</id>
<published>2026-11-02T10:00:00Z</published><updated>2026-11-20T10:00:00Z</updated></entry>
<entry><title>Two</title><link href="https://news.example/2"/><updated>2026-11-03T10:00:00Z</updated></entry></feed>"""

GDELT = b"""{"articles": [ { "url": "https://news.example/1", "url_mobile": "", "title": "One", "seendate":
"20261102T100000Z", "socialimage": "https://news.example/1.jpg", "domain": "news.example", "language": "English",
"sourcecountry": "Spain" }, {"title": "no url"}] }"""


def told(data: bytes) -> list[tuple[str, str]]:
    return [
        (one.address.removeprefix("https://news.example"), str(one.date)[:10]) for one in articles_of(data)
    ]


def test_rss() -> None:
    """Links of items with their dates; an item without a link is none, one without a date stays undated."""
    assert told(RSS) == [("/1?a=1&b=2", "2026-11-02"), ("/3", "2026-10-02"), ("/4", "None")]


def test_atom() -> None:
    """The link to the article itself; published before updated."""
    assert told(ATOM) == [("/1", "2026-11-02"), ("/2", "2026-11-03")]


def test_json_like_gdelts() -> None:
    """Address and date of each article."""
    assert told(GDELT) == [("/1", "2026-11-02")]
    assert told(b"{}") == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<rss><item>", "broken_answer"),
        (b"", "broken_answer"),
        (b"Please limit requests to one every 5 seconds", "broken_answer"),
        (b"[1, 2]", "broken_answer"),
        (b'{"articles": 3}', "broken_answer"),
        (b"[" * 200_000, "broken_answer"),
        (b'<!DOCTYPE a [<!ENTITY b "x">]><rss>&b;</rss>', "declares_entities"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><rss>&b;</rss>', "declares_entities"),
    ],
)
def test_what_is_no_feed(data: bytes, code: str) -> None:
    """Torn, empty, plain text, of another shape, with entities of its own."""
    with pytest.raises(CallError) as caught:
        articles_of(data)
    assert caught.value.code == code


@given(
    st.binary(max_size=200)
    | st.sampled_from([RSS, ATOM, GDELT]).flatmap(lambda one: st.integers(0, 900).map(lambda n: one[:n]))
)
def test_any_bytes_are_articles_or_a_call_error(data: bytes) -> None:
    """Nothing else is raised, whatever comes."""
    with suppress(CallError):
        assert isinstance(articles_of(data), list)
