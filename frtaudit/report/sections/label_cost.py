"""What estimated labels cost: rates as reported beside rates on true labels, and why they may differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frtaudit.core import Target, formatting
from frtaudit.report import phrases
from frtaudit.report.figures import labels
from frtaudit.report.figures.labels import Reach
from frtaudit.report.pieces import Block, Column, Figure, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, interval_cells
from frtaudit.report.source import Record, Source

Point = tuple[str, float | str]

RATES = ("fnmr", "fmr")
POINTS = 2  # decimals of a difference of rates in percent
NOT_MADE = "label_cost was not made: "
MEANS = (
    "Labels are estimated, and some faces have none. Therefore true labels were simulated many times from the "
    "scores of this audit, on its faces, queries, services and comparisons: each time queries were resampled, and "
    "the identity of each of their faces was drawn, with or without a label. A face with a score between those that "
    "are clearly the person's and those that clearly are not may be a poor image of the person or another person "
    "who looks similar; scores cannot tell. So true labels were simulated under two extreme assumptions: all such "
    "faces show other people, or as many as possible show the person, with a share that does not rise as scores "
    "fall. The interval on true labels covers both. Where it is wide, only annotation can make it narrower."
)
BLIND = (
    "The simulation does not include images of the person whose scores at all services are as low as those of other "
    "people: for each such image in a thousand of the person's faces, FNMR is about 0.2 percentage points higher."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCost:
    """The view: how the truth was drawn, what is in doubt; figure and tables."""

    lead: tuple[Text, ...]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Estimates by what they are of: (rate, point, provider, schema, group) to a record."""

    reported: Mapping[tuple[object, ...], Record]
    true: Mapping[tuple[object, ...], Record]
    cost: Mapping[tuple[object, ...], Record]


def build(source: Source) -> LabelCost | None:
    """None where nobody asked; where nothing could be drawn, why."""
    true = [item for name in RATES for item in source.select(f"{name}_true_labels")]
    if not true:
        why = [note for note in source.result.notes if note.startswith(NOT_MADE)]
        said = f"The effect of label errors is not estimated: {why[0].removeprefix(NOT_MADE)}." if why else ""
        return LabelCost(lead=(spans(said),), tables=(), figures=()) if said else None
    rows = _rows(source, true)
    everybody = [item for item in true if item.estimate.schema is None]
    return LabelCost(
        lead=tuple(
            item
            for item in (spans(MEANS), _uncertain_faces(source), spans(BLIND), _held(source, everybody))
            if item
        ),
        tables=(
            _overall(source, everybody, rows),
            _costs(source, everybody, rows),
            *_groups(source, true, rows),
        ),
        figures=tuple(_figures(everybody, rows)),
    )


def _point(record: Record) -> Point:
    """The operating point: a target, or a threshold."""
    at = record.estimate.at
    return ("fmr", at["fmr"]) if "fmr" in at else ("threshold", at["threshold"])


def _key(record: Record, rate: str) -> tuple[object, ...]:
    estimate = record.estimate
    return (rate, _point(record), estimate.provider, estimate.schema, estimate.group)


def _rows(source: Source, true: Sequence[Record]) -> Rows:
    reported = {}
    for metric, rate in (("fnmr_at_fmr", "fnmr"), ("fnmr", "fnmr"), ("fmr", "fmr")):
        for item in source.select(metric):
            if item.estimate.weighting == "pooled" and {"fmr", "threshold"} & set(item.estimate.at):
                reported[_key(item, rate)] = item
    return Rows(
        reported=reported,
        true={_key(item, _rate(item)): item for item in true},
        cost={
            (*_key(item, str(item.estimate.at["rate"])), item.estimate.at["of"]): item
            for item in source.select("label_cost")
        },
    )


def _rate(record: Record) -> str:
    return record.estimate.metric.removesuffix("_true_labels")


def _uncertain_faces(source: Source) -> Text:
    """How many faces are in doubt, from the one end to the other."""
    found = {
        (item.estimate.at["end"], item.estimate.at["of"]): item for item in source.select("labels_in_doubt")
    }
    if not found:
        return spans("")

    def span(of: str) -> Text:
        ends = sorted(
            (found[end, of] for end in ("few", "many")), key=lambda item: item.estimate.value or 0.0
        )
        low, high = (
            phrases.number(formatting.count(round(item.estimate.value or 0.0)), f"{item.pointer}/value")
            for item in ends
        )
        return (low,) if low.text == high.text else spans(low, " to ", high)

    parts: list[Part] = [
        "Labels in doubt: ",
        *span("left_out"),
        " faces of the persons were left out (errors of type A, which change the set of faces), ",
        *span("missed"),
        " were labelled as somebody else, and ",
        *span("strangers"),
        " faces of others were labelled as the person (errors of type B, which change the rates), among ",
        *span("own"),
        " faces that show the person searched for.",
    ]
    left = [item for item in source.select("label_faces") if item.estimate.at["estimated"] == -1]
    parts += [" Left out in all: ", *phrases.counts(left[0]), " faces."] if left else []
    return spans(*parts)


