"""Subjects per class from pilot scores, by the efficiency of the Mann-Whitney test: the thesis's argument.

The thesis (003, the paragraph that introduces its Table 3 of data sets) arrives at 2790 subjects for gender and 8044
for skin tone by Mann-Whitney and its asymptotic relative efficiency (ARE), after Conover (1971) and Mann and Whitney
(1947); it prints neither a formula nor an effect. The two formulas that its words allow are here, and they agree.

(1) The t-test on n subjects in each of two classes that lie d standard deviations apart needs
n_t = 2 (z_{alpha/2} + z_beta)^2 / d^2. Mann-Whitney needs n_t/ARE, where ARE = 12 sigma^2 (int f^2)^2 is 3/pi for the
normal and never below 0.864 (Hodges and Lehmann).

(2) Noether: with p = P(X < Y) + P(X = Y)/2 and a share c of all N subjects in the one class, U/(n_1 n_2) has a variance
near 1/(12 N c (1-c)), so that N = (z_{alpha/2} + z_beta)^2 / (12 c (1-c) (p - 1/2)^2). For normal X, Y and a small
shift d, p - 1/2 is about d/(2 sqrt(pi)); with c = 1/2 that is N/2 = (2 pi/3) (z_{alpha/2} + z_beta)^2 / d^2
= n_t/(3/pi), the same.

The unit is the subject, with one number each (the mean of its mated scores): comparisons of one subject are no sample.
"""

import math

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.stats._scipy import scipy


def probability_above(first: Floats, second: Floats) -> float:
    """P(X < Y) + P(X = Y)/2 for a value X of ``first`` (n_1,) and Y of ``second`` (n_2,), both not empty.

    >>> probability_above(np.array([1.0, 2.0]), np.array([2.0, 3.0]))
    0.875
    """
    ordered = np.sort(first)
    below = np.searchsorted(ordered, second, side="left")
    up_to = np.searchsorted(ordered, second, side="right")
    return float((below + up_to).sum() / (2 * first.size * second.size))


def noether(probability: float, share: float, alpha: float, power: float) -> float:
    """Subjects of both classes together, for a two-sided test at ``alpha``; inf at probability 1/2.

    ``share``: of one class among them, in (0, 1).

    >>> round(noether(0.55, 0.5, 0.05, 0.8))
    1047
    """
    reach = float(-scipy.special.ndtri(alpha / 2) - scipy.special.ndtri(1 - power))
    distance = probability - 0.5
    return reach**2 / (12 * share * (1 - share) * distance**2) if distance else math.inf
