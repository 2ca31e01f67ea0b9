"""An estimated number with its counts, its intervals, and for whom each interval holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import ClassVar, Self, TypedDict, Unpack

from frtaudit.core.canonical import dumps
from frtaudit.core.freeze import require
from frtaudit.core.methods import Method, Target
from frtaudit.core.metrics import unit_of
from frtaudit.core.plain.records import Count, Level, PValue, WeightingName, to_json


class TestMethod(Enum):
    """How a p value was made: replicates of subjects, moved to where all groups agree, or paired in two systems.

    ``two_one_sided``: of two systems at least a declared margin apart; a small p says that they are equivalent.
    """

    __test__: ClassVar[bool] = False  # pytest would take it for tests

    CENTRED_RATES = "centred_rates"
    CENTRED_CURVES = "centred_curves"
    PAIRED_PEOPLE = "paired_people"
    TWO_ONE_SIDED = "two_one_sided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """Whether groups differ at all (FORMULAS 8.5, 8.7): the null hypothesis is equality.

    ``p`` None: not testable, ``note`` says why. ``null_median``, ``null_edge``: what the estimate is in half of all
    cases, and what it exceeds in a share ``alpha`` of them, under equality. ``detectable``: the smallest true
    difference that this test flags with probability ``power``, in ``detectable_unit``; None where nothing is small
    enough. ``family``: how many tests were looked at together, ``p_adjusted`` for that (None: raw p only).
    """

    __test__: ClassVar[bool] = False  # pytest would take it for tests

    p: PValue | None
    null_median: float | None = None
    null_edge: float | None = None
    alpha: Level
    n_resamples: Count | None = None
    method: TestMethod
    detectable: float | None = None
    detectable_unit: str
    power: Level
    p_adjusted: PValue | None = None
    family: Count | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        require(self.p is not None or bool(self.note), "no p without a note")
        require(self.p is None or 0 < self.p <= 1, "p in (0, 1]")
        require(0 < self.alpha < 1, "alpha in (0, 1)")

    @property
    def differs(self) -> bool | None:
        """Whether the groups are found to differ, adjusted where that could be done; None where not testable."""
        decisive = self.p if self.p_adjusted is None else self.p_adjusted
        return None if decisive is None else decisive <= self.alpha


class _More(TypedDict, total=False):
    n_resamples: int | None
    n_eff: float | None
    mc_error: float | None
    note: str | None
    one_sided: Callable[[float], "Interval"] | None
    p_value: Callable[[float, str], float] | None
    people_for: Callable[[float, float], int | None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An interval, not clipped to the range of what it bounds.

    The last three fields are functions. They exist during an audit, are not written to the result and do not compare.

    Parameters
    ----------
    low, high : float or None
        The bounds; both None where ``note`` says why there are none.
    level : float
        Nominal coverage of both bounds together, in (0, 1): 1 - alpha.
    method : Method
        How it was made.
    target : Target
        For whom it holds.
    n_resamples : int, optional
        Number of bootstrap replicates.
    n_eff : float, optional
        Effective number of comparisons.
    mc_error : float, optional
        Monte Carlo standard error of the bounds.
    note : str, optional
        What a reader must know of it.
    one_sided : callable, optional
        From a probability in (0, 0.5) to the interval of which each bound alone errs with it.
    p_value : callable, optional
        From a limit and its sense (``"<="`` or ``">="``) to the p value of "the limit is broken".
    people_for : callable, optional
        From a limit and a one-sided error to the number of subjects that "pass" needs; None where there are enough.

    Raises
    ------
    ValueError
        ``low`` is above ``high``, a bound or a note is missing, or ``level`` is not in (0, 1).

    References
    ----------
    Wilson, E. B., Probable Inference, the Law of Succession, and Statistical Inference, 1927. Clopper, C. J. and
    Pearson, E. S., The Use of Confidence or Fiducial Limits, 1934. Fogliato, R., Patil, P. and Perona, P., Confidence
    Intervals for Error Rates in 1:1 Matching Tasks, 2024: the effective number of comparisons. Conti, J.-R. and
    Clémençon, S., Assessing Uncertainty in Similarity Scoring, 2024, section 3.2: recentered bootstrap.

    Examples
    --------
    >>> Interval.of(0.1, 0.2, 0.05, Method.WILSON).level
    0.95
    """

    low: float | None
    high: float | None
    level: Level
    method: Method
    target: Target
    n_resamples: Count | None = None
    n_eff: float | None = None
    mc_error: float | None = None
    note: str | None = None
    one_sided: Callable[[float], "Interval"] | None = field(default=None, compare=False, repr=False)
    p_value: Callable[[float, str], float] | None = field(default=None, compare=False, repr=False)
    people_for: Callable[[float, float], int | None] | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple["partial[Self]", tuple[()]]:
        """What is pickled has no functions: they decide requirements while an audit runs."""
        values = {of.name: getattr(self, of.name) for of in fields(self) if of.compare}
        return partial(type(self), **values), ()

    def __copy__(self, _: object = None) -> Self:
        return self

    __deepcopy__ = __copy__

    def __post_init__(self) -> None:
        require((self.low is None) == (self.high is None), "both bounds or none")
        if self.low is None or self.high is None:
            require(bool(self.note), "an interval without bounds says why")
        else:
            require(self.low <= self.high, "low <= high")
        require(0 < self.level < 1, "level in (0, 1)")

    @classmethod
    def of(
        cls,
        low: float | None,
        high: float | None,
        alpha: float,
        method: Method,
        target: Target | None = None,
        **more: Unpack[_More],
    ) -> "Interval":
        """An interval of level 1 - ``alpha``.

        Parameters
        ----------
        low, high : float or None
            The bounds.
        alpha : float
            Probability that it misses, in (0, 1).
        method : Method
            How it was made.
        target : Target, optional
            For whom it holds; the first target of the method where it is not given.
        **more : object
            Other fields of ``Interval``.

        Returns
        -------
        Interval
            With all that was given.

        Examples
        --------
        >>> Interval.of(0.1, 0.2, 0.05, Method.WILSON).target
        <Target.POPULATION: 'population'>
        """
        target = target or method.serves[0]
        return cls(low=low, high=high, level=1 - alpha, method=method, target=target, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number: of which system and metric, for which group, at which operating point.

    Parameters
    ----------
    provider, analysis, metric : str
        System, analysis, and the name of what is estimated.
    schema : str or None
        The schema of ``group``; None for all subjects.
    group : str
        A class of ``schema``, or ``all``.
    weighting : {"pooled", "identity"} or None
        How comparisons are weighted, where that is a question.
    at : mapping of str to float or str
        The operating point: ``{"fmr": 0.001}``; empty where there is none.
    value : float or None
        None where it is refused or cannot be estimated; ``note`` then says why.
    numerator, denominator : int or None
        Pooled counts, such as errors and comparisons; None for thresholds, indices and distances.
    unit : str
        What ``value`` counts: ``share``, ``score``, ...
    intervals : tuple of Interval
        Each with its method and target.
    note : str, optional
        What a reader must know of it.
    test : frtaudit.core.estimates.Test, optional
        The test of a difference between groups.

    Raises
    ------
    ValueError
        One count is there without the other, the numerator exceeds the denominator, or neither value nor note is there.

    Examples
    --------
    >>> Estimate.share("a", "failures", "fta", (1, 20), "samples").value
    0.05
    """

    provider: str
    analysis: str
    metric: str
    schema: str | None
    group: str
    weighting: WeightingName | None
    at: Mapping[str, float | str]
    value: float | None
    numerator: Count | None
    denominator: Count | None
    unit: str
    intervals: tuple[Interval, ...] = ()
    note: str | None = None
    test: Test | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", MappingProxyType(dict(self.at)))
        require((self.numerator is None) == (self.denominator is None), "both counts or none")
        if self.numerator is not None and self.denominator is not None:
            require(0 <= self.numerator <= self.denominator, "errors within trials")
        require(self.value is not None or bool(self.note), "no value without a note")

    def __reduce__(self) -> tuple["partial[Self]", tuple[()]]:
        values = {of.name: getattr(self, of.name) for of in fields(self)}
        return partial(type(self), **{**values, "at": dict(self.at)}), ()  # a read-only one cannot be pickled

    @property
    def place(self) -> tuple[object, ...]:
        """What it is of, as a key: system, weighting, schema, group, operating point; the metric is not part of it."""
        return self.provider, self.weighting, self.schema, self.group, tuple(sorted(self.at.items()))

    @classmethod
    def of(
        cls,
        provider: str,
        analysis: str,
        metric: str,
        value: float | None,
        unit: str = "",
        of: tuple[str | None, str] = (None, "all"),
        *,
        counts: tuple[int, int] | None = None,
        at: Mapping[str, float | str] = MappingProxyType({}),
        weighting: str | None = None,
        intervals: tuple[Interval, ...] = (),
        note: str | None = None,
        test: Test | None = None,
    ) -> "Estimate":
        """An estimate of a group, or of all subjects.

        Parameters
        ----------
        provider, analysis, metric : str
            System, analysis, and the name of what is estimated.
        value : float or None
            The number; None needs a ``note``.
        unit : str, optional
            What ``value`` counts, where ``frtaudit.core.metrics`` does not say so for every estimate of the metric.
        of : (str or None, str)
            Schema and class; all subjects where it is not given.
        counts : (int, int), optional
            Numerator and denominator.
        at : mapping of str to float or str
            The operating point.
        weighting : {"pooled", "identity"}, optional
            How comparisons are weighted.
        intervals : tuple of Interval
            Each with its method and target.
        note : str, optional
            What a reader must know of it.
        test : frtaudit.core.estimates.Test, optional
            The test of a difference between groups.

        Returns
        -------
        Estimate
            With all that was given.

        Examples
        --------
        >>> Estimate.of("a", "failures", "fta", 0.5, "samples", counts=(1, 2)).denominator
        2
        """
        (schema, group), (numerator, denominator) = of, counts or (None, None)
        return cls(
            provider=provider,
            analysis=analysis,
            metric=metric,
            schema=schema,
            group=group,
            weighting=weighting,
            at=at,
            value=value,
            numerator=numerator,
            denominator=denominator,
            unit=unit or unit_of(metric),
            intervals=intervals,
            note=note,
            test=test,
        )

    @classmethod
    def share(
        cls,
        provider: str,
        analysis: str,
        metric: str,
        counts: tuple[int, int],
        unit: str = "",
        of: tuple[str | None, str] = (None, "all"),
        *,
        at: Mapping[str, float | str] = MappingProxyType({}),
        weighting: str | None = None,
        note: str | None = None,
    ) -> "Estimate":
        """Numerator over denominator, without an interval; ``frtaudit.plugin.share_estimate`` makes one with intervals.

        Parameters
        ----------
        provider, analysis, metric : str
            System, analysis, and the name of what is estimated.
        counts : (int, int)
            Numerator and denominator.
        unit : str, optional
            What is counted: ``samples``, ``comparisons``, ...; as for ``of``.
        of : (str or None, str)
            Schema and class; all subjects where it is not given.
        at : mapping of str to float or str
            The operating point.
        weighting : {"pooled", "identity"}, optional
            How comparisons are weighted.
        note : str, optional
            What a reader must know of it.

        Returns
        -------
        Estimate
            Without a value, and with a note, where nothing was counted.

        Examples
        --------
        >>> Estimate.share("a", "orders", "order_differing", (1, 4), "comparisons").value
        0.25
        """
        value, note = (counts[0] / counts[1], note) if counts[1] else (None, "nothing to count")
        return cls.of(
            provider, analysis, metric, value, unit, of, counts=counts, at=at, weighting=weighting, note=note
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        """Equal JSON: an undefined value equals another."""
        return isinstance(other, Estimate) and to_json(self) == to_json(other)

    def __hash__(self) -> int:
        """Of the canonical JSON."""
        return hash(dumps(to_json(self)))
