"""How the comparisons of one system hang together through their subjects: residuals and their variances.

A residual is (error - rate) of one comparison. Comparisons that share a subject are dependent; the variance
of a rate follows from two sums: of the squared residual sums by subject, and by pair of subjects (FORMULAS 2,
8.1).
"""

import math
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Integers, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.scores import Groups, NonMatedSums, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.rates.sums import MatedSums, size_squares
from frtaudit.stats.rates.trials import members, schema_of, subject_trials, trials

# A hub takes part in more than the share HUB of comparisons of two subjects, or ALONE of those of one, and AMONG/K.
HUB, ALONE, AMONG = 0.2, 0.9, 5
# A list has few subjects in most comparisons where under FEW of them by weight, and a quarter of all, have MAJORITY.
FEW, ONE, MAJORITY = 20, 1.5, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Residuals:
    """The sums from which the variance of one rate is made.

    ``rate``: p, pooled or identity-weighted; ``errors``, ``trials``: pooled counts x and n (unordered
    comparisons); ``total``: what the residual sums are divided by: comparisons (pooled), subjects or pairs of
    subjects (identity); ``subjects``: subjects that take part; ``subjects_with_errors``: distinct subjects among the
    errors; ``effective_subjects``: subjects by weight, :func:`effective_number` of the comparisons of each (mated and
    pooled, or with a hub), else ``subjects``; ``by_subject``: sum over subjects of R_k^2 (non-mated) or D_k^2 (mated);
    ``by_block``: sum over pairs of subjects of D_kl^2, 0 when mated; ``right``: distinct subjects among the comparisons
    that do not err; ``heaviest``: the largest |R_k| or |D_k|; ``blocks``: pairs of subjects by weight, n^2 / sum n_kl^2
    or P, 0 when mated; ``image``: what one more bad image adds to the rate where people weigh unequally,
    :func:`image_weight`; ``hub``: largest share of the comparisons that a subject far above the mean takes part in, 0
    without one; ``of_hubs``: what :func:`hubs` adds to ``by_subject``; ``is_concentrated``: whether so few subjects
    take part in most comparisons of a list that ``effective_subjects`` is :func:`few_of_a_list`.
    """

    rate: float
    errors: int
    trials: int
    total: int
    subjects: int
    subjects_with_errors: int
    effective_subjects: float
    by_subject: float
    by_block: float = 0.0
    right: int = 0
    heaviest: float = 0.0
    blocks: float = 0.0
    image: float = 0.0
    hub: float = 0.0
    of_hubs: float = 0.0
    is_concentrated: bool = False

    def few(self, errors: int, subjects: int) -> bool:
        """Whether the rarer outcome (errors, or what does not err) counts fewer than so many, or of fewer subjects."""
        if 2 * self.errors <= self.trials:
            return self.errors < errors or self.subjects_with_errors < subjects
        return self.trials - self.errors < errors or self.right < subjects


def plugin_variance(residuals: Residuals) -> float:
    """Variance of a rate by the plug-in formulas of FORMULAS 2; it can be <= 0 for non-mated comparisons.

    Mated: sum D_k^2 / n^2. Non-mated: [sum_k R_k^2 - sum_{k<l} D_kl^2] / M^2. NaN without comparisons.

    >>> plugin_variance(Residuals(
    ...     rate=0.5, errors=5, trials=10, total=10, subjects=5, subjects_with_errors=5, effective_subjects=5,
    ...     by_subject=4.0, by_block=1.0))
    0.03
    """
    return _over(residuals.by_subject - residuals.by_block, residuals.total)


def truncated_variance(residuals: Residuals) -> float:
    """The plug-in variance with the covariance of adjacent blocks floored at 0 (cimat; FORMULAS 2).

    [sum D_kl^2 + max(sum R_k^2 - 2 sum D_kl^2, 0)] / M^2: never smaller than the clean one, never negative.
    Mated residuals have no blocks: the clean variance.

    >>> truncated_variance(Residuals(
    ...     rate=0.5, errors=5, trials=10, total=10, subjects=5, subjects_with_errors=5, effective_subjects=5,
    ...     by_subject=1.0, by_block=1.0))
    0.01
    """
    adjacent = max(residuals.by_subject - 2 * residuals.by_block, 0.0)
    return _over(residuals.by_block + adjacent, residuals.total)


