"""``frtaudit check``: a spec and its data, looked at without running the audit."""

from pathlib import Path

from frtaudit.core import Cohort, CohortData
from frtaudit.core.spec import AuditSpec, FoldSource
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.pipeline.audit import refuse_few_replicates
from frtaudit.pipeline.components import comparisons_of, lists_of, load_cohort, load_providers
from frtaudit.pipeline.evaluate import groups_of, planned_non_mated, refuse_unresolved
from frtaudit.pipeline.thresholds import declared_thresholds


def check(spec: AuditSpec) -> list[str]:
    """What the audit would do, one line each.

    Raises the error that the audit would stop with, as far as no score is needed.
    Loads the cohort and every provider's templates; reads the pair lists.
    """
    cohort_data = load_cohort(spec)
    groups = groups_of(cohort_data.cohort)
    providers = load_providers(spec, cohort_data)
    comparisons = comparisons_of(spec, cohort_data)
    refuse_unresolved(spec, cohort_data, comparisons)
    refuse_few_replicates(spec, groups, len(providers))
    lines = [_cohort_line(cohort_data)]
    lines += [f"schema {name}: {_classes(cohort_data.cohort, name)}" for name in groups.schemas]
    kind = "all pairs" if comparisons.all_pairs else f"{comparisons.n_listed} listed comparisons"
    lines.append(f"protocol: {kind}, {planned_non_mated(cohort_data.cohort, comparisons)} of them non-mated")
    for provider in providers:
        declared_thresholds(spec, provider)
        lines.append(_provider_line(cohort_data, provider.name))
    if spec.folds.source is FoldSource.FILE and spec.folds.file:
        read_pairs(Path(spec.folds.file), cohort_data.cohort)
    elif spec.folds.source is FoldSource.OFFICIAL and cohort_data.pairs:
        read_pairs(cohort_data.pairs, cohort_data.cohort)
    for name, (listed, origin) in lists_of(spec, cohort_data, comparisons).items():
        lines.append(f"test set {name}: {listed.n_listed} pairs, folds {origin}")
    lines.append(
        f"analyses: {', '.join(spec.analyses)}; B {spec.bootstrap.B}, alpha {spec.bootstrap.alpha:g}"
    )
    lines += [f"warning: {note}" for note in cohort_data.notes]
    return lines


def _cohort_line(cohort_data: CohortData) -> str:
    cohort = cohort_data.cohort
    dropped = "".join(f"; {entry.count} {entry.unit} {entry.code}" for entry in cohort.ledger)
    if not cohort_data.named:
        return f"cohort: the files name no subjects{dropped}"
    return f"cohort: {cohort.n_samples} samples of {cohort.n_subjects} subjects{dropped}"


def _classes(cohort: Cohort, name: str) -> str:
    schema = cohort.classifications[name]
    counts = [f"{label} {int((schema.codes == code).sum())}" for code, label in enumerate(schema.classes)]
    unknown = int((schema.codes < 0).sum())
    return f"{', '.join(counts)}{f', unknown {unknown}' if unknown else ''} subjects"


def _provider_line(cohort_data: object, name: str) -> str:
    templates = getattr(cohort_data, "templates", {})
    if name not in templates:
        return f"provider {name}"
    rows, width = templates[name]().vectors.shape
    return f"provider {name}: {rows} templates of {width} numbers"
