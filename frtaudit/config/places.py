"""A spec's paths: the cohort's root, and those below it, which are said once and found from the working folder too."""

import dataclasses
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from frtaudit.core.spec import PATH, AuditSpec
from frtaudit.inputs.places import place_of

if TYPE_CHECKING:
    from frtaudit.evaluation.protocols import CohortSource

T = TypeVar("T")


def refuse_missing_root(spec: AuditSpec) -> None:
    """Raise what the cohort's source says of a root that is not there, before the numerical libraries are loaded."""
    fields = dataclasses.fields(spec.cohort) if dataclasses.is_dataclass(spec.cohort) else ()
    root = getattr(spec.cohort, "root", None)
    is_path = any(field.name == "root" and field.metadata.get("role") == PATH["role"] for field in fields)
    if is_path and isinstance(root, str) and not os.path.lexists(root):
        cast("CohortSource", spec.cohort).load(spec.schemas, spec.seed)


def placed(spec: AuditSpec) -> AuditSpec:
    """The spec with the paths of its data, other than the root itself, as they lead from here.

    A relative path that names a file below ``cohort.root`` becomes that file's; one that names nothing stays, and what
    reads it says so. Raises :class:`~frtaudit.errors.DataError` for a path that names two files.
    """
    root = getattr(spec.cohort, "root", None)
    if not isinstance(root, str) or not Path(root).is_dir():
        return spec
    folder = Path(root)
    return replace(
        spec,
        cohort=_placed("cohort", spec.cohort, folder),
        protocol=_placed("protocol", spec.protocol, folder),
        folds=_placed("folds", spec.folds, folder),
        thresholds=_placed("thresholds", spec.thresholds, folder),
        analyses={
            name: _placed(f"analyses.{name}", analysis, folder) for name, analysis in spec.analyses.items()
        },
        test_sets={
            name: replace(
                test_set,
                pairs=_placed(f"test_sets.{name}.pairs", test_set.pairs, folder),
                folds=_placed(f"test_sets.{name}.folds", test_set.folds, folder),
            )
            for name, test_set in spec.test_sets.items()
        },
    )


def _placed(where: str, holder: T, root: Path) -> T:
    """A plug-in or a part of a spec with its paths found."""
    if not dataclasses.is_dataclass(holder) or isinstance(holder, type):
        return holder
    changed: dict[str, str] = {}
    for field in dataclasses.fields(holder):
        name = getattr(holder, field.name)
        is_path = field.name != "root" and field.metadata.get("role") == PATH["role"]
        if is_path and isinstance(name, str) and name:
            path = place_of(f"{where}.{field.name}", name, root)
            changed |= {} if path is None else {field.name: str(path)}
    return replace(holder, **changed) if changed else holder
