"""A mixture of two normal distributions of scores, which may be cut off at one end or both (Tobin's model, by EM)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.labelling import Mixture
from frtaudit.stats._scipy import scipy

STEPS, ENOUGH = 500, 1e-6
NARROWEST = 1e-3  # of the spread of all scores, so that no part collapses onto a few equal ones
SPLITS = (
    0.05,
    0.1,
    0.2,
    0.35,
    0.5,
    0.65,
    0.8,
    0.9,
    0.95,
)  # quantiles at which a start cuts the scores in two
COARSE, MAX_FITTED = (
    2_000,
    100_000,
)  # equally spaced ranks: that every start is fitted to, that the best one ends on
HALF_LOG = 0.5 * np.log(2 * np.pi)


def cut_mixture(scores: Floats, floor: float | None = None, ceiling: float | None = None) -> Mixture | None:
    """The two parts before they were cut off; None where fewer than two scores differ.

    ``scores``: shape (P,), in any order; those at or below ``floor`` and at or above ``ceiling`` stand for all beyond.
    EM stops at the nearest optimum, so it starts from each of ``SPLITS``, and the likeliest fit counts.

    >>> rng = np.random.default_rng(1)
    >>> scores = np.maximum(np.concatenate([rng.normal(50, 5, 4000), rng.normal(80, 4, 1000)]), 50)
    >>> [round(mean) for mean in cut_mixture(scores, floor=50.0).mean]
    [50, 80]
    """
    ranks = np.sort(scores)
    if ranks.size < 2 or ranks[0] == ranks[-1]:
        return None
    coarse = _Sample.of(_spaced(ranks, COARSE), floor, ceiling)
    fits = [coarse.fitted(start) for split in SPLITS if (start := coarse.start(split)) is not None]
    fine = _Sample.of(_spaced(ranks, MAX_FITTED), floor, ceiling)
    best = fine.fitted(max(fits, key=coarse.log_likelihood))
    likelihood = fine.log_likelihood(best)
    order = np.argsort(best.mean, kind="stable")
    mean, width, share = (
        (float(part[order[0]]), float(part[order[1]])) for part in (best.mean, best.width, best.share)
    )
    gain = likelihood - fine.log_likelihood(fine.fitted(fine.alike()))
    return Mixture(
        mean=mean, width=width, share=share, log_likelihood=likelihood, gain=gain, starts=len(fits)
    )


def _spaced(ranks: Floats, size: int) -> Floats:
    return ranks[np.linspace(0, ranks.size - 1, min(ranks.size, size)).round().astype(np.int64)]


@dataclass(frozen=True, slots=True)
class _Parts:
    """Mean, standard deviation and share of two parts, shape (2,) each."""

    mean: Floats
    width: Floats
    share: Floats


@dataclass(frozen=True, slots=True)
class _Sample:
    """Scores as EM reads them: ``inner`` between the cuts, ``ends``: each cut, its sign and how many lie there."""

    scores: Floats
    inner: Floats
    ends: tuple[tuple[float, int, int], ...]

    @classmethod
    def of(cls, scores: Floats, floor: float | None, ceiling: float | None) -> "_Sample":
        low = np.zeros(scores.size, dtype=np.bool_) if floor is None else scores <= floor
        high = np.zeros(scores.size, dtype=np.bool_) if ceiling is None else scores >= ceiling
        ends = tuple(
            (float(cut), sign, int(censored.sum()))
            for cut, sign, censored in ((floor, 1, low), (ceiling, -1, high))
            if cut is not None
        )
        return cls(scores, scores[~low & ~high], ends)

    def start(self, split: float) -> _Parts | None:
        """The two sides of a quantile as parts; None where one of them is empty."""
        above = self.scores > np.quantile(self.scores, split)
        if above.all() or not above.any():
            return None
        sides = self.scores[~above], self.scores[above]
        least = 0.05 * self.scores.std()
        return _Parts(
            np.array([side.mean() for side in sides]),
            np.array([max(side.std(), least) for side in sides]),
            np.array([side.size for side in sides]) / self.scores.size,
        )

    def alike(self) -> _Parts:
        """Two equal parts, which EM keeps equal: one normal distribution."""
        mean, width = self.scores.mean(), self.scores.std()
        return _Parts(np.array([mean, mean]), np.array([width, width]), np.array([0.5, 0.5]))

    def fitted(self, parts: _Parts) -> _Parts:
        """The parts after steps of EM.

        A score that is cut off counts with the first two moments of a normal beyond the cut: with
        a = (floor - mu)/sd and h = phi(a)/Phi(a), E[X] = mu - sd h and E[(X - mu)^2] = sd^2 (1 - a h).
        """
        spread = float(self.scores.std())
        for _ in range(STEPS):
            pieces = [_inside(self.inner, parts), *(_beyond(*end, parts) for end in self.ends)]
            count, first, second = (np.sum([piece[k] for piece in pieces], axis=0) for k in range(3))
            count = np.maximum(count, 1e-9)
            moved = first / count  # moments stand about the old means
            width = np.sqrt(np.maximum(second / count - moved**2, (NARROWEST * spread) ** 2))
            parts = _Parts(parts.mean + moved, width, count / count.sum())
            if float(np.max(np.abs(moved))) < ENOUGH * spread:
                break
        return parts

    def log_likelihood(self, parts: _Parts) -> float:
        """The mean over all scores."""
        total = float(np.logaddexp(*_densities(self.inner, parts)).sum()) - HALF_LOG * self.inner.size
        total += sum(
            censored * scipy.special.logsumexp(_mass(cut, sign, parts)) for cut, sign, censored in self.ends
        )
        return float(total / self.scores.size)


def _densities(scores: Floats, parts: _Parts) -> tuple[Floats, Floats]:
    """Log of share times density in each part, but for a constant."""
    level = np.log(parts.share) - np.log(parts.width)
    low, high = (level[k] - 0.5 * ((scores - parts.mean[k]) / parts.width[k]) ** 2 for k in range(2))
    return low, high


def _mass(cut: float, sign: int, parts: _Parts) -> Floats:
    """Log of share times probability beyond the cut, shape (2,)."""
    return np.asarray(np.log(parts.share) + scipy.special.log_ndtr(sign * (cut - parts.mean) / parts.width))


def _inside(scores: Floats, parts: _Parts) -> tuple[Floats, Floats, Floats]:
    """Count, sum, and sum of squares about the mean of the scores that are seen, each by part, shape (2,)."""
    low, high = _densities(scores, parts)
    second = scipy.special.expit(high - low)
    weights = (1 - second, second)
    apart = [scores - mean for mean in parts.mean]
    moments = [
        [weight.sum(), weight @ gap, weight @ gap**2] for weight, gap in zip(weights, apart, strict=True)
    ]
    count, total, square = np.array(moments, dtype=np.float64).T
    return count, total, square


def _beyond(cut: float, sign: int, censored: int, parts: _Parts) -> tuple[Floats, Floats, Floats]:
    """The same of the ``censored`` scores below the floor (``sign`` 1) or above the ceiling (-1)."""
    at = sign * (cut - parts.mean) / parts.width
    mass = _mass(cut, sign, parts)
    weight = censored * np.exp(mass - scipy.special.logsumexp(mass))
    hazard = np.exp(-0.5 * at**2 - HALF_LOG - scipy.special.log_ndtr(at))
    return weight, -weight * sign * parts.width * hazard, weight * parts.width**2 * (1 - at * hazard)
