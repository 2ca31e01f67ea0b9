"""Tables of interclass bias as the thesis prints them: upper bounds by system and class, Total, indices."""

from collections.abc import Iterable, Iterator, Mapping

from frtaudit.core import Method, OrderRule, Target
from frtaudit.core.canonical import mapping
from frtaudit.core.spec import FailureScore
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, by_provider, header, provider
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import display_name, words

PAIR, MAX = "|", "max"
THESIS_ALPHA = 0.1
SYSTEMS = 4  # in one table: more columns would not fit a page
SD, RATIO = "d_l2_sd", "d_l2_ratio"
NARROWER = (
    "narrower than the published interval, though its level is higher: near 0 the published one adds the half-width of "
    "its band at every TAR, and is not corrected for the noise in a distance"
)
INDICES = ((SD, "sd over classes"), (RATIO, "largest to smallest"))


def tables(source: Source, schemas: Iterable[str]) -> tuple[Table, ...]:
    """Where the spread was asked for: upper bounds with Total, bounds of Total (Tables 4 to 13), then the spread."""
    if not source.select(SD, RATIO):
        return ()
    published: list[Table] = []
    for schema in schemas:
        bounds = thesis_bounds(source, schema)
        published += _upper_bounds(source, schema, bounds)
        published += [
            table for table in (_totals(schema, bounds), _indices(source, schema)) if table is not None
        ]
    return tuple(published)


def thesis_bounds(source: Source, schema: str) -> dict[str, dict[str, Record]]:
    """Of each system, by class and last by ``max``, the d_l2 in quantile space that has the thesis's bounds."""
    by_system: dict[str, dict[str, Record]] = {}
    for record in source.select("d_l2", schema=schema):
        group = record.estimate.group
        if PAIR not in group and dict(record.estimate.at) == {"space": "quantile"} and thesis_of(record):
            by_system.setdefault(record.estimate.provider, {})[group] = record
    return {name: by_system[name] for name in source.providers if MAX in by_system.get(name, {})}


def narrower(record: Record, notes: Footnotes) -> Text:
    """The mark of an interval for the population that is narrower than the thesis's of a lower level; else empty."""
    ours, published = (record.bound(target) for target in (Target.POPULATION, Target.COMPARISONS_IID))
    if ours is None or published is None or ours.interval.level <= published.interval.level:
        return ()
    widths = [(bound.interval.high or 0.0) - (bound.interval.low or 0.0) for bound in (ours, published)]
    return notes.mark(NARROWER, ours.pointer) if 0 < widths[0] < widths[1] else ()


def class_names(bounds: Mapping[str, Mapping[str, Record]]) -> list[str]:
    """Classes that some system has bounds of, in their order."""
    return list(
        dict.fromkeys(group for class_bounds in bounds.values() for group in class_bounds if group != MAX)
    )


def _upper_bounds(source: Source, schema: str, bounds: Mapping[str, Mapping[str, Record]]) -> Iterator[Table]:
    """A row for each class and Total, a column for each system; two classes have one distance, and one row."""
    groups = class_names(bounds)
    rows = {source.label(schema, group): group for group in groups if len(groups) > 2}
    rows["Total" if len(groups) > 2 else schema.replace("_", " ")] = MAX
    for number, start in enumerate(range(0, len(bounds), SYSTEMS)):
        systems = list(bounds)[start : start + SYSTEMS]
        columns = header(["Class"], systems)
        cells = [
            ((TextSpan(text=row),), *(_end(bounds[name].get(group), "high") for name in systems))
            for row, group in rows.items()
        ]
        caption = phrases.titled(
            f"As in Peña-Alcántara (2022), by {schema.replace('_', ' ')}.",
            "Upper bounds of d_l2 in quantile space, 0 to 100, for comparisons treated as independent; Total is the "
            "largest bound over the classes. No test.",
            " Two classes have the same distance from their mean: no spread, largest to smallest 1."
            if len(groups) == 2
            else "",
            *departures(source),
        )
        name = name_of("d_l2-upper-bounds", schema, str(number + 1) if number else "")
        yield build_table(name, caption, columns, [Block(rows=tuple(cells))], Footnotes(), "dense")


