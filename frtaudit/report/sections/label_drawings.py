"""What the section on labels draws: every kind of figure of Knott et al., where the result has its numbers.

Long because each kind of figure has a caption of its own, and none of them stands without the others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from frtaudit.core import Curve
from frtaudit.core.text.file_names import name_of, number_name, part_name
from frtaudit.core.text.kinds import place
from frtaudit.report.figures import labels as label_figures
from frtaudit.report.figures import legends, scales
from frtaudit.report.figures.curves import Dot, Series
from frtaudit.report.pieces import Figure, Key, Panel, listed, plain_text, spans
from frtaudit.report.sections import front, label_modes
from frtaudit.report.sections.label_query_drawings import examples, face_sizes, keys_of, label_curves, queries
from frtaudit.report.source import Source, grouped
from frtaudit.report.words import display_name, words

DET, SCORES, RATES = "labels_det", "labels_scores", "labels_rates"
ESTIMATED, ANNOTATED = "estimated", "annotated"
POOLED = " Pooled over comparisons."
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def drawn(source: Source) -> tuple[Figure, ...]:
    """All that there are, in the order of reading."""
    makers = (
        _overview,
        _bands,
        _kinds,
        _by_group,
        _scores,
        _equal_error,
        _subsets,
        queries,
        face_sizes,
        examples,
        label_modes.figures,
    )
    return tuple(figure for make in makers for figure in make(source))


def _drawable(curves: Sequence[Curve]) -> list[Curve]:
    """Those that a logarithmic axis can show."""
    return [curve for curve in curves if any(y > 0 for y in curve.y)]


def _annotated(source: Source) -> bool:
    return any(curve.metric == ANNOTATED for curve in label_curves(source, DET))


def _overview(source: Source) -> Iterator[Figure]:
    """All services in one panel (Figure 1)."""
    drawable = _drawable(label_curves(source, DET))
    place = source.providers.index
    annotated, estimated = _sides(map(_bare, drawable), lambda of: of.provider, lambda of: place(of.provider))
    if not estimated:
        return
    name = "labels-det-services"
    yield Figure(
        name=name,
        title="FNMR over FMR of all services",
        caption=spans(
            "" if annotated else "By estimated labels. ",
            f"FMR as observed; curves start at ten false matches. Further left and lower is better.{POOLED}",
        ),
        panels=(label_figures.det(name, "All services", annotated, wide=True, thin=estimated),),
        keys=(*keys_of(name, source.providers), *_widths(name, annotated=bool(annotated))),
    )


def _sides(
    curves: Iterable[Curve], name: Callable[[Curve], str], index: Callable[[Curve], int]
) -> tuple[list[Series], list[Series]]:
    """Those of annotated labels, and those of estimated ones, each with a name and a pen."""
    series = [(of.metric, Series(name=name(of), index=index(of), curve=of)) for of in curves]
    annotated, estimated = (
        [trace for kind, trace in series if kind == side] for side in (ANNOTATED, ESTIMATED)
    )
    return annotated, estimated


def _widths(name: str, *, annotated: bool) -> tuple[Key, ...]:
    """The legend of thin lines over thick pale ones, where there are both."""
    return label_figures.widths(name, "by estimated labels", "by annotated labels") if annotated else ()


def _bare(curve: Curve) -> Curve:
    """Without its band."""
    return replace(curve, low=None, high=None)


def _bands(source: Source) -> Iterator[Figure]:
    """A panel for each service: estimated with Wilson's band, annotated dashed (Figure S.12)."""
    drawable = _drawable(label_curves(source, DET))
    kinds = [kind for kind in (ESTIMATED, ANNOTATED) if any(curve.metric == kind for curve in drawable)]
    if not any(curve.low is not None for curve in drawable):
        return
    yield Figure(
        name="labels-bands",
        title="Uncertainty of the curves",
        caption=spans(
            "Band: Wilson's interval for the population, pointwise, on the labels used here; at a fixed threshold, "
            f"without label errors.{POOLED}"
        ),
        panels=_panels(source, "labels-bands", [curve for curve in drawable if curve.metric in kinds], kinds),
        keys=keys_of("labels-bands", [display_name(words().labels, kind) for kind in kinds]),
    )


