"""The greedy choice keeps what it promises, and takes the first that it may."""

from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from frtaudit.stats.folds.selection import Candidates, Limits, choose, shortfall

rows = st.lists(
    st.tuples(st.integers(0, 9), st.integers(10, 19), st.integers(0, 1), st.integers(-1, 6)),
    min_size=1,
    max_size=80,
)
caps = st.one_of(st.none(), st.integers(1, 3))


def candidates(drawn: list[tuple[int, int, int, int]]) -> Candidates:
    """Candidates of drawn rows; a subject is of one stratum."""
    table = np.array(drawn, dtype=np.int64)
    table[:, 2] = np.where(table[:, 3] >= 0, table[:, 3] % 2, table[:, 2])
    return Candidates(first=table[:, 0], second=table[:, 1], stratum=table[:, 2], subject=table[:, 3])


@given(rows, st.integers(1, 3), st.integers(1, 4), caps, caps)
def test_a_choice_keeps_every_limit(
    drawn: list[tuple[int, int, int, int]], k: int, each: int, per_image: int | None, per_subject: int | None
) -> None:
    """Caps, numbers per stratum, numbers per fold, and one fold for a subject's mated pairs."""
    pairs = candidates(drawn)
    limits = Limits(wanted=(k * each, k * each), k=k, per_image=per_image, per_subject=per_subject)
    found = choose(pairs, limits)
    ends = np.concatenate([pairs.first[found.at], pairs.second[found.at]])
    assert np.bincount(ends, minlength=1).max(initial=0) <= (per_image or 99)
    subject = pairs.subject[found.at]
    assert np.bincount(subject[subject >= 0], minlength=1).max(initial=0) <= (per_subject or 99)
    for stratum in range(2):
        own = found.fold[pairs.stratum[found.at] == stratum]
        assert np.bincount(own, minlength=k).max(initial=0) <= each
    for one in np.unique(subject[subject >= 0]):
        assert np.unique(found.fold[subject == one]).size == 1
    assert np.all(np.diff(found.at) > 0)
    assert shortfall(pairs, found, limits) == tuple(
        k * each - int((pairs.stratum[found.at] == stratum).sum()) for stratum in range(2)
    )


@given(rows, st.integers(1, 6), caps, caps)
@example([(0, 10, 0, 0), (1, 11, 0, 0), (2, 12, 0, 0)], 3, None, 2)
def test_nothing_that_fits_is_passed_over(
    drawn: list[tuple[int, int, int, int]], wanted: int, per_image: int | None, per_subject: int | None
) -> None:
    """With one fold, the choice is that of a plain loop over the candidates in their order."""
    pairs = candidates(drawn)
    counts, people = Counter[int](), Counter[int]()
    have, at = [0, 0], []
    columns = (pairs.first, pairs.second, pairs.stratum, pairs.subject)
    for place, (first, second, stratum, subject) in enumerate(
        zip(*map(np.ndarray.tolist, columns), strict=True)
    ):
        full = per_image is not None and max(counts[first], counts[second]) >= per_image
        full |= per_subject is not None and subject >= 0 and people[subject] >= per_subject
        if have[stratum] < wanted and not full:
            counts.update((first, second))
            people[subject] += 1
            have[stratum] += 1
            at.append(place)
    limits = Limits(wanted=(wanted, wanted), k=1, per_image=per_image, per_subject=per_subject)
    assert choose(pairs, limits).at.tolist() == at
