"""What is warned of a result: scores that look like distances, lists that lack comparisons, numbers as classes."""

import re
from collections.abc import Sequence

from frtaudit.core import AuditResult
from frtaudit.core.canonical import entries, mapping
from frtaudit.evaluation.score_notes import WARNED

MANY = 20  # numbers
DECLARED = ("classes", "bins", "cross")  # fields of a schema whose classes the spec declares
_NUMBER = re.compile(r"[-+]?\d+([.]\d*)?")


def number_note(name: str, column: object, classes: Sequence[str]) -> str | None:
    """What is said of a schema without declared classes; None where few of its classes are numbers.

    >>> number_note("age", "age", [str(age) for age in range(20, 50)])
    "schemas.age: each number in column 'age' is a class; to make ranges of them, add bins: {edges: [...]}"
    """
    if sum(_NUMBER.fullmatch(text) is not None for text in classes) <= MANY:
        return None
    text = f"each number in column {column!r} is a class; to make ranges of them, add bins: {{edges: [...]}}"
    return f"schemas.{name}: {text}"


def number_notes(result: AuditResult) -> tuple[str, ...]:
    """The same of each schema of a result, from its counts: an earlier result is computed again as it was."""
    counts, notes = mapping(result.cohort.get("schemas")), []
    for name, fields in mapping(result.spec.get("schemas")).items():
        schema = mapping(fields)
        if not any(schema.get(key) for key in DECLARED):
            rows = entries(mapping(counts.get(name)).get("groups"))
            classes = [str(mapping(row).get("group")) for row in rows]
            notes.append(number_note(name, schema.get("column"), classes))
    return tuple(note for note in notes if note is not None)


def warnings_of(result: AuditResult) -> tuple[str, ...]:
    """What the last lines of a run, and Python's line of a report, warn of."""
    noted = (note for note in result.notes if any(text in note for text in WARNED))
    return (*noted, *number_notes(result))
