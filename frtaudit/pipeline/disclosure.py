"""The publishable variant of a result: a second, smaller result in which no small class of people can be counted.

The rule. A cell is a number of people: a class of a schema, ``unknown`` among them. A class of 1 to ``minimum`` - 1
people (or of so few with two images) is withheld whole: its counts, its rates, its curves, its findings. Further
classes are withheld until the published counts leave every withheld one at least ``minimum`` values that it may have
(:mod:`frtaudit.stats.disclosure`, over the linked tables of :mod:`frtaudit.pipeline.linked_tables`). Then every other
number that
adds up over classes (images, comparisons, errors, correct decisions) is held against the same system: where a total
and the classes that stand would bound a withheld class more narrowly, the number is printed for no class. What
mixes the classes of a schema (indices, differences, curves, tests) goes with the first class that is withheld.

What is not known to be safe is left out: metrics and curves that are not listed here, digests of files that hold
labels (who knows all labels but one could try them), names, what a note says of one pair of people, free text with
numbers. Counts of errors and of failures stay where their class stays: they count decisions, not people. Two variants
of one audit with two minima, or of two nearly equal cohorts, can be subtracted from each other; no rule for one
result can prevent that.

Long because the rule is one: what is withheld, and how each part of a result follows, are read together.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import AuditResult, Estimate, Finding, LedgerEntry
from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import Json, digest
from frtaudit.core.metrics import Published, published_as
from frtaudit.errors import DataError
from frtaudit.evaluation.intervals import ONE_PAIR
from frtaudit.pipeline.linked_tables import Cell, Linked, linked
from frtaudit.stats.disclosure import narrow, suppressed

MINIMUM = 10
PEOPLE, TWO, SAMPLES = "subjects", "subjects_with_two_samples", "samples"
TOTALS = {"class_accuracy": "accuracy"}  # what a class's number is a part of, where that has another name
CURVES = frozenset({"roc", "det", "fmr", "fnmr", "tar", "tar_difference"})
_OF_FAMILY = re.compile(r"\s*\(p [^)]*\)(?=[.;,]|$)")
_NUMBERED = re.compile(r"(?<![\w.])\d")
_OPENINGS = ("requirements are judged at alpha", "alpha (B + 1)")

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """What is withheld: ``classes`` by schema, and numbers beside them.

    ``hidden``: counts of the cohort that are printed for no class; ``totals``: those that are not printed at all;
    ``numbers``: what estimates of classes are withheld in every schema that withholds a class; ``words``: names and
    labels of withheld classes.
    """

    classes: Mapping[str, frozenset[str]]
    hidden: frozenset[str]
    totals: frozenset[str]
    numbers: frozenset[Key]
    words: frozenset[str]

    def touches(self, schema: object) -> bool:
        """Whether a schema has a class that is withheld."""
        return bool(self.classes.get(str(schema)))


def published(result: AuditResult, link: str, minimum: int = MINIMUM) -> AuditResult:
    """The publishable variant; ``link``: sha256 of the full report's statement, which a reader may ask to see.

    Raises :class:`DataError` for a cohort of fewer than ``minimum`` people, or where its small classes cannot be
    hidden.
    """
    withheld = withheld_in(result, minimum)
    kept = [index for index, item in enumerate(result.estimates) if _stands(item, withheld)]
    place = {old: new for new, old in enumerate(kept)}
    curves = tuple(
        item for item in result.curves if item.analysis in CURVES and not withheld.touches(item.schema)
    )
    findings = tuple(_findings(result, place, withheld))
    ledger = tuple(_ledger(result.failures, withheld, minimum))
    names = names_of(result)
    notes = tuple(item for item in result.notes if _is_plain(item) and not holds(item, names))
    left_out: dict[str, Json] = {
        "estimates": len(result.estimates) - len(kept),
        "curves": len(result.curves) - len(curves),
        "findings": len(result.findings) - len(findings),
        "failures": len(result.failures) - len(ledger),
        "notes": len(result.notes) - len(notes),
    }
    read = {
        "type": _mapping(result.spec.get("cohort")).get("type")
    }  # shares and sizes of a cohort are counts
    spec = _scrubbed(dict(result.spec) | {"cohort": read, "inputs": {}}, names)
    collected = _scrubbed(_collected(_mapping(result.cohort.get("collection"))), names)
    cohort = {
        **_cohort(result.cohort, withheld),
        **({"collection": collected} if "collection" in result.cohort else {}),
        "publication": _record(withheld, minimum, left_out),
    }
    return AuditResult(
        spec=spec if isinstance(spec, dict) else {},
        digests={"spec": digest(spec), "cohort": digest(cohort), "inputs": {}, "full": link},
        versions=result.versions,
        estimates=tuple(_alone(result.estimates[index], withheld) for index in kept),
        curves=curves,
        findings=findings,
        failures=ledger,
        cohort=cohort,
        notes=notes,
        schema_version=result.schema_version,
    )


def withheld_in(result: AuditResult, minimum: int) -> Withheld:
    """What a result's publishable variant withholds."""
    if minimum < 2:
        raise DataError("minimum", f"found {minimum}", "2 or more: a class of one person is always small")
    tables = linked(result)
    people = counts(result, tables, PEOPLE)
    if not people[0] >= minimum:
        raise DataError("cohort", f"{people[0]:.0f} people are fewer than {minimum}", "a larger cohort")
    classes = _classes(result, tables, minimum)
    hidden, totals = _hidden(result, tables, classes, minimum)
    numbers = frozenset(_narrow_numbers(result, tables, classes, minimum))
    words = {
        str(row.get(name))
        for schema, row in rows_of(result.cohort)
        for name in ("group", "label")
        if str(row.get("group")) in classes.get(schema, ())
    }
    return Withheld(classes=classes, hidden=hidden, totals=totals, numbers=numbers, words=frozenset(words))