def _blocks(
    source: Source, found: Sequence[Record], cells: Mapping[tuple[object, ...], tuple[Text, ...]]
) -> list[Block]:
    """A block for each rate and point, a row for each service."""
    heads: dict[tuple[str, Point], Record] = {}
    for item in found:
        heads.setdefault((_rate(item), _point(item)), item)
    return [
        Block(
            head=spans(TextSpan(text=_at(rate, point)), *phrases.at_words(dict([point]), item.pointer)),
            rows=tuple(
                ((TextSpan(text=name, kind="b"),), *cells[rate, point, name])
                for name in source.providers
                if (rate, point, name) in cells
            ),
        )
        for (rate, point), item in heads.items()
    ]


def _annotated(source: Source) -> dict[tuple[str, object], Record]:
    """(service, FMR target) to FNMR of everybody on annotated labels; empty without annotation."""
    return {
        (item.estimate.provider, item.estimate.at["fmr"]): item
        for item in source.select("fnmr_by_labels")
        if (item.estimate.group, item.estimate.at["labels"]) == ("all", "annotated")
    }


def _held(source: Source, found: Sequence[Record]) -> Text:
    """Whether the intervals hold the rates on annotated labels; empty without annotation."""
    said = _annotated(source)
    if not said:
        return ()
    missed: list[Part] = []
    for item in found:
        told = said.get((item.estimate.provider, item.estimate.at.get("fmr")))
        own = item.bound(Target.POPULATION)
        if _rate(item) != "fnmr" or told is None or told.estimate.value is None or own is None:
            continue
        low, high = own.interval.low, own.interval.high
        if low is not None and high is not None and not low <= told.estimate.value <= high:
            at = phrases.at_words({"fmr": item.estimate.at["fmr"]}, item.pointer)
            missed += [", " if missed else "", TextSpan(text=item.estimate.provider, kind="b"), " at ", *at]
    so: list[Part] = ["They miss it for ", *missed, "."] if missed else ["They contain it for every service."]
    return spans(
        "The simulation does not use annotation. Where faces were annotated, the last column gives FNMR on "
        "annotated labels (see also section ",
        TextSpan(text="Labels", kind="#identity_labels"),
        "), as a check of the intervals: ",
        *so,
    )


def _at(rate: str, point: Point) -> str:
    """FMR is read at the threshold that the labels gave for a target."""
    return (
        "FMR at the reported threshold of " if (rate, point[0]) == ("fmr", "fmr") else f"{rate.upper()} at "
    )


def _overall(source: Source, found: Sequence[Record], rows: Rows) -> Table:
    """Reported and true side by side, each with its interval for the population."""
    notes, said = Footnotes(), _annotated(source)
    cells = {}
    for item in found:
        key = _key(item, _rate(item))
        told = said.get((item.estimate.provider, item.estimate.at.get("fmr"))) if key[0] == "fnmr" else None
        last = (TextSpan(text=phrases.ABSENT),) if told is None else phrases.value(told, notes)
        plain = rows.reported.get(key)
        shown = (TextSpan(text=phrases.ABSENT),) if plain is None else phrases.value(plain, notes)
        cells[key[:3]] = (
            shown,
            *interval_cells(plain, notes, Target.POPULATION),
            phrases.value(item, notes),
            *interval_cells(item, notes, Target.POPULATION),
            *((last,) if said else ()),
        )
    columns = (
        Column(title="Service"),
        Column(title="as reported", kind="num"),
        Column(title="interval", kind="num"),
        Column(title="on drawn labels", kind="num"),
        Column(title="interval, labels in doubt included", kind="num"),
        *((Column(title="on annotated labels", kind="num"),) if said else ()),
    )
    caption = spans(
        TextSpan(text="Rates on simulated true labels. ", kind="b"),
        "As reported: estimated labels, interval for the population. On simulated labels: the mean of both "
        "assumptions, not an estimate of the true rate; the interval covers both, for the population.",
    )
    return build_table("label-cost", caption, columns, _blocks(source, found, cells), notes)


