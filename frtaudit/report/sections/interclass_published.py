"""Tables of interclass bias as the thesis prints them: upper bounds by system and class, Total, indices."""

from collections.abc import Iterable

from frtaudit.core import Method, Target, formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Column, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, provider
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

SD, RATIO = "d_l2_sd", "d_l2_ratio"
INDICES = ((SD, "sd over classes"), (RATIO, "worst to best"))


def tables(source: Source, schemas: Iterable[str]) -> tuple[Table, ...]:
    """Where the spread was asked for: upper bounds with Total (Tables 4 to 11), then sd and worst to best."""
    if not source.select(SD, RATIO):
        return ()
    return tuple(
        table
        for schema in schemas
        for table in (_bounds(source, schema), _indices(source, schema))
        if table is not None
    )


def _bounds(source: Source, schema: str) -> Table | None:
    """One row for each system: the upper bound of each class, lower and upper bound of Total, their maximum."""
    records = [
        record
        for record in source.select("d_l2", schema=schema)
        if dict(record.estimate.at) == {"space": "quantile"} and _thesis(record) is not None
    ]
    groups = [
        name
        for name in dict.fromkeys(record.estimate.group for record in records)
        if name != "max" and "|" not in name
    ]
    rows = []
    for name in source.providers:
        here = {record.estimate.group: record for record in records if record.estimate.provider == name}
        if "max" in here:
            cells = [_end(here.get(group), "high") for group in groups]
            rows.append(
                ((provider(here["max"]),), *cells, _end(here["max"], "low"), _end(here["max"], "high"))
            )
    if not rows:
        return None
    columns = [Column(title="System")]
    columns += [Column(title=source.label(schema, name), kind="num") for name in groups]
    columns += [Column(title="Total, lower", kind="num"), Column(title="Total, upper", kind="num")]
    caption = spans(
        TextSpan(text=f"As the thesis prints it, by {schema.replace('_', ' ')}. ", kind="b"),
        "Upper bounds of d_l2 in quantile space, 0 to 100, for comparisons treated as independent; Total is the "
        "largest bound over the classes. No test.",
        " Two classes have the same distance from their mean: no spread, largest to smallest 1."
        if len(groups) == 2
        else "",
    )
    return build_table(
        f"published-{schema}", caption, columns, [Block(rows=tuple(rows))], Footnotes(), "dense"
    )


def _thesis(record: Record) -> tuple[float, float, str] | None:
    """The thesis's bounds and where they stand."""
    for bound in record.bounds:
        interval = bound.interval
        iid = interval.target is Target.COMPARISONS_IID and interval.method is Method.T_BOOTSTRAP
        if iid and interval.low is not None and interval.high is not None:
            return interval.low, interval.high, bound.pointer
    return None


def _end(record: Record | None, end: str) -> Text:
    thesis = None if record is None else _thesis(record)
    if thesis is None:
        return (TextSpan(text=phrases.ABSENT),)
    low, high, at = thesis
    return (phrases.number(formatting.plain(low if end == "low" else high), f"{at}/{end}"),)


def _indices(source: Source, schema: str) -> Table | None:
    """A block for each space, a row for each system; none of two classes, where both are known by construction."""
    records = [record for record in source.select(SD, RATIO, schema=schema) if not _of_two(record)]
    blocks = []
    for place in dict.fromkeys(record.at for record in records):
        here = [record for record in records if record.at == place]
        rows = tuple(row for name in source.providers if (row := _index_row(here, name)))
        at = TextSpan(text=_place(dict(place)), pointer=f"{here[0].pointer}/at/space")
        blocks.append(Block(head=(at,), rows=rows))
    if not blocks:
        return None
    columns = [Column(title="System"), *(Column(title=title, kind="num") for _, title in INDICES)]
    caption = spans(
        TextSpan(text=f"Spread over the classes, by {schema.replace('_', ' ')}. ", kind="b"),
        "Standard deviation of the classes' d_l2, and the largest d_l2 divided by the smallest. Under equality of the "
        "classes both are noise, and the ratio can be large: read them together with the test.",
    )
    return build_table(f"spread-{schema}", caption, columns, blocks, Footnotes(), "dense")


def _index_row(here: Iterable[Record], system: str) -> tuple[Text, ...]:
    records = {record.estimate.metric: record for record in here if record.estimate.provider == system}
    if not records:
        return ()
    first = next(iter(records.values()))
    return ((provider(first),), *(_value(records.get(metric)) for metric, _ in INDICES))


def _of_two(record: Record) -> bool:
    return (record.estimate.note or "").startswith("by construction")


def _place(at: dict[str, float | str]) -> str:
    space = display_name(words().at_value, str(at.get("space", "")))
    return f"{space}, {at['of']}" if "of" in at else space


def _value(record: Record | None) -> Text:
    return (TextSpan(text=phrases.ABSENT),) if record is None else phrases.value(record)
