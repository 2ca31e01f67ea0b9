"""What the first page says of groups: which rates differ, where none was established, what was not tested."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from frtaudit.core.methods import ENOUGH, GROUPS_NEED, MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.metrics import D_L2
from frtaudit.core.text import formatting
from frtaudit.evaluation.subjects_needed import projected, subjects_to_detect
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, listed, semicolons, spans
from frtaudit.report.sections import differences
from frtaudit.report.sections.operating_points import at_target, main_target, of_groups
from frtaudit.report.sections.tables import provider
from frtaudit.report.source import Record, Source, grouped

MAX_NAMED, MAX_LISTED, FEW_SYSTEMS = 3, 6, 3
UNTESTED = "Not testable, with too few errors or subjects with errors: differences in "
EXAMPLE_RATIO = 2.0  # whose subjects are given where the estimated ratio is one that equal groups give
Reason = Callable[[Sequence[Record]], list[Part]]
NEEDED = f"; each group needs {MIN_ERRORS} errors of {MIN_ERROR_SUBJECTS} subjects"
_FEW = re.compile(rf"(?P<group>.+) has \d.*; about (?P<times>[\d.]+) {ENOUGH}")


def sentences(source: Source) -> Iterator[Text]:
    """Which tests of the largest over the smallest rate establish a difference at the main target, and which do not."""
    tested = differences.tested(source, main_target(source))
    if not tested:
        yield from _distances(source)
    differing = [record for record in tested if record.estimate.test and record.estimate.test.differs]
    if len(differing) > MAX_NAMED:
        yield from _differ_briefly(source, differing)
    else:
        yield from (_differs(source, record) for record in differing)
    if tested:
        yield from _distances(source, every=False)
    unsure = [record for record in tested if record.estimate.test and not record.estimate.test.differs]
    for outcome, text, why in ((True, "No difference was established in ", ""), (False, UNTESTED, NEEDED)):
        here = [
            record
            for record in unsure
            if record.estimate.test and (record.estimate.test.p is not None) is outcome
        ]
        if here:
            sizes = partial(_detectable, source) if outcome else _nothing
            brief = len(here) > MAX_NAMED
            each = _nothing if outcome or brief else partial(_errors, source)
            several = spans(f"{len(here)} of {len(tested)} comparisons (see Groups)", *sizes(here))
            named = _by_rate(here, each, sizes) if len(here) <= MAX_LISTED else several
            enough = "" if outcome or not brief else _enough_in_each(source, here)
            parts = at_target(source, here[0])
            yield spans(text, *named, *([",", *parts] if parts else []), f"{why}{enough}.")


def _distances(source: Source, *, every: bool = True) -> Iterator[Text]:
    """Which tests of d_l2 establish that classes differ, by schema; with ``every`` also which do not."""
    for schema in source.schemas:
        tested = [
            record
            for record in source.select(D_L2, schema=schema)
            if dict(record.estimate.at) == {"space": "quantile"}
            and record.estimate.test is not None
            and record.estimate.test.p is not None
        ]
        names: dict[str, list[Text]] = {"established": [], differences.SIGNIFICANT.lower(): [], "not": []}
        words: dict[str, Text] = {"not": spans("not established for ")}
        for record in tested:
            shown = differences.shown_as(record)
            outcome = shown.text if record.estimate.test and record.estimate.test.differs else "not"
            words.setdefault(outcome, spans("a difference of classes is ", shown, " for "))
            brief = outcome == "not" or len(tested) > MAX_NAMED
            names[outcome].append(
                spans(provider(record), *(() if brief else _largest_distance(source, record)))
            )
        parts = [
            spans(*words[key], listed(of)) for key, of in names.items() if of and (every or key != "not")
        ]
        if parts:
            yield spans(f"d_l2 by {schema.replace('_', ' ')}: ", semicolons(parts), ".")


def _largest_distance(source: Source, record: Record) -> Text:
    """The p values of a test of d_l2, and the class whose distance from the mean curve is the largest."""
    same = (record.estimate.provider, record.at, record.estimate.value)
    of_classes = (
        other
        for other in source.select(D_L2, schema=record.estimate.schema)
        if (other.estimate.provider, other.at, other.estimate.value) == same and other != record
    )
    farthest = next(of_classes, None)
    more = () if farthest is None else ("; largest for ", phrases.group(source, farthest))
    return differences.p_values(record, *more)


def _detectable(source: Source, records: Sequence[Record]) -> list[Part]:
    """The ratio that the test would have found, of several the largest, with its power; nothing where none is known."""
    sizes = [
        (record.estimate.test.detectable, record)
        for record in records
        if record.estimate.test is not None and record.estimate.test.detectable is not None
    ]
    if not sizes:
        return []
    record, several = max(sizes, key=lambda pair: pair[0])[1], len(records) > 1
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.detectable is None:
        return []
    return [
        f" (minimum detectable ratio {'at most ' if several else ''}",
        phrases.number(formatting.plain(test.detectable), f"{at}/detectable"),
        ", ",
        phrases.number(formatting.exact(test.power), f"{at}/power"),
        " power",
        *_needed(source, record, estimated=not several),
        ")",
    ]


def _needed(source: Source, record: Record, *, estimated: bool) -> list[Part]:
    """How many subjects would detect the estimated ratio; a ratio of 2 where equal groups give it half the time."""
    value, test = record.estimate.value, record.estimate.test
    total = source.result.cohort.get("subjects")
    if value is None or test is None or test.detectable is None or not isinstance(total, (int, float)):
        return []
    above = test.null_median is not None and 1.0 < test.null_median < value < math.inf
    of_these = estimated and above
    size = value if of_these else EXAMPLE_RATIO
    needed = subjects_to_detect(math.log(size), math.log(test.detectable), total)
    if needed is None:
        return []
    ratio: list[Part] = (
        ["the estimated ratio ", phrases.value(record)] if of_these else [f"a ratio of {size:g}"]
    )
    return [f"; about {formatting.count(needed)} subjects in all would detect ", *ratio]


def _errors(source: Source, records: Sequence[Record]) -> list[Part]:
    """Which group has too few errors, how many it has, and how many subjects would give enough."""
    (record,) = records
    note = None if record.estimate.test is None else record.estimate.test.note
    if note is None:
        return []
    few, enough = _FEW.match(note), _enough(source, record)
    why, more = note.removesuffix(f"; {GROUPS_NEED}"), ""
    if few and enough:
        why = why.partition("; about ")[0]
        more = f"; about {formatting.count(enough)} subjects of {few['group']} would give enough"
    return [" (", TextSpan(text=why, pointer=f"{record.pointer}/test/note"), f"{more})"]


def _enough(source: Source, record: Record) -> float | None:
    """How many subjects of the group that lacks the most errors would give enough; None where that is not known."""
    few = _FEW.match((record.estimate.test and record.estimate.test.note) or "")
    rows = source.counts(record.estimate.schema or "") if few else []
    subjects = next((row.get("subjects") for row in rows if few and row.get("label") == few["group"]), None)
    if few is None or not isinstance(subjects, (int, float)):
        return None
    return projected(subjects * float(few["times"]), subjects)


def _enough_in_each(source: Source, records: Sequence[Record]) -> str:
    """How many subjects of a group would give enough errors, from the fewest to the most of several comparisons."""
    numbers = [number for record in records if (number := _enough(source, record)) is not None]
    if not numbers:
        return ""
    low, high = formatting.count(min(numbers)), formatting.count(max(numbers))
    without = len(records) - len(numbers)
    unknown = f"; for {without} of {len(records)}, with a group without errors, no number is known"
    return (
        f". About {low if low == high else f'{low} to {high}'} subjects of the group with the fewest errors would give "
        f"enough{unknown if without else ''}"
    )


def _nothing(_: Sequence[Record]) -> list[Part]:
    return []


def _by_rate(records: Sequence[Record], each: Reason = _nothing, behind: Reason = _nothing) -> Text:
    """``FNMR by group of a and b, FMR by group of c``; what follows ``each`` system, and stands ``behind`` a rate's."""
    return listed(
        [
            spans(
                f"{rate} of ",
                listed([spans(provider(record), *each([record])) for record in of_rate]),
                *behind(of_rate),
            )
            for rate, of_rate in grouped(records, differences.rate_by).items()
        ]
    )


