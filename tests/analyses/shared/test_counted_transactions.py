"""Which transactions count: those in time are in tests of the analysis; here whether every score has a time."""

import numpy as np
import pytest

from frtaudit.analyses.shared.counted_transactions import untimed
from frtaudit.core.transactions import Transactions

NAN = np.nan


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, True),
        ([[1.0, 2.0], [3.0, NAN]], False),
        ([[1.0, NAN], [3.0, 4.0]], True),
    ],
)
def test_every_score_has_a_time(seconds: list[list[float]] | None, expected: bool) -> None:
    """A failed attempt, or one that was not made, needs none."""
    one = np.zeros(2, dtype=np.int32)
    score, times = np.array([[0.1, 0.2], [0.3, NAN]]), None if seconds is None else np.array(seconds)
    assert untimed(Transactions(subject=one, claimed=one, score=score, made=one, seconds=times)) is expected
