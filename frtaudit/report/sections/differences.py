"""Whether groups differ, in words: the p value, what is expected under equality, the minimum detectable difference."""

from collections.abc import Sequence

from frtaudit.core import Estimate, Interval, Target, Test
from frtaudit.core.metrics import D_L2, INDICES, value_alike
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, listed, plain_text, spans
from frtaudit.report.sections.tables import header, provider
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

MAX_SAID = 6
ESTABLISHED = "Difference established"
SIGNIFICANT = "Significant before adjustment"
UNESTABLISHED = "Not established"
NOT_ESTABLISHED = "Not established after adjustment"
NOT_OF_THE_POPULATION = "Not established for the population"
ANOTHER_TARGET = (
    "An interval for the same subjects, or for comparisons treated as independent, excludes equality"
)
COLUMNS = (
    *header(["System, rate"], ["Ratio", "CI"]),
    *header(["Is there a difference?"], ["Minimum detectable"]),
)


def when_alike(record: Record) -> Text:
    """The index expected under equality: in half of all cases at most, and in all but alpha of them."""
    test = record.estimate.test
    if test is None or test.null_median is None or test.null_edge is None:
        return phrases.DASH
    at = f"{record.pointer}/test"
    return spans(
        phrases.number(formatting.plain(test.null_median), f"{at}/null_median"),
        "; ",
        phrases.number(formatting.plain(test.null_edge), f"{at}/null_edge"),
    )


def sentence(record: Record, notes: Footnotes | None = None) -> Text:
    """One plain sentence: the groups differ, or that is not established and what would have been."""
    test = record.estimate.test
    if test is None:
        return phrases.DASH
    if test.p is None or test.differs:
        return spans(answer(record, notes), ".")
    at, power = f"{record.pointer}/test", f" power{_alone(test)}"  # that of the raw p value
    share = phrases.number(formatting.exact(test.power), f"{at}/power")
    missed: list[Part] = ["No difference, however large, is detectable with ", share, f"{power}."]
    if test.detectable is not None:
        size = phrases.number(formatting.plain(test.detectable), f"{at}/detectable")
        unit = TextSpan(text=test.detectable_unit, pointer=f"{at}/detectable_unit")
        missed = ["Minimum detectable difference: ", size, " (", unit, "; ", share, f"{power})."]
    return spans(answer(record, notes), ". ", *missed)


def answer(record: Record, notes: Footnotes | None = None, another: str = ANOTHER_TARGET) -> Text:
    """Whether the groups differ, with the p value, or why that could not be tested; with the mark of its note.

    ``another``: the note on an interval that excludes equality where the test establishes nothing.
    """
    test = record.estimate.test
    if test is None:
        return phrases.DASH
    at = f"{record.pointer}/test"
    mark = notes.mark(test.note, f"{at}/note") if notes else ()
    if test.p is None:
        return spans("Not testable", mark or (TextSpan(text=f": {test.note}", pointer=f"{at}/note"),))
    outcome = _outcome(record.estimate, test)
    other = notes.mark(another, at) if notes and outcome == NOT_OF_THE_POPULATION else ()
    return spans(outcome, other, _p(test, at, is_named=outcome == SIGNIFICANT), mark)


def shown_as(record: Record) -> TextSpan:
    """``established``, or of a p that is not adjusted ``significant before adjustment``."""
    at = f"{record.pointer}/test"
    if record.estimate.test is not None and record.estimate.test.p_adjusted is not None:
        return TextSpan(text="established", pointer=at)
    return TextSpan(text=SIGNIFICANT.lower(), pointer=f"{at}/p")


def _outcome(estimate: Estimate, test: Test) -> str:
    """What the test says; beside an interval that excludes equality it says of what.

    The test asks about the population. An interval for the same subjects or for independent comparisons answers another
    question and may exclude equality where the test finds nothing: then the sentence names its own.
    """
    if test.differs:
        return SIGNIFICANT if test.p_adjusted is None else ESTABLISHED
    if contradicted(estimate, test):
        return NOT_ESTABLISHED
    if estimate.metric == D_L2:  # a distance is above 0 by chance too: its other intervals test nothing
        return UNESTABLISHED
    return NOT_OF_THE_POPULATION if _excludes(estimate, value_alike(estimate.metric)) else UNESTABLISHED


def contradicted(estimate: Estimate, test: Test, alike: float | None = None) -> bool:
    """Whether a test that found nothing after adjustment stands beside a raw p, or an interval, that found something.

    ``alike``: what the estimate is where all are equal, by default that of its metric.
    """
    if test.p is not None and test.p <= test.alpha:
        return True
    equal = value_alike(estimate.metric) if alike is None and estimate.metric in INDICES else alike
    return _excludes(estimate, equal, Target.POPULATION)


def _excludes(estimate: Estimate, equal: float | None, target: Target | None = None) -> bool:
    """Whether an interval, of ``target`` or of any, excludes the value of equality."""
    return any(
        target in (None, interval.target) and _is_beyond(interval, equal) for interval in estimate.intervals
    )


