"""Checklists filled from a result: each item provided, missing or not applicable, with its place; never conformity.

The items are data (``templates/checklists.toml``), and so is the rule that finds each in a result. A list says what a
reader will find where; whether that is enough is for the reader to say.
"""

import csv
import io
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING

from frtaudit.core.canonical import Json, entries, escape, mapping, to_bytes
from frtaudit.core.machine.resources import shipped
from frtaudit.core.methods import Target
from frtaudit.core.spec import Report
from frtaudit.core.text.formatting import cell
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    from frtaudit.core.result import AuditResult

DISCLAIMER = (
    "This list shows where the report covers an item. It claims no conformity with any standard, framework or law. "
    "The items are paraphrased."
)
COLUMNS = ("list", "id", "ref", "asks", "status", "place", "section", "remark")


class ItemStatus(Enum):
    """What a report has to say to an item."""

    PROVIDED = "provided"
    MISSING = "missing"
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A filled item: ``place``: pointers into the result, or ``report.NAME``, ``remark``: why not, or what to add."""

    id: str
    ref: str
    asks: str
    status: ItemStatus
    place: tuple[str, ...]
    section: str
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """A list by name with its filled items."""

    name: str
    title: str
    note: str
    items: tuple[Item, ...]

    def count(self, status: ItemStatus) -> int:
        """How many items have a status."""
        return sum(entry.status is status for entry in self.items)

    @property
    def tally(self) -> str:
        """How many items have each status, in words."""
        return ", ".join(f"{self.count(status)} {status.value.replace('_', ' ')}" for status in ItemStatus)


@cache
def known() -> Mapping[str, Mapping[str, object]]:
    """The shipped lists by name.

    >>> sorted(known())
    ['eu_ai_act', 'iso_19795_1', 'model_card', 'nist_ai_rmf']
    """
    text = (shipped("templates") / "checklists.toml").read_text("utf-8")
    lists: Mapping[str, Mapping[str, object]] = tomllib.loads(text)["list"]
    return lists


def check_names(names: Iterable[str]) -> None:
    """Raise :class:`SpecError` for a name that no list has."""
    for name in names:
        if name not in known():
            raise SpecError("report.checklists", f"found {name!r}", ", ".join(sorted(known())))


def filled(result: "AuditResult", settings: Report, names: Sequence[str]) -> tuple[Checklist, ...]:
    """The lists of these names, filled from the result and from what the report says of itself."""
    check_names(names)
    evidence = Evidence(result, settings)
    return tuple(_list(name, evidence) for name in names)


def to_json(lists: Sequence[Checklist]) -> bytes:
    """Canonical JSON of filled lists."""
    filled: list[Json] = [
        {
            "name": checklist.name,
            "title": checklist.title,
            "items": [
                {**asdict(entry), "status": entry.status.value, "place": list(entry.place)}
                for entry in checklist.items
            ],
        }
        for checklist in lists
    ]
    return to_bytes({"disclaimer": DISCLAIMER, "checklists": filled})


def to_csv(lists: Sequence[Checklist]) -> bytes:
    """The same, one item a line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for checklist in lists:
        for entry in checklist.items:
            row = {**asdict(entry), "status": entry.status.value, "place": " ".join(entry.place)}
            writer.writerow([cell(value) for value in (checklist.name, *row.values())])
    return text.getvalue().encode()


@dataclass(frozen=True)
class Evidence:
    """Where a rule holds in a result: each answer is a place, None where there is none."""

    result: "AuditResult"
    settings: Report

    def place(self, rule: str) -> str | None:
        """The place of the first of a rule's alternatives that holds.

        Raises :class:`SpecError` for a rule that is none.
        """
        has_alternatives = rule.startswith(("/", "report ", "interval ")) or " " not in rule
        alternatives = rule.split("|") if has_alternatives else [rule]
        return next((place for alternative in alternatives if (place := self._one(alternative))), None)

    def _one(self, rule: str) -> str | None:
        if rule.startswith("/"):
            return next(_places(self._held, rule.split("/")[1:], ""), None)
        kind, _, words = rule.partition(" ")
        readers: Mapping[str, Callable[[str], str | None]] = {
            "metric": self._metric,
            "interval": self._interval,
            "curve": lambda names: _first(
                "curves", [curve.analysis in names.split("|") for curve in self.result.curves]
            ),
            "verdict": lambda _: "/findings" if self.result.findings else None,
            "test": lambda _: _first(
                "estimates", [estimate.test is not None for estimate in self.result.estimates], "/test"
            ),
            "report": lambda name: f"report.{name}" if getattr(self.settings, name, None) else None,
            "printed": lambda name: f"report: {name.replace('_', ' ')}",
        }
        if kind not in readers:
            raise SpecError("checklists.toml", f"found the rule {rule!r}", "a rule that its head explains")
        return readers[kind](words)

    @cached_property
    def _held(self) -> Mapping[str, Json]:
        """What ``result.json`` holds; made once for all rules."""
        return self.result.to_json()

    def _metric(self, words: str) -> str | None:
        names, _, grouped = words.partition(" ")
        holds = [
            estimate.metric in names.split("|")
            and estimate.value is not None
            and (estimate.schema is not None or not grouped)
            for estimate in self.result.estimates
        ]
        return _first("estimates", holds)

    def _interval(self, words: str) -> str | None:
        target = Target(words)
        for number, estimate in enumerate(self.result.estimates):
            for place, interval in enumerate(estimate.intervals):
                if interval.target is target and interval.low is not None:
                    return f"/estimates/{number}/intervals/{place}"
        return None


def _list(name: str, evidence: Evidence) -> Checklist:
    declared = known()[name]
    return Checklist(
        name=name,
        title=str(declared["title"]),
        note=str(declared["note"]),
        items=tuple(_item(mapping(entry), evidence) for entry in entries(declared["item"])),
    )


def _item(declared: Mapping[str, object], evidence: Evidence) -> Item:
    applies = str(declared.get("applies", ""))
    places = [evidence.place(str(rule)) for rule in entries(declared.get("found"))]
    if applies == "no":
        status, remark = ItemStatus.NOT_APPLICABLE, str(declared["why"])
    elif applies and evidence.place(applies) is None:
        status, remark = ItemStatus.NOT_APPLICABLE, "it applies to no part of this audit"
    elif places and all(places):
        status, remark = ItemStatus.PROVIDED, ""
    else:
        status, remark = ItemStatus.MISSING, str(declared.get("supply", ""))
    provided = status is ItemStatus.PROVIDED
    return Item(
        id=str(declared["id"]),
        ref=str(declared.get("ref", "")),
        asks=str(declared["asks"]),
        status=status,
        place=tuple(place for place in places if place) if provided else (),
        section=str(declared.get("section", "")) if provided else "",
        remark=remark,
    )


def _places(value: Json, steps: Sequence[str], at: str) -> Iterator[str]:
    """Pointers to what a path leads to, where that holds something; ``*`` is every key."""
    if not steps:
        if value not in (None, "", [], {}, ()):
            yield at
        return
    if isinstance(value, Mapping):
        for key in sorted(value) if steps[0] == "*" else [steps[0]]:
            if key in value:
                yield from _places(value[key], steps[1:], f"{at}/{escape(key)}")


def _first(part: str, holds: Sequence[bool], more: str = "") -> str | None:
    return next((f"/{part}/{index}{more}" for index, good in enumerate(holds) if good), None)
