"""What a publishable variant withholds: small classes, what protects them, numbers that would betray them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core import AuditResult, Estimate
from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import Json, entries, mapping
from frtaudit.core.metrics import Published, published_as
from frtaudit.errors import DataError
from frtaudit.pipeline.publishable.linked_tables import Cell, Linked, linked
from frtaudit.pipeline.publishable.overlaps import People
from frtaudit.stats.disclosure import narrow, suppressed

PEOPLE = "subjects"
TWO = "subjects_with_two_samples"
SAMPLES = "samples"
TOTALS = {"class_accuracy": "accuracy"}  # what a class's number is a part of, where that has another name
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


def withheld_in(result: AuditResult, minimum: int, subjects: People | None = None) -> Withheld:
    """What a result's publishable variant withholds."""
    if minimum < 2:
        raise DataError("minimum", f"found {minimum}", "2 or more: a class of one subject is always small")
    tables = linked(result, subjects, minimum)
    people = counts(result, tables, PEOPLE)
    if not people[0] >= minimum:
        raise DataError("cohort", f"{people[0]:.0f} subjects are fewer than {minimum}", "a larger cohort")
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
    by_cell: dict[Cell, float] = {}
    for schema, row in rows_of(result.cohort):
        number = row.get(kind)
        if isinstance(number, int):
            by_cell[schema, str(row.get("group"))] = number
    total = result.cohort.get(kind)
    first = float(total) if isinstance(total, int) else float("nan")
    return np.array([first, *(by_cell.get(cell, float("nan")) for cell in tables.cells)])


