"""The publishable variant of a result: a second, smaller result in which no small class of people can be counted.

The rule. A cell is a number of people: a class of a schema, ``unknown`` among them. A class of 1 to ``minimum`` - 1
people (or of so few with two images) is withheld whole: its counts, its rates, its curves, its findings. Further
classes are withheld until the published counts leave every withheld one at least ``minimum`` values that it may have
(:mod:`frtaudit.stats.disclosure`, over :mod:`frtaudit.pipeline.publishable.linked_tables`). Then every other number
that adds up over classes (images, comparisons, errors, correct decisions) is held against the same system: where a
total and the classes that stand would bound a withheld class more narrowly, the number is printed for no class. What
mixes the classes of a schema (indices, differences, curves, tests) goes with the first class that is withheld.

What is not known to be safe is left out: metrics and curves that are not listed here, digests of files that hold
labels (who knows all labels but one could try them), names, what a note says of one pair of people, free text with
numbers. Counts of errors and of failures stay where their class stays: they count decisions, not people. Two variants
of one audit with two minima, or of two nearly equal cohorts, can be subtracted from each other; no rule for one
result can prevent that.

:mod:`frtaudit.pipeline.publishable.withheld` finds what is withheld; here each part of a result follows.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from frtaudit.core import AuditResult, Estimate, Finding, LedgerEntry
from frtaudit.core.canonical import Json, digest, entries, mapping
from frtaudit.core.metrics import Published, published_as
from frtaudit.evaluation.operating_points import ONE_PAIR
from frtaudit.evaluation.requirement_findings import alone
from frtaudit.pipeline.publishable.overlaps import People
from frtaudit.pipeline.publishable.withheld import (
    PEOPLE,
    SAMPLES,
    TWO,
    Withheld,
    key_of,
    rows_of,
    withheld_in,
)

MINIMUM = 10
KINDS = (PEOPLE, SAMPLES, TWO)
CURVES = frozenset({"roc", "det", "fmr", "fnmr", "tar", "tar_difference"})
_NUMBERED = re.compile(r"(?<![\w.])\d")
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,40}")
OTHER = "other_reason"  # stands for reasons of failures that are no codes
_OPENINGS = ("requirements are judged at alpha", "alpha (B + 1)")


def published(
    result: AuditResult, link: str, minimum: int = MINIMUM, people: People | None = None
) -> AuditResult:
    """The publishable variant; ``link``: sha256 of the full report's statement, which a reader may ask to see.

    ``people``: the cohort's subjects; they show which classes contain those of another schema.

    Raises :class:`DataError` for a cohort of fewer than ``minimum`` people, or where its small classes cannot be
    hidden.
    """
    withheld = withheld_in(result, minimum, people)
    indices = [index for index, estimate in enumerate(result.estimates) if _stands(estimate, withheld)]
    place = {old: new for new, old in enumerate(indices)}
    curves = tuple(
        curve for curve in result.curves if curve.analysis in CURVES and not withheld.touches(curve.schema)
    )
    findings = tuple(_findings(result, place, withheld))
    ledger = tuple(_ledger(result.failures, withheld, minimum))
    names = names_of(result)
    notes = tuple(note for note in result.notes if _is_plain(note) and not holds(note, names))
    left_out: dict[str, Json] = {
        "estimates": len(result.estimates) - len(indices),
        "curves": len(result.curves) - len(curves),
        "findings": len(result.findings) - len(findings),
        "failures": len(result.failures) - len(ledger),
        "notes": len(result.notes) - len(notes),
    }
    spec = _spec(result, names)
    collected = _scrubbed(_collected(mapping(result.cohort.get("collection"))), names)
    cohort = {
        **_cohort(result.cohort, withheld),
        **({"collection": collected} if "collection" in result.cohort else {}),
        **({"templates": _scrubbed(_made(result.cohort), names)} if "templates" in result.cohort else {}),
        "publication": _record(withheld, minimum, left_out),
    }
    return AuditResult(
        spec=spec,
        digests={"spec": digest(spec), "cohort": digest(cohort), "inputs": {}, "full": link},
        versions=result.versions,
        estimates=tuple(_alone(result.estimates[index], withheld) for index in indices),
        curves=curves,
        findings=findings,
        failures=ledger,
        cohort=cohort,
        notes=notes,
        schema_version=result.schema_version,
    )


def _spec(result: AuditResult, names: frozenset[str]) -> dict[str, Json]:
    """The spec without names; its requirements have the words of their findings, and no other text with a name."""
    read = {"type": mapping(result.spec.get("cohort")).get("type")}  # shares and sizes of a cohort are counts
    asked = [mapping(each) for each in entries(result.spec.get("requirements"))]
    required: list[Json] = [
        {
            **each,
            **mapping(_scrubbed({key: each[key] for key in ("source", "profile") if key in each}, names)),
        }
        for each in asked
    ]
    scrubbed = _scrubbed(dict(result.spec) | {"cohort": read, "inputs": {}}, names)
    return {**mapping(scrubbed), "requirements": required}


def names_of(result: AuditResult) -> frozenset[str]:
    """Names that a publication may not hold: files read and written, and samples that failures name."""
    files = [name for part in ("inputs", "outputs") for name in mapping(result.digests.get(part))]
    bare = [name.rsplit("/", 1)[-1] for name in files]
    return frozenset({*files, *bare, *(name for entry in result.failures for name in entry.names)} - {""})


def _stands(estimate: Estimate, withheld: Withheld) -> bool:
    """Whether an estimate is published."""
    how = published_as(estimate.metric)
    if how is None or withheld.touches(estimate.at.get("schema")):
        return False
    if estimate.schema is None or not withheld.touches(estimate.schema):
        return True
    is_class = "|" not in estimate.group and estimate.group not in ("all", "max")
    is_shown = is_class and estimate.group not in withheld.classes[estimate.schema]
    return (
        is_shown
        and how is not Published.WHOLE
        and estimate.denominator is not None
        and key_of(estimate) not in withheld.numbers
    )


def _alone(estimate: Estimate, withheld: Withheld) -> Estimate:
    """The estimate without what its notes say of a withheld class, or of one pair of people."""
    intervals = tuple(
        replace(interval, note=_published(interval.note, withheld, absent=interval.low is None))
        for interval in estimate.intervals
    )
    return replace(
        estimate, intervals=intervals, note=_published(estimate.note, withheld, absent=estimate.value is None)
    )


def _published(note: str | None, withheld: Withheld, *, absent: bool) -> str | None:
    """What is published of the note of a number; ``absent``: there is no number, so a note stands in any case."""
    remaining = None if note is None else note.partition(ONE_PAIR)[0].removesuffix("; ")
    if remaining == note and not _says(note, withheld):
        return note
    left = None if _says(remaining, withheld) else remaining
    return left or ("withheld" if absent else None)


def _says(text: str | None, withheld: Withheld) -> bool:
    return text is not None and any(
        re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for name in withheld.words
    )


def _findings(result: AuditResult, place: Mapping[int, int], withheld: Withheld) -> Iterator[Finding]:
    """Findings whose estimate is published; without what Holm's family says of the others."""
    whole = not any(withheld.classes.values())
    for finding in result.findings:
        if finding.index is None:
            if whole:
                yield finding
            continue
        index = place.get(finding.index)
        if index is None:
            continue
        moved = replace(finding, estimate=f"/estimates/{index}")
        yield moved if whole else alone(moved)


