"""Two collections at two dates: which services have changed, and the minimum detectable change (Knott et al., S.14)."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import scales, systems
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Block, Figure, Footnotes, Panel, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, header, provider
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

KIND = "two_dates"
AT_DATE, CHANGE, FACES = "fnmr_at_date", "fnmr_change", "faces_of_both_dates"
SAME_SCORES, SCORE_CHANGE, LARGEST = "scores_unchanged", "score_change_mean", "score_change_largest"
IMAGES = (
    "The same images were scored at both dates. Each service is compared on the pairs of faces that it scored at "
    "both dates. Labels use the services of both dates together, so they favour neither. "
)
NAMES = (
    "The same names were searched at both dates, with different images. Each date has its own labels, and queries "
    "are paired. A change may be one of the service, of the search results, or of the labels, which depend on other "
    "services too: cohort.labels.services names those that label. "
)

# Its table: FNMR of both dates at each target, each date at its own threshold, the change and its test (Holm).
DECISIVE = phrases.titled(
    "Did a service change?",
    "FNMR at each date, each with its own threshold; the same resampled queries at both dates. Intervals hold for the "
    "population, each separately; p is adjusted over all rows (Holm 1979).",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _DatedRecords:
    """The section's records: ``dates``: their names; ``first``: the labels that decide; ``same``: the same images."""

    source: Source
    dates: tuple[str, str]
    first: str
    same: bool

    def changes(self, labels: str, of: str, rate: str = "fnmr") -> list[Record]:
        """Changes under some labels at thresholds ``own`` to each date or of the ``earlier`` one, by falling target."""
        records = [
            record
            for record in self.source.select(CHANGE)
            if (record.estimate.at["labels"], record.estimate.at["threshold_of"], record.estimate.at["rate"])
            == (labels, of, rate)
        ]
        return sorted(records, key=lambda record: -float(record.estimate.at["fmr"]))


@section("two_dates", "Two dates", after="vendors")
def build(source: Source) -> View | None:
    """None where one collection was audited."""
    dated = _dated_records(source)
    if dated is None:
        return None
    kinds = [str(record.estimate.at["labels"]) for record in source.select(AT_DATE)]
    built = [_pairs(dated, "dates-decisive", dated.first, DECISIVE), _again(dated), _kept(dated)]
    for labels in dict.fromkeys(kinds):
        if labels != dated.first:
            means = display_name(words().date_labels, labels)
            caption = phrases.titled("Under other labels.", means, " Not decisive.")
            built.append(_pairs(dated, name_of("dates", labels), labels, caption, "Do the rates differ?"))
    lead: list[Part] = [IMAGES if dated.same else NAMES]
    for record in source.select(FACES):
        date = TextSpan(text=str(record.estimate.at["date"]), pointer=f"{record.pointer}/at/date")
        lead += ["Faces of ", date, " that take part: ", *phrases.counts(record), ". "]
    return View(
        lead=(spans(*lead),),
        verdicts=tuple(_verdicts(dated)),
        tables=tuple(table for table in built if table is not None),
        figures=tuple(_figure(dated)),
        shown=(1, 1),
    )


def _dated_records(source: Source) -> _DatedRecords | None:
    dates = tuple(dict.fromkeys(str(record.estimate.at["date"]) for record in source.select(FACES)))
    kinds = {str(record.estimate.at["labels"]) for record in source.select(AT_DATE)}
    if not kinds or len(dates) != len(("earlier", "later")):
        return None
    same = "joint" in kinds
    first = "joint" if same else "own"
    return _DatedRecords(source=source, dates=(dates[0], dates[1]), first=first, same=same)


def answers(source: Source) -> tuple[Text, ...]:
    """For the first page: of each service whether it changed; empty where one collection was audited."""
    dated = _dated_records(source)
    return () if dated is None else tuple(_verdicts(dated))


