"""A report in brief, for a notebook: the first page's answer in sentences, and its figure."""

from frtaudit.core import AuditResult
from frtaudit.core.result import DECISION
from frtaudit.report.figure_choice import Choice
from frtaudit.report.figures import canvas
from frtaudit.report.paper_figures import PaperFigure, paper_figures
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import answer as sentences
from frtaudit.report.sections import front, two_dates, vendor_choice, vendors
from frtaudit.report.sections.verdicts import all_finding_rows
from frtaudit.report.source import Source

WIDTH = 5.0  # inches


def answer(result: AuditResult) -> tuple[str, ...]:
    """The sentences of the first page: the choice, requirements or rates, groups, what is inconclusive."""
    source = Source(result)
    with canvas.undrawn():
        chosen = vendor_choice.choice(source)
    lines = [] if chosen is None else [line for line in (chosen.sentence, chosen.tied) if line]
    lines += [*sentences.sentences(source, all_finding_rows(source)), *two_dates.answers(source)]
    return tuple(plain_text(sentence) for sentence in lines)


def front_figure(result: AuditResult) -> PaperFigure | None:
    """The figure of the first page, or of a comparison's differences; None where there is nothing to draw."""
    build = vendors.build if Source(result).select(DECISION) else front.figure
    figures = paper_figures(result, Choice(width=WIDTH), [build])
    return next(iter(figures.values()), None)