def _ledger(entries: Sequence[LedgerEntry], withheld: Withheld, minimum: int) -> Iterator[LedgerEntry]:
    """Lines without names; none by class of a touched schema; none of a kind that counts few people anywhere.

    A reason that is no code but free text, which may name somebody, counts as :data:`OTHER`.
    """
    counts: Counter[LedgerEntry] = Counter()
    few = {(line.provider, line.code) for line in entries if line.unit == PEOPLE and 0 < line.count < minimum}
    for ledger_entry in entries:
        counted = ledger_entry.unit == PEOPLE and (ledger_entry.provider, ledger_entry.code) in few
        if not counted and not (ledger_entry.schema is not None and withheld.touches(ledger_entry.schema)):
            code = ledger_entry.code if _CODE.fullmatch(ledger_entry.code) else OTHER
            counts[replace(ledger_entry, code=code, count=0, names=())] += ledger_entry.count
    for line, count in counts.items():
        yield replace(line, count=count)


def _cohort(cohort: Mapping[str, Json], withheld: Withheld) -> dict[str, Json]:
    """The counts of the cohort; null where they are withheld. Steps of sanitization count people: left out."""
    schemas: dict[str, Json] = {}
    for name, counted in mapping(cohort.get("schemas")).items():
        small = withheld.classes.get(name, frozenset())
        rows: list[Json] = [
            dict(row) | dict.fromkeys(KINDS if str(row.get("group")) in small else sorted(withheld.hidden))
            for schema, row in rows_of(cohort)
            if schema == name
        ]
        schemas[name] = {**mapping(counted), "groups": rows}
    totals = {kind: cohort.get(kind) for kind in KINDS}
    return totals | dict.fromkeys(withheld.totals) | {"schemas": schemas}


