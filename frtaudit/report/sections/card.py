"""Test sets: their cards side by side, who stands in them, what each rule left, and what is certain."""

from collections.abc import Iterable

from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.figures.bars import bars
from frtaudit.report.pieces import Block, Figure, Footnotes, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import lists
from frtaudit.report.sections.accuracy import test_set_name
from frtaudit.report.sections.tables import build_table, headed, header, whole_cell
from frtaudit.report.source import ALL_SUBJECTS, Record, Source

SIZES = (
    ("card_images", "images"),
    ("card_identities", "identities"),
    ("card_mated", "mated pairs"),
    ("card_non_mated", "non-mated pairs"),
    ("card_max_occurrence", "most pairs of one image"),
)
KINDS = {"images": "images", "mated": "mated pairs", "non_mated": "non-mated pairs"}
QUARTILES = ((0.0, "least"), (0.25, "quarter"), (0.5, "median"), (0.75, "three quarters"), (1.0, "largest"))


@section("card", "Test sets", after="accuracy")
def build(source: Source) -> View | None:
    """None where no card was made."""
    records = source.select("card_images")
    if not records:
        return None
    sets = [_set(record) for record in records]
    tables = [
        _cards(source, sets),
        *_values(source),
        *_quartiles(source),
        *(table for name in sets for table in _steps(source, name)),
        *(table for name in sets for table in _certificate(source, name)),
        *lists.table(source, "test_sets/"),
    ]
    return View(figures=tuple(_figures(source, sets)), tables=tuple(tables), shown=(1, 1))


def _set(record: Record) -> str:
    return str(record.estimate.at["pairs"])


def _of(records: Iterable[Record], name: str) -> list[Record]:
    return [record for record in records if _set(record) == name]


def _cards(source: Source, sets: list[str]) -> Table:
    """Table 3 of 004: one row for each test set."""
    notes = Footnotes()
    trained = source.select("card_training_overlap")
    training = list(dict.fromkeys(str(record.estimate.at["training"]) for record in trained))
    pairs = source.select("card_class_pairs")
    schemas = list(dict.fromkeys(str(pair.estimate.schema) for pair in pairs))
    rows = []
    for name in sets:
        sizes = [whole_cell(next(iter(_of(source.select(metric), name)), None)) for metric, _ in SIZES]
        of_training = {str(record.estimate.at["training"]): record for record in reversed(_of(trained, name))}
        overlap = [_share(of_training.get(training_set), notes) for training_set in training]
        balance = [
            _balance(source, [record for record in _of(pairs, name) if record.estimate.schema == schema])
            for schema in schemas
        ]
        rows.append((spans(phrases.bold(test_set_name(name))), *sizes, *overlap, *balance))
    numbers = (
        *(title for _, title in SIZES),
        *(f"identities in {training_set}" for training_set in training),
    )
    by_schema = header(f"pairs by {schema.replace('_', ' ')}" for schema in schemas)
    columns = (*header(["Test set"], numbers), *by_schema)
    absent = "" if training else " Overlap of its identities with training sets was not tested."
    caption = phrases.titled(
        "Test sets.",
        "Images and identities in the pairs, the largest number of pairs of one image, and the pairs whose "
        f"samples are both of one class.{absent}",
    )
    return build_table("cards", caption, columns, [Block(rows=tuple(rows))], notes)


def _share(record: Record | None, notes: Footnotes) -> Text:
    """Counts, and the share that they are."""
    if record is None:
        return phrases.DASH
    return spans(phrases.counts(record), " (", phrases.value(record, notes), ")")


def _balance(source: Source, records: list[Record]) -> Text:
    parts: list[TextSpan] = []
    for record in records:
        label = source.label(record.estimate.schema, record.estimate.group)
        count = phrases.whole(record.estimate.numerator or 0, f"{record.pointer}/numerator")
        parts += spans(" · " if parts else "", f"{label}: ", count)
    return tuple(parts)


