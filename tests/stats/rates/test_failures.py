import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.scores import ScoreTable
from frtaudit.stats.rates.failures import score_zero


@given(st.lists(st.one_of(st.none(), st.floats(-1, 1)), max_size=10))
def test_failed_comparisons_get_the_lowest_score(scores: list[float | None]) -> None:
    """Every failure scores the low end of the range, every score stays, nothing fails any more."""
    score = np.array([np.nan if value is None else value for value in scores], dtype=np.float64)
    table = ScoreTable(
        score=score, failure=np.where(np.isnan(score), 0, -1).astype(np.int16), codes=("lost",)
    )
    zeroed = score_zero(table, (-1.0, 1.0))
    assert zeroed.score.tolist() == [-1.0 if value is None else value for value in scores]
    assert bool(np.all(zeroed.failure == -1))
