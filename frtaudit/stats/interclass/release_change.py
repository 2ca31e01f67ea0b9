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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The largest d_l2 of the new release minus that of the old one, quantile space, points on 0..100.

    With D the change and D* its replicates: ``low``, ``high``: D -+ the 1 - alpha quantile of |D* - mean D*|;
    ``p_value``: (1 + #{|D* - mean D*| >= |D|})/(B + 1), two-sided; ``detectable``: the true change found with
    probability 0.8; ``subjects``: in both. Percentiles of D* are not taken: noise lifts the smaller of two distances
    more than the larger, so that D* shrinks towards 0 (measured: size .00 to .02, power .65 where .8 was planned; as
    here .03 to .05 and .8).
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
    levels = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS
    shares = np.full(len(old.sizes), 1 / len(old.sizes))

    def largest(classes: Classes, weights: class_curves.Weights) -> Floats:
        apart = class_curves.from_overall(class_curves.quantiles(classes, levels, weights), shares)
        return np.asarray(np.sqrt(np.square(apart).mean(axis=-1).max(axis=-1)))

    drawn = [largest(new, weights) - largest(old, weights) for weights in class_curves.drawn(old, n, rng)]
    gap = np.concatenate(drawn)
    if not float(gap.std()) > 0:
        return None
    once = class_curves.once(old.sizes)
    before, after = float(largest(old, once)[0]), float(largest(new, once)[0])
    away = np.abs(gap - gap.mean())
    half = float(np.quantile(away, 1 - alpha, method="higher"))
    reach = float(-scipy.special.ndtri(alpha / 2) + scipy.special.ndtri(POWER))
    return Change(
        old=before,
        new=after,
        low=after - before - half,
        high=after - before + half,
        p_value=float((1 + np.count_nonzero(away >= abs(after - before))) / (n + 1)),
        detectable=reach * float(gap.std(ddof=1)),
        n_resamples=n,
        subjects=sum(old.sizes),
    )
