import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.interclass.sample_quality import box, means


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=40))
def test_a_box_is_its_definition(values: list[float]) -> None:
    """Quartiles are numpy's; whiskers end at the last values within 1.5 box lengths; the rest are outliers."""
    data = np.array(values)
    found = box(data)
    first, third = np.quantile(data, [0.25, 0.75])
    reach = 1.5 * (third - first)
    inside = [v for v in values if first - reach <= v <= third + reach]
    assert (found.low, found.high) == (min(inside), max(inside))
    assert len(inside) + len(found.outliers) == len(values)
    assert found.median == pytest.approx(float(np.median(data)))


def classes(rng: np.random.Generator, shift: float = 0.0) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Three classes of 25, 30 and 40 subjects with one to six values each around a level of their own."""
    values, who = [], []
    for c, size in enumerate((25, 30, 40)):
        counts = rng.integers(1, 7, size)
        level = rng.normal(50 + shift * (c == 0), 8, size)
        values.append(np.repeat(level, counts) + rng.normal(0, 4, counts.sum()))
        who.append(np.repeat(np.arange(size), counts))
    return values, who


def test_replicates_draw_whole_subjects() -> None:
    """A replicate's mean is that of the drawn subjects' values written out; their spread is that of subjects."""
    values, who = classes(np.random.default_rng(1))
    found = means(values, who, 400, np.random.default_rng(2))
    assert found.point == pytest.approx([part.mean() for part in values])
    sums = np.bincount(who[0], weights=values[0] - values[0].mean())
    counts = np.bincount(who[0])
    by_weight = counts.sum() ** 2 / np.sum(counts**2)
    error = np.sqrt(by_weight / (by_weight - 1) * np.sum(sums**2)) / values[0].size
    assert found.drawn[:, 0].std() == pytest.approx(error, rel=0.15)


def test_few_subjects_by_weight_are_allowed_for() -> None:
    """Two equal classes of 12 subjects, two with most values: at most 5 % are flagged or missed (binomtest, p > 0.001).

    Without the factors of small samples 15 % were flagged.
    """
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(12), [20, 20, *[2] * 10])
    flagged, missed = 0, np.zeros(2, dtype=np.int64)
    for _ in range(200):
        values = [rng.normal(size=12)[who] + rng.normal(0, 0.5, who.size) for _ in range(2)]
        found = means(values, [who, who], 99, rng)
        low, high = found.bounds(0.05)
        flagged += found.p_value(0.05) <= 0.05
        missed += (low > 0) | (high < 0)
    for count in (flagged, *missed.tolist()):
        assert stats.binomtest(count, 200, 0.05, alternative="greater").pvalue > 0.001


@pytest.mark.slow
def test_equal_means_are_flagged_in_at_most_five_percent() -> None:
    """Of 300 cohorts with equal means and unequal numbers of values at most 5 % are flagged (binomtest, p > 0.001)."""
    rng = np.random.default_rng(3)
    flagged = sum(means(*classes(rng), 199, rng).p_value(0.05) <= 0.05 for _ in range(300))
    assert stats.binomtest(flagged, 300, 0.05, alternative="greater").pvalue > 0.001


def test_a_detectable_difference_is_found() -> None:
    """A class as far from the mean of the classes as the test calls detectable is found in most of 60 cohorts."""
    rng = np.random.default_rng(4)
    least = means(*classes(rng), 199, rng).detectable(0.05)
    assert least is not None
    shift = least * 1.5  # of three classes one moved by s lies 2 s / 3 from their mean
    flagged = sum(means(*classes(rng, shift), 199, rng).p_value(0.05) <= 0.05 for _ in range(60))
    assert stats.binomtest(flagged, 60, 0.8, alternative="less").pvalue > 0.001
