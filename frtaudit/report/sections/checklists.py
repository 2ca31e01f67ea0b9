"""Checklists: what readers of four kinds look for, where this report speaks to it, and what is missing."""

from dataclasses import dataclass

from frtaudit.report.checklists import DISCLAIMER, Checklist, filled
from frtaudit.report.section import section
from frtaudit.report.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklists:
    """The view: what a list is not, and the lists."""

    disclaimer: str
    lists: tuple[Checklist, ...]


@section("checklists", "Checklists", after="glossary", annex=True)
def build(source: Source) -> Checklists | None:
    """None where ``report.checklists`` names none."""
    lists = filled(source.result, source.settings, source.settings.checklists)
    return Checklists(disclaimer=DISCLAIMER, lists=lists) if lists else None
