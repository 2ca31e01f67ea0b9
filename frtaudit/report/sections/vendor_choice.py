"""The first page of a comparison: one sentence on what the declared rule chooses, one table of the systems."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from frtaudit.core.result import DECISION
from frtaudit.core.text import formatting
from frtaudit.evaluation.subjects_needed import subjects_to_detect
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Part, Table, Text, listed, spans
from frtaudit.report.sections.operating_points import main_target, overall
from frtaudit.report.sections.tables import build_table, provider
from frtaudit.report.sections.vendor_tables import VALUE, caution, key_of, number, pair, unit
from frtaudit.report.sections.vendors import DIFFERENCE, EQUIVALENCE, RANK, declared_rule, possible_ranks
from frtaudit.report.source import OF_SUBJECTS, Record, Source

VERDICTS = {
    "best_or_tied": ("not best", "best or tied"),
    "better_than": ("not shown to be better", "better"),
    "equivalent": ("not shown to be equivalent", "equivalent"),
}
OF_ALL = (
    "All comparisons of each system, with intervals for the population; rank and verdict: comparisons that all "
    "systems scored. "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The sentence and the table; ``tied``: what is known of differences between the chosen systems, if anything."""

    sentence: Text
    table: Table
    tied: Text


def choice(source: Source) -> Choice | None:
    """What the first page says of a comparison; None where nothing was to be chosen."""
    decisions = source.select(DECISION)
    if not decisions:
        return None
    chosen, others = (
        [(provider(record),) for record in decisions if record.estimate.value == wanted] for wanted in (1, 0)
    )
    parts: list[Part] = [*declared_rule(source, decisions), ": "]
    if not chosen and not others:
        why = decisions[0].estimate.note
        return Choice(
            sentence=spans(*parts, f"nothing is decided{f' ({why})' if why else ''}."),
            table=_table(source, decisions),
            tied=(),
        )
    parts += [listed(chosen) if chosen else "none", " are chosen" if len(chosen) > 1 else " is chosen"]
    if chosen and others:
        parts += ["; ", listed(others), " are not" if len(others) > 1 else " is not"]
    bounds = next((bound for record in source.select(RANK) for bound in record.bounds), None)
    whom = () if bounds is None else (" Verdicts hold for ", phrases.target(bounds), ".")
    sentence, table = spans(*parts, ".", *whom), _table(source, decisions)
    return Choice(sentence=sentence, table=table, tied=_tied(source, decisions))


def _tied(source: Source, decisions: Sequence[Record]) -> Text:
    """How large a difference between systems that were chosen together the comparison would have found."""
    chosen = {record.estimate.provider for record in decisions if record.estimate.value}
    unsure = [
        (record.estimate.test.detectable, record)
        for record in source.select(DIFFERENCE)
        if key_of(record) == key_of(decisions[0])
        and {record.estimate.provider, record.estimate.at.get("against")} <= chosen
        and record.estimate.test is not None
        and not record.estimate.test.differs
        and record.estimate.test.detectable is not None
    ]
    if not unsure:
        return ()
    size, record = max(unsure, key=lambda pair: pair[0])
    power = record.estimate.test.power if record.estimate.test else 0.0
    return spans(
        "On common comparisons no difference between chosen systems was established (minimum detectable difference at "
        "most ",
        number(record, size, f"{record.pointer}/test/detectable"),
        unit(record),
        ", ",
        phrases.number(formatting.exact(power), f"{record.pointer}/test/power"),
        " power)",
        *_needed(source, [record for _, record in unsure]),
        ".",
        *_equivalent(source, decisions[0], chosen),
    )


def _needed(source: Source, unsure: Sequence[Record]) -> list[Part]:
    """How many subjects would detect the largest difference that was estimated between chosen systems."""
    total = source.result.cohort.get("subjects")
    sizes = [
        (abs(record.estimate.value), record)
        for record in unsure
        if record.estimate.value is not None and record.estimate.at["of"] != "max_min"
    ]
    if not sizes or not isinstance(total, (int, float)):
        return []
    size, record = max(sizes, key=lambda pair: pair[0])
    test = record.estimate.test
    needed = None if test is None else subjects_to_detect(size, test.detectable or 0.0, total)
    if needed is None:
        return []
    return [
        f"; about {formatting.count(needed)} subjects in all would detect the largest estimated, ",
        number(record, size, f"{record.pointer}/value"),
        unit(record),
        ", if its variance per subject stays as estimated",
    ]


def _equivalent(source: Source, decisive: Record, chosen: set[str]) -> list[Part]:
    """Which pairs of chosen systems are shown to be equivalent, where the spec declares a margin."""
    tested = [
        record
        for record in source.select(EQUIVALENCE)
        if key_of(record) == key_of(decisive)
        and {record.estimate.provider, record.estimate.at.get("against")} <= chosen
        and record.estimate.test is not None
        and record.estimate.test.p is not None
    ]
    if not tested:
        return []
    size = number(tested[0], float(tested[0].estimate.at["margin"]), f"{tested[0].pointer}/at/margin")
    margin = spans("the declared margin (", size, unit(tested[0]), ")")
    shown = [record for record in tested if record.estimate.test and record.estimate.test.differs]
    if len(shown) == len(tested):
        return [" All are equivalent within ", margin, "."]
    if shown:
        return [" Equivalent within ", margin, ": ", listed([pair(record) for record in shown]), "."]
    return [" Equivalence within ", margin, " was not shown for any of them."]


