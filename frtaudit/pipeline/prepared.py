"""Everything about an audit that is known before a score is: ``run`` starts with it, and ``check`` ends with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frtaudit.config.replicates import refuse_few_replicates
from frtaudit.core import CohortData, Comparisons, Groups
from frtaudit.core.machine import signals
from frtaudit.core.plain.structure import closest
from frtaudit.core.spec import AuditSpec, ThresholdSource
from frtaudit.errors import SpecError
from frtaudit.evaluation.protocols import CohortSource, Provider
from frtaudit.inputs.pairing import repeated_notes
from frtaudit.inputs.thresholds.threshold_file import refuse_own_result
from frtaudit.pipeline.components import comparisons_of, lists_of, load_cohort, load_providers, surveys_of
from frtaudit.pipeline.evaluate import groups_of, refuse_unresolved
from frtaudit.pipeline.provenance import used_files
from frtaudit.pipeline.thresholds import Named, declared_thresholds

NAMES = ("recommended", "name")  # what ``at`` calls a threshold by


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An audit before its first score. ``lists``: each test set's pairs, and their origin; ``surveys``: by analysis."""

    cohort_data: CohortData
    groups: Groups
    providers: Sequence[Provider]
    comparisons: Comparisons
    lists: Mapping[str, tuple[Comparisons, str]]
    surveys: Mapping[str, object]

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noted of the lists of pairs, of the protocol and of each test set."""
        listed = {f"test set {name}": comparisons for name, (comparisons, _) in self.lists.items()}
        if not self.comparisons.all_pairs and self.cohort_data.named:
            listed = {"protocol": self.comparisons, **listed}
        return tuple(note for where, pairs in listed.items() for note in repeated_notes(where, pairs))


def prepare(spec: AuditSpec, source: CohortSource | None = None) -> Prepared:
    """Load and survey what the spec names; ``source``: loads the cohort in place of ``spec.cohort``.

    Raises every error that an audit stops with before it scores: those of cohort, systems, thresholds, targets,
    resamples, test sets, and of each analysis' own survey.
    """
    cohort_data = load_cohort(spec, source)
    groups = groups_of(cohort_data.cohort)
    providers = load_providers(spec, cohort_data)
    signals.check()
    comparisons = comparisons_of(spec, cohort_data)
    refuse_own_result(spec, cohort_data.cohort.digest, used_files(spec, cohort_data, providers))
    refuse_unresolved(spec, cohort_data, comparisons)
    refuse_few_replicates(spec, ranked_classes(groups), len(providers))
    refuse_unknown_names(spec, [declared_thresholds(spec, provider) for provider in providers])
    return Prepared(
        cohort_data=cohort_data,
        groups=groups,
        providers=providers,
        comparisons=comparisons,
        lists=lists_of(spec, cohort_data, comparisons),
        surveys=surveys_of(spec, cohort_data),
    )


def refuse_unknown_names(spec: AuditSpec, declared: Sequence[Named]) -> None:
    """Refuse a requirement at a named threshold that no system has; those of these data have names only afterwards."""
    for requirement in spec.requirements:
        for key in NAMES:
            name = requirement.at.get(key)
            if name is None or requirement.at.get("source") == ThresholdSource.SAME_DATA.value:
                continue
            known = sorted({str(at[key]) for named in declared for _, at in named if key in at})
            if name not in known:
                text = f"no system has a threshold named {name!r}{closest(str(name), known)}"
                accepted = ", ".join(known) or "a threshold by value: at: {threshold: ...}"
                raise SpecError(f"requirements.{requirement.name}.at.{key}", text, accepted)


def ranked_classes(groups: Groups) -> dict[str, tuple[str, ...]]:
    """Schema to its classes, ``unknown`` apart."""
    flags = list(zip(groups.names, groups.ranked, strict=True))
    return {
        schema: tuple(name for (group_schema, name), ranked in flags if group_schema == schema and ranked)
        for schema in groups.schemas
    }
