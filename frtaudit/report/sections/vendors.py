"""Systems compared: the declared rule and what it chose, ranks, differences of pairs, what failures could hide."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import starmap

from frtaudit.core.canonical import mapping
from frtaudit.core.result import DECISION
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import scales, systems
from frtaudit.report.figures.curves import Dot
from frtaudit.report.pieces import (
    Block,
    Column,
    Figure,
    Footnotes,
    Panel,
    Part,
    Table,
    Text,
    TextSpan,
    capital,
    plain_text,
    spans,
)
from frtaudit.report.section import View, section
from frtaudit.report.sections import differences, front
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.sections.vendor_tables import (
    VALUE,
    Key,
    caution,
    changes,
    hidden,
    is_rate,
    key_of,
    ledger,
    number,
    outer,
    pair,
    systems_of,
    unit,
)
from frtaudit.report.source import Record, Source, grouped

DIFFERENCE, EQUIVALENCE, RANK = "vendor_difference", "vendor_equivalence", "vendor_rank"

AT = "/spec/analyses/vendor_comparison"
MAX_COLUMNS = 6
MAX_PAIRS = 20  # of a figure
DECLARED = "Declared in the spec: "
AFTERWARDS = "Declared with this comparison, after the runs were finished: "
PAIRS = header(["Pair"], ["first minus second", "simultaneous interval", "discordant"], ["Which is better?"])


@section("vendors", "Systems compared", after="profiles")
def build(source: Source) -> View | None:
    """None where no systems were compared."""
    values = source.select(VALUE)
    if not values:
        return None
    decisions = source.select(DECISION)
    first = key_of(decisions[0]) if decisions else key_of(values[0])
    decisive = [record for record in source.select(DIFFERENCE) if key_of(record) == first]
    details = (changes(source), hidden(source), ledger(source), _further(source, first))
    return View(
        lead=(spans(declared_rule(source, decisions), "."),),
        verdicts=tuple(
            (TextSpan(text=f"{decision.estimate.note}.", pointer=f"{decision.pointer}/note"),)
            for decision in decisions
        ),
        tables=(
            _support_table(source, values, first),
            _pairs(source, "vendors-decisive-differences", decisive, _said_first(decisive)),
            *(table for table in details if table is not None),
        ),
        figures=tuple(_figures(source, decisive)),
        shown=(1, 2),
    )


def declared_rule(source: Source, decisions: Sequence[Record]) -> Text:
    """The rule, and when it was declared: with the spec, or with a comparison of runs that were finished."""
    spec = mapping(source.analysis("vendor_comparison").get("decision"))
    rule = str(spec.get("rule", "best_or_tied"))
    words = {
        "best_or_tied": "choose every system that no other is shown to be better than",
        "better_than": "choose a system only if it is shown to be better than the incumbent",
        "equivalent": "accept a system only if it is shown to be equivalent to the incumbent, within the margin",
    }
    parts: list[Part] = [
        AFTERWARDS if mapping(source.result.spec.get("cohort")).get("type") == "runs" else DECLARED,
        phrases.bold(words.get(rule, rule), f"{AT}/decision/rule"),
    ]
    if decisions:
        parts += [", judged by ", *_measure(source, decisions[0])]
    if spec.get("against"):
        incumbent = TextSpan(text=str(spec["against"]), pointer=f"{AT}/decision/against")
        parts += [", the incumbent being ", incumbent]
    return spans(*parts)


def _measure(source: Source, record: Record) -> Text:
    """A measure in words: metric, operating point, class."""
    estimate, of = record.estimate, str(record.estimate.at["of"])
    parts: list[Part] = [TextSpan(text=phrases.metric(of), pointer=f"{record.pointer}/at/of")]
    if "rate" in estimate.at:
        rate = phrases.metric(str(estimate.at["rate"]))
        parts += [" of ", TextSpan(text=rate, pointer=f"{record.pointer}/at/rate")]
    if estimate.schema is not None:
        label = source.label(estimate.schema, estimate.group)
        name = estimate.schema.replace("_", " ")
        parts += [f" by {name}" if estimate.group in ("all", "max") else f", {name}: {label}"]
    if "fmr" in estimate.at:
        parts += [" at ", *phrases.at_words({"fmr": estimate.at["fmr"]}, record.pointer)]
    if "pairs" in estimate.at and estimate.at["pairs"] != "folds":
        test_set = TextSpan(text=str(estimate.at["pairs"]), pointer=f"{record.pointer}/at/pairs")
        parts += [", test set ", test_set]
    return spans(*parts)


def _support_table(source: Source, values: Sequence[Record], first: Key) -> Table:
    """One row for each system: its values on the common support, below each the confidence set of its rank."""
    beside = (key_of(record) for record in values if _is_column(record, first))
    keys = list(dict.fromkeys([first, *beside]))[:MAX_COLUMNS]
    ranks = {(key_of(record), record.estimate.provider): record for record in source.select(RANK)}
    by = {(key_of(record), record.estimate.provider): record for record in values}
    names = list(dict.fromkeys(record.estimate.provider for record in values))
    notes = Footnotes()
    rows = tuple(
        (
            (phrases.bold(name, f"{by[keys[0], name].pointer}/provider"),),
            *(_cell(source, by.get((key, name)), ranks.get((key, name)), notes) for key in keys),
        )
        for name in names
    )
    heads = [
        plain_text(_measure(source, next(by[key, name] for name in names if (key, name) in by)))
        for key in keys
    ]
    caption = phrases.titled(
        "The systems on the comparisons that all of them scored.",
        "Below each value the possible ranks of the system (1 is best), simultaneously for all systems of a column. "
        "Systems with overlapping ranks are tied; a paired difference may still be established. The first "
        "column decides. Failure to acquire is of all attempts.",
    )
    return build_table("vendors-error-rates", caption, header(["System"], heads), [Block(rows=rows)], notes)


def _is_column(record: Record, first: Key) -> bool:
    """Whether a measure stands beside the decisive one: of everybody or a schema, at the same FMR, of FNMR, no gap."""
    estimate, decisive = record.estimate, dict(first[0]) if isinstance(first[0], tuple) else {}
    same = estimate.at.get("fmr", decisive.get("fmr")) == decisive.get("fmr")
    other = estimate.at.get("rate") == "fmr" or estimate.at["of"] == "gap"
    return same and estimate.group in ("all", "max") and not other


def _cell(source: Source, record: Record | None, rank: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return (TextSpan(text=phrases.ABSENT),)
    value = number(record, record.estimate.value, f"{record.pointer}/value")
    ranks = possible_ranks(rank)
    below: list[Part] = [phrases.BREAK, "rank ", ranks] if ranks else []
    return spans(value, _of_all(source, record, notes), *below)


def _of_all(source: Source, record: Record, notes: Footnotes) -> Text:
    """What the test of a ratio, made on all comparisons of the system, leaves open; empty for other measures."""
    estimate = record.estimate
    if estimate.at["of"] != "max_min":
        return ()
    tested = (
        other
        for other in source.select("max_min", schema=estimate.schema, primary=True)
        if other.estimate.provider == estimate.provider
        and all(other.estimate.at.get(key) == estimate.at.get(key) for key in ("rate", "fmr"))
    )
    return caution(next(tested, record), notes)


def possible_ranks(rank: Record | None) -> Text:
    """The confidence set of a rank, ``1 to 3``; empty without one."""
    bound = rank.bounds[0] if rank is not None and rank.bounds else None
    if bound is None or bound.interval.low is None or bound.interval.high is None:
        return ()
    low, high = f"{bound.interval.low:g}", f"{bound.interval.high:g}"
    parts: list[Part] = [phrases.number(low, f"{bound.pointer}/low")]
    if low != high:
        parts += [" to ", phrases.number(high, f"{bound.pointer}/high")]
    return spans(*parts)


def _said_first(decisive: Sequence[Record]) -> Text:
    """What the intervals of the decisive table hold for."""
    bound = next((record.bounds[0] for record in decisive if record.bounds), None)
    return phrases.titled(
        "The decisive comparison of each pair.",
        "For the population; the same resampled subjects for both systems, each system's threshold set again in "
        "every replicate. All intervals hold simultaneously, at ",
        "the declared level" if bound is None else phrases.level(bound),
        "; p is adjusted over the pairs of this table.",
        " Differences are in percentage points." if decisive and is_rate(decisive[0]) else "",
    )


def _pairs(source: Source, name: str, records: Sequence[Record], caption: Text) -> Table:
    notes = Footnotes()
    same = {(key_of(record), systems_of(record)): record for record in source.select(EQUIVALENCE)}
    rows = [(record, same.get((key_of(record), systems_of(record)))) for record in records]
    twin = next((twin for _, twin in rows if twin is not None), None)
    margin = (
        () if twin is None else number(twin, float(twin.estimate.at["margin"]), f"{twin.pointer}/at/margin")
    )
    points = " points" if rows and is_rate(rows[0][0]) else ""
    equivalent = Column(title=f"Equivalent within {plain_text(margin)}{points}?", kind="wide")
    columns = [*PAIRS, equivalent] if margin else list(PAIRS)
    table_rows = tuple(
        (*_row(record, notes), *((_equivalent(twin),) if margin else ())) for record, twin in rows
    )
    return build_table(name, caption, columns, [Block(rows=table_rows)], notes)


def _row(record: Record, notes: Footnotes) -> tuple[Text, ...]:
    return (
        pair(record),
        number(record, record.estimate.value, f"{record.pointer}/value"),
        outer(record, record),
        phrases.counts(record),
        _better(record, notes),
    )


def _better(record: Record, notes: Footnotes) -> Text:
    """Which of the two is shown to be better; else the minimum detectable difference."""
    estimate, test = record.estimate, record.estimate.test
    at = f"{record.pointer}/test"
    if test is None or test.p is None or estimate.value is None:
        reason = estimate.note or "not testable"
        return spans("Not tested: ", TextSpan(text=reason, pointer=f"{record.pointer}/note"))
    adjusted = test.p if test.p_adjusted is None else test.p_adjusted
    where = "p" if test.p_adjusted is None else "p_adjusted"
    number_of_p = phrases.number(formatting.p_value(adjusted), f"{at}/{where}")
    p = spans(" (p ", number_of_p, ")", notes.mark(test.note, f"{at}/note"))
    alike = 1.0 if estimate.at["of"] == "max_min" else 0.0
    if test.differs:
        higher = estimate.at["of"] == "accuracy"
        wins = (estimate.value > alike) == higher
        name = estimate.provider if wins else str(estimate.at["against"])
        return spans(phrases.bold(name), " is better", p, ".")
    unclear = differences.contradicted(estimate, test, alike)
    parts: list[Part] = [differences.NOT_ESTABLISHED if unclear else differences.UNESTABLISHED, p, "."]
    if test.detectable is not None:
        share = phrases.number(formatting.exact(test.power), f"{at}/power")
        size = number(record, test.detectable, f"{at}/detectable")
        parts += [" Minimum detectable: ", size, " (", share, " power)."]
    return spans(*parts)


def _equivalent(record: Record | None) -> Text:
    test = None if record is None else record.estimate.test
    if record is None or test is None or test.p is None:
        return (TextSpan(text=phrases.ABSENT),)
    p = phrases.number(formatting.p_value(test.p), f"{record.pointer}/test/p")
    return spans("Yes" if test.differs else "Not shown", " (p ", p, ").")


def _figures(source: Source, records: Sequence[Record]) -> Iterator[Figure]:
    """The decisive differences as dot plots on one scale, each of as many pairs as have room."""
    drawn = [record for record in records if record.estimate.value is not None]
    parts = list(front.in_parts(drawn, MAX_PAIRS, MAX_PAIRS)) if drawn else []
    panels = scales.alike(lambda: starmap(partial(_differences, source), parts), axes="x")
    caption = spans(
        "Each dot is a pair of systems with the interval of its difference; all intervals hold simultaneously. "
        "Intervals that exclude the line are significant. Shaded: differences within the margin of "
        "equivalence, where the spec declares one."
    )
    for (which, _), panel in zip(parts, panels, strict=True):
        title = f"The decisive differences{f', {which}' if which else ''}".replace("-", " ")
        yield Figure(name=f"vendor-pairs-{which}".rstrip("-"), title=title, caption=caption, panels=(panel,))


def _differences(source: Source, which: str, records: Sequence[Record]) -> Panel:
    """A row for each of some pairs."""
    first = records[0].estimate
    margin = mapping(source.analysis("vendor_comparison").get("margins")).get(str(first.at["of"]))
    title = plain_text(_measure(source, records[0]))
    ratio = first.at["of"] == "max_min"
    measured_in = unit(records[0]).strip()
    against = "over second" if ratio else f"minus second ({measured_in})" if measured_in else "minus second"
    return systems.gaps(
        name_of("vendors-decisive-differences", which),
        capital(title),
        [_gap(record) for record in records],
        f"{phrases.metric(str(first.at['of']))}, first {against}",
        alike=1.0 if ratio else 0.0,
        points=is_rate(records[0]),
        margin=float(margin) if isinstance(margin, (int, float)) else None,
    )


def _gap(record: Record) -> Dot:
    interval = record.bounds[0].interval if record.bounds else None
    return Dot(
        row=f"{record.estimate.provider} – {record.estimate.at['against']}",
        series=record.estimate.provider,
        index=0,
        value=float(record.estimate.value or 0.0),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
    )


def _further(source: Source, first: Key) -> Table | None:
    """Every other measure: its pairs under its name."""
    records = [record for record in source.select(DIFFERENCE) if key_of(record) != first]
    if not records:
        return None
    notes = Footnotes()
    blocks = [
        Block(head=_measure(source, same[0]), rows=tuple(_row(record, notes) for record in same))
        for same in grouped(records, key_of).values()
    ]
    caption = phrases.titled(
        "Every other difference.",
        "Not declared as decisive: exploratory. Intervals hold simultaneously within a measure; p is adjusted over "
        "the pairs of a measure, and again over all measures where B allows it. Ratios are first over second; "
        "differences of rates are in percentage points.",
    )
    return build_table("vendors-further-differences", caption, PAIRS, blocks, notes)
