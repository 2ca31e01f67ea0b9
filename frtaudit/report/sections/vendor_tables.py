"""What stands below the vendors' page: what failures could hide, services at two dates, what was left out."""

from frtaudit.core import metrics
from frtaudit.core.cohort import NOT_SHARED
from frtaudit.core.text import formatting
from frtaudit.core.text.kinds import Kind
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, header, provider
from frtaudit.report.source import Record, Source

VALUE, PLACES = "vendor_value", 2  # places of a percent that accuracies have
LOWEST, HIGHEST = "vendor_difference_lowest", "vendor_difference_highest"
CHANGED, LARGEST_CHANGE = "scores_changed", "largest_score_change"
APART = {"of", "fmr", "rate", "pairs"}  # what a measure is, in `at`
TOO_FEW = "not testable whether the groups differ: a group has too few errors or subjects with errors"
UNESTABLISHED = "no difference between the groups is established"
UNTESTED = "not tested whether the groups differ"
Key = tuple[object, ...]


def key_of(record: Record) -> Key:
    """What a record measures, whichever system or pair it is of."""
    estimate = record.estimate
    at = tuple(sorted((name, value) for name, value in estimate.at.items() if name in APART))
    return at, estimate.schema, estimate.group


def number(record: Record, value: float | None, pointer: str) -> Text:
    """A number printed as the metric that it is a value of; a difference of rates in percentage points."""
    if value is None:
        return (TextSpan(text=phrases.ABSENT, pointer=pointer),)
    text = formatting.rate(value) if is_rate(record) else formatting.plain(value)
    if is_rate(record) and record.estimate.metric != VALUE:
        text = formatting.rate(value, style=formatting.Style.PERCENT).removesuffix(" %")
    if (record.estimate.metric, record.estimate.at["of"]) == (VALUE, "accuracy"):
        text = formatting.fixed(value, PLACES)
    return (phrases.number(text, pointer),)


def is_rate(record: Record) -> bool:
    """Whether what is compared is a rate: its differences are in percentage points."""
    of = str(record.estimate.at["of"])
    return of == "gap" or metrics.kind_of(of) is Kind.RATE


def unit(record: Record) -> str:
    """What follows a difference: of rates its unit, of other measures nothing."""
    return " percentage points" if is_rate(record) else ""


def caution(record: Record, notes: Footnotes) -> Text:
    """The mark of a ratio that is not known to be more than chance; empty where the groups differ."""
    test = record.estimate.test
    if test is None:
        return notes.mark(UNTESTED, f"{record.pointer}/value")
    if test.p is None:
        return notes.mark(TOO_FEW, f"{record.pointer}/test/note")
    return () if test.differs else notes.mark(UNESTABLISHED, f"{record.pointer}/test/p")


def pair(record: Record) -> Text:
    """The two systems of a difference, each by its name."""
    return spans(provider(record), " – ", _other(record))


def _other(record: Record) -> TextSpan:
    return phrases.bold(str(record.estimate.at["against"]), f"{record.pointer}/at/against")


def hidden(source: Source) -> Table | None:
    """The difference had every failure of one system been right and of the other wrong, and the other way round."""
    low, high = (
        {(key_of(i), systems_of(i)): i for i in source.select(metric)} for metric in (LOWEST, HIGHEST)
    )
    rows = tuple(
        (
            spans(pair(record), " at ", phrases.at_words({"fmr": record.estimate.at["fmr"]}, record.pointer)),
            number(record, record.estimate.value, f"{record.pointer}/value"),
            number(high[key], high[key].estimate.value, f"{high[key].pointer}/value"),
            outer(record, high[key]),
            (TextSpan(text=record.estimate.note or "", pointer=f"{record.pointer}/note"),),
        )
        for key, record in low.items()
        if key in high
    )
    if not rows:
        return None
    columns = header(["Pair"], ["lowest", "highest", "with sampling error"], ["Failures"])
    caption = phrases.titled(
        "Bounds for failures.",
        "First minus second in pooled FNMR over all mated comparisons, in percentage points: lowest if all failures "
        "of the first system had been right and all of the second wrong, highest in the opposite case. A choice that "
        "holds at both ends does not depend on the failures.",
    )
    return build_table("vendors-bounds-for-failures", caption, columns, [Block(rows=rows)], Footnotes())


def systems_of(record: Record) -> tuple[str, str]:
    """The two systems of a difference."""
    return record.estimate.provider, str(record.estimate.at["against"])


def outer(low: Record, high: Record) -> Text:
    """From the lower bound of one record to the upper of another, or of the same."""
    ends = [record.bounds[0] if record.bounds else None for record in (low, high)]
    if ends[0] is None or ends[1] is None or ends[0].interval.low is None or ends[1].interval.high is None:
        return phrases.DASH
    first = number(low, ends[0].interval.low, f"{ends[0].pointer}/low")
    return spans(first, " to ", number(high, ends[1].interval.high, f"{ends[1].pointer}/high"))


def changes(source: Source) -> Table | None:
    """Two dates of one vendor: the same inputs, how many scores are others."""
    most = {systems_of(record): record for record in source.select(LARGEST_CHANGE)}
    notes = Footnotes()
    rows = tuple(
        (
            spans(_other(record), " – ", provider(record)),
            phrases.value(record, notes),
            phrases.counts(record),
            phrases.value(most.get(systems_of(record))),
            (TextSpan(text="No: the scores are identical" if record.estimate.numerator == 0 else "Yes"),),
        )
        for record in source.select(CHANGED)
    )
    if not rows:
        return None
    numbers = ("scores changed", "of mated comparisons", "largest change (score)")
    columns = header(["From – to"], numbers, ["Did the service change?"])
    caption = phrases.titled(
        "Two dates of one service.",
        "The same inputs, scored again. The tables of differences show whether a change is within the margin.",
    )
    return build_table("vendors-two-dates", caption, columns, [Block(rows=rows)], notes)


def changed(source: Source) -> tuple[Text, ...]:
    """For the first page: of each service at two dates, how many of its scores are others."""
    texts = []
    for record in source.select(CHANGED):
        outcome: list[Part] = [" no score of a mated comparison changed: the service did not."]
        if record.estimate.numerator != 0:
            share = phrases.value(record)
            outcome = [" the service changed: ", share, " of mated comparisons have a different score."]
        texts.append(spans("From ", _other(record), " to ", provider(record), *outcome))
    return tuple(texts)


def ledger(source: Source) -> Table | None:
    """What each system scored and others did not, and so is not compared."""
    rows = tuple(
        (
            (phrases.bold(entry.provider or "", f"/failures/{place}/provider"),),
            (phrases.whole(entry.count, f"/failures/{place}/count"),),
            (TextSpan(text=entry.unit, pointer=f"/failures/{place}/unit"),),
        )
        for place, entry in enumerate(source.result.failures)
        if entry.code == NOT_SHARED
    )
    if not rows:
        return None
    columns = (*header(["System"], ["left out"]), *header(["of"]))
    caption = phrases.titled(
        "Left out of the common support.",
        "Scored by this system, failed in another: such differences are bounded in the table of failures.",
    )
    return build_table("vendors-failures", caption, columns, [Block(rows=rows)], Footnotes())
