"""Slow twins of stats/dependence, wilson, interclass and folds: loops over comparisons, in exact fractions."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from scipy import stats


@dataclass(frozen=True)
class Row:
    """One comparison: its subjects (equal when mated) and its score."""

    first: Hashable
    second: Hashable
    score: float

    @property
    def subjects(self) -> set[Hashable]:
        """The one or two subjects."""
        return {self.first, self.second}


def shared_variance(weighted: Sequence[tuple[set[Hashable], Fraction]]) -> Fraction:
    """Sum of the products of residuals over ordered pairs (itself included) that share a subject: O(M^2)."""
    return sum(
        (one * two for a, one in weighted for b, two in weighted if a & b),
        start=Fraction(0),
    )


def adjacent_variance(weighted: Sequence[tuple[set[Hashable], Fraction]]) -> tuple[Fraction, Fraction]:
    """The same in two parts: within one pair of subjects, and between pairs that share exactly one."""
    within = sum((x * y for a, x in weighted for b, y in weighted if a == b), start=Fraction(0))
    return within, shared_variance(weighted) - within


def pooled_residuals(
    rows: Sequence[Row], errs: Callable[[Row], bool]
) -> list[tuple[set[Hashable], Fraction]]:
    """(error - p)/n of every comparison."""
    n = len(rows)
    p = Fraction(sum(errs(row) for row in rows), n)
    return [(row.subjects, (int(errs(row)) - p) / n) for row in rows]


def identity_residuals(
    rows: Sequence[Row], errs: Callable[[Row], bool]
) -> list[tuple[set[Hashable], Fraction]]:
    """(block's rate - mean of the blocks' rates)/blocks of every block: a subject, or a pair of subjects."""
    blocks: dict[frozenset[Hashable], list[Row]] = {}
    for row in rows:
        blocks.setdefault(frozenset(row.subjects), []).append(row)
    rate = {key: Fraction(sum(map(errs, of)), len(of)) for key, of in blocks.items()}
    mean = sum(rate.values(), start=Fraction(0)) / len(rate)
    return [(set(key), (value - mean) / len(rate)) for key, value in rate.items()]


def rate_of(rows: Sequence[Row], errs: Callable[[Row], bool], *, identity: bool) -> Fraction:
    """Pooled or identity-weighted rate."""
    if not identity:
        return Fraction(sum(map(errs, rows)), len(rows))
    blocks: dict[frozenset[Hashable], list[Row]] = {}
    for row in rows:
        blocks.setdefault(frozenset(row.subjects), []).append(row)
    rates = [Fraction(sum(map(errs, of)), len(of)) for of in blocks.values()]
    return sum(rates, start=Fraction(0)) / len(rates)


def match_error(threshold: float) -> Callable[[Row], bool]:
    """A non-mated comparison errs iff its score is above."""
    return lambda row: row.score > threshold


def non_match_error(threshold: float) -> Callable[[Row], bool]:
    """A mated comparison errs iff its score is not above."""
    return lambda row: row.score <= threshold


def rule_design_effect(
    rows: Sequence[Row], errs: Callable[[Row], bool], *, mated: bool, identity: bool
) -> float:
    """max(1, V n/(p(1-p))) of FORMULAS 8.1; the limit at one error where there is none, or nothing else."""
    p = rate_of(rows, errs, identity=identity)
    if p in {0, 1}:
        return 1.0 if mated else 2.0
    residuals = (identity_residuals if identity else pooled_residuals)(rows, errs)
    subjects = set().union(*(row.subjects for row in rows))
    total = sum(
        (sum((x for who, x in residuals if k in who), start=Fraction(0)) ** 2 for k in subjects),
        start=Fraction(0),
    )
    weight = subjects_by_weight(rows) if mated and not identity else Fraction(len(subjects))
    variance = weight / (weight - 1) * total
    return max(1.0, float(variance * len(rows) / (p * (1 - p))))


def subjects_by_weight(rows: Sequence[Row]) -> Fraction:
    """(sum of n_k)^2 over the sum of n_k^2, n_k the mated comparisons of subject k."""
    counts = Counter(row.first for row in rows)
    return Fraction(len(rows) ** 2, sum(n * n for n in counts.values()))


def rule_interval(
    rows: Sequence[Row], threshold: float, alpha: float, *, mated: bool, identity: bool,
    enough: tuple[int, int] = (30, 10),
) -> tuple[float, float, float]:  # fmt: skip
    """low, high and design effect by FORMULAS 8.1, all scores known."""
    kind = non_match_error if mated else match_error
    subjects = set().union(*(row.subjects for row in rows))
    load = (1 if mated else 2) * len(rows) / len(subjects)

    def enough_at(t: float) -> bool:
        wrong = [row for row in rows if kind(t)(row)]
        right = [row for row in rows if not kind(t)(row)]
        rarer = wrong if len(wrong) <= len(right) else right
        who = set().union(*(row.subjects for row in rarer)) if rarer else set()
        return len(rarer) >= enough[0] and len(who) >= enough[1]

    deff = rule_design_effect(rows, kind(threshold), mated=mated, identity=identity)
    if not enough_at(threshold):
        scores = sorted({row.score for row in rows}, key=lambda t: abs(t - threshold))
        source = next((t for t in scores if enough_at(t)), None)
        if source is not None and rate_of(rows, kind(source), identity=False) < 1:
            deff = max(deff, rule_design_effect(rows, kind(source), mated=mated, identity=identity))
        else:
            deff = max(deff, load)
    p = float(rate_of(rows, kind(threshold), identity=identity))
    weight = subjects_by_weight(rows) if mated and not identity else len(subjects)
    low, high = outer_bounds(p, len(rows) / deff, max(float(weight) - 1, 1), alpha / 2)
    return low, high, deff


def fmr_upper(
    rows: Sequence[Row], same: Sequence[Row], threshold: float, deff: float, error: float, *, identity: bool
) -> float:
    """The bound of FORMULAS 8.18 from the comparisons themselves; ``same``: the mated ones."""
    errs = match_error(threshold)
    p = rate_of(rows, errs, identity=identity)
    miss = rate_of(same, non_match_error(threshold), identity=identity) if same else Fraction(0)
    residuals = (identity_residuals if identity else pooled_residuals)(rows, errs)
    subjects = set().union(*(row.subjects for row in rows))
    sizes = Counter(frozenset(row.subjects) for row in rows)
    blocks = Fraction(len(rows) ** 2, sum(n * n for n in sizes.values()))
    pair = float((1 - miss) / (len(sizes) if identity else blocks))
    person = max(abs(sum((x for who, x in residuals if k in who), start=Fraction(0))) for k in subjects)
    n_eff, degrees = len(rows) / deff, max(len(subjects) - 1, 1)
    known = float(p), n_eff, degrees, pair, float(person), error
    if pair == 0 and person == 0 and p == 0:
        return 0.0
    return min(1.0, max(unseen_bound(*known), -math.log(error) * pair))


def score_interval(p: float, n: float, z: float) -> tuple[float, float]:
    """Wilson's interval: the two roots of (p - x)^2 = z^2 x (1 - x)/n."""
    a, b, c = 1 + z * z / n, 2 * p + z * z / n, p * p
    root = math.sqrt(max(b * b - 4 * a * c, 0.0))
    return max((b - root) / (2 * a), 0.0), min((b + root) / (2 * a), 1.0)


