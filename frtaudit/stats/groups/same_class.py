"""The non-mated comparisons of two subjects of one class, as a tail of their own."""

from dataclasses import replace

import numpy as np

from frtaudit.core.arrays import Flags, Index
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.rates.trials import complete_pairs


def within_classes(tail: ScoreTail, code: Index) -> ScoreTail:
    """The tail with non-mated comparisons within a class alone; mated ones stay.

    ``code``: shape (K,), the class of each subject, negative: in none. Its histograms have one bin: below the floor
    of the tail nothing is known of these comparisons but their number.

    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "b", "c"])
    >>> within_classes(tail, np.array([0, 1, 1], dtype=np.int32)).histogram.tolist()
    [1]
    """
    same = _same(code, tail.subject_of[tail.tail_i], tail.subject_of[tail.tail_j])
    _, number = np.unique(np.stack([tail.cells, code]), axis=1, return_inverse=True)
    cells = np.where((tail.cells >= 0) & (code >= 0), number.ravel(), -1).astype(np.int32)
    blocks = tail.blocks
    if blocks is not None:
        blocks = blocks.at_rows(_same(code, blocks.k, blocks.l))
    comparisons = complete_pairs(tail.n_samples, cells) if blocks is None else int(blocks.count.sum())
    return replace(
        tail,
        tail_i=tail.tail_i[same],
        tail_j=tail.tail_j[same],
        tail_score=tail.tail_score[same],
        edges=np.array([tail.edges[0], tail.edges[-1]]),
        histogram=np.array([comparisons], dtype=np.int64),
        mated_histogram=tail.mated_histogram.sum(keepdims=True),
        cells=cells,
        blocks=blocks,
        rescored=None,
    )


def _same(code: Index, first: Index, second: Index) -> Flags:
    return np.asarray((code[first] == code[second]) & (code[first] >= 0))


def joint(codes: Index) -> Index:
    """The class under every schema at once, shape (K,), int32, from ``codes``, shape (S, K); -1: in none of one.

    >>> joint(np.array([[0, 0, 1, -1], [0, 1, 1, 1]], dtype=np.int32)).tolist()
    [1, 2, 3, -1]
    """
    _, code = np.unique(codes, axis=1, return_inverse=True)
    return np.where((codes >= 0).all(axis=0), code.ravel(), -1).astype(np.int32)
