"""Classification schemas applied to metadata columns: which class each subject is in.

A schema reads one column (as classes, or binned as a number), or crosses other schemas. A sample's value that
is missing, declared unknown, or undeclared where ``unknown`` holds ``*``, says nothing about its subject; samples
that say different things disagree, and the schema's conflict rule decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Texts
from frtaudit.core.cohort import Classification, LedgerEntry
from frtaudit.core.spec import ConflictRule, SchemaSpec
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.errors import DataError, SpecError, column_names, excerpt
from frtaudit.inputs.binning import by_edges, by_percentiles
from frtaudit.inputs.class_rules import ANY, RESERVED, TAKEN, bin_names, check_schemas

Columns = Mapping[str, Texts]

DROPPED = "conflicting_classes_dropped"
EMPTY = "empty_class"
MAX_CLASSES = 1000
MAX_VALUES = 10  # of a column, in an error
NO_COLUMN = "none of these data; a score list holds a class as two columns, probe_NAME and reference_NAME"
_RULES = "schemas.{}.conflicts=drop, majority or unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """Every schema applied.

    ``classifications``: schema name to classes of the *kept* subjects; ``keep``: shape (K,), bool, false for the
    subjects that a ``drop`` rule takes out; ``ledger``: what the rules did, counted.
    """

    classifications: Mapping[str, Classification]
    keep: Flags
    ledger: tuple[LedgerEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Applied:
    """One schema before subjects leave: its classes, the class of each subject (K,), and the conflicts."""

    classes: tuple[str, ...]
    labels: tuple[str, ...]
    codes: Ints
    dropped: Flags
    ledger: tuple[LedgerEntry, ...] = ()


def classify(schemas: Mapping[str, SchemaSpec], columns: Columns, subject_of: Index) -> Classified:
    """Apply ``schemas`` to the ``columns`` of N samples of K subjects.

    ``columns``: name to texts (N,), empty where missing; ``subject_of``: shape (N,), int32, every subject 0..K-1 has
    a sample. Raises :class:`SpecError` for a schema that cannot be, :class:`DataError` for an unaccepted value, a
    missing column, conflicting samples without a rule, a declared class without subjects, fewer than two subjects.

    >>> gender = SchemaSpec(column="gender", classes=("female", "male"))
    >>> texts = np.array(["male", "female", ""], dtype=object)
    >>> done = classify({"gender": gender}, {"gender": texts}, np.array([0, 1, 2], dtype=np.int32))
    >>> done.classifications["gender"].codes.tolist()
    [1, 0, -1]
    """
    check_schemas(schemas)
    applied: dict[str, _Applied] = {}
    for name in schemas:
        _apply(name, schemas, columns, subject_of, applied)
    n_subjects = int(subject_of.max()) + 1 if subject_of.size else 0
    keep = ~np.any([np.zeros(n_subjects, np.bool_), *(done.dropped for done in applied.values())], axis=0)
    if np.count_nonzero(keep) < 2:
        raise DataError("cohort", f"{np.count_nonzero(keep)} subject(s) to compare", "two subjects or more")
    settled = {name: _settled(name, schemas[name], applied[name], keep, columns) for name in schemas}
    ledger = tuple(entry for name in schemas for entry in (*applied[name].ledger, *settled[name][1]))
    return Classified(classifications={name: settled[name][0] for name in schemas}, keep=keep, ledger=ledger)


def _apply(
    name: str,
    schemas: Mapping[str, SchemaSpec],
    columns: Columns,
    subject_of: Index,
    done: dict[str, _Applied],
) -> _Applied:
    if name not in done:
        schema = schemas[name]
        if schema.cross:
            parts = [_apply(part, schemas, columns, subject_of, done) for part in schema.cross]
            done[name] = _crossed(name, schema, parts)
        else:
            classes, codes = sample_codes(name, schemas, columns, subject_of, done)
            done[name] = _per_subject(name, schema, classes, codes, subject_of)
    return done[name]


def sample_codes(
    name: str,
    schemas: Mapping[str, SchemaSpec],
    columns: Columns,
    subject_of: Index,
    done: dict[str, _Applied],
) -> tuple[tuple[str, ...], Ints]:
    """Class names, and the class that each sample's own label says, (N,), -1 where nothing; schemas with a column."""
    schema = schemas[name]
    if schema.column is None or schema.column not in columns:
        raise DataError(
            f"schemas.{name}.column", f"no column {schema.column!r}", column_names(columns) or NO_COLUMN
        )
    texts = columns[schema.column]
    if schema.bins is None:
        return _declared_codes(name, schema, texts)
    values = _numbers(name, schema, texts)
    if schema.bins.edges:
        return schema.classes or bin_names(schema.bins), by_edges(values, schema.bins.edges)
    groups = np.zeros(int(subject_of.max()) + 1, dtype=np.int64)
    if schema.bins.within:
        groups = _apply(schema.bins.within, schemas, columns, subject_of, done).codes
    codes = by_percentiles(values, schema.bins.percentiles, subject_of, groups)
    return schema.classes or bin_names(schema.bins), codes


