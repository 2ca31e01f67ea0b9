"""What was asked and what was found: a verdict decided on an interval bound (FORMULAS 8.8)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from frtaudit.core.freeze import require
from frtaudit.core.plain.records import ADDED, Count, Level, PValue

ROUNDING = 1e-12  # of 1 - (1 - alpha)
REQUIREMENT_FAILED = 3  # exit code


class Verdict(Enum):
    """The four outcomes.

    Attributes
    ----------
    PASS
        The one-sided bound keeps the limit.
    FAIL
        The one-sided bound breaks the limit, adjusted for multiple testing.
    INCONCLUSIVE
        Neither.
    NOT_TESTABLE
        The data do not suffice for the question.

    Examples
    --------
    >>> Verdict("not_testable") is Verdict.NOT_TESTABLE
    True
    """

    PASS = "pass"  # noqa: S105  a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTABLE = "not_testable"


class FailOn(Enum):
    """The mildest verdict that makes a run exit with 3."""

    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTABLE = "not_testable"


_FAILING: Mapping[FailOn, tuple[str, ...]] = {
    FailOn.FAIL: ("fail",),
    FailOn.INCONCLUSIVE: ("fail", "inconclusive"),
    FailOn.NOT_TESTABLE: ("fail", "inconclusive", "not_testable"),
}


def exit_code(verdicts: Mapping[str, int], fail_on: FailOn = FailOn.FAIL) -> int:
    """0, or 3 when a verdict that counts as failure was reached.

    >>> exit_code({"pass": 2, "inconclusive": 1}), exit_code({"inconclusive": 1}, FailOn.INCONCLUSIVE)
    (0, 3)
    """
    failing = any(verdicts.get(verdict, 0) for verdict in _FAILING[fail_on])
    return REQUIREMENT_FAILED if failing else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A requirement judged on one estimate.

    Attributes
    ----------
    requirement : str
        Its name in the spec.
    estimate : str or None
        JSON pointer into the result (``/estimates/12``); None where nothing could be estimated.
    verdict : Verdict
        The outcome.
    limit : float
        The limit, in the unit of the estimate.
    bound : float or None
        The one-sided bound that decided.
    bound_level : float or None
        Its level, in (0, 1); for a failure that of Holm's step.
    sentence : str
        The finding in one sentence.
    p, p_adjusted : float or None
        Of the claim "the limit is broken": raw, and adjusted by Holm over the family; None where nothing could be
        tested.
    family : int or None
        How many findings were adjusted together.
    other_bound : float or None
        Where the requirement has its own level: the bound of the interval read one-sided in place of two-sided, or the
        reverse.
    measured : bool or None
        Whether the estimate itself keeps the limit, where the source sets no statistical rule.
    advisory : bool
        The verdict is reported and does not count as a failure.
    set_aside : bool
        A failure that suspected duplicates of people made inconclusive; ``bound`` is that of the failure.
    near_bound : float or None
        Where an interval lies wholly beyond the limit and the finding is inconclusive: the other bound of level
        ``bound_level``, which keeps the limit. That of a choice among classes is adjusted for it, the interval is not.

    References
    ----------
    Holm, S., A Simple Sequentially Rejective Multiple Test Procedure, 1979.

    Examples
    --------
    >>> Finding(requirement="eer", estimate="/estimates/3", verdict=Verdict.PASS, limit=0.05, bound=0.03,
    ...         bound_level=0.95, sentence="EER is at most 5 %.").index
    3
    """

    requirement: str
    estimate: Annotated[str, ("pattern", "^/estimates/[0-9]+$")] | None
    verdict: Verdict
    limit: float
    bound: float | None
    bound_level: Level | None
    sentence: Annotated[str, ("minLength", 1)]
    p: PValue | None = None
    p_adjusted: PValue | None = None
    family: Count | None = None
    other_bound: float | None = field(default=None, metadata=ADDED)
    measured: bool | None = field(default=None, metadata=ADDED)
    advisory: bool = field(default=False, metadata=ADDED)
    set_aside: bool = field(default=False, metadata=ADDED)
    near_bound: float | None = field(default=None, metadata=ADDED)

    def __post_init__(self) -> None:
        if self.verdict in (Verdict.PASS, Verdict.FAIL):
            require(self.bound is not None, "pass and fail need a bound")
        require(bool(self.sentence), "a finding is one plain sentence")

    @property
    def index(self) -> int | None:
        """Which of the result's estimates it judges; None for none."""
        return None if self.estimate is None else int(self.estimate.rpartition("/")[2])

    @property
    def is_broken_alone(self) -> bool:
        """Whether ``bound`` breaks the limit: of a failure, or of an inconclusive one that would be a failure alone.

        The latter is not established among all of the family, or is due to suspected duplicates of people.
        """
        if self.verdict is not Verdict.INCONCLUSIVE or self.p is None or self.bound_level is None:
            return self.verdict is Verdict.FAIL
        return self.p <= 1 - self.bound_level + ROUNDING

    @property
    def fails_unadjusted(self) -> bool:
        """Whether the limit is broken at the level of this finding alone, but not among all of the family."""
        if (
            self.set_aside
            or self.verdict is Verdict.FAIL
            or self.bound_level is None
            or not self.is_broken_alone
        ):
            return False
        return 1 - self.bound_level + ROUNDING < (self.p_adjusted or 0.0)


def verdict_counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings have each verdict, in the order of :class:`Verdict`, advisory ones apart."""
    counts = Counter(finding.verdict for finding in findings if not finding.advisory)
    return {verdict.value: counts[verdict] for verdict in Verdict}
