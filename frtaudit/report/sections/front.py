"""The figure of the first page: the rates of everybody and of each group beside their limits, or the curves."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from frtaudit.core import Curve, Target
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import part_name
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures.curves import Dot, Series
from frtaudit.report.pieces import Figure, Panel, Part, listed, plain_text, spans
from frtaudit.report.sections.operating_points import main_target, of_groups, overall, worst
from frtaudit.report.sections.verdicts import record_of
from frtaudit.report.source import ALL_SUBJECTS, Record, Source

T = TypeVar("T")

MAX_SYSTEMS_IN_PANEL, FEW_SYSTEMS_IN_PANEL = 8, 5
FRONT_HEIGHT = 1.7  # inches
NAME = 18  # letters of a name in a heading
MAX_DOTS = 24  # what a third of the page shows


def figure(source: Source) -> Figure | None:
    """One panel: the rates of everybody and of each group beside their limits; without groups the curves."""
    dots = _front_dots(source)
    curves = [] if dots is not None else det_curves(source)
    panel = figures.det("front-det", curves, height=FRONT_HEIGHT) if curves else dots
    if panel is None:
        return None
    names = list(enumerate(source.providers))
    limits = "; thick vertical lines: limits" if source.result.findings else ""
    return Figure(
        name="front",
        title="The systems compared" if len(names) > 1 else "The system",
        caption=spans(
            "A line nearer the lower left corner makes fewer errors of both kinds."
            if dots is None
            else f"One threshold per system. Bars: intervals for the population{limits}."
        ),
        panels=(panel,),
        keys=figures.keys("front", names),
    )


def det_curves(source: Source) -> list[Series]:
    """The curves that are drawn for everybody: with a band where it spans an axis, else the plain DET."""
    return series(source, lines(source)) or of_everybody(source, "det")


def of_everybody(source: Source, kind: str) -> list[Series]:
    """The curves of a kind of everybody, but those of one point: where all scores are the same there is no line."""
    return series(source, (curve for curve in source.curves(kind) if len(curve.x) > 1))


def series(source: Source, curves: Iterable[Curve]) -> list[Series]:
    """Each curve by the name and the pen of its system, with its place in the result."""
    places = source.providers.index
    return [
        Series(name=curve.provider, index=places(curve.provider), curve=curve, at=source.place(curve))
        for curve in curves
    ]


def in_parts(
    systems: Sequence[T], most: int = MAX_SYSTEMS_IN_PANEL, few: int = FEW_SYSTEMS_IN_PANEL
) -> Iterator[tuple[str, Sequence[T]]]:
    """All systems, or of more than ``most`` a ``few`` at a time: how the name of their panel ends, and they."""
    size = len(systems) if len(systems) <= most else few
    starts = range(0, len(systems), max(size, 1))
    for index, start in enumerate(starts):
        yield part_name(index, len(starts)), systems[start : start + size]


def first_to_last(names: Sequence[str]) -> str:
    """The first and the last of the systems of a panel, in the order of the legend."""
    first, *_, last = (figures.shortened(name, NAME) for name in (names[0], *names))
    return first if len(names) == 1 else f"{first} to {last}"


def named(names: Sequence[str]) -> list[Part]:
    """Which systems a panel by itself shows, where it is one of several."""
    return ["Systems: ", listed([spans(name) for name in names]), ". "]


def lines(source: Source) -> list[Curve]:
    """The curves with bands that are lines: those at a single FMR are points, which need no axes."""
    banded = source.banded("roc")
    return banded if all(len(set(curve.x)) > 1 for curve in banded) else []


def _front_dots(source: Source) -> Panel | None:
    target = main_target(source)
    highest = worst(source, "fnmr_at_fmr", target)
    if highest is None or target is None or highest[0].estimate.schema is None:
        return None
    schema = highest[0].estimate.schema
    dots, rows = group_dots(source, schema, of_groups(source, "fnmr_at_fmr", target, schema))
    if not dots or len(dots) > MAX_DOTS:
        return None
    everybody = overall(source, "fnmr_at_fmr", target)
    above = [dot for record in everybody if (dot := _dot(source, record, ALL_SUBJECTS)) is not None]
    title = f"FNMR by {schema.replace('_', ' ')}, FMR {formatting.exact(target)}"
    limits = _limits(source, schema, target)
    return figures.dots("front-dots", title, [ALL_SUBJECTS, *rows], [*above, *dots], "FNMR", limits)


def _limits(source: Source, schema: str, target: float) -> dict[str, float]:
    """The limit on the FNMR of everybody and of each group at the target, by row."""
    limits: dict[str, float] = {}
    for finding in source.result.findings:
        record = record_of(source, finding)
        if record is None or record.estimate.schema not in (schema, None):
            continue
        if record.estimate.metric == "fnmr_at_fmr" and dict(record.estimate.at) == {"fmr": target}:
            row = source.label(schema, record.estimate.group)
            limits[row] = min(limits.get(row, finding.limit), finding.limit)
    return limits


def group_dots(source: Source, schema: str, records: list[Record]) -> tuple[list[Dot], list[str]]:
    """Dots of groups in the schema's order, each with the interval for the population (or the first there is)."""
    seen = {candidate.estimate.group for candidate in records if candidate.estimate.value is not None}
    rows = [name for name in source.classes(schema, seen) if name in seen]
    dots = []
    for record in records:
        if record.estimate.group in rows:
            dot = _dot(source, record, source.label(schema, record.estimate.group))
            dots += [] if dot is None else [dot]
    return dots, [source.label(schema, name) for name in rows]


def _dot(source: Source, record: Record, row: str) -> Dot | None:
    """A record as a dot, with what it says in words; None without a value."""
    if record.estimate.value is None:
        return None
    bound = record.bound(Target.POPULATION, Target.FIXED_IDENTITIES)
    low, high = (bound.interval.low, bound.interval.high) if bound else (None, None)
    between = f", {plain_text(phrases.bounds(bound, record.estimate))}" if bound and low is not None else ""
    return Dot(
        row=row,
        series=record.estimate.provider,
        index=source.providers.index(record.estimate.provider),
        value=record.estimate.value,
        low=low,
        high=high,
        at=record.pointer,
        says=f"{record.estimate.provider}, {row}: {plain_text(phrases.value(record))}{between}",
    )
