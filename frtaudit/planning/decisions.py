"""What it takes to decide every requirement of a profile, the cheapest design, and what a cohort can decide."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from frtaudit.core.spec import AuditSpec, RequirementSpec
from frtaudit.evaluation.answerable import EVERYBODY, RATIO, why_not
from frtaudit.planning.parties import Party, of_schema, ranked_in
from frtaudit.planning.sizes import GIVEN, PlanContext
from frtaudit.planning.values import Cell, Section
from frtaudit.planning.wanted import EACH, HALF, WORDS, Wanted, alpha_of, group_parties, too_small
from frtaudit.stats.sample_size import power
from frtaudit.stats.sample_size.overall_ratio import power_to_pass_ratio
from frtaudit.stats.sample_size.power import INDEPENDENT, ComparisonDesign, Dependence

SAMPLES = (1, 2, 3, 4, 6, 8, 12)
TRANSACTIONS = (1, 2, 3, 5, 10)
OF_TRANSACTIONS = {"far", "frr"}
WAYS = ("independent", "dependent")
ENOUGH = 1 - 1e-12
RATIO_SAYS = "ratio to overall: the rates of the groups are taken to be equal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """A requirement on one group: ``rate``, the true one ``expected``, the error ``alpha`` of the bound that passes.

    ``share``: of all subjects that the group has; ``deff``: a design effect given for the rate.
    """

    requirement: RequirementSpec
    rate: str
    expected: float
    alpha: float
    party: Party
    share: float
    deff: float | None = None

    def sizes(self, whole: Party) -> tuple[ComparisonDesign, int]:
        """The group's comparisons and subjects in a cohort."""
        if whole.subjects is None or self.party.schema is None:
            return whole.designs[self.rate], whole.subjects or 0
        same = self.party.subjects is not None and whole.samples == self.party.samples
        return (self.party if same else whole).designs[self.rate], int(self.share * whole.subjects)

    def power(self, whole: Party, way: str) -> float:
        """Probability that the requirement passes in a cohort, as comparisons hang together."""
        design, subjects = self.sizes(whole)
        if subjects < power.MIN_SUBJECTS or too_small(self.requirement, design, subjects):
            return 0.0
        if self.requirement.metric == RATIO:
            overall, everybody = whole.designs[self.rate], whole.subjects or 0
            of_all = self._dependence(overall, way, INDEPENDENT)
            trials = overall.trials(everybody)
            if not trials:
                return 0.0
            return power_to_pass_ratio(
                self.expected * of_all.n_eff(overall, everybody),
                design.trials(subjects) / trials,
                self.requirement.limit,
                self.alpha,
                min(subjects, everybody - subjects) or subjects,
            )
        dependence = self._dependence(design, way, power.least(design))
        limit = self.requirement.limit
        return power.power_to_pass(design, dependence, subjects, self.expected, limit, self.alpha)

    def _dependence(self, design: ComparisonDesign, way: str, independent: Dependence) -> Dependence:
        if way == GIVEN and self.deff is not None:
            return Dependence(base=self.deff, share=0.0)
        return power.worst(design) if way == WAYS[1] else independent


def demands(
    spec: AuditSpec, planned: Sequence[Wanted], parties: list[Party], context: PlanContext
) -> list[Demand]:
    """Every planned requirement, and ratios to the overall rate, group by group; groups that do not differ once."""
    rates = {
        rate: min((goal.expected for goal in planned if goal.rate == rate), default=default)
        for rate, default in (("fmr", HALF * min(spec.thresholds.fmr, default=0.0)), ("fnmr", 0.0))
    }
    rates |= context.settings.expected
    asked = [(goal.requirement, goal.rate, goal.expected, goal.parties) for goal in planned]
    for requirement in spec.requirements:
        rate = str(requirement.of).removesuffix("_at_fmr")
        if requirement.metric == RATIO and rates.get(rate):
            asked.append((requirement, rate, rates[rate], tuple(group_parties(requirement, parties))))
    distinct: dict[tuple[object, ...], Demand] = {}
    for place, (requirement, rate, expected, of) in enumerate(asked):
        for party in of:
            share = _share(party, parties)
            alike = [(_share(other, parties), other.designs) == (share, party.designs) for other in of]
            demand = Demand(
                requirement=requirement,
                rate=rate,
                expected=expected,
                alpha=alpha_of(requirement, context.alpha),
                party=replace(party, name=EACH) if sum(alike) > 1 else party,
                share=share,
                deff=context.settings.deff.get(rate),
            )
            distinct.setdefault((place, party.schema, share, str(party.designs)), demand)
    return list(distinct.values())


def _share(party: Party, parties: list[Party]) -> float:
    everybody = parties[0]
    if party.schema is None:
        return 1.0
    if party.subjects is None or not everybody.subjects:
        return 1 / len(of_schema(parties, party.schema))
    return party.subjects / everybody.subjects


def cohort(subjects: int, whole: Party, each: float | None = None) -> Party:
    """Everybody of another cohort: ``subjects`` with the same samples (and transactions) each, or ``each``."""
    if each is None:
        return replace(whole, subjects=subjects)
    designs = {
        **whole.designs,
        "fmr": power.non_mated(each),
        "fnmr": power.mated(each),
        "fta": power.attempts(each),
        "frr": ComparisonDesign(ends=1, each=float(each)),
    }
    return replace(whole, subjects=subjects, samples=each, designs=designs)