def counts(result: AuditResult, tables: Linked, kind: str) -> Floats:
    """A count of the cohort in every printed cell, everybody first; nan where there is none. Shape (1 + cells,)."""
    found: dict[Cell, float] = {}
    for schema, row in rows_of(result.cohort):
        number = row.get(kind)
        if isinstance(number, int):
            found[schema, str(row.get("group"))] = number
    total = result.cohort.get(kind)
    first = float(total) if isinstance(total, int) else float("nan")
    return np.array([first, *(found.get(cell, float("nan")) for cell in tables.cells)])


def rows_of(cohort: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Every class of every schema: the schema's name and the row of its counts."""
    schemas = cohort.get("schemas")
    for name, found in schemas.items() if isinstance(schemas, Mapping) else ():
        groups = found.get("groups") if isinstance(found, Mapping) else ()
        for row in groups if isinstance(groups, (list, tuple)) else ():
            if isinstance(row, Mapping):
                yield name, row


def names_of(result: AuditResult) -> frozenset[str]:
    """Names that a publication may not hold: files read and written, and samples that failures name."""
    files = [name for part in ("inputs", "outputs") for name in _mapping(result.digests.get(part))]
    bare = [name.rsplit("/", 1)[-1] for name in files]
    return frozenset({*files, *bare, *(name for entry in result.failures for name in entry.names)} - {""})


def _classes(result: AuditResult, tables: Linked, minimum: int) -> dict[str, frozenset[str]]:
    """Classes to withhold, by schema: the small, what protects them, and schemas that overlap with theirs."""
    people, two = (counts(result, tables, kind) for kind in (PEOPLE, TWO))
    small = _few(people, minimum) | _few(two, minimum)
    small[0] = False
    if not small.any():
        return {}
    width = tables.system.shape[1]
    fixed = np.arange(width) == 0
    try:
        found = suppressed(
            tables.system,
            _padded(np.nan_to_num(people), width),
            _marks(np.isfinite(people), width),
            fixed,
            _marks(small, width),
            minimum,
        )
    except ValueError as error:
        raise DataError(
            "publish", f"the small classes cannot be hidden ({error})", "schemas with larger classes"
        ) from None
    mask = found[1 : 1 + len(tables.cells)]
    classes: dict[str, set[str]] = defaultdict(set)
    for (schema, group), hide in zip(tables.cells, mask, strict=True):
        if hide:
            classes[schema].add(group)
    return {schema: frozenset(groups) for schema, groups in _with_kin(tables, classes).items()}


def _with_kin(tables: Linked, classes: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Schemas that overlap with one that withholds a class are withheld whole."""
    found = {schema: set(groups) for schema, groups in classes.items()}
    waiting = [schema for schema, groups in found.items() if groups]
    while waiting:
        schema = waiting.pop()
        for other in {name for group in tables.kin if schema in group for name in group}:
            whole = {group for name, group in tables.cells if name == other}
            if found.get(other, set()) != whole:
                found[other] = whole
                waiting.append(other)
    return found


def _hidden(
    result: AuditResult, tables: Linked, classes: Mapping[str, frozenset[str]], minimum: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Counts of the cohort that are printed for no class, and those that are not printed at all.

    People without a second image are people without, and with, one: both sides of a difference are cells.
    """
    people, two, samples = (counts(result, tables, kind) for kind in (PEOPLE, TWO, SAMPLES))
    single = people - two
    hidden, totals = set(), set()
    if _few(single, minimum).any() or any(
        _bounded(tables, classes, part, minimum) is not False for part in (two, single)
    ):
        hidden.add(TWO)
    if _few(single[:1], minimum).any() or _few(two[:1], minimum).any():
        totals.add(TWO)
    if _bounded(tables, classes, samples, minimum) is not False:
        hidden.add(SAMPLES)
    return frozenset(hidden | totals), frozenset(totals)


def _bounded(
    tables: Linked, classes: Mapping[str, frozenset[str]], values: Floats, minimum: int
) -> bool | None:
    """Whether published values of a sum bound a withheld class more narrowly than ``minimum``.

    None: the values are in no tables that add up.
    """
    return _too_narrow(tables.system, tables, classes, values, minimum)


def _bounded_within(
    tables: Linked, classes: Mapping[str, frozenset[str]], values: Floats, minimum: int
) -> bool:
    """The same for what classes need not add up to: pairs across classes may be there, or a protocol has none."""
    exact = _too_narrow(tables.system, tables, classes, values, minimum)
    return bool(exact) or _too_narrow(tables.bounds, tables, classes, values, minimum) is not False


def _too_narrow(
    system: Floats,
    tables: Linked,
    classes: Mapping[str, frozenset[str]],
    values: Floats,
    minimum: int,
) -> bool | None:
    mask = np.array([False, *(group in classes.get(schema, ()) for schema, group in tables.cells)])
    if not mask.any():
        return False
    width = system.shape[1]
    shown = _marks(np.isfinite(values) & ~mask, width)
    try:
        found = narrow(system, _padded(np.nan_to_num(values), width), shown, _marks(mask, width), minimum)
        return next(found, None) is not None
    except ValueError:
        return None


def _narrow_numbers(
    result: AuditResult, tables: Linked, classes: Mapping[str, frozenset[str]], minimum: int
) -> Iterator[Key]:
    """Numbers of classes that would bound a withheld class together with their total."""
    if not any(classes.values()):
        return
    place = {cell: index for index, cell in enumerate(tables.cells, 1)}
    found: dict[Key, dict[int, Estimate]] = defaultdict(dict)
    for item in result.estimates:
        cell = 0 if item.schema is None else place.get((item.schema, item.group))
        if item.denominator is not None and cell is not None and (cell or item.group == "all"):
            found[key_of(item)].setdefault(cell, item)
    for key, items in found.items():
        parts = np.full((2, 1 + len(tables.cells)), np.nan)
        for cell, item in items.items():
            parts[:, cell] = item.numerator or 0, item.denominator or 0
        errors, trials = parts
        sides = (trials, errors, trials - errors)
        if published_as(str(key[1])) is Published.WITHIN or key[1] in TOTALS.values():
            known = any(_bounded_within(tables, classes, side, minimum) for side in sides)
        else:
            known = any(_bounded(tables, classes, side, minimum) is not False for side in sides)
        if known:
            yield key


def key_of(item: Estimate) -> Key:
    """What a class's estimate is a part of: system, metric, operating point. Both weightings have the same counts."""
    metric = TOTALS.get(item.metric, item.metric)
    at = tuple(sorted((name, found) for name, found in item.at.items() if name != "fold"))
    return item.provider, metric, at


def _stands(item: Estimate, withheld: Withheld) -> bool:
    """Whether an estimate is published."""
    how = published_as(item.metric)
    if how is None or withheld.touches(item.at.get("schema")):
        return False
    if item.schema is None or not withheld.touches(item.schema):
        return True
    own = _shown(withheld, item.schema, item.group) and how is not Published.WHOLE
    return own and item.denominator is not None and key_of(item) not in withheld.numbers


def _shown(withheld: Withheld, schema: str, group: str) -> bool:
    return group not in ("all", "max") and "|" not in group and group not in withheld.classes[schema]


def _alone(item: Estimate, withheld: Withheld) -> Estimate:
    """The estimate without what its notes say of a withheld class, or of one pair of people."""
    intervals = tuple(
        replace(interval, note=_published(interval.note, withheld, absent=interval.low is None))
        for interval in item.intervals
    )
    return replace(item, intervals=intervals, note=_published(item.note, withheld, absent=item.value is None))


def _published(note: str | None, withheld: Withheld, *, absent: bool) -> str | None:
    """What is published of the note of a number; ``absent``: there is no number, so a note stands in any case."""
    kept = None if note is None else note.partition(ONE_PAIR)[0].removesuffix("; ")
    if kept == note and not _says(note, withheld):
        return note
    left = None if _says(kept, withheld) else kept
    return left or ("withheld" if absent else None)


def _says(text: str | None, withheld: Withheld) -> bool:
    return text is not None and any(
        re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE) for name in withheld.words
    )


def _findings(result: AuditResult, place: Mapping[int, int], withheld: Withheld) -> Iterator[Finding]:
    """Findings whose estimate is published; without what Holm's family says of the others."""
    whole = not any(withheld.classes.values())
    for item in result.findings:
        if item.estimate is None:
            if whole:
                yield item
            continue
        index = place.get(int(item.estimate.rsplit("/", 1)[1]))
        if index is None:
            continue
        moved = replace(item, estimate=f"/estimates/{index}")
        yield (
            moved
            if whole
            else replace(moved, p_adjusted=None, family=None, sentence=_OF_FAMILY.sub("", item.sentence))
        )


def _ledger(entries: Sequence[LedgerEntry], withheld: Withheld, minimum: int) -> Iterator[LedgerEntry]:
    """Lines without names; none by class of a touched schema; none of a kind that counts few people anywhere."""
    few = {(item.provider, item.code) for item in entries if item.unit == PEOPLE and 0 < item.count < minimum}
    for item in entries:
        counted = item.unit == PEOPLE and (item.provider, item.code) in few
        if not counted and not (item.schema is not None and withheld.touches(item.schema)):
            yield replace(item, names=())


def _cohort(cohort: Mapping[str, Json], withheld: Withheld) -> dict[str, Json]:
    """The counts of the cohort; null where they are withheld. Steps of sanitization count people: left out."""
    schemas: dict[str, Json] = {}
    for name, found in _mapping(cohort.get("schemas")).items():
        rows: list[Json] = [
            dict(row) | dict.fromkeys(_nulls(withheld, name, str(row.get("group"))))
            for schema, row in rows_of(cohort)
            if schema == name
        ]
        schemas[name] = {**_mapping(found), "groups": rows}
    kept = {kind: cohort.get(kind) for kind in (PEOPLE, SAMPLES, TWO)}
    return kept | dict.fromkeys(withheld.totals) | {"schemas": schemas}


def _collected(found: Mapping[str, Json]) -> dict[str, Json]:
    """What services were asked, what they stated, what canaries say; queries are people: no count of them or theirs."""
    spec = _mapping(found.get("spec"))
    services: dict[str, Json] = {
        name: {
            **_mapping(one),
            "versions": dict.fromkeys(_mapping(_mapping(one).get("versions"))),
            "scored": None,
            "by_kind": dict.fromkeys(_mapping(_mapping(one).get("by_kind"))),
            "refused": [],
            "missing": None,
        }
        for name, one in _mapping(found.get("services")).items()
    }
    asked: dict[str, Json] = {name: spec[name] for name in ("detected", "duplicates") if name in spec}
    source: dict[str, Json] = {"type": _mapping(spec.get("source")).get("type")}
    hidden: dict[str, Json] = dict.fromkeys(("images", "queries", "faces", "pairs"))
    return {
        "finished": found.get("finished"),
        "spec": {**asked, "source": source},
        **hidden,
        "services": services,
    }


def _nulls(withheld: Withheld, schema: str, group: str) -> Sequence[str]:
    if group in withheld.classes.get(schema, ()):
        return (PEOPLE, SAMPLES, TWO)
    return sorted(withheld.hidden)


def _record(withheld: Withheld, minimum: int, left_out: Mapping[str, Json]) -> Json:
    classes: dict[str, Json] = {
        schema: sorted(groups) for schema, groups in sorted(withheld.classes.items()) if groups
    }
    return {
        "minimum": minimum,
        "withheld": classes,
        "by_no_class": sorted(withheld.hidden),
        "left_out": dict(left_out),
    }


def _is_plain(note: str) -> bool:
    """Whether a note counts nothing; the two that open every method section say only what the spec says."""
    said = note.split(": ", 1)[-1]
    return note.startswith(_OPENINGS) or not _NUMBERED.search(said)


def _scrubbed(value: Json, names: frozenset[str]) -> Json:
    """The value with ``withheld`` for text that holds a name."""
    if isinstance(value, Mapping):
        return {key: _scrubbed(item, names) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrubbed(item, names) for item in value]
    return "withheld" if isinstance(value, str) and holds(value, names) else value


def holds(text: str, names: frozenset[str]) -> bool:
    """Whether a text holds one of the names as a word of its own.

    >>> holds("thresholds of faces.csv", frozenset({"faces.csv"})), holds("surfaces", frozenset({"faces"}))
    (True, False)
    """
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def _few(values: Floats, minimum: int) -> Flags:
    """Counts of 1 to ``minimum`` - 1: nobody is no small class."""
    return np.asarray((values > 0) & (values < minimum))


def _padded(values: Floats, width: int) -> Floats:
    """Printed cells first, then the finest ones, of which nothing is known."""
    return np.concatenate([values, np.zeros(width - len(values))])


def _marks(mask: Flags, width: int) -> Flags:
    return np.concatenate([mask, np.zeros(width - len(mask), dtype=np.bool_)])


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def verdicts_of(result: AuditResult) -> dict[str, int]:
    """Number of published findings by verdict."""
    found = Counter(item.verdict.value for item in result.findings)
    return {name: found[name] for name in ("pass", "fail", "inconclusive", "not_testable")}
