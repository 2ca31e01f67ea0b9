"""Robustness and limitations: who may be missing, on whom rates hang, label errors, what is unknown, another mix."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from frtaudit.core import Method
from frtaudit.core.canonical import mapping
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import Block, Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections import robustness_classes
from frtaudit.report.sections.robustness_classes import Key, measured_by, point, spoken, without
from frtaudit.report.sections.tables import (
    blocks_of_systems,
    build_table,
    by_provider,
    counted,
    header,
    provider,
)
from frtaudit.report.source import Record, Source, grouped
from frtaudit.report.words import words

ENDS = ("low", "high")
OF = {"comparisons": "those comparisons out", "people": "all comparisons of the two subjects out"}
ANALYSIS = "robustness"


@section("robustness", "Robustness and limitations", after="failures")
def build(source: Source) -> View:
    """Stands in every report: sentences; tables, one for each question, only where the analysis ran."""
    if not source.select("absent_kind"):
        return View(lead=(_runs(source),))
    built = (
        _absent(source),
        _worst(source),
        _alone(source),
        _labels(source),
        *(robustness_classes.bounds(source, schema) for schema in source.schemas),
        *(robustness_classes.mix(source, schema) for schema in source.schemas),
    )
    tables = tuple(table for table in built if table is not None)
    open_ended = any(record.estimate.numerator for record in source.select("fta", "unknown_subjects"))
    bounded = (
        bool(source.select("index_worst_case")) or not source.schemas
    )  # of classes: else nothing is known of them
    closed = [] if bounded or open_ended else [spans(words().robustness["no_unknown"])]
    unknown = [
        phrases.titled(
            f"Without a class under {spoken(record.estimate.schema)}:",
            phrases.counted(phrases.counts(record), "subject"),
            ".",
        )
        for record in source.select("unknown_subjects")
        if record.estimate.numerator
    ]
    return View(lead=(*unknown, *closed, _runs(source)), tables=tables)


def _runs(source: Source) -> Text:
    """Seed, B, the largest Monte Carlo error of a rate's bound, and what was declared of earlier runs."""
    spec, drawn = source.result.spec, mapping(source.result.spec.get("bootstrap"))
    parts: list[Part] = [phrases.bold(words().robustness["runs"])]
    parts += [" Seed ", phrases.number(str(spec.get("seed", 0)), "/spec/seed")]
    replicates = phrases.number(f"{drawn.get('B', 0):,}", "/spec/bootstrap/B")
    parts += [", B = ", replicates, " resamples. ", *_monte_carlo(source)]
    earlier = source.settings.earlier_runs or words().robustness["no_runs"]
    return spans(*parts, "Earlier runs on these data: ", earlier.rstrip("."), ".")


def _monte_carlo(source: Source) -> Text:
    """The rate's bound that would move most, beside the width of its interval, if the audit ran with another seed."""
    shares = [
        (bound.interval.mc_error / (bound.interval.high - bound.interval.low), record, bound)
        for record in source.select("fmr", "fnmr", "fnmr_at_fmr", primary=True)
        for bound in record.bounds
        if bound.interval.mc_error
        and bound.interval.low is not None
        and bound.interval.high is not None
        and bound.interval.high > bound.interval.low
        and bound.interval.method is not Method.WILSON_IID
    ]
    if not shares:
        return spans("No bound uses resamples. ")
    _, record, bounds = max(shares, key=lambda entry: entry[0])
    who = source.label(record.estimate.schema, record.estimate.group)
    return spans(
        "With another seed the bounds of rates would move by about their Monte Carlo error. It is largest, relative to "
        f"the width of the interval, for {record.estimate.provider}, {who}: "
        f"{phrases.metric(record.estimate.metric)} at ",
        phrases.at_words(record.estimate.at, record.pointer),
        ", ",
        phrases.level(bounds),
        " CI ",
        phrases.bounds(bounds, record.estimate),
        " (",
        phrases.method(bounds),
        ") with a Monte Carlo error of ",
        phrases.monte_carlo_error(bounds, record.estimate),
        ". ",
    )


def _absent(source: Source) -> Table:
    notes = Footnotes()
    rows = []
    for record in source.select("absent_kind"):
        missed = formatting.exact(float(record.estimate.at["missed"]))
        cells = (
            (phrases.group(source, record),),
            (phrases.whole(record.estimate.denominator or 0, f"{record.pointer}/denominator"),),
            phrases.value(record, notes),
            (phrases.number(missed, f"{record.pointer}/at/missed"),),
        )
        rows.append(cells)
    columns = header(
        ["Among"], ["Subjects (K)", "share of a kind of subject", "probability that it is absent"]
    )
    caption = phrases.titled("Kinds of subjects that may be absent.", words().robustness["absent"])
    return build_table("robustness-unseen-subjects", caption, columns, [Block(rows=tuple(rows))], notes)


