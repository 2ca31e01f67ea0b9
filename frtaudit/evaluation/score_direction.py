"""Whether a system's scores rise with similarity, as all rates take it."""

import numpy as np

from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable

FALLING = (
    "mated comparisons score lower on average than non-mated ones; a higher score must mean more similar: "
    "of distances, give the negative"
)


def direction_notes(table: ScoreTable, comparisons: Comparisons) -> tuple[str, ...]:
    """A note where the scores look like distances; none where one kind of comparison has no score."""
    scored = table.failure < 0
    mated, non_mated = (table.score[scored & kind] for kind in (comparisons.mated, ~comparisons.mated))
    falling = mated.size and non_mated.size and np.mean(mated) < np.mean(non_mated)
    return (FALLING,) if falling else ()
