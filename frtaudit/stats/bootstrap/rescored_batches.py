"""Scores below the floor of the tail, batch by batch: scored again, handed on, forgotten."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.rates.histogram import above_edges
from frtaudit.stats.similarity.executor import PassContext
from frtaudit.stats.similarity.pair_scan import Pairs, joined, scan_tile
from frtaudit.stats.similarity.ranking import ranked

HELD_BYTES = 96  # a comparison of a batch: as scanned, while sorted, and laid out for the walk
MIN_COMPARISONS = 1 << 16  # comparisons that a batch may always hold
TOGETHER = 64  # tiles in one block
WHAT = "bootstrap below the floor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring:
    """Where scores below a floor come from: ``context`` scores them again, ``capacity`` of them are held at once."""

    context: PassContext
    capacity: int


def rescoring_of(context: PassContext, budget: int) -> Rescoring:
    """As many comparisons at once as ``budget`` bytes hold, at least 65,536."""
    return Rescoring(context=context, capacity=max(budget // HELD_BYTES, MIN_COMPARISONS))


def batches(below: Rescoring, bounds: Floats, expected: int) -> Iterator[Pairs]:
    """The non-mated comparisons within ``bounds``, in batches of at most ``capacity``, each in tile order.

    ``bounds`` (R, 2) float64: ranges low < score <= high, ascending and apart; ``expected``: about how many
    comparisons lie in them. Where batches end depends on neither threads nor time.
    """
    context = below.context
    parts = context.layout.n_parts
    tiles = [(row, column) for row in range(parts) for column in range(row, parts)]
    step = max(1, min(len(tiles), len(tiles) * below.capacity // max(2 * expected, 1)))
    work = partial(_scan_inside, bounds=bounds)
    for first in context.progress(range(0, len(tiles), step), WHAT):
        pairs = joined(list(context.executor(work, context, tiles[first : first + step], together=TOGETHER)))
        for start in range(0, pairs.i.size, below.capacity):
            part = slice(start, start + below.capacity)
            yield Pairs(pairs.i[part], pairs.j[part], pairs.score[part])


def _scan_inside(context: PassContext, tile: tuple[int, int], *, bounds: Floats) -> Pairs:
    return _inside(scan_tile(context, *tile, float(bounds[0, 0])), bounds)


def _inside(pairs: Pairs, bounds: Floats) -> Pairs:
    score = pairs.score.astype(np.float64)
    place = np.searchsorted(bounds[:, 1], score, side="left")
    keep = place < len(bounds)
    keep &= score > bounds[np.minimum(place, len(bounds) - 1), 0]
    return Pairs(pairs.i[keep], pairs.j[keep], pairs.score[keep])


def as_tail(tail: ScoreTail, pairs: Pairs) -> ScoreTail:
    """``tail`` with these comparisons in place of its own; its histogram says no more than their number."""
    sorted_pairs = ranked((pairs,), tail.subject_of.size)
    histogram = np.zeros_like(tail.histogram)
    histogram[0] = sorted_pairs.i.size
    return replace(
        tail,
        tail_i=sorted_pairs.i,
        tail_j=sorted_pairs.j,
        tail_score=sorted_pairs.score,
        cutoff=float("-inf"),
        histogram=histogram,
    )


def rank_at(tail: ScoreTail, score: float) -> float:
    """About how many non-mated comparisons lie above ``score``, from the histogram.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> round(rank_at(from_matrix([[0, .1, .9], [.1, 0, .2], [.9, .2, 0]], ["a", "b", "c"]), 0.5), 3)
    1.0
    """
    return float(np.interp(score, tail.edges, above_edges(tail.histogram)))


def score_at(tail: ScoreTail, rank: Floats) -> Floats:
    """About the scores above which ``rank`` non-mated comparisons lie, as float32 values."""
    above = above_edges(tail.histogram)
    interp = np.interp(rank, above[::-1].astype(np.float64), tail.edges[::-1])
    return interp.astype(np.float32).astype(np.float64)


def cuts_between(tail: ScoreTail, high: float, low: float, most: int) -> Floats:
    """At most ``most`` scores between ``high`` and ``low``, descending, at ranks that grow by one factor."""
    first = max(rank_at(tail, high), 1.0)
    last = max(rank_at(tail, low), first)
    cuts = np.unique(score_at(tail, np.geomspace(first, last, most + 2)[1:-1]))[::-1]
    return cuts[(cuts < high) & (cuts > low)]
