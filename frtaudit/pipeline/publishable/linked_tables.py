"""Classes of all schemas as linked tables: which counts of people are sums of which others.

The cells: everybody, every class of every schema (``unknown`` too), then the finest cells that no table prints: every
combination of values of columns that some schema crosses. Schemas on one column share its values; a crossing's classes
are sums of finest cells. Schemas that overlap in another way (bins of a column that another schema reads, bins
within another schema) are *kin*: no equation is claimed of them, and one is published whole only if all are.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from frtaudit.core import AuditResult
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import entries, mapping
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.pipeline.publishable.overlaps import People, nested

Cell = tuple[str, str]  # schema and class
MAX_CELLS = 4096  # finest cells of one set of crossed columns; beyond it the crossing and its parts are kin


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """``system`` (E, n): A x = 0 over n cells: first everybody, then ``cells``, then the finest.

    ``bounds`` (E', n'): the same for counts that only add up from below, such as comparisons within a class: each sum
    with what it lacks as one more cell. ``kin``: groups of schemas that overlap in ways that no equation says.
    ``nested``: schemas of which one has classes that contain the other's, the finer first, and whether a few people
    are left over.
    """

    cells: tuple[Cell, ...]
    system: Floats
    bounds: Floats
    kin: tuple[frozenset[str], ...]
    nested: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Schema:
    """A schema's classes (``unknown`` last), and the columns or schemas that it is made of."""

    name: str
    groups: tuple[str, ...]
    parts: tuple[str, ...]  # schemas that it crosses; none: one column
    column: str
    bins: bool
    rule: str
    within: str | None


def linked(result: AuditResult, people: People | None = None, minimum: int = 1) -> Linked:
    """The linked tables of a result's cohort; ``people``: who also shows which classes contain others.

    >>> from frtaudit.core import AuditResult
    >>> groups = [{"group": name, "subjects": 5} for name in ("a", "b", "unknown")]
    >>> made = AuditResult(spec={}, digests={}, versions={}, estimates=(), curves=(), findings=(), failures=(),
    ...                    cohort={"subjects": 15, "schemas": {"tone": {"groups": groups}}})
    >>> linked(made).cells
    (('tone', 'a'), ('tone', 'b'), ('tone', 'unknown'))
    """
    schemas = {schema.name: schema for schema in _schemas(result)}
    kin = _overlaps(schemas)
    columns = _columns(schemas)
    sets = _joined(schemas, columns)
    cells = tuple((schema.name, group) for schema in schemas.values() for group in schema.groups)
    system, bounds = _equations(schemas, columns, sets, cells)
    pairs = () if people is None else nested(people, minimum)
    unsaid = tuple(pair for pair in pairs if not _is_said(schemas, columns, *pair[:2]))
    return Linked(cells=cells, system=system, bounds=bounds, kin=kin, nested=unsaid)


def _is_said(schemas: Mapping[str, _Schema], columns: Mapping[str, str], name: str, other: str) -> bool:
    """Whether the equations say how two schemas overlap: both read one variable, or one is part of the other."""
    first, second = (_set_of(schemas, columns, schemas[each]) for each in (name, other))
    return first <= second or second <= first


def _schemas(result: AuditResult) -> Iterable[_Schema]:
    declared = mapping(result.spec.get("schemas"))
    counted = mapping(result.cohort.get("schemas"))
    for name, schema in counted.items():
        spec = mapping(declared.get(name))
        groups = [str(mapping(row).get("group")) for row in entries(mapping(schema).get("groups"))]
        bins = mapping(spec.get("bins"))
        parts = tuple(str(part) for part in entries(spec.get("cross")) if str(part) in counted)
        yield _Schema(
            name=name,
            groups=tuple(dict.fromkeys((*(group for group in groups if group != UNKNOWN), UNKNOWN))),
            parts=parts if len(parts) == len(entries(spec.get("cross"))) else (),
            column=str(spec.get("column") or f"schema {name}"),
            bins=bool(bins),
            rule=str(spec.get("conflicts")),
            within=str(bins["within"]) if bins.get("within") else None,
        )


def _overlaps(schemas: Mapping[str, _Schema]) -> tuple[frozenset[str], ...]:
    """Pairs that overlap in ways that no equation says."""
    overlaps = [
        frozenset((inner.name, within))
        for inner in schemas.values()
        if (within := inner.within) and within in schemas
    ]
    for schema, other in combinations(schemas.values(), 2):
        shares = not schema.parts and not other.parts and schema.column == other.column
        if shares and (schema.bins or other.bins or schema.rule != other.rule):
            overlaps.append(frozenset((schema.name, other.name)))
    wide = [cross for cross in schemas.values() if cross.parts and _width(schemas, cross) > MAX_CELLS]
    return (*overlaps, *(frozenset((cross.name, *cross.parts)) for cross in wide))


