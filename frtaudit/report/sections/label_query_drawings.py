"""What the section on labels draws of the queries: faces of each, their classes, one of each kind."""

from collections.abc import Iterator, Sequence

from frtaudit.core import Curve
from frtaudit.core.text.file_names import name_of
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import label_matrices
from frtaudit.report.figures import labels as label_figures
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Figure, Key, spans
from frtaudit.report.sections import front
from frtaudit.report.source import Source
from frtaudit.report.words import display_name, words

COUNTS, SIZES, SHARES = "label_counts", "label_sizes", "label_shares"
FACE_SIZES = "face_sizes"
MATRIX, VECTORS = "confidence_matrix", "confidence_vectors"
RIGHT = (
    "Right: the share that shows its person by annotation, a dot for each query; box: quartiles, whiskers: tenths. "
    "Queries that the estimate left out are among them."
)


def label_curves(source: Source, kind: str, *, grouped: bool = False) -> list[Curve]:
    """Curves of one kind that have points, of classes or of no schema."""
    return [
        curve
        for curve in source.result.curves
        if curve.analysis == kind and curve.x and (curve.schema is not None) == grouped
    ]


def keys_of(name: str, names: Sequence[str]) -> tuple[Key, ...]:
    """The legend of a figure whose series are numbered in the order of their names."""
    return figures.keys(name, list(enumerate(names)))


def queries(source: Source) -> Iterator[Figure]:
    """Faces of queries; right ones of each, annotated and estimated; by class (Figures S.1 to S.3, S.6)."""
    counts = label_curves(source, COUNTS)
    reasons = list(dict.fromkeys(count.group for count in counts))
    names = [display_name(words().left_out, reason) for reason in reasons]
    panels = []
    for metric, title in (("faces", "Right faces of each query"), ("share", "Right faces as a share")):
        series = [
            Series(name=names[reasons.index(count.group)], index=reasons.index(count.group), curve=count)
            for count in counts
            if count.metric == metric
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
    sizes = [Series(name="queries", index=0, curve=curve) for curve in label_curves(source, SIZES)]
    panels = [label_figures.sizes("labels-sizes", "Faces of each query", trace) for trace in sizes]
    shares = [*label_curves(source, SHARES), *label_curves(source, SHARES, grouped=True)]
    series = []
    for number, share in enumerate(shares):
        name = "all" if share.schema is None else source.label(share.schema, share.group)
        series.append(Series(name=name, index=number, curve=share))
    if series:
        panels.append(label_figures.boxes("labels-shares", "Right faces by class", series))
    caption = (
        spans("Left: how many faces a query has. ", RIGHT) if series else spans("How many faces a query has.")
    )
    if panels:
        title = "What the queries found"
        yield Figure(name="labels-queries", title=title, caption=caption, panels=tuple(panels))


def face_sizes(source: Source) -> Iterator[Figure]:
    """Of each service with boxes the sizes of the faces in them (Figure S.4)."""
    series = front.series(source, label_curves(source, FACE_SIZES))
    if series:
        yield Figure(
            name="labels-face-sizes",
            title="Sizes of faces",
            caption=spans(
                "Harmonic mean of width and height of each box, of the faces that all services found. Services draw "
                "boxes of different tightness round the same face."
            ),
            panels=(label_figures.face_sizes("labels-face-sizes", "Sizes of faces", series),),
            keys=figures.keys("labels-face-sizes", [(trace.index, trace.name) for trace in series]),
        )


def examples(source: Source) -> Iterator[Figure]:
    """Of each service one query of each kind: confidences; z, eigenvectors and the decision (Figures 3, S.5)."""
    matrices, vectors = (label_curves(source, kind) for kind in (MATRIX, VECTORS))
    for service in dict.fromkeys(curve.provider for curve in matrices):
        place = source.providers.index(service)
        panels = []
        for curve in (matrix for matrix in matrices if matrix.provider == service):
            title = display_name(words().left_out, curve.group)
            series = Series(name=title, index=0, curve=curve)
            name = name_of("labels-matrix", service, curve.group)
            panels.append(label_matrices.matrix(name, title, series))
            name = name_of("labels-eigenvectors", service, curve.group)
            for other in vectors:
                if (other.provider, other.group) == (service, curve.group):
                    vector = Series(name=title, index=0, curve=other)
                    panels.append(label_matrices.eigenvectors(name, title, series, vector))
        yield Figure(
            name=f"labels-examples-{place}",
            title=f"One query of each kind, by {service}",
            caption=spans(
                "Left: confidences scaled to 0 and 1 between the modes of the scores; one dark block is one person. "
                "Right: z in black, eigenvectors of the people found in colour; marks on top are the decision of "
                "all services: dot, the query's person; cross, another person; stroke, left out."
            ),
            panels=tuple(panels),
        )
