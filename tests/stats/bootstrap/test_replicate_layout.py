from fractions import Fraction

import numpy as np
import oracles_resample as slow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import replicate_layout
from frtaudit.stats.bootstrap.plans import Rows, rows_of
from frtaudit.stats.similarity.tail import from_listed, from_matrix, no_groups


def of_images(tail: ScoreTail) -> Rows:
    """A row of weights for each sample."""
    return rows_of(tail, Plan.IMAGES)


@given(
    top=st.integers(0, 2**40),
    bottom=st.integers(1, 2**40),
    totals=st.lists(st.integers(0, 2**50), min_size=1, max_size=4),
)
def test_limits_are_exact_floors(top: int, bottom: int, totals: list[int]) -> None:
    """floor(target * total) is exact, also where 64 bits do not hold the product."""
    target = Fraction(top, bottom + top + 1)
    found = replicate_layout._floor_times(target, np.array(totals))
    assert found.tolist() == [target * total // 1 for total in totals]


def test_cuts_count_the_scores_above_each_threshold() -> None:
    """A fixed threshold on a score excludes it; one below the floor, or NaN, is unknown (-1)."""
    tail = from_matrix(
        [[1, 0.9, 0.2, 0.2], [0.9, 1, 0.3, 0.4], [0.2, 0.3, 1, 0.5], [0.2, 0.4, 0.5, 1]], list("aabc")
    )
    cut = slow.truncated(tail, 3)  # keeps .5, .4, .3; the floor is .2
    laid = replicate_layout.layout_of(
        cut, no_groups(tail), (), (0.4, 0.2, 0.1, np.nan, np.inf), of_images(cut)
    )
    assert laid.cuts.tolist() == [1, 3, -1, -1, 0]
    assert not laid.open


def test_no_replicate_has_the_shape_of_some() -> None:
    """The empty result has the shapes that tiles are joined to."""
    tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], list("aab"))
    empty = replicate_layout.layout_of(tail, no_groups(tail), (0.1, 0.2), (0.5,), of_images(tail)).nothing()
    assert empty.threshold.shape == (2, 1, 2, 0)
    assert empty.fmr_target.shape == (2, 1, 2, 1, 0)
    assert empty.fnmr_fixed.shape == (2, 1, 1, 0)


def test_equal_numbers_of_samples_need_one_weighting() -> None:
    """With n_k all equal both weightings coincide; with unequal n_k they are kept apart."""
    for ids, kinds in (("aabb", 1), ("aabc", 2)):
        tail = from_matrix(np.full((4, 4), 0.5), list(ids))
        assert (
            replicate_layout.layout_of(tail, no_groups(tail), (0.1,), (), of_images(tail)).weightings == kinds
        )


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        ([0, 2, 0, 4], [1, 3, 2, 5], 1),  # a mated comparison of each of two, none of the third
        ([0, 2, 2, 0, 4], [1, 3, 6, 2, 5], 2),  # two of the second
        ([0, 0, 1, 4], [1, 2, 2, 5], 2),  # two non-mated ones of one pair, one of another
    ],
)
def test_listed_comparisons_of_equal_numbers_need_one_weighting(
    first: list[int], second: list[int], kinds: int
) -> None:
    """Of pairs of subjects, and of subjects with a mated comparison; those without do not count."""
    tail = from_listed(
        np.linspace(0.9, 0.1, len(first)), first, second, subject_of=[0, 0, 1, 1, 2, 3, 1], cells=[0] * 4,
        score_range=(0, 1),
    )  # fmt: skip
    laid = replicate_layout.layout_of(tail, no_groups(tail), (0.1,), (), of_images(tail))
    assert laid.weightings == kinds