def _is_beyond(interval: Interval, equal: float | None) -> bool:
    if equal is None or interval.low is None or interval.high is None:
        return False
    return not interval.low <= equal <= interval.high


def _excluding(record: Record) -> str:
    """The first interval that excludes equality, with its bounds: the table of page 1 has no column for it."""
    equal = value_alike(record.estimate.metric)
    bound = next((bound for bound in record.bounds if _is_beyond(bound.interval, equal)), None)
    if bound is None or equal is None:
        return ANOTHER_TARGET
    target = display_name(words().target, bound.interval.target.value)
    ends = plain_text(phrases.bounds(bound, record.estimate))
    return f"the interval for {target}, {ends}, excludes equality ({equal:g}); it is not a test for the population"


def p_values(record: Record, *more: Part) -> Text:
    """The p values of an estimate's test, and ``more``, in brackets; empty without a test."""
    test = record.estimate.test
    return () if test is None or test.p is None else _p(test, f"{record.pointer}/test", *more)


def _p(test: Test, at: str, *more: Part, is_named: bool = False) -> Text:
    """The unadjusted p value, said to be so unless it ``is_named`` so, and the one adjusted for all tests."""
    parts: list[Part] = [" (p ", phrases.number(formatting.p_value(test.p or 0.0), f"{at}/p")]
    parts += [] if is_named else [", unadjusted"]
    if test.p_adjusted is not None:
        p = phrases.number(formatting.p_value(test.p_adjusted), f"{at}/p_adjusted")
        parts += ["; ", p, ", adjusted"]
    return spans(*parts, *more, ")")


def _alone(test: Test) -> str:
    """What is detectable is so by the raw p; where an adjusted one decided, less is found, and that is said."""
    return "" if test.p_adjusted is None else ", unadjusted"


def tested(source: Source, target: float | None) -> list[Record]:
    """The largest over the smallest rate of groups at an FMR target, where a test was made of it."""
    return [
        record
        for record in source.select("max_min", primary=True)
        if record.estimate.test is not None and record.estimate.at.get("fmr") == target
    ]


def headline(source: Source, target: float | None) -> Table | None:
    """For the first page: whether groups differ at the main target, by system and rate; None where none was tested."""
    records = tested(source, target)
    if not records:
        return None
    notes = Footnotes()
    more = len(records) - MAX_SAID
    if more > 0:  # a difference that was established is never left out for one that was not
        records.sort(key=lambda record: not (record.estimate.test and record.estimate.test.differs))
    rows = tuple(_row(record, notes) for record in records[:MAX_SAID])
    missed = (record.estimate.test for record in records[:MAX_SAID] if record.estimate.test is not None)
    alone = max((_alone(test) for test in missed if test.differs is False), default="")
    bound = next((bound for record in records if (bound := record.bound(Target.POPULATION))), None)
    level: list[Part] = (
        [] if bound is None else [", with its ", phrases.level(bound), " CI for the population"]
    )
    caption = phrases.titled(
        "Do the groups differ?",
        "The largest rate of a group over the smallest, at ",
        phrases.at_words({"fmr": records[0].estimate.at["fmr"]}, records[0].pointer),
        *level,
        f". Last column: the minimum detectable difference, with its power{alone}.",
    )
    return Table(
        name="differences",
        caption=caption,
        columns=COLUMNS,
        blocks=(Block(rows=rows),),
        notes=notes.all(),
        left_out=_rest(records[MAX_SAID:]),
        kind="dense short",
    )


def _rest(records: Sequence[Record]) -> str:
    """Which rates and systems only the annex has, or how many systems where names would be a list; empty for none."""
    by = {
        rate: [record.estimate.provider for record in of_rate]
        for rate, of_rate in grouped(records, rate_by).items()
    }
    few = len(records) <= MAX_SAID
    parts = [
        f"{rate} of {plain_text(listed(names)) if few or len(names) == 1 else f'{len(names)} systems'}"
        for rate, names in by.items()
    ]
    return f"{len(records)} more in the annex, under Groups: {'; '.join(parts)}." if records else ""


def _row(record: Record, notes: Footnotes) -> tuple[Text, ...]:
    """A system and a rate; the minimum detectable difference stands beside "not established" alone."""
    test, at = record.estimate.test, f"{record.pointer}/test"
    detectable = phrases.DASH
    if test is not None and test.p is not None and not test.differs:
        share = phrases.number(formatting.exact(test.power), f"{at}/power")
        detectable = spans("none (", share, ")")
        if test.detectable is not None:
            size = phrases.number(formatting.plain(test.detectable), f"{at}/detectable")
            detectable = spans(size, " (", share, ")")
    return (
        spans(provider(record), f", {rate_by(record)}"),
        phrases.value(record),
        phrases.bounds(record.bound(Target.POPULATION), record.estimate, notes),
        answer(record, notes, _excluding(record)),
        detectable,
    )


def rate_by(record: Record) -> str:
    """The rate of which groups were compared, and the schema of the groups."""
    rate = phrases.metric(str(record.estimate.at.get("rate")))
    return f"{rate} by {(record.estimate.schema or '').replace('_', ' ')}"
