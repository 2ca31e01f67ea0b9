"""What estimated labels cost: rates as reported beside rates on true labels, and why they may differ."""

from collections.abc import Iterator, Mapping, Sequence

from frtaudit.core import Target
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import number_name
from frtaudit.report import phrases
from frtaudit.report.figures import labels, scales
from frtaudit.report.figures.labels import Reach
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, header, interval_cells, provider
from frtaudit.report.source import Record, Source, grouped

Point = tuple[str, float | str]
Reported = Mapping[tuple[object, ...], Record]  # by rate, point, provider, schema and group

RATES = ("fnmr", "fmr")
POINTS = 2  # decimals of a difference of rates in percent
NOT_MADE = "label_cost was not made: "
MEANS = (
    "Labels are estimated, and some faces have none. Therefore true labels were simulated many times from the "
    "scores of this audit, on its faces, queries, services and comparisons: each time queries were resampled, and "
    "the identity of each of their faces was drawn, with or without a label. A face with a score between those that "
    "are clearly the person's and those that clearly are not may be a poor image of the person or another person "
    "who looks similar; scores cannot tell. So true labels were simulated under two extreme assumptions: all such "
    "faces show other people, or as many as possible show the person, a share that must not rise as scores fall. "
    "The interval on true labels covers both. Where it is wide, only annotation can make it narrower."
)
BLIND = (
    "The simulation does not include images of the person whose scores at all services are as low as those of other "
    "people: for each such image in a thousand of the person's faces, FNMR is about 0.2 percentage points higher."
)


@section("label_cost", "Effect of label errors", after="identity_labels")
def build(source: Source) -> View | None:
    """None where nobody asked; where nothing could be drawn, why."""
    true = [record for name in RATES for record in source.select(f"{name}_true_labels")]
    if not true:
        why = [note for note in source.result.notes if note.startswith(NOT_MADE)]
        text = f"The effect of label errors is not estimated: {why[0].removeprefix(NOT_MADE)}." if why else ""
        return View(lead=(spans(text),)) if text else None
    reported = {}
    for metric, rate in (("fnmr_at_fmr", "fnmr"), ("fnmr", "fnmr"), ("fmr", "fmr")):
        for record in source.select(metric):
            if record.estimate.weighting == "pooled" and {"fmr", "threshold"} & set(record.estimate.at):
                reported[_key(record, rate)] = record
    everybody = [record for record in true if record.estimate.schema is None]
    return View(
        lead=tuple(
            text_spans
            for text_spans in (spans(MEANS), _uncertain_faces(source), spans(BLIND), _held(source, everybody))
            if text_spans
        ),
        tables=(
            _overall(source, everybody, reported),
            _costs(source, everybody),
            *_groups(source, true, reported),
        ),
        figures=tuple(_figures(source, everybody, reported)),
        shown=(1, 1),
    )


def _point(record: Record) -> Point:
    """The operating point: a target, or a threshold."""
    at = record.estimate.at
    return ("fmr", at["fmr"]) if "fmr" in at else ("threshold", at["threshold"])


def _key(record: Record, rate: str) -> tuple[object, ...]:
    estimate = record.estimate
    return (rate, _point(record), estimate.provider, estimate.schema, estimate.group)


def _rate(record: Record) -> str:
    return record.estimate.metric.removesuffix("_true_labels")


def _uncertain_faces(source: Source) -> Text:
    """How many faces have uncertain labels, under both assumptions."""
    records = {
        (record.estimate.at["end"], record.estimate.at["of"]): record
        for record in source.select("labels_in_doubt")
    }
    if not records:
        return ()

    def span(of: str) -> Text:
        ends = sorted(
            (records[end, of] for end in ("few", "many")), key=lambda record: record.estimate.value or 0.0
        )
        low, high = (
            phrases.whole(round(record.estimate.value or 0.0), f"{record.pointer}/value") for record in ends
        )
        return (low,) if low.text == high.text else spans(low, " to ", high)

    parts: list[Part] = [
        "Uncertain labels: ",
        *phrases.counted(span("left_out"), "face"),
        " of the persons left out (errors of type A, which change the set of faces), ",
        *span("missed"),
        " labelled as another person, and ",
        *phrases.counted(span("strangers"), "face"),
        " of others labelled as the person (errors of type B, which change the rates), among ",
        *phrases.counted(span("own"), "face"),
        " of the person searched for.",
    ]
    left = [record for record in source.select("label_faces") if record.estimate.at["estimated"] == -1]
    parts += [" Left out in all: ", *phrases.counts(left[0]), " faces."] if left else []
    return spans(*parts)


