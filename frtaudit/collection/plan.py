"""How many calls a collection makes at most and what they cost: nothing is called for it."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction

import numpy as np

from frtaudit.collection.chosen import groups, query_name
from frtaudit.collection.clients.gate import money, prices
from frtaudit.collection.rows import COMPARE, DETECT
from frtaudit.collection.spec import CollectionSpec
from frtaudit.collection.terms import notes_of
from frtaudit.core.canonical import Json
from frtaudit.core.machine.limits import check_whole
from frtaudit.core.registry import name_of
from frtaudit.core.text.columns import aligned
from frtaudit.errors import DataError, SpecError
from frtaudit.labelling.settings import Between

CANARY, SOURCE = "canary", "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Calls of one service and kind; ``each``: the price of an attempt."""

    service: str
    kind: str
    calls: int
    each: Fraction

    @property
    def price(self) -> Fraction:
        """If each call needs one attempt."""
        return self.calls * self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """``images``, ``queries``: that the source has; ``pairs``: compared by each service at most."""

    images: int
    queries: int
    pairs: int
    lines: tuple[Line, ...]
    limit: float | None
    currency: str
    left: Mapping[str, float]  # unit prices of calls of the source that are not counted here
    # calls a second that a service is asked for
    rates: Mapping[str, float | None] = field(default_factory=dict)
    partial: bool = False
    cautions: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def seconds(self) -> Mapping[str, float]:
        """How long the calls of each service with a rate take at least; services are asked at the same time."""
        calls = {name: sum(line.calls for line in self.lines if line.service == name) for name in self.rates}
        return {name: calls[name] / rate for name, rate in self.rates.items() if rate}

    @property
    def price(self) -> Fraction:
        """Of all calls, each made once."""
        return sum((line.price for line in self.lines), Fraction(0))

    @property
    def enough(self) -> bool:
        """Whether the budget reaches."""
        return self.limit is None or self.price <= Fraction(str(self.limit))

    def to_json(self) -> dict[str, Json]:
        """As ``--json`` prints it."""
        calls: list[Json] = [
            {**asdict(line), "each": float(line.each), "price": float(line.price)} for line in self.lines
        ]
        return {
            "images": self.images,
            "queries": self.queries,
            "pairs": self.pairs,
            "calls": calls,
            "price": float(self.price),
            "currency": self.currency,
            "limit": self.limit,
            "enough": self.enough,
            "seconds": dict(self.seconds),
            "terms": [*self.terms],
            "not_counted": dict(self.left),
            "cautions": [*self.cautions],
        }

    def text(self) -> str:
        """As a table."""
        head = f"{self.queries} queries, {self.images} images, at most {self.pairs} pairs of faces for each service"
        rows = [("service", "calls for", "at most", f"{self.currency} each", self.currency)]
        rows += [
            (line.service, line.kind, str(line.calls), f"{float(line.each):g}", money(line.price))
            for line in self.lines
        ]
        rows.append(("all", "", str(sum(line.calls for line in self.lines)), "", money(self.price)))
        left = [
            f"calls of the source are added to that, {price:g} each {kind}"
            for kind, price in sorted(self.left.items())
        ]
        tail = "no limit is set: budget.limit=N"
        if self.limit is not None:
            tail = f"budget.limit {self.limit:g} {self.currency}: {'enough' if self.enough else 'not enough'}"
        again = "A call that is made again costs again: after a failure, or because a face id or token has expired."
        lines = [head, "", *aligned(rows, left=(0, 1)), "", *left, tail, again]
        return "\n".join([*lines, *self._duration(), *self.cautions, *self.terms])

    def _duration(self) -> list[str]:
        """How long it takes, and what of that is not known."""
        took, unknown = self.seconds, sorted(name for name, rate in self.rates.items() if not rate)
        lines = []
        if took:
            slowest = max(took, key=took.__getitem__)
            least = f"{_span(took[slowest])} at least (services.{slowest}.limits.rate)"
            lines.append(f"At the rates set, it takes {least}.")
        if unknown:
            names = f"{', '.join(unknown)} (services.NAME.limits.rate)"
            lines.append(f"Duration not known, no rate is set: {names}.")
        return lines