def upper_bounds(source: Source, schema: str) -> dict[str, dict[str, float]]:
    """Upper bounds of a schema as numbers: class, ``Total`` and ``Total, lower`` to system to bound."""
    bounds = thesis_bounds(source, schema)
    rows: dict[str, dict[str, float]] = {}
    for system, class_bounds in bounds.items():
        for group in (*class_names(bounds), MAX):
            ends = thesis_of(class_bounds[group]) if group in class_bounds else None
            if ends is not None:
                rows.setdefault("Total" if group == MAX else group, {})[system] = ends[1]
                if group == MAX:
                    rows.setdefault("Total, lower", {})[system] = ends[0]
    return rows


def departures(source: Source) -> Text:
    """In what this audit's d_l2 is not computed as in the thesis, and why."""
    spec = source.result.spec
    parts = []
    if spec.get("failures") != FailureScore.SCORE_ZERO.value:
        parts.append(
            "failed comparisons are left out, not scored zero, so that failures to acquire are not counted twice"
        )
    if mapping(spec.get("protocol")).get("orders") != OrderRule.EACH.value:
        parts.append("both orders of a pair are one comparison, because the second adds no information")
    alpha = source.analysis("interclass").get("alpha", THESIS_ALPHA)
    if alpha != THESIS_ALPHA:
        parts.append(f"alpha is {alpha}, not {THESIS_ALPHA}")
    if not parts:
        return ()
    return spans(
        f" Different from that publication: {'; '.join(parts)}. ", "audit=interclass_thesis follows it."
    )


def _totals(schema: str, bounds: Mapping[str, Mapping[str, Record]]) -> Table | None:
    """A row for each system: lower and upper bound of Total (Tables 9 and 11)."""
    if not bounds:
        return None
    rows = tuple(
        ((provider(class_bounds[MAX]),), _end(class_bounds[MAX], "low"), _end(class_bounds[MAX], "high"))
        for class_bounds in bounds.values()
    )
    columns = header(["System"], ["Lower bound", "Upper bound"])
    caption = phrases.titled(
        f"Bounds of Total, by {schema.replace('_', ' ')}.",
        "The largest lower and the largest upper bound over the classes, as in Peña-Alcántara (2022). Not a test.",
    )
    name = name_of("d_l2-bounds-of-total", schema)
    return build_table(name, caption, columns, [Block(rows=rows)], Footnotes(), "dense")


def thesis_of(record: Record) -> tuple[float, float, str] | None:
    """The thesis's bounds and where they stand."""
    for bound in record.bounds:
        interval = bound.interval
        iid = interval.target is Target.COMPARISONS_IID and interval.method is Method.T_BOOTSTRAP
        if iid and interval.low is not None and interval.high is not None:
            return interval.low, interval.high, bound.pointer
    return None


def _end(record: Record | None, end: str) -> Text:
    thesis = None if record is None else thesis_of(record)
    if thesis is None:
        return phrases.DASH
    low, high, at = thesis
    return (phrases.number(formatting.plain(low if end == "low" else high), f"{at}/{end}"),)


def _indices(source: Source, schema: str) -> Table | None:
    """A block for each space, a row for each system; none of two classes, where both are known by construction."""
    records = [
        record
        for record in source.select(SD, RATIO, schema=schema)
        if not (record.estimate.note or "").startswith("by construction")
    ]
    blocks = []
    for place, here in grouped(records, lambda record: record.at).items():
        rows = []
        for _, of_system in by_provider(source, here):
            by_metric = {record.estimate.metric: record for record in of_system}
            cells = (phrases.value(by_metric.get(metric)) for metric, _ in INDICES)
            rows.append(((provider(of_system[0]),), *cells))
        at = dict(place)
        space = display_name(words().at_value, str(at.get("space", "")))
        text = f"{space}, {at['of']}" if "of" in at else space
        head = TextSpan(text=text, pointer=f"{here[0].pointer}/at/space")
        blocks.append(Block(head=(head,), rows=tuple(rows)))
    if not blocks:
        return None
    columns = header(["System"], (title for _, title in INDICES))
    caption = phrases.titled(
        f"Spread over the classes, by {schema.replace('_', ' ')}.",
        "Standard deviation of the classes' d_l2, and the largest d_l2 divided by the smallest. Under equality of the "
        "classes both are noise, and the ratio can be large: read them together with the test.",
    )
    return build_table(name_of("d_l2-spread", schema), caption, columns, blocks, Footnotes(), "dense")
