"""k-fold accuracy: systems by test sets, each mean with its intervals, disjoint minus overlap, and every fold."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from frtaudit.core.canonical import mapping
from frtaudit.core.spec import FoldSource
from frtaudit.core.spec_values import FOLDS
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import scales, violins
from frtaudit.report.figures.curves import Dot
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import (
    BOTH,
    INTERVAL_COLUMNS,
    build_table,
    by_provider,
    header,
    interval_cells,
    interval_rows,
    methods_said,
    provider,
    system_blocks,
)
from frtaudit.report.source import Record, Source, grouped

LOWEST = 2
PLACES, FINE = 2, 3  # of a percent: accuracies as the field prints them, and their differences


@section("accuracy", "Accuracy on folds", after="releases")
def build(source: Source) -> View | None:
    """None without folds."""
    records = source.select("accuracy")
    if not records:
        return None
    sets = list(dict.fromkeys(set_of(record) for record in records))
    folds = source.select("fold_accuracy")
    parts = [(name, [fold for fold in folds if set_of(fold) == name]) for name in sets]
    tables = [
        _means(source, records, sets),
        *_classes(source, sets),
        *_between(source),
        *_differences(source),
        *(table for name, set_folds in parts if set_folds for table in [_folds(source, name, set_folds)]),
    ]
    main = _matrix(source, records, sets) or [_brief(source, records, sets)]
    fold_panels = scales.alike(lambda: _panels(source, parts))
    caption = spans(
        "Each mark is one held-out fold. Their spread comes from the sampling of pairs and of subjects and from the "
        "fitted thresholds. It is not the uncertainty of the mean, whose interval is in the tables."
    )
    figure = Figure(name="folds", title="Accuracy of the folds", caption=caption, panels=fold_panels)
    return View(
        figures=(figure,) if fold_panels else (),
        main=tuple(main),
        tables=tuple(tables),
        shown=(1, 0),
        fold="every interval, class and fold",
    )


def set_of(record: Record) -> str:
    """The test set that an estimate is of."""
    return str(record.estimate.at.get("pairs", FOLDS))


def test_set_name(name: str) -> str:
    """What a test set is called in print.

    >>> test_set_name("capped_10"), test_set_name("folds")
    ('capped 10', 'declared folds')
    """
    return "declared folds" if name == FOLDS else name.replace("_", " ")


def _matrix(source: Source, records: list[Record], sets: list[str]) -> list[Table]:
    """Systems by test sets (004, table 4); the lowest two of a system stand out where there are more."""
    if len(sets) == 1:
        return []
    notes = Footnotes()
    known = {(record.estimate.provider, set_of(record)): record for record in records}
    blocks: dict[str | None, list[tuple[Text, ...]]] = {}
    for name, system_records in by_provider(source, records):
        values = sorted(
            record.estimate.value for record in system_records if record.estimate.value is not None
        )
        edge = values[LOWEST - 1] if len(values) > LOWEST else None
        cells = [_marked(known.get((name, test_set)), edge, notes) for test_set in sets]
        blocks.setdefault(source.trained_on.get(name), []).append(((provider(system_records[0]),), *cells))
    columns = header(["System"], (test_set_name(name) for name in sets))
    low = "The lowest two of a system are underlined. " if len(sets) > LOWEST else ""
    trained = "Training sets are as declared. " if source.trained_on else ""
    caption = phrases.titled(
        "Accuracy by test set.",
        f"{low}{trained}Test sets differ in their subjects and in the choice of pairs: a difference between columns "
        "shows how hard a set is for a system, not why.",
        _chosen(source, sets),
    )
    table_blocks = []
    for trained_on, rows in blocks.items():
        head: Text = ()
        if source.trained_on:
            title = "Training set not declared" if trained_on is None else f"Trained on {trained_on}"
            head = (phrases.bold(title),)
        table_blocks.append(Block(rows=tuple(rows), head=head))
    return [build_table("accuracy-sets", caption, columns, table_blocks, notes)]


def _brief(source: Source, records: list[Record], sets: list[str]) -> Table:
    """One line for each system: accuracy, correct pairs, the interval for the population."""
    notes = Footnotes()
    rows = tuple(
        (
            (provider(record),),
            phrases.value(record, notes, places=PLACES),
            phrases.counts(record),
            interval_cells(record, notes, *BOTH, places=PLACES)[0],
        )
        for record in records
    )
    columns = header(["System"], ["accuracy", "correct pairs", "for the population"])
    caption = phrases.titled(
        "Accuracy on held-out folds.",
        "Each fold is decided at the threshold that is best on the other folds.",
        _chosen(source, sets),
        methods_said(records, *BOTH[:1]),
    )
    return build_table("accuracy", caption, columns, [Block(rows=rows)], notes)


def _chosen(source: Source, sets: Iterable[str]) -> str:
    """Which sets were made with the scores of one system: they do not compare it fairly with others."""
    spec = source.result.spec
    by: dict[str, list[str]] = {}
    for name in sets:
        declared = mapping(mapping(spec.get("test_sets")).get(name)) or {"folds": spec.get("folds")}
        pairs, folds = mapping(declared.get("pairs")), mapping(declared.get("folds"))
        of = pairs or ({} if folds.get("source") == FoldSource.FILE.value else mapping(spec.get("protocol")))
        rules = mapping(of.get("rules"))
        if "matcher" in rules:
            by.setdefault(str(rules["matcher"]), []).append(test_set_name(name))
    return "".join(
        f" Pairs of {' and '.join(names)} were chosen by the scores of {matcher}, which can make them harder for it "
        "than for other systems."
        for matcher, names in by.items()
    )


def _marked(record: Record | None, edge: float | None, notes: Footnotes) -> Text:
    if record is None:
        return phrases.DASH
    text = phrases.value(record, notes, places=PLACES)
    value = record.estimate.value
    if edge is None or value is None or value > edge:
        return text
    return tuple(replace(piece, kind="n low") if piece.kind == "n" else piece for piece in text)


def _between(source: Source) -> list[Table]:
    """Systems against others on the same pairs: one method trained on several sets (004, tables 1 and 2)."""
    records = source.select("delta_accuracy_systems")
    if not records:
        return []
    notes = Footnotes()
    blocks = []
    for name, every in by_provider(source, records):
        for against, pair in grouped(every, lambda record: str(record.estimate.at["against"])).items():
            second = phrases.bold(against, f"{pair[0].pointer}/at/against")
            sets = [source.trained_on.get(system) for system in (name, against)]
            first, two = ("" if trained is None else f" (trained on {trained})" for trained in sets)
            rows = tuple(
                (
                    _test_set(record),
                    phrases.value(record, places=FINE),
                    interval_cells(record, notes, *BOTH, places=FINE)[0],
                    phrases.note(record),
                )
                for record in pair
            )
            blocks.append(Block(head=spans(provider(pair[0]), first, " against ", second, two), rows=rows))
    columns = header(["Test set"], ["difference", "for the population", "discordant"])
    caption = phrases.titled(
        "Systems against each other.",
        "Accuracy of the first minus that of the second, on the pairs that both scored and in the same folds, each "
        "at thresholds of its own. For one method trained with and without the subjects of a test set, this is the "
        "effect of their presence in training, if nothing else differs.",
        _chosen(source, dict.fromkeys(set_of(record) for record in records)),
        methods_said(records, *BOTH),
    )
    return [build_table("accuracy-systems", caption, columns, blocks, notes)]


def _test_set(record: Record) -> Text:
    return (TextSpan(text=test_set_name(set_of(record)), pointer=f"{record.pointer}/at/pairs"),)


def _means(source: Source, records: list[Record], sets: list[str]) -> Table:
    notes = Footnotes()
    blocks = [
        Block(head=_head(source, record, notes, sets), rows=interval_rows(record, notes, places=PLACES))
        for record in records
    ]
    caption = phrases.titled(
        "Accuracy on held-out folds.",
        "For each fold the threshold that decides most of the other folds' pairs correctly is used; ties take the "
        "largest threshold. Accuracy depends on how many mated and non-mated pairs were chosen. It is not an "
        "error rate.",
    )
    return build_table("accuracy-intervals", caption, INTERVAL_COLUMNS, blocks, notes)


def _head(source: Source, record: Record, notes: Footnotes, sets: list[str]) -> Text:
    where = "" if len(sets) == 1 else f", {test_set_name(set_of(record))}"
    parts: list[Part] = [provider(record), f"{where}  accuracy ", phrases.value(record, notes, places=PLACES)]
    if record.estimate.numerator is not None:
        parts += [" (", phrases.counts(record), " pairs correct)"]
    for metric, words in (("accuracy_fold_sd", " · sd of the folds "), ("accuracy_sem", " · sem ")):
        spread = _beside(source, record, metric)
        if spread is not None:
            parts += [words, phrases.value(spread, notes)]
    return spans(*parts)


def _beside(source: Source, record: Record, metric: str) -> Record | None:
    """The estimate of another metric of the same system on the same test set."""
    others = (other for other in source.select(metric) if set_of(other) == set_of(record))
    return next((other for other in others if other.estimate.provider == record.estimate.provider), None)


def _classes(source: Source, sets: list[str]) -> list[Table]:
    """Accuracy within each class, and how many times the largest share of wrong pairs is the smallest."""
    records = source.select("class_accuracy", "skewed_error_ratio")
    if not records:
        return []
    notes = Footnotes()
    blocks = system_blocks(source, records, lambda record: _class(source, record, notes, sets))
    columns = header(["Class"], ["accuracy", "correct pairs", "for the population"])
    caption = phrases.titled(
        "Accuracy by class.",
        "Pairs of two subjects of one class, each at its own fold's threshold. The skewed error ratio is the largest "
        "share of wrong pairs over the smallest; with few wrong pairs it is unstable, and it depends on the choice "
        "of pairs.",
        methods_said([record for record in records if record.estimate.intervals], *BOTH),
    )
    return [build_table("accuracy-classes", caption, columns, blocks, notes)]


def _class(source: Source, record: Record, notes: Footnotes, sets: list[str]) -> tuple[Text, ...]:
    estimate = record.estimate
    where = "" if len(sets) == 1 else f", {test_set_name(set_of(record))}"
    ratio = estimate.metric == "skewed_error_ratio"
    name = TextSpan(text=phrases.metric(estimate.metric)) if ratio else phrases.group(source, record)
    return (
        spans(TextSpan(text=str(estimate.schema), pointer=f"{record.pointer}/schema"), ": ", name, where),
        phrases.value(record, notes, places=None if ratio else PLACES),
        phrases.counts(record),
        interval_cells(record, notes, *BOTH, places=PLACES)[0] if estimate.intervals else phrases.DASH,
    )


def _differences(source: Source) -> list[Table]:
    """Disjoint, overlap, their difference and the spread of the folds (004, table 6)."""
    records = source.select("delta_accuracy")
    if not records:
        return []
    notes = Footnotes()
    blocks = system_blocks(source, records, lambda record: _difference(source, record, notes))
    titles = ("disjoint", "overlap", "disjoint − overlap", "for the population", "discordant")
    columns = header(["Test set"], [*titles, "sd of folds: disjoint, overlap", "deals: mean, sd"])
    caption = phrases.titled(
        "Identity-disjoint against overlapping folds.",
        "The same pairs; in overlapping folds each subject's mated pairs are assigned to different folds. One fitted "
        "threshold can hardly adapt to subjects, so the difference is small; compare it with the spread over fold "
        "assignments (",
        next(map(phrases.note, source.select("delta_accuracy_deal_sd")), ()),
        "). Disjoint folds change the spread of the folds. Discordant: pairs with unequal decisions under the two "
        "fold assignments.",
        methods_said(records, *BOTH),
    )
    return [build_table("accuracy-delta", caption, columns, blocks, notes)]


def _difference(source: Source, record: Record, notes: Footnotes) -> tuple[Text, ...]:
    def cell(metric: str, places: int = PLACES) -> Text:
        return phrases.value(_beside(source, record, metric), places=places)

    return (
        _test_set(record),
        cell("accuracy"),
        cell("accuracy_overlap"),
        cell("delta_accuracy", FINE),
        interval_cells(record, notes, *BOTH, places=FINE)[0],
        phrases.counts(_beside(source, record, "delta_accuracy_otherwise")),
        spans(cell("accuracy_fold_sd"), ", ", cell("accuracy_overlap_fold_sd")),
        spans(cell("delta_accuracy_deal_mean", FINE), ", ", cell("delta_accuracy_deal_sd", FINE)),
    )


def _panels(source: Source, parts: list[tuple[str, list[Record]]]) -> Iterator[Panel]:
    for name, folds in parts:
        dots = [
            Dot(
                row=fold.estimate.provider,
                series=fold.estimate.provider,
                index=source.providers.index(fold.estimate.provider),
                value=fold.estimate.value,
            )
            for fold in folds
            if fold.estimate.value is not None
        ]
        rows = list(dict.fromkeys(dot.row for dot in dots))
        title = "Accuracy of the folds" if len(parts) == 1 else f"Folds of {test_set_name(name)}"
        if dots:
            yield violins.folds(name_of("accuracy-folds", "" if len(parts) == 1 else name), dots, rows, title)


def _folds(source: Source, name: str, folds: list[Record]) -> Table:
    notes = Footnotes()
    names = [name for name, _ in by_provider(source, folds)]
    places = sorted({float(fold.estimate.at["fold"]) for fold in folds})
    known = {(fold.estimate.provider, float(fold.estimate.at["fold"])): fold for fold in folds}
    rows = []
    for place in places:
        records = [known.get((name, place)) for name in names]
        first = next(record for record in records if record is not None)
        label = TextSpan(text=f"{place + 1:g}", pointer=f"{first.pointer}/at/fold", kind="n plus-one")
        rows.append(((label,), *(_fold(record, notes) for record in records)))
    columns = header(["Fold"], names)
    of = "" if name == FOLDS else f" of {test_set_name(name)}"
    caption = phrases.titled(
        f"Every fold{of}.", "Share of pairs decided correctly, and the threshold fitted on the others."
    )
    table_name = name_of("accuracy-folds", "" if name == FOLDS else name)
    return build_table(table_name, caption, columns, [Block(rows=tuple(rows))], notes)


def _fold(record: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return phrases.DASH
    at = {key: value for key, value in record.estimate.at.items() if key == "threshold"}
    soft = phrases.styled(phrases.at_words(at, record.pointer), "soft")
    return spans(phrases.value(record, notes, places=PLACES), "  " if soft else "", soft)
