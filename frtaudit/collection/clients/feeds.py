"""Lists of articles as news services give them: RSS, Atom, or JSON as GDELT has it; each with its date."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from xml.parsers import expat

from frtaudit.core.collecting import CallError, Refusal

_DATES = ("pubdate", "published", "date", "updated")  # the first that stands; the last may be of a correction


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """``date``: None where the list does not say it."""

    address: str = field(repr=False)
    date: datetime | None


def articles_of(data: bytes) -> list[Article]:
    """The articles of a feed, in its order. Raises :class:`CallError` for what is none, or declares entities.

    >>> item = b"<link>https://a.example/1</link><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate>"
    >>> [(one.address, str(one.date)) for one in articles_of(b"<rss><item>" + item + b"</item></rss>")]
    [('https://a.example/1', '2026-11-02 10:00:00+00:00')]
    """
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _of_json(data)
    return _of_xml(data)


def date_of(text: str) -> datetime | None:
    """A date as feeds and pages write it, in UTC; None for what is none.

    >>> [str(date_of(text)) for text in ("20260918T031500Z", "2026-09-18T05:15:00+02:00", "soon")]
    ['2026-09-18 03:15:00+00:00', '2026-09-18 03:15:00+00:00', 'None']
    """
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text.strip())
            return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, TypeError, OverflowError, IndexError):
            continue
    return None


def _of_json(data: bytes) -> list[Article]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    listed = content.get("articles", []) if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise CallError(Refusal.TRANSPORT, "broken_answer")
    entries = [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("url"), str)]
    return [Article(address=entry["url"], date=date_of(str(entry.get("seendate", "")))) for entry in entries]


class _Reader:
    """Collects the links and dates of items; names of elements without their prefixes, in lower case."""

    def __init__(self) -> None:
        self.items: list[dict[str, str]] = []
        self._open: dict[str, str] | None = None
        self._text: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._text = []
        if _bare(name) in ("item", "entry"):
            self._open = {}
        elif self._open is not None and _bare(name) == "link":
            leads = attributes.get("rel", "alternate") == "alternate"  # in Atom: to the article itself
            if leads and attributes.get("href"):
                self._open.setdefault("link", attributes["href"])

    def end(self, name: str) -> None:
        text, self._text, bare = "".join(self._text).strip(), [], _bare(name)
        if self._open is None:
            return
        if bare in ("item", "entry"):
            self.items.append(self._open)
            self._open = None
        elif text and bare in ("link", *_DATES):
            self._open.setdefault(bare, text)

    def text(self, text: str) -> None:
        self._text.append(text)


def _bare(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _of_xml(data: bytes) -> list[Article]:
    reader, broken = _Reader(), False
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = reader.text, _refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003  expat takes it by place
    except (expat.ExpatError, ValueError, LookupError):
        broken = True
    if broken:
        raise CallError(Refusal.TRANSPORT, "broken_answer")
    return [
        Article(address=entry["link"], date=date_of(next((entry[key] for key in _DATES if key in entry), "")))
        for entry in reader.items
        if "link" in entry
    ]


def _refuse(*_: object) -> None:
    """Entities that a document declares may unfold without end."""
    raise CallError(Refusal.POLICY, "declares_entities")