def inflated_variance(residuals: Residuals) -> float:
    """The variance of FORMULAS 8.1; inf for fewer than two subjects.

    Non-mated: K/(K-1) * sum R_k^2 / M^2; mated: K2/(K2-1) * sum D_k^2 / n^2, with K2 counted by weight: where a few
    subjects hold most of the comparisons it is they that the rate is made of (:func:`effective_number`). So it is of
    non-mated comparisons with a hub. The R_k or D_k of a hub is that of the rate without it (:func:`hubs`).

    >>> inflated_variance(Residuals(
    ...     rate=0.5, errors=5, trials=10, total=10, subjects=5, subjects_with_errors=5, effective_subjects=5,
    ...     by_subject=1.0, by_block=0.5))
    0.0125
    """
    if residuals.subjects < 2:
        return float("inf")
    correction = residuals.effective_subjects / (residuals.effective_subjects - 1)
    return correction * _over(residuals.by_subject + residuals.of_hubs, residuals.total)


def hubs(residual: Floats, weights: Integers | Floats, total: int, least: float = HUB) -> tuple[float, float]:
    """The largest share of comparisons of a hub, and what hubs add to the sum of squared residual sums.

    A subject that takes part in a share h of the comparisons pulls the rate towards its own, and its residual sum R
    towards 0: with h = 1 it is 0, whatever the subject is like. R / (1 - h) is the change of the rate without the
    subject, as a jackknife has it. Only a subject with more than ``least`` of the comparisons, and 5/K of those of K
    subjects, is taken so: of others 8.1 holds as it stands.

    Parameters
    ----------
    residual, weights : ndarray of float, shape (K,)
        R_k, and the comparisons of each subject (identity-weighted: its pairs of subjects).
    total : int
        All comparisons, or pairs: of non-mated ones half of the sum of ``weights``.

    Examples
    --------
    >>> hubs(np.array([3.0, -1.0, -2.0]), np.array([2, 2, 2]), 3)
    (0.0, 0.0)
    >>> hubs(np.zeros(61), np.array([60, *[1] * 60]), 60)
    (1.0, 0.0)
    """
    share = weights / total
    grown = np.square(residual) * (np.square(hub_factor(share, least)) - 1)
    hub = is_hub(share, least)
    return float(share[hub].max(initial=0.0)), float(grown.sum())


def is_hub(share: Floats, least: float = HUB) -> Flags:
    """Which of K subjects take part in much of the comparisons, far more than the mean; in all of more than two: each.

    >>> is_hub(np.array([0.6, 0.2, 0.2])).tolist(), is_hub(np.array([1.0, 0.5, 0.5])).tolist()
    ([False, False, False], [True, False, False])
    """
    bound = max(least, AMONG / max(share.size, 1))
    return np.asarray((share > bound) | ((share == 1) & (share.size > 2)))


def hub_factor(share: Floats, least: float = HUB) -> Floats:
    """What the residual sum of each of K subjects is multiplied by: 1 / (1 - share) of a hub, 1 of others.

    >>> hub_factor(np.array([0.5, *[0.05] * 10]))[:2].tolist()
    [2.0, 1.0]
    """
    grows = is_hub(share, least) & (share < 1)
    return np.divide(1.0, 1 - share, out=np.ones(share.size), where=grows)


def few_of_a_list(weights: Integers | Floats, partners: Ints) -> float | None:
    """(sum w^2)^2 / sum w^4: subjects by weight that a variance of a list is made of, where these are few; else None.

    Where a few probes meet many references the variance over subjects is that of the probes, each counted once. It is
    taken of a list only, which has less than half of all pairs of subjects (``partners``: of each), and only where so
    many subjects have most of the comparisons; of one hub alone it is not.

    >>> few_of_a_list(np.array([12, 12, *[2] * 12]), np.array([12, 12, *[2] * 12])) < 3
    True
    >>> few_of_a_list(np.array([8, 2, 2]), np.array([2, 2, 2])) is None
    True
    """
    size, count = weights.size, effective_number(np.square(weights.astype(np.float64)))
    if not ONE < count < min(FEW, size / 4) or 2 * int(partners.sum()) >= size * (size - 1):
        return None
    heaviest = np.sort(weights)[::-1][: math.ceil(count)].sum()
    return count if heaviest > MAJORITY * weights.sum() / 2 else None


