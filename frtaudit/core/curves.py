"""Curves: what is drawn, with its band."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.canonical import dumps
from frtaudit.core.freeze import freeze, require
from frtaudit.core.methods import Method, Target
from frtaudit.core.plain.records import ADDED, Level, WeightingName, to_json
from frtaudit.core.text import formatting


@dataclass(frozen=True, slots=True, kw_only=True)
class RateCurve:
    """FMR and FNMR over thresholds, as counts.

    Attributes
    ----------
    thresholds : ndarray of float64, shape (T,)
        Ascending, in units of the score.
    false_non_matches : ndarray of int64, shape (T,)
        Mated comparisons with score <= threshold.
    false_matches : ndarray of int64, shape (T,)
        Non-mated comparisons with score > threshold.
    n_mated, n_non_mated : int
        How many comparisons there are of each kind.

    References
    ----------
    ISO/IEC 19795-1:2021, Biometric performance testing and reporting, part 1: false match rate, false non-match rate.

    Examples
    --------
    >>> counts = np.array([0, 1]), np.array([4, 2])
    >>> curve = RateCurve(thresholds=np.array([0.2, 0.6]), false_non_matches=counts[0], false_matches=counts[1],
    ...                   n_mated=10, n_non_mated=8)
    >>> curve.fnmr.tolist(), curve.fmr.tolist()
    ([0.0, 0.1], [0.5, 0.25])
    """

    thresholds: Floats
    false_non_matches: Ints
    false_matches: Ints
    n_mated: int
    n_non_mated: int

    def __post_init__(self) -> None:
        freeze(self, "thresholds", "false_non_matches", "false_matches")
        require(bool(np.all(np.diff(self.thresholds) > 0)), "thresholds ascend")
        require(bool(np.all(np.diff(self.false_non_matches) >= 0)), "false non-matches rise")
        require(bool(np.all(np.diff(self.false_matches) <= 0)), "false matches fall")

    @property
    def fnmr(self) -> Floats:
        """False non-match rate at each threshold, shape (T,)."""
        return np.asarray(self.false_non_matches / max(self.n_mated, 1), dtype=np.float64)

    @property
    def fmr(self) -> Floats:
        """False match rate at each threshold, shape (T,)."""
        return np.asarray(self.false_matches / max(self.n_non_mated, 1), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A curve of the result: y over x, with an optional band from low to high.

    Parameters
    ----------
    provider, analysis : str
        The system, and the kind of curve: ``roc``, ``det``, ``tar``, ``tar_difference``, ``fmr``, ``fnmr``, ...
    schema : str or None
        The schema of ``group``; None for all subjects.
    group : str
        A class of ``schema``, or ``all``.
    weighting : {"pooled", "identity"} or None
        How comparisons are weighted, where that is a question.
    x, y : tuple of float
        Points, as many y as x.
    low, high : tuple of float, optional
        The band at each x; both or neither.
    method : Method, optional
        How the band was made.
    target : Target, optional
        For whom it holds.
    metric, rate : str, optional
        What y is an index of, where the kind of curve does not say.
    level : float, optional
        Level of the band, in (0, 1).
    simultaneous : bool
        The band holds at all its points at once, and as a step function between them.
    replicates : tuple of tuple of float
        Bootstrap replicates of y over the same x, for drawing.
    notes : tuple of str
        Where the curve or its band has a gap, and why.

    Raises
    ------
    ValueError
        Lengths differ, or one bound is there without the other.

    References
    ----------
    Conti, J.-R. and Clémençon, S., Assessing Uncertainty in Similarity Scoring, 2024, section 3.2: bands of the ROC.

    Examples
    --------
    >>> Curve.of("a", "det", [0.1, 0.2], [0.3, 0.1]).group
    'all'
    """

    provider: str
    analysis: str
    schema: str | None
    group: str
    weighting: WeightingName | None
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    method: Method | None = None
    target: Target | None = None
    metric: str | None = field(default=None, metadata=ADDED)
    rate: str | None = field(default=None, metadata=ADDED)
    level: Level | None = field(default=None, metadata=ADDED)
    simultaneous: Annotated[bool, ("const", True)] = field(default=False, metadata=ADDED)
    replicates: tuple[tuple[float, ...], ...] = field(default=(), metadata=ADDED)
    notes: tuple[str, ...] = field(default=(), metadata=ADDED)

    def __post_init__(self) -> None:
        require(len(self.x) == len(self.y), "one y per x")
        require(all(len(drawn) == len(self.x) for drawn in self.replicates), "one value of a replicate per x")
        require(not self.simultaneous or self.low is not None, "a simultaneous band has bounds")
        require((self.low is None) == (self.high is None), "both bounds or none")
        require(self.low is None or len(self.low) == len(self.x), "one bound per x")

    @classmethod
    def of(
        cls,
        provider: str,
        analysis: str,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        of: tuple[str | None, str] = (None, "all"),
        *,
        weighting: str | None = None,
        metric: str | None = None,
        rate: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> "Curve":
        """A curve without a band.

        Parameters
        ----------
        provider, analysis : str
            The system and the kind of curve.
        x, y : array_like of float, shape (n,)
            Points.
        of : (str or None, str)
            Schema and class; all subjects where it is not given.
        weighting : {"pooled", "identity"}, optional
            How comparisons are weighted.
        metric, rate : str, optional
            What y is an index of.
        notes : tuple of str
            Where the curve has a gap, and why.

        Returns
        -------
        Curve
            With y and x as floats.

        Examples
        --------
        >>> Curve.of("a", "det", [0.1, 0.2], [0.3, 0.1]).y
        (0.3, 0.1)
        """
        (schema, group), (xs, ys) = of, (np.asarray(side, dtype=np.float64).tolist() for side in (x, y))
        return cls(
            provider=provider,
            analysis=analysis,
            schema=schema,
            group=group,
            weighting=weighting,
            x=tuple(xs),
            y=tuple(ys),
            metric=metric,
            rate=rate,
            notes=notes,
        )

    def __eq__(self, other: object) -> bool:
        """Equal JSON: an undefined point equals another."""
        return isinstance(other, Curve) and to_json(self) == to_json(other)

    def __hash__(self) -> int:
        """Of the canonical JSON."""
        return hash(dumps(to_json(self)))


def step_envelope(
    x: Sequence[float], low: Sequence[float], high: Sequence[float]
) -> tuple[Floats, Floats, Floats]:
    """A simultaneous band of a falling curve between its points: vertices (x, low, high), ready to be drawn.

    Between two neighbours the curve is at least its value on the right and at most its value on the left, so low comes
    from the right and high from the left (FORMULAS 8.10). ``x`` (n,) ascending; points without bounds are skipped.
    Returns three arrays (2k,) for k points with bounds.

    >>> [part.tolist() for part in step_envelope([1, 2], [0.5, 0.1], [0.7, 0.3])]
    [[1.0, 1.0, 2.0, 2.0], [0.5, 0.1, 0.1, 0.1], [0.7, 0.7, 0.7, 0.3]]
    """
    at, floor, top = (np.asarray(part, dtype=np.float64) for part in (x, low, high))
    known = np.isfinite(floor) & np.isfinite(top)
    at, floor, top = at[known], floor[known], top[known]
    right, left = np.append(floor[1:], floor[-1:]), np.concatenate([top[:1], top[:-1]])
    return (
        np.repeat(at, 2),
        np.stack([floor, right], axis=1).ravel(),
        np.stack([left, top], axis=1).ravel(),
    )


def _target(fmr: float) -> str:
    return formatting.exact(float(f"{fmr:.3g}"))


def spans(x: Sequence[float], reasons: Sequence[str | None]) -> tuple[str, ...]:
    """Gaps of a curve over FMR in words: neighbours with one reason share a sentence.

    >>> spans([0.001, 0.01, 0.1], ["no error", "no error", None])
    ('FMR 0.1 % to 1 %: no error',)
    """
    gaps: list[tuple[str, float, float]] = []
    before: str | None = None
    for at, reason in sorted(zip(x, reasons, strict=True), key=lambda pair: pair[0]):
        if reason is not None and reason == before:
            gaps[-1] = (reason, gaps[-1][1], at)
        elif reason is not None:
            gaps.append((reason, at, at))
        before = reason
    return tuple(
        f"FMR {_target(first)}{'' if first == last else f' to {_target(last)}'}: {reason}"
        for reason, first, last in gaps
    )
