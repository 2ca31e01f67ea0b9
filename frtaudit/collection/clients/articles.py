"""The lead image of a news article: what it names itself, else the first one where the main text lies; its date."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from html.parser import HTMLParser
from urllib.parse import urljoin

from frtaudit.collection.clients.feeds import date_of

NAMED = ("og:image:secure_url", "og:image:url", "og:image", "twitter:image", "twitter:image:src")
DATED = ("article:published_time", "og:published_time", "date", "datepublished", "dc.date", "pubdate")
SMALL = 100  # pixels: an icon beside the text
_PUBLISHED = re.compile(r'"datePublished"\s*:\s*"([^"]{4,40})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """``image``: its address, None where there is none; ``date``: of publication, None where it is not said.

    The date is what the page says of itself; a time beside the text may be of another article.
    """

    image: str | None = field(repr=False)
    date: datetime | None


class _Page(HTMLParser):
    """Collects what a page says of itself, and its images with how much they are the article's."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.meta: dict[str, str] = {}
        self.base = ""
        self.inside: list[str] = []
        self.times: list[str] = []
        self._main = 0
        self._script = False

    def handle_starttag(self, element: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if element == "meta":
            named = (attributes.get(key) for key in ("property", "name", "itemprop"))
            name = next(filter(None, named), "").lower()
            self.meta.setdefault(name, attributes.get("content", "").strip())
        elif element == "base":
            self.base = self.base or attributes.get("href", "")
        elif element in ("article", "main"):
            self._main += 1
        elif element == "img" and self._main:
            sizes = [attributes.get(side, "").removesuffix("px") for side in ("width", "height")]
            small = any(size.isascii() and size.isdigit() and int(size) < SMALL for size in sizes)
            source = attributes.get("src", "")
            if source.strip() and not source.startswith("data:") and not small:
                self.inside.append(source.strip())
        self._script = element == "script" and attributes.get("type", "").lower() == "application/ld+json"

    def handle_endtag(self, element: str) -> None:
        self._main -= element in ("article", "main") and self._main > 0
        self._script = False

    def handle_data(self, data: str) -> None:
        match = _PUBLISHED.search(data) if self._script else None
        if match:
            with suppress(ValueError):
                self.times.append(str(json.loads(f'"{match[1]}"')))


def lead_of(data: bytes, address: str) -> Lead:
    """The lead image of a page that came from ``address``.

    >>> page = b'<head><meta property="og:image" content="/lead.jpg"></head>'
    >>> lead_of(page, "https://news.example/a/b.html").image
    'https://news.example/lead.jpg'
    """
    page = _Page()
    page.feed(data.decode("utf-8", errors="replace"))
    base = _joined(address, page.base) or address
    named = [page.meta[name] for name in NAMED if page.meta.get(name)]
    images = [_joined(base, link) for link in (*named[:1], *page.inside[: not named])]
    dates = [date_of(text) for text in (*(page.meta.get(name, "") for name in DATED), *page.times)]
    return Lead(image=next(iter(images), None), date=next((date for date in dates if date is not None), None))


def _joined(base: str, address: str) -> str | None:
    try:
        return urljoin(base, address)
    except ValueError:
        return None
