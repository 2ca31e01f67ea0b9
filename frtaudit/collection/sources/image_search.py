"""Images that a web search finds for each name (Knott et al., section 3)."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from frtaudit.collection.clients.fetch import Fetch, Wanted
from frtaudit.collection.clients.gate import Pace
from frtaudit.collection.clients.http import checked_endpoint
from frtaudit.collection.clients.people import TEMPLATE, Person, near_people, people_of
from frtaudit.collection.clients.protocol import UNKEPT, Notes, SourceImage
from frtaudit.collection.clients.searching import Searcher, credential
from frtaudit.core.canonical import digest, dumps
from frtaudit.core.collecting import CallError, Picture, Refusal
from frtaudit.core.machine.extras import need
from frtaudit.core.registry import register
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.errors import SpecError
from frtaudit.inputs.tables import need_table

KEY, ENGINE = "GOOGLE_API_KEY", "GOOGLE_CSE_ID"
ENDPOINT = "https://customsearch.googleapis.com/customsearch/v1"
PAGE, MAX_RESULTS = 10, 100  # the service's own: results of a call, and of a query
SEARCH = "search"
_ANSWER = Wanted(most_bytes=2_000_000, statuses=(200, 400, 401, 403, 429), accept="application/json")
_SPENT = ("dailyLimitExceeded", "quotaExceeded")
_TOO_FAST = ("rateLimitExceeded", "userRateLimitExceeded")


@register("source", "image_search")
@dataclass(frozen=True, slots=True, kw_only=True)
class ImageSearch:
    """``names``: a CSV of name, country and other columns; ``template``: the search text.

    Google Custom Search JSON API, with the key of GOOGLE_API_KEY and the engine of GOOGLE_CSE_ID: ``limit`` images of a
    name, in calls of 10; ``months``: found by the service within the last so many; ``price``: of a call, as
    the contract says, 0 where it is free.
    """

    names: str = field(metadata=PATH)
    template: str = TEMPLATE
    limit: int = 100
    months: int = 12
    price: float = field(metadata=MACHINE)
    endpoint: str = ENDPOINT
    search_rate: float = field(default=1.0, metadata=MACHINE)
    rate: float = field(default=5.0, metadata=MACHINE)
    most_bytes: int = field(default=20_000_000, metadata=MACHINE)
    fetch: Fetch = field(init=False, repr=False, compare=False)
    searcher: Searcher = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for what the service cannot give, or an endpoint that would show the key."""
        for name, low, high in (("limit", 1, MAX_RESULTS), ("months", 1, 12)):
            if not low <= getattr(self, name) <= high:
                raise SpecError(f"source.{name}", f"{getattr(self, name)}", f"{low} to {high}")
        if self.price < 0 or not min(self.rate, self.search_rate) > 0:
            raise SpecError("source", "a price below 0, or a rate of 0 or less", "numbers above 0")
        checked_endpoint("source.endpoint", self.endpoint)
        object.__setattr__(self, "fetch", Fetch(pace=Pace(rate=self.rate)))
        object.__setattr__(self, "searcher", Searcher(rate=self.search_rate))

    def check_files(self) -> None:
        """Raise :class:`~frtaudit.errors.DataError` for a table that is not there, before anything is read."""
        need_table(Path(self.names), Path(self.names).name)

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:
        """Searched for name by name, page by page, as the service orders them; an address once for a name."""
        need("collect", "PIL", "httpcore")
        people = people_of(self.names, self.template)
        asked = {"key": credential(KEY), "cx": credential(ENGINE)}
        for number, person in enumerate(people):
            for place, address in enumerate(self._addresses(person, asked, notes), 1):
                where = f"{person.place} image {place}"
                yield SourceImage(query=number, place=where, columns=person.columns, address=address)

    def read(self, source_image: SourceImage) -> Picture:
        """Fetched into memory."""
        from frtaudit.collection.clients.pictures import picture_of

        return picture_of(self.fetch.image(source_image.address, self.most_bytes), self.most_bytes)

    def cautions(self) -> tuple[str, ...]:
        """Lines that may be of one person."""
        return near_people(people_of(self.names, self.template))

    def at_most(self) -> Sequence[int]:
        """The limit for each name."""
        return [self.limit] * len(people_of(self.names, self.template))

    def calls(self) -> Mapping[str, int]:
        """All pages of all names."""
        return {SEARCH: len(people_of(self.names, self.template)) * -(-self.limit // PAGE)}

    @property
    def paid(self) -> Mapping[str, float]:
        """Of a call, as the contract says."""
        return {SEARCH: self.price}

    def _addresses(self, person: Person, asked: Mapping[str, str], notes: Notes) -> list[str]:
        addresses: dict[str, None] = {}
        for start in range(1, self.limit + 1, PAGE):
            links, more = self._page(person, start, asked, notes)
            addresses |= dict.fromkeys(links)
            if not more:
                break
        return list(addresses)[: self.limit]

    def _page(
        self, person: Person, start: int, asked: Mapping[str, str], notes: Notes
    ) -> tuple[list[str], bool]:
        """Addresses, and whether there are more: of an answer, nothing else is kept."""
        words = {
            "q": person.words,
            "searchType": "image",
            "dateRestrict": f"m{self.months}",
            "num": str(PAGE),
            "start": str(start),
        }
        engine = hashlib.sha256(asked["cx"].encode()).hexdigest()
        key = digest({**words, "endpoint": self.endpoint, "engine": engine})
        address = f"{self.endpoint}?{urlencode({**words, **asked})}"
        searcher = self.searcher
        text = searcher.answer(notes, (SEARCH, key), lambda: _read(searcher.fetch, address), person.place)
        page = json.loads(text)
        return page["links"], page["more"]


def _read(fetch: Fetch, address: str) -> str:
    """One page as the canonical JSON that is kept. Raises :class:`CallError` for all that is no answer."""
    body = fetch.get(address, _ANSWER)
    content = _object(body.data)
    error = content.get("error")
    if error is not None or body.status != 200:
        raise _refusal(error if isinstance(error, dict) else {}, body.status, body.wait)
    items = content.get("items", [])
    entries = items if isinstance(items, list) else [{}]
    links = [entry.get("link") for entry in entries if isinstance(entry, dict)]
    if not all(isinstance(link, str) for link in links):
        raise CallError(Refusal.TRANSPORT, "broken_answer")
    queries = content.get("queries")
    return dumps({"links": links, "more": bool(isinstance(queries, dict) and queries.get("nextPage"))})


def _object(data: bytes) -> dict[str, object]:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise CallError(Refusal.TRANSPORT, "broken_answer")
    return content


def _refusal(error: Mapping[str, object], status: int, wait: float | None) -> CallError:
    """What an error of the service means: not today, not so fast, not with this key, not this request."""
    code, text = error.get("code", status), str(error.get("message", "")).lower()
    listed = error.get("errors")
    entries = listed if isinstance(listed, list) else []
    reasons = {str(entry.get("reason")) for entry in entries if isinstance(entry, dict)}
    if reasons & set(_SPENT) or (code == 429 and "per day" in text):
        return CallError(Refusal.POLICY, "quota_of_the_day")
    if code == 429 or reasons & set(_TOO_FAST):
        return CallError(Refusal.TRANSPORT, "throttled", wait)
    if isinstance(code, int) and code >= 500:
        return CallError(Refusal.TRANSPORT, f"http_{code}", wait)
    if code in (401, 403) or "api key" in text:
        return CallError(Refusal.POLICY, "credentials_refused")
    return CallError(Refusal.POLICY, "request_refused")
