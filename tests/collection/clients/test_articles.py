"""Lead images of news articles, on pages as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.collection.clients.articles import lead_of

HERE = "https://news.example/2026/11/ada.html"
NAMED = """<!doctype html><html><head><title>Ada</title>
<meta property="og:title" content="Ada"><meta property="og:image" content="https://img.example/lead.jpg?w=1200&amp;h=630"/>
<meta name="twitter:image" content="/other.jpg">
<meta property="article:published_time" content="2026-11-02T10:00:00+01:00">
</head><body><header><img src="/logo.png"></header><article><img src="first.jpg"></article></body></html>"""
MAIN = """<html><body><img src="/logo.png" width="300"><nav><img src="/menu.jpg"></nav>
<main><h1>Ada</h1><img src="data:image/gif;base64,R0lGOD" ><img src="/icon.png" width="32" height="32px">
<figure><img class="wide" SRC='../photos/ada.jpg' alt="Ada"></figure><img src="later.jpg"></main>
<time datetime="2001-01-01">another article</time>
<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2026-10-02T08:00:00Z"}
</script></body></html>"""


@pytest.mark.parametrize(
    ("page", "image", "date"),
    [
        (NAMED, "https://img.example/lead.jpg?w=1200&h=630", "2026-11-02"),
        (MAIN, "https://news.example/2026/photos/ada.jpg", "2026-10-02"),
        (
            '<base href="https://cdn.example/x/"><article><img src="a.jpg">',
            "https://cdn.example/x/a.jpg",
            "None",
        ),
        ('<meta name="twitter:image" content="//img.example/t.png">', "https://img.example/t.png", "None"),
        (
            '<meta property="og:image" content=""><article><img src="a.jpg">',
            "https://news.example/2026/11/a.jpg",
            "None",
        ),
        ('<img src="/logo.png"><p>no article', None, "None"),
        ("", None, "None"),
        ('<meta property="og:image" content="http://[broken">', None, "None"),
        (
            '<meta name="date" content="2025-01-02"><meta property="article:published_time" content="soon">',
            None,
            "2025-01-02",
        ),
    ],
)
def test_the_lead_image(page: str, image: str | None, date: str) -> None:
    """What the page names, else the first that is not an icon where the main text lies, relative to its base."""
    found = lead_of(page.encode(), HERE)
    assert (found.image, str(found.date)[:10]) == (image, date)


@given(st.text(max_size=300) | st.text(alphabet="<>/\"'= aimgsrcetonp:!-[]", max_size=300))
def test_any_page_has_a_lead_image_or_none(page: str) -> None:
    """Nothing is raised, whatever comes."""
    found = lead_of(page.encode("utf-8", "surrogatepass"), HERE)
    assert found.image is None or isinstance(found.image, str)
