"""The coverage appendix: how often the report's intervals hold a known truth in simulated cohorts like this one."""

from collections.abc import Iterable

from frtaudit.core import Method, Target
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, plain_text, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, by_provider, header, provider
from frtaudit.report.source import Record, Source, rows_of
from frtaudit.report.words import display_name, words

METRIC = "simulated_coverage"
LOWER, UPPER, SPREAD = "simulated_lower_misses", "simulated_upper_misses", "simulated_spread"
MODEL = ("method", "scenario", "true_rate", "rate", "of")  # what `at` says beside the operating point
SPREADS_OF = ("subjects", "subjects_upper", "pairs")
Key = tuple[object, ...]


@section("coverage", "Simulated coverage", after="sanitization", annex=True)
def build(source: Source) -> View | None:
    """None where nothing was simulated."""
    records = source.select(METRIC)
    if not records:
        return None
    tried = [record for record in records if "scenario" in record.estimate.at]
    return View(
        lead=(spans(words().coverage["model"]), spans(words().coverage["limits"])),
        tables=(_table(source, tried), _spreads(source)) if tried else (),
        left_out=tuple(_left_out(source, records)),
    )


def _method(record: Record) -> str:
    return display_name(words().method, str(record.estimate.at["method"]))


def _point(record: Record) -> Text:
    """The operating point in words."""
    at = {key: value for key, value in record.estimate.at.items() if key not in MODEL}
    return spans(" at ", phrases.at_words(at, record.pointer)) if at else ()


def _key(record: Record, *without: str) -> Key:
    estimate = record.estimate
    at = tuple(sorted((key, value) for key, value in estimate.at.items() if key not in without))
    return (estimate.provider, estimate.schema, estimate.group, at)


def _lines(records: list[Record], column: str, *without: str) -> list[dict[str, Record]]:
    """Records of one line of a table, by what ``at`` says of the column; lines in the order of the result."""
    lines: dict[Key, dict[str, Record]] = {}
    for record in records:
        lines.setdefault(_key(record, column, *without), {})[str(record.estimate.at[column])] = record
    return list(lines.values())


def _table(source: Source, tried: list[Record]) -> Table:
    notes = Footnotes()
    seen = {str(record.estimate.at["scenario"]) for record in tried}
    scenarios = [name for name in words().scenario if name in seen]
    missed = {(record.estimate.metric, *_key(record)): record for record in source.select(LOWER, UPPER)}
    most = max((record.estimate.denominator or 0 for record in tried), default=0)
    declared = rows_of(source.result.spec.get("intervals"))
    rows: dict[Text, list[tuple[Text, ...]]] = {}
    for _, records in by_provider(source, tried):
        heads: dict[str, Text] = {}
        for line in _lines(records, "scenario", "true_rate"):
            first = next(iter(line.values()))
            head = heads.setdefault(plain_text(_head(first)), _head(first))
            cells = (_cell(line.get(name), missed, most, notes) for name in scenarios)
            method = TextSpan(text=_method(first), pointer=f"{first.pointer}/at/method", kind="soft")
            of = Method(str(first.estimate.at["method"]))
            asked = [row["target"] for row in declared if row.get("method") == of.value]
            target = str(asked[0]) if asked else of.serves[0].value  # as asked for, else as the method serves
            whom = TextSpan(text=f", for {display_name(words().target, target)}", kind="soft")
            group = spans(phrases.group(source, first), phrases.BREAK, method, whom)
            rows.setdefault(head, []).append((group, *cells))
    columns = header(["Group, method, target"], (display_name(words().scenario, name) for name in scenarios))
    caption = phrases.titled(
        "How often the interval contained the true value, in",
        phrases.bold(formatting.count(most)),
        phrases.bold(" cohorts. "),
        words().coverage["caption"],
    )
    blocks = [Block(head=head, rows=tuple(text_spans)) for head, text_spans in rows.items()]
    return build_table("coverage", caption, columns, blocks, notes, kind="dense")


def _head(record: Record) -> Text:
    return spans(provider(record), "  ", _rate(record), _point(record))


def _rate(record: Record) -> TextSpan:
    return TextSpan(text=phrases.metric(str(record.estimate.at["rate"])), pointer=f"{record.pointer}/at/rate")


def _cell(record: Record | None, missed: dict[Key, Record], most: int, notes: Footnotes) -> Text:
    """Coverage, its Monte Carlo interval, and the misses below and above the truth."""
    if record is None:
        return phrases.DASH
    parts: list[Part] = [phrases.value(record, notes)]
    bound = record.bound(Target.SIMULATION)
    if bound is not None:
        parts += [phrases.BREAK, *phrases.styled(phrases.bounds(bound, record.estimate), "soft")]
    sides = [missed[metric, *_key(record)] for metric in (LOWER, UPPER) if (metric, *_key(record)) in missed]
    for place, side in enumerate(sides):
        count = phrases.whole(side.estimate.numerator or 0, f"{side.pointer}/numerator")
        parts += [" + " if place else phrases.BREAK, *phrases.styled([count], "soft")]
    if sides and (record.estimate.denominator or 0) < most:
        of = phrases.whole(record.estimate.denominator or 0, f"{record.pointer}/denominator")
        parts += phrases.styled(spans(" of ", of), "soft")
    return spans(*parts)


def _spreads(source: Source) -> Table:
    """What the model was given."""
    notes = Footnotes()
    blocks = []
    for _, records in by_provider(source, source.select(SPREAD)):
        rows = []
        for line in _lines(records, "of"):
            first = next(iter(line.values()))
            what = spans(_rate(first), _point(first), ", ", phrases.group(source, first))
            rows.append((what, *(phrases.value(line.get(name), notes) for name in SPREADS_OF)))
        blocks.append(Block(head=(provider(records[0]),), rows=tuple(rows)))
    columns = header(["Rate, group"], ["spread of subjects", "its 95 % upper bound", "spread of pairs"])
    caption = phrases.titled("Inputs of the model.", words().coverage["spread"])
    return build_table("coverage-spread", caption, columns, blocks, notes, kind="dense")


def _left_out(source: Source, records: list[Record]) -> Iterable[Text]:
    """Reasons, each with what it is the reason of; the same for several systems is said once."""
    text_spans: dict[str, Text] = {}
    for record in records:
        if "scenario" in record.estimate.at or record.estimate.note is None:
            continue
        method = [_method(record), ", "] if "method" in record.estimate.at else []
        rate = phrases.metric(str(record.estimate.at["rate"]))
        label = source.label(record.estimate.schema, record.estimate.group)
        group = [] if record.estimate.group == "all" else [", ", label]
        why = record.estimate.note.removeprefix("not simulated: ")
        reason = TextSpan(text=why, pointer=f"{record.pointer}/note")
        text = spans(*method, rate, _point(record), *group, ": ", reason, ".")
        text_spans.setdefault(plain_text(text), text)
    return text_spans.values()
