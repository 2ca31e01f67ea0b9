"""Operating points: the declared targets, the one that headlines, the group with the highest rate there."""

from collections import Counter

from frtaudit.core import UNKNOWN, Target
from frtaudit.core.canonical import mapping
from frtaudit.report import phrases
from frtaudit.report.pieces import Part, Text, TextSpan, spans
from frtaudit.report.sections import differences
from frtaudit.report.sections.tables import provider
from frtaudit.report.source import Bounds, Record, Source

POOLS = frozenset({UNKNOWN, "all", "max"})

DIFFERENCE = "For this rate, a difference between the groups is "
NO_DIFFERENCE = "For this rate, no difference between the groups was established"
NOT_TESTABLE = "For this rate, it is not testable whether the groups differ"
NOT_TESTED = "For this rate, differences between the groups were not tested"
CHANCE = "; the order may be due to chance."
UNADJUSTED = ", not adjusted for the choice among groups"


def targets_of(source: Source) -> list[float]:
    """FMR targets at which FNMR was read, the largest first."""
    targets = {float(record.estimate.at["fmr"]) for record in overall(source, "fnmr_at_fmr")}
    return sorted(targets, reverse=True)


def at_target(source: Source, record: Record, *, always: bool = False) -> list[Part]:
    """`` at FMR 0.1 %`` where FNMR was read at several targets (or ``always``), else nothing."""
    if "fmr" not in record.estimate.at or not (always or len(targets_of(source)) > 1):
        return []
    return [" at ", phrases.at_words({"fmr": record.estimate.at["fmr"]}, record.pointer)]


def overall(source: Source, metric: str, target: float | None = None) -> list[Record]:
    """Records of a metric for everybody, at the FMR target (None: any) alone, in the primary weighting."""
    return [
        record
        for record in source.select(metric, grouped=False, primary=True)
        if set(record.estimate.at) == {"fmr"}
        and record.estimate.group == "all"
        and target in (None, record.estimate.at["fmr"])
    ]


def of_groups(source: Source, metric: str, target: object, schema: str | None = None) -> list[Record]:
    """Records of a metric for single groups, of one schema or of all, at an FMR target, in the primary weighting."""
    return [
        record
        for record in source.select(metric, grouped=True, schema=schema, primary=True)
        if dict(record.estimate.at) == {"fmr": target} and record.estimate.group not in POOLS
    ]


def main_target(source: Source) -> float | None:
    """The target that most findings judge; else the smallest at which every system has a rate, else the smallest.

    Of a part of a result it is that of the whole.
    """
    if source.target is not None:
        return source.target
    targets = targets_of(source)
    judged = Counter(
        float(estimate.at["fmr"])
        for estimate in map(source.result.judged, source.result.findings)
        if estimate and estimate.metric == "fnmr_at_fmr" and set(estimate.at) == {"fmr"}
    )
    judged = Counter({target: count for target, count in judged.items() if target in targets})
    if judged:
        return max(judged, key=lambda target: (judged[target], -target))
    for target in reversed(targets):
        if all(record.estimate.value is not None for record in overall(source, "fnmr_at_fmr", target)):
            return target
    return targets[-1] if targets else None


def worst_group(source: Source) -> Text:
    """One sentence on the group with the largest FNMR, one on the group with the largest FMR, at the main target.

    Where classes are withheld it says so: the highest of those that stand need not be the highest of all.
    """
    target = main_target(source)
    parts: list[Part] = []
    for metric, rate in (("fnmr_at_fmr", "FNMR"), ("fmr", "FMR within the group")):
        records = worst(source, metric, target)
        if records is None:
            continue
        most, everybody = records
        parts += [*([" "] if parts else []), *_sentence(source, most, everybody, rate)]
    if withheld_classes(source):
        parts += (
            [" Classes are withheld here; one of them may have a higher rate."]
            if parts
            else ["Not named: classes are withheld here, and too few remain to compare."]
        )
    return spans(*parts)


def withheld_classes(source: Source) -> bool:
    """Whether this is a publishable variant from which classes were left out."""
    publication = mapping(source.result.cohort.get("publication"))
    return any(mapping(publication.get("withheld")).values())


def worst(source: Source, metric: str, target: float | None) -> tuple[Record, Record | None] | None:
    """The group with the largest rate at the target, over systems and schemas; with everybody's rate there.

    None where no system has two groups with a rate, or none an error: one group alone is not the highest. A group of
    one subject is not ranked: its rate is that of the person.
    """
    grouped = [
        record
        for record in of_groups(source, metric, target)
        if record.estimate.value is not None and not _is_one_subject(source, record)
    ]
    several = Counter((record.estimate.provider, record.estimate.schema) for record in grouped)
    grouped = [record for record in grouped if several[record.estimate.provider, record.estimate.schema] > 1]
    if not grouped:
        return None
    most = max(grouped, key=lambda record: record.estimate.value or 0.0)
    if not most.estimate.value:
        return None
    everybody = overall(source, metric, target)
    same = (record for record in everybody if record.estimate.provider == most.estimate.provider)
    return most, next(same, None)


