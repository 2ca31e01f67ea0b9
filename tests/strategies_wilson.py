"""Small audits for property tests: a tail, its groups, and the same comparisons as rows."""

from dataclasses import dataclass

import numpy as np
import oracles_wilson as slow
from hypothesis import strategies as st

from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.tail import from_listed, from_matrix
from frtaudit.stats.trials import members


@dataclass(frozen=True)
class Drawn:
    """A small audit: the tail, its groups, and the same comparisons as rows."""

    tail: ScoreTail
    groups: Groups
    mated: list[slow.Row]
    non_mated: list[slow.Row]

    def within(self, tag: int) -> tuple[list[slow.Row], list[slow.Row]]:
        """Rows of one tag: both subjects in its group."""
        held = members(self.groups, self.tail.n_samples.size)[tag]
        mated = [row for row in self.mated if held[row.first]]
        return mated, [row for row in self.non_mated if held[row.first] and held[row.second]]


@st.composite
def audits(draw: st.DrawFn, *, listed: bool | None = None, max_subjects: int = 6) -> Drawn:
    """Audits with ties, single-image subjects, two schemas, cells; all pairs, or a list with repetitions."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=3, max_size=max_subjects))
    subject = np.repeat(np.arange(len(sizes)), sizes)
    n = subject.size
    score = st.integers(0, 9).map(lambda value: value / 10)
    cells = draw(st.lists(st.sampled_from([0, 0, 0, 1, -1]), min_size=len(sizes), max_size=len(sizes)))
    of = np.array(
        [
            draw(st.lists(st.sampled_from(codes), min_size=len(sizes), max_size=len(sizes)))
            for codes in ([0, 1], [-1, 2])
        ],
        dtype=np.int32,
    )
    groups = Groups(
        schemas=("g", "h"), names=(("g", "a"), ("g", "b"), ("h", "c")), of=of, ranked=(True, True, True)
    )
    if draw(st.booleans()) if listed is None else listed:
        pairs = draw(
            st.lists(
                st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1]),
                min_size=6,
            )
        )
    else:
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    values = [draw(score) for _ in pairs]
    if len(pairs) == n * (n - 1) // 2 and listed is not True:
        matrix = np.zeros((n, n))
        for (i, j), value in zip(pairs, values, strict=True):
            matrix[i, j] = matrix[j, i] = value
        tail = from_matrix(matrix, [f"{k:02}" for k in subject], cells=cells)
    else:
        i, j = np.array(pairs).T
        tail = from_listed(values, i, j, subject_of=subject, cells=cells, score_range=(0, 1))
    rows = [slow.Row(int(subject[i]), int(subject[j]), v) for (i, j), v in zip(pairs, values, strict=True)]
    counted = [row for row in rows if cells[row.first] == cells[row.second] >= 0 and row.first != row.second]
    return Drawn(tail, groups, [row for row in rows if row.first == row.second], counted)
