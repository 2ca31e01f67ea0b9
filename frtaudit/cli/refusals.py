"""What is wrong with a spec before its data are read, told before the pipeline is loaded: missing files, too few B."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from frtaudit.config import named_files
from frtaudit.config.composition import Composed
from frtaudit.config.load import Typed, typed
from frtaudit.config.places import check_files, is_of_the_house, refuse_missing_files, refuse_missing_root
from frtaudit.config.replicates import refuse_few_replicates
from frtaudit.config.validate import check_resamples
from frtaudit.core.machine import signals
from frtaudit.core.spec import AuditSpec, Report
from frtaudit.errors import FrtauditError
from frtaudit.inputs.pairlist import need_pairs
from frtaudit.inputs.places import not_offered


def checked_early(config: Composed) -> Typed:
    """The typed spec of what was composed. Raises what an audit would say of it after it has loaded more."""
    read = typed(config, _refuse_absent)
    _refuse_early(read.spec)
    return read


def refuse_where_none_can_run(specs: Iterable[AuditSpec]) -> None:
    """Raise what an audit would say early of the first of several specs, where all of them would be refused early."""
    errors: list[FrtauditError] = []
    for spec in specs:
        signals.check()
        try:
            _refuse_absent(spec)
            _refuse_early(spec)
        except FrtauditError as error:
            errors.append(error)
        else:
            return
    if errors:
        raise errors[0]


def _refuse_early(spec: AuditSpec) -> None:
    """Raise what can be told of a spec of good values without its data."""
    refuse_missing_files(spec)
    if spec.seal is not None:
        from frtaudit.signing.seal import load_seal  # it loads what signs

        load_seal(spec.seal)
    check_files(test_set.pairs for test_set in spec.test_sets.values())
    _refuse_missing_lists(spec)
    _refuse_report(spec.report)
    _refuse_places(spec)
    _refuse_unoffered(spec)
    if spec.requirements:
        _refuse_few_replicates(spec)


def _refuse_absent(spec: AuditSpec) -> None:
    """Raise for a root, a seal or a key that is not there, before its values are checked."""
    refuse_missing_root(spec)
    named_files.refuse_missing(spec)


def _refuse_missing_lists(spec: AuditSpec) -> None:
    """What reads thresholds and pairs says of a file that is not there."""
    if spec.thresholds.file is not None and not os.path.lexists(spec.thresholds.file):
        from frtaudit.inputs.thresholds.threshold_file import thresholds_from_file

        thresholds_from_file(spec, "")
    for folds in (spec.folds, *(test_set.folds for test_set in spec.test_sets.values())):
        if folds.file is not None and not os.path.lexists(folds.file):
            need_pairs(Path(folds.file))


def _refuse_report(report: Report) -> None:
    """What a run says of an earlier result and of a folder of templates that are none, and of unknown lists."""
    if report.previous:
        from frtaudit.inputs.previous import read_previous

        read_previous(report.previous)
    if report.templates is not None:
        from frtaudit.report.shape import files_of

        files_of(Path(report.templates))
    if report.checklists:
        from frtaudit.report.checklists import check_names

        check_names(report.checklists)


def _refuse_places(spec: AuditSpec) -> None:
    """What a run says of a checkpoint and of a scheduler that cannot be used."""
    if spec.checkpoint is not None:
        from frtaudit.pipeline.checkpoint import check_place  # it loads what scores

        check_place(spec)
    if spec.dask is not None:
        from frtaudit.pipeline import dask

        dask.check_place(spec.dask)


def _systems(spec: AuditSpec) -> Sequence[str]:
    """The systems that a cohort of frtaudit offers, where it knows them before it is loaded."""
    return [*getattr(spec.cohort, "systems", ())] if is_of_the_house(spec.cohort) else []


def _refuse_unoffered(spec: AuditSpec) -> None:
    """What a run says of a name among the providers that the cohort does not offer."""
    offered = _systems(spec)
    for name in spec.providers or ():
        if offered and isinstance(name, str) and name not in offered:
            raise not_offered(name, offered)


def _refuse_few_replicates(spec: AuditSpec) -> None:
    """Refuse a B that is too small for alpha; for the findings too, where the spec alone tells how many they are."""
    systems = _systems(spec) if spec.providers is None else spec.providers
    if systems and all(schema.classes and not schema.cross for schema in spec.schemas.values()):
        refuse_few_replicates(
            spec, {name: schema.classes for name, schema in spec.schemas.items()}, len(systems)
        )
    check_resamples(spec.bootstrap)