def _verdicts(dated: _DatedRecords) -> Iterator[Text]:
    """A sentence for each service: changed, identical, or not shown to have changed; how many scores are the same."""
    again = {
        record.estimate.provider: record
        for record in dated.source.select(SAME_SCORES)
        if record.estimate.at["pairs"] == "all"
    }
    decisive = dated.changes(dated.first, "own")
    for name, records in grouped(decisive, lambda record: record.estimate.provider).items():
        changed = [record for record in records if record.estimate.test and record.estimate.test.differs]
        parts: list[Part] = [phrases.bold(name), ": ", "FNMR changed at " if changed else _unchanged(records)]
        for place, record in enumerate(changed):
            parts += [" and "] if place else []
            parts += phrases.at_words({"fmr": record.estimate.at["fmr"]}, record.pointer)
            parts += [" (", _signed(record), " percentage points)"]
        parts.append(".")
        if name in again:
            parts += [" Pairs with equal scores: ", *phrases.counts(again[name]), "."]
        yield spans(*parts)


def _unchanged(records: Sequence[Record]) -> str:
    tests = [record.estimate.test for record in records]
    if all(test is None or test.p is None for test in tests):
        reason = next((test.note for test in tests if test is not None and test.note), None)
        return f"not tested ({reason})" if reason else "not testable"
    return "no change of FNMR was found"


def _pairs(dated: _DatedRecords, name: str, labels: str, caption: Text, head: str = "Changed?") -> Table:
    """FNMR of both dates under some labels, the change and its test: a block for each target."""
    notes = Footnotes()
    values = {
        (record.estimate.provider, record.estimate.at["fmr"], record.estimate.at["date"]): record
        for record in dated.source.select(AT_DATE)
        if record.estimate.at["labels"] == labels
    }

    def row(record: Record) -> tuple[Text, ...]:
        there = record.estimate.provider, record.estimate.at["fmr"]
        cells = (_at_date(values[*there, date], notes) for date in dated.dates)
        return (provider(record),), *cells, _signed(record), _bounds(record), _changed(record)

    blocks = _by_target(dated.changes(labels, "own"), row)
    numbers = [*(f"FNMR, {date}" for date in dated.dates), "change, percentage points", "interval"]
    return build_table(name, caption, header(["Service"], numbers, wide=[head]), blocks, notes)


def _by_target(records: Iterable[Record], row: Callable[[Record], tuple[Text, ...]]) -> list[Block]:
    """A block for each target, a row for each of its records."""
    return [
        Block(head=phrases.at_words({"fmr": target}, here[0].pointer), rows=tuple(map(row, here)))
        for target, here in grouped(records, lambda record: record.estimate.at["fmr"]).items()
    ]


def _at_date(record: Record, notes: Footnotes) -> Text:
    value = phrases.value(record, notes)
    if not record.bounds or record.bounds[0].interval.low is None:
        return value
    return spans(*value, phrases.BREAK, *phrases.bounds(record.bounds[0], record.estimate))


def _points(value: float) -> str:
    """A difference of rates, in percentage points of two decimals."""
    return formatting.fixed(value, 2)


def _signed(record: Record, show: Callable[[float], str] = _points) -> Text:
    value = record.estimate.value
    if value is None:
        return (TextSpan(text=phrases.ABSENT, pointer=f"{record.pointer}/value"),)
    return spans("+" if value > 0 else "", phrases.number(show(value), f"{record.pointer}/value"))


def _bounds(record: Record, show: Callable[[float], str] = _points) -> Text:
    bound = record.bounds[0] if record.bounds else None
    if bound is None or bound.interval.low is None or bound.interval.high is None:
        return phrases.DASH
    low, high = (
        phrases.number(show(end), f"{bound.pointer}/{name}")
        for name, end in (("low", bound.interval.low), ("high", bound.interval.high))
    )
    return spans(low, " to ", high)


def _changed(record: Record) -> Text:
    """Yes, not shown, or why not tested; with the minimum detectable change."""
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.p is None:
        reason = (test.note if test is not None else None) or record.estimate.note or "not testable"
        return spans("Not tested: ", TextSpan(text=reason, pointer=f"{at}/note"), ".")
    parts: list[Part] = [phrases.bold("Yes") if test.differs else "Not shown", " (p ", *_p(record), ")."]
    if not test.differs:
        share = phrases.number(formatting.exact(test.power), f"{at}/power")
        if test.detectable is None:
            parts.append(" With so few queries no change is detectable with this power.")
        else:
            size = phrases.number(_points(test.detectable), f"{at}/detectable")
            parts += [" Minimum detectable change: ", size, " percentage points (", share, " power)."]
    return spans(*parts)


