"""What a spec's requirements ask of a plan: which rate, of whom, below which limit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from frtaudit.core.methods import Sided
from frtaudit.core.spec import AuditSpec, RequirementSpec
from frtaudit.core.text import formatting
from frtaudit.errors import SpecError
from frtaudit.evaluation.answerable import below_minimum
from frtaudit.planning.parties import EVERYBODY, Party, of_schema, schemas_of
from frtaudit.planning.values import Settings
from frtaudit.stats.sample_size import power
from frtaudit.stats.sample_size.power import ComparisonDesign, Dependence

WORDS: Mapping[str, str] = {
    "fmr": "FMR",
    "fnmr": "FNMR",
    "fta": "failure to acquire",
    "far": "FAR",
    "frr": "FRR",
}
RATES: Mapping[str, str] = {name: name for name in WORDS} | {"fnmr_at_fmr": "fnmr"}
OF_ATTEMPTS = "FRR at an FMR target is of single attempts: plan FNMR and failures to acquire"
BY_SIZE = "transactions are planned by their number: --samples, --transactions"
EACH = "each"
HALF = 0.5  # of the limit: the true rate that is expected where nobody says another


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A requirement that can be planned: ``rate`` of ``parties`` at most ``limit``, ``expected`` in truth."""

    requirement: RequirementSpec
    rate: str
    limit: float
    expected: float
    parties: tuple[Party, ...]

    def alpha(self, default: float) -> float:
        """One-sided error of the bound that passes."""
        return alpha_of(self.requirement, default)

    def subjects_to_pass(
        self, design: ComparisonDesign, dependence: Dependence, rate: float, alpha: float, asked_power: float
    ) -> int | None:
        """The fewest subjects that pass with a power when the true rate is ``rate``, the requirement's minimum met."""
        to_pass = power.subjects_to_pass(design, dependence, rate, self.limit, alpha, asked_power)
        least = power.fewest(lambda subjects: too_small(self.requirement, design, subjects) is None)
        return None if to_pass is None or least is None else max(to_pass, least)

    def title(self) -> str:
        """The requirement in words."""
        at = ", ".join(
            f"FMR {formatting.exact(float(value))}" if key == "fmr" else f"{key} {value}"
            for key, value in self.requirement.at.items()
        )
        place = f" at {at}" if at else ""
        limit, expected = formatting.exact(self.limit), formatting.exact(self.expected)
        return f"{self.requirement.name}: {WORDS[self.rate]}{place} at most {limit}, {expected} expected"


def alpha_of(requirement: RequirementSpec, default: float) -> float:
    """One-sided error of the bound by which a requirement passes."""
    return requirement.alpha(default) / (2 if requirement.sided is Sided.TWO else 1)


def too_small(requirement: RequirementSpec, design: ComparisonDesign, subjects: int) -> str | None:
    """Which of a requirement's minimum sizes ``subjects`` of a group miss, in the words of the audit.

    Transactions are counted as the audit does: mated ones for FRR, non-mated ones for FAR.
    """
    trials = round(design.trials(subjects))
    return below_minimum(requirement, {"subjects": subjects, "comparisons": trials, "transactions": trials})


def with_limits(spec: AuditSpec, settings: Settings) -> tuple[RequirementSpec, ...]:
    """The spec's requirements and the settings' limits: each for everybody and, with schemas, for each group."""
    added = []
    for rate, limit in settings.limits.items():
        added.append(RequirementSpec(name=rate, metric=rate, limit=limit))
        if spec.schemas:
            added.append(RequirementSpec(name=f"{rate}-each-group", metric=rate, limit=limit, group=EACH))
    return (*spec.requirements, *added)


def wanted(
    requirements: tuple[RequirementSpec, ...], parties: list[Party], settings: Settings
) -> Iterator[Wanted | tuple[RequirementSpec, str]]:
    """Each requirement as a :class:`Wanted`, or with the reason why it has no plan.

    Raises :class:`SpecError` for an expected rate at or above its limit: no size passes with it.
    """
    for requirement in requirements:
        rate = RATES.get(requirement.metric)
        asked = tuple(group_parties(requirement, parties))
        if rate is None:
            yield requirement, f"no plan is made for {requirement.metric}"
        elif rate == "frr" and "fmr" in requirement.at:
            yield requirement, OF_ATTEMPTS
        elif rate not in parties[0].designs:
            yield requirement, BY_SIZE
        elif requirement.sense != "<=" or not 0 < requirement.limit < 1:
            yield requirement, "only upper limits between 0 and 1 are planned"
        elif not asked:
            yield requirement, f"the classes of {requirement.group!r} are not known without the data"
        else:
            expected = settings.expected.get(rate, HALF * requirement.limit)
            if expected >= requirement.limit:
                of = f"the limit {requirement.limit:g} of {requirement.name}"
                text = f"{rate}={expected:g} cannot meet {of}, however large the cohort"
                raise SpecError("--expected", text, f"a rate below {requirement.limit:g}")
            yield Wanted(
                requirement=requirement, rate=rate, limit=requirement.limit, expected=expected, parties=asked
            )


def group_parties(requirement: RequirementSpec, parties: list[Party]) -> Iterator[Party]:
    """The parties that a requirement names."""
    if requirement.group == EVERYBODY:
        yield from (party for party in parties if party.schema is None)
        return
    for schema in schemas_of(parties) if requirement.schema is None else (requirement.schema,):
        yield from (party for party in of_schema(parties, schema) if requirement.group in (EACH, party.name))
