"""Overlap of training and test sets: violins, counts, the review, and accuracy without the overlap."""

from collections.abc import Sequence
from functools import partial
from itertools import starmap

from frtaudit.core import Curve
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import scales
from frtaudit.report.figures.curves import Series
from frtaudit.report.figures.violins import violins
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import lists
from frtaudit.report.sections.tables import (
    BOTH,
    build_table,
    by_provider,
    headed,
    header,
    interval_cells,
    methods_said,
    provider,
)
from frtaudit.report.source import Record, Source, grouped

KIND = "match_scores"
ALL = "all"
COUNTS = ("overlap_images", "overlap_identities", "overlap_training_identities", "overlap_merged_identities")
REVIEWED = ("reviewed_same_identity", "reviewed_same_image")
PLACES, FINE = 2, 3  # of a percent: accuracies, and their differences
REVIEW = (
    "All best matches, and those that a reviewer, or names known on both sides, called one image, one identity, or "
    "different people. Only matches above a declared score were reviewed: the violins end there. Where violins "
    "overlap, no threshold separates the classes. "
)
SPLIT = ("accuracy_without_overlap", "accuracy_of_overlap", "delta_accuracy_overlap")


@section("overlap", "Training and test sets", after="card")
def build(source: Source) -> View | None:
    """None where no overlap was looked for."""
    records = source.select(*COUNTS)
    if not records:
        return None
    tables = [
        *_counts(records),
        *_noise(source),
        *_review(source),
        *_split(source),
        *lists.table(source, "overlap/"),
    ]
    return View(figures=tuple(_figures(source, records)), tables=tuple(tables), shown=(1, 1))


def _figures(source: Source, records: list[Record]) -> list[Figure]:
    """Figures 1 and 2 of 004: best matches by training set, and by verdict."""
    curves = [curve for curve in source.result.curves if curve.analysis == KIND]
    places = [record.estimate.at for record in records]
    guides = sorted({float(at["above"]) for at in places if "above" in at})
    sets = [curve for curve in curves if curve.metric == ALL]
    drawn = []
    if sets:
        named = [Series(name=curve.group, index=n, curve=curve) for n, curve in enumerate(sets)]
        panel = violins("best-matches", "Best matches by training set", named, guides)
        caption = spans(
            "Scores of the best matches of every test image in each training set; dashed lines where matches are "
            "counted. Matches above the highest line are probably the same image; a cluster below it, the same "
            "person. ",
            _sizes(sets),
        )
        drawn.append(Figure(name="best-matches", title="Best matches", caption=caption, panels=(panel,)))
    reviewed = [
        curve.group
        for curve in sets
        if any(other.group == curve.group and other.metric != ALL for other in curves)
    ]
    kinds = list(dict.fromkeys(curve.metric for curve in curves))
    every = {name: [curve for curve in curves if curve.group == name] for name in reviewed}
    panels = scales.alike(lambda: starmap(partial(_reviewed, guides, kinds), every.items()), axes="y")
    for (name, set_curves), panel in zip(every.items(), panels, strict=True):
        title, caption = f"Verdicts, {name}", spans(REVIEW, _sizes(set_curves))
        drawn.append(Figure(name=f"verdicts-{name}", title=title, caption=caption, panels=(panel,)))
    return drawn


def _reviewed(
    guides: Sequence[float], kinds: Sequence[str | None], name: str, curves: Sequence[Curve]
) -> Panel:
    """Best matches in one training set: all, and by verdict, each of ``kinds`` with its pen."""
    named = [
        Series(name=(curve.metric or "").replace("_", " "), index=kinds.index(curve.metric), curve=curve)
        for curve in curves
    ]
    return violins(name_of("reviewed-matches", name), f"Reviewed matches in {name}", named, guides)


def _sizes(curves: Sequence[Curve]) -> str:
    sizes = (
        f"{curve.notes[0]} ({curve.group}, {(curve.metric or '').replace('_', ' ')})" for curve in curves
    )
    return f"Drawn from {', '.join(sizes)}."


def _counts(records: list[Record]) -> list[Table]:
    """Images and identities above each threshold, before and after cleaning."""
    notes = Footnotes()
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for (training, stage, above), here in grouped(records, _at).items():
        first, by_metric = here[0], {record.estimate.metric: record for record in here}
        where = (
            spans("above ", phrases.number(f"{float(above):g}", f"{first.pointer}/at/above"))
            if above != ""
            else spans("same identity, in total")
        )
        label = spans(where, ", after cleaning" if stage == "cleaned" else "")
        cells = tuple(_share(by_metric.get(metric), notes) for metric in COUNTS)
        blocks.setdefault(f"Training set {training}", []).append((label, *cells))
    columns = header(["Best matches"], ["test images", "test identities", "training identities", "merged"])
    caption = phrases.titled(
        "Identities in both sets.",
        "These are counts, not estimates, and have no interval. Merged: training identities that one test "
        "identity joins with another.",
    )
    return [build_table("overlap", caption, columns, headed(blocks), notes)]