def _declared_codes(name: str, schema: SchemaSpec, texts: Texts) -> tuple[tuple[str, ...], Ints]:
    silent = {"", UNKNOWN, *schema.unknown}
    distinct = sorted(set(texts.tolist()))
    classes = schema.classes or tuple(value for value in distinct if value not in silent)
    if not schema.classes:
        check_found(name, classes)
    code = dict.fromkeys(silent, -1) | {value: number for number, value in enumerate(classes)}
    strange = [value for value in distinct if value not in code]
    if strange and ANY not in schema.unknown:
        accepted = _accepted(name, *schema.classes, *schema.unknown)
        raise DataError(f"schemas.{name}", _holds(schema, strange), accepted)
    return classes, np.array([code.get(value, -1) for value in texts], dtype=np.int64)


def _holds(schema: SchemaSpec, strange: Sequence[str]) -> str:
    """What a column holds that is no class and no number, the first few of it."""
    return f"column {schema.column!r} holds {', '.join(map(excerpt, strange[:MAX_VALUES]))}"


def _accepted(name: str, *known: str) -> str:
    return f'{", ".join(known)}, nothing, or schemas.{name}.unknown=["{ANY}"] for any other value'


def check_found(name: str, classes: tuple[str, ...]) -> None:
    """Refuse what a column holds when its values are the classes."""
    bad = next((value for value in classes if any(mark in value for mark in RESERVED)), None)
    if bad is not None:
        raise DataError(
            f"schemas.{name}", f"class {excerpt(bad)} holds & or |", "declared classes without & and |"
        )
    taken = next((value for value in classes if value in TAKEN), None)
    if taken is not None:
        accepted = f"another word in the column, or schemas.{name}.unknown=[{taken!r}]"
        raise DataError(f"schemas.{name}", f"class {taken!r} is a reserved name", accepted)
    if not 0 < len(classes) <= MAX_CLASSES:
        raise DataError(f"schemas.{name}", f"the column holds {len(classes)} classes", f"1 to {MAX_CLASSES}")