def _span(seconds: float) -> str:
    """In words.

    >>> _span(40.2), _span(3661)
    ('1 min', '1 h 2 min')
    """
    hours, minutes = divmod(math.ceil(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def unpriced(spec: CollectionSpec) -> tuple[str, ...]:
    """Services that a budget says nothing about, for their calls have no price."""
    services = sorted(spec.services.items())
    free = [name for name, service in services if not any(prices(service.limits).values())]
    if spec.budget.limit is None or not free:
        return ()
    return (
        f"budget.limit does not cover {', '.join(free)}: no price is set (services.NAME.limits.compare, .detect)",
    )


def plan(
    spec: CollectionSpec,
    sizes: Mapping[str, int],
    columns: Mapping[str, Mapping[str, str]],
    source_calls: Mapping[str, int] | None = None,
    cautions: tuple[str, ...] = (),
) -> Plan:
    """For queries of ``sizes`` images each, if every service finds one face in every image; nothing is a duplicate.

    ``source_calls``: calls of the source by kind, None where they are not known.
    """
    images = sum(sizes.values())
    usable = {query: size for query, size in sizes.items() if size >= spec.least}
    pairs = most_pairs(usable, columns, spec)
    if not pairs:
        problem = f"{images} images and no two faces to compare"
        raise DataError("source", problem, f"queries of {spec.least} images")
    paid = spec.source.paid
    lines = [
        Line(service=SOURCE, kind=kind, calls=calls, each=Fraction(str(paid.get(kind, 0.0))))
        for kind, calls in sorted((source_calls or {}).items())
    ]
    rates = {SOURCE: getattr(spec.source, "search_rate", None)} if source_calls else {}
    for name, service in sorted(spec.services.items()):
        rates[name], each = service.limits.rate, prices(service.limits)
        if service.detects:
            lines.append(Line(service=name, kind=DETECT, calls=images, each=each[DETECT]))
        lines.append(Line(service=name, kind=COMPARE, calls=pairs, each=each[COMPARE]))
        lines.append(Line(service=name, kind=CANARY, calls=canary_calls(spec, pairs), each=each[COMPARE]))
    return Plan(
        images=images,
        queries=len(sizes),
        pairs=pairs,
        lines=tuple(line for line in lines if line.calls),
        limit=spec.budget.limit,
        currency=spec.budget.currency,
        left=paid if source_calls is None else {},
        rates=rates,
        partial=spec.budget.partial,
        cautions=(*cautions, *unpriced(spec)),
        terms=notes_of({name: name_of("service", type(service)) for name, service in spec.services.items()}),
    )


def plan_of_source(spec: CollectionSpec) -> Plan:
    """Of what the source knows of without a call: the images, or where it has to search for them how many at most.

    Of a search groups are not known yet, so that all queries are counted as of one.
    """
    calls, cautions = spec.source.calls(), spec.source.cautions()
    if calls:
        sizes = {query_name(query): size for query, size in enumerate(spec.source.at_most())}
        return plan(spec, sizes, _one_group(spec, sizes), calls, cautions)
    finds = list(spec.source.finds())
    columns = {query_name(image.query): image.columns for image in finds}
    return plan(spec, Counter(query_name(image.query) for image in finds), columns, calls, cautions)


def plan_by_size(spec: CollectionSpec, queries: int, images: int) -> Plan:
    """Of as many queries of as many images each; all are of one group. Raises :class:`SpecError` for absurd numbers."""
    for flag, number in (("--queries", queries), ("--images", images)):
        check_whole(flag, number)
        if number < 1:
            raise SpecError(flag, f"{number}", "1 or more")
    sizes = {query_name(query): images for query in range(queries)}
    return plan(spec, sizes, _one_group(spec, sizes))


def _one_group(spec: CollectionSpec, queries: Iterable[str]) -> dict[str, dict[str, str]]:
    return {name: {} if spec.pairs.group is None else {spec.pairs.group: "all"} for name in queries}


def most_pairs(
    sizes: Mapping[str, int], columns: Mapping[str, Mapping[str, str]], spec: CollectionSpec
) -> int:
    """Pairs within queries and between queries of one group, by counting."""
    names = sorted(sizes)
    count = np.array([sizes[name] for name in names], dtype=np.int64)
    within = int((count * (count - 1) // 2).sum())
    group = groups([columns[name] for name in names], spec.pairs.group)
    grouped = group >= 0
    both = np.bincount(group[grouped], weights=count[grouped]) if grouped.any() else np.zeros(1)
    between = int(((both**2).sum() - (count[grouped].astype(np.float64) ** 2).sum()) // 2)
    return within + (min(within, between) if spec.pairs.between is Between.MATCHED else between)


def looking_price(spec: CollectionSpec, images: int) -> Fraction:
    """Of showing so many images to every service that finds faces."""
    each = (prices(service.limits)[DETECT] for service in spec.services.values() if service.detects)
    return images * sum(each, Fraction(0))


def comparing_price(
    spec: CollectionSpec, sizes: Mapping[str, int], columns: Mapping[str, Mapping[str, str]]
) -> Fraction:
    """Of all comparisons of queries of ``sizes`` faces by every service, and of all canaries."""
    pairs = most_pairs({name: size for name, size in sizes.items() if size >= spec.least}, columns, spec)
    each = (prices(service.limits)[COMPARE] for service in spec.services.values())
    return (pairs + canary_calls(spec, pairs)) * sum(each, Fraction(0))


def canary_calls(spec: CollectionSpec, pairs: int) -> int:
    """Of one service."""
    asked = len(spec.canaries.given) or min(spec.canaries.pairs, pairs)
    return asked * 2 * spec.canaries.rounds * spec.canaries.repeats