def _is_one_subject(source: Source, record: Record) -> bool:
    rows = source.counts(record.estimate.schema or "")
    return any(row.get("group") == record.estimate.group and row.get("subjects") == 1 for row in rows)


def _sentence(source: Source, worst: Record, everybody: Record | None, rate: str) -> list[Part]:
    """The group, its rate with its interval, and what it stands beside: the rate overall, or the other groups'."""
    of = worst.estimate.schema or "", worst.estimate.group
    people, two = source.people(*of), () if worst.estimate.metric == "fmr" else source.with_two(*of)
    mated: list[Part] = [", ", two, " of them with two images or more"] if two else []
    crowd: list[Part] = [" (", phrases.counted(people, "subject"), *mated, ")"] if people else []
    against: list[Part] = []
    if worst.estimate.metric == "fmr":  # a rate within a group stands beside no other kind of rate
        against = _lowest(source, worst)
    elif everybody is not None:
        against = ["; overall ", phrases.value(everybody, like=worst.estimate)]
    return [
        phrases.bold(source.label(worst.estimate.schema, worst.estimate.group), f"{worst.pointer}/group"),
        *crowd,
        f" has the highest {rate}",
        *at_target(source, worst, always=True),
        ": ",
        phrases.value(worst),
        " (",
        provider(worst),
        ")",
        *_interval(source, worst),
        *against,
        ".",
        *_established(source, worst),
    ]


def _lowest(source: Source, worst: Record) -> list[Part]:
    """The group of the same system and schema with the lowest rate of the same kind; in a tie of all there is none."""
    here = of_groups(source, worst.estimate.metric, worst.estimate.at["fmr"], worst.estimate.schema)
    least = min(
        (
            record
            for record in here
            if record.estimate.provider == worst.estimate.provider and record.estimate.value is not None
        ),
        key=lambda record: record.estimate.value or 0.0,
    )
    if least.estimate.value == worst.estimate.value:
        return ["; each other group has the same rate"]
    of = " of this system" if len(source.providers) > 1 else ""
    return [
        f"; lowest{of} ",
        phrases.value(least, like=worst.estimate),
        " (",
        phrases.group(source, least),
        ")",
    ]


def _interval(source: Source, worst: Record) -> list[Part]:
    """The interval of the group as the highest of all that were searched (FORMULAS 8.19); else its own.

    Where that one is a group of one subject, which is not ranked here, the interval allows for no choice, and says so.
    """
    same = (worst.estimate.provider, worst.estimate.schema, worst.estimate.group)
    end: list[Part] = []
    for record in source.select("highest_group_rate", primary=True):
        at, of = record.estimate.at, record.estimate
        here = at["rate"] == worst.estimate.metric and at["fmr"] == worst.estimate.at["fmr"]
        bound = record.bound(Target.POPULATION)
        if here and _is_one_subject(source, record):
            end = [UNADJUSTED]
        if here and bound is not None and (of.provider, of.schema, of.group) == same:
            number = phrases.whole(float(at["searched"]), f"{record.pointer}/at/searched")
            adjusted = confidence(bound, record)
            return [*adjusted, ", adjusted for the choice among ", number, " rates (Bonferroni)"]
    interval = confidence(worst.bound(Target.POPULATION, Target.FIXED_IDENTITIES), worst)
    return [*interval, *end] if interval else []


def confidence(bound: Bounds | None, record: Record) -> list[Part]:
    """``, 95 % CI 8.3 % to 12.5 %``; empty without bounds."""
    if bound is None or bound.interval.low is None:
        return []
    return [", ", phrases.level(bound), " CI ", phrases.bounds(bound, record.estimate)]


def _established(source: Source, worst: Record) -> list[Part]:
    """Whether a test established a difference: the largest of several rates may be chance where none did (8.19)."""
    rate = "fmr" if worst.estimate.metric == "fmr" else "fnmr"
    same = {**worst.estimate.at, "rate": rate}
    for record in source.select("max_min", schema=worst.estimate.schema, primary=True):
        test = record.estimate.test
        here = record.estimate.provider == worst.estimate.provider and record.estimate.at == same
        if not here or test is None:
            continue
        if test.differs:
            return [f" {DIFFERENCE}", differences.shown_as(record), "."]
        outcome = NOT_TESTABLE if test.p is None else NO_DIFFERENCE
        return [" ", TextSpan(text=outcome, pointer=f"{record.pointer}/test"), CHANCE]
    return [f" {NOT_TESTED}{CHANCE}"]
