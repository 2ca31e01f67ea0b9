"""Curves by class: threshold and TAR in both orientations with bands, class minus overall, what a threshold means."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from frtaudit.core import Curve, Target
from frtaudit.core.canonical import mapping
from frtaudit.core.text import kinds
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import interclass, scales
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import (
    Figure,
    Footnotes,
    Key,
    Panel,
    Part,
    Table,
    Text,
    TextSpan,
    listed,
    sentence,
    spans,
)
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, grouped_blocks, header, methods_said, not_drawn
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

METRIC = "tar_at_tar"
KINDS = ("threshold_at_tar", "tar_at_threshold", "threshold_excess", "tar_excess")
BESIDE = 3  # classes whose TAR and first interval stand in one line
WHOLE = 6  # classes whose intervals stand in a line each; more would not fit the page
WITHIN = ("threshold_at_tar", "threshold_excess")  # of each super-class by itself
MAX_SYSTEMS = 3  # with more, class minus overall and each super-class are drawn of the first alone
DIFFERENCES = "the differences between classes"
NARROW = "a band narrower than its line is hidden by it"
SHOWN = (Target.POPULATION, Target.COMPARISONS_IID)
SAID = {
    "threshold_at_tar": "At each TAR the threshold that gives a class this TAR. Under equality of the classes the "
    "curves coincide; a perfect system is a horizontal line at 100.",
    "tar_at_threshold": "TAR of each class at each threshold. Under equality of the classes the curves coincide.",
    "threshold_excess": "A class above 0 reaches the same TAR at a higher threshold.",
    "tar_excess": "A class above 0 has the higher TAR at the same threshold.",
}
FIGURES = {  # how its title ends, and its caption
    "curves": (
        "thresholds and TAR by {by}",
        (
            f"The same curves with axes exchanged. {{bands}}; {NARROW}. Under equality of the classes the curves "
            "coincide; a perfect system is a horizontal line at 100."
        ),
    ),
    "excess": (
        "class minus overall, by {by}",
        (
            "Top: a class above 0 reaches the same TAR at a higher threshold. Bottom: a class above 0 has the higher "
            "TAR at the same threshold. {bands}."
        ),
    ),
    "super": (
        "thresholds within {supers}",
        "The classes of each super-class separately; overall is that of all classes. {bands}.",
    ),
}
BANDS = {Target.POPULATION: " (population)", Target.COMPARISONS_IID: " (independent)"}


@section("tar_curves", "Curves by class", after="two_systems")
def build(source: Source) -> View | None:
    """None when the analysis did not run."""
    curves = source.curves(*KINDS, grouped=True)
    if not curves:
        return None
    systems = [name for name in source.providers if any(curve.provider == name for curve in curves)]
    detailed = systems if source.every_figure or len(systems) <= MAX_SYSTEMS else systems[:1]
    schemas = [name for name in source.schemas if any(curve.schema == name for curve in curves)]
    names = listed([phrases.bold(name) for name in systems])
    by = listed([schema.replace("_", " ") for schema in schemas])
    return View(
        lead=(
            spans(
                "TAR is the share of mated comparisons that match, 1 − FNMR. Scores are mapped from each system's "
                "range to 0 to 100. Overall is the mean of the classes",
                _shares(source),
                ". The points of all curves are in result.json.",
            ),
        ),
        tables=tuple(_table(source, name) for name in schemas),
        figures=tuple(_figures(source, [(schema, name) for schema in schemas for name in systems], detailed)),
        left_out=(
            spans("The annex has the further curves of ", names, ", by ", by, "."),
            *not_drawn(systems[len(detailed) :], DIFFERENCES),
        ),
        shown=(1, 1),
    )


def _shares(source: Source) -> Text:
    shares = source.analysis("tar_curves").get("shares")
    declared = TextSpan(text="declared", pointer="/spec/analyses/tar_curves/shares")
    return spans(", weighted as ", declared) if mapping(shares) else ()


def _table(source: Source, schema: str) -> Table:
    """One row for each class whose TAR is set: its threshold, then the TAR of every class there."""
    records = source.select(METRIC, schema=schema)
    notes = Footnotes()
    groups = list(dict.fromkeys(record.estimate.group for record in records))
    blocks = grouped_blocks(
        source,
        records,
        lambda record: record.estimate.at["class"],
        lambda here: _row(source, schema, here, groups, notes),
    )
    columns = header(["Threshold set for"], ["threshold", *(source.label(schema, name) for name in groups)])
    first = records[0]
    caption = phrases.titled(
        f"One threshold for all classes, by {schema.replace('_', ' ')}.",
        "At the threshold that gives the class on the left a TAR of ",
        phrases.number(f"{100 * float(first.estimate.at['tar']):g} %", f"{first.pointer}/at/tar"),
        f", the TAR of each class; {'beside' if len(groups) <= BESIDE else 'below'} it the interval for ",
        f"{', below' if len(groups) <= BESIDE else ' and'} for ".join(
            display_name(words().target, target.value) for target in SHOWN
        ),
        ".",
        methods_said(records, *SHOWN),
    )
    name = name_of("rates-at-thresholds-of-classes", schema)
    return build_table(name, caption, columns, blocks, notes, "dense")


def _row(
    source: Source, schema: str, records: Sequence[Record], groups: Sequence[str], notes: Footnotes
) -> tuple[Text, ...]:
    first = records[0]
    at = f"{first.pointer}/at"
    here = {record.estimate.group: record for record in records}
    name = source.label(schema, str(first.estimate.at["class"]))
    threshold = kinds.printed(kinds.Kind.SCORE, float(first.estimate.at["threshold"]))
    return (
        (TextSpan(text=name, pointer=f"{at}/class"),),
        (phrases.number(threshold, f"{at}/threshold"),),
        *(_cell(here.get(group), notes, len(groups)) for group in groups),
    )


def _cell(record: Record | None, notes: Footnotes, classes: int) -> Text:
    """The TAR and each interval in a line of its own, the first beside the TAR where there are few classes."""
    if record is None:
        return phrases.DASH
    value, few = phrases.value(record, notes), classes <= BESIDE
    parts: list[Part] = [phrases.styled(value, "b") if few else value]
    for target in SHOWN:
        bound = record.bound(target)
        if bound is not None:
            bounds = phrases.bounds(bound, record.estimate, notes)
            parts.append("   " if few and len(parts) == 1 else phrases.BREAK)
            parts += [unbroken(piece) if classes <= WHOLE else piece for piece in bounds]
    return spans(*parts)


def unbroken(piece: TextSpan) -> TextSpan:
    """The same words in one line."""
    return replace(piece, text=piece.text.replace(" ", "\u00a0"))


def _figures(source: Source, places: Sequence[tuple[str, str]], detailed: Sequence[str]) -> Iterator[Figure]:
    """Those of each schema and system, with one scale where they show one quantity; ``detailed``: of whom all."""
    further = [place for place in places if place[1] in detailed]
    whole = scales.alike_groups([partial(_panels, source, *place, KINDS[:2]) for place in places])
    apart = scales.alike_groups([partial(_panels, source, *place, KINDS[2:]) for place in further])
    within = scales.alike_groups([partial(_each_super, source, *place) for place in further])
    others = dict(zip(further, zip(apart, within, strict=True), strict=True))
    for place, panels in zip(places, whole, strict=True):
        yield from _of_system(source, *place, panels, *others.get(place, ((), ())))


def _each_super(source: Source, schema: str, system: str) -> Iterator[Panel]:
    for name, members in _supers(source, schema).items():
        yield from _panels(source, schema, system, WITHIN, name, set(members))


def _shown(source: Source, schema: str, system: str) -> tuple[list[Curve], Mapping[str, int], str]:
    """Curves of a system, the pens of its classes, and how names of its figures end."""
    drawn = source.curves(*KINDS, grouped=True)
    curves = [curve for curve in drawn if (curve.schema, curve.provider) == (schema, system)]
    groups = source.pens(schema, (curve.group for curve in curves))
    return curves, groups, f"{schema}-{source.providers.index(system)}"


def _of_system(source: Source, schema: str, system: str, *drawn: tuple[Panel, ...]) -> Iterator[Figure]:
    """The figures that have panels, in the order of ``FIGURES``."""
    curves, groups, place = _shown(source, schema, system)
    supers = _supers(source, schema)
    treated = f"for {display_name(words().target, Target.COMPARISONS_IID.value)} (Peña-Alcántara 2022)"
    iid = f"{treated}, level {_level(curves, Target.COMPARISONS_IID)}"
    new = f"for the population, level {_level(curves, Target.POPULATION)}"
    facts = {
        "by": schema.replace("_", " "),
        "supers": " and ".join(supers),
        "bands": f"Bands, left: {iid}; right: {new}",
    }
    alone = partial(_alone, source, curves, schema, system, (iid, new))
    of_supers = [alone(WITHIN, name).items() for name in supers]
    texts = (alone(KINDS[:2]), alone(KINDS[2:]), dict(chain(*of_supers)))
    for (key, (title, caption)), panels, of_panels in zip(FIGURES.items(), drawn, texts, strict=True):
        if panels:
            name = f"{key}-{place}"
            yield Figure(
                name=name,
                title=f"{system}: {title.format(**facts)}",
                of=system,
                alone=of_panels,
                caption=spans(caption.format(**facts)),
                panels=panels,
                keys=_keys(source, schema, name, groups if key == "curves" else _classes(groups)),
                gaps=_gaps(source, curves) if key == "excess" else (),
            )


def _alone(
    source: Source,
    curves: Sequence[Curve],
    schema: str,
    system: str,
    bands: tuple[str, str],
    kinds: Sequence[str],
    within: str = "",
) -> dict[str, Text]:
    """What stands below a panel by itself: one kind of curve, one band, the classes of one super-class or all."""

    def gaps(kind: str, target: Target) -> Text:
        shown = [curve for curve in curves if curve.analysis == kind and curve.target is target]
        return spans(*(spans(" ", gap) for gap in _gaps(source, shown)))

    only = f"The classes of {within} alone; overall is that of all classes. " if within else ""
    overall = spans(
        " Overall is the mean of the classes", _shares(source), "; scores are mapped to 0 to 100."
    )
    return {
        _panel_name(kind, target, schema, system, within): spans(
            f"{only}{SAID[kind]} Bands {band}; {NARROW}.", overall, gaps(kind, target)
        )
        for kind in kinds
        for target, band in zip(SHOWN[::-1], bands, strict=True)
    }


def _panel_name(kind: str, target: Target, schema: str, system: str, within: str) -> str:
    """The curve, for whom its bands are, the schema, the super-class where one is drawn, the system."""
    return name_of(f"{kind}-{target.value}".replace("_", "-"), schema, within, system)


def _panels(
    source: Source,
    schema: str,
    system: str,
    kinds: Sequence[str],
    within: str = "",
    only: set[str] | None = None,
) -> tuple[Panel, ...]:
    """A panel for each kind and band; overall stands in those that show all classes."""
    titles = {
        "threshold_at_tar": "Threshold by TAR",
        "tar_at_threshold": "TAR by threshold",
        "threshold_excess": "Threshold, class minus overall",
        "tar_excess": "TAR, class minus overall",
    }
    curves, groups, _ = _shown(source, schema, system)
    prefix = f"{within}: " if within else ""
    panels = []
    for kind in kinds:
        for target in SHOWN[::-1]:
            shown = [
                curve
                for curve in curves
                if curve.analysis == kind
                and (curve.target is target or (curve.target is None and only is None))
                and (only is None or curve.group in only)
            ]
            if any(curve.target is target for curve in shown):
                series = [
                    Series(name=_name(source, schema, curve.group), index=groups[curve.group], curve=curve)
                    for curve in shown
                ]
                title = f"{prefix}{titles[kind]}{BANDS[target]}"
                name = _panel_name(kind, target, schema, system, within)
                panels.append(interclass.tar_panel(name, title, kind, series))
    return tuple(panels)


def _classes(groups: Mapping[str, int]) -> dict[str, int]:
    return {name: place for name, place in groups.items() if name != "all"}


def _name(source: Source, schema: str, group: str) -> str:
    return "overall" if group == "all" else source.label(schema, group)


def _keys(source: Source, schema: str, figure: str, groups: Mapping[str, int]) -> tuple[Key, ...]:
    return figures.keys(figure, [(place, _name(source, schema, name)) for name, place in groups.items()])


def _level(curves: Sequence[Curve], target: Target) -> str:
    levels = [curve.level for curve in curves if curve.target is target and curve.level is not None]
    return f"{100 * levels[0]:.6g} %" if levels else "–"


def _supers(source: Source, schema: str) -> Mapping[str, tuple[str, ...]]:
    counts = mapping(mapping(source.result.cohort.get("schemas")).get(schema))
    return {
        name: tuple(str(member) for member in members)
        for name, members in mapping(counts.get("super_classes")).items()
        if isinstance(members, (list, tuple)) and members
    }


def _gaps(source: Source, curves: Sequence[Curve]) -> tuple[Text, ...]:
    """Why a band ends, once."""
    reasons: dict[str, str] = {}
    for curve in curves:
        if curve.notes:
            reasons.setdefault(curve.notes[0], f"{source.place(curve)}/notes/0")
    return tuple((TextSpan(text=sentence(note), pointer=at),) for note, at in reasons.items())
