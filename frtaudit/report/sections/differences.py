"""Whether groups differ, in words: what chance alone would give, the p value, what would have been found."""

from frtaudit.core import Test
from frtaudit.report import numbers, phrases
from frtaudit.report.pieces import Footnotes, Part, Piece, Text, say
from frtaudit.report.source import Record, Source

MAX_SAID = 6


def when_alike(record: Record) -> Text:
    """What the index is when groups are alike: in half of all cases at most, and in all but alpha of them."""
    test = record.estimate.test
    if test is None or test.null_median is None or test.null_edge is None:
        return (Piece(text=phrases.ABSENT),)
    at = f"{record.pointer}/test"
    return say(
        phrases.number(numbers.plain(test.null_median), f"{at}/null_median"),
        "; ",
        phrases.number(numbers.plain(test.null_edge), f"{at}/null_edge"),
    )


def sentence(record: Record, notes: Footnotes | None = None) -> Text:
    """One plain sentence: the groups differ, or no difference was found and what would have been."""
    test = record.estimate.test
    if test is None:
        return (Piece(text=phrases.ABSENT),)
    at = f"{record.pointer}/test"
    if test.p is None:
        said = notes.mark(test.note, f"{at}/note") if notes else ()
        return say(
            "Not testable",
            said or (Piece(text=f": {test.note}", pointer=f"{at}/note"),),
            ".",
        )
    mark = notes.mark(test.note, f"{at}/note") if notes else ()
    if test.differs:
        return say("The groups differ", _p(test, at), mark, ".")
    return say("No difference found", _p(test, at), mark, ". ", *_missed(test, at))


def _p(test: Test, at: str) -> Text:
    """The raw p value, and the one adjusted for all that was looked at."""
    parts: list[Part] = [" (p ", phrases.number(numbers.plain(test.p or 0.0), f"{at}/p")]
    if test.p_adjusted is not None:
        parts += [", adjusted ", phrases.number(numbers.plain(test.p_adjusted), f"{at}/p_adjusted")]
    elif test.family:
        parts.append(", unadjusted")
    return say(*parts, ")")


def _missed(test: Test, at: str) -> list[Part]:
    """The smallest difference that this test would have found."""
    share = phrases.number(numbers.exact(test.power), f"{at}/power")
    if test.detectable is None:
        return ["No difference, however large, would have been found in ", share, " of such audits."]
    size = phrases.number(numbers.plain(test.detectable), f"{at}/detectable")
    unit = Piece(text=test.detectable_unit, pointer=f"{at}/detectable_unit")
    return [
        "A true difference of ",
        size,
        " (",
        unit,
        ") would have been found in ",
        share,
        " of such audits.",
    ]


def headline(source: Source, target: float | None) -> Text:
    """For the first page: the ratio of the largest to the smallest rate at the main target, by system and schema."""
    found = [
        item
        for item in source.select("max_min", primary=True)
        if item.estimate.test is not None and item.estimate.at.get("fmr") == target
    ]
    parts: list[Part] = []
    for item in found[:MAX_SAID]:
        test = item.estimate.test
        if test is None:
            continue
        by = (item.estimate.schema or "").replace("_", " ")
        name = Piece(text=item.estimate.provider, pointer=f"{item.pointer}/provider", kind="b")
        rate = phrases.metric(str(item.estimate.at.get("rate")))
        parts += [" " if parts else "", name, f", {rate} by {by}: ", *sentence(item)]
    if len(found) > MAX_SAID:
        parts.append(" More under Groups.")
    return say(*parts)
