"""Who was tested: counts in all and by class of each schema, comparisons of each system."""

from dataclasses import dataclass

from frtaudit.core.canonical import entries, escape, mapping
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.section import section
from frtaudit.report.sections.tables import build_table, header, provider, whole_cell
from frtaudit.report.source import Record, Source

COUNTED = (
    ("subjects", "subjects"),
    ("samples", "samples (images)"),
    ("subjects_with_two_samples", "subjects with two samples or more"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The view: totals and tables."""

    totals: tuple[tuple[str, Text], ...]
    tables: tuple[Table, ...]


@section("cohort", "Cohort", after="other", annex=True)
def build(source: Source) -> Cohort:
    """Stands in every report."""
    named = source.result.cohort.get("subjects") != 0  # files without subjects: a note says so
    # Of attempts a sample is an attempt or a reference, so only people are counted.
    attempts = mapping(source.result.spec.get("cohort")).get("type") == "attempts"
    counted = COUNTED[:1] if attempts else COUNTED
    totals = tuple(
        (title, number)
        for key, title in counted
        if named and (number := source.counted(source.result.cohort, "/cohort", key))
    )
    schemas = mapping(source.result.cohort.get("schemas"))
    tables = [_schema(source, name, counted) for name in schemas if source.counts(name)]
    return Cohort(totals=totals, tables=(*tables, *_comparisons(source)))


def _schema(source: Source, name: str, counted: tuple[tuple[str, str], ...]) -> Table:
    at = f"/cohort/schemas/{escape(name)}/groups"
    rows = tuple(
        (
            (TextSpan(text=source.label(name, str(row.get("group"))), pointer=f"{at}/{index}/label"),),
            *(source.counted(row, f"{at}/{index}", key) for key, _ in counted),
        )
        for index, row in enumerate(source.counts(name))
    )
    columns = header(["Class"], (title for _, title in counted))
    spec = mapping(mapping(source.result.spec.get("schemas")).get(name))
    place = f"/spec/schemas/{escape(name)}"
    parts: list[Text] = []
    if spec.get("column"):
        parts.append(spans("Column ", phrases.code(str(spec["column"]), f"{place}/column"), ". "))
    if entries(spec.get("cross")):
        crossed = " and ".join(str(schema) for schema in entries(spec["cross"]))
        parts.append(spans("Crossing of ", TextSpan(text=crossed, pointer=f"{place}/cross"), ". "))
    if spec.get("conflicts"):
        rule = phrases.code(str(spec["conflicts"]), f"{place}/conflicts")
        parts.append(spans("Subjects whose samples disagree: ", rule, "."))
    caption = phrases.titled(f"Schema {name.replace('_', ' ')}.", spans(*parts))
    return build_table(name_of("cohort", name), caption, columns, [Block(rows=rows)], Footnotes())


def _comparisons(source: Source) -> list[Table]:
    """Mated and non-mated comparisons of each system: the denominators of its overall rates."""
    notes = Footnotes()
    rows = []
    for name in source.providers:
        firsts = [_first(source, name, *metrics) for metrics in (("fnmr_at_fmr", "fnmr"), ("fmr",))]
        known = firsts[0] or firsts[1]
        if known is not None:
            rows.append(((provider(known),), *(whole_cell(first, "denominator") for first in firsts)))
    columns = header(["System"], ["mated comparisons", "non-mated comparisons"])
    caption = phrases.titled(
        "Comparisons.", "Comparisons with a score, for each system, between subjects of any group."
    )
    return [build_table("comparisons", caption, columns, [Block(rows=tuple(rows))], notes)] if rows else []


def _first(source: Source, name: str, *metrics: str) -> Record | None:
    records = [
        record
        for record in source.select(*metrics, grouped=False)
        if record.estimate.provider == name
        and record.estimate.denominator is not None
        and "pairs" not in record.estimate.at
    ]
    return records[0] if records else None
