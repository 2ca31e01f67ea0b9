"""Failed comparisons: kept apart, or given the lowest score of the provider's range."""

import numpy as np

from frtaudit.core.scores import ScoreTable


def score_zero(table: ScoreTable, score_range: tuple[float, float]) -> ScoreTable:
    """Give every failed comparison, mated and non-mated alike, the lowest score of the range (the thesis).

    ``table``: P scores, float64; ``score_range``: the provider's (low, high). No threshold of the range accepts such a
    comparison (match iff score > threshold): failures raise FNMR and lower FMR.

    >>> table = ScoreTable(score=np.array([0.5, np.nan]), failure=np.array([-1, 0]), codes=("no_face",))
    >>> score_zero(table, (-1.0, 1.0)).score.tolist()
    [0.5, -1.0]
    """
    failed = table.failure >= 0
    score = np.where(failed, score_range[0], table.score)
    return ScoreTable(score=score, failure=np.full_like(table.failure, -1), codes=table.codes)