def _costs(source: Source, found: Sequence[Record], rows: Rows) -> Table:
    """Reported less true, in all, by faces left out, by wrong labels."""
    notes = Footnotes()
    cells = {
        key[:3]: tuple(
            phrases.value(rows.cost[*key, of], notes, places=POINTS)
            if (*key, of) in rows.cost
            else (TextSpan(text=phrases.ABSENT),)
            for of in ("all", "left_out", "wrong")
        )
        for key in (_key(item, _rate(item)) for item in found)
    }
    columns = (
        Column(title="Service"),
        Column(title="reported less drawn", kind="num"),
        Column(title="by faces left out (type A)", kind="num"),
        Column(title="by wrong labels (type B)", kind="num"),
    )
    caption = spans(
        TextSpan(text="Effect of label errors on the rates. ", kind="b"),
        "Mean of both assumptions, in percentage points: below 0 the reported rate is too low.",
    )
    return build_table("label-cost-kinds", caption, columns, _blocks(source, found, cells), notes)


def _groups(source: Source, true: Sequence[Record], rows: Rows) -> Iterator[Table]:
    """FNMR of each group, reported and on true labels, at each point."""
    found = [item for item in true if item.estimate.schema is not None and _rate(item) == "fnmr"]
    heads = dict.fromkeys((item.estimate.schema, _point(item)) for item in found)
    if not heads:
        return
    notes = Footnotes()
    blocks = []
    for schema, point in heads:
        own = [item for item in found if (item.estimate.schema, _point(item)) == (schema, point)]
        lines = tuple(_group_row(source, item, rows, notes) for item in own)
        words = phrases.at_words(dict([point]), own[0].pointer)
        blocks.append(Block(head=spans(f"{str(schema).replace('_', ' ')}, FNMR at ", *words), rows=lines))
    columns = (
        Column(title="Service"),
        Column(title="Group"),
        Column(title="as reported", kind="num"),
        Column(title="on drawn labels", kind="num"),
        Column(title="interval, labels in doubt included", kind="num"),
    )
    caption = spans(
        TextSpan(text="By group. ", kind="b"),
        "Of queries with labels: the group of a query that was left out is not known.",
    )
    yield build_table("label-cost-groups", caption, columns, blocks, notes)


def _group_row(source: Source, item: Record, rows: Rows, notes: Footnotes) -> tuple[Text, ...]:
    plain = rows.reported.get(_key(item, "fnmr"))
    return (
        (TextSpan(text=item.estimate.provider, pointer=f"{item.pointer}/provider", kind="b"),),
        (phrases.group(source, item),),
        (TextSpan(text=phrases.ABSENT),) if plain is None else phrases.value(plain, notes),
        phrases.value(item),
        *interval_cells(item, notes, Target.POPULATION),
    )


def _figures(found: Sequence[Record], rows: Rows) -> Iterator[Figure]:
    """A panel for each target: each service's plain interval, thick, and the one that knows of the labels, thin."""
    drawn = [item for item in found if _rate(item) == "fnmr" and "fmr" in item.estimate.at]
    panels = []
    for place, point in enumerate(dict.fromkeys(_point(item) for item in drawn)):
        own = [item for item in drawn if _point(item) == point]
        title = f"FNMR at FMR {formatting.exact(float(str(point[1])))}"
        lines = [line for item in own if (line := _reach(item, rows)) is not None]
        if lines:
            panels.append(labels.reaching(f"label-cost-{place}", title, lines))
    if panels:
        yield Figure(
            name="label-cost",
            title="FNMR as reported and on drawn labels",
            caption=spans(
                "Thick, with a dot: as reported, on estimated labels. Thin, with a vertical line: on simulated "
                "labels, under both assumptions. Where a thin line is much longer than the thick one, annotation of "
                "the uncertain faces is more useful than more faces."
            ),
            panels=tuple(panels),
            keys=(),
        )


def _reach(item: Record, rows: Rows) -> Reach | None:
    plain = rows.reported.get(_key(item, "fnmr"))
    own = item.bound(Target.POPULATION)
    if plain is None or plain.estimate.value is None or item.estimate.value is None:
        return None
    ruled = plain.bound(Target.POPULATION)
    return Reach(
        row=item.estimate.provider,
        value=plain.estimate.value,
        reported=None if ruled is None else (ruled.interval.low, ruled.interval.high),
        true=item.estimate.value,
        on_truth=None if own is None else (own.interval.low, own.interval.high),
    )
