"""False matches without the comparisons of some pairs of subjects: the rule of FORMULAS 8.1 on what is left."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Flags, Index, Ints
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.intervals.dependence import Spread
from frtaudit.stats.intervals.wilson import WilsonRule, prepare
from frtaudit.stats.rates.histogram import histogram_of
from frtaudit.stats.rates.trials import block_sizes


def rule_without(
    tail: ScoreTail, groups: Groups, first: Ints, second: Ints, thresholds: Iterable[float]
) -> tuple[ScoreTail, WilsonRule]:
    """The tail, and its rule, as if the subjects ``first``, ``second`` (n,) int64 of each pair had never been compared.

    Pairs are distinct and were compared; ``thresholds``: at or above the tail's floor, others are left out. Mated
    comparisons stay. The tail of complete cells does not know that they are complete no more: its rule does.

    >>> from frtaudit.core.spec import Weighting
    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "b", "c"])
    >>> _, rule = rule_without(tail, no_groups(tail), np.array([0]), np.array([1]), [0.25])
    >>> found = rule.fmr_residuals(0.25, 0, Weighting.POOLED)
    >>> found.errors, found.trials
    (1, 2)
    """
    key = np.minimum(first, second) * tail.n_samples.size + np.maximum(first, second)
    some = [value for value in thresholds if value >= tail.cutoff]
    rest = _tail_without(tail, key)
    rule = prepare(rest, groups, some)
    if tail.blocks is not None:
        return rest, rule
    sizes = block_sizes(tail, first.astype(np.int32), second.astype(np.int32))
    return rest, replace(rule, spread=_spread_without(rule.spread, groups, first, second, sizes))


def _tail_without(tail: ScoreTail, key: Ints) -> ScoreTail:
    stays = ~_of(tail, tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j], key)
    blocks = tail.blocks
    if blocks is not None:
        blocks = blocks.at_rows(~_of(tail, blocks.k, blocks.l, key))
    return replace(
        tail,
        tail_i=tail.tail_i[stays],
        tail_j=tail.tail_j[stays],
        tail_score=tail.tail_score[stays],
        histogram=tail.histogram - histogram_of(tail.tail_score[~stays], tail.edges),
        blocks=blocks,
        rescored=None,
    )


def _of(tail: ScoreTail, first: Index, second: Index, key: Ints) -> Flags:
    """Which pairs of subjects are among those of ``key``."""
    pair_key = np.minimum(first, second).astype(np.int64) * tail.n_samples.size + np.maximum(first, second)
    ordered = np.append(np.sort(key), -1)
    return np.asarray(ordered[np.searchsorted(ordered[:-1], pair_key)] == pair_key)


def _spread_without(spread: Spread, groups: Groups, first: Ints, second: Ints, sizes: Ints) -> Spread:
    """The denominators, each block taken out of every group and scope that holds it."""
    both = spread.member[:, first] & spread.member[:, second]  # (G+1, n)
    inside = [np.ones(first.size, dtype=np.bool_)]
    inside += [(row[first] >= 0) & (row[first] == row[second]) for row in groups.of]
    comparisons, partners = spread.comparisons.copy(), spread.partners.copy()
    for scope, chosen in enumerate(inside):
        for side in (first, second):
            np.subtract.at(comparisons[scope], side[chosen], sizes[chosen])
            np.subtract.at(partners[scope], side[chosen], 1)
    return replace(
        spread,
        comparisons=comparisons,
        partners=partners,
        trials=spread.trials - both @ sizes,
        pairs=spread.pairs - both.sum(axis=1),
        square=spread.square - both @ np.square(sizes).astype(np.float64),
    )
