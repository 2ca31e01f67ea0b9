"""Suspected duplicates: pairs of people who may be one, images that may be another person's, FMR without them."""

from collections.abc import Sequence

from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.operating_points import main_target
from frtaudit.report.sections.tables import build_table, by_provider, header, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import words

PEOPLE, IMAGES = "suspected_duplicates", "suspected_images"
SUSPECTED, CONFIRMED = "fmr_without_suspected", "fmr_without_confirmed"
SECTION = TextSpan(text="Suspected duplicates", kind="#identity_check")
Key = tuple[object, ...]


@section("identity_check", "Suspected duplicates", after="failure_scores", annex=True)
def build(source: Source) -> View | None:
    """None where the analysis did not run."""
    records = source.select(PEOPLE)
    if not records:
        return None
    tables = (_counts(source, records), _rates(source))
    prose = (spans(words().identity_check["rule"]), spans(words().identity_check["verdicts"]))
    return View(lead=prose, tables=tuple(table for table in tables if table is not None))


def warnings(source: Source) -> tuple[Text, ...]:
    """For page 1: each system's suspected pairs of people where they change an FMR: the one of most change.

    It is one at the threshold of the main target, where one of these changes.
    """
    rates, target = {_key(record): record for record in source.select("fmr")}, main_target(source)
    texts = []
    for record in source.select(PEOPLE):
        records = [
            (labelled, without)
            for without in source.select(SUSPECTED, primary=True)
            if without.estimate.provider == record.estimate.provider
            and (labelled := rates.get(_key(without))) is not None
            and (labelled.estimate.value or 0.0) > (without.estimate.value or 0.0)
        ]
        if records:
            there = [pair for pair in records if dict(pair[0].estimate.at) == {"fmr": target}]
            texts.append(_warning(source, record, *max(there or records, key=_gone)))
    return tuple(texts)


def _gone(pair: tuple[Record, Record]) -> float:
    """The share of the rate that goes with the suspects; of equal shares the larger rate."""
    labelled, without = (record.estimate.value or 0.0 for record in pair)
    return 1 - without / labelled + labelled * 1e-6


def _warning(source: Source, record: Record, labelled: Record, without: Record) -> Text:
    people = phrases.whole(record.estimate.numerator or 0, f"{record.pointer}/numerator")
    pairs = " pair of subjects is" if record.estimate.numerator == 1 else " pairs of subjects are"
    similar = (" as similar as images of one subject (see ", SECTION, " in the annex). FMR")
    everybody, at = labelled.estimate.group == "all", labelled.estimate.at
    of: list[Part] = [] if everybody else [" for ", phrases.group(source, labelled)]
    of += [", at the threshold for " if "fmr" in at else ", at ", phrases.at_words(at, labelled.pointer)]
    rates = (phrases.value(labelled), " with them, ", phrases.value(without, like=labelled.estimate))
    return spans(provider(record), ": ", people, pairs, *similar, *of, ", is ", *rates, " without.")


def _key(record: Record) -> Key:
    estimate = record.estimate
    return estimate.provider, estimate.weighting, estimate.schema, estimate.group, record.at


def _counts(source: Source, records: Sequence[Record]) -> Table:
    notes = Footnotes()
    images = {record.estimate.provider: record for record in source.select(IMAGES)}
    rows = [
        (
            (provider(record),),
            _cut(record, "cut"),
            _cut(record, "cut_of_many"),
            _count(record, notes),
            _count(images.get(record.estimate.provider), notes),
        )
        for record in records
    ]
    cuts = ("median needed (score)", "from 25 comparisons", "suspected / compared pairs of subjects")
    columns = header(["System"], [*cuts, "suspected / all images with others of their subject"])
    caption = phrases.titled("Suspected duplicates.", words().identity_check["counts"])
    return build_table("identity-check", caption, columns, [Block(rows=tuple(rows))], notes)


def _cut(record: Record, name: str) -> Text:
    cut = record.estimate.at.get(name)
    if not isinstance(cut, float):
        return phrases.DASH
    return (phrases.number(formatting.score(cut), f"{record.pointer}/at/{name}"),)


def _count(record: Record | None, notes: Footnotes) -> Text:
    if record is None or record.estimate.numerator is None:
        return phrases.value(record, notes)
    return phrases.counts(record)


def _rates(source: Source) -> Table | None:
    """FMR as labelled and without: where they differ, in the primary weighting."""
    rates = {_key(record): record for record in source.select("fmr")}
    notes, blocks = Footnotes(), []
    metrics = [name for name in (CONFIRMED, SUSPECTED) if source.select(name)]
    for _, records in by_provider(source, source.select(*metrics, primary=True)):
        lines: dict[Key, dict[str, Record]] = {}
        for record in records:
            lines.setdefault(_key(record), {})[record.estimate.metric] = record
        rows = []
        for key, line in lines.items():
            labelled = rates.get(key)
            errors = {record.estimate.numerator for record in line.values()}
            if labelled is not None and errors != {labelled.estimate.numerator}:
                at = phrases.at_words(labelled.estimate.at, labelled.pointer)
                shown = (labelled, *(line.get(name) for name in metrics))
                cells = (_rate(record, labelled, notes) for record in shown)
                rows.append((spans(at, ", ", phrases.group(source, labelled)), *cells))
        if rows:
            blocks.append(Block(head=(provider(records[0]),), rows=tuple(rows)))
    if not blocks:
        return None
    titles = {CONFIRMED: "without those confirmed", SUSPECTED: "without those suspected, too"}
    columns = header(["At, group"], ["FMR as labelled", *(titles[name] for name in metrics)])
    caption = phrases.titled("FMR with and without them.", words().identity_check["rates"])
    return build_table("identity-check-fmr", caption, columns, blocks, notes)


def _rate(record: Record | None, like: Record, notes: Footnotes) -> Text:
    """The rate, its interval, its counts."""
    if record is None:
        return phrases.DASH
    bound = record.bound()
    interval: list[Part] = [] if bound is None else ["   ", *phrases.bounds(bound, record.estimate)]
    counts = phrases.styled(phrases.counts(record), "soft")
    value = phrases.value(record, notes, like=like.estimate)
    return spans(*value, *interval, phrases.BREAK, *counts)
