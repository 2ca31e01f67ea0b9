"""Rules of schemas, bins and steps of sanitization that take no data: what a spec can ask for (read without NumPy)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise

from frtaudit.core.spec import Bins, ConflictRule, SchemaSpec
from frtaudit.core.spec_values import UNKNOWN, Sanitize, SanitizeStep
from frtaudit.errors import SpecError

ANY = "*"
RESERVED = ("&", "|")
TAKEN = ("", UNKNOWN, ANY, "all", "max", "each")  # what a requirement means by them is no class
NUMBERS: Mapping[Sanitize, int] = {
    Sanitize.MIN_SAMPLES: 4,
    Sanitize.FIXED_SAMPLES: 4,
    Sanitize.MIN_SUBJECTS: 30,
}


def check_schemas(schemas: Mapping[str, SchemaSpec]) -> None:
    """Raise :class:`SpecError` for a schema that cannot be applied to any data.

    >>> check_schemas({"gender": SchemaSpec(column="gender", classes=("a&b", "c"))})
    Traceback (most recent call last):
    frtaudit.errors.SpecError: schemas.gender.classes: 'a&b' holds & or |; accepted: names without & and |
    """
    for name, schema in schemas.items():
        _check_shape(f"schemas.{name}", schema)
        _check_names(f"schemas.{name}", schema)
        _check_cycle(name, schemas, ())


def _check_shape(where: str, schema: SchemaSpec) -> None:
    if (schema.column is None) == (not schema.cross):
        raise SpecError(where, "needs a column or schemas to cross, and one of them", "column or cross")
    if schema.cross and (
        schema.bins or len(set(schema.cross)) < 2 or len(set(schema.cross)) < len(schema.cross)
    ):
        raise SpecError(
            f"{where}.cross", "crosses at least two different schemas, without bins", "cross: [a, b]"
        )
    if schema.bins:
        check_bins(schema.bins, f"{where}.bins")
        if schema.classes and len(schema.classes) != len(bin_names(schema.bins)):
            accepted = f"none, or {len(bin_names(schema.bins))}"
            raise SpecError(f"{where}.classes", f"{len(schema.classes)} names for the bins", accepted)


def _check_names(where: str, schema: SchemaSpec) -> None:
    allowed = () if schema.cross else RESERVED
    for name in (*schema.classes, *schema.super_classes):
        if any(mark in name for mark in allowed) or "|" in name:
            raise SpecError(f"{where}.classes", f"{name!r} holds & or |", "names without & and |")
        if name in TAKEN:
            raise SpecError(f"{where}.classes", f"{name!r} is a reserved name", "another class name")
    if len(set(schema.classes)) != len(schema.classes):
        raise SpecError(f"{where}.classes", "a class appears twice", "unique class names")
    classes = schema.classes or (bin_names(schema.bins) if schema.bins else ())
    if schema.labels and len(schema.labels) != len(classes):
        text = f"{len(schema.labels)} labels for {len(classes)} classes"
        crossed = "; crossed classes are named by their parts" if schema.cross and not classes else ""
        raise SpecError(f"{where}.labels", text, f"one label for each declared class or bin{crossed}")
    if len(set(schema.labels)) != len(schema.labels):
        raise SpecError(f"{where}.labels", "a label appears twice", "unique labels")


def _check_cycle(name: str, schemas: Mapping[str, SchemaSpec], seen: tuple[str, ...]) -> None:
    if name in seen:
        raise SpecError(f"schemas.{name}", "is built from itself", "schemas that end in columns")
    bins = schemas[name].bins
    within = (bins.within,) if bins and bins.within else ()
    for other in (*schemas[name].cross, *within):
        if other not in schemas:
            known = [each for each in schemas if each not in (*seen, name)]
            accepted = ", ".join(known) or f"a schema of column {other!r} beside it: schemas.{other}.column"
            raise SpecError(f"schemas.{name}", f"no schema is named {other!r}", accepted)
        _check_cycle(other, schemas, (*seen, name))


def check_bins(bins: Bins, where: str) -> None:
    """Raise :class:`SpecError` unless ``bins`` holds ascending edges, or ascending percentiles in (0, 100)."""
    cuts = bins.edges or bins.percentiles
    if bool(bins.edges) == bool(bins.percentiles):
        raise SpecError(where, "needs edges or percentiles, and one of them", "edges: [20, 40]")
    if not all(math.isfinite(cut) for cut in cuts) or any(low >= high for low, high in pairwise(cuts)):
        raise SpecError(where, f"cuts {list(cuts)} do not ascend", "finite numbers in ascending order")
    if bins.percentiles and not (cuts[0] > 0 and cuts[-1] < 100):
        raise SpecError(
            where, f"percentiles {list(cuts)} are not all inside (0, 100)", "numbers between 0 and 100"
        )
    if bins.within is not None and not bins.percentiles:
        raise SpecError(where, "within requires percentiles", "percentiles: [50]")


def bin_names(bins: Bins) -> tuple[str, ...]:
    """Class names of the bins; each holds its lower cut and not its upper one.

    >>> bin_names(Bins(edges=(20, 40)))
    ('<20', '20-40', '>=40')
    >>> bin_names(Bins(percentiles=(50,)))
    ('<p50', '>=p50')
    """
    mark = "p" if bins.percentiles else ""
    cuts = [f"{mark}{cut:.12g}" for cut in bins.edges or bins.percentiles]
    return (f"<{cuts[0]}", *(f"{low}-{high}" for low, high in pairwise(cuts)), f">={cuts[-1]}")


def as_read(schemas: Mapping[str, SchemaSpec], steps: Iterable[SanitizeStep]) -> dict[str, SchemaSpec]:
    """The schemas with which a cohort is read: where a step drops conflicting labels, the majority stands till then.

    Raises :class:`SpecError` for a step that names no schema with a column.

    >>> step = SanitizeStep(step=Sanitize.CONFLICTING_LABELS)
    >>> as_read({"tone": SchemaSpec(column="tone")}, [step])["tone"].conflicts.value
    'majority'
    """
    read = dict(schemas)
    for place, step in enumerate(steps):
        _check(f"sanitize[{place}]", step, schemas)
        if step.step is Sanitize.CONFLICTING_LABELS:
            for name in labelled(step, schemas):
                read[name] = replace(read[name], conflicts=ConflictRule.MAJORITY)
    return read


def number_of(step: SanitizeStep) -> int:
    """The number that a step asks for: declared, or its default."""
    return NUMBERS.get(step.step, 0) if step.number is None else step.number


def _check(where: str, step: SanitizeStep, schemas: Mapping[str, SchemaSpec]) -> None:
    if step.schema is not None and step.schema not in schemas:
        raise SpecError(f"{where}.schema", f"no schema is named {step.schema!r}", ", ".join(schemas))
    if step.step is Sanitize.CONFLICTING_LABELS and not labelled(step, schemas):
        raise SpecError(
            f"{where}.schema", "no schema reads a column of classes", "one that does: schema=NAME"
        )
    if step.number is not None and step.step not in NUMBERS:
        raise SpecError(f"{where}.number", f"{step.step.value} takes none", "no number")
    if number_of(step) < 1 and step.step in NUMBERS:
        raise SpecError(f"{where}.number", f"found {number_of(step)}", "1 or more")
    if step.width < 1 or step.height < 1:
        raise SpecError(where, f"a face of {step.width} x {step.height}", "1 or more pixels each way")


def labelled(step: SanitizeStep, schemas: Mapping[str, SchemaSpec]) -> list[str]:
    """The schemas whose labels may conflict: those that read classes from a column."""
    wanted = schemas if step.schema is None else [step.schema]
    return [name for name in wanted if schemas[name].column is not None and schemas[name].bins is None]
