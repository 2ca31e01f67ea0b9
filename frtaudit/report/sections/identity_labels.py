"""Labels read off the services' own scores: what they are, how right, and what they do to the rates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frtaudit.core import Curve
from frtaudit.report import figures, label_figures, phrases, vendor_figures
from frtaudit.report.figures import Series
from frtaudit.report.pieces import Block, Column, Figure, Footnotes, Panel, Part, Piece, Table, Text, say
from frtaudit.report.sections.tables import finished
from frtaudit.report.source import Record, Source
from frtaudit.report.words import called, words

DET, COUNTS, MATRIX = "labels_det", "label_counts", "confidence_matrix"
KINDS = ("estimated", "annotated", "achievable", "no_vote")
ANSWERS = {1.0: "of the query's person", 0.0: "not", -1.0: "not known, or left out"}

SAID = (
    "Nobody said who is on which image. A query's person is the one that most of its faces show, in the eyes of most "
    "services; faces and queries where that cannot be told are left out. Such labels leave out the hardest faces, so "
    "that rates on them tend to be too low. "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The view: how labels came about, tables, figures."""

    lead: Text
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


def build(source: Source) -> Labels | None:
    """None where nobody asked who is who."""
    queries = source.select("label_queries")
    if not queries:
        return None
    tables = [_queries(queries), _confusion(source), _rates(source), _groups(source), _subsets(source)]
    drawn = [_curves(source), _counts(source), _examples(source)]
    return Labels(
        lead=_lead(source),
        tables=tuple(item for item in tables if item is not None),
        figures=tuple(item for item in drawn if item is not None),
    )


def _lead(source: Source) -> Text:
    """What a reader must know before the first number."""
    parts: list[Part] = [SAID]
    found = source.select("label_agreement")
    if found:
        parts += [
            "Where faces were annotated, ",
            *phrases.value(found[0]),
            " of the labels agree (",
            *phrases.counts(found[0]),
            ").",
        ]
    else:
        parts.append("No face was annotated, so that this report cannot say how right the labels are.")
    return say(*parts)


def _queries(found: Sequence[Record]) -> Table:
    rows = tuple(
        (
            (
                Piece(
                    text=called(words().left_out, str(item.estimate.at["reason"])),
                    pointer=f"{item.pointer}/at/reason",
                ),
            ),
            phrases.counts(item),
            phrases.value(item),
        )
        for item in found
        if item.estimate.numerator
    )
    columns = (
        Column(title="Queries", kind="wide"),
        Column(title="of all", kind="num"),
        Column(title="share", kind="num"),
    )
    caption = say(
        Piece(text="What became of the queries. ", kind="b"), "Each stands under the first reason that holds."
    )
    return finished("label-queries", caption, columns, [Block(rows=rows)], Footnotes())


def _confusion(source: Source) -> Table | None:
    found = {
        (item.estimate.at["annotated"], item.estimate.at["estimated"]): item
        for item in source.select("label_confusion")
    }
    if not found:
        return None
    rows = tuple(
        ((Piece(text=word, kind="b"),), *(phrases.counts(found[said, label]) for label in ANSWERS))
        for said, word in ANSWERS.items()
    )
    columns = (
        Column(title="Annotated"),
        Column(title="labelled as of it", kind="num"),
        Column(title="labelled as not", kind="num"),
        Column(title="left out", kind="num"),
    )
    caption = say(
        Piece(text="Labels against annotation. ", kind="b"),
        "Left out: errors of type A, which change whom the rates are of. Labelled otherwise: type B, which change "
        "the rates.",
    )
    return finished("label-confusion", caption, columns, [Block(rows=rows)], Footnotes())


def _rates(source: Source) -> Table | None:
    """FNMR of everybody at each target, one row for each service, one column for each kind of label."""
    found = [item for item in source.select("fnmr_by_labels") if item.estimate.group == "all"]
    kinds = [kind for kind in KINDS if any(item.estimate.at["labels"] == kind for item in found)]
    by = {
        (item.estimate.at["fmr"], item.estimate.provider, item.estimate.at["labels"]): item for item in found
    }
    notes = Footnotes()
    blocks = [
        Block(
            head=phrases.at_words({"fmr": target}, by[target, source.providers[0], kinds[0]].pointer),
            rows=tuple(
                (
                    (Piece(text=name, kind="b"),),
                    *(_cell(by.get((target, name, kind)), notes) for kind in kinds),
                )
                for name in source.providers
            ),
        )
        for target in sorted({item.estimate.at["fmr"] for item in found}, key=float, reverse=True)
    ]
    if not blocks:
        return None
    columns = (
        Column(title="Service"),
        *(Column(title=called(words().labels, kind), kind="num") for kind in kinds),
    )
    caption = say(
        Piece(text="FNMR by whose labels. ", kind="b"),
        "Achievable: annotated labels of the faces that the estimate kept. Without a vote: each service judged by "
        "its own labels. Pooled over comparisons.",
    )
    return finished("label-rates", caption, columns, blocks, notes)


def _cell(record: Record | None, notes: Footnotes) -> Text:
    return (Piece(text=phrases.ABSENT),) if record is None else phrases.value(record, notes)


