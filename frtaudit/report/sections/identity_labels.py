"""Labels estimated from the services' own scores: what they are, how right, and what they do to the rates."""

from collections.abc import Iterator, Sequence

from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, listed, plain_text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import label_drawings, label_modes
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

KINDS = ("estimated", "annotated", "achievable", "no_vote")
ANSWERS = {1.0: "of the query's person", 0.0: "not", -1.0: "not known, or left out"}

SAID = (
    "The images have no identity labels. The person of a query is the most frequent person among its faces, by "
    "majority vote of the services, which are the systems that scored these faces. Faces and queries without a clear "
    "result are left out. "
)
UNKNOWN = (
    "No face was annotated: the accuracy of the labels, and the direction in which label errors change the rates, "
    "are not known."
)
SIDES = {1: "too high", -1: "too low", 0: "the same"}


@section("identity_labels", "Labels", after="two_dates")
def build(source: Source) -> View | None:
    """None where no identities were estimated."""
    queries = source.select("label_queries")
    if not queries:
        return None
    makers = (_confusion, _rates, _several, _groups, _subsets, label_modes.table)
    tables = [_queries(queries), *(make(source) for make in makers)]
    # What a reader must know before the first number; which way labels move rates stands on the first page.
    lead = spans(SAID, UNKNOWN)
    if agreement := source.select("label_agreement"):
        value, counts = phrases.value(agreement[0]), phrases.counts(agreement[0])
        lead = spans(SAID, "Where faces were annotated, ", *value, " of the labels agree (", *counts, ").")
    return View(
        lead=(lead,),
        tables=tuple(table for table in tables if table is not None),
        figures=label_drawings.drawn(source),
        shown=(1, 1),
    )


def against_annotation(source: Source) -> Iterator[Text]:
    """FNMR on estimated labels against annotated ones: of which services it is higher or lower, at which targets."""
    by = {
        (float(record.estimate.at["fmr"]), record.estimate.provider, record.estimate.at["labels"]): record
        for record in source.select("fnmr_by_labels")
        if record.estimate.group == "all" and record.estimate.value is not None
    }
    points: dict[str, list[Text]] = {}
    gaps: dict[str, list[float]] = {}
    for target in sorted({fmr for fmr, _, _ in by}, reverse=True):
        sides: dict[int, list[str]] = {}
        apart: list[float] = []
        for name in source.providers:
            estimated, record = (by.get((target, name, kind)) for kind in KINDS[:2])
            if estimated is not None and record is not None:
                gap = float(estimated.estimate.value or 0.0) - float(record.estimate.value or 0.0)
                sides.setdefault((gap > 0) - (gap < 0), []).append(name)
                apart.append(abs(gap))
        parts = [
            f"{SIDES[side]} for {plain_text(listed(names))}"
            for side, names in sorted(sides.items(), reverse=True)
        ]
        if parts:
            pointer = next(record.pointer for (fmr, _, _), record in by.items() if fmr == target)
            points.setdefault("; ".join(parts), []).append(phrases.at_words({"fmr": target}, pointer))
            gaps.setdefault("; ".join(parts), []).extend(apart)
    for outcome, targets in points.items():
        least, most = (formatting.plain(100 * end(gaps[outcome]), digits=2) for end in (min, max))
        size = most if least == most else f"{least} to {most}"
        yield spans(
            "Against annotation, FNMR at ",
            listed([spans(*at) for at in targets]),
            f" {'is' if len(targets) == 1 else 'are'} {outcome} (by {size} percentage points).",
        )


def _queries(records: Sequence[Record]) -> Table:
    notes = Footnotes()
    rows = []
    for record in records:
        if record.estimate.numerator:
            reason, at = str(record.estimate.at["reason"]), f"{record.pointer}/at/reason"
            text = TextSpan(text=display_name(words().left_out, reason), pointer=at)
            means = notes.mark(words().left_out_means.get(reason), at)
            note = notes.mark(record.estimate.note, f"{record.pointer}/note")
            rows.append(((text, *means, *note), phrases.counts(record), phrases.value(record)))
    columns = (*header([], wide=["Queries"]), *header([], ["of all", "share"]))
    caption = phrases.titled(
        "Queries used and left out.", "Each query is counted under the first reason that applies."
    )
    return build_table("label-queries", caption, columns, [Block(rows=tuple(rows))], notes)


def _confusion(source: Source) -> Table | None:
    records = {
        (record.estimate.at["annotated"], record.estimate.at["estimated"]): record
        for record in source.select("label_confusion")
    }
    if not records:
        return None
    titles = {1: "labelled as of it", 0: "labelled as not", -1: "left out", 2: "labelled as one of several"}
    labels = [label for label in titles if (1, label) in records]
    rows = tuple(
        ((phrases.bold(word),), *(phrases.counts(records[answer, label]) for label in labels))
        for answer, word in ANSWERS.items()
    )
    columns = header(["Annotated"], (titles[label] for label in labels))
    of = (
        " Where each of several people of a query is used, the person named by the query is not known, so labels "
        "cannot be compared with annotation."
        if len(labels) > len(ANSWERS)
        else ""
    )
    caption = phrases.titled(
        "Labels against annotation.",
        "Left out: errors of type A, which change the set of faces. Labelled differently: errors of type B, which "
        "change the rates.",
        of,
    )
    return build_table("label-confusion", caption, columns, [Block(rows=rows)], Footnotes())


