"""An attribute of samples by class: boxes, means with intervals for the population, a test of equality."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes, drawn_apart, t_over_z
from frtaudit.stats.interclass.d_l2 import SCALE, detectable
from frtaudit.stats.intervals.dependence import degrees_of_freedom, effective_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A box plot: quartiles, adjacent values (the most extreme within 1.5 interquartile ranges of them), outliers."""

    low: float
    first: float
    median: float
    third: float
    high: float
    outliers: tuple[float, ...]


def box(values: Floats) -> Box:
    """The box of ``values`` (n,), n >= 1; quartiles of type 7.

    >>> box(np.array([1.0, 2, 3, 4, 5, 30])).outliers
    (30.0,)
    """
    first, median, third = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (third - first)
    inside = values[(values >= first - reach) & (values <= third + reach)]
    outside = values[(values < first - reach) | (values > third + reach)]
    return Box(
        low=float(inside.min()),
        first=float(first),
        median=float(median),
        third=float(third),
        high=float(inside.max()),
        outliers=tuple(np.sort(outside).tolist()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """Means of C classes and their replicates (B, C), subjects drawn within classes; ``reach``: unit of ``gap``.

    ``effective_subjects`` (C,): subjects by weight, K. A resample of K subjects varies too little, by (K-1)/K: the
    replicates are drawn apart by sqrt(K/(K-1)). An interval and the test take t for z, the test of the least K.
    """

    point: Floats
    drawn: Floats
    reach: float
    effective_subjects: Floats

    @property
    def statistic(self) -> float:
        """The largest distance of a class's mean from the mean of the means."""
        return float(np.abs(self.point - self.point.mean()).max())

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """The interval of each mean, (C,) each: percentiles, as far from the mean as t is beyond z."""
        stretch = np.array([t_over_z(degrees_of_freedom(count), alpha) for count in self.effective_subjects])
        ends = np.quantile(self.drawn - self.point, [alpha / 2, 1 - alpha / 2], axis=0)
        low, high = self.point + stretch * ends
        return low, high

    def _gap(self, alpha: float) -> Floats:
        degrees = degrees_of_freedom(float(self.effective_subjects.min()))
        moved = (self.drawn - self.point) * t_over_z(degrees, alpha)
        return np.asarray(moved - moved.mean(axis=1, keepdims=True))

    def p_value(self, alpha: float) -> float:
        """Of equal means: the share of centred replicates whose largest distance is as large."""
        worst = np.abs(self._gap(alpha)).max(axis=1)
        return float((1 + np.count_nonzero(worst >= self.statistic)) / (worst.size + 1))

    def null(self, share: float, alpha: float) -> float:
        """The largest distance that chance alone gives in a share of all cases."""
        return float(np.quantile(np.abs(self._gap(alpha)).max(axis=1), share, method="higher"))

    def detectable(self, alpha: float) -> float | None:
        """The smallest true distance of one class's mean found with probability 0.8; None beyond the values' range."""
        gap = self._gap(alpha) * (SCALE / self.reach)
        edge = self.null(1 - alpha, alpha) * SCALE / self.reach
        distance = detectable(np.square(gap), gap, edge**2)
        return None if distance is None else distance * self.reach / SCALE


def means(values: Sequence[Floats], subjects: Sequence[Ints], n: int, rng: "np.random.Generator") -> Means:
    """Class means of ``values`` (n_c,) of C classes; ``subjects`` (n_c,): whose sample each is.

    >>> rng = np.random.default_rng(1)
    >>> who = np.repeat(np.arange(20), 3)
    >>> made = [rng.normal(50, 5, 60), rng.normal(70, 5, 60)]
    >>> means(made, [who, who], 99, rng).p_value(0.05)
    0.01
    """
    sums, counts = [], []
    for part, who in zip(values, subjects, strict=True):
        _, code = np.unique(who, return_inverse=True)
        sums.append(np.bincount(code, weights=part))
        counts.append(np.bincount(code))
    drawn = [
        np.stack([(w @ s) / (w @ k) for w, s, k in zip(weights, sums, counts, strict=True)], axis=1)
        for weights in class_curves.drawn(Classes.of(values, subjects), n, rng)
    ]
    point = np.array([part.mean() for part in values])
    effective_subjects = np.array([effective_number(number) for number in counts])
    return Means(
        point=point,
        drawn=point + drawn_apart(effective_subjects) * (np.concatenate(drawn) - point),
        reach=float(np.ptp(np.concatenate(values))) or 1.0,
        effective_subjects=effective_subjects,
    )
