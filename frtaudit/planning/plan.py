"""From a spec and settings to a plan: what the cohort would have to be. Nothing is audited and nothing written."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec
from frtaudit.errors import SpecError
from frtaudit.evaluation import family_size
from frtaudit.evaluation.answerable import RATIO
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.components import comparisons_of, load_cohort, load_providers
from frtaudit.pipeline.evaluate import groups_of
from frtaudit.planning import decisions, paired, pilot, sizes
from frtaudit.planning.parties import Party, from_cohort, from_sizes, ranked_in, schemas_of
from frtaudit.planning.sizes import PlanContext
from frtaudit.planning.values import Plan, Section, Settings
from frtaudit.planning.wanted import WORDS, Wanted, wanted, with_limits
from frtaudit.stats.sample_size.power import MIN_SUBJECTS

DEFF, ONE = "--deff", "1 (independent comparisons) or more"
SHARE = "a rate between 0 and 1, both excluded"
COMPARED = {"vendor_comparison", "two_systems"}  # analyses whose systems are planned as pairs


def plan(spec: AuditSpec, settings: Settings, progress: Progress = quiet) -> Plan:
    """Every section that spec and settings allow.

    Without ``settings.samples`` the spec's cohort is loaded and, unless ``settings.scores`` is off, scored as a pilot.
    Raises :class:`~frtaudit.errors.FrtauditError`.

    >>> from frtaudit.config.load import load_spec
    >>> from frtaudit.planning.values import with_stand_in
    >>> spec = load_spec(with_stand_in([]))
    >>> found = plan(spec, Settings(subjects=500, samples=4, limits={"fnmr": 0.01}))
    >>> [section.name for section in found.sections]
    ['settings', 'cohort', 'resolution', 'requirement', 'resamples']
    """
    check(settings)
    asked = replace(spec, requirements=with_limits(spec, settings))
    context = PlanContext(alpha=spec.bootstrap.alpha, settings=settings)
    if settings.samples is not None:
        parties = from_sizes(asked, settings.subjects, settings.samples, settings.transactions)
        sections = _sections(asked, context, parties, len(spec.providers or ()), ())
    else:
        cohort_data = load_cohort(asked)
        groups, comparisons = groups_of(cohort_data.cohort), comparisons_of(asked, cohort_data)
        systems = pilot.pilots(asked, cohort_data, comparisons, groups, progress) if settings.scores else ()
        parties = from_cohort(cohort_data, comparisons, groups)
        sections = _sections(asked, context, parties, len(load_providers(asked, cohort_data)), systems)
    return Plan(sections=tuple(sections), alpha=context.alpha, settings=settings)


def check(settings: Settings) -> None:
    """Raise :class:`SpecError` for the first setting that no plan can have."""
    if not 0 < settings.power < 1:
        raise SpecError("--power", f"found {settings.power:g}", "a number between 0 and 1, both excluded")
    if not 1 < settings.ratio < math.inf:
        raise SpecError("--ratio", f"found {settings.ratio:g}", "a number above 1")
    wanted = settings.difference
    if wanted is not None and not 0 < wanted < 1:
        raise SpecError("--difference", f"found {wanted:g}", SHARE.replace("rate", "difference"))
    given = {"--expected": settings.expected, "--limit": settings.limits, DEFF: settings.deff}
    for option, rates in given.items():
        for rate, value in rates.items():
            if rate not in WORDS:
                raise SpecError(option, f"no rate is named {rate!r}", ", ".join(WORDS))
            inside, accepted = (1 <= value < math.inf, ONE) if option == DEFF else (0 < value < 1, SHARE)
            if not inside:
                raise SpecError(option, f"found {rate}={value:g}", accepted)
    _check_sizes(settings.subjects, settings.samples)
    if settings.transactions < 1:
        raise SpecError("--transactions", f"found {settings.transactions}", "1 or more")


def _check_sizes(subjects: int | None, samples: float | None) -> None:
    if subjects is not None and subjects < MIN_SUBJECTS:
        raise SpecError("--subjects", f"found {subjects}", f"{MIN_SUBJECTS} or more")
    if samples is None and subjects is not None:
        raise SpecError("--samples", "no value, but --subjects is given", "how many samples each subject has")
    if samples is not None and not 1 <= samples < math.inf:
        raise SpecError("--samples", f"found {samples:g}", "1 or more")


def _check_used(settings: Settings, used: set[str], whole: Party) -> None:
    """Refuse an expected rate or a design effect of a rate that this plan has not: it would change nothing."""
    for option, given in (("--expected", settings.expected), (DEFF, settings.deff)):
        for rate, value in given.items():
            if rate not in used:
                size = "" if rate in whole.designs else "--samples M "
                names = [f"{name}, " for name in WORDS if name in used]
                accepted = f"{''.join(names)}{'or ' if names else ''}{size}--limit {rate}=X as well"
                text = f"{rate}={value:g} changes nothing: this plan has no limit on {WORDS[rate]}"
                raise SpecError(option, text, accepted)


def _check_sizes_used(settings: Settings, used: set[str], parties: list[Party]) -> None:
    """Refuse transactions of a plan without a limit on them, and a ratio of one without groups."""
    usual = Settings()
    if settings.transactions != usual.transactions and "frr" not in used:
        size = "" if settings.samples is not None else "--samples M "
        text = f"{settings.transactions} changes nothing: this plan has no limit on {WORDS['frr']} by size"
        raise SpecError("--transactions", text, f"{size}--limit frr=X as well")
    if settings.ratio != usual.ratio and not any(schemas_of(parties)):
        text = f"{settings.ratio:g} changes nothing: this plan has no groups"
        raise SpecError("--ratio", text, "a spec with schemas of two classes or more")


def _sections(
    spec: AuditSpec, context: PlanContext, parties: list[Party], count: int, systems: Iterable[SystemData]
) -> Iterator[Section]:
    entries = list(wanted(spec.requirements, parties, context.settings))
    planned = [entry for entry in entries if isinstance(entry, Wanted)]
    rates = list(_rates(spec, planned, context.settings))
    # Limits that are somebody else's, or of a ratio to the overall rate, are planned together.
    together = bool(spec.profiles) or any(entry.metric == RATIO for entry in spec.requirements)
    decided = decisions.demands(spec, planned, parties, context) if together else []
    compared_rates = {rate for rate, _ in rates} if any(schemas_of(parties)) else set()
    used = {goal.rate for goal in planned} | {demand.rate for demand in decided} | compared_rates
    _check_used(context.settings, used, parties[0])
    _check_sizes_used(context.settings, used, parties)
    yield sizes.settings(context)
    yield sizes.cohort(parties)
    if spec.thresholds.fmr:
        yield sizes.resolution(parties, spec.thresholds.fmr)
    for goal in planned:
        yield sizes.limit(goal, context)
    yield from sizes.ratios(parties, rates, context)
    yield from decisions.sections(spec, decided, parties, context)
    ratios = {demand.requirement.name for demand in decided}
    left = [entry for entry in entries if not isinstance(entry, Wanted) and entry[0].name not in ratios]
    if left:
        yield Section(
            name="unplanned",
            title="Requirements without a plan",
            columns=("requirement", "metric", "why"),
            rows=tuple((requirement.name, requirement.metric, why) for requirement, why in left),
        )
    if spec.requirements:
        verdicts = (family_size.planned([entry], ranked_in(parties), 1) for entry in spec.requirements)
        members = sum(max(1, count_of_system) for count_of_system in verdicts)
        sides = family_size.directions(spec.requirements)
        yield sizes.resamples(members, count, context.alpha, spec.bootstrap.B, sides)
    compared: list[SystemData] = []
    for system in systems:
        compared += [system] if COMPARED & set(spec.analyses) else []
        yield from pilot.limits(system, planned, context)
        yield from pilot.ratios(system, parties, context)
        yield from pilot.classes(system, context)
    yield from paired.differences(compared, context)


def _rates(spec: AuditSpec, planned: list[Wanted], settings: Settings) -> Iterator[tuple[str, float]]:
    """At which rates groups are compared: FNMR as expected, FMR as expected or at each target."""
    fnmr = [goal.expected for goal in planned if goal.rate == "fnmr"]
    if "fnmr" in settings.expected or fnmr:
        yield "fnmr", settings.expected.get("fnmr", min(fnmr, default=0.0))
    targets = [settings.expected["fmr"]] if "fmr" in settings.expected else spec.thresholds.fmr
    for target in sorted(targets, reverse=True):
        yield "fmr", target
