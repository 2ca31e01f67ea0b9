"""The plug-ins that a spec names, as what they do: cohort, comparisons, analyses, and the systems audited."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from frtaudit.config.plugins import naming
from frtaudit.core import CohortData, Comparisons
from frtaudit.core.registry import lookup
from frtaudit.core.spec import AuditSpec
from frtaudit.core.text.names import is_title
from frtaudit.errors import SpecError
from frtaudit.evaluation.protocols import Analysis, CohortAnalysis, CohortSource, Pairing, Provider
from frtaudit.evaluation.system import offered
from frtaudit.inputs.acquisition import SIGNED, usual_range
from frtaudit.inputs.class_rules import as_read
from frtaudit.inputs.places import not_offered
from frtaudit.inputs.roster import missing_notes
from frtaudit.inputs.sanitize import sanitized
from frtaudit.inputs.score_lists.nameless import refuse_people
from frtaudit.inputs.twins import class_notes, twin_notes
from frtaudit.pipeline.test_sets import set_pairs

PROVIDER = ("name", "score_range", "recommended", "thresholds_version", "failed", "score_table", "score_tail")
MAPPINGS = "a list of names or of mappings with name and type"
TEMPLATES = (
    "templates/<provider>.npz below cohort.root; "
    "embeddings of any other layout: frtaudit import FOLDER into=OUT"
)


def load_cohort(spec: AuditSpec, source: CohortSource | None = None) -> CohortData:
    """The cohort that the spec names, loaded, classified and sanitized; ``source``: what loads it instead."""
    source = source or cast("CohortSource", spec.cohort)
    with naming(source):
        read = source.load(as_read(spec.schemas, spec.sanitize) if spec.sanitize else spec.schemas, spec.seed)
        refuse_people(spec, read)
        read = replace(read, notes=(*read.notes, *_twin_notes(read), *missing_notes(read.cohort)))
    return replace(sanitized(read, spec) if spec.sanitize else read, seed=spec.seed)


def _twin_notes(cohort_data: CohortData) -> tuple[str, ...]:
    """Names that look alike and are not one: of people, images, systems and classes."""
    if not cohort_data.named:
        return ()
    systems = sorted({*cohort_data.templates, *cohort_data.tables})
    named = {
        "subject": cohort_data.cohort.subject_ids,
        "sample": cohort_data.cohort.sample_ids,
        "system": systems,
    }
    ids = [note for what, names in named.items() for note in twin_notes(names, what)]
    classified = cohort_data.cohort.classifications.items()
    return (*ids, *(note for name, known in classified for note in class_notes(name, known.classes)))


def comparisons_of(spec: AuditSpec, cohort_data: CohortData) -> Comparisons:
    """The comparisons that the spec's protocol makes."""
    with naming(spec.protocol):
        return cast("Pairing", spec.protocol).comparisons(cohort_data)


def analyses_of(spec: AuditSpec) -> list[Analysis]:
    """The spec's analyses, in its order."""
    return [cast("Analysis", analysis) for analysis in spec.analyses.values()]


def lists_of(
    spec: AuditSpec, cohort_data: CohortData, comparisons: Comparisons
) -> dict[str, tuple[Comparisons, str]]:
    """The pairs of every declared test set, and their origin in words."""
    lists: dict[str, tuple[Comparisons, str]] = {}
    for name, test_set in spec.test_sets.items():
        pairs = None if test_set.pairs is None else cast("Pairing", test_set.pairs).comparisons(cohort_data)
        lists[name] = set_pairs(spec, name, cohort_data, pairs, comparisons)
    return lists


def surveys_of(spec: AuditSpec, cohort_data: CohortData) -> Mapping[str, object]:
    """What analyses find out once for all systems, by the name that the spec gives them."""
    return {
        name: analysis.survey(spec, cohort_data)
        for name, analysis in spec.analyses.items()
        if isinstance(analysis, CohortAnalysis)
    }


def load_providers(spec: AuditSpec, cohort_data: CohortData) -> list[Provider]:
    """The providers, in the spec's order; a bare name is scored from the cohort's templates or its score lists.

    Raises :class:`SpecError` for a name that the cohort does not offer, or one that appears twice.
    """
    known = offered(cohort_data)
    wanted = known if spec.providers is None else list(spec.providers)
    panel = [_named(entry, cohort_data, known) if isinstance(entry, str) else entry for entry in wanted]
    providers = [_complete(entry) for entry in panel]
    names = [provider.name for provider in providers]
    hidden = [name for name in names if not is_title(name)]
    if hidden:
        accepted = "names with a visible character and no control character"
        raise SpecError("providers", f"a system is named {hidden[0]!r}", accepted)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SpecError("providers", f"{twice[0]!r} appears twice", "each name once")
    for where, of in {"trained_on": spec.trained_on, "provenance.systems": spec.provenance.systems}.items():
        stray = [name for name in of if name not in names]
        if stray:
            raise SpecError(where, f"no system is named {stray[0]!r}", ", ".join(names))
    if not providers:
        text = "no provider" if known else "no provider, and the cohort has no templates or score lists"
        raise SpecError("providers", text, MAPPINGS if known else f"{MAPPINGS}; {TEMPLATES}")
    return providers


def _complete(item: object) -> Provider:
    """A provider that has what a run asks of it: a plug-in of another wheel may lack some."""
    missing = [name for name in PROVIDER if not hasattr(item, name)]
    if missing:
        plugin = f"{type(item).__module__}.{type(item).__name__}"
        raise SpecError("providers", f"{plugin} has no {missing[0]!r}", f"a class with {', '.join(PROVIDER)}")
    return cast("Provider", item)


def _range_of(name: str, cohort_data: CohortData) -> tuple[float, float]:
    """The range of a score list: -1 to 1 also without a negative score, where another list of the cohort has one."""
    usual = usual_range(cohort_data.tables[name][1].score)
    if usual != (0.0, 1.0):
        return usual
    others = (usual_range(table.score) for _, table in cohort_data.tables.values())
    return SIGNED if SIGNED in others else usual


def _named(name: str, cohort_data: CohortData, known: list[str]) -> object:
    if name in cohort_data.stored_systems:
        of = cohort_data.stored_systems[name]
        return lookup("provider", "finished", "providers")(name=name, score_range=of.score_range)
    if name in cohort_data.templates:
        return lookup("provider", "cosine", "providers")(name=name)
    if name in cohort_data.tables:
        return lookup("provider", "precomputed", "providers")(
            name=name, score_range=_range_of(name, cohort_data)
        )
    raise not_offered(name, known)
