"""What is not known of classes, in tables: best and worst cases of every index, and another mix of people."""

from collections.abc import Mapping, Sequence

from frtaudit.core import Target
from frtaudit.core.canonical import escape, mapping
from frtaudit.core.metrics import INDICES
from frtaudit.core.text import formatting
from frtaudit.core.text.file_names import name_of
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.sections.tables import build_table, grouped_blocks, header, methods_said
from frtaudit.report.source import AtKey, Record, Source, at_key
from frtaudit.report.words import display_name, words

ANALYSIS = "robustness"
CAUSES = {
    "unknown": "subjects without a class",
    "mislabelled": "wrong labels",
    "failures": "failed comparisons, pooled",
}


Key = tuple[str, str, str | None, str, str | None, AtKey]


def bounds(source: Source, schema: str) -> Table | None:
    """Every index with what was measured and its best and worst case for each cause."""
    records = source.select("index_best_case", "index_worst_case", "index_behind_labels", schema=schema)
    if not records:
        return None
    notes = Footnotes()
    measured = measured_by(source, *INDICES, "d_l2", "skewed_error_ratio", weightings=True)
    causes = [name for name in CAUSES if any(record.estimate.at.get("missing") == name for record in records)]
    behind = any(record.estimate.metric == "index_behind_labels" for record in records)
    blocks = grouped_blocks(
        source,
        records,
        lambda record: without(record, "missing"),
        lambda here: _bounds_row(source, here, causes, measured, notes, behind=behind),
    )
    titles = ["As measured"]
    for name in causes:
        titles += ["measured, pooled", CAUSES[name]] if name == "failures" else [CAUSES[name]]
    columns = header(["Index"], [*titles, *(["corrected for wrong labels"] if behind else [])])
    text = words().robustness
    title = f"Unknown and wrong classes, by {spoken(schema)}. "
    sentences = [
        text["bounds"],
        *(text[f"bounds_{name}"] for name in causes),
        *([text["behind"]] if behind else []),
    ]
    caption = spans(phrases.bold(title), " ".join(sentences))
    name = name_of("robustness-unknown-classes", schema)
    return build_table(name, caption, columns, blocks, notes, "dense")


def _bounds_row(
    source: Source,
    here: Sequence[Record],
    causes: Sequence[str],
    measured: Mapping[Key, Record],
    notes: Footnotes,
    *,
    behind: bool,
) -> tuple[Text, ...]:
    cells: list[Text] = [_index(here[0]), _as_measured(here[0], source.weighting, measured)]
    for cause in causes:
        weighting = "pooled" if cause == "failures" else source.weighting
        if cause == "failures":
            cells.append(_as_measured(here[0], "pooled", measured))
        records = {
            record.estimate.metric: record
            for record in here
            if record.estimate.at.get("missing") == cause and record.estimate.weighting in (weighting, None)
        }
        best, worst = records.get("index_best_case"), records.get("index_worst_case")
        if best is None or worst is None:
            cells.append(phrases.DASH)
        elif best.estimate.value is None:
            cells.append(phrases.value(best, notes))
        else:
            low, high = phrases.value(best), phrases.value(worst)
            same = [piece.text for piece in low] == [piece.text for piece in high]
            cells.append(spans(high, " in both") if same else spans(low, " to ", high))
    if behind:
        behind_labels = (record for record in here if record.estimate.metric == "index_behind_labels")
        corrected = (record for record in behind_labels if record.estimate.weighting == source.weighting)
        cells.append(phrases.value(next(corrected, None), notes))
    return tuple(cells)


def _index(record: Record) -> Text:
    at = record.estimate.at
    name = display_name(words().metric, str(at["index"]))
    of = f" of {display_name(words().at_value, str(at['rate']))}" if "rate" in at else ""
    space = f", {display_name(words().at_value, str(at['space']))}" if "space" in at else ""
    pairs = f", {str(at['pairs']).replace('_', ' ')}" if "pairs" in at else ""
    what = TextSpan(text=f"{name}{of}{space}{pairs}", pointer=f"{record.pointer}/at/index")
    return spans(
        what, *((" at ", point(record, *(key for key in at if key != "fmr"))) if "fmr" in at else ())
    )


