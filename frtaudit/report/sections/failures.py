"""View: who could not be acquired, what that does to FRR, the list of failures and exclusions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress

from frtaudit.core.cohort import LedgerEntry
from frtaudit.core.comparisons import UNSCORED_PAIR
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import (
    BOTH,
    build_table,
    counted,
    grouped_blocks,
    header,
    methods_said,
    provider,
    system_blocks,
)
from frtaudit.report.source import Record, Source
from frtaudit.report.words import words

STARTS = {"sanitize_": "excluded", "face_without_label_": "face without label"}
RULES = {
    "conflicting_labels": "images of one subject have different labels",
    "min_face_size": "face smaller than declared",
    "min_samples": "subject with fewer images than declared",
    "fixed_samples": "images beyond the declared number of a subject",
}
FEW_SYSTEMS = 3
CASES = ("fnmr_best_case", "fnmr_worst_case", "fmr_best_case", "fmr_worst_case")


@section("failures", "Failures and exclusions", after="overlap")
def build(source: Source) -> View | None:
    """None when failures were neither analysed nor met."""
    acquired = source.select("fta")
    frr = [record for record in source.select("frr") if record.estimate.analysis == "failures"]
    cases = source.select(*CASES)
    if not acquired and not frr and not source.result.failures:
        return None
    overall = [record for record in acquired if record.estimate.group == "all"]
    main = [_overall(overall)] if overall else []
    tables = []
    if len(acquired) > len(overall):
        title = FAILED_BY_CLASS if acquired[0].estimate.unit == OF_COMPARISONS else FTA_BY_CLASS
        tables.append(_rates(source, "fta-by-class", title, _fta_means(acquired), acquired))
    if frr:
        tables.append(_rates(source, "frr", "False reject rate with failures. ", FRR_MEANS, frr))
    if cases:
        tables.append(_cases(source, cases))
    if source.result.failures:
        main.append(_ledger(source, "failures-and-exclusions", by_group=False))
        tables.append(_ledger(source, "failures-and-exclusions-by-class", by_group=True))
    return View(
        lead=() if source.result.failures else (spans("No failures and no exclusions."),),
        main=tuple(main),
        tables=tuple(tables),
        shown=(0, 0),
        fold="by group, with best and worst case",
    )


FTA = "Failure to acquire. "
FAILED_COMPARISONS, FAILED_BY_CLASS = "Failed comparisons. ", "Failed comparisons by class. "
FTA_BY_CLASS = "Failure to acquire by class. "
FTA_MEANS = "The share of attempts without a template."
FEW_FAILED = (
    "few subjects have failures, so all attempts of a subject count as one: the bound can lie above that of a system "
    "with more failures"
)
OF_COMPARISONS = "share of attempted comparisons"
FTA_MEANS_OF_SCORES = "The share of attempted comparisons without a score."
FRR_MEANS = (
    "FRR = FTA + FNMR (1 − FTA), one attempt for each transaction; FNMR and its threshold weight every comparison "
    "equally."
)


def _fta_means(records: Sequence[Record]) -> str:
    """What failure to acquire is a share of: attempts, or the comparisons of score lists."""
    return FTA_MEANS_OF_SCORES if records[0].estimate.unit == OF_COMPARISONS else FTA_MEANS


def _rates(source: Source, name: str, title: str, means: str, records: list[Record]) -> Table:
    notes = Footnotes()
    standing = (True, True, name != "frr", any(record.bounds for record in records))

    def row(record: Record) -> tuple[Text, ...]:
        value, counts = phrases.value(record, notes), phrases.counts(record)
        interval = phrases.bounds(record.bound(*BOTH), record.estimate, notes)
        return tuple(compress((_of(source, record), value, counts, interval), standing))

    blocks = system_blocks(source, records, row)
    columns = tuple(compress(header(["Of"], ["Rate", "failed / attempted", "interval"]), standing))
    caption = spans(phrases.bold(title), means, methods_said(records, *BOTH[:1]))
    return build_table(name, caption, columns, blocks, notes)


def _overall(records: list[Record]) -> Table:
    """Failure to acquire of each system."""
    notes = Footnotes()
    rows = tuple(
        (
            (provider(record),),
            phrases.value(record, notes),
            phrases.counts(record),
            spans(phrases.bounds(record.bound(*BOTH), record.estimate, notes), _few(record, records, notes)),
        )
        for record in records
    )
    listed = records[0].estimate.unit == OF_COMPARISONS
    columns = header(["System"], ["failed" if listed else "FTA", "failed / attempted", "interval"])
    caption = spans(
        phrases.bold(FAILED_COMPARISONS if listed else FTA),
        _fta_means(records),
        methods_said(records, *BOTH[:1]),
    )
    return build_table("fta", caption, columns, [Block(rows=rows)], notes)


def _few(record: Record, records: Sequence[Record], notes: Footnotes) -> Text:
    """The mark of an upper bound above that of a system with more failures of as many attempts."""

    def key(of: Record) -> tuple[int | None, int, float]:
        bound = of.bound(*BOTH)
        high = None if bound is None else bound.interval.high
        return of.estimate.denominator, of.estimate.numerator or 0, 1.0 if high is None else high

    tried, failed, high = key(record)
    more = [other for other in map(key, records) if other[0] == tried and other[1] > failed]
    beyond = any(other_high < high for *_, other_high in more)
    return notes.mark(FEW_FAILED, f"{record.pointer}/numerator") if beyond else ()


def _cases(source: Source, records: list[Record]) -> Table:
    """Best and worst case side by side, one row for each group at each operating point."""
    notes = Footnotes()

    def row(here: list[Record]) -> tuple[Text, ...]:
        by_metric = {record.estimate.metric: record for record in here}
        return _of(source, here[0]), *(counted(by_metric.get(name), notes) for name in CASES)

    blocks = grouped_blocks(
        source, records, lambda record: (record.at, record.estimate.schema, record.estimate.group), row
    )
    columns = header(["Of"], (phrases.metric(name) for name in CASES))
    caption = phrases.titled(
        "Rates if every failed comparison had been decided correctly, or wrongly.",
        "Pooled rates, errors / comparisons below; only where comparisons failed.",
    )
    return build_table("rates-if-failures-had-scores", caption, columns, blocks, notes, "dense")


def _of(source: Source, record: Record) -> Text:
    estimate = record.estimate
    who = source.label(estimate.schema, estimate.group)
    at = spans(" at ", phrases.at_words(estimate.at, record.pointer)) if estimate.at else ()
    return spans(TextSpan(text=who, pointer=f"{record.pointer}/group"), at)


def _reason(code: str) -> str:
    """A failure's code in words; of a query that was left out, why."""
    kind, _, why = code.partition("query_left_out_")
    known = words().left_out.get(why) if not kind else None
    if known is not None:
        return f"query {known}"
    for start, shown in STARTS.items():
        if code.startswith(start):
            rule = code.removeprefix(start)
            return f"{shown}: {RULES.get(rule, rule.replace('_', ' '))}"
    return code.replace("_", " ")


