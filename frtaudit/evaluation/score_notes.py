"""What a system's scores say against themselves: that they fall with similarity, that its list lacks comparisons."""

import numpy as np

from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import NOT_COMPARED, ScoreTable
from frtaudit.core.text import formatting

FALLING = (
    "mated comparisons score lower on average than non-mated ones; a higher score must mean more similar: "
    "of distances, give the negative"
)
LACKING = "pairs that its list lacks count as failures, also in FTA: "
WARNED = (FALLING, LACKING)  # what the notes hold that page 1 and the last lines of a run repeat


def direction_notes(table: ScoreTable, comparisons: Comparisons) -> tuple[str, ...]:
    """A note where the scores look like distances; none where one kind of comparison has no score."""
    scored = table.failure < 0
    mated, non_mated = (table.score[scored & kind] for kind in (comparisons.mated, ~comparisons.mated))
    falling = mated.size and non_mated.size and np.mean(mated) < np.mean(non_mated)
    return (FALLING,) if falling else ()


def lacking_notes(count: int) -> tuple[str, ...]:
    """The note on ``count`` comparisons that a list lacks; none for 0."""
    return (f"{LACKING}{formatting.count(count)}",) if count else ()


def not_compared(table: ScoreTable) -> int:
    """How many comparisons were not made."""
    codes = [index for index, code in enumerate(table.codes) if code == NOT_COMPARED]
    return int(np.count_nonzero(np.isin(table.failure, codes)))
