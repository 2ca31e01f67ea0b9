"""What the section on labels draws of the queries: faces of each, their classes, one of each kind."""

from collections.abc import Iterator, Sequence

from frtaudit.core import Curve
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import labels as label_figures
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Figure, Key, Text, spans
from frtaudit.report.source import Source
from frtaudit.report.words import display_name, words

COUNTS, SIZES, SHARES = "label_counts", "label_sizes", "label_shares"
MATRIX, VECTORS = "confidence_matrix", "confidence_vectors"


def label_curves(source: Source, kind: str, *, grouped: bool = False) -> list[Curve]:
    """Curves of one kind that have points, of classes or of no schema."""
    return [
        item
        for item in source.result.curves
        if item.analysis == kind and item.x and (item.schema is not None) == grouped
    ]


def keys_of(name: str, names: Sequence[str]) -> tuple[Key, ...]:
    """The legend of a figure whose series are numbered in the order of their names."""
    return figures.keys(name, list(enumerate(names)))


def queries(source: Source) -> Iterator[Figure]:
    """Faces of queries; right ones of each, annotated and estimated; by class (Figures S.1 to S.3, S.6)."""
    counts = label_curves(source, COUNTS)
    reasons = list(dict.fromkeys(item.group for item in counts))
    names = [display_name(words().left_out, reason) for reason in reasons]
    panels = []
    for metric, title in (("faces", "Right faces of each query"), ("share", "Right faces as a share")):
        series = [
            Series(name=names[reasons.index(item.group)], index=reasons.index(item.group), curve=item)
            for item in counts
            if item.metric == metric
        ]
        if series:
            name = f"labels-counts-{metric}"
            panels.append(label_figures.scattered(name, title, series, shares=metric == "share"))
    if panels:
        yield Figure(
            name="labels-counts",
            title="Right faces of each query",
            caption=spans(
                "One mark for each query. Estimated: faces labelled as the person by most services, before any "
                "query is left out. On the line, both counts are equal."
            ),
            panels=tuple(panels),
            keys=keys_of("labels-counts", names),
        )
    yield from _made_of(source)


def _made_of(source: Source) -> Iterator[Figure]:
    panels = [
        label_figures.sizes(
            "labels-sizes", "Faces of each query", Series(name="queries", index=0, curve=item)
        )
        for item in label_curves(source, SIZES)
    ]
    shares = [*label_curves(source, SHARES), *label_curves(source, SHARES, grouped=True)]
    series = [
        Series(
            name="all" if item.schema is None else source.label(item.schema, item.group),
            index=number,
            curve=item,
        )
        for number, item in enumerate(shares)
    ]
    if series:
        panels.append(label_figures.boxes("labels-shares", "Right faces by class", series))
    if panels:
        yield Figure(
            name="labels-queries",
            title="What the queries found",
            caption=_said(bool(series)),
            panels=tuple(panels),
        )


def _said(annotated: bool) -> Text:  # noqa: FBT001  a private switch
    left = "Left: how many faces a query has. " if annotated else "How many faces a query has."
    right = (
        "Right: the share that shows its person by annotation, a dot for each query; box: quartiles, whiskers: tenths. "
        "A query belongs to a class only where its person is in this audit."
    )
    return spans(left, right if annotated else "")


def examples(source: Source) -> Iterator[Figure]:
    """One query of each kind: confidences; z, eigenvectors and the decision (Figures 3, S.5)."""
    found = {item.group: item for item in label_curves(source, MATRIX)}
    vectors = {item.group: item for item in label_curves(source, VECTORS)}
    panels = []
    for number, (group, item) in enumerate(found.items()):
        title = display_name(words().left_out, group)
        series = Series(name=title, index=0, curve=item)
        panels.append(label_figures.matrix(f"labels-matrix-{number}", title, series))
        if group in vectors:
            other = Series(name=title, index=0, curve=vectors[group])
            panels.append(label_figures.eigenvectors(f"labels-vectors-{number}", title, series, other))
    if panels:
        service = next(iter(found.values())).metric
        yield Figure(
            name="labels-examples",
            title=f"One query of each kind, by {service}",
            caption=spans(
                "Left: confidences scaled to 0 and 1 between the modes of the scores; one dark block is one person. "
                "Right: z in black, eigenvectors of the people found in colour; marks on top are the decision of "
                "all services: dot, the query's person; cross, another person; stroke, left out."
            ),
            panels=tuple(panels),
        )