def ways(asked: Sequence[Demand]) -> tuple[str, ...]:
    """How comparisons may hang together: not, all of one subject, or as --deff gives for some rate."""
    return (*WAYS, GIVEN) if any(demand.deff is not None for demand in asked) else WAYS


def needed(
    asked: Iterable[Demand], party_of: Callable[[int], Party], way: str, least: float
) -> tuple[int | None, Demand | None]:
    """The fewest subjects in all that decide all of ``asked``, and what decides that number; None where none do."""
    most, last = power.MIN_SUBJECTS, None
    for demand in asked:
        if last is None or demand.power(party_of(most), way) < least * ENOUGH:

            def enough(subjects: int, current: Demand = demand) -> bool:
                return current.power(party_of(subjects), way) >= least * ENOUGH

            fewest = power.fewest(enough)
            if fewest is None:
                return None, demand
            most, last = max(most, fewest), demand
    return most, last


def sections(
    spec: AuditSpec, asked: list[Demand], parties: list[Party], context: PlanContext
) -> Iterator[Section]:
    """What each requirement takes, the cheapest design for all, and what the cohort can decide."""
    if not asked:
        return
    yield _takes(asked, parties[0], context)
    yield _designs(asked, parties[0], context)
    if parties[0].subjects is not None:
        yield _decides(spec, asked, parties, context)


def _takes(asked: list[Demand], whole: Party, context: PlanContext) -> Section:
    rows = []
    for demand in asked:
        cells: list[Cell] = []
        for way in ways(asked):
            fewest, _ = needed([demand], partial(cohort, whole=whole), way, context.settings.power)
            design, subjects = demand.sizes(cohort(fewest or 0, whole))
            trials = design.trials(subjects)
            counted = [demand.expected * trials, round(trials), subjects, fewest]
            cells += counted if fewest is not None else [None] * len(counted)
        rows.append((demand.requirement.name, _group(demand), *cells))
    whats = ("errors", "comparisons", "subjects", "of all")
    return Section(
        name="takes",
        title=f"What it takes to pass each requirement, power {context.settings.power:g}",
        columns=("requirement", "group", *[f"{way}: {what}" for way in ways(asked) for what in whats]),
        rows=tuple(rows),
        notes=(RATIO_SAYS, "errors, comparisons, subjects: of the group; of all: subjects of the cohort"),
    )


def _designs(asked: list[Demand], whole: Party, context: PlanContext) -> Section:
    """Samples, or transactions, of each subject against subjects: the fewest of them that decide all."""
    counted = all(demand.rate in OF_TRANSACTIONS for demand in asked)
    what = "transactions" if counted else "samples"
    rows: list[tuple[Cell, ...]] = []
    least: dict[str, int] = {}
    for each in TRANSACTIONS if counted else SAMPLES:
        cells: list[Cell] = []
        for way in ways(asked):
            fewest, last = needed(asked, partial(cohort, whole=whole, each=each), way, context.settings.power)
            total = None if fewest is None else fewest * each
            if total is not None:
                least[way] = min(total, least.get(way, total))
            cells += [fewest, total, "" if last is None else last.requirement.name]
        rows.append((each, *cells))
    columns = (f"{way}: {name}" for way in ways(asked) for name in ("subjects", what, "for"))
    return Section(
        name="designs",
        title="Designs that decide all of them",
        columns=(f"{what} each", *columns),
        rows=tuple(rows),
        notes=(
            *(f"{way}: {total} {what} at least" for way, total in least.items()),
            "for: the requirement that takes the most, or that no size passes",
        ),
    )


def _decides(spec: AuditSpec, asked: list[Demand], parties: list[Party], context: PlanContext) -> Section:
    """Whether this cohort passes each requirement with the power asked for, before it is scored."""
    ranked = ranked_in(parties)
    rows: list[tuple[Cell, ...]] = []
    for demand in asked:
        design, subjects = demand.sizes(parties[0])
        powers = [demand.power(parties[0], way) for way in ways(asked)]
        reason = None if demand.rate in OF_TRANSACTIONS else why_not(demand.requirement, spec, ranked)
        reason = reason or too_small(demand.requirement, design, subjects)
        outcome = f"not testable: {reason}" if reason else _outcome(powers, context.settings.power)
        trials = round(design.trials(subjects))
        rows.append((demand.requirement.name, _group(demand), subjects, trials, *powers, outcome))
    return Section(
        name="decides",
        title="What this cohort can decide",
        columns=(
            "requirement",
            "group",
            "subjects",
            "comparisons",
            *(f"{way}: power" for way in ways(asked)),
            "outcome",
        ),
        rows=tuple(rows),
        notes=(f"power: to pass, at half of the limit or the rate of --expected; {RATIO_SAYS}",),
    )


def _outcome(powers: Sequence[float], asked: float) -> str:
    """By the powers of :func:`ways`: a given design effect counts for itself."""
    if powers[-1] >= asked * ENOUGH:
        return "decides"
    if powers[0] >= asked * ENOUGH:
        return "decides if comparisons are independent"
    return "cannot pass" if powers[0] == 0 else "seldom passes"


def _group(demand: Demand) -> str:
    party = demand.party
    of = EVERYBODY if party.schema is None else f"{party.schema}, {party.name}"
    return f"{of}, {WORDS[demand.rate]}"