def _unit(unit: str, count: int) -> str:
    """What is counted, in the singular for one.

    >>> _unit("queries", 1), _unit("samples", 1), _unit("faces", 2)
    ('query', 'sample', 'faces')
    """
    if count != 1:
        return unit
    return f"{unit.removesuffix('ies')}y" if unit.endswith("ies") else unit.removesuffix("s")


def _ledger(source: Source, name: str, *, by_group: bool) -> Table:
    rows = []
    for index, entry in _entries(source, by_group=by_group):
        at = f"/failures/{index}"
        where = "" if entry.group in (None, "all") else source.label(entry.schema, entry.group or "")
        named = f"{at}/provider" if entry == source.result.failures[index] else None
        unit = TextSpan(text=_unit(entry.unit, entry.count), pointer=f"{at}/unit")
        rows.append(
            (
                (TextSpan(text=entry.provider or "each system", pointer=named),),
                (TextSpan(text=_reason(entry.code), pointer=f"{at}/code"),),
                *([(TextSpan(text=where or "all", pointer=f"{at}/group"),)] if by_group else []),
                spans(phrases.whole(entry.count, f"{at}/count"), " ", unit),
            )
        )
    columns = header(["System", "What happened", *(["Group"] if by_group else [])], ["How many"])
    elsewhere = not by_group and any(_in_annex(source, entry) for entry in source.result.failures)
    caption = phrases.titled(
        "Failures and exclusions.",
        "Counts of everything that failed or was excluded. Nothing else was removed from the denominators of FNMR and "
        "FMR.",
        " Fold pairs without a score, which accuracy leaves out, are in the annex." if elsewhere else "",
    )
    return build_table(name, caption, columns, [Block(rows=tuple(rows))], Footnotes())


def _in_annex(source: Source, entry: LedgerEntry) -> bool:
    """Whether an entry stands in the annex alone: fold pairs without a score of many systems."""
    return entry.code.endswith(UNSCORED_PAIR) and len(source.providers) > FEW_SYSTEMS


def _entries(source: Source, *, by_group: bool) -> Iterator[tuple[int, LedgerEntry]]:
    """Entries with their places; what happened alike to every system stands once and names none."""
    entries = [
        (index, entry)
        for index, entry in enumerate(source.result.failures)
        if by_group or (entry.group in (None, "all") and not _in_annex(source, entry))
    ]
    systems = Counter(replace(entry, provider=None, names=()) for _, entry in entries if entry.provider)
    seen = set()
    for index, entry in entries:
        common = replace(entry, provider=None, names=())
        if entry.provider is None or systems[common] < max(len(source.providers), 2):
            yield index, entry
        elif common not in seen:
            seen.add(common)
            yield index, common
