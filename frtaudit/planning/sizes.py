"""The sections that need no scores: cohort, resolution, limits, ratios between groups, resamples."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.text import formatting
from frtaudit.planning.parties import Party, of_schema, schemas_of
from frtaudit.planning.values import Cell, Section, Settings
from frtaudit.planning.wanted import EACH, WORDS, Wanted
from frtaudit.stats.rates.resolution import MIN_EXPECTED, WARN_EXPECTED
from frtaudit.stats.sample_size import detectable, power
from frtaudit.stats.sample_size.power import INDEPENDENT, RULE_OF_3, RULE_OF_30, ComparisonDesign, Dependence

GIVEN = "deff given"
TOO_FEW = (
    f"-: the group with the lower rate would have fewer than {MIN_ERRORS} errors or errors of fewer than "
    f"{MIN_ERROR_SUBJECTS} subjects, or the higher rate would exceed 1"
)
NO_SIZE = "smallest ratio: of a size only, --subjects"
SAID = (
    "independent: comparisons treated as independent; dependent: all comparisons of one subject err together",
    "the true number is between them: a pilot's scores, or --deff, give an estimate",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanContext:
    """What every section is worked out with."""

    alpha: float
    settings: Settings

    def ways(self, rate: str, design: ComparisonDesign, *, rule: bool) -> dict[str, Dependence]:
        """How comparisons may hang together: not, all of one subject, or as given; ``rule``: as FORMULAS 8.1 counts."""
        dependences = {
            "independent": power.least(design) if rule else INDEPENDENT,
            "dependent": power.worst(design),
        }
        given = self.settings.deff.get(rate)
        return dependences if given is None else {**dependences, GIVEN: Dependence(base=given, share=0.0)}

    def subjects_to_find(
        self, rate: float, design: ComparisonDesign, drawn: Dependence, groups: int
    ) -> int | None:
        """Subjects of each of ``groups`` groups that find the ratio asked for; ``rate``: the lower one."""
        ratio, power_asked = self.settings.ratio, self.settings.power
        return detectable.subjects_to_find(
            ratio, rate, design, drawn, groups=groups, alpha=self.alpha, power=power_asked
        )

    def enough_subjects(
        self, rate: float, design: ComparisonDesign, drawn: Dependence, subjects: int
    ) -> bool:
        """Whether enough of a group's subjects have an error for its comparison with others."""
        return detectable.enough_subjects(rate, design, drawn, subjects, self.settings.power)

    def detectable_ratio(self, rate: float, n_eff: float, other_n_eff: float, groups: int) -> float | None:
        """The smallest ratio to ``rate`` that two groups of so many effective comparisons let find."""
        return detectable.detectable_ratio(
            rate, n_eff, other_n_eff, groups=groups, alpha=self.alpha, power=self.settings.power
        )


def settings(context: PlanContext) -> Section:
    """What the plan was made with."""
    title = f"Plan: alpha {context.alpha:g}, power {context.settings.power:g}"
    return Section(name="settings", title=title, notes=SAID)


def cohort(parties: list[Party]) -> Section:
    """Who there is."""
    rows = tuple(
        (
            party.schema or "",
            party.name,
            party.subjects,
            float(party.samples),
            party.trials("fnmr"),
            party.trials("fmr"),
        )
        for party in parties
    )
    columns = ("schema", "group", "subjects", "samples each", "mated", "non-mated")
    notes = () if parties[0].subjects is not None else ("how many subjects: see below",)
    return Section(name="cohort", title="Cohort", columns=columns, rows=rows, notes=notes)


def resolution(parties: list[Party], targets: tuple[float, ...]) -> Section:
    """Expected false matches at each FMR target, and the subjects that the target needs (FORMULAS 8.4)."""
    everybody = parties[0]
    design, trials = everybody.designs["fmr"], everybody.trials("fmr")
    rows = []
    for target in sorted(targets, reverse=True):
        needed = [
            power.subjects_for(design, INDEPENDENT, count / target) for count in (MIN_EXPECTED, WARN_EXPECTED)
        ]
        expected = None if trials is None else target * trials
        rows.append((target, expected, _answer(expected), *needed))
    return Section(
        name="resolution",
        title="FMR targets: false matches expected in the cohort",
        columns=("FMR", "expected", "outcome", f"subjects for {MIN_EXPECTED:g}", f"for {WARN_EXPECTED:g}"),
        rows=tuple(rows),
        notes=(f"below {MIN_EXPECTED:g} a target is refused, below {WARN_EXPECTED:g} there is a warning",),
    )


def limit(asked: Wanted, context: PlanContext) -> Section:
    """What a requirement needs of each group: rule of 3, rule of 30, and the power to pass."""
    first, *others = asked.parties
    alike = all((party.designs, party.subjects) == (first.designs, first.subjects) for party in others)
    parties = [replace(first, name=EACH)] if others and alike else asked.parties  # one stands for all
    ways = context.ways(asked.rate, parties[0].designs[asked.rate], rule=True)
    counts = [f"{name}: {what}" for name in ways for what in ("subjects", "comparisons")]
    return Section(
        name="requirement",
        title=asked.title(),
        columns=("group", "by", *counts, "there are: subjects"),
        rows=tuple(row for party in parties for row in _needs(party, asked, context)),
        notes=_minimum(asked),
    )