def quantile_distance(classes: Sequence[Sequence[Fraction]]) -> list[float]:
    """d_l2 in quantile space: the integral over every interval between breakpoints, in fractions."""
    points = sorted({Fraction(i, len(one)) for one in classes for i in range(1, len(one) + 1)})
    square = [Fraction(0)] * len(classes)
    for low, high in zip([Fraction(0), *points], points, strict=False):
        values = [sorted(one)[math.ceil(high * len(one)) - 1] for one in classes]
        mean = sum(values, start=Fraction(0)) / len(values)
        square = [s + (high - low) * (v - mean) ** 2 for s, v in zip(square, values, strict=True)]
    return [math.sqrt(s) for s in square]


def tar_distance(classes: Sequence[Sequence[Fraction]]) -> list[float]:
    """d_l2 in TAR space over 0..100, in fractions."""
    points = sorted({Fraction(0), Fraction(100), *(x for one in classes for x in one)})
    square = [Fraction(0)] * len(classes)
    for low, high in pairwise(points):
        middle = (low + high) / 2
        values = [Fraction(sum(x > middle for x in one), len(one)) for one in classes]
        mean = sum(values, start=Fraction(0)) / len(values)
        square = [s + (high - low) * (v - mean) ** 2 for s, v in zip(square, values, strict=True)]
    return [math.sqrt(s) for s in square]


def best_threshold(scores: Sequence[float], mated: Sequence[bool]) -> tuple[float, int]:
    """Every candidate in turn; the largest of the best."""
    distinct = sorted(set(scores))
    between = [(a + b) / 2 for a, b in pairwise(distinct)]
    best, most = -math.inf, -1
    for t in [-math.inf, *between, distinct[-1]]:
        correct = sum((s > t) == m for s, m in zip(scores, mated, strict=True))
        if correct >= most:
            best, most = t, correct
    return best, most


def outer_bounds(p: float, n: float, degrees: float, error: float) -> tuple[float, float]:
    """FORMULAS 8.1 from scipy.stats: the outer of the roots of the score equation and Clopper and Pearson's limits."""
    t = float(stats.t.isf(error, degrees))
    tail, x, y = float(stats.norm.sf(t)), p * n, (1 - p) * n
    low, high = score_interval(p, n, t)
    if tail < 1e-290:
        return (0.0 if p < 1 else min(low, 0.0)), 1.0
    exact_low = float(stats.beta.ppf(tail, x, y + 1)) if x > 0 else 0.0
    exact_high = float(stats.beta.isf(tail, x + 1, y)) if y > 0 else 1.0
    return min(low, exact_low), max(high, exact_high)


def unseen_bound(p: float, n: float, degrees: float, pair: float, person: float, error: float) -> float:
    """U_a of FORMULAS 8.18, letter by letter, by the chi-square distribution: Gamma(k, s) is s/2 times chi2(2k)."""
    c = float(stats.t.isf(error, degrees) / stats.norm.isf(error))
    m = p + pair + person
    v = min(c**2 * p * (1 - p) / n + pair**2 + person**2, 11 * m**2)
    if v == 0:  # nothing but errors, and no mated comparison right: the rate itself
        return m
    return v / m / 2 * float(stats.chi2.isf(error, 2 * m**2 / v))