def effective_number(weights: Integers | Floats) -> float:
    """How many subjects of equal weight make a mean as steady: (sum w)^2 / sum w^2 (Kish); K where all are equal.

    ``weights``: shape (K,), int, comparisons of each subject; 0.0 without any.

    >>> effective_number(np.array([3, 3, 3])), effective_number(np.array([8, 1, 1]))
    (3.0, 1.5151515151515151)
    """
    exact = weights.astype(np.float64)
    square = float(np.square(exact).sum())
    return float(exact.sum()) ** 2 / square if square else 0.0


def image_weight(most: float, trials: float, effective_subjects: float, subjects: int) -> float:
    """What the worst unseen image would add to a pooled FNMR, as far as people weigh unequally: (1 - K/K2) most/n.

    ``most``: mated comparisons of the sample that has the most; ``trials``: n; ``effective_subjects``: K, subjects by
    weight (:func:`effective_number`), of ``subjects`` K2. 0 where all weights are equal.

    >>> image_weight(9, 600, 30.0, 120), image_weight(4, 600, 60.0, 60)
    (0.01125, 0.0)
    """
    return max(1 - effective_subjects / subjects, 0.0) * most / trials if trials else 0.0


def degrees_of_freedom(effective_subjects: float) -> float:
    """Of Student's t for a variance estimated from so many subjects by weight: K - 1, at least 1.

    >>> degrees_of_freedom(40.0), degrees_of_freedom(1.5)
    (39.0, 1.0)
    """
    return max(effective_subjects - 1.0, 1.0)


