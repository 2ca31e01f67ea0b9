"""The first page: who asked what, the verdicts, the group with the highest rate, what cannot be shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from frtaudit.core import Target, Verdict
from frtaudit.core.canonical import mapping
from frtaudit.core.findings import verdict_counts
from frtaudit.core.spec import Report
from frtaudit.core.text import formatting
from frtaudit.report import phrases
from frtaudit.report.pieces import (
    Block,
    Figure,
    Footnotes,
    Part,
    Table,
    Text,
    TextSpan,
    commas,
    listed,
    plain_text,
    spans,
)
from frtaudit.report.sections import (
    answer,
    collected,
    data_warnings,
    differences,
    front,
    label_notice,
    licences,
    profiles,
    publication,
    terms,
    two_dates,
    vendor_choice,
)
from frtaudit.report.sections.operating_points import main_target, overall, targets_of, worst_group
from frtaudit.report.sections.tables import header
from frtaudit.report.sections.verdicts import (
    ORDER,
    FindingRow,
    all_finding_rows,
    record_of,
    requirement_rows,
)
from frtaudit.report.source import OF_SUBJECTS, Record, Source
from frtaudit.report.words import display_name, words

NOT_DECLARED = "not declared"
SAMPLED_FROM = "the population that the test subjects were sampled from"
FIRST_PAGE_LINES = 18  # verdicts and the requirements above them: what one sheet holds with all the rest
MAX_FURTHER = 40  # findings that have no room there, in a table behind it
NAME_LENGTH = 23  # of a system and its group, on a line of the table of findings
FIRST_PAGE_ANSWER, LINE_LENGTH, MIN_LINES = 14, 115, 3  # lines of the answer beside which they have room
HEAD_LINES = 5  # of the question and the facts below it, for which there is room
FIGURE_LINES = 20  # of answer and verdicts together, below which the figure has room
FIRST_PAGE_SYSTEMS = 8
FIRST_PAGE_SCHEMAS, FIRST_PAGE_CLASSES = 2, 8
HEADLINE_TARGETS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The view of the first page."""

    declared: tuple[tuple[str, str, bool], ...]
    facts: tuple[tuple[str, Text], ...]
    question: Text
    undeclared: str
    answers: tuple[Text, ...]
    tally: tuple[tuple[str, str, str], ...]
    requirement_rows: tuple[list[FindingRow], ...]
    further: tuple[list[FindingRow], ...]
    more: str
    cut: int
    withheld: Text
    alike: Table | None
    choice: vendor_choice.Choice | None
    changed: tuple[Text, ...]
    labels: Text
    collected: tuple[Text, ...]
    worst: Text
    warnings: tuple[Text, ...]
    headline: Table | None
    figure: Figure | None
    terms: tuple[tuple[str, Text], ...]
    abbreviations: tuple[tuple[str, str], ...]
    cannot: tuple[str, ...]


def build(source: Source, settings: Report, date: str) -> Summary:
    """Everything that stands before the contents."""
    finding_rows = all_finding_rows(source)
    answers, warnings = answer.sentences(source, finding_rows), data_warnings.warnings(source)
    worst, choice = worst_group(source), vendor_choice.choice(source)
    question, facts = _question(source), tuple(_facts(source))
    declared = _declared(settings, date, source.sha256)
    head = sum(map(_lines, (question, *(text for _, text in facts)))) - HEAD_LINES
    above = head + sum(map(_lines, (*answers, *warnings[:2], worst))) + _lines_of(choice)
    shown = _shown(finding_rows, above)
    further = tuple(row for row in finding_rows if row not in shown)
    return Summary(
        declared=declared,
        facts=facts,
        question=question,
        undeclared=", ".join(name.lower() for name, _, known in declared if not known),
        answers=answers,
        tally=_outcomes(source),
        requirement_rows=requirement_rows(shown),
        further=requirement_rows(further[:MAX_FURTHER]),
        more=_tally(further),
        cut=max(len(further) - MAX_FURTHER, 0),
        withheld=publication.findings_left_out(source),
        alike=differences.headline(source, main_target(source)),
        choice=choice,
        changed=two_dates.answers(source),
        labels=label_notice.notice(source),
        collected=collected.notice(source),
        worst=worst,
        warnings=warnings,
        headline=headline(source),
        figure=front.figure(source) if above + len(shown) <= FIGURE_LINES else None,
        terms=terms.terms(source),
        abbreviations=(
            *terms.abbreviations((*answers, worst, *(row.condition for row in shown))),
            *terms.step_down(source, (row.bound for row in shown)),
            *terms.adjustments(source, (*answers, worst)),
        ),
        cannot=(*((label_notice.UNNAMED,) if label_notice.estimated(source) else ()), *words().cannot_show),
    )