def _blocks(
    source: Source, records: Sequence[Record], cells: Mapping[tuple[object, ...], tuple[Text, ...]]
) -> list[Block]:
    """A block for each rate and point, a row for each service."""
    heads: dict[tuple[str, Point], Record] = {}
    for record in records:
        heads.setdefault((_rate(record), _point(record)), record)
    blocks = []
    for (rate, point), record in heads.items():
        start = f"{rate.upper()} at "
        if (rate, point[0]) == ("fmr", "fmr"):  # read at the threshold that the labels gave for a target
            start = "FMR at the reported threshold of "
        rows = tuple(
            ((phrases.bold(name),), *cells[rate, point, name])
            for name in source.providers
            if (rate, point, name) in cells
        )
        blocks.append(Block(head=spans(start, *phrases.at_words(dict([point]), record.pointer)), rows=rows))
    return blocks


def _annotated(source: Source) -> dict[tuple[str, object], Record]:
    """(service, FMR target) to FNMR of everybody on annotated labels; empty without annotation."""
    return {
        (record.estimate.provider, record.estimate.at["fmr"]): record
        for record in source.select("fnmr_by_labels")
        if (record.estimate.group, record.estimate.at["labels"]) == ("all", "annotated")
    }


def _held(source: Source, records: Sequence[Record]) -> Text:
    """Whether the intervals hold the rates on annotated labels; empty without annotation."""
    annotated = _annotated(source)
    if not annotated:
        return ()
    missed: list[Part] = []
    for record in records:
        annotation = annotated.get((record.estimate.provider, record.estimate.at.get("fmr")))
        bound = record.bound(Target.POPULATION)
        if _rate(record) != "fnmr" or annotation is None or bound is None:
            continue
        value, low, high = annotation.estimate.value, bound.interval.low, bound.interval.high
        if value is not None and low is not None and high is not None and not low <= value <= high:
            at = phrases.at_words({"fmr": record.estimate.at["fmr"]}, record.pointer)
            missed += [", " if missed else "", phrases.bold(record.estimate.provider), " at ", *at]
    so: list[Part] = (
        ["They do not contain it for ", *missed, "."] if missed else ["They contain it for every service."]
    )
    return spans(
        "The simulation does not use annotation. Where faces were annotated, the last column gives FNMR on "
        "annotated labels (see also section ",
        TextSpan(text="Labels", kind="#identity_labels"),
        "), as a check of the intervals. ",
        *so,
    )


def _overall(source: Source, records: Sequence[Record], reported: Reported) -> Table:
    """Reported and true side by side, each with its interval for the population."""
    notes, annotated = Footnotes(), _annotated(source)
    cells = {}
    for record in records:
        key = _key(record, _rate(record))
        annotation = annotated.get((record.estimate.provider, record.estimate.at.get("fmr")))
        last = phrases.value(annotation if key[0] == "fnmr" else None, notes)
        plain = reported.get(key)
        cells[key[:3]] = (
            phrases.value(plain, notes),
            *interval_cells(plain, notes, Target.POPULATION),
            phrases.value(record, notes),
            *interval_cells(record, notes, Target.POPULATION),
            *((last,) if annotated else ()),
        )
    titles = ["as reported", "interval", "on simulated labels", "interval, uncertain labels included"]
    columns = header(["Service"], [*titles, *(["on annotated labels"] if annotated else [])])
    caption = phrases.titled(
        "Rates on simulated true labels.",
        "Pooled rates",
        ""
        if source.weighting == "pooled"
        else "; the rates of the first page weight each subject equally, at thresholds of their own",
        ". As reported: estimated labels, interval for the population. That interval takes these labels as "
        "correct: where they are wrong it may not contain the true rate. On simulated labels: the mean of "
        "both assumptions, not an estimate of the true rate; the interval covers both, for the population.",
    )
    return build_table("label-cost", caption, columns, _blocks(source, records, cells), notes)


