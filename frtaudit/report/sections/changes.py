"""What changed since the last audit: every requirement's number then and now, and what is not comparable."""

import math
from collections.abc import Iterator

from frtaudit.core import AuditResult, Estimate, Finding, Target
from frtaudit.core.canonical import Json, entries, mapping
from frtaudit.core.result import Previous
from frtaudit.core.spec import ThresholdSource
from frtaudit.report import phrases
from frtaudit.report.pieces import Footnotes, Part, Table, Text, TextSpan, spans
from frtaudit.report.section import View, section
from frtaudit.report.sections.tables import build_table, headed, header, provider
from frtaudit.report.sections.verdicts import record_of
from frtaudit.report.source import Record, Source
from frtaudit.report.words import display_name, words

SHOWN, ROUNDING = 16, 1e-12
NAMES = frozenset({"name", "recommended"})  # of a threshold
MOVES = frozenset({"threshold", "version"})  # and what may be another under its name
ASKED = ("metric", "of", "at", "schema", "group", "weighting", "sense", "strict", "sided", "level", "minimum")
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
    if "publication" in then.cohort:
        yield (
            "The last result is a publishable variant: whether its subjects and images are these cannot be told, and "
            "some of its numbers are withheld."
        )
    elif then.digests.get("cohort") != now.digests.get("cohort"):
        yield (
            "Not the same subjects or images: the cohort's digest differs. A change may come from them, not from a "
            "system."
        )
    for key, difference in PARTS:
        if _text(then.spec.get(key)) != _text(now.spec.get(key)):
            yield f"The last audit had {difference}."
    yield from _moved(now, then)
    if then.versions.get("frtaudit") != now.versions.get("frtaudit"):
        yield "The last audit was made by another version of frtaudit."
    before, after = set(Source(then).providers), set(source.providers)
    for gone in sorted(before - after):
        yield f"{gone} was audited then, but not now."
    for new in sorted(after - before):
        yield f"{new} was not audited then."
    yield from _limits(now, then)


def _moved(now: AuditResult, then: AuditResult) -> Iterator[str]:
    """Thresholds from elsewhere that have another value now."""
    before, after = _named(then), _named(now)
    for provider_name, name in sorted(set(before) & set(after)):
        if before[provider_name, name] != after[provider_name, name]:
            yield f"The threshold “{name}” of {provider_name} had another value."


def _named(result: AuditResult) -> dict[tuple[str, str], object]:
    """Provider and name of each threshold that was not chosen on the data, with its value."""
    return {
        (estimate.provider, str(estimate.at[key])): estimate.at["threshold"]
        for estimate in result.estimates
        if "threshold" in estimate.at and estimate.at.get("source") != ThresholdSource.SAME_DATA.value
        for key in sorted(NAMES & set(estimate.at))
    }


def _asked(result: AuditResult) -> dict[str, str]:
    """What each requirement is about, but for its limit."""
    requirements = [mapping(requirement) for requirement in entries(result.spec.get("requirements"))]
    return {str(each.get("name")): repr([_text(each.get(key)) for key in ASKED]) for each in requirements}


def _limits(now: AuditResult, then: AuditResult) -> Iterator[str]:
    limits = {finding.requirement: finding.limit for finding in then.findings}
    before, after = _asked(then), _asked(now)
    for name in dict.fromkeys(finding.requirement for finding in now.findings):
        if name not in limits:
            if name not in before:  # a publishable variant may withhold what was found
                yield f"“{name}” was not required then."
            continue
        if limits[name] != next(finding.limit for finding in now.findings if finding.requirement == name):
            yield f"“{name}” had another limit."
        if before.get(name) != after.get(name):
            yield f"“{name}” was about something else: its metric, operating point, group or rule differs."
    for name in dict.fromkeys(
        limit for limit in limits if limit not in {f.requirement for f in now.findings}
    ):
        yield f"“{name}” was required then, but not now."


def _text(value: Json) -> str:
    return repr(sorted(mapping(value).items())) if mapping(value) else repr(value)


def _key(estimate: Estimate) -> tuple[object, ...]:
    """What an estimate is of in both audits: a threshold with a name is the same one, whatever its value."""
    provider, weighting, schema, group, _ = estimate.place
    named = NAMES & set(estimate.at)
    at = tuple((key, value) for key, value in sorted(estimate.at.items()) if not (named and key in MOVES))
    return estimate.metric, provider, weighting, schema, group, at


def _table(source: Source, then: AuditResult) -> Table | None:
    """A row for each finding of now, by requirement; below it what a requirement was judged on then, and no more."""
    before = Source(then)
    known = {_key(record.estimate): record for record in before.records}
    earlier = {
        (finding.requirement, _key(judged)): finding
        for finding in then.findings
        if (judged := then.judged(finding)) is not None
    }
    notes = Footnotes()
    blocks: dict[str, list[tuple[Text, ...]]] = {}
    for index, finding in enumerate(source.result.findings):
        record = record_of(source, finding)
        rows = blocks.setdefault(finding.requirement, [])
        if record is not None:
            key = _key(record.estimate)
            old, verdict = known.get(key), earlier.pop((finding.requirement, key), None)
            row = (
                _who(source, record),
                *_then(old, verdict),
                _numbers(record),
                *_now(source, index, record, old),
            )
            rows.append(row)
    for (requirement, key), finding in earlier.items():
        if requirement in blocks and key in known:
            record = known[key]
            at = phrases.at_words(record.estimate.at, record.pointer)
            who = _earlier(spans(_who(before, record), ", ", at) if at else _who(before, record))
            blocks[requirement].append(
                (who, *_then(known[key], finding), phrases.DASH, *_gone(source, requirement))
            )
    blocks = {requirement: rows for requirement, rows in blocks.items() if rows}
    if not blocks:
        return None
    caption = phrases.titled(
        "Then and now.",
        "The estimate of each requirement, its interval for the population, errors / trials. A dash: that audit has no "
        "such number.",
    )
    return build_table("changes", caption, COLUMNS, headed(blocks), notes, "dense")


def _who(source: Source, record: Record) -> Text:
    who: list[Part] = [provider(record)]
    if record.estimate.group != "all":
        who += [", ", phrases.group(source, record)]
    return spans(*who)


def _then(old: Record | None, verdict: Finding | None) -> tuple[Text, Text]:
    code = None if verdict is None else verdict.verdict.value
    numbers = phrases.DASH if old is None else _earlier(_numbers(old))
    return numbers, phrases.DASH if code is None else spans(display_name(words().verdict, code))


def _now(source: Source, index: int, record: Record, old: Record | None) -> tuple[Text, Text]:
    """The verdict of a finding, and where its estimate went."""
    before, after = None if old is None else old.estimate.value, record.estimate.value
    if before is None or after is None:
        direction = "–"
    elif math.isclose(after, before, rel_tol=ROUNDING):
        direction = "the same"
    else:
        direction = "higher" if after > before else "lower"
    return (_verdict(source, index),), spans(direction)


def _gone(source: Source, requirement: str) -> tuple[Text, Text]:
    """The verdict on a requirement that nothing estimates now; a dash where it is judged on something else."""
    findings = enumerate(source.result.findings)
    index = next(
        (n for n, each in findings if each.requirement == requirement and each.estimate is None), None
    )
    return phrases.DASH if index is None else (_verdict(source, index),), phrases.DASH


def _verdict(source: Source, index: int) -> TextSpan:
    code = source.result.findings[index].verdict.value
    return phrases.bold(display_name(words().verdict, code), f"/findings/{index}/verdict")


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
