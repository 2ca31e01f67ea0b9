"""Whether interclass bias went up or down from one release to the next: the same subjects, drawn alike in both.

FORMULAS 8.2 (paired vertex) and 8.16: exchangeable releases are made by independent noise on the same templates.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.stats._scipy import scipy
from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import POWER
from frtaudit.stats.systems.multiple_comparisons import noise_lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The largest d_l2 of the new release minus that of the old one, quantile space, points on 0..100.

    With D the change and D* its replicates: ``low``, ``high``: D -+ the 1 - alpha quantile of |D* - mean D*|, and
    beyond it the lift of the new and of the old release; ``p_value``: (1 + #{|D* - mean D*| >= |D| less the lift})/(B +
    1), two-sided; ``detectable``: the true change found with probability 0.8; ``subjects``: in both. The lift is how
    far noise may have raised the largest distance, as in :mod:`frtaudit.stats.systems.multiple_comparisons`: where no
    class differs in either release and one has more noise, a change was found without it in 12 to 48 % of cohorts, and
    is in at most 3 %.
    """

    old: float
    new: float
    low: float
    high: float
    p_value: float
    detectable: float
    n_resamples: int
    subjects: int

    @property
    def value(self) -> float:
        """New minus old: above 0, bias went up."""
        return self.new - self.old


def shared(
    old: tuple[Sequence[Floats], Sequence[Ints]], new: tuple[Sequence[Floats], Sequence[Ints]]
) -> tuple[Classes, Classes]:
    """Both releases of the subjects that have mated scores in both, class by class.

    ``old``, ``new``: scores on 0..100 and the subject of each, C arrays each, classes in the same order.

    >>> one = ([np.array([1.0, 2.0])], [np.array([4, 5])])
    >>> [made.sizes for made in shared(one, ([np.array([3.0])], [np.array([5])]))]
    [(1,), (1,)]
    """
    parts: tuple[list[tuple[Floats, Ints]], list[tuple[Floats, Ints]]] = ([], [])
    for before, who, after, whom in zip(*old, *new, strict=True):
        both = np.intersect1d(who, whom)
        for part, scores, subject in ((parts[0], before, who), (parts[1], after, whom)):
            chosen = np.isin(subject, both)
            part.append((scores[chosen], subject[chosen]))
    first, second = (Classes.of([s for s, _ in part], [w for _, w in part]) for part in parts)
    return first, second


def change(old: Classes, new: Classes, *, alpha: float, n: int, rng: "np.random.Generator") -> Change | None:
    """Change of the largest d_l2 from ``old`` to ``new``, as :func:`shared` makes them; ``n`` replicates of subjects.

    None where some class has fewer than two subjects in both, or no replicate differs from another.

    >>> rng = np.random.default_rng(1)
    >>> who = np.repeat(np.arange(30), 4)
    >>> level = rng.normal(60, 4, (2, 30))
    >>> before = [np.repeat(level[c], 4) + rng.normal(0, 2, 120) for c in range(2)]
    >>> after = [before[0] + rng.normal(0, 1, 120), before[1] - 9 + rng.normal(0, 1, 120)]
    >>> found = change(*shared((before, [who, who]), (after, [who, who])), alpha=0.05, n=199, rng=rng)
    >>> found.value > 0, found.p_value
    (True, 0.005)
    """
    if min(old.sizes, default=0) < 2:
        return None
    largest, parts = class_curves.largest, []
    known = [class_curves.from_mean(classes, class_curves.once(old.sizes)) for classes in (old, new)]
    for weights in class_curves.drawn(old, n, rng):
        drawn = [class_curves.from_mean(classes, weights) for classes in (old, new)]
        errors = [largest(apart - of) for apart, of in zip(drawn, known, strict=True)]
        parts.append(np.stack([*(largest(apart) for apart in drawn), *errors]))
    replicates = np.concatenate(parts, axis=1)
    gap = replicates[1] - replicates[0]
    if not float(gap.std()) > 0:
        return None
    values = np.array([float(largest(apart)[0]) for apart in known])
    before, after = values.tolist()
    lift_before, lift_after = noise_lift(values, replicates[2:].mean(axis=1)).tolist()
    low, high = after - before - lift_after, after - before + lift_before
    away = np.abs(gap - gap.mean())
    half = float(np.quantile(away, 1 - alpha, method="higher"))
    reach = float(-scipy.special.ndtri(alpha / 2) + scipy.special.ndtri(POWER))
    return Change(
        old=before,
        new=after,
        low=low - half,
        high=high + half,
        p_value=float((1 + np.count_nonzero(away >= max(low, -high, 0.0))) / (n + 1)),
        detectable=reach * float(gap.std(ddof=1)) + max(lift_before, lift_after),
        n_resamples=n,
        subjects=sum(old.sizes),
    )
