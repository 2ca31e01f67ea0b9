import numpy as np

from frtaudit.stats.bootstrap.kernel_arrays import WIDTH, aligned_zeros, empty_sums


def test_empty_sums_are_zero_and_apart() -> None:
    """Every running sum starts at zero, in arrays of its own, exact integers for counts; without rates none."""
    sums = empty_sums(3, 5)
    assert (
        sums.counts.shape == sums.rates.shape == sums.low_counts.shape == sums.high_rates.shape == (3, WIDTH)
    )
    assert sums.half.shape == sums.words.shape == (5, WIDTH)
    assert sums.lane_sums.shape == sums.lane_limits.shape == (4,)
    assert np.isinf(sums.lane_limits).all()
    assert not any(part.any() for part in sums[:-1])
    assert not any(np.shares_memory(one, other) for i, one in enumerate(sums) for other in sums[i + 1 :])
    assert sums.counts.dtype == np.int64
    assert empty_sums(3, 5, rated=False).rates.shape == (0, WIDTH)


def test_rows_begin_with_two_cache_lines() -> None:
    """128 bytes, wherever the memory lies."""
    several = [aligned_zeros(rows, 128) for rows in range(1, 40)]
    assert all(array.ctypes.data % 128 == 0 and not array.any() for array in several)
    assert aligned_zeros(3, 5).shape == (3, 5)