def _collected(collection: Mapping[str, Json]) -> dict[str, Json]:
    """What services were asked, what they stated, what canaries say; queries are people: no count of them or theirs."""
    spec = mapping(collection.get("spec"))
    services: dict[str, Json] = {
        name: {
            **mapping(service),
            "versions": dict.fromkeys(mapping(mapping(service).get("versions"))),
            "scored": None,
            "by_kind": dict.fromkeys(mapping(mapping(service).get("by_kind"))),
            "refused": [],
            "missing": None,
        }
        for name, service in mapping(collection.get("services")).items()
    }
    asked: dict[str, Json] = {name: spec[name] for name in ("detected", "duplicates") if name in spec}
    source: dict[str, Json] = {"type": mapping(spec.get("source")).get("type")}
    hidden: dict[str, Json] = dict.fromkeys(("images", "queries", "faces", "pairs"))
    return {
        "finished": collection.get("finished"),
        "spec": {**asked, "source": source},
        **hidden,
        "services": services,
    }


def _made(cohort: Mapping[str, Json]) -> dict[str, Json]:
    """What made templates; counts of images and what was found in some of them are of people."""
    return {
        name: {key: mapping(facts).get(key) for key in ("settings", "source", "licence")}
        for name, facts in mapping(cohort.get("templates")).items()
    }


def _record(withheld: Withheld, minimum: int, left_out: Mapping[str, Json]) -> Json:
    classes = {schema: sorted(groups) for schema, groups in sorted(withheld.classes.items()) if groups}
    return {
        "minimum": minimum,
        "withheld": dict(classes),
        "by_no_class": sorted(withheld.hidden),
        "left_out": dict(left_out),
    }


def _is_plain(note: str) -> bool:
    """Whether a note counts nothing; the two that open every method section say only what the spec says."""
    text = note.split(": ", 1)[-1]
    return note.startswith(_OPENINGS) or not _NUMBERED.search(text)


def _scrubbed(value: Json, names: frozenset[str]) -> Json:
    """The value with ``withheld`` for text that holds a name."""
    if isinstance(value, Mapping):
        return {key: _scrubbed(entry, names) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrubbed(entry, names) for entry in value]
    return "withheld" if isinstance(value, str) and holds(value, names) else value


def holds(text: str, names: frozenset[str]) -> bool:
    """Whether a text holds one of the names as a word of its own.

    >>> holds("thresholds of faces.csv", frozenset({"faces.csv"})), holds("surfaces", frozenset({"faces"}))
    (True, False)
    """
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)
