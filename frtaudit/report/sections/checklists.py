"""Checklists: what readers of four kinds look for, where this report speaks to it, and what is missing."""

from dataclasses import dataclass

from frtaudit.report.checklists import DISCLAIMER, Checklist, ItemStatus, filled
from frtaudit.report.checklists import Item as Filled
from frtaudit.report.section import section
from frtaudit.report.source import Source

WORDS = {
    ItemStatus.PROVIDED: "provided",
    ItemStatus.MISSING: "missing",
    ItemStatus.NOT_APPLICABLE: "not applicable",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An item in print: its standing in words, and what follows it."""

    item: Filled
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A list with its rows and a tally."""

    checklist: Checklist
    tally: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklists:
    """The view: what a list is not, and the lists."""

    disclaimer: str
    lists: tuple[View, ...]


@section("checklists", "Checklists", after="glossary", annex=True)
def build(source: Source) -> Checklists | None:
    """None where ``report.checklists`` names none."""
    views = tuple(
        View(
            checklist=checklist,
            tally=", ".join(f"{checklist.count(status)} {word}" for status, word in WORDS.items()),
            rows=tuple(Row(item=entry, status=WORDS[entry.status]) for entry in checklist.items),
        )
        for checklist in filled(source.result, source.settings, source.settings.checklists)
    )
    return Checklists(disclaimer=DISCLAIMER, lists=views) if views else None