def _p(record: Record) -> Text:
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.p is None:
        return phrases.DASH
    if test.p_adjusted is None:
        return (phrases.number(formatting.p_value(test.p), f"{at}/p"),)
    return (phrases.number(formatting.p_value(test.p_adjusted), f"{at}/p_adjusted"),)


def _again(dated: _DatedRecords) -> Table | None:
    """Of the same pairs of faces: how many scores are the same, how far they moved."""
    by = {
        (record.estimate.provider, record.estimate.metric, str(record.estimate.at["pairs"])): record
        for metric in (SAME_SCORES, SCORE_CHANGE, LARGEST)
        for record in dated.source.select(metric)
    }
    names = [name for name in dated.source.providers if (name, SAME_SCORES, "all") in by]
    if not names:
        return None
    rows = tuple(
        (
            (provider(by[name, SAME_SCORES, "all"]),),
            phrases.counts(by[name, SAME_SCORES, "all"]),
            phrases.value(by[name, SAME_SCORES, "all"], places=2),
            *(_moved(by[name, SCORE_CHANGE, kind]) for kind in ("mated", "non_mated")),
            phrases.value(by[name, LARGEST, "all"]),
        )
        for name in names
    )
    columns = header(
        ["Service"],
        ["same score, of all pairs", "share", "mean change, mated", "mean change, non-mated", "largest"],
    )
    caption = phrases.titled(
        "The same pairs of faces, scored again.",
        "Later minus earlier, in the service's own scores, with intervals for the population and p. A deterministic "
        "service has changed if one score has. Rates need not change: a new scale changes every score, and no rate "
        "at an FMR target.",
    )
    return build_table("dates-scores", caption, columns, [Block(rows=rows)], Footnotes())


def _moved(record: Record) -> Text:
    parts: list[Part] = [*_signed(record, formatting.score)]
    if record.bounds and record.bounds[0].interval.low is not None:
        parts += [phrases.BREAK, *_bounds(record, formatting.score), ", p ", *_p(record)]
    return spans(*parts)


def _kept(dated: _DatedRecords) -> Table | None:
    """Both rates at the threshold of the earlier date, kept as it was."""
    mated = dated.changes(dated.first, "earlier")
    other = {
        (change.estimate.provider, change.estimate.at["fmr"]): change
        for change in dated.changes(dated.first, "earlier", "fmr")
    }
    if not mated:
        return None

    def row(record: Record) -> tuple[Text, ...]:
        of_rates = record, other[record.estimate.provider, record.estimate.at["fmr"]]
        cells = (cell for of in of_rates for cell in (_signed(of), _bounds(of), _p(of)))
        return (provider(record),), *cells

    changes = [
        title
        for rate in ("FNMR", "FMR")
        for title in (f"change of {rate}, percentage points", "interval", "p")
    ]
    columns = header(["Service"], changes)
    caption = phrases.titled(
        "At the threshold of the earlier date.",
        "Rates of a user who set the threshold at the earlier date, for the FMR named, and kept it. Not declared as "
        "decisive: p is adjusted over all such tests of this report where B allows it.",
    )
    return build_table("dates-kept", caption, columns, _by_target(mated, row), Footnotes())


def _figure(dated: _DatedRecords) -> Iterator[Figure]:
    """A panel for each service, a curve with its band for each date (Figure S.14)."""
    panels = scales.alike(lambda: _panels(dated))
    if panels:
        yield Figure(
            name="dates",
            title="FNMR over FMR at two dates",
            caption=spans(
                "Bands hold for the population, pointwise. Overlap of bands is not a test, because both dates have "
                "the same subjects; the table tests the difference."
            ),
            panels=panels,
            keys=figures.keys("dates", list(enumerate(dated.dates))),
        )


def _panels(dated: _DatedRecords) -> Iterator[Panel]:
    curves = [curve for curve in dated.source.result.curves if curve.analysis == KIND]
    for name in dated.source.providers:
        series = [
            Series(name=curve.group, index=dated.dates.index(curve.group), curve=curve)
            for curve in curves
            if curve.provider == name and any(math.isfinite(y) and y > 0 for y in curve.y)
        ]
        if series:
            yield systems.overlaid(name_of("fnmr-at-two-dates", name), name, series, "FNMR", rates=True)
