"""A requirement held against an estimate, and the finding that it becomes, with its sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from frtaudit.core import Estimate, Finding, Interval, Target, Verdict
from frtaudit.core.methods import Sided
from frtaudit.core.metrics import SPACES, in_sentence, kind_of
from frtaudit.core.spec import RequirementSpec, Weighting
from frtaudit.core.text import formatting, kinds

FOR_WHOM = "for the population of the test subjects"  # the target population, as the report calls it
BY_MODEL = ", if the tail goes on as a model has it"
ORDER = (  # of coordinates: a result that is read from its file has them sorted
    *("pairs", "fmr", "far", "threshold", "source", "name", "recommended", "version"),
    *("threshold_of", "schema", "attempts"),
)
KEYS = {"fmr": "FMR", "far": "FAR", "rate": "of"}
NAMED_ALONE = {"name": "the threshold named", "recommended": "the vendor's threshold"}
CONSTRUCTED = "its threshold was chosen on these data, so it meets the target by construction"
_OF_FAMILY = re.compile(r"\s*\(p [^)]*\)(?=[.;,:]|$)")
SIDES = {
    ("<=", False): "at most",
    (">=", False): "at least",
    ("<=", True): "less than",
    (">=", True): "more than",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementTest:
    """A requirement at one estimate: the interval that decides and the p value of "broken", or why there is none.

    ``label``: what the estimate's group is called.
    """

    requirement: RequirementSpec
    index: int | None
    estimate: Estimate | None = None
    label: str = ""
    interval: Interval | None = None
    p: float | None = None
    reason: str | None = None

    @property
    def sides(self) -> int:
        """In how many directions alpha is spent."""
        return 1 if self.requirement.sided is Sided.ONE else 2

    def bounds(self, error: float) -> Interval | None:
        """The interval whose bounds err with ``error`` each (or together, where the requirement is two-sided)."""
        if self.interval is None:
            return None
        share = error / self.sides
        if self.interval.one_sided is not None:
            return self.interval.one_sided(share)
        return self.interval if share >= (1 - self.interval.level) / 2 - 1e-12 else None

    def people(self, error: float) -> int | None:
        """How many people "pass" would need where these are too few, whatever they show (FORMULAS 8.18)."""
        if self.interval is None or self.interval.people_for is None or self.requirement.sense != "<=":
            return None
        return self.interval.people_for(self.requirement.limit, error / self.sides)

    @property
    def measured(self) -> bool | None:
        """Whether the estimate keeps the limit, where that is asked and was not made so by its threshold."""
        estimate = self.estimate
        asked = self.requirement.as_measured and self.reason != CONSTRUCTED
        return (
            keeps(self.requirement, estimate.value)
            if asked and estimate and estimate.value is not None
            else None
        )

    def passes(self, interval: Interval | None) -> bool:
        """Whether the unfavourable bound keeps the limit."""
        if interval is None or interval.low is None or interval.high is None:
            return False
        return keeps(self.requirement, interval.high if self.requirement.sense == "<=" else interval.low)

    def breaks(self, interval: Interval | None) -> bool:
        """Whether even the favourable bound breaks the limit."""
        if interval is None or interval.low is None or interval.high is None:
            return False
        return not keeps(self.requirement, interval.low if self.requirement.sense == "<=" else interval.high)


def keeps(requirement: RequirementSpec, value: float) -> bool:
    """Whether a value keeps a requirement's limit.

    >>> less = RequirementSpec(name="r", metric="fnmr", limit=0.05, strict=True)
    >>> keeps(less, 0.05), keeps(less, 0.049)
    (False, True)
    """
    if value == requirement.limit:
        return not requirement.strict
    return value < requirement.limit if requirement.sense == "<=" else value > requirement.limit


def as_read(case: RequirementTest, sentence: str) -> str:
    """A finding's sentence with the reading of the estimate alone, where the source sets no statistical rule."""
    if case.measured is None:
        return sentence
    word = "meets" if case.measured else "does not meet"
    return f"{sentence} As measured it {word} the limit: the source sets no statistical rule."


def too_few_people(case: RequirementTest, estimate: Estimate, people: int) -> str:
    """More people than the data hold are needed for "pass", and "fail" is not shown either."""
    value = "" if estimate.value is None else f" is {_shown(case, estimate, estimate.value)}"
    return (
        f"{subject_of(case, estimate)}{value}{_counts(estimate)}; {limit_of(case.requirement)} is not testable: "
        f"too few subjects. Without any false match {formatting.count(people)} subjects or more are needed, each "
        "compared with every other."
    )