def _panels(source: Source, name: str, curves: Sequence[Curve], kinds: Sequence[str]) -> tuple[Panel, ...]:
    """A panel of each service, a curve of each kind of label."""
    return scales.alike(
        lambda: (
            label_figures.det(
                name_of(name, service),
                service,
                [
                    Series(name=display_name(words().labels, kind), index=kinds.index(kind), curve=curve)
                    for kind in kinds
                    for curve in curves
                    if (curve.provider, curve.metric) == (service, kind)
                ],
            )
            for service in source.providers
            if any(curve.provider == service for curve in curves)
        )
    )


def _kinds(source: Source) -> Iterator[Figure]:
    """A panel for each service: its curve under each kind of label (Figures S.7, S.8)."""
    curves = [_bare(curve) for curve in _drawable(label_curves(source, DET))]
    kinds = [kind for kind in words().labels if any(curve.metric == kind for curve in curves)]
    if not curves:
        return
    yield Figure(
        name="labels-det",
        title="FNMR over FMR by source of labels",
        caption=spans(
            "The distance between the estimated and the annotated curve is the effect of label errors. From "
            "annotated to achievable: faces left out. From achievable to estimated: wrong labels. "
            if len(kinds) > 2
            else "",
            f"Without a vote: each service evaluated on its own labels.{POOLED}",
        ),
        panels=_panels(source, "labels-det", curves, kinds),
        keys=keys_of("labels-det", [display_name(words().labels, kind) for kind in kinds]),
    )


def _by_group(source: Source) -> Iterator[Figure]:
    """A panel for each service, a curve of each class, for each schema (Figure S.11)."""
    drawable = _drawable(label_curves(source, DET, grouped=True))
    for schema, curves in grouped(drawable, lambda curve: str(curve.schema)).items():
        groups = list(dict.fromkeys(curve.group for curve in curves))
        name, labels = f"labels-group-{schema}", [source.label(schema, group) for group in groups]
        yield Figure(
            name=name,
            title=f"FNMR over FMR by {schema.replace('_', ' ')}",
            caption=spans(f"Both subjects of a comparison are of the class.{POOLED}"),
            panels=scales.alike(partial(_group_panels, source, schema, curves, groups)),
            keys=(*keys_of(name, labels), *_widths(name, annotated=_annotated(source))),
        )


def _group_panels(
    source: Source, schema: str, curves: Sequence[Curve], groups: Sequence[str]
) -> Iterator[Panel]:
    for service in source.providers:
        here = [curve for curve in curves if curve.provider == service]
        annotated, estimated = _sides(
            here, lambda of: source.label(schema, of.group), lambda of: groups.index(of.group)
        )
        if estimated:
            name = name_of("labels-det-by-class", schema, service)
            yield label_figures.det(name, service, annotated, thin=estimated)


def _equal_error(source: Source) -> Iterator[Figure]:
    """EER of each class, estimated against annotated (Figure 5)."""
    by = {
        (e.schema, e.group, e.provider, e.at["labels"]): (record, e.value)
        for record in source.select("eer_by_labels", grouped=True)
        if (e := record.estimate).value is not None
    }
    pairs: dict[str, list[tuple[Dot, float]]] = {}
    for (schema, group, service, kind), (record, x) in by.items():
        _, y = by.get((schema, group, service, ESTIMATED), (None, None))
        if kind == ANNOTATED and y is not None:
            row, index = source.label(schema, group), source.providers.index(service)
            dot = Dot(row=row, series=service, index=index, value=x, at=record.pointer)
            pairs.setdefault(str(schema), []).append((dot, y))
    for name, of_schema in pairs.items():
        yield from _equal_error_figures(name, of_schema)


def _equal_error_figures(schema: str, pairs: Sequence[tuple[Dot, float]]) -> Iterator[Figure]:
    """One figure, or several of a few services and groups: more than colours and shapes, two would look alike."""
    services = {dot.series: dot.index for dot, _ in pairs}
    groups = list(dict.fromkeys(dot.row for dot, _ in pairs))
    title = f"Equal error rate by {schema.replace('_', ' ')}"
    by_service = list(front.in_parts(sorted(services, key=services.__getitem__)))
    parts = [(some, rows, of) for _, some in by_service for of, rows in front.in_parts(groups)]
    for at, (some, rows, few) in enumerate(parts):
        name = name_of("labels-eer", schema, part_name(at, len(parts)))
        points = [point for point in pairs if point[0].series in some and point[0].row in rows]
        panel = label_figures.equal_errors(name, title, points, rows, pairs)
        of = f", {plain_text(listed(some))}" if len(by_service) > 1 else ""
        yield Figure(
            name=name,
            title=f"{title}, estimated against annotated{of}{f', {front.first_to_last(rows)}' if few else ''}",
            caption=spans(
                "Colour: service; shape: group. On the line both agree; below it the estimate is too low."
            ),
            panels=(panel,),
            keys=(
                *legends.colours(name, [(services[service], service) for service in some]),
                *legends.shapes(name, rows),
            ),
        )