def count_subjects_with_errors(subject_errors: Ints, members: Flags | None = None) -> int:
    """Count the distinct subjects among the errors (FORMULAS 8).

    ``subject_errors``: shape (K,), int, errors of each subject; ``members``: shape (K,), bool, the subjects
    that count.

    >>> count_subjects_with_errors(np.array([2, 0, 1]))
    2
    """
    return int(np.count_nonzero(subject_errors if members is None else subject_errors[members]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(FrozenArrays):
    """How the non-mated comparisons are spread over subjects: denominators of the residuals.

    Scope 0 is everybody, scope s + 1 within one group of schema s (:class:`~frtaudit.core.NonMatedSums`);
    groups as there. ``comparisons``, ``partners``: shape (1+S, K), int64, comparisons of each subject and the
    number of other subjects it is compared with; ``scope_of``: shape (G+1,), int64; ``member``: shape (G+1,
    K), bool; ``trials``, ``pairs``: shape (G+1,), int64, comparisons and compared pairs of subjects;
    ``square``: shape (G+1,), float64, sum over pairs of subjects of n_kl^2.
    """

    comparisons: Ints
    partners: Ints
    scope_of: Ints
    member: Flags
    trials: Ints
    pairs: Ints
    square: Floats


def spread(tail: ScoreTail, groups: Groups) -> Spread:
    """Count the non-mated comparisons of every subject, scope and group.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "a", "b"])
    >>> found = spread(tail, no_groups(tail))
    >>> found.trials.tolist(), found.pairs.tolist(), found.square.tolist()
    ([2], [1], [4.0])
    """
    denominators, each = trials(tail, groups), subject_trials(tail, groups)
    return Spread(
        comparisons=each.comparisons,
        partners=each.partners,
        scope_of=np.concatenate([[0], schema_of(groups) + 1]).astype(np.int64),
        member=members(groups, tail.n_samples.size),
        trials=denominators.non_mated,
        pairs=denominators.subject_pairs,
        square=size_squares(tail, groups).astype(np.float64),
    )


def mated_residuals(mated: MatedSums, row: int, member: Flags, weighting: Weighting) -> Residuals:
    """Residual sums of FNMR (pooled) or FRR (identity) at threshold number ``row``, subjects ``member`` (K,).

    Pooled: D_k = errors_k - p n_k, divided by n; identity: FRR_k - FRR_n, divided by K2 (FORMULAS 2).
    """
    chosen = member & (mated.subject_pairs > 0)
    errors, pairs = mated.subject_errors[row, chosen], mated.subject_pairs[chosen]
    x, n, subjects = int(errors.sum()), int(pairs.sum()), int(chosen.sum())
    if weighting is Weighting.POOLED:
        total, rate = n, _rate(x, x, n, n)
        residual = errors - rate * pairs
    else:
        total, rate = subjects, _rate(float((errors / pairs).sum()), x, n, subjects)
        residual = errors / pairs - rate
    effective_subjects = effective_number(pairs) if weighting is Weighting.POOLED else float(subjects)
    pooled = weighting is Weighting.POOLED and n > 0
    hub, grown = hubs(residual, pairs, n, ALONE) if pooled else (0.0, 0.0)
    return Residuals(
        rate=rate,
        errors=x,
        trials=n,
        total=total,
        subjects=subjects,
        subjects_with_errors=count_subjects_with_errors(errors),
        effective_subjects=effective_subjects,
        by_subject=float(np.square(residual).sum()),
        right=count_subjects_with_errors(pairs - errors),
        heaviest=float(np.abs(residual).max(initial=0.0)),
        image=image_weight(float(mated.image_pairs[chosen].max(initial=0)), n, effective_subjects, subjects),
        hub=hub,
        of_hubs=grown,
    )


def match_rate(mated: MatedSums, row: int, member: Flags, weighting: Weighting) -> float:
    """TMR of FORMULAS 8.18 at threshold number ``row``: 1 - :func:`mated_residuals`' rate; 1 without a comparison."""
    chosen = member & (mated.subject_pairs > 0)
    errors, pairs = mated.subject_errors[row, chosen], mated.subject_pairs[chosen]
    x, n = int(errors.sum()), int(pairs.sum())
    if n == 0:
        return 1.0
    if weighting is Weighting.POOLED:
        return 1 - _rate(x, x, n, n)
    return 1 - _rate(float((errors / pairs).sum()), x, n, int(chosen.sum()))


def non_mated_residuals(
    sums: NonMatedSums, row: int, group_index: int, spread: Spread, weighting: Weighting
) -> Residuals:
    """Residual sums of FMR (pooled) or FAR (identity) at threshold number ``row`` within ``group_index``.

    Pooled: D_kl = e_kl - p n_kl, divided by M; identity: D_kl = FAR_kl - FAR_n, divided by the number of
    compared pairs of subjects; R_k = sum over l of D_kl (FORMULAS 2).
    """
    scope, errors, trials = (
        int(spread.scope_of[group_index]),
        int(sums.errors[row, group_index]),
        int(spread.trials[group_index]),
    )
    part = spread.member[group_index] & (spread.comparisons[scope] > 0)
    wrong = sums.subject_errors[row, scope]
    if weighting is Weighting.POOLED:
        total, square = trials, float(spread.square[group_index])
        subject_errors, weight = wrong[part], spread.comparisons[scope, part]
        count, cross = float(errors), float(sums.error_cross[row, group_index])
        block = float(sums.error_square[row, group_index])
    else:
        total, square = int(spread.pairs[group_index]), float(spread.pairs[group_index])
        subject_errors, weight = sums.subject_far[row, scope, part], spread.partners[scope, part]
        count = cross = float(sums.far_sum[row, group_index])
        block = float(sums.far_square[row, group_index])
    rate = _rate(count, errors, trials, total)
    residual = subject_errors - rate * weight
    hub, grown = hubs(residual, weight, total) if total else (0.0, 0.0)
    few = few_of_a_list(weight, spread.partners[scope, part]) if total else None
    by_weight = effective_number(weight) if hub else float(part.sum())
    return Residuals(
        rate=rate,
        errors=errors,
        trials=trials,
        total=total,
        subjects=int(part.sum()),
        subjects_with_errors=count_subjects_with_errors(wrong, part),
        effective_subjects=by_weight if few is None else min(few, by_weight),
        by_subject=float(np.square(residual).sum()),
        by_block=max(block - 2 * rate * cross + rate * rate * square, 0.0),
        right=count_subjects_with_errors(spread.comparisons[scope] - wrong, part),
        heaviest=float(np.abs(residual).max(initial=0.0)),
        blocks=total**2 / square if square else 0.0,
        hub=hub,
        of_hubs=grown,
        is_concentrated=few is not None,
    )


def _over(square: float, total: int) -> float:
    return square / total**2 if total else float("nan")


def _rate(count: float, errors: int, trials: int, total: int) -> float:
    """count/total, exactly 0 without errors and 1 with nothing else, whatever the order of the float sums."""
    if trials == 0:
        return float("nan")
    if errors in {0, trials}:
        return float(errors > 0)
    return count / total
