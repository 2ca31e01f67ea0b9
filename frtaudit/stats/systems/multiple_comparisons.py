"""Several systems on the same people: which differ, which is best or tied, which are equivalent (FORMULAS 8.2, 8.9).

One number of each of V systems and its replicates, the same subjects drawn in all of them, is all that is read. With D
the difference of two systems and D* its replicates, D* - mean D* stands for the error of D: what the replicates share
by construction (people, images, comparisons) cancels, and so does the shift that resampling gives alike systems alike.
The largest studentised error of a family of pairs, M, makes all its intervals hold at once.

Noise lifts a number that is the largest of several classes, such as a gap or the largest d_l2, and more so in the
system with more noise, so that two systems without any difference between classes differ. Such numbers are norms of
what is estimated: with d the true one, N the mean norm of the errors and D what is seen, D^2 is about d^2 + N^2. The
lift of each system, D - sqrt(D^2 - N^2), is therefore allowed for on its side of every interval and in every p. Where
several classes share the largest rate and several the smallest, noise lifts by more (docs/guides/vendors.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.methods import MAX_UNDEFINED
from frtaudit.stats._scipy import scipy

Pair = tuple[int, int]

POWER = 0.8
ROUNDING = 1e-9  # of a studentised difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(FrozenArrays):
    """Differences of P pairs of systems, judged together.

    ``pairs``: (first, second), D = first minus second; ``value``, ``error`` (P,) float64: D and the standard deviation
    of its replicates; ``away`` (B, P): (D* - mean D*)/error of each replicate; ``lift`` (2, P): how far noise may have
    lifted the first and the second of each pair.
    """

    pairs: tuple[Pair, ...]
    value: Floats
    error: Floats
    away: Floats
    lift: Floats

    @property
    def n_resamples(self) -> int:
        """How many replicates were defined in every system."""
        return int(self.away.shape[0])

    def raw_p(self) -> Floats:
        """P value of each pair by itself, two-sided: (1 + #{|away| >= |D|/error})/(B + 1), |D| less its lift, (P,)."""
        return _share(np.abs(self.away), self._size())

    def p(self) -> Floats:
        """P value of each pair, adjusted over the family by the largest: (1 + #{M >= |D|/error})/(B + 1)."""
        return _share(self._largest()[:, None], self._size())

    def critical(self, alpha: float) -> float:
        """What M exceeds in so many replicates that p <= alpha says the same as an interval without 0.

        Raises ValueError where B is too small for alpha: 1/(B + 1) > alpha.
        """
        return self._exceeded(self._largest(), alpha)

    def bounds(self, alpha: float) -> tuple[Floats, Floats]:
        """Intervals of all differences that hold at once, each (P,): D -+ (critical * error + lift)."""
        half = self.critical(alpha) * self.error
        low, high = self._lifted()
        return low - half, high + half

    def narrow(self, alpha: float) -> tuple[Floats, Floats]:
        """The interval of level 1 - 2 alpha of two one-sided tests: within a margin if and only if p <= alpha."""
        alone = self.away[:, 0]
        sides = (alone, -alone) if len(self.pairs) == 1 else (self._largest(),) * 2
        below, above = (self._exceeded(errors, alpha) for errors in sides)
        low, high = self._lifted()
        return low - below * self.error, high + above * self.error

    def equivalence_p(self, margin: float) -> Floats:
        """P value of "at least ``margin`` apart", the larger of two one-sided ones (TOST), shape (P,).

        Of one pair each side has its own errors; of several the largest absolute one of the family stands for both,
        for a pair can be wrongly called equivalent on one side only.
        """
        least, largest = self._lifted()
        low, high = (least + margin) / self.error, (margin - largest) / self.error
        if len(self.pairs) == 1:
            return np.maximum(_share(self.away, low), _share(-self.away, high))
        most = self._largest()[:, None]
        return np.maximum(_share(most, low), _share(most, high))

    def detectable(self, alpha: float, apart: Floats | None = None, subjects: int = 1) -> Floats:
        """The true difference found with probability 0.8, shape (P,): reach * error, reach = critical + z_0.8.

        ``apart`` (P,): of differences of shares the share of decisions that differ, s; ``subjects``: K of them. A true
        difference d adds decisions that differ, at most d of them (McNemar), each as heavy as those that differ now or
        as all decisions of a subject at most. Of these |D| differ already where a difference D is shown (else D
        counts as 0), so that d = reach * sqrt(error^2 + max(0, d - |D|) * min(error^2/s, 1/K)). Without that term the
        difference comes out too small, and one of that size is found in fewer than four of five cohorts. The larger
        lift of a pair is added.
        """
        reach = self.critical(alpha) + float(scipy.special.ndtri(POWER))
        square = np.square(self.error)
        growth = np.zeros(1) if apart is None else reach**2 * np.minimum(square / apart, 1 / subjects)
        whole, shown = 4 * reach**2 * square, self._shown(alpha)
        alone = np.sqrt(whole) / 2
        below = np.maximum(np.square(growth) + whole - 4 * growth * shown, 0.0)
        reached = np.where(alone <= shown, alone, (growth + np.sqrt(below)) / 2)
        return np.asarray(reached + self.lift.max(axis=0))

    def subjects_for(
        self, alpha: float, difference: float, apart: Floats | None = None, subjects: int = 1
    ) -> Floats:
        """How many subjects find a true ``difference`` with probability 0.8, shape (P,); there are ``subjects``.

        :meth:`detectable` solved for K: error^2 and 1/K both fall as 1/K, so that d^2 = reach^2 * (error^2 +
        max(0, d - |D|) * min(error^2/s, 1/K)) * K/K' gives K'. A lift is taken to fall as the error does.
        """
        reach = self.critical(alpha) + float(scipy.stats.norm.ppf(POWER))
        square = np.square(self.error + self.lift.max(axis=0) / reach)
        added = np.maximum(difference - self._shown(alpha), 0.0)
        growth = 0.0 if apart is None else added * np.minimum(square / apart, 1 / subjects)
        return np.asarray(subjects * reach**2 * (square + growth) / difference**2)

    def _shown(self, alpha: float) -> Floats:
        """|D| of the pairs whose difference is shown, 0 of the others, (P,): noise is no difference that is known."""
        return np.where(self.p() <= alpha, np.abs(self.value), 0.0)

    def _lifted(self) -> tuple[Floats, Floats]:
        """The differences if noise lifted only the first of each pair, and if it lifted only the second."""
        return self.value - self.lift[0], self.value + self.lift[1]

    def _size(self) -> Floats:
        """How far each difference is from 0 at least, in errors."""
        low, high = self._lifted()
        return np.asarray(np.maximum(np.maximum(low, -high), 0.0) / self.error)

    def _largest(self) -> Floats:
        return np.asarray(np.abs(self.away).max(axis=1))

    def _exceeded(self, errors: Floats, alpha: float) -> float:
        allowed = math.floor(alpha * (self.n_resamples + 1) + ROUNDING) - 1
        if allowed < 0:
            raise ValueError(f"{self.n_resamples} replicates cannot decide at alpha = {alpha:g}")
        return float(np.sort(errors)[::-1][allowed])


def every_pair(systems: int, against: int | None = None) -> tuple[Pair, ...]:
    """All pairs of systems in their order, or each system with one of them.

    >>> every_pair(3), every_pair(3, against=1)
    (((0, 1), (0, 2), (1, 2)), ((0, 1), (2, 1)))
    """
    if against is None:
        return tuple((i, j) for i in range(systems) for j in range(i + 1, systems))
    return tuple((i, against) for i in range(systems) if i != against)


def noise_lift(values: Floats, noise: Floats) -> Floats:
    """How far noise may have lifted norms: D - sqrt(max(D^2 - N^2, 0)), ``noise`` N: the mean norm of the errors.

    >>> noise_lift(np.array([5.0, 2.0]), np.array([3.0, 3.0])).tolist()
    [1.0, 2.0]
    """
    return np.asarray(values - np.sqrt(np.maximum(np.square(values) - np.square(noise), 0.0)))


def family_of(
    values: Floats, drawn: Floats, pairs: Sequence[Pair], lift: Floats | None = None
) -> Family | None:
    """The differences of ``pairs`` of systems.

    ``values`` (V,): one number of each system; ``drawn`` (B, V): its replicates, each row the same people in all
    systems; ``lift`` (V,): how far noise may have lifted each, as :func:`noise_lift` has it (None: not at all).
    Replicates undefined in a system of the family are left out. None where more than 2 % are, or where a difference has
    the same value in all: it would claim certainty.

    >>> rng = np.random.default_rng(1)
    >>> noise = 0.1 * rng.standard_normal((999, 2))
    >>> found = family_of(np.array([1.0, 2.0]), np.array([1.0, 2.0]) + noise, ((0, 1),))
    >>> found.value.tolist(), found.p().tolist()
    ([-1.0], [0.001])
    """
    if not pairs:
        return None
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    used = np.unique(np.concatenate([first, second]))
    known = np.isfinite(drawn[:, used]).all(axis=1)
    if not np.isfinite(values[used]).all() or not known.any() or np.mean(~known) > MAX_UNDEFINED:
        return None
    if lift is not None and not np.isfinite(lift[used]).all():
        return None
    defined = np.ascontiguousarray(drawn[known])  # sums do not depend on how the replicates lie in memory
    gap = np.ascontiguousarray(defined[:, first] - defined[:, second])
    away = gap - gap.mean(axis=0)
    error = np.sqrt(np.square(away).sum(axis=0) / max(gap.shape[0] - 1, 1))
    scale = np.abs(defined[:, used]).max(initial=0.0)
    if not np.all(error > ROUNDING * max(scale, 1e-300)):
        return None
    lifted = np.zeros((2, first.size)) if lift is None else np.stack([lift[first], lift[second]])
    value = values[first] - values[second]
    return Family(pairs=tuple(pairs), value=value, error=error, away=away / error, lift=lifted)


def ranks(systems: int, pairs: Sequence[Pair], worse: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Confidence set of the rank of each system, 1 = best (Mogstad, Romano, Shaikh and Wilhelm 2024).

    ``worse``: for each pair 1 where the first is shown to be worse, -1 where the second is, 0 where neither. A system
    that n others are shown to beat ranks n + 1 or lower; one that beats n ranks V - n or higher. With simultaneous
    intervals all sets hold at once.

    >>> ranks(3, every_pair(3), [0, -1, -1])
    ((1, 2), (1, 2), (3, 3))
    """
    beaten, beats = [0] * systems, [0] * systems
    for (first, second), side in zip(pairs, worse, strict=True):
        if side:
            loser, winner = (first, second) if side > 0 else (second, first)
            beaten[loser] += 1
            beats[winner] += 1
    return tuple((beaten[v] + 1, systems - beats[v]) for v in range(systems))


def _share(errors: Floats, sizes: Floats) -> Floats:
    """(1 + #{errors >= size})/(B + 1) for each size; ``errors`` (B, 1) or (B, P)."""
    reached = np.count_nonzero(errors >= sizes - ROUNDING, axis=0)
    return np.asarray((1 + reached) / (errors.shape[0] + 1), dtype=np.float64)