def _worst(source: Source) -> Table | None:
    records = source.select("worst_share", "worst_involved", "heaviest_pair", primary=True)
    if not records:
        return None
    notes = Footnotes()

    def rows(every: list[Record]) -> Iterator[tuple[Text, ...]]:
        for here in _places(every, "subjects"):
            pair = {record.estimate.metric: record for record in here}
            first, *others = (pair["worst_share"], pair.get("worst_involved"), pair.get("heaviest_pair"))
            people = phrases.whole(int(first.estimate.at["subjects"]), f"{first.pointer}/at/subjects")
            yield point(first, "subjects"), (people,), *(counted(cell, notes) for cell in (first, *others))

    blocks = blocks_of_systems(source, records, rows)
    columns = header(
        ["At"],
        ["subjects", "share of false matches", "false matches with one of them", "largest share of one pair"],
    )
    share = source.analysis(ANALYSIS).get("worst")
    how = formatting.exact(float(share)) if isinstance(share, (int, float)) else ""
    number = TextSpan(text=how, pointer=f"/spec/analyses/{ANALYSIS}/worst", kind="n b")
    title = phrases.titled("The", number, phrases.bold(" of subjects with most false matches. "))
    caption = spans(title, words().robustness["worst"])
    return build_table("robustness-most-false-matches", caption, columns, blocks, notes, "dense")


def _alone(source: Source) -> Table | None:
    names = [f"{rate}_leave_one_out_{end}" for rate in ("fmr", "fnmr") for end in ENDS]
    records = source.select(*names, primary=True)
    if not records:
        return None
    notes = Footnotes()
    measured = measured_by(source, "fmr", "fnmr", "fnmr_at_fmr")
    blocks = []
    for _, system_records in by_provider(source, records):
        for here in _places(system_records, "line"):
            groups = grouped(here, lambda record: (record.estimate.schema, record.estimate.group))
            rows = tuple(_alone_row(source, group, names, measured, notes) for group in groups.values())
            blocks.append(Block(head=spans(provider(here[0]), "  at ", point(here[0], "line")), rows=rows))
    columns = header(
        ["Of"], (f"{rate}{end}" for rate in ("FMR", "FNMR") for end in ("", ", lowest", ", highest"))
    )
    caption = phrases.titled("Rates without one subject.", words().robustness["alone"])
    return build_table("robustness-leave-one-out", caption, columns, blocks, notes, "dense")


def _alone_row(
    source: Source,
    here: Sequence[Record],
    names: Sequence[str],
    measured: Mapping[Key, Record],
    notes: Footnotes,
) -> tuple[Text, ...]:
    by_name = {candidate.estimate.metric: candidate for candidate in here}
    first = here[0].estimate
    cells: list[Text] = [(phrases.group(source, here[0]),)]
    for rate, ends in (("fmr", names[:2]), ("fnmr", names[2:])):
        place = first.provider, first.schema, first.group, first.weighting, without(here[0], "line")
        keys = [(place[0], name, *place[1:]) for name in (rate, f"{rate}_at_fmr")]
        record = next((measured[key] for key in keys if key in measured), None)
        cells.append(phrases.value(record))
        cells += [_with_line(by_name.get(name), record, notes) for name in ends]
    return tuple(cells)


def _with_line(record: Record | None, like: Record | None, notes: Footnotes) -> Text:
    if record is None:
        return phrases.DASH
    shown = phrases.value(record, notes, like=None if like is None else like.estimate)
    if "line" not in record.estimate.at:
        return shown
    number = formatting.count(int(record.estimate.at["line"]))
    line = TextSpan(text=number, pointer=f"{record.pointer}/at/line", kind="n soft")
    return spans(shown, phrases.BREAK, TextSpan(text="line ", kind="soft"), line)


def _labels(source: Source) -> Table | None:
    records = source.select("fmr_label_errors", "fmr_reviewed")
    if not records:
        return None
    notes = Footnotes()
    blocks = []
    for name, system_records in by_provider(source, records):
        taken = [candidate for candidate in system_records if candidate.estimate.metric == "fmr_label_errors"]
        rows = []
        for here in _places(taken, "of"):
            by_kind = {str(candidate.estimate.at["of"]): candidate for candidate in here}
            number = phrases.whole(
                int(here[0].estimate.at["label_errors"]), f"{here[0].pointer}/at/label_errors"
            )
            of = spans("top ", number, " at ", point(here[0], "of", "label_errors"))
            rows.append((of, *(counted(by_kind.get(kind), notes) for kind in OF)))
        for record in system_records:
            if record.estimate.metric == "fmr_reviewed":
                of = spans("label errors found by review, at ", point(record))
                rows.append((of, phrases.DASH, counted(record, notes)))
        reviewed = [
            record
            for record in source.select("reviewed_label_errors")
            if record.estimate.provider == name and record.estimate.value is not None
        ]
        counts: list[Part] = (
            ["  of the reviewed pairs one person: ", *phrases.counts(reviewed[0])] if reviewed else []
        )
        blocks.append(Block(head=spans(provider(system_records[0]), *counts), rows=tuple(rows)))
    columns = header(["Treated as one person"], (f"FMR, {of}" for of in OF.values()))
    title = "Rates if the pairs with the highest scores are label errors."
    caption = phrases.titled(title, words().robustness["labels"])
    return build_table("robustness-label-errors", caption, columns, blocks, notes)


def _places(records: Iterable[Record], *keys: str) -> list[list[Record]]:
    """Records that stand at one operating point, in the order of the points."""
    return list(grouped(records, lambda record: without(record, *keys)).values())