def _groups(source: Source) -> Table | None:
    """EER of each group, estimated beside annotated (Figure 5)."""
    found = [item for item in source.select("eer_by_labels") if item.estimate.schema is not None]
    kinds = [kind for kind in KINDS[:2] if any(item.estimate.at["labels"] == kind for item in found)]
    by = {
        (item.estimate.schema, item.estimate.group, item.estimate.provider, item.estimate.at["labels"]): item
        for item in found
    }
    notes = Footnotes()
    blocks = [
        Block(
            head=(Piece(text=f"{str(schema).replace('_', ' ')}: {source.label(str(schema), group)}"),),
            rows=tuple(
                (
                    (Piece(text=name, kind="b"),),
                    *(_cell(by.get((schema, group, name, kind)), notes) for kind in kinds),
                )
                for name in source.providers
            ),
        )
        for schema, group in dict.fromkeys((schema, group) for schema, group, _, _ in by)
    ]
    if not blocks:
        return None
    columns = (
        Column(title="Service"),
        *(Column(title=called(words().labels, kind), kind="num") for kind in kinds),
    )
    caption = say(
        Piece(text="Equal error rate by group. ", kind="b"),
        "Both people of a comparison are of it.",
    )
    return finished("label-groups", caption, columns, blocks, notes)


def _subsets(source: Source) -> Table | None:
    """FNMR under the labels of each subset of the services (Figure S.13)."""
    found = [item for item in source.select("fnmr_by_labels") if "+" in str(item.estimate.at["labels"])]
    if not found:
        return None
    target = max(float(item.estimate.at["fmr"]) for item in found)
    own = [item for item in found if item.estimate.at["fmr"] == target]
    by = {(item.estimate.at["labels"], item.estimate.provider): item for item in own}
    notes = Footnotes()
    rows = tuple(
        (
            (
                Piece(
                    text=str(names).replace("+", ", "),
                    pointer=f"{next(by[k] for k in by if k[0] == names).pointer}/at/labels",
                ),
            ),
            *(_cell(by.get((names, name)), notes) for name in source.providers),
        )
        for names in dict.fromkeys(names for names, _ in by)
    )
    columns = (Column(title="Labels by"), *(Column(title=name, kind="num") for name in source.providers))
    caption = say(
        Piece(text="Fewer services. ", kind="b"),
        "FNMR at ",
        *phrases.at_words({"fmr": target}, own[0].pointer),
        " under the labels of every subset of three and more. A service is judged by subsets that it belongs to.",
    )
    return finished("label-subsets", caption, columns, [Block(rows=rows)], notes)


def _of(source: Source, kind: str) -> list[Curve]:
    return [item for item in source.result.curves if item.analysis == kind and item.x]


def _curves(source: Source) -> Figure | None:
    """A panel for each service: its curve under each kind of label (Figures 1, S.7, S.8)."""
    found = _of(source, DET)
    if not found:
        return None
    kinds = [kind for kind in KINDS if any(item.metric == kind for item in found)]
    panels = tuple(
        vendor_figures.overlaid(
            f"labels-{place}",
            name,
            [
                Series(
                    name=called(words().labels, str(item.metric)),
                    index=kinds.index(str(item.metric)),
                    curve=item,
                )
                for item in found
                if item.provider == name and any(y > 0 for y in item.y)
            ],
            "FNMR",
            rates=True,
        )
        for place, name in enumerate(source.providers)
        if any(item.provider == name and any(y > 0 for y in item.y) for item in found)
    )
    return Figure(
        name="labels-det",
        title="FNMR over FMR by whose labels",
        caption=say("The nearer the estimated curve lies to the annotated one, the less the labels cost."),
        panels=panels,
        keys=figures.keys("labels-det", [(n, called(words().labels, kind)) for n, kind in enumerate(kinds)]),
    )


def _counts(source: Source) -> Figure | None:
    found = _of(source, COUNTS)
    if not found:
        return None
    names = [called(words().left_out, item.group) for item in found]
    series = [
        Series(name=name, index=place, curve=item)
        for place, (name, item) in enumerate(zip(names, found, strict=True))
    ]
    return Figure(
        name="labels-counts",
        title="Right faces of each query",
        caption=say(
            "By annotation. What is left out should lie to the left, where few faces show the person."
        ),
        panels=(label_figures.scattered("labels-counts", "Right faces of each query", series),),
        keys=figures.keys("labels-counts", list(enumerate(names))),
    )


def _examples(source: Source) -> Figure | None:
    found = _of(source, MATRIX)
    if not found:
        return None
    return Figure(
        name="labels-examples",
        title="One query of each kind, in the eyes of one service",
        caption=say(
            "Confidences scaled to 0 and 1 between the modes of the scores. One dark block: one person. The line: z."
        ),
        panels=tuple(_matrices(found)),
    )


def _matrices(found: Sequence[Curve]) -> Iterator[Panel]:
    for place, item in enumerate(found):
        title = called(words().left_out, item.group)
        yield label_figures.matrix(f"labels-matrix-{place}", title, Series(name=title, index=0, curve=item))
