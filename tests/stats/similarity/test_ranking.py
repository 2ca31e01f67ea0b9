import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.similarity.pair_scan import Pairs
from frtaudit.stats.similarity.ranking import ranked

SCORE = st.one_of(st.floats(width=32, allow_nan=False), st.sampled_from([-0.5, 0.0, 0.25]))
ENTRY = st.tuples(st.integers(0, 6), st.integers(0, 6), SCORE)


@given(st.lists(ENTRY, max_size=40), st.integers(1, 4))
def test_ranking_sorts_by_score_then_samples(entries: list[tuple[int, int, float]], pieces: int) -> None:
    """However the entries are cut, they come out by descending score, ties by (i, j)."""
    entries = sorted(((i, j, s + 0.0) for i, j, s in entries), key=lambda entry: entry[:2])
    size = max(1, -(-len(entries) // pieces))
    parts = [_pairs(entries[first : first + size]) for first in range(0, len(entries), size)]
    found = ranked(parts, 7)
    got = list(zip(found.i.tolist(), found.j.tolist(), found.score.tolist(), strict=True))
    assert got == sorted(entries, key=lambda entry: (-entry[2], entry[0], entry[1]))


def _pairs(entries: list[tuple[int, int, float]]) -> Pairs:
    i, j, score = zip(*entries, strict=True)
    return Pairs(np.int32(i), np.int32(j), np.float32(score))