def _rates(source: Source) -> Table | None:
    """FNMR of everybody at each target, one row for each service, one column for each kind of label."""
    records = [record for record in source.select("fnmr_by_labels") if record.estimate.group == "all"]
    kinds = [kind for kind in KINDS if any(record.estimate.at["labels"] == kind for record in records)]
    if not records:
        return None
    notes = Footnotes()
    blocks = list(_by_target(source, records, kinds, notes))
    columns = header(["Service"], (display_name(words().labels, kind) for kind in kinds))
    caption = phrases.titled(
        "FNMR by source of labels.",
        "Achievable: annotated labels of the faces with an estimated label. Without a vote: each service evaluated "
        "on its own labels. Pooled over comparisons.",
    )
    return build_table("label-rates", caption, columns, blocks, notes)


def _by_target(
    source: Source, records: Sequence[Record], kinds: Sequence[str], notes: Footnotes, start: str = ""
) -> Iterator[Block]:
    """A block for each FMR target, the largest first; ``start``: what its heading begins with."""
    by_target = grouped(records, lambda record: record.estimate.at["fmr"])
    for target, here in sorted(by_target.items(), key=lambda pair: float(pair[0]), reverse=True):
        head = spans(start, phrases.at_words({"fmr": target}, here[0].pointer))
        yield Block(head=head, rows=_services(source, here, kinds, notes))


def _services(
    source: Source, records: Sequence[Record], kinds: Sequence[str], notes: Footnotes
) -> tuple[tuple[Text, ...], ...]:
    """A row for each service, a cell for each kind of label."""
    by = {(record.estimate.provider, record.estimate.at["labels"]): record for record in records}
    return tuple(
        ((phrases.bold(name),), *(phrases.value(by.get((name, kind)), notes) for kind in kinds))
        for name in source.providers
    )


def _several(source: Source) -> Table | None:
    """What queries of several people change: left out, as published, or each of their people used."""
    by_setting = {
        (metric, str(record.estimate.at["several"])): record
        for metric in ("label_several_queries", "label_several_people", "label_several_faces")
        for record in source.select(metric)
    }
    if not by_setting:
        return None
    notes, settings = Footnotes(), ("drop", "use")
    rows = []
    for metric in dict.fromkeys(metric for metric, _ in by_setting):
        cells = [
            (phrases.whole(record.estimate.value or 0.0, f"{record.pointer}/value"),)
            if record.estimate.denominator is None
            else phrases.counts(record)
            for record in [by_setting[metric, setting] for setting in settings]
        ]
        rows.append(((TextSpan(text=phrases.metric(metric)),), *cells))
    kinds = [f"several_{setting}" for setting in settings]
    several = [record for record in source.select("fnmr_by_labels") if record.estimate.at["labels"] in kinds]
    blocks = [Block(rows=tuple(rows)), *_by_target(source, several, kinds, notes, "FNMR at ")]
    columns = header(["Count, or service"], (display_name(words().labels, kind) for kind in kinds))
    caption = phrases.titled(
        "Queries of several people.",
        "Left out, as published, or each of their people used (cohort.labels.several=use); people of one query are "
        "not compared with each other. Pooled over comparisons.",
    )
    return build_table("label-several", caption, columns, blocks, notes)


def _groups(source: Source) -> Table | None:
    """EER of each group, estimated beside annotated (Figure 5)."""
    records = [record for record in source.select("eer_by_labels") if record.estimate.schema is not None]
    kinds = [kind for kind in KINDS[:2] if any(record.estimate.at["labels"] == kind for record in records)]
    notes = Footnotes()
    blocks = []
    for (schema, group), here in grouped(
        records, lambda record: (record.estimate.schema, record.estimate.group)
    ).items():
        head = TextSpan(text=f"{str(schema).replace('_', ' ')}: {source.label(schema, group)}")
        blocks.append(Block(head=(head,), rows=_services(source, here, kinds, notes)))
    if not blocks:
        return None
    columns = header(["Service"], (display_name(words().labels, kind) for kind in kinds))
    caption = phrases.titled("Equal error rate by group.", "Both subjects of a comparison are of the group.")
    return build_table("label-groups", caption, columns, blocks, notes)


def _subsets(source: Source) -> Table | None:
    """FNMR under the labels of each subset of the services, at every target (Figure S.13)."""
    by = {
        (record.estimate.at["fmr"], record.estimate.at["labels"], record.estimate.provider): record
        for record in source.select("fnmr_by_labels")
        if "+" in str(record.estimate.at["labels"])
    }
    if not by:
        return None
    letter, notes, blocks = label_drawings.letters(source), Footnotes(), []
    for target in sorted({fmr for fmr, _, _ in by}, key=float, reverse=True):
        by_labels = {labels: record for (fmr, labels, _), record in by.items() if fmr == target}
        rows = []
        for labels in sorted(by_labels, key=lambda labels: (str(labels).count("+"), str(labels))):
            text = "".join(letter.get(part, part) for part in str(labels).split("+"))
            head = TextSpan(text=text, pointer=f"{by_labels[labels].pointer}/at/labels")
            cells = (phrases.value(by.get((target, labels, name)), notes) for name in source.providers)
            rows.append(((head,), *cells))
        pointer = next(iter(by_labels.values())).pointer
        blocks.append(Block(head=phrases.at_words({"fmr": target}, pointer), rows=tuple(rows)))
    columns = header(["Labels by"], (letter.get(name, name) for name in source.providers))
    caption = phrases.titled(
        "Fewer services.",
        "FNMR under the labels of every subset of three or more services. A service is evaluated on the subsets "
        "that it belongs to. ",
        "; ".join(f"{sign}: {name}" for name, sign in letter.items()) + ".",
    )
    return build_table("label-subsets", caption, columns, blocks, notes)