def _columns(schemas: Mapping[str, _Schema]) -> dict[str, str]:
    """Schema to the variable that it reads; its own where it shares none."""
    first: dict[str, _Schema] = {}
    read: dict[str, str] = {}
    for schema in schemas.values():
        if schema.parts and _width(schemas, schema) <= MAX_CELLS:
            continue
        known = first.setdefault(schema.column, schema)
        shared = not schema.bins and not known.bins and not schema.parts and schema.rule == known.rule
        read[schema.name] = schema.column if shared else f"schema {schema.name}"
    return read


def _width(schemas: Mapping[str, _Schema], schema: _Schema) -> int:
    return int(np.prod([len(part.groups) for part in _leaves(schemas, schema)]))


def _leaves(schemas: Mapping[str, _Schema], schema: _Schema) -> list[_Schema]:
    return [leaf for name in schema.parts for leaf in _leaves(schemas, schemas[name])] or [schema]


def _joined(schemas: Mapping[str, _Schema], columns: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Variables in sets that crossings join."""
    sets = [{name} for name in dict.fromkeys(columns.values())]
    for schema in schemas.values():
        if schema.name in columns:
            continue
        met = {columns[leaf.name] for leaf in _leaves(schemas, schema)}
        sets = [
            *(group for group in sets if not group & met),
            set().union(*(group for group in sets if group & met)),
        ]
    return [tuple(sorted(group)) for group in sets]


def _equations(
    schemas: Mapping[str, _Schema],
    columns: Mapping[str, str],
    sets: Sequence[tuple[str, ...]],
    cells: Sequence[Cell],
) -> tuple[Floats, Floats]:
    """Rows: each class minus its finest cells, everybody minus all finest cells of a set and minus each schema."""
    place = {cell: index for index, cell in enumerate(cells, 1)}
    rows: list[dict[int, float]] = []
    end = len(cells) + 1
    for variables in sets:
        joined = [other for other in schemas.values() if _set_of(schemas, columns, other) <= set(variables)]
        values = [_values(schemas, columns, name) for name in variables]
        row: dict[Cell, dict[int, float]] = {}
        everybody = {0: 1.0}
        for number, combined in enumerate(product(*values), end):
            everybody[number] = -1.0
            at = dict(zip(variables, combined, strict=True))
            for schema in joined:
                cell = (schema.name, _class_at(schemas, columns, schema, at))
                row.setdefault(cell, {place[cell]: 1.0})[number] = -1.0
        end += int(np.prod([len(classes) for classes in values]))
        rows += [everybody, *row.values()]
    rows += [{0: 1.0, **{place[name, g]: -1.0 for g in other.groups}} for name, other in schemas.items()]
    system = np.zeros((len(rows), end))
    for index, coefficients in enumerate(rows):
        system[index, list(coefficients)] = list(coefficients.values())
    many = np.flatnonzero([len(terms) > 2 for terms in rows])
    lacking = np.zeros((len(rows), many.size))
    lacking[many, np.arange(many.size)] = -1.0
    return system, np.hstack([system, lacking])


def _set_of(schemas: Mapping[str, _Schema], columns: Mapping[str, str], schema: _Schema) -> set[str]:
    if schema.name in columns:
        return {columns[schema.name]}
    return {columns[leaf.name] for leaf in _leaves(schemas, schema)}


def _values(schemas: Mapping[str, _Schema], columns: Mapping[str, str], variable: str) -> tuple[str, ...]:
    """Classes that any schema reads from a variable, and what none of them names."""
    groups = [
        group for name, column in columns.items() if column == variable for group in schemas[name].groups
    ]
    return tuple(dict.fromkeys((*(group for group in groups if group != UNKNOWN), UNKNOWN)))


def _class_at(
    schemas: Mapping[str, _Schema], columns: Mapping[str, str], schema: _Schema, at: Mapping[str, str]
) -> str:
    """The class of a finest cell: a value that a schema does not name is unknown, and so is any of its crossings."""
    if schema.name in columns:
        value = at[columns[schema.name]]
        return value if value in schema.groups else UNKNOWN
    parts = [_class_at(schemas, columns, schemas[name], at) for name in schema.parts]
    value = "&".join(parts)
    return UNKNOWN if UNKNOWN in parts or value not in schema.groups else value