def _costs(source: Source, records: Sequence[Record]) -> Table:
    """Reported less true, in all, by faces left out, by wrong labels."""
    notes = Footnotes()
    costs = {
        (*_key(record, str(record.estimate.at["rate"])), record.estimate.at["of"]): record
        for record in source.select("label_cost")
    }
    cells = {
        key[:3]: tuple(
            phrases.value(costs.get((*key, of)), notes, places=POINTS) for of in ("all", "left_out", "wrong")
        )
        for key in (_key(record, _rate(record)) for record in records)
    }
    columns = header(
        ["Service"], ["reported minus simulated", "by faces left out (type A)", "by wrong labels (type B)"]
    )
    caption = phrases.titled(
        "Effect of label errors on the rates.",
        "Mean of both assumptions, in percentage points: below 0 the reported rate is too low.",
    )
    return build_table("label-cost-kinds", caption, columns, _blocks(source, records, cells), notes)


def _groups(source: Source, true: Sequence[Record], reported: Reported) -> Iterator[Table]:
    """FNMR of each group, reported and on true labels, at each point."""
    records = [record for record in true if record.estimate.schema is not None and _rate(record) == "fnmr"]
    if not records:
        return
    notes = Footnotes()
    blocks = []
    heads = grouped(records, lambda record: (record.estimate.schema, _point(record)))
    for (schema, point), point_records in heads.items():
        lines = tuple(_group_row(source, record, reported, notes) for record in point_records)
        words = phrases.at_words(dict([point]), point_records[0].pointer)
        blocks.append(Block(head=spans(f"{str(schema).replace('_', ' ')}, FNMR at ", *words), rows=lines))
    columns = header(
        ["Service", "Group"], ["as reported", "on simulated labels", "interval, uncertain labels included"]
    )
    caption = phrases.titled(
        "By group.", "Of queries with labels: the group of a query that was left out is not known."
    )
    yield build_table("label-cost-groups", caption, columns, blocks, notes)


def _group_row(source: Source, record: Record, reported: Reported, notes: Footnotes) -> tuple[Text, ...]:
    return (
        (provider(record),),
        (phrases.group(source, record),),
        phrases.value(reported.get(_key(record, "fnmr")), notes),
        phrases.value(record),
        *interval_cells(record, notes, Target.POPULATION),
    )


def _figures(source: Source, records: Sequence[Record], reported: Reported) -> Iterator[Figure]:
    """A panel for each target: each service's plain interval, thick, and the one that knows of the labels, thin."""
    panels = scales.alike(lambda: _panels(source, records, reported))
    if panels:
        yield Figure(
            name="label-cost",
            title="FNMR as reported and on simulated labels",
            caption=spans(
                "Pooled rates. Thick, with a dot: as reported, on estimated labels. Thin, with a vertical line: on "
                "simulated labels, under both assumptions. Where a thin line is much longer than the thick one, "
                "annotation of the uncertain faces is more useful than more faces."
            ),
            panels=panels,
            keys=(),
        )


def _panels(source: Source, records: Sequence[Record], reported: Reported) -> Iterator[Panel]:
    drawn = [record for record in records if _rate(record) == "fnmr" and "fmr" in record.estimate.at]
    for point, point_records in grouped(drawn, _point).items():
        target = float(str(point[1]))
        lines = [line for record in point_records if (line := _reach(source, record, reported)) is not None]
        if lines:
            name = f"labels-fnmr-at-fmr-{number_name(target)}"
            yield labels.reaching(name, f"FNMR at FMR {formatting.exact(target)}", lines)


def _reach(source: Source, record: Record, reported: Reported) -> Reach | None:
    plain = reported.get(_key(record, "fnmr"))
    bound = record.bound(Target.POPULATION)
    if plain is None or plain.estimate.value is None or record.estimate.value is None:
        return None
    ruled = plain.bound(Target.POPULATION)
    return Reach(
        row=record.estimate.provider,
        index=source.providers.index(record.estimate.provider),
        value=plain.estimate.value,
        reported=None if ruled is None else (ruled.interval.low, ruled.interval.high),
        true=record.estimate.value,
        on_truth=None if bound is None else (bound.interval.low, bound.interval.high),
    )
