"""Near-duplicates: faces of one query whose embeddings are all but the same, of which one is kept."""

import numpy as np

from frtaudit.core.arrays import Flags, Index, Singles
from frtaudit.core.spec_values import SIMILARITY


def duplicated(query_of: Index, vectors: Singles, similarity: float = SIMILARITY) -> Flags:
    """Which of F faces are left out, shape (F,): all but the medoid of each group of near-duplicates.

    ``query_of``: shape (F,), non-decreasing; ``vectors``: shape (F, D), none zero. Faces of one query with a cosine
    above ``similarity`` are of one group, and whatever is joined through others. The medoid has the highest sum of
    cosines with its group; of equals the first.

    >>> duplicated(np.int32([0, 0, 1]), np.float32([[1, 0], [1, 0.1], [1, 0]])).tolist()
    [False, True, False]
    """
    from frtaudit.stats.similarity.nearest import unit_rows  # Numba, which a spec does without
    from frtaudit.stats.similarity.pairs import components, mated_pairs, scores_of

    unit = unit_rows(vectors)
    first, second = (side.astype(np.int64) for side in mated_pairs(query_of))
    cosine = scores_of(unit, first, second)
    alike = cosine > similarity
    size = query_of.size
    group = components(first[alike], second[alike], size)
    within = group[first] == group[second]
    total = np.bincount(first[within], cosine[within], minlength=size)
    total += np.bincount(second[within], cosine[within], minlength=size)
    order = np.lexsort((np.arange(size), -total, group))
    left_out = np.ones(size, dtype=np.bool_)
    left_out[order[np.unique(group[order], return_index=True)[1]]] = False
    return left_out
