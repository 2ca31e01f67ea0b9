"""View: what each declared step left, by class, and how many people each number of samples would leave."""

from collections.abc import Iterator, Mapping, Sequence

from frtaudit.core.canonical import Json, mapping
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures import interclass
from frtaudit.report.figures.interclass import Line
from frtaudit.report.pieces import Block, Figure, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, header
from frtaudit.report.source import Source, rows_of

AT = "/cohort/sanitized"


STEPS = "Steps taken in the spec's order before anything was scored; a subject keeps the class that was read."


@section("sanitization", "Sanitization", after="cohort", annex=True)
def build(source: Source) -> View | None:
    """None where the spec declares no steps."""
    sanitized = mapping(source.result.cohort.get("sanitized"))
    stages = rows_of(sanitized.get("stages"))
    if not stages:
        return None
    names = list(dict.fromkeys(str(row["schema"]) for row in rows_of(stages[0].get("groups"))))
    return View(
        lead=(spans(STEPS),),
        main=tuple(_table(source, name, stages) for name in names) or (_table(source, None, stages),),
        figures=tuple(figure for name in names for figure in _figure(source, name, sanitized, stages)),
    )


def _table(source: Source, schema: str | None, stages: Sequence[Mapping[str, Json]]) -> Table:
    """One row for each step: people and samples left, in all and by class."""
    groups = [
        (place, str(row["group"]))
        for place, row in enumerate(rows_of(stages[0].get("groups")))
        if row["schema"] == schema
    ]
    columns = header(["Kept"], ["subjects / samples", *(source.label(schema, group) for _, group in groups)])
    rows = []
    for number, stage in enumerate(stages):
        at = f"{AT}/stages/{number}"
        class_counts = rows_of(stage.get("groups"))
        cells = [_count(class_counts[place], f"{at}/groups/{place}") for place, _ in groups]
        parts: list[Part] = [_rule(stage, at)]
        if stage.get("reason"):
            parts += [": ", TextSpan(text=str(stage["reason"]), pointer=f"{at}/reason", kind="soft")]
        rows.append((spans(*parts), _count(stage, at), *cells))
    by = f" by {schema.replace('_', ' ')}" if schema else ""
    caption = phrases.titled(
        f"Subjects and samples after each step{by}.", "Subjects / samples after each step."
    )
    name = f"sanitized-{schema or 'all'}"
    return build_table(name, caption, columns, [Block(rows=tuple(rows))], Footnotes(), "dense")


def _rule(stage: Mapping[str, Json], at: str) -> TextSpan:
    key = "rule" if "rule" in stage else "said"  # as version 0.1 called it
    return TextSpan(text=str(stage[key]), pointer=f"{at}/{key}")


def _count(row: Mapping[str, Json], at: str) -> Text:
    people, samples = (phrases.whole(_whole(row[key]), f"{at}/{key}") for key in ("subjects", "samples"))
    return spans(people, "\u00a0/\u00a0", samples)


def _whole(value: Json) -> int:
    return int(value) if isinstance(value, (int, float)) else 0


def _figure(
    source: Source, schema: str, sanitized: Mapping[str, Json], stages: Sequence[Mapping[str, Json]]
) -> Iterator[Figure]:
    """People left against required samples, one line for each class, log scale (thesis, Figure 5)."""
    lines: list[Line] = []
    for row in rows_of(sanitized.get("required")):
        left = row.get("left")
        if row.get("schema") == schema and isinstance(left, (list, tuple)) and left:
            ys = tuple(float(_whole(value)) for value in left)
            xs = tuple(float(number) for number in range(1, len(ys) + 1))
            name = source.label(schema, str(row["group"]))
            lines.append(Line(name=name, index=len(lines), x=xs, y=ys))
    if not lines:
        return
    place = _whole(sanitized.get("counted_at"))
    least, most = interclass.sanitized_sizes(source.result.spec)
    name = name_of("required-samples", schema)
    yield Figure(
        name=name,
        title=f"Subjects left against required samples, by {schema.replace('_', ' ')}",
        caption=spans(
            "Number of subjects of each class with at least that many samples (log scale), counted after: ",
            _rule(stages[place], f"{AT}/stages/{place}"),
            ". Requiring more samples of each subject leaves fewer subjects."
            + (" Vertical line: the required samples." if most else "")
            + (" Horizontal line: the required subjects in each class." if least else ""),
        ),
        panels=(interclass.left(name, lines, samples=most, people=least),),
        keys=figures.keys(name, [(line.index, line.name) for line in lines]),
    )