def sentence_of(
    finding: Finding, case: RequirementTest, estimate: Estimate, side: str, *, claimed: bool, reason: str = ""
) -> str:
    """A finding in words: the estimate, the bound that decided, the limit; ``reason``: why it is inconclusive."""
    value = "" if estimate.value is None else f" is {_shown(case, estimate, estimate.value)}"
    start = f"{subject_of(case, estimate)}{value}{_counts(estimate)}"
    if finding.bound is None or finding.bound_level is None:
        return f"{start}; the outcome for {limit_of(case.requirement)} is inconclusive."
    end = {
        Verdict.PASS: f"which meets {limit_of(case.requirement)}",
        Verdict.FAIL: f"which breaks {limit_of(case.requirement)}",
        Verdict.INCONCLUSIVE: f"so the outcome for {limit_of(case.requirement)} is inconclusive",
    }[finding.verdict]
    if finding.fails_unadjusted:
        end = f"which alone would break {limit_of(case.requirement)}: fails unadjusted"
    if claimed and finding.p is not None and finding.p_adjusted is not None:
        end += (
            f" (p {formatting.p_value(finding.p)}, {formatting.p_value(finding.p_adjusted)} among "
            f"{formatting.counted(finding.family or 0, 'finding')})"
        )
    end += f": {reason}" if reason else ""
    than = "at least" if side == "low" else "at most"
    level = formatting.exact(round(finding.bound_level, 4))
    shown = _shown(case, estimate, finding.bound)
    sided = "" if case.sides == 1 else " two-sided"
    modelled = case.interval is not None and case.interval.target is Target.MODEL
    whom = f"{FOR_WHOM}{BY_MODEL if modelled else ''}"
    return f"{start}; with {level}{sided} confidence it is {than} {shown} {whom}, {end}."


def _shown(case: RequirementTest, estimate: Estimate, value: float) -> str:
    """A value or bound in the style of the estimate, on its side of the limit."""
    style = formatting.style_of(estimate.value, *(interval.high for interval in estimate.intervals))
    return kinds.printed(kind_of(estimate.metric), value, style=style, limit=case.requirement.limit)


def _counts(estimate: Estimate) -> str:
    """Pooled counts; where each subject (or pair) is weighted equally the value is not their quotient."""
    if estimate.numerator is None:
        return ""
    alike = "" if estimate.weighting != Weighting.IDENTITY.value else "each subject weighted equally; "
    return (
        f" ({alike}{formatting.count(estimate.numerator)} of {formatting.count(estimate.denominator or 0)})"
    )


def subject_of(case: RequirementTest, estimate: Estimate) -> str:
    """The system, the metric, the rate that it is of, the group (or the schema that one number is of), and where."""
    order = sorted(estimate.at, key=lambda key: (ORDER.index(key) if key in ORDER else len(ORDER), key))
    places = _places({key: estimate.at[key] for key in order if key not in ("rate", "space")})
    of = f" {place_of('rate', estimate.at['rate'])}" if "rate" in estimate.at else ""
    schema = (estimate.schema or "").replace("_", " ")
    group = f" of {schema} {case.label}"
    if estimate.group in ("all", "max"):
        group = f" by {schema}" if schema else ""
    at = f" at {', '.join(places)}" if places else ""
    if "space" in estimate.at:
        at = f" {SPACES.get(str(estimate.at['space']), estimate.at['space'])}{at}"
    return f"{estimate.provider}: {in_sentence(estimate.metric)}{of}{group}{at}"


def _places(at: Mapping[str, float | str]) -> list[str]:
    """Coordinates in words; of a threshold that is named alone, what the name is of."""
    names = {} if "threshold" in at else NAMED_ALONE
    return [f"{names[key]} {value}" if key in names else place_of(key, value) for key, value in at.items()]


def place_of(key: str, value: float | str) -> str:
    """A coordinate of an operating point in words: FMR 0.1 %."""
    shown = in_sentence(str(value)) if key == "rate" else kinds.place(key, value)
    return f"{KEYS.get(key, key)} {shown}"


def limit_of(requirement: RequirementSpec) -> str:
    """A requirement's limit in words."""
    side = SIDES[requirement.sense, requirement.strict]
    return f"the limit of {side} {kinds.declared(kind_of(requirement.metric), requirement.limit)}"


def not_estimated(requirement: RequirementSpec, family: int, reason: str | None = None) -> Finding:
    """The finding of a requirement that no estimate answers; ``reason``: why there can be none."""
    places = dict(sorted(requirement.at.items())) | dict(requirement.place)
    at = ", ".join(_places(places)) or "any point"
    sentence = f"{requirement.metric} at {at} is not estimated for {requirement.group}."
    if reason:
        sentence = (
            f"{in_sentence(requirement.metric)} cannot be tested against {limit_of(requirement)}: {reason}."
        )
    case = RequirementTest(requirement=requirement, index=None)
    return finding_of(case, Verdict.NOT_TESTABLE, None, None, sentence, None, family)


def alone(finding: Finding) -> Finding:
    """The finding without what Holm's family says of the other findings."""
    return replace(finding, p_adjusted=None, family=None, sentence=_OF_FAMILY.sub("", finding.sentence))


def finding_of(
    case: RequirementTest,
    verdict: Verdict,
    bound: float | None,
    level: float | None,
    sentence: str,
    adjusted: float | None,
    family: int,
) -> Finding:
    """A finding of a requirement, with the test's p value."""
    return Finding(
        requirement=case.requirement.name,
        estimate=None if case.index is None else f"/estimates/{case.index}",
        verdict=verdict,
        limit=case.requirement.limit,
        bound=bound,
        bound_level=level,
        sentence=sentence,
        p=case.p,
        p_adjusted=adjusted,
        family=family,
        measured=case.measured,
        advisory=case.requirement.advisory,
    )