def _rates_of_groups(source: Source, record: Record) -> list[Record]:
    """The rates of the groups that a test compares, ascending."""
    metric = "fmr" if record.estimate.at.get("rate") == "fmr" else "fnmr_at_fmr"
    here = [
        candidate
        for candidate in of_groups(source, metric, record.estimate.at["fmr"], record.estimate.schema)
        if candidate.estimate.provider == record.estimate.provider and candidate.estimate.value is not None
    ]
    return sorted(here, key=lambda candidate: candidate.estimate.value or 0.0)


def _differ_briefly(source: Source, differing: Sequence[Record]) -> Iterator[Text]:
    """For each system its ratios, the largest first: ``at FMR 0.1 %, FNMR is 4.39 times as high for A as for B``."""
    largest_first = sorted(differing, key=lambda record: -(record.estimate.value or 0.0))
    by_system = grouped(largest_first, lambda record: record.estimate.provider)
    limit = MAX_NAMED if len(source.providers) <= FEW_SYSTEMS else 1
    named_systems = [name for name in source.providers if name in by_system][:MAX_LISTED]
    for name in named_systems:
        records = by_system[name]
        left = f"; {len(records) - limit} more in Groups" if len(records) > limit else ""
        at = at_target(source, records[0])
        ratios = [_ratio(source, record) for record in records[:limit]]
        yield spans(provider(records[0]), ":", *at, ", " if at else " ", *semicolons(ratios), f"{left}.")
    if more := len(by_system) - len(named_systems):
        yield spans(f"Groups differ for {more} more {'systems' if more > 1 else 'system'} (see Groups).")


