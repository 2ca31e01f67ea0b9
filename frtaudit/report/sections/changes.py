"""What changed since the last audit: every requirement's number then and now, and what is not comparable."""

from collections.abc import Iterator

from frtaudit.core import AuditResult, Finding, Target
from frtaudit.core.canonical import Json, mapping
from frtaudit.core.result import Previous
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, headed, header, provider
from frtaudit.report.sections.verdicts import record_of
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

SHOWN = 16
COLUMNS = (
    *header(["System, group"], ["Then"]),
    *header(["Verdict then"], ["Now"]),
    *header(["Verdict now", "The estimate is"]),
)
PARTS = (
    ("seed", "another seed"),
    ("weighting", "another primary weighting"),
    ("protocol", "another pairing of comparisons"),
    ("thresholds", "other thresholds"),
    ("schemas", "other groups"),
    ("bootstrap", "other settings of the bootstrap: B, alpha or strata"),
    ("intervals", "other kinds of intervals"),
    ("failures", "another rule for failed comparisons"),
)


@section("changes", "Since the last audit", after="publication")
def build(source: Source) -> View | None:
    """None where no earlier audit was given."""
    previous = source.previous
    if previous is None:
        return None
    lead = spans(
        "The last audit is the result ",
        phrases.code(previous.sha256[:SHOWN]),
        "; the PDF contains it as " if source.settings.pdf else "; it stands beside this page as ",
        phrases.code("previous.json"),
        ". This comparison is not a test of a change: each interval holds for its own audit.",
    )
    caveats = tuple(spans(text) for text in _caveats(source, previous))
    table = None if previous.result is None else _table(source, previous.result)
    return View(lead=(lead,), verdicts=caveats, main=() if table is None else (table,))


def _caveats(source: Source, previous: Previous) -> Iterator[str]:
    """What keeps the two audits from being compared number by number, in sentences."""
    now, then = source.result, previous.result
    if then is None:
        yield (
            f"The last result is of schema version {previous.schema_version}, this one of {now.schema_version}: no "
            "number of it is compared."
        )
        return
    if then.digests.get("cohort") != now.digests.get("cohort"):
        yield (
            "Not the same subjects or images: the cohort's digest differs. A change may come from them, not from a "
            "system."
        )
    for key, difference in PARTS:
        if _text(then.spec.get(key)) != _text(now.spec.get(key)):
            yield f"The last audit had {difference}."
    if then.versions.get("frtaudit") != now.versions.get("frtaudit"):
        yield "The last audit was made by another version of frtaudit."
    before, after = set(Source(then).providers), set(source.providers)
    for gone in sorted(before - after):
        yield f"{gone} was audited then, but not now."
    for new in sorted(after - before):
        yield f"{new} was not audited then."
    yield from _limits(now, then)


def _limits(now: AuditResult, then: AuditResult) -> Iterator[str]:
    limits = {finding.requirement: finding.limit for finding in then.findings}
    for name in dict.fromkeys(finding.requirement for finding in now.findings):
        if name not in limits:
            yield f"“{name}” was not required then."
        elif limits[name] != next(finding.limit for finding in now.findings if finding.requirement == name):
            yield f"“{name}” had another limit."
    for name in dict.fromkeys(
        limit for limit in limits if limit not in {f.requirement for f in now.findings}
    ):
        yield f"“{name}” was required then, but not now."


def _text(value: Json) -> str:
    return repr(sorted(mapping(value).items())) if mapping(value) else repr(value)


def _table(source: Source, then: AuditResult) -> Table | None:
    """A row for each finding of now, by requirement."""
    known = {(record.estimate.metric, *record.estimate.place): record for record in Source(then).records}
    verdicts = {
        (finding.requirement, judged.metric, *judged.place): finding
        for finding in then.findings
        if (judged := then.judged(finding)) is not None
    }
    notes = Footnotes()
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for index, finding in enumerate(source.result.findings):
        record = record_of(source, finding)
        if record is None:
            continue
        key = (record.estimate.metric, *record.estimate.place)
        row = _row(source, record, index, known.get(key), verdicts.get((finding.requirement, *key)))
        blocks.setdefault(finding.requirement, []).append(row)
    if not blocks:
        return None
    caption = phrases.titled(
        "Then and now.",
        "The estimate of each requirement, its interval for the population, errors / trials. A dash: the last "
        "audit has no such number.",
    )
    return build_table("changes", caption, COLUMNS, headed(blocks), notes, "dense")


def _row(
    source: Source, record: Record, index: int, old: Record | None, verdict: Finding | None
) -> tuple[Text, ...]:
    who: list[Part] = [provider(record)]
    if record.estimate.group != "all":
        who += [", ", phrases.group(source, record)]
    code = source.result.findings[index].verdict.value
    now = phrases.bold(display_name(words().verdict, code), f"/findings/{index}/verdict")
    then = "–" if verdict is None else display_name(words().verdict, verdict.verdict.value)
    before, after = None if old is None else old.estimate.value, record.estimate.value
    if before is None or after is None:
        direction = "–"
    elif after == before:
        direction = "the same"
    else:
        direction = "higher" if after > before else "lower"
    return (
        spans(*who),
        phrases.DASH if old is None else _earlier(_numbers(old)),
        spans(then),
        _numbers(record),
        (now,),
        spans(direction),
    )


def _numbers(record: Record) -> Text:
    """Value, interval for the population, counts, each on a line of its own."""
    bound = record.bound(Target.POPULATION)
    parts: list[Part] = [phrases.value(record)]
    if bound is not None and bound.interval.low is not None:
        parts += [phrases.BREAK, phrases.bounds(bound, record.estimate)]
    if record.estimate.numerator is not None:
        parts += [phrases.BREAK, phrases.counts(record)]
    return spans(*parts)


def _earlier(text: Text) -> Text:
    """The same pieces with their pointers into the last result."""
    return tuple(
        TextSpan(
            text=piece.text,
            kind=f"{piece.kind} soft".strip() if piece.kind != "br" else "br",
            was=piece.pointer,
        )
        for piece in text
    )
