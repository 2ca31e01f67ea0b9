"""k-fold accuracy: the mean with its intervals, and every fold."""

from dataclasses import dataclass

from frtaudit.report import figures, phrases
from frtaudit.report.figures import Dot
from frtaudit.report.pieces import Block, Column, Figure, Footnotes, Part, Piece, Table, Text, say
from frtaudit.report.sections.tables import INTERVAL_COLUMNS, by_provider, finished, interval_rows, provider
from frtaudit.report.source import Record, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """The view: the table of means, the figure and the table of folds."""

    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]


def build(source: Source) -> Accuracy | None:
    """None without folds."""
    found = source.select("accuracy")
    folds = source.select("fold_accuracy")
    if not found:
        return None
    tables = [_means(source, found), *_folds(source, folds)]
    return Accuracy(figures=_figure(source, folds), tables=tuple(tables))


def _means(source: Source, records: list[Record]) -> Table:
    notes = Footnotes()
    blocks = [Block(head=_head(source, item, notes), rows=interval_rows(item, notes)) for item in records]
    caption = say(
        Piece(text="Accuracy on held-out folds. ", kind="b"),
        "For each fold the threshold that decides most of the other folds' pairs correctly is used; ties take the "
        "largest threshold. Accuracy depends on how many mated and non-mated pairs were chosen: it is no error rate.",
    )
    return finished("accuracy", caption, INTERVAL_COLUMNS, blocks, notes)


def _head(source: Source, record: Record, notes: Footnotes) -> Text:
    parts: list[Part] = [provider(record), "  accuracy ", phrases.value(record, notes)]
    if record.estimate.numerator is not None:
        parts += [" (", phrases.counts(record), " pairs right)"]
    spread = [
        item
        for item in source.select("accuracy_fold_sd")
        if item.estimate.provider == record.estimate.provider
    ]
    if spread:
        parts += [" · sd of the folds ", phrases.value(spread[0], notes)]
    return say(*parts)


def _figure(source: Source, folds: list[Record]) -> tuple[Figure, ...]:
    dots = [
        Dot(
            row=item.estimate.provider,
            series=item.estimate.provider,
            index=source.providers.index(item.estimate.provider),
            value=item.estimate.value,
        )
        for item in folds
        if item.estimate.value is not None
    ]
    rows = list(dict.fromkeys(item.row for item in dots))
    if not dots:
        return ()
    caption = say(
        "Each mark is one held-out fold. The spread shows how much the mean depends on who is in a fold."
    )
    panels = (figures.folds("folds", dots, rows),)
    return (Figure(name="folds", title="Accuracy of the folds", caption=caption, panels=panels),)


def _folds(source: Source, folds: list[Record]) -> list[Table]:
    if not folds:
        return []
    notes = Footnotes()
    names = [name for name, _ in by_provider(source, folds)]
    places = sorted({float(item.estimate.at["fold"]) for item in folds})
    known = {(item.estimate.provider, float(item.estimate.at["fold"])): item for item in folds}
    rows = []
    for place in places:
        own = [known.get((name, place)) for name in names]
        first = next(item for item in own if item is not None)
        label = Piece(text=f"{place + 1:g}", pointer=f"{first.pointer}/at/fold", kind="n plus-one")
        rows.append(((label,), *(_fold(item, notes) for item in own)))
    columns = (Column(title="Fold"), *(Column(title=name, kind="num") for name in names))
    caption = say(
        Piece(text="Every fold. ", kind="b"),
        "Share of pairs decided correctly, and the threshold fitted on the others.",
    )
    return [finished("folds", caption, columns, [Block(rows=tuple(rows))], notes)]


def _fold(record: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return (Piece(text=phrases.ABSENT),)
    at = {key: value for key, value in record.estimate.at.items() if key == "threshold"}
    soft = tuple(
        Piece(text=p.text, pointer=p.pointer, kind=f"{p.kind} soft".strip())
        for p in phrases.at_words(at, record.pointer)
    )
    return say(phrases.value(record, notes), "  " if soft else "", soft)
