"""From a result to what the templates lay out: one list says which sections there are and in which order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from frtaudit.core import AuditResult
from frtaudit.core.machine.progress import quiet
from frtaudit.core.result import Previous
from frtaudit.core.spec import Report
from frtaudit.report.pieces import letter
from frtaudit.report.sections import (
    accuracy,
    annotation,
    card,
    changes,
    checklists,
    cohort,
    collected,
    coverage,
    densities,
    failure_scores,
    failures,
    groups,
    identity_check,
    identity_labels,
    interclass,
    label_cost,
    method,
    orders,
    other,
    overlap,
    profiles,
    publication,
    quality,
    rates,
    record,
    releases,
    requirements,
    robustness,
    same_class,
    sanitization,
    sealed,
    signatures,
    summary,
    tail_model,
    tar_curves,
    transactions,
    two_dates,
    two_systems,
    uncertainty,
    vendors,
)
from frtaudit.report.shape import Shape
from frtaudit.report.source import Source
from frtaudit.report.threshold_curves import embedded
from frtaudit.report.words import words


class Status(Enum):
    """What a signature on this report proves."""

    SIGNED = "signed"
    DEMO = "demo"
    UNSIGNED = "unsigned"


Build = Callable[[Source], object | None]
PLAIN = Shape()

# name of the template, title in the contents, what builds its view (None: the section does not stand)
MAIN: tuple[tuple[str, str, Build], ...] = (
    ("publication", "What is withheld", publication.build),
    ("changes", "Since the last audit", changes.build),
    ("profiles", "Profiles", profiles.build),
    ("vendors", "Systems compared", vendors.build),
    ("two_dates", "Two dates", two_dates.build),
    ("identity_labels", "Labels", identity_labels.build),
    ("label_cost", "Effect of label errors", label_cost.build),
    ("rates", "Error rates", rates.build),
    ("groups", "Groups", groups.build),
    ("same_class", "FMR within classes", same_class.build),
    ("transactions", "Transactions", transactions.build),
    ("tail_model", "FMR beyond the data", tail_model.build),
    ("uncertainty", "Uncertainty over FMR", uncertainty.build),
    ("two_systems", "Two systems", two_systems.build),
    ("tar_curves", "Curves by class", tar_curves.build),
    ("interclass", "Interclass bias", interclass.build),
    ("releases", "Releases", releases.build),
    ("accuracy", "Accuracy on folds", accuracy.build),
    ("card", "Test sets", card.build),
    ("overlap", "Training and test sets", overlap.build),
    ("failures", "Failures and exclusions", failures.build),
    ("robustness", "Robustness and limitations", robustness.build),
    ("sealed", "Departures from the sealed spec", sealed.build),
    ("method", "Method", method.build),
    ("signatures", "Signatures", signatures.build),
)
ANNEX: tuple[tuple[str, str, Build], ...] = (
    ("requirements", "Findings", requirements.build),
    ("profile_facts", "What profiles ask", profiles.facts_of),
    ("collected", "How scores were collected", collected.build),
    ("densities", "Densities", densities.build),
    ("quality", "Sample quality", quality.build),
    ("orders", "Both orders", orders.build),
    ("annotation", "What answers change", annotation.build),
    ("failure_scores", "Failures as scores of zero", failure_scores.build),
    ("identity_check", "Suspected duplicates", identity_check.build),
    ("other", "Further estimates", other.build),
    ("cohort", "Cohort", cohort.build),
    ("sanitization", "Sanitization", sanitization.build),
    ("coverage", "Simulated coverage", coverage.build),
    ("glossary", "Glossary", lambda _: words().glossary),
    ("checklists", "Checklists", checklists.build),
    ("record", "Record", record.build),
)
SECTIONS = (*MAIN, *ANNEX)


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


def titles() -> dict[str, str]:
    """Shipped sections in their order: name to title."""
    return {name: title for name, title, _ in SECTIONS}


def context(
    result: AuditResult,
    settings: Report,
    date: str,
    status: Status,
    previous: Previous | None = None,
    shape: Shape = PLAIN,
) -> Context:
    """The view of a whole report. ``date``: ISO, to the day; ``previous``: the last audit, where one was given."""
    source = Source(result, replace(settings, date=date), previous)
    views = [
        (name, shape.titles.get(name, title), build(source))
        for name, title, build in quiet(SECTIONS, "sections")
    ]
    for part in shape.own(titles()):
        after = part.after or "robustness"  # findings first, then sections of one's own, then the method
        place = next(index for index, (name, _, _) in enumerate(views, 1) if name == after)
        views.insert(place, (part.name, part.title, part))
    first = next(index for index, (name, _, _) in enumerate(views) if name == ANNEX[0][0])
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
    )


def _numbered(views: Sequence[tuple[str, str, object | None]], numbers: Sequence[str]) -> tuple[Section, ...]:
    """Those of the sections that stand, each with its number."""
    standing = [(name, title, view) for name, title, view in views if view is not None]
    return tuple(
        Section(name=name, number=number, title=title, view=view)
        for number, (name, title, view) in zip(numbers, standing, strict=False)
    )
