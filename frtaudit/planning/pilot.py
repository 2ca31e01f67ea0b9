"""What the providers' own scores say to a plan: rates, design effects (FORMULAS 8.1), and how far classes lie apart."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from frtaudit.core import CohortData, Comparisons, Groups
from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import AuditSpec, Folds, RequirementSpec, Weighting
from frtaudit.evaluation.system import SystemData
from frtaudit.pipeline.components import load_providers
from frtaudit.pipeline.evaluate import evaluate_system
from frtaudit.planning.parties import Party, of_schema, schemas_of
from frtaudit.planning.sizes import TOO_FEW, PlanContext
from frtaudit.planning.values import Cell, Section
from frtaudit.planning.wanted import WORDS, Wanted
from frtaudit.stats.intervals.wilson import RuleInterval
from frtaudit.stats.sample_size import detectable, power
from frtaudit.stats.sample_size.efficiency import noether, probability_above

POOLED = 0
MIN_SUBJECTS = 2  # subjects of a class with mated scores
WEAK = "few errors: the design effect of another threshold is used"


def pilots(
    spec: AuditSpec,
    cohort_data: CohortData,
    comparisons: Comparisons,
    groups: Groups,
    progress: Progress = quiet,
) -> Iterator[SystemData]:
    """Score each provider as the audit would, without replicates and folds."""
    bare = replace(spec, bootstrap=replace(spec.bootstrap, plans=()), folds=Folds(), intervals=())
    for provider in progress(load_providers(spec, cohort_data), "systems"):
        yield evaluate_system(bare, provider, cohort_data, comparisons, groups, progress)


def limits(system: SystemData, asked: list[Wanted], context: PlanContext) -> Iterator[Section]:
    """What each planned requirement needs by this provider's own dependence, at the expected rate and at its own."""
    rows: list[tuple[Cell, ...]] = []
    notes: list[str] = []
    for goal, party in [(wanted, of) for wanted in asked for of in wanted.parties]:
        place = f"{goal.requirement.name}, {party.name}"
        threshold = _threshold(system, goal.requirement)
        interval = None if threshold is None else read(system, goal.rate, party, threshold)
        if interval is None:
            notes.append(f"{place}: not estimated from these scores")
            continue
        design, asked_power = party.designs[goal.rate], context.settings.power
        way = power.measured(design, party.subjects or 0, interval.deff)
        needed = (
            goal.subjects_to_pass(design, way, rate, goal.alpha(context.alpha), asked_power)
            for rate in (goal.expected, interval.rate)
        )
        cells = interval.errors, float(interval.rate), float(interval.deff), *needed, party.subjects
        rows.append((goal.requirement.name, party.name, *cells))
        if interval.borrowed_from is not None or interval.note:
            notes.append(f"{place}: {WEAK}")
    if asked:
        yield Section(
            name="pilot",
            title=f"Pilot {system.provider}: subjects to pass with its own design effect",
            columns=(
                "requirement",
                "group",
                "errors",
                "rate",
                "deff",
                "at the rate: expected",
                "own",
                "there are",
            ),
            rows=tuple(rows),
            notes=tuple(notes),
        )


def ratios(system: SystemData, parties: list[Party], context: PlanContext) -> Iterator[Section]:
    """The ratio that the groups of each schema let find, with this provider's rates and dependence."""
    points = system.operating_points
    for schema in schemas_of(parties):
        groups = of_schema(parties, schema)
        rows = [
            (WORDS[rate], points.targets[place], *cells)
            for place in reversed(points.declared)
            for rate in ("fnmr", "fmr")
            for cells in _ratio(system, rate, float(points.at_target[POOLED, place]), groups, context)
        ]
        if rows:
            yield Section(
                name="pilot_ratio",
                title=f"Pilot {system.provider}: differences between the {len(groups)} groups of {schema}",
                columns=(
                    "rate",
                    "at FMR",
                    "lowest rate",
                    "largest deff",
                    "smallest ratio",
                    f"subjects per group for {context.settings.ratio:g}",
                ),
                rows=tuple(rows),
                notes=(TOO_FEW,),
            )