def rows_of(cohort: Mapping[str, Json]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Every class of every schema: the schema's name and the row of its counts."""
    for name, schema in mapping(cohort.get("schemas")).items():
        for row in entries(mapping(schema).get("groups")):
            if isinstance(row, Mapping):
                yield name, row


def _classes(result: AuditResult, tables: Linked, minimum: int) -> dict[str, frozenset[str]]:
    """Classes to withhold, by schema: the small, what protects them, and schemas that overlap with theirs."""
    people, two = (counts(result, tables, kind) for kind in (PEOPLE, TWO))
    small = _few(people, minimum) | _few(two, minimum)
    small[0] = False
    if not small.any():
        return {schema: frozenset(groups) for schema, groups in _with_kin(tables, {}).items()}
    width = tables.system.shape[1]
    fixed = np.arange(width) == 0
    try:
        hidden = suppressed(
            tables.system,
            _padded(np.nan_to_num(people), width),
            _marks(np.isfinite(people), width),
            fixed,
            _marks(small, width),
            minimum,
        )
    except ValueError as error:
        text = f"the small classes cannot be hidden ({error})"
        raise DataError("publish", text, "schemas with larger classes") from None
    mask = hidden[1 : 1 + len(tables.cells)]
    classes: dict[str, set[str]] = defaultdict(set)
    for (schema, group), hide in zip(tables.cells, mask, strict=True):
        if hide:
            classes[schema].add(group)
    return {schema: frozenset(groups) for schema, groups in _with_kin(tables, classes).items()}


def _with_kin(tables: Linked, classes: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Schemas that overlap with one that withholds a class are withheld whole; of nested ones the finer."""
    withheld = {schema: set(groups) for schema, groups in classes.items()}
    changed = True
    while changed:
        touched = {schema for schema, groups in withheld.items() if groups}
        wanted = {name for group in tables.kin if group & touched for name in group}
        wanted |= {fine for fine, coarse, few in tables.nested if few or {fine, coarse} & touched}
        whole = {name: {group for schema, group in tables.cells if schema == name} for name in wanted}
        changed = any(withheld.get(name, set()) != groups for name, groups in whole.items())
        withheld |= whole
    return withheld


def _hidden(
    result: AuditResult, tables: Linked, classes: Mapping[str, frozenset[str]], minimum: int
) -> tuple[frozenset[str], frozenset[str]]:
    """Counts of the cohort that are printed for no class, and those that are not printed at all.

    People without a second image are people without, and with, one: both sides of a difference are cells.
    """
    people, two, samples = (counts(result, tables, kind) for kind in (PEOPLE, TWO, SAMPLES))
    single = people - two
    hidden, totals = {TWO} if _few(single, minimum).any() else set(), set()
    for kind, parts in ((TWO, (two, single)), (SAMPLES, (samples,))):
        bounds = (_bounded(tables.system, tables, classes, part, minimum) for part in parts)
        if kind not in hidden and any(bound is not False for bound in bounds):
            hidden.add(kind)
    if _few(single[:1], minimum).any() or _few(two[:1], minimum).any():
        totals.add(TWO)
    return frozenset(hidden | totals), frozenset(totals)


def _bounded_within(
    tables: Linked, classes: Mapping[str, frozenset[str]], values: Floats, minimum: int
) -> bool:
    """The same for what classes need not add up to: pairs across classes may be there, or a protocol has none."""
    exact = _bounded(tables.system, tables, classes, values, minimum)
    return bool(exact) or _bounded(tables.bounds, tables, classes, values, minimum) is not False


def _bounded(
    system: Floats,
    tables: Linked,
    classes: Mapping[str, frozenset[str]],
    values: Floats,
    minimum: int,
) -> bool | None:
    """Whether published values of a sum bound a withheld class more narrowly than ``minimum``.

    None: the values are in no tables that add up.
    """
    mask = np.array([False, *(group in classes.get(schema, ()) for schema, group in tables.cells)])
    if not mask.any():
        return False
    width = system.shape[1]
    shown = _marks(np.isfinite(values) & ~mask, width)
    try:
        cells = narrow(system, _padded(np.nan_to_num(values), width), shown, _marks(mask, width), minimum)
        return next(cells, None) is not None
    except ValueError:
        return None


def _narrow_numbers(
    result: AuditResult, tables: Linked, classes: Mapping[str, frozenset[str]], minimum: int
) -> Iterator[Key]:
    """Numbers of classes that would bound a withheld class together with their total."""
    if not any(classes.values()):
        return
    place = {cell: index for index, cell in enumerate(tables.cells, 1)}
    estimates: dict[Key, dict[int, Estimate]] = defaultdict(dict)
    for estimate in result.estimates:
        cell = 0 if estimate.schema is None else place.get((estimate.schema, estimate.group))
        if estimate.denominator is not None and cell is not None and (cell or estimate.group == "all"):
            estimates[key_of(estimate)].setdefault(cell, estimate)
    for key, items in estimates.items():
        parts = np.full((2, 1 + len(tables.cells)), np.nan)
        for cell, estimate in items.items():
            parts[:, cell] = estimate.numerator or 0, estimate.denominator or 0
        errors, trials = parts
        sides = (trials, errors, trials - errors)
        if published_as(str(key[1])) is Published.WITHIN or key[1] in TOTALS.values():
            known = any(_bounded_within(tables, classes, side, minimum) for side in sides)
        else:
            bounds = (_bounded(tables.system, tables, classes, side, minimum) for side in sides)
            known = any(bound is not False for bound in bounds)
        if known:
            yield key


def key_of(estimate: Estimate) -> Key:
    """What a class's estimate is a part of: system, metric, operating point. Both weightings have the same counts."""
    metric = TOTALS.get(estimate.metric, estimate.metric)
    at = tuple(sorted((name, setting) for name, setting in estimate.at.items() if name != "fold"))
    return estimate.provider, metric, at


def _few(values: Floats, minimum: int) -> Flags:
    """Counts of 1 to ``minimum`` - 1: nobody is no small class."""
    return np.asarray((values > 0) & (values < minimum))


def _padded(values: Floats, width: int) -> Floats:
    """Printed cells first, then the finest ones, of which nothing is known."""
    return np.concatenate([values, np.zeros(width - len(values))])


def _marks(mask: Flags, width: int) -> Flags:
    return np.concatenate([mask, np.zeros(width - len(mask), dtype=np.bool_)])