def _at(record: Record) -> tuple[float | str, float | str, float | str]:
    at = record.estimate.at
    return at["training"], at.get("stage", ""), at.get("above", "")


def _share(record: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return phrases.DASH
    if record.estimate.value is None:
        return spans(phrases.counts(record), notes.mark(record.estimate.note, f"{record.pointer}/note"))
    return spans(phrases.counts(record), " (", phrases.value(record, notes), ")")


def _noise(source: Source) -> list[Table]:
    records = source.select("overlap_noise_images")
    if not records:
        return []
    notes = Footnotes()
    rows = tuple(
        (
            (TextSpan(text=str(record.estimate.at["training"]), pointer=f"{record.pointer}/at/training"),),
            _share(record, notes),
        )
        for record in records
    )
    columns = header(["Training set"], ["images removed / examined"])
    caption = phrases.titled(
        "Noise within training identities.",
        "DBSCAN within each matching training identity; the largest cluster stays, and the search is run again.",
    )
    return [build_table("overlap-noise", caption, columns, [Block(rows=rows)], notes)]


def _review(source: Source) -> list[Table]:
    records = source.select(*REVIEWED)
    if not records:
        return []
    notes = Footnotes()
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for (training, _, above), here in grouped(records, _at).items():
        by_metric = {record.estimate.metric: record for record in reversed(here)}
        label = "all with a verdict" if above == "" else f"above {float(above):g}"
        cells = (_share(by_metric[metric], notes) for metric in REVIEWED)
        blocks.setdefault(f"Training set {training}", []).append((spans(label), *cells))
    columns = header(["Matches"], ["one identity", "one image"])
    caption = phrases.titled(
        "Results of the review.",
        "Of a reviewer, or of names known on both sides: of the matches above a score that have a verdict, those that "
        "show one identity, and those that are one image.",
    )
    return [build_table("overlap-review", caption, columns, headed(blocks), notes)]


def _split(source: Source) -> list[Table]:
    """Accuracy of all pairs, without overlapping identities, and of the pairs that touch them."""
    records = source.select(*SPLIT)
    if not records:
        return []
    notes = Footnotes()
    every = {(r.estimate.provider, str(r.estimate.at["pairs"])): r for r in source.select("accuracy")}
    blocks = []
    for name, system_records in by_provider(source, records):
        rows = []
        by_sets = grouped(
            system_records,
            lambda record: (str(record.estimate.at["pairs"]), str(record.estimate.at["training"])),
        )
        for (pairs, training), here in by_sets.items():
            by_metric = {record.estimate.metric: record for record in here}
            cells = [by_metric.get(metric) for metric in SPLIT]
            whole = every.get((name, pairs))
            own_set = " (trained on it)" if source.trained_on.get(name) == training else ""
            label = spans(f"{pairs.replace('_', ' ')}, {training}{own_set}")
            accuracies = [_of_pairs(record, notes) for record in (whole, *cells[:2])]
            difference = _of_pairs(cells[2], notes, FINE)
            interval = interval_cells(cells[2], notes, *BOTH, places=FINE)[0]
            rows.append((label, *accuracies, difference, interval))
        blocks.append(Block(head=spans(provider(system_records[0])), rows=tuple(rows)))
    titles = ("all pairs", "without overlap", "overlap alone", "all − without", "for the population")
    columns = header(["Test set, training set"], titles)
    deltas = [record for record in records if record.estimate.metric == SPLIT[2]]
    caption = phrases.titled(
        "Accuracy with and without overlapping identities.",
        "With the number of pairs. Without overlap: no subject of a pair is in the training set; overlap only: at "
        "least one is. Folds are unchanged, thresholds are fitted again. From each part, pairs are dropped at "
        "random until mated and non-mated pairs have the ratio of all pairs, because accuracy depends on it. Where "
        "a system was not trained on a set, the difference shows only that these subjects are easier or harder than "
        "the others.",
        methods_said(deltas, *BOTH),
    )
    return [build_table("overlap-accuracy", caption, columns, blocks, notes)]


def _of_pairs(record: Record | None, notes: Footnotes, places: int = PLACES) -> Text:
    """An accuracy and of how many pairs; a difference alone."""
    if record is None:
        return phrases.DASH
    total = record.estimate.denominator
    counted = () if total is None else (" of ", phrases.whole(total, f"{record.pointer}/denominator"))
    return spans(phrases.value(record, notes, places=places), *counted)