def _scores(source: Source) -> Iterator[Figure]:
    """For each service its scores and both rates over the threshold (Figures 4, S.9, S.10)."""
    panels = scales.alike(lambda: _score_panels(source), "y")  # scores of services have different scales
    if panels:
        yield Figure(
            name="labels-scores",
            title="Scores, and both rates over the threshold",
            caption=spans(
                "By estimated labels: lines. By annotated ones: pale areas and thick pale lines."
                if _annotated(source)
                else "By estimated labels.",
                POOLED,
            ),
            panels=panels,
            keys=keys_of("labels-scores", ["mated comparisons, FNMR", "non-mated comparisons, FMR"]),
        )


def _score_panels(source: Source) -> Iterator[Panel]:
    sides = {"mated": 0, "non_mated": 1, "fnmr": 0, "fmr": 1}
    names = {"mated": "mated", "non_mated": "non-mated", "fnmr": "FNMR", "fmr": "FMR"}
    for service in source.providers:
        scores, rates = (
            [curve for curve in label_curves(source, kind) if curve.provider == service]
            for kind in (SCORES, RATES)
        )
        (thick, thin), of_rates = (
            _sides(curves, lambda of: names[str(of.rate)], lambda of: sides[str(of.rate)])
            for curves in (scores, rates)
        )
        if thin:
            ends = [score for curve in (*scores, *rates) for score in (min(curve.x), max(curve.x))]
            name, across = name_of("labels-scores", service), (min(ends), max(ends))
            yield label_figures.score_histograms(name, service, thick, outline=thin, across=across)
            yield label_figures.rates(name_of("labels-rates", service), service, *of_rates, across)


def _subsets(source: Source) -> Iterator[Figure]:
    """|FNMR estimated - annotated| by subset of the services, a panel for each FMR target (Figure S.13).

    Long because what is set against what depends on whether there is an annotation.
    """
    records = [record for record in source.select("fnmr_by_labels") if record.estimate.group == "all"]
    value = {
        (float(e.at["fmr"]), str(e.at["labels"]), e.provider): e.value
        for record in records
        if (e := record.estimate).value is not None
    }
    sets = {labels for _, labels, _ in value if "+" in labels}
    several = sorted(sets, key=lambda name: (name.count("+"), name))
    if not several:
        return
    base, how = ESTIMATED, "labels by all services"
    if _annotated(source):
        base, how = ANNOTATED, "annotated labels"
    letter = letters(source)
    known = [name for name in several if all(part in letter for part in name.split("+"))]
    columns = ["".join(letter[part] for part in name.split("+")) for name in known]
    if base == ANNOTATED:
        known, columns = [*known, ESTIMATED], [*columns, "all"]
    changes: dict[float, list[list[float | None]]] = {}
    for target in sorted({fmr for fmr, _, _ in value}, reverse=True):
        for service in source.providers:
            basis = value.get((target, base, service))
            rates = [value.get((target, labels, service)) for labels in known]
            row = [None if rate is None or basis is None else abs(rate - basis) for rate in rates]
            changes.setdefault(target, []).append(row)
    gaps = (gap for cells in changes.values() for row in cells for gap in row if gap is not None)
    most = max(gaps, default=0.0)
    panels = []
    for target, cells in changes.items():
        if any(change is not None for row in cells for change in row):
            title = f"|change of FNMR| at FMR {place('fmr', target)}, percentage points"
            rows = [f"{letter[name]}  {name}" for name in source.providers]
            name = f"labels-subsets-fmr-{number_name(target)}"
            panels.append(label_figures.subsets(name, title, rows, columns, cells, most))
    if panels:
        yield Figure(
            name="labels-subsets",
            title="Fewer services",
            caption=spans(
                f"Labels by every subset of three and more services, against {how}; each letter is a service; one "
                "that did not label is not evaluated (hatched). The subset's labels also determine the faces."
            ),
            panels=tuple(panels),
        )


def letters(source: Source) -> dict[str, str]:
    """A letter for each service."""
    return dict(zip(source.providers, LETTERS, strict=False))