def _numbers(name: str, schema: SchemaSpec, texts: Texts) -> Floats:
    silent = {"", UNKNOWN, *schema.unknown}
    value_of = {text: float("nan") if text in silent else number_of(text) for text in set(texts.tolist())}
    strange = sorted(
        text for text, value in value_of.items() if text not in silent and not np.isfinite(value)
    )
    if strange and ANY not in schema.unknown:
        accepted = _accepted(name, "a finite number such as 23.5", *schema.unknown)
        raise DataError(f"schemas.{name}", _holds(schema, strange), accepted)
    values = np.array([value_of[text] for text in texts], dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def number_of(text: str) -> float:
    """The number that a text is, else NaN.

    >>> number_of("23.5"), number_of("18_25")
    (23.5, nan)
    """
    try:
        return float(text.replace("_", "x"))  # which Python reads over
    except ValueError:
        return float("nan")


def _per_subject(
    name: str, schema: SchemaSpec, classes: tuple[str, ...], codes: Ints, subject_of: Index
) -> _Applied:
    """Apply the conflict rule to the class codes of samples."""
    majority, tied, disagree = subject_codes(codes, subject_of)
    count, rule = int(np.count_nonzero(disagree)), schema.conflicts
    if count and rule is ConflictRule.ERROR:
        text = f"{count} subject(s) have samples that disagree in column {schema.column!r}"
        raise DataError(f"schemas.{name}", text, _RULES.format(name))
    lost = tied if rule is ConflictRule.MAJORITY else disagree
    verb = "dropped" if rule is ConflictRule.DROP else rule.value
    entry = LedgerEntry(code=f"conflicting_classes_{verb}", count=count, unit="subjects", schema=name)
    return _Applied(
        classes=classes,
        labels=schema.labels or classes,
        codes=np.where(lost, -1, majority),
        dropped=disagree if rule is ConflictRule.DROP else np.zeros_like(disagree),
        ledger=(entry,) if count else (),
    )


def subject_codes(codes: Ints, subject_of: Index) -> tuple[Ints, Flags, Flags]:
    """The commonest class of each subject, whether it is tied, and whether samples disagree; each (K,).

    ``codes``: shape (N,), int64, -1 for samples that say nothing, which neither vote nor disagree.

    >>> majority, tied, disagree = subject_codes(np.array([0, 0, 1, 1, -1]), np.array([0, 0, 0, 1, 1]))
    >>> majority.tolist(), tied.tolist(), disagree.tolist()
    ([0, 1], [False, False], [True, False])
    """
    n_subjects, width = int(subject_of.max()) + 1, max(1, int(codes.max(initial=0)) + 1)
    known = codes >= 0
    pair, count = np.unique(subject_of[known].astype(np.int64) * width + codes[known], return_counts=True)
    subject, code = np.divmod(pair, width)
    order = np.lexsort((code, -count, subject))
    subject, code, count = subject[order], code[order], count[order]
    first = np.flatnonzero(np.diff(subject, prepend=-1))
    disagree = np.bincount(subject, minlength=n_subjects) > 1
    majority = np.full(n_subjects, -1, dtype=np.int64)
    majority[subject[first]] = code[first]
    tied = np.zeros(n_subjects, dtype=np.bool_)
    split = first[disagree[subject[first]]]
    tied[subject[split]] = count[split] == count[split + 1]
    return majority, tied, disagree


def _crossed(name: str, schema: SchemaSpec, parts: list[_Applied]) -> _Applied:
    """Every combination of the parts' classes, joined with ``&``; unknown in any part is unknown."""
    shape = tuple(len(part.classes) for part in parts)
    unknown = np.any([part.codes < 0 for part in parts], axis=0)
    flat = np.ravel_multi_index(tuple(np.maximum(part.codes, 0) for part in parts), shape).astype(np.int64)
    classes = tuple("&".join(names) for names in product(*(part.classes for part in parts)))
    labels = tuple(" & ".join(names) for names in product(*(part.labels for part in parts)))
    codes = np.where(unknown, -1, flat)
    if schema.classes:
        classes, labels, codes = _chosen(name, schema, classes, labels, codes)
    return _Applied(
        classes=classes, labels=schema.labels or labels, codes=codes, dropped=np.zeros_like(unknown)
    )


def undeclared(schema: SchemaSpec, columns: Columns) -> str:
    """The values of a column that ``*`` makes unknown, the first few, for a warning; empty where there is none."""
    if ANY not in schema.unknown or schema.bins or not schema.classes:
        return ""
    known = {"", UNKNOWN, *schema.classes, *schema.unknown}
    others = sorted({str(text) for text in columns.get(schema.column or "", ())} - known)
    return ", ".join(map(excerpt, others[:MAX_VALUES]))


def _chosen(
    name: str, schema: SchemaSpec, classes: tuple[str, ...], labels: tuple[str, ...], codes: Ints
) -> tuple[tuple[str, ...], tuple[str, ...], Ints]:
    """Only the declared combinations, in the declared order; the others are unknown."""
    missing = [wanted for wanted in schema.classes if wanted not in classes]
    if missing:
        raise SpecError(f"schemas.{name}.classes", f"no crossed class {missing[0]!r}", ", ".join(classes))
    new = np.full(len(classes) + 1, -1, dtype=np.int64)
    old = [classes.index(wanted) for wanted in schema.classes]
    new[old] = np.arange(len(old))
    return schema.classes, tuple(labels[number] for number in old), new[codes]


def _settled(
    name: str, schema: SchemaSpec, applied: _Applied, keep: Flags, columns: Columns
) -> tuple[Classification, tuple[LedgerEntry, ...]]:
    """The classification of the kept subjects; a class without one is refused when declared, else left out."""
    codes = applied.codes[keep]
    count = np.bincount(codes[codes >= 0], minlength=len(applied.classes))
    empty = [applied.classes[number] for number in np.flatnonzero(count == 0)]
    if empty and (schema.classes or schema.bins):
        values = sorted({str(text) for text in columns.get(schema.column or "", ())} - {""})
        few = 0 < len(values) <= MAX_VALUES and not schema.bins
        holds = f": column {schema.column!r} holds {column_names(values)}" if few else ""
        text = f"no subject is in class {empty[0]!r}{holds}"
        field = ("bins.edges" if schema.bins.edges else "bins.percentiles") if schema.bins else "classes"
        kind = "bins" if schema.bins else "classes"
        raise DataError(f"schemas.{name}", text, f"schemas.{name}.{field}=[...] of {kind} that hold subjects")
    full = np.flatnonzero(count)
    new = np.full(len(applied.classes) + 1, -1, dtype=np.int16)
    new[full] = np.arange(full.size)
    classification = Classification(
        name=name,
        classes=tuple(applied.classes[number] for number in full),
        labels=tuple(applied.labels[number] for number in full),
        codes=new[codes],
        super_classes=_super_classes(name, schema, applied.classes, empty),
    )
    lines = (LedgerEntry(code=EMPTY, count=0, unit="subjects", schema=name, group=group) for group in empty)
    return classification, tuple(lines)


def _super_classes(
    name: str, schema: SchemaSpec, classes: tuple[str, ...], empty: list[str]
) -> dict[str, tuple[str, ...]]:
    """The declared super-classes, checked, without classes that were left out as empty."""
    for title, members in schema.super_classes.items():
        strange = [member for member in members if member not in classes]
        if strange or not members or title in classes:
            where = f"schemas.{name}.super_classes.{title}"
            if title in classes:
                raise SpecError(where, f"{title!r} is the name of a class", "another name")
            text = f"{strange[0]!r} is not a class" if strange else f"{title!r} holds no class"
            raise SpecError(where, text, ", ".join(classes))
    return {
        title: tuple(member for member in members if member not in empty)
        for title, members in schema.super_classes.items()
    }
