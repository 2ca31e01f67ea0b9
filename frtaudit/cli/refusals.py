"""What is wrong with a spec before its data are read, told before the pipeline is loaded: missing files, too few B."""

import os
from pathlib import Path

from frtaudit.config import named_files
from frtaudit.config.places import is_of_the_house, refuse_missing_root
from frtaudit.config.replicates import refuse_few_replicates
from frtaudit.config.validate import check_resamples
from frtaudit.core.spec import AuditSpec


def refuse(spec: AuditSpec) -> None:
    """Raise what an audit would say of the spec after it has loaded more; its analyses need not be imported yet."""
    refuse_absent(spec)
    if spec.thresholds.file is not None and not os.path.lexists(spec.thresholds.file):
        from frtaudit.inputs.threshold_file import thresholds_from_file

        thresholds_from_file(spec, "")
    for folds in (spec.folds, *(test_set.folds for test_set in spec.test_sets.values())):
        if folds.file is not None and not os.path.lexists(folds.file):
            from frtaudit.inputs.pairlist import lines_of  # it loads what reads tables

            lines_of(Path(folds.file))
    if spec.requirements:
        declared = getattr(spec.cohort, "systems", None) if is_of_the_house(spec.cohort) else None
        systems = declared if spec.providers is None else spec.providers
        if systems and all(schema.classes and not schema.cross for schema in spec.schemas.values()):
            refuse_few_replicates(
                spec, {name: schema.classes for name, schema in spec.schemas.items()}, len(systems)
            )
        check_resamples(spec.bootstrap)


def refuse_absent(spec: AuditSpec) -> None:
    """Raise for a root, a seal or a key that is not there, before its values are checked."""
    refuse_missing_root(spec)
    named_files.refuse_missing(spec)