def _table(source: Source, decisions: Sequence[Record]) -> Table:
    """A row for each system; a column only where a system has something in it."""
    target = float(decisions[0].estimate.at.get("fmr") or main_target(source) or 0.0)
    values = source.select(VALUE)
    names = list(dict.fromkeys(record.estimate.provider for record in values))
    decisive = key_of(decisions[0])
    notes = Footnotes()
    at = f" at FMR {formatting.exact(target)}" if target else ""
    ranks = {record.estimate.provider: record for record in source.select(RANK) if key_of(record) == decisive}
    acquired = {
        record.estimate.provider: record
        for record in source.select("fta", grouped=False)
        if record.estimate.group == "all" and not record.estimate.at
    }
    failures = _measured(acquired, _values(values, "fta", 0.0))
    verdicts: dict[str, Text] = {}
    for record in decisions:
        if record.estimate.value is None:
            continue
        word = VERDICTS[str(record.estimate.at["rule"])][bool(record.estimate.value)]
        verdicts[record.estimate.provider] = (phrases.bold(word, f"{record.pointer}/value"),)
    columns: list[tuple[Column, Callable[[str], Text]]] = [
        (Column(title=f"FNMR{at}", kind="num"), _rate(source, "fnmr_at_fmr", target)),
        (Column(title="FMR", kind="num"), _rate(source, "fmr", target)),
        (Column(title="Failure to acquire", kind="num"), failures),
        (Column(title="Largest group ratio"), _ratio(source, target, notes)),
        (Column(title="Rank", kind="num"), lambda name: possible_ranks(ranks.get(name)) or phrases.DASH),
        (Column(title="Verdict"), lambda name: verdicts.get(name, phrases.DASH)),
    ]
    filled = [(column, cell) for column, cell in columns if any(cell(name) != phrases.DASH for name in names)]
    rows = tuple(((phrases.bold(name),), *(cell(name) for _, cell in filled)) for name in names)
    caption = phrases.titled(
        "The systems.",
        OF_ALL if overall(source, "fnmr_at_fmr") else "All values: comparisons that all systems scored. ",
        "FMR is near its target: thresholds are set on these scores. " if overall(source, "fmr") else "",
        "Ratio: of the groups' rates. Overlapping ranks (1 is best) are ties.",
    )
    heads = [Column(title="System"), *(column for column, _ in filled)]
    return build_table("vendors-rates-and-ranks", caption, heads, [Block(rows=rows)], notes, "stacked")


def _rate(source: Source, metric: str, target: float) -> Callable[[str], Text]:
    """The rate of all comparisons with its interval, else its value on the comparisons that all systems scored."""
    rates = {record.estimate.provider: record for record in overall(source, metric, target)}
    return _measured(rates, _values(source.select(VALUE), metric, target))


def _measured(rates: Mapping[str, Record], values: Mapping[str, Record]) -> Callable[[str], Text]:
    """Of a system its rate with its interval; without one the value on the common support."""

    def cell(name: str) -> Text:
        if name not in rates:
            return _number(values.get(name))
        record = rates[name]
        bound = record.bound(*OF_SUBJECTS)
        parts: list[Part] = [phrases.value(record)]
        if bound is not None and bound.interval.low is not None:
            parts += [phrases.BREAK, phrases.bounds(bound, record.estimate)]
        return spans(*parts)

    return cell


def _values(values: Sequence[Record], of: str, target: float) -> dict[str, Record]:
    """Values of everybody on the common support, by system."""
    return {
        record.estimate.provider: record
        for record in values
        if record.estimate.at["of"] == of
        and record.estimate.group == "all"
        and record.estimate.at.get("fmr", target) == target
    }


def _number(record: Record | None) -> Text:
    if record is None or record.estimate.value is None:
        return phrases.DASH
    return number(record, record.estimate.value, f"{record.pointer}/value")


def _ratio(source: Source, target: float, notes: Footnotes) -> Callable[[str], Text]:
    """The largest ratio of FNMR or FMR by any schema, of all comparisons where it is estimated, and whose it is.

    Marked where no test established a difference of the groups.
    """
    of_all = [
        record for record in source.select("max_min", primary=True) if record.estimate.value is not None
    ]
    common = [record for record in source.select(VALUE) if record.estimate.at["of"] == "max_min"]
    largest: dict[str, Record] = {}
    for records in (common, of_all):
        at_target = [record for record in records if record.estimate.at["fmr"] == target]
        ascending = sorted(at_target, key=lambda record: record.estimate.value or 0.0)
        largest |= {record.estimate.provider: record for record in ascending}

    def cell(name: str) -> Text:
        record = largest.get(name)
        if record is None or record.estimate.value is None:
            return phrases.DASH
        rate = phrases.metric(str(record.estimate.at["rate"]))
        value = phrases.value(record) if record.estimate.metric == "max_min" else _number(record)
        return spans(
            value, caution(record, notes), f" ({rate} by {(record.estimate.schema or '').replace('_', ' ')})"
        )

    return cell