def _minimum(asked: Wanted) -> tuple[str, ...]:
    sizes = [
        f"{formatting.count(least)} {kind}" for kind, least in asked.requirement.minimum.items() if least > 1
    ]
    return (
        (f"the requirement asks for {' and '.join(sizes)}, else not testable; the rows of pass allow for it",)
        if sizes
        else ()
    )


def ratios(parties: list[Party], rates: list[tuple[str, float]], context: PlanContext) -> Iterator[Section]:
    """The smallest ratio that the two smallest groups of each schema let find, and what ``settings.ratio`` needs.

    ``rates``: rate name, and the rate of the group that errs less.
    """
    for schema in schemas_of(parties):
        groups = of_schema(parties, schema)
        if groups[0].subjects is not None:
            groups = sorted(groups, key=lambda party: party.subjects or 0)
        rows = [
            (WORDS[rate], expected, name, *cells)
            for rate, expected in rates
            for name, cells in _ratio_rows(groups, rate, expected, context)
        ]
        least = ", ".join(
            party.name if party.subjects is None else f"{party.name} ({party.subjects})"
            for party in groups[:2]
        )
        between = f"between the smallest groups, {least}"
        yield Section(
            name="ratio",
            title=f"Differences between the {len(groups)} groups of {schema}",
            columns=(
                "rate",
                "lower rate",
                "comparisons",
                "smallest ratio",
                f"subjects per group for {context.settings.ratio:g}",
            ),
            rows=tuple(rows),
            notes=(NO_SIZE if groups[0].subjects is None else between, TOO_FEW),
        )


def resamples(verdicts: int, systems: int, alpha: float, planned: int, sides: int = 1) -> Section:
    """B of a confirmatory family: 1/(B+1) <= alpha/m (FORMULAS 8.9); ``systems`` 0: not known, one is taken.

    ``sides``: 2 where a requirement is two-sided: its p is twice that of one side.
    """
    family = verdicts * max(systems, 1)
    needed = math.ceil(round(sides * family / alpha, 9)) - 1
    enough = "enough" if planned >= needed else "too few"
    family_of = f"family: {verdicts} requirements and groups x {max(systems, 1)} systems"
    return Section(
        name="resamples",
        title="Bootstrap resamples",
        columns=("family", "alpha", "B needed", "B of the spec", "outcome"),
        rows=((family, alpha, needed, planned, enough),),
        notes=(f"{family_of}; needed: {sides}/(B+1) <= alpha/family",),
    )


def _needs(party: Party, asked: Wanted, context: PlanContext) -> Iterator[tuple[Cell, ...]]:
    design = party.designs[asked.rate]
    have, alpha, wanted = party.subjects, asked.alpha(context.alpha), context.settings.power
    ways = context.ways(asked.rate, design, rule=False).values()
    for name, errors in (("rule of 3", RULE_OF_3), ("rule of 30", RULE_OF_30)):
        by_rule = [power.subjects_for(design, way, errors / asked.limit) for way in ways]
        yield (party.name, name, *_pairs(design, by_rule), have)
    ways = context.ways(asked.rate, design, rule=True).values()
    for name, rate in {"pass at no error": 0.0, f"pass, power {wanted:g}": asked.expected}.items():
        to_pass = [asked.subjects_to_pass(design, way, rate, alpha, wanted) for way in ways]
        yield (party.name, name, *_pairs(design, to_pass), have)


def _pairs(design: ComparisonDesign, subjects: list[int | None]) -> Iterator[int | None]:
    for count in subjects:
        yield count
        yield None if count is None else round(design.trials(count))


def _ratio_rows(
    groups: list[Party], rate: str, expected: float, context: PlanContext
) -> Iterator[tuple[str, tuple[Cell, Cell]]]:
    small, next_small = groups[0], groups[1]
    design = small.designs[rate]
    for name, way in context.ways(rate, design, rule=True).items():
        drawn = detectable.resampled(way, design)
        ratio = None
        if small.subjects is not None and next_small.subjects is not None:
            n_eff = drawn.n_eff(design, small.subjects)
            next_n_eff = drawn.n_eff(next_small.designs[rate], next_small.subjects)
            if all(_enough(expected, group, rate, name, context) for group in groups):
                ratio = context.detectable_ratio(expected, n_eff, next_n_eff, len(groups))
        yield name, (ratio, context.subjects_to_find(expected, design, drawn, len(groups)))


def _enough(expected: float, group: Party, rate: str, way: str, context: PlanContext) -> bool:
    """Whether enough subjects of a group that is to be so large, or is of any size, have an error."""
    if group.subjects is None:
        return True
    design = group.designs[rate]
    drawn = detectable.resampled(context.ways(rate, design, rule=True)[way], design)
    return context.enough_subjects(expected, design, drawn, group.subjects)


def _answer(expected: float | None) -> str:
    if expected is None:
        return ""
    if expected < MIN_EXPECTED * (1 - 1e-9):
        return "refused"
    return "warning" if expected < WARN_EXPECTED else "resolved"