def classes(system: SystemData, context: PlanContext) -> Iterator[Section]:
    """Subjects of each class by Mann-Whitney, from the mean mated score of each subject; alpha over the classes."""
    means, who = subject_means(system)
    for s, schema in enumerate(system.groups.schemas):
        flags = enumerate(zip(system.groups.names, system.groups.ranked, strict=True))
        names = [(g, name) for g, ((of, name), is_ranked) in flags if of == schema and is_ranked]
        rows = tuple(
            _apart(name, g, system.groups.of[s][who], means, len(names), context) for g, name in names
        )
        if len(names) > 1:
            yield Section(
                name="classes",
                title=f"Pilot {system.provider}: {schema}, mean mated score of each subject, a class against the rest "
                "(Mann-Whitney)",
                columns=("class", "subjects", "P(class > rest)", "subjects of the class", "of all"),
                rows=rows,
                notes=(
                    "needed to detect a shift as large as the pilot's; the number is too small if that is chance",
                    f"alpha is divided by the {len(names)} classes, unlike in Peña-Alcántara (2022), who needs fewer"
                    if len(names) > 2
                    else "one test at alpha: of two classes each is the other's rest",
                ),
            )


def subject_means(system: SystemData) -> tuple[Floats, Ints]:
    """Mean mated score of each subject that has one, and which subjects they are."""
    tail = system.tail
    owner = tail.subject_of[tail.mated_i]
    count = np.bincount(owner, minlength=tail.n_samples.size)
    total = np.bincount(owner, weights=tail.mated_score.astype(np.float64), minlength=tail.n_samples.size)
    who = np.flatnonzero(count).astype(np.int64)
    return total[who] / count[who], who


def read(system: SystemData, rate: str, party: Party, threshold: float) -> RuleInterval | None:
    """A rate of a party at a threshold, with its design effect; None where the scores do not say."""
    if rate == "fta" or math.isnan(threshold):
        return None
    group_index = 0 if party.schema is None else 1 + system.groups.names.index((party.schema, party.name))
    rule = system.rule.fmr if rate == "fmr" else system.rule.fnmr
    interval = rule(threshold, group_index, system.spec.bootstrap.alpha, Weighting.POOLED)
    is_little = interval.trials == 0 or interval.subjects < MIN_SUBJECTS
    return None if is_little else interval


def _threshold(system: SystemData, requirement: RequirementSpec) -> float | None:
    """Where a requirement is read: at an FMR target (pooled), at a threshold by value, or at one by its name."""
    at, points = requirement.at, system.operating_points
    if isinstance(at.get("fmr"), float) and at["fmr"] in points.targets:
        return float(points.at_target[POOLED, points.targets.index(float(at["fmr"]))])
    for value, origin in zip(points.thresholds, points.origin, strict=True):
        if at.get("threshold") == value or (at and all(origin.get(key) == at[key] for key in at)):
            return value
    return None


def _ratio(
    system: SystemData, rate: str, threshold: float, groups: list[Party], context: PlanContext
) -> Iterator[tuple[Cell, ...]]:
    """Lowest rate, largest deff, the ratio that the groups of fewest effective comparisons let find, and subjects."""
    read_of = [(party, read(system, rate, party, threshold)) for party in groups]
    seen = [(party, interval) for party, interval in read_of if interval is not None]
    if len(seen) < MIN_SUBJECTS:
        return
    lowest, deff = min(interval.rate for _, interval in seen), max(interval.deff for _, interval in seen)
    ratio = needed = None
    if lowest > 0:
        ways, sizes, erring = [], [], []
        for party, interval in seen:
            design, subjects = party.designs[rate], party.subjects or 0
            ways.append(detectable.resampled(power.measured(design, subjects, interval.deff), design))
            sizes.append(ways[-1].n_eff(design, subjects))
            erring.append(context.enough_subjects(lowest, design, ways[-1], subjects))
        few = min(range(len(seen)), key=lambda place: sizes[place])
        fewest, next_fewest = sorted(sizes)[:2]
        ratio = context.detectable_ratio(lowest, fewest, next_fewest, len(seen)) if all(erring) else None
        needed = context.subjects_to_find(lowest, seen[few][0].designs[rate], ways[few], len(seen))
    yield lowest, float(deff), ratio, needed


def _apart(
    name: str, group: int, codes: Index, means: Floats, count: int, context: PlanContext
) -> tuple[Cell, ...]:
    """A class against the others: subjects, P(class > rest) with ties half, and Noether's numbers."""
    inside, rest = means[codes == group], means[(codes >= 0) & (codes != group)]
    if inside.size < MIN_SUBJECTS or rest.size < MIN_SUBJECTS:
        return name, int(inside.size), None, None, None
    share = inside.size / (inside.size + rest.size)
    p = probability_above(rest, inside)
    tests = count if count > 2 else 1  # of two classes each is the other's rest
    total = noether(p, share, context.alpha / tests, context.settings.power)
    if math.isinf(total):
        return name, int(inside.size), p, None, None
    return name, int(inside.size), p, math.ceil(share * total), math.ceil(total)