def _figures(source: Source, sets: list[str]) -> list[Figure]:
    """Figure 3 of 004: classes of the identities, one bar for each test set."""
    records = source.select("card_class_identities")
    drawn = []
    for schema in dict.fromkeys(str(record.estimate.schema) for record in records):
        schema_records = [record for record in records if record.estimate.schema == schema]
        groups = list(dict.fromkeys(record.estimate.group for record in schema_records))
        shares = {
            (_set(record), record.estimate.group): record.estimate.value or 0.0
            for record in reversed(schema_records)
        }
        rows = [(test_set_name(name), [shares.get((name, group), 0.0) for group in groups]) for name in sets]
        labels = [source.label(schema, group) for group in groups]
        title = f"Identities by {schema.replace('_', ' ')}"
        caption = spans("Share of each class among the identities of a test set.")
        panel, keys = bars(name_of("identities", schema), title, rows, labels)
        name = f"identities-{schema}"
        drawn.append(Figure(name=name, title=title, caption=caption, panels=(panel,), keys=keys))
    return drawn


def _values(source: Source) -> list[Table]:
    """Identities with an image of each value of an attribute, by test set."""
    records = source.select("card_value_identities")
    if not records:
        return []
    notes = Footnotes()
    sets = list(dict.fromkeys(_set(candidate) for candidate in records))
    known = {
        (_set(candidate), candidate.estimate.at["attribute"], candidate.estimate.at["value"]): candidate
        for candidate in records
    }
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for attribute, value in dict.fromkeys(
        (str(candidate.estimate.at["attribute"]), candidate.estimate.at["value"]) for candidate in records
    ):
        cells = [_share(known.get((name, attribute, value)), notes) for name in sets]
        blocks.setdefault(attribute.replace("_", " "), []).append((spans(str(value)), *cells))
    columns = header(["Value"], (test_set_name(name) for name in sets))
    caption = phrases.titled(
        "Attributes over identities.",
        "Identities with at least one image of a value; one identity may have several.",
    )
    return [build_table("card-values", caption, columns, headed(blocks), notes)]


def _quartiles(source: Source) -> list[Table]:
    records = source.select("card_attribute_quantile")
    if not records:
        return []
    notes = Footnotes()
    known = {
        (_set(record), record.estimate.at["attribute"], record.estimate.at["quantile"]): record
        for record in records
    }
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for name, attribute in dict.fromkeys(
        (_set(record), str(record.estimate.at["attribute"])) for record in records
    ):
        cells = [phrases.value(known[name, attribute, share], notes) for share, _ in QUARTILES]
        blocks.setdefault(attribute.replace("_", " "), []).append((spans(test_set_name(name)), *cells))
    columns = header(["Test set"], (title for _, title in QUARTILES))
    caption = phrases.titled("Numbers over identities.", "Quartiles of the means of each identity's images.")
    return [build_table("card-quartiles", caption, columns, headed(blocks), notes)]


def _steps(source: Source, name: str) -> list[Table]:
    """What each rule left, groups side by side."""
    records = _of(source.select("pairs_left"), name)
    if not records:
        return []
    groups = list(dict.fromkeys(record.estimate.group for record in records))
    schema = records[0].estimate.schema
    known = {
        (record.estimate.at["kind"], record.estimate.at["rule"], record.estimate.group): record
        for record in records
    }
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for kind, rule in dict.fromkeys(
        (str(record.estimate.at["kind"]), record.estimate.at["rule"]) for record in records
    ):
        cells = [whole_cell(known.get((kind, rule, group))) for group in groups]
        blocks.setdefault(KINDS.get(kind, kind), []).append((spans(str(rule)), *cells))
    columns = header(
        ["Left after"], (source.label(schema, group) if schema else ALL_SUBJECTS for group in groups)
    )
    caption = phrases.titled(
        f"Pairs left by each rule: {test_set_name(name)}.",
        "Each line applies its rule in addition to those above it.",
    )
    return [build_table(name_of("steps", name), caption, columns, headed(blocks), Footnotes())]


def _certificate(source: Source, name: str) -> list[Table]:
    records = _of(source.select("certificate"), name)
    if not records:
        return []
    notes = Footnotes()
    rows = tuple(
        (
            (TextSpan(text=str(record.estimate.at["rule"]), pointer=f"{record.pointer}/at/rule"),),
            spans(phrases.counts(record), f" {record.estimate.unit.partition(' ')[0]}"),
            phrases.value(record),
            phrases.note(record),
        )
        for record in records
    )
    columns = (*header(["Rule"], ["kept by", "share"]), *header(["nearest to violating it"]))
    caption = phrases.titled(
        f"Certificate: {test_set_name(name)}.",
        "Checked on the pairs alone, by code other than the code that selected them.",
    )
    return [build_table(name_of("certificate", name), caption, columns, [Block(rows=rows)], notes)]
