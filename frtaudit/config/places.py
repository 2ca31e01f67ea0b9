"""A spec's paths: the cohort's root, and those below it, which are said once and found from the working folder too."""

import dataclasses
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import PATH
from frtaudit.inputs.places import place_of

T = TypeVar("T")


def refuse_missing_root(spec: AuditSpec) -> None:
    """Raise what the cohort's source says of a root that is not there, or empty, before the pipeline is loaded."""
    root = getattr(spec.cohort, "root", None)
    if isinstance(root, str) and (not os.path.lexists(root) or _is_empty(root)):
        check_files([spec.cohort])


def refuse_missing_files(spec: AuditSpec) -> None:
    """Raise what cohort and protocol say of files that are not there, before what reads these is loaded."""
    check_files([spec.cohort, spec.protocol])


def check_files(plugins: Iterable[object]) -> None:
    """Call ``check_files`` of each plug-in of frtaudit that has it; those of other wheels are asked by the audit."""
    for plugin in plugins:
        check = getattr(plugin, "check_files", None)
        if check is not None and is_of_the_house(plugin):
            check()


def _is_empty(folder: str) -> bool:
    try:
        with os.scandir(folder) as inside:
            return next(inside, None) is None
    except OSError:  # a file, or a folder that this user may not open
        return False


def is_of_the_house(plugin: object) -> bool:
    """Whether a plug-in is one of frtaudit's own, and not of another wheel."""
    return type(plugin).__module__.startswith("frtaudit.")


def placed(spec: AuditSpec) -> AuditSpec:
    """The spec with the paths of its data, other than the root and those of analyses, as they lead from here.

    A relative path that names a file below ``cohort.root`` becomes that file's; one that names nothing stays, and what
    reads it says so. Raises :class:`~frtaudit.errors.DataError` for a path that names two files.
    """
    folder = _folder(spec)
    if folder is None:
        return spec
    return replace(
        spec,
        cohort=_placed("cohort", spec.cohort, folder),
        protocol=_placed("protocol", spec.protocol, folder),
        folds=_placed("folds", spec.folds, folder),
        thresholds=_placed("thresholds", spec.thresholds, folder),
        test_sets={
            name: replace(
                test_set,
                pairs=_placed(f"test_sets.{name}.pairs", test_set.pairs, folder),
                folds=_placed(f"test_sets.{name}.folds", test_set.folds, folder),
            )
            for name, test_set in spec.test_sets.items()
        },
    )


def placed_analyses(spec: AuditSpec) -> AuditSpec:
    """The spec with the paths of its analyses as they lead from here; otherwise as :func:`placed`."""
    folder = _folder(spec)
    if folder is None:
        return spec
    paths = {name: _placed(f"analyses.{name}", analysis, folder) for name, analysis in spec.analyses.items()}
    return replace(spec, analyses=paths)


def _folder(spec: AuditSpec) -> Path | None:
    """The cohort's root, where it is a folder."""
    root = getattr(spec.cohort, "root", None)
    return Path(root) if isinstance(root, str) and Path(root).is_dir() else None


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