def _outcomes(source: Source) -> tuple[tuple[str, str, str], ...]:
    """How many findings have each outcome, with its word; "not testable" only where there are any."""
    counts = verdict_counts(source.result.findings)
    return tuple(
        (outcome.value, str(counts[outcome.value]), display_name(words().verdict, outcome.value))
        for outcome in ORDER
        if counts[outcome.value] or outcome is not Verdict.NOT_TESTABLE
    )


def _declared(settings: Report, date: str, digest: str) -> tuple[tuple[str, str, bool], ...]:
    fields = (
        ("Commissioned by", settings.commissioner),
        ("Purpose", settings.purpose),
        ("Organisation", settings.organisation),
        ("Auditor", settings.auditor),
        ("System and version", settings.system_version),
        ("Reference", settings.reference),
        ("Date", date),
        ("Result", f"sha256 {digest[:16]}"),
    )
    return tuple((name, text or NOT_DECLARED, bool(text)) for name, text in fields)


def _shown(finding_rows: tuple[FindingRow, ...], above: int) -> tuple[FindingRow, ...]:
    """The finding_rows that the first page has room for below so many lines, each requirement taking a line of its own.

    Where not all have room, inconclusive ones have it first: the sentences give the numbers of failures, not theirs. A
    single one more is printed: the line that says so would take as much.
    """
    room = max(FIRST_PAGE_LINES - max(0, above - FIRST_PAGE_ANSWER), MIN_LINES)
    names: set[str] = set()
    taken = 0
    for count, finding in enumerate(
        wanted := sorted(finding_rows, key=lambda row: row.code != Verdict.INCONCLUSIVE.value)
    ):
        names.add(finding.requirement.text)
        taken += _lines(finding.who, NAME_LENGTH)
        if taken + len(names) > room and len(finding_rows) - count > 1:
            places = {row.index for row in wanted[:count]}
            return tuple(row for row in finding_rows if row.index in places)
    return finding_rows


def _tally(rows: Sequence[FindingRow]) -> str:
    """``6 more (5 fail, 1 inconclusive)``; empty without any."""
    left = Counter(row.code for row in rows)
    outcomes = ", ".join(
        f"{left[v.value]} {display_name(words().verdict, v.value)}" for v in ORDER if left[v.value]
    )
    return f"{left.total()} more ({outcomes})" if outcomes else ""