def _ratio(source: Source, record: Record) -> Text:
    """``FNMR is 3.2 times as high for Cedar as for Amber (p < 0.001)``."""
    ordered, answer = _rates_of_groups(source, record), differences.p_values(record)
    if len(ordered) < 2 or record.estimate.value is None:
        return spans("groups differ in ", _by_rate([record]), answer)
    low, high = ordered[0], ordered[-1]
    return spans(
        _rate_name(high),
        " is ",
        phrases.value(record),
        " times as high for ",
        phrases.group(source, high),
        " as for ",
        phrases.group(source, low),
        answer,
    )


def _rate_name(record: Record) -> str:
    within = " within the group" if record.estimate.metric == "fmr" else ""
    return f"{phrases.metric(record.estimate.metric)}{within}"


def _differs(source: Source, record: Record) -> Text:
    """``Cedar's FNMR is 3.2 times Amber's for vendor_b (p < 0.001)``."""
    ordered, answer = _rates_of_groups(source, record), differences.p_values(record)
    if len(ordered) < 2:
        return spans("Groups differ in ", _by_rate([record]), answer, ".")
    low, high = ordered[0], ordered[-1]
    times: list[Part] = (
        [", ", phrases.value(record), " times as high"] if record.estimate.value is not None else []
    )
    return spans(
        provider(record),
        f": {_rate_name(high)}",
        *at_target(source, record),
        " is ",
        phrases.value(high),
        " for ",
        phrases.group(source, high),
        " and ",
        phrases.value(low),
        " for ",
        phrases.group(source, low),
        *times,
        answer,
        ".",
    )
