"""From a result to what the templates lay out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from frtaudit.core import AuditResult
from frtaudit.core.machine.progress import quiet
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.report.pieces import letter
from frtaudit.report.references import Citations
from frtaudit.report.section import sections, titles
from frtaudit.report.sections import summary
from frtaudit.report.shape import Shape
from frtaudit.report.source import Source
from frtaudit.report.threshold_curves import embedded
from frtaudit.report.words import words


class Status(Enum):
    """What a signature on this report proves."""

    SIGNED = "signed"
    DEMO = "demo"
    UNSIGNED = "unsigned"


PLAIN = Shape()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section that stands: the name of its template, its number (a letter in the annex) and title, its view."""

    name: str
    number: str
    title: str
    view: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything the templates see."""

    title: str
    name: str
    date: str
    status: str
    notice: str
    mark: str
    digest: str
    short_digest: str
    author: str
    paper: str
    data: str
    summary: summary.Summary
    sections: tuple[Section, ...]
    annex: tuple[Section, ...]
    citations: Citations


def context(
    result: AuditResult,
    settings: Report,
    date: str,
    status: Status,
    previous: Previous | None = None,
    shape: Shape = PLAIN,
) -> Context:
    """The view of a whole report. ``date``: ISO, to the day; ``previous``: the last audit, where one was given."""
    source = Source(result, replace(settings, date=date), previous, signed=status is not Status.UNSIGNED)
    shipped = sections()
    views = [
        (entry.name, shape.titles.get(entry.name, entry.title), entry.build(source))
        for entry in quiet(shipped, "sections")
    ]
    for part in shape.own(titles()):
        after = part.after or "robustness"  # findings first, then sections of one's own, then the method
        place = next(index for index, (name, _, _) in enumerate(views, 1) if name == after)
        views.insert(place, (part.name, part.title, part))
    annex = next(entry.name for entry in shipped if entry.annex)
    first = next(index for index, (name, _, _) in enumerate(views) if name == annex)
    name = str(result.spec.get("name", "audit"))
    return Context(
        title=settings.title or f"Audit {name.replace('_', ' ')}",
        name=name,
        date=date,
        status=status.value,
        notice=words().notice[status.value],
        mark=words().mark[status.value],
        digest=source.sha256,
        short_digest=source.sha256[:16],
        author=settings.auditor or settings.organisation or "not declared",
        paper=settings.paper.value,
        data=embedded(source),
        summary=summary.build(source, settings, date),
        sections=_numbered(views[:first], [str(number) for number in range(1, len(views) + 1)]),
        annex=_numbered(views[first:], [letter(index).upper() for index in range(len(views))]),
        citations=Citations(result),
    )


def _numbered(views: Sequence[tuple[str, str, object | None]], numbers: Sequence[str]) -> tuple[Section, ...]:
    """Those of the sections that stand, each with its number."""
    present = [(name, title, view) for name, title, view in views if view is not None]
    return tuple(
        Section(name=name, number=number, title=title, view=view)
        for number, (name, title, view) in zip(numbers, present, strict=False)
    )
