"""How large a difference between groups may be: simultaneous intervals of rates and of indices (FORMULAS 8.6)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.methods import MAX_UNDEFINED

Index = Callable[[Floats], Floats]

MAX_GROUPS = 12
WATER_LEVELS = 513
NO_SPREAD = 1e-12  # a standard deviation of equal logs, rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A simultaneous rectangle: ``low``, ``high`` shape (G,), on the scale of the rates; ``critical`` value used."""

    low: Floats
    high: Floats
    critical: float


def log_ratios(rates: Floats, replicates: Floats, alpha: float) -> tuple[float, float] | None:
    """Simultaneous interval of max/min by studentised max-t over all pairwise log ratios (FORMULAS 8.6).

    ``rates``: shape (G,), positive; ``replicates``: shape (B, G) of subject replicates. Returns (low, high) of the
    largest ratio, low >= 1; None when a rate is zero or more than 2 % of the replicates are undefined.

    >>> rng = np.random.default_rng(1)
    >>> low, high = log_ratios(np.array([0.1, 0.1]), 0.1 * np.exp(0.1 * rng.standard_normal((999, 2))), 0.05)
    >>> low
    1.0
    """
    logs = _logs(rates, replicates)
    if logs is None:
        return None
    centre, drawn = logs
    first, second = np.triu_indices(len(centre), k=1)
    pairs = centre[first] - centre[second]
    spread = drawn[:, first] - drawn[:, second]
    error = spread.std(axis=0, ddof=1)
    if pairs.size == 0 or not np.all(error > NO_SPREAD):
        return None
    critical = _critical(spread - pairs, error, alpha)
    lows = np.abs(pairs) - critical * error
    highs = np.abs(pairs) + critical * error
    return float(np.exp(max(0.0, lows.max()))), float(np.exp(highs.max()))


def log_box(rates: Floats, replicates: Floats, alpha: float) -> Box | None:
    """Simultaneous rectangle of the rates, on the log scale by studentised max-t; None as in :func:`log_ratios`."""
    logs = _logs(rates, replicates)
    if logs is None:
        return None
    centre, drawn = logs
    error = drawn.std(axis=0, ddof=1)
    if not np.all(error > NO_SPREAD):
        return None
    critical = _critical(drawn - centre, error, alpha)
    return Box(
        low=np.exp(centre - critical * error), high=np.exp(centre + critical * error), critical=critical
    )


def index_range(index: Index, box: Box) -> tuple[float, float] | None:
    """Extremes of a Schur-convex index over a rectangle of rates; None above 12 groups.

    The smallest value is at a vector clipped to one common level (water-filling is smallest in the majorization
    order); the largest of these quasi-convex indices is at a corner. ``index`` takes rates of shape (..., G).

    >>> box = Box(low=np.array([1.0, 2.0]), high=np.array([3.0, 4.0]), critical=2.0)
    >>> index_range(lambda rates: rates.max(axis=-1) / rates.min(axis=-1), box)
    (1.0, 4.0)
    """
    if len(box.low) > MAX_GROUPS:
        return None
    levels = np.unique(
        np.concatenate([box.low, box.high, np.geomspace(box.low.min(), box.high.max(), WATER_LEVELS)])
    )
    filled = np.clip(levels[:, None], box.low, box.high)
    corners = np.array(list(product(*zip(box.low, box.high, strict=True))))
    return float(np.min(index(filled))), float(np.max(index(corners)))


def gap_range(box: Box) -> tuple[float, float]:
    """Extremes of the largest absolute difference of two rates over a rectangle.

    >>> gap_range(Box(low=np.array([0.1, 0.4]), high=np.array([0.2, 0.5]), critical=2.0))
    (0.2, 0.4)
    """
    smallest = max(0.0, float(box.low.max() - box.high.min()))
    count = len(box.low)
    largest = max(
        (float(box.high[g] - box.low[h]) for g in range(count) for h in range(count) if g != h), default=0.0
    )
    return smallest, largest


def split(box: Box, at: int) -> tuple[Box, Box]:
    """The first ``at`` coordinates of a rectangle and the rest: FMR and FNMR made simultaneous together."""
    return (
        Box(low=box.low[:at], high=box.high[:at], critical=box.critical),
        Box(low=box.low[at:], high=box.high[at:], critical=box.critical),
    )


def _logs(rates: Floats, replicates: Floats) -> tuple[Floats, Floats] | None:
    if not np.all(rates > 0):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = np.log(replicates)
    defined = np.isfinite(drawn).all(axis=1)
    if defined.size == 0 or np.mean(~defined) > MAX_UNDEFINED:
        return None
    return np.log(rates), drawn[defined]


def _critical(gaps: Floats, error: Floats, alpha: float) -> float:
    """The (1 - alpha) quantile of the largest studentised gap; type 7."""
    return float(np.quantile(np.max(np.abs(gaps) / error, axis=1), 1 - alpha))