def _lines(text: Text, length: int = LINE_LENGTH) -> int:
    """How many lines of the first page a text takes, of so many letters each."""
    return -(-len(plain_text(text)) // length)


def _lines_of(choice: vendor_choice.Choice | None) -> int:
    """How many lines of the first page a choice takes: its sentences, and two for each system of its table."""
    if choice is None:
        return 0
    sentences = choice.sentence, choice.table.caption, choice.tied
    return sum(map(_lines, sentences)) + 2 * sum(len(block.rows) for block in choice.table.blocks)


def _facts(source: Source) -> Iterator[tuple[str, Text]]:
    """Which systems, which people, and for whom the verdicts hold."""
    first = {record.estimate.provider: f"{record.pointer}/provider" for record in reversed(source.records)}
    systems = [phrases.bold(name, first.get(name)) for name in source.providers[:FIRST_PAGE_SYSTEMS]]
    if systems:
        rest = len(source.providers) - len(systems)
        more: list[Part] = [f" and {rest} more"] if rest else []
        yield "Systems", spans(listed(systems) if not rest else commas(systems), *more)
    people = _people(source)
    if people:
        yield "Subjects", people
    restricted = licences.notice(source)
    if restricted:
        yield "Licence", restricted
    deciding = [
        bound
        for finding in source.result.findings
        if (record := record_of(source, finding)) is not None
        and finding.bound is not None
        and (bound := record.bound(Target.POPULATION)) is not None
    ]
    if deciding:
        yield "Verdicts hold for", spans(replace(phrases.target(deciding[0]), text=SAMPLED_FROM), ".")
    limits = profiles.named(source)
    if limits:
        yield "Limits of", limits


def _people(source: Source) -> Text:
    """How many people and images there are, and how many people each class has."""
    cohort = source.result.cohort
    if cohort.get("subjects") == 0:  # score files that name nobody
        return spans("not named in the data")
    people, images = (source.counted(cohort, "/cohort", key) for key in ("subjects", "samples"))
    if mapping(source.result.spec.get("cohort")).get("type") == "attempts":
        images = ()  # a sample stands for an attempt or a reference
    sizes = (phrases.counted(people, "subject"), phrases.counted(images, "image"))
    parts: list[Part] = [*commas([size for size in sizes if size])]
    for schema in source.judged_schemas[:FIRST_PAGE_SCHEMAS]:
        classes = [
            spans(f"{source.label(schema, str(row.get('group')))}: ", text_spans)
            for index, row in enumerate(source.counts(schema))
            if (text_spans := source.people(schema, str(row.get("group"))))
            and row.get("subjects")
            and index < FIRST_PAGE_CLASSES
        ]
        rest = any(row.get("subjects") != 0 for row in source.counts(schema)[FIRST_PAGE_CLASSES:])
        if classes:
            parts += [f"; by {schema.replace('_', ' ')} (", commas(classes), ", …)" if rest else ")"]
    further = [schema.replace("_", " ") for schema in source.judged_schemas[FIRST_PAGE_SCHEMAS:]]
    parts += ["; by ", listed(further)] if parts and further else []
    return spans(*parts)


def _question(source: Source) -> Text:
    asked = str(source.result.spec.get("question") or "").strip()
    return (TextSpan(text=asked, pointer="/spec/question"),) if asked else ()


def headline(source: Source) -> Table | None:
    """FNMR of every system at each FMR target, with the interval for the population."""
    targets = targets_of(source)[-HEADLINE_TARGETS:]
    records = overall(source, "fnmr_at_fmr")
    if not targets or not records:
        return None
    notes, lines, rows = Footnotes(), label_notice.lines(source), []
    for provider in source.providers:
        by_target = {
            float(record.estimate.at["fmr"]): record
            for record in records
            if record.estimate.provider == provider
        }
        if by_target:
            first = next(iter(by_target.values()))
            name = phrases.bold(provider, f"{first.pointer}/provider")
            cells = (
                _headline_cell(by_target.get(target), notes, lines.get((provider, target), ()))
                for target in targets
            )
            rows.append(((name,), *cells))
    titles = []
    for target in targets:
        inverse = formatting.one_in(target)
        titles.append(f"FNMR at FMR {formatting.exact(target)}" + (f" ({inverse})" if inverse else ""))
    return Table(
        name="headline",
        caption=_headline_caption(source, records),
        columns=header(["System"], titles),
        blocks=(Block(rows=tuple(rows)),),
        notes=notes.all(),
        kind="headline",
    )


def _headline_cell(record: Record | None, notes: Footnotes, with_labels: Text) -> Text:
    """A rate and its interval, below them its counts, or a line on the pooled rate with label errors."""
    if record is None:
        return phrases.DASH
    bound = record.bound(*OF_SUBJECTS)
    lines: list[Part] = [*phrases.styled(phrases.value(record, notes), "big")]
    if bound is not None:
        lines += ["   ", *phrases.bounds(bound, record.estimate, notes)]
    if with_labels or record.estimate.numerator is not None:
        lines += [phrases.BREAK, *(with_labels or phrases.styled(phrases.counts(record), "soft"))]
    return spans(*lines)


def _headline_caption(source: Source, records: list[Record]) -> Text:
    first = next((bound for record in records if (bound := record.bound(*OF_SUBJECTS)) is not None), None)
    base = (
        "FNMR: the share of comparisons of two images of one subject that do not match. Thresholds are set for "
        f"the FMR target; {display_name(words().weighting, source.weighting)}. Beside each rate: its interval. "
        f"{label_notice.second_line(source)}."
    )
    intervals: list[Part] = []
    if first is not None:
        level, method, target = phrases.level(first), phrases.method(first), phrases.target(first)
        intervals = [" Intervals: ", level, ", ", method, ", for ", target, "."]
    return spans(base, *intervals, label_notice.caption(source))