def _as_measured(record: Record, weighting: str, measured: Mapping[Key, Record]) -> Text:
    """The index as its own analysis found it."""
    estimate = record.estimate
    at = at_key({key: value for key, value in estimate.at.items() if key not in ("index", "missing")})
    index = str(estimate.at["index"])
    places = [
        (estimate.provider, index, estimate.schema, estimate.group, kind, at) for kind in (weighting, None)
    ]
    return phrases.value(next((measured[place] for place in places if place in measured), None))


def mix(source: Source, schema: str) -> Table | None:
    """What the one threshold means under the declared mix, and the threshold that the mix needs."""
    records = source.select("fmr_mix", "fnmr_mix", "threshold_mix", schema=schema, primary=True)
    if not records:
        return None
    notes = Footnotes()
    measured = measured_by(source, "threshold_at_fmr")
    blocks = grouped_blocks(
        source,
        records,
        lambda record: record.estimate.at["fmr"],
        lambda here: _mix_row(source, here, measured, notes),
    )
    columns = header(
        ["At"],
        ["threshold", "FMR in the mix", "FNMR in the mix", "threshold that the mix needs", "FNMR there"],
    )
    parts: list[Part] = []
    for name, share in mapping(mapping(source.analysis(ANALYSIS).get("mix")).get(schema)).items():
        pointer = f"/spec/analyses/{ANALYSIS}/mix/{escape(schema)}/{escape(name)}"
        parts += [", " if parts else "", f"{source.label(schema, name)}: "]
        if isinstance(share, (int, float)):
            parts.append(phrases.number(formatting.exact(float(share)), pointer))
    caption = phrases.titled(
        f"Other shares of classes, by {spoken(schema)}:",
        *parts,
        ". ",
        words().robustness["mix"],
        methods_said(records, Target.POPULATION),
    )
    return build_table(name_of("robustness-mix-of-classes", schema), caption, columns, blocks, notes, "dense")


def _mix_row(
    source: Source, records: Sequence[Record], measured: Mapping[Key, Record], notes: Footnotes
) -> tuple[Text, ...]:
    here = {(record.estimate.metric, "threshold_of" in record.estimate.at): record for record in records}
    first = records[0]
    at = at_key({"fmr": first.estimate.at["fmr"]})
    key = (first.estimate.provider, "threshold_at_fmr", None, "all", source.weighting, at)
    return (
        point(first, "threshold_of"),
        phrases.value(measured.get(key), notes),
        _bounded(here.get(("fmr_mix", False)), notes),
        _bounded(here.get(("fnmr_mix", False)), notes),
        phrases.value(here.get(("threshold_mix", False)), notes),
        phrases.value(here.get(("fnmr_mix", True)), None),
    )


def measured_by(source: Source, *metrics: str, weightings: bool = False) -> dict[Key, Record]:
    """What other analyses found, by place; of both weightings if asked."""
    by_place: dict[Key, Record] = {}
    for record in source.select(*metrics, primary=not weightings):
        estimate = record.estimate
        whose = (estimate.provider, estimate.metric, estimate.schema, estimate.group, estimate.weighting)
        by_place[*whose, record.at] = record
    return by_place


def without(record: Record, *keys: str) -> AtKey:
    """The operating point without some of its keys."""
    return tuple((key, value) for key, value in record.at if key not in keys)


def point(record: Record, *keys: str) -> Text:
    """The operating point in words, without some of its keys."""
    at = {key: value for key, value in record.estimate.at.items() if key not in keys}
    return phrases.at_words(at, record.pointer)


def _bounded(record: Record | None, notes: Footnotes) -> Text:
    """The value, and its interval for the population below it."""
    value, bound = phrases.value(record, notes), None if record is None else record.bound(Target.POPULATION)
    if record is None or record.estimate.value is None or bound is None:
        return value
    return spans(value, phrases.BREAK, phrases.bounds(bound, record.estimate, notes))


def spoken(name: str | None) -> str:
    """A schema's name in words."""
    return (name or "").replace("_", " ")
