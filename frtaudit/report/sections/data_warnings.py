"""What page 1 warns of: what stands in this cohort's data, never a scenario (FORMULAS 8.22)."""

from collections.abc import Iterator

from frtaudit.core import Verdict
from frtaudit.core.text import formatting
from frtaudit.evaluation.result_warnings import number_notes
from frtaudit.evaluation.score_notes import WARNED
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, listed, spans
from frtaudit.report.sections import identity_check
from frtaudit.report.sections.operating_points import main_target
from frtaudit.report.sections.tables import provider
from frtaudit.report.sections.verdicts import FindingRow, all_finding_rows, declared, sense
from frtaudit.report.source import Record, Source

HEAVY, MIN_ERRORS = 0.1, 2  # of FMR, by one pair of people; one false match alone says nothing of a pair
TOO_FEW, EXPECTED = "too few subjects", "false matches are expected"
HUB = "one subject takes part in"  # opens what an interval says of that subject
CONCENTRATED = ("few subjects take part in", HUB)  # the first of them is said
SECTION = TextSpan(text="Robustness and limitations", kind="#robustness")
FAILURES = TextSpan(text="Failures and exclusions", kind="#failures")
OF_FNMR = ("fnmr_at_fmr", "fnmr")
SHOWN = 4  # systems and groups of one requirement


def warnings(source: Source) -> tuple[Text, ...]:
    """Scores that fall, too few people, numbers as classes, failures, few false matches, heavy pairs, duplicates."""
    asked = (finding for finding in source.result.findings if finding.verdict is Verdict.NOT_TESTABLE)
    too_few = spans(
        "Too few subjects: some requirements could not be passed even without a false match. Their findings say "
        "how many subjects are needed."
    )
    once = [too_few] if any(TOO_FEW in finding.sentence for finding in asked) else []
    return (
        *_of_scores(source),
        *once,
        *(spans(f"{note}.") for note in number_notes(source.result)),
        *_of_failures(source),
        *_few_matches(source),
        *_hubs(source),
        *_heavy(source),
        *identity_check.warnings(source),
    )


def _of_scores(source: Source) -> Iterator[Text]:
    """Systems whose scores look like distances, so that their rates mean nothing, or whose lists lack comparisons."""
    systems: dict[str, list[TextSpan]] = {}
    for index, note in enumerate(source.result.notes):
        name = max((name for name in source.providers if note.startswith(f"{name}: ")), key=len, default=None)
        if name is not None and any(text in note for text in WARNED):
            text = note.removeprefix(f"{name}: ")
            systems.setdefault(text, []).append(phrases.bold(name, f"/notes/{index}"))
    for text, names in systems.items():
        yield spans(listed(names), f": {text}.")


def _of_failures(source: Source) -> Iterator[Text]:
    """Requirements on FNMR that pass without the mated comparisons that failed, and would not with them as errors."""
    cases = {_where(record): record for record in source.select("fnmr_worst_case")}
    crossed: dict[str, list[tuple[FindingRow, Record]]] = {}
    for row in all_finding_rows(source):
        finding = source.result.findings[row.index]
        worst = None if row.record is None else cases.get(_where(row.record))
        if finding.verdict is not Verdict.PASS or row.record is None or worst is None:
            continue
        upper = row.record.estimate.metric in OF_FNMR and sense(source, finding) == "<="
        value, strict = worst.estimate.value or 0.0, bool(declared(source, finding).get("strict"))
        if upper and (value > finding.limit or (strict and value == finding.limit)):
            crossed.setdefault(finding.requirement, []).append((row, worst))
    for rows in crossed.values():
        shown = [
            spans(phrases.value(worst), " (", phrases.counts(worst), ") for ", row.who)
            for row, worst in rows[:SHOWN]
        ]
        more = [spans(f"{len(rows) - SHOWN} more")] if len(rows) > SHOWN else []
        yield spans(
            phrases.bold(*_name(rows[0][0])),
            " passes on the comparisons that have a score. With each mated comparison that failed as an error, FNMR "
            "(each comparison weighted equally) is beyond the limit: ",
            listed([*shown, *more]),
            ". See the section ",
            FAILURES,
            ".",
        )


def _name(row: FindingRow) -> tuple[str, str | None]:
    return row.requirement.text, row.requirement.pointer


def _where(record: Record) -> tuple[object, ...]:
    """The system, the group and the operating point of a rate."""
    estimate = record.estimate
    return estimate.provider, estimate.schema, estimate.group, record.at


def _few_matches(source: Source) -> Iterator[Text]:
    """Systems of which so few false matches are expected at the main target that an audit notes it."""
    target = main_target(source)
    ending = "" if target is None else f" at FMR {target:g}"
    systems: dict[str, list[TextSpan]] = {}
    for index, note in enumerate(source.result.notes):
        name, _, text = note.rpartition(": ")
        if name in source.providers and EXPECTED in text and text.endswith(ending):
            systems.setdefault(text.removesuffix(ending), []).append(phrases.bold(name, f"/notes/{index}"))
    for text, names in systems.items():
        yield spans(listed(names), f": {text} at FMR {formatting.exact(target or 0.0)}.")


def _hubs(source: Source) -> Iterator[Text]:
    """Systems of which one subject or a few take part in much of the comparisons, as the interval of a rate says."""
    systems: dict[str, dict[str, TextSpan]] = {}
    for record in source.select("fmr", *OF_FNMR, grouped=False, primary=True):
        name, rate = record.estimate.provider, phrases.metric(record.estimate.metric)
        for place, interval in enumerate(record.estimate.intervals):
            parts = (interval.note or "").split("; ")
            opens = (
                part.partition(":")[0] for text in CONCENTRATED for part in parts if part.startswith(text)
            )
            of = next(opens, None)
            if of is not None:
                whom = "that subject" if of.startswith(HUB) else "these subjects"
                text = f"{of}. {rate} describes {whom} more than the population."
                pointer = f"{record.pointer}/intervals/{place}/note"
                systems.setdefault(text, {}).setdefault(name, phrases.bold(name, pointer))
    for text, names in systems.items():
        yield spans(listed([*names.values()]), f": {text}")


def _heavy(source: Source) -> Iterator[Text]:
    """Of each system the target at which one pair of subjects has most of FMR, if that is a tenth."""
    most: dict[str, Record] = {}
    for record in source.select("heaviest_pair", primary=True):
        heavy = (record.estimate.value or 0.0) >= HEAVY and (record.estimate.numerator or 0) >= MIN_ERRORS
        known = most.get(record.estimate.provider)
        if heavy and (known is None or (record.estimate.value or 0.0) > (known.estimate.value or 0.0)):
            most[record.estimate.provider] = record
    for record in most.values():
        share, at = phrases.value(record), phrases.at_words(record.estimate.at, record.pointer)
        who: list[Part] = [provider(record), ": one pair of subjects has ", share, " of FMR at ", *at]
        yield spans(*who, " (false matches: ", phrases.counts(record), "). See the section ", SECTION, ".")
