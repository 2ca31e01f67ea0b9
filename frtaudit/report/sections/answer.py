"""The answer of the first page in sentences: requirements, groups, and what the data cannot decide."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from frtaudit.core import Target, Verdict
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.metrics import D_L2
from frtaudit.core.result import DECISION
from frtaudit.core.text import formatting
from frtaudit.evaluation.subjects_needed import subjects_to_detect
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, listed, plain_text, spans
from frtaudit.report.sections import deciding, differences, label_notice, releases, vendor_tables
from frtaudit.report.sections.points import POOLS, at_target, main_target, overall
from frtaudit.report.sections.verdicts import FindingRow, confidence, marks, named
from frtaudit.report.source import Record, Source

MODELLED = "fmr_model"
MAX_NAMED, MAX_LISTED, FEW_SYSTEMS = 3, 6, 3
NEEDED = f"; each group needs at least {MIN_ERRORS} errors, from {MIN_ERROR_SUBJECTS} subjects or more"


def sentences(source: Source, rulings: Sequence[FindingRow]) -> tuple[Text, ...]:
    """For the requirements of each system, the groups by rate, releases, and what the data cannot decide."""
    return (
        *_first(source, rulings),
        *_modelled(rulings),
        *vendor_tables.changed(source),
        *_groups(source),
        *releases.answers(source),
        *_undecided(source, rulings),
    )


def _first(source: Source, rulings: Sequence[FindingRow]) -> Iterator[Text]:
    """Requirements where there are any; else the rates, which a comparison shows in its table."""
    if rulings:
        return _requirements(source, rulings)
    return iter(()) if source.select(DECISION) else _rates(source)


def _requirements(source: Source, rulings: Sequence[FindingRow]) -> Iterator[Text]:
    """Each system that fails with its failures, their numbers and limits; then the others, by their outcomes."""
    alike: dict[tuple[int, str], list[TextSpan]] = {}
    limit = MAX_NAMED if len(source.providers) <= FEW_SYSTEMS else 1
    for name in source.providers:
        system_rulings = [
            ruling for ruling in rulings if ruling.record and ruling.record.estimate.provider == name
        ]
        rows = [ruling for ruling in system_rulings if not source.result.findings[ruling.index].advisory]
        failed = [row for row in rows if row.code == Verdict.FAIL.value]
        rest = [row for row in rows if row.code in (Verdict.INCONCLUSIVE.value, Verdict.NOT_TESTABLE.value)]
        if not rows:
            continue
        system = TextSpan(
            text=name,
            pointer=f"{rows[0].record.pointer}/provider" if rows[0].record else None,
            kind="b",
        )
        passed = len(rows) - len(failed) - len(rest)
        if failed:
            failures = _failures(source, failed)
            first = [text for text, _ in failures[:limit]]
            left = sum(count for _, count in failures[limit:])
            more: list[Part] = [f"; {left} more below"] if left else []
            fails = _of(_requirements_of(source, failed), _requirements_of(source, rows))
            yield spans(system, f" fails {fails}: ", _semicolons(first), *more, ".")
        else:
            key = _requirements_of(source, rows), _outcomes(passed, rest) if rest else ""
            alike.setdefault(key, []).append(system)
    yield from (_without_failure(total, outcomes, names) for (total, outcomes), names in alike.items())


def _without_failure(total: int, outcomes: str, names: Sequence[TextSpan]) -> Text:
    """Systems that fail no requirement and have the same outcomes."""
    each = " each" if len(names) > 1 else ""
    if outcomes:
        return spans(listed(names), f": no requirement fails; {outcomes}{each}.")
    of = _of(total, total) if not each or total > 1 else "their requirement"
    return spans(listed(names), f" pass{'' if each else 'es'} {of}.")


def _modelled(rulings: Sequence[FindingRow]) -> Iterator[Text]:
    """That a model of the tail decided, where one did."""
    decided = Verdict.PASS.value, Verdict.FAIL.value
    names = {
        row.requirement.text: row.requirement
        for row in rulings
        if row.record and row.record.estimate.metric == MODELLED and row.code in decided
    }
    if names:
        yield spans(
            TextSpan(text="Decided by a model of the tail beyond the data, not by the data: ", kind="b"),
            listed(list(names.values())),
            ". The model does not cover people who are missing from the cohort, such as look-alikes.",
        )


def _outcomes(passed: int, rest: Sequence[FindingRow]) -> str:
    """``4 pass, 1 inconclusive``: how many findings have each outcome but a failure."""
    codes = [row.code for row in rest]
    counts = (
        (passed, "pass" if passed > 1 else "passes"),
        (codes.count(Verdict.INCONCLUSIVE.value), "inconclusive"),
        (codes.count(Verdict.NOT_TESTABLE.value), "not testable"),
    )
    return ", ".join(f"{count} {outcome}" for count, outcome in counts if count)


def _requirements_of(source: Source, rows: Sequence[FindingRow]) -> int:
    """How many requirements the findings are of; one for each group has several findings."""
    return len({source.result.findings[row.index].requirement for row in rows})


def _of(count: int, total: int) -> str:
    if count == total:
        return {1: "its requirement", 2: "both requirements"}.get(total, f"all {total} requirements")
    return f"{count} of {total} requirements"


def _semicolons(parts: Sequence[Text]) -> Text:
    joined: list[Part] = []
    for part in parts:
        joined += ["; ", part]
    return spans(*joined[1:])


def _failures(source: Source, failed: Sequence[FindingRow]) -> list[tuple[Text, int]]:
    """Each failure once, and of how many requirements: those that ask the same are named, as is a source not read."""
    alike: dict[str, list[FindingRow]] = {}
    for row in failed:
        alike.setdefault(plain_text(_failure(source, row)), []).append(row)
    failures: list[tuple[Text, int]] = []
    for rows in alike.values():
        source_marks = [tuple(marks(source, source.result.findings[row.index])) for row in rows]
        whose = spans(*source_marks[0])
        if len(rows) > 1:
            each = (spans(row.requirement, *mark) for row, mark in zip(rows, source_marks, strict=True))
            whose = spans(" (", *_semicolons(list(each)), ")")
        failures.append((spans(*_failure(source, rows[0]), *whose), len(rows)))
    return failures


def _failure(source: Source, row: FindingRow) -> Text:
    """``FNMR of Cedar at FMR 0.1 % is 15.8 %, 95 % CI 11.5 % to 20.9 %, limit at most 10 %``."""
    if row.record is None:
        return spans(row.requirement)
    interval = confidence(row.record)
    between: list[Part] = [", ", interval] if interval else []
    return spans(_judged(source, row, row.record), " is ", row.value, *between, ", limit ", row.limit)


def _judged(source: Source, row: FindingRow, record: Record) -> Text:
    """The metric, the group and the operating point of a finding."""
    at = {key: value for key, value in record.estimate.at.items() if key not in ("rate", "space")}
    where: list[Part] = [" at ", phrases.at_words(at, record.pointer)] if at else []
    group: list[Part] = [part for part in row.who[1:] if part.text != ", "]
    return spans(
        named(record),
        phrases.among(source, record),
        *_farthest(source, record),
        " of " if group else "",
        *group,
        *where,
    )


def _farthest(source: Source, record: Record) -> list[Part]:
    """The class whose d_l2 is the largest, where it is one."""
    if record.estimate.metric != D_L2 or record.estimate.group != "max":
        return []
    same = [
        candidate
        for candidate in source.select(D_L2, schema=record.estimate.schema)
        if (candidate.estimate.provider, candidate.at, candidate.estimate.value)
        == (record.estimate.provider, record.at, record.estimate.value)
        and candidate.estimate.group != "max"
        and "|" not in candidate.estimate.group
    ]
    return [" (", phrases.group(source, same[0]), ")"] if len(same) == 1 else []


def _rates(source: Source) -> Iterator[Text]:
    """Without requirements: FNMR of each system at the main target, with its interval."""
    target = main_target(source)
    records = [
        candidate for candidate in overall(source, "fnmr_at_fmr") if candidate.estimate.at["fmr"] == target
    ]
    for record in records:
        bound = record.bound(Target.POPULATION, Target.FIXED_IDENTITIES, Target.COMPARISONS_IID)
        between: list[Part] = []
        if bound is not None and bound.interval.low is not None:
            between = [", ", phrases.level(bound), " CI ", *phrases.bounds(bound, record.estimate)]
        name = TextSpan(text=record.estimate.provider, pointer=f"{record.pointer}/provider", kind="b")
        point = phrases.at_words(record.estimate.at, record.pointer)
        labels = label_notice.beside(source, record)
        yield spans(name, ": FNMR ", phrases.value(record), " at ", point, *between, *labels, ".")


def _groups(source: Source) -> Iterator[Text]:
    """Which tests of the largest over the smallest rate establish a difference at the main target, and which do not."""
    target = main_target(source)
    tested = [
        record
        for record in source.select("max_min", primary=True)
        if record.estimate.test is not None and record.estimate.at.get("fmr") == target
    ]
    if not tested:
        yield from _distances(source)
    differing = [record for record in tested if record.estimate.test and record.estimate.test.differs]
    if len(differing) > MAX_NAMED:
        differing.sort(key=lambda record: -(record.estimate.value or 0.0))
        raw = any(record.estimate.test and record.estimate.test.p_adjusted is None for record in differing)
        yield spans(
            "Groups differ in ",
            _by_rate(differing, partial(_ratio_and_group, source)),
            *_then(at_target(source, differing[0])),
            "; in brackets: largest over smallest rate and the group with the largest",
            *([", p values not adjusted, see Groups"] if raw else []),
            ".",
        )
    else:
        yield from (_differs(source, record) for record in differing)
    unsure = [record for record in tested if record.estimate.test and not record.estimate.test.differs]
    for outcome, text, why in (
        (True, "No difference between groups was established in ", ""),
        (False, "Not testable, because there are too few errors: differences between groups in ", NEEDED),
    ):
        here = [
            record
            for record in unsure
            if record.estimate.test and (record.estimate.test.p is not None) is outcome
        ]
        if here:
            after = partial(_detectable, source) if len(here) <= MAX_NAMED else _nothing
            several = f"{len(here)} of {len(tested)} comparisons (see Groups)"
            named = _by_rate(here, after) if len(here) <= MAX_LISTED else several
            yield spans(text, named, *_then(at_target(source, here[0])), f"{why}.")


def _then(parts: list[Part]) -> list[Part]:
    return [",", *parts] if parts else []


def _distances(source: Source) -> Iterator[Text]:
    """Which tests of d_l2 establish that classes differ, and which do not, by schema."""
    for schema in source.schemas:
        tested = [
            record
            for record in source.select(D_L2, schema=schema)
            if dict(record.estimate.at) == {"space": "quantile"}
            and record.estimate.test is not None
            and record.estimate.test.p is not None
        ]
        parts: list[Part] = []
        for differs, text in (
            (True, "a difference of classes is established for "),
            (False, "not established for "),
        ):
            names = [
                (TextSpan(text=record.estimate.provider, pointer=f"{record.pointer}/provider", kind="b"),)
                for record in tested
                if record.estimate.test and record.estimate.test.differs is differs
            ]
            parts += ["; " if parts else "", text, listed(names)] if names else []
        tests = [record.estimate.test for record in tested]
        raw = any(test.p_adjusted is None for test in tests if test is not None)
        if parts:
            more = " (p values not adjusted, see Interclass bias)" if raw else ""
            yield spans(f"d_l2 by {schema.replace('_', ' ')}: ", *parts, f"{more}.")


def _detectable(source: Source, record: Record) -> list[Part]:
    """The ratio that the test would have found, with its power; nothing where nothing was tested."""
    test, at = record.estimate.test, f"{record.pointer}/test"
    if test is None or test.p is None or test.detectable is None:
        return []
    return [
        " (minimum detectable ratio ",
        phrases.number(formatting.plain(test.detectable), f"{at}/detectable"),
        ", ",
        phrases.number(formatting.exact(test.power), f"{at}/power"),
        " power",
        *_needed(source, record),
        ")",
    ]


def _needed(source: Source, record: Record) -> list[Part]:
    """How many subjects would detect the estimated ratio; nothing where equal groups give it half the time."""
    value, test = record.estimate.value, record.estimate.test
    total = source.result.cohort.get("subjects")
    if value is None or test is None or test.detectable is None or not isinstance(total, (int, float)):
        return []
    if test.null_median is None or not 1.0 < test.null_median < value < math.inf:
        return []
    needed = subjects_to_detect(math.log(value), math.log(test.detectable), total)
    if needed is None:
        return []
    return [
        f"; about {formatting.count(needed)} subjects would detect the estimated ratio ",
        phrases.value(record),
    ]


def _nothing(_: Record) -> list[Part]:
    return []


def _by_rate(records: Sequence[Record], after: Callable[[Record], list[Part]] = _nothing) -> Text:
    """``FNMR by group of a and b, FMR by group of c``; ``after``: what follows each system."""
    by_rate: dict[str, list[Text]] = {}
    for record in records:
        rate = phrases.metric(str(record.estimate.at.get("rate")))
        rate = f"{rate} by {(record.estimate.schema or '').replace('_', ' ')} of "
        system = TextSpan(text=record.estimate.provider, pointer=f"{record.pointer}/provider", kind="b")
        by_rate.setdefault(rate, []).append(spans(system, *after(record)))
    return listed([spans(rate, listed(systems)) for rate, systems in by_rate.items()])


def _rates_of_groups(source: Source, record: Record) -> list[Record]:
    """The rates of the groups that a test compares, ascending."""
    here = [
        candidate
        for candidate in source.select(
            "fmr" if record.estimate.at.get("rate") == "fmr" else "fnmr_at_fmr",
            schema=record.estimate.schema,
            primary=True,
        )
        if candidate.estimate.provider == record.estimate.provider
        and dict(candidate.estimate.at) == {"fmr": record.estimate.at["fmr"]}
        and candidate.estimate.group not in POOLS
        and candidate.estimate.value is not None
    ]
    return sorted(here, key=lambda candidate: candidate.estimate.value or 0.0)


def _ratio_and_group(source: Source, record: Record) -> list[Part]:
    """``(4.39, Female)``: the largest over the smallest rate, and whose is the largest."""
    ordered = _rates_of_groups(source, record)
    whose: list[Part] = [", ", phrases.group(source, ordered[-1])] if ordered else []
    return [" (", phrases.value(record), *whose, ")"]


def _differs(source: Source, record: Record) -> Text:
    """``Cedar's FNMR is 3.2 times Amber's for vendor_b (p < 0.001)``."""
    ordered, answer = _rates_of_groups(source, record), differences.p_values(record)
    if len(ordered) < 2:
        return spans("Groups differ in ", _by_rate([record]), answer, ".")
    low, high = ordered[0], ordered[-1]
    metric = high.estimate.metric
    within = " within the group" if metric == "fmr" else ""
    times: list[Part] = (
        [", ", phrases.value(record), " times as high"] if record.estimate.value is not None else []
    )
    name = TextSpan(text=record.estimate.provider, pointer=f"{record.pointer}/provider", kind="b")
    return spans(
        name,
        f": {phrases.metric(metric)}{within}",
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


def _undecided(source: Source, rulings: Sequence[FindingRow]) -> Iterator[Text]:
    """What stays inconclusive, with the number of subjects that would decide it if the estimates stay as they are."""
    parts: dict[str, Text] = {}  # several requirements may ask the same
    conditions: dict[str, None] = {}
    unsure = [ruling for ruling in rulings if ruling.code == Verdict.INCONCLUSIVE.value]
    for finding in unsure[:MAX_NAMED]:
        if finding.record is not None:
            counted, enough = deciding.what_would(source, finding, finding.record)
            advisory = ", advisory" if source.result.findings[finding.index].advisory else ""
            sentence = spans(
                finding.who[:1], ", ", _judged(source, finding, finding.record), advisory, enough
            )
            parts.setdefault(plain_text(sentence), sentence)
            if counted:
                conditions[f" {deciding.condition(finding.record)}"] = None
    more = f" and {len(unsure) - MAX_NAMED} more" if len(unsure) > MAX_NAMED else ""
    if parts:
        yield spans(
            "Inconclusive on these data: ", _semicolons(list(parts.values())), f"{more}.", *conditions
        )
