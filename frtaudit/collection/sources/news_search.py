"""Lead images of the news articles that a feed finds for each name (Knott et al., supplement A)."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from urllib.robotparser import RobotFileParser

from frtaudit.collection.clients.articles import lead_of
from frtaudit.collection.clients.feeds import articles_of
from frtaudit.collection.clients.fetch import AGENT, Fetch, Wanted, joined
from frtaudit.collection.clients.gate import Pace
from frtaudit.collection.clients.http import checked_endpoint
from frtaudit.collection.clients.people import Person, near_people, people_of
from frtaudit.collection.clients.protocol import UNKEPT, Notes, SourceImage
from frtaudit.collection.clients.searching import Searcher, credential
from frtaudit.core.canonical import digest, dumps
from frtaudit.core.collecting import CallError, Picture, Refusal
from frtaudit.core.machine.extras import need
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.errors import SpecError
from frtaudit.inputs.tables import need_table

KEY = "NEWS_API_KEY"
FEED = "feed"
MONTH = timedelta(days=365.25 / 12)
_FEEDS = "application/rss+xml, application/atom+xml, application/json, text/xml"
_FEED = Wanted(most_bytes=5_000_000, accept=_FEEDS)
_PAGE = Wanted(most_bytes=5_000_000, accept="text/html")
_ROBOTS = Wanted(most_bytes=500_000, accept="text/plain")  # RFC 9309, 2.5: at least 500 kibibytes are read


@register("source", "news_search")
@dataclass(frozen=True, slots=True, kw_only=True)
class NewsSearch:
    """``names``: a CSV of name and other columns; ``template``: the search text; ``limit``: articles of a name.

    ``feed``: an address with {query} in it, and {key} where it needs the key of NEWS_API_KEY, that answers with RSS,
    Atom or JSON like GDELT's. Articles that it dates before the last ``months``, or not at all, are left out.
    ``price``: of a call of the feed; ``rate``: calls a second to one host; robots.txt of an article's host is kept to.
    """

    names: str = field(metadata=PATH)
    feed: str
    template: str = "{name}"
    limit: int = 100
    months: int = 12
    price: float = field(default=0.0, metadata=MACHINE)
    rate: float = field(default=1.0, metadata=MACHINE)
    most_bytes: int = field(default=20_000_000, metadata=MACHINE)
    fetch: Fetch = field(init=False, repr=False, compare=False)
    searcher: Searcher = field(init=False, repr=False, compare=False)
    clock: Callable[[], float] = field(init=False, repr=False, compare=False)
    robots: "Robots" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a feed without a place for the query, or numbers that cannot be kept."""
        if "{query}" not in self.feed:
            raise SpecError("source.feed", "no place for the search text", "an address with {query} in it")
        checked_endpoint("source.feed", self.feed, query=True)
        if self.limit < 1 or not 1 <= self.months <= 12:
            problem = "a limit below 1, or months that are not 1 to 12"
            raise SpecError("source", problem, "limit=100 months=12")
        if self.price < 0 or not self.rate > 0:
            raise SpecError("source", "a price below 0, or a rate of 0 or less", "numbers above 0")
        object.__setattr__(self, "fetch", Fetch(pace=Pace(rate=self.rate)))
        object.__setattr__(self, "searcher", Searcher(rate=self.rate))
        object.__setattr__(self, "clock", time.time)
        object.__setattr__(self, "robots", Robots())

    def check_files(self) -> None:
        """Raise :class:`~frtaudit.errors.DataError` for a table that is not there, before anything is read."""
        need_table(Path(self.names), Path(self.names).name)

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:
        """Articles name by name, in the order of the feed, each once for a name."""
        need("collect", "PIL", "httpcore")
        people = people_of(self.names, self.template)
        key = credential(KEY) if "{key}" in self.feed else ""
        for number, person in enumerate(people):
            for place, address in enumerate(self._articles(person, key, notes), 1):
                where = f"{person.place} article {place}"
                yield SourceImage(query=number, place=where, columns=person.columns, address=address)

    def read(self, source_image: SourceImage) -> Picture:
        """The page, then its lead image, into memory; the page is not kept."""
        from frtaudit.collection.clients.pictures import picture_of

        if not self.robots.allow(self.fetch, source_image.address):
            raise CallError(Refusal.POLICY, "robots")
        body = self.fetch.get(source_image.address, _PAGE)
        lead = lead_of(body.data, body.address)
        if lead.date is not None and lead.date < self._oldest():
            raise CallError(Refusal.POLICY, "too_old")
        if lead.image is None:
            raise CallError(Refusal.FAILURE_TO_ACQUIRE, "no_lead_image")
        return picture_of(self.fetch.image(lead.image, self.most_bytes), self.most_bytes)

    def cautions(self) -> tuple[str, ...]:
        """Lines that may be of one person."""
        return near_people(people_of(self.names, self.template))

    def at_most(self) -> Sequence[int]:
        """The limit for each name."""
        return [self.limit] * len(people_of(self.names, self.template))

    def calls(self) -> Mapping[str, int]:
        """One for each name."""
        return {FEED: len(people_of(self.names, self.template))}

    @property
    def paid(self) -> Mapping[str, float]:
        """Of a call of the feed."""
        return {FEED: self.price}

    def _oldest(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC) - self.months * MONTH

    def _articles(self, person: Person, key: str, notes: Notes) -> list[str]:
        """Addresses of the articles that are young enough at the first time of asking."""
        address = self.feed.replace("{query}", quote(person.words, safe=""))
        address = address.replace("{key}", quote(key, safe=""))
        name = digest({"feed": self.feed, "query": person.words, "months": self.months})

        def ask() -> str:
            articles, oldest = articles_of(self.searcher.fetch.get(address, _FEED).data), self._oldest()
            dated = [(article.date, article.address) for article in articles if article.date is not None]
            return dumps(list(dict.fromkeys(address for date, address in dated if date >= oldest)))

        links: list[str] = json.loads(self.searcher.answer(notes, (FEED, name), ask, person.place))
        return links[: self.limit]


class Robots:
    """What hosts let programs read (robots.txt), asked once for each; a host that does not say lets all be read."""

    def __init__(self) -> None:
        self._rules: dict[str, RobotFileParser] = {}
        self._lock = threading.Lock()

    def allow(self, fetch: Fetch, address: str) -> bool:
        """Whether the page may be read. Raises :class:`CallError` where the host does not answer (transport)."""
        where = joined(address, "/robots.txt")
        with self._lock:
            known = self._rules.get(where)
        if known is None:
            known = _rules_of(fetch, where)
            with self._lock:
                self._rules[where] = known
        return known.can_fetch(AGENT, address)


def _rules_of(fetch: Fetch, where: str) -> RobotFileParser:
    rules, lines = RobotFileParser(), []
    try:
        lines = fetch.get(where, _ROBOTS).data.decode("utf-8", errors="replace").splitlines()
    except CallError as error:
        if not error.code.startswith("http_4"):
            raise
    rules.parse(lines)
    return rules
