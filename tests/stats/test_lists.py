import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats import lists

scores = st.lists(st.integers(0, 12), min_size=1, max_size=60).map(lambda values: np.array(values) / 12)


@given(mated=scores, non_mated=scores, target=st.sampled_from(["0", "1/9", "1/3", "0.5", "1"]))
def test_the_threshold_is_the_smallest_that_meets_the_target(
    mated: lists.Floats, non_mated: lists.Floats, target: str
) -> None:
    """With ties: FMR at the threshold meets the target, at the next smaller score it does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "SAMPLE", 8)
        found = lists.fnmr_at_fmr(mated, non_mated, target)
    rate = lists.exact(target)
    tried = [-np.inf, *np.unique(non_mated)]
    want = min(t for t in tried if int((non_mated > t).sum()) <= rate * non_mated.size)
    assert found.threshold == want
    assert found.false_matches == (non_mated > want).sum()
    assert found.fnmr == (mated <= want).mean()


@given(mated=scores, non_mated=scores)
def test_the_equal_error_rate_is_that_of_all_distinct_scores(
    mated: lists.Floats, non_mated: lists.Floats
) -> None:
    """The least |FMR - FNMR| over all distinct scores, in integers; of two the smaller threshold."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "SAMPLE", 8)
        found = lists.eer_of(mated, non_mated)
    tried = np.unique(np.concatenate([mated, non_mated]))
    gaps = [abs((non_mated > t).sum() * mated.size - (mated <= t).sum() * non_mated.size) for t in tried]
    assert found.threshold == tried[int(np.argmin(gaps))]
    assert found.value == ((mated <= found.threshold).mean() + (non_mated > found.threshold).mean()) / 2


def test_long_lists_are_not_sorted_whole_and_agree() -> None:
    """Normal scores, 2e5 of them, in two precisions: threshold, counts and EER are those of sorted lists."""
    rng = np.random.default_rng(3)
    for kind in (np.float32, np.float64):
        mated, non_mated = rng.normal(2, 1, 50_000).astype(kind), rng.normal(0, 1, 150_000).astype(kind)
        found = lists.fnmr_at_fmr(mated, non_mated, "1/1000")
        assert found.threshold == np.sort(non_mated)[-1 - 150]
        assert found.false_matches == 150
        rate = lists.eer_of(mated, non_mated)
        assert abs(rate.fmr - rate.fnmr) <= 1 / 50_000
        low, high = lists._crossing_window(lists._sampled(mated), lists._sampled(non_mated))
        assert lists._Window.of(mated, non_mated, low, high).holds(low, high)


@pytest.mark.parametrize(
    ("mated", "non_mated"), [([], [1.0]), ([1.0], []), ([np.nan], [1.0]), ([1.0], [np.inf])]
)
def test_empty_or_infinite_lists_are_refused(mated: list[float], non_mated: list[float]) -> None:
    """No score, or a score that is not finite, is refused by name."""
    with pytest.raises(ValueError, match="mated score"):
        lists.eer_of(np.array(mated), np.array(non_mated))
