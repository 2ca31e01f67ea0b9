"""Means over comparisons of drawn people, against the sums written out."""

import numpy as np

from frtaudit.stats.intervals.weighted_means import weighted_means


def test_each_comparison_counts_with_its_people() -> None:
    """Copies of both people for strangers, of one person within: as a loop over all comparisons has it."""
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 6, (2, 200))
    value, copies = rng.normal(size=200), rng.multinomial(6, np.full(6, 1 / 6), size=20)
    for row, found in zip(copies, weighted_means(value, first, second, copies), strict=True):
        weight = np.where(first == second, row[first], row[first] * row[second])
        assert np.isclose(found, np.sum(weight * value) / weight.sum())


def test_drawing_everybody_once_gives_the_mean() -> None:
    """Nothing is weighted where everybody is drawn once; without a comparison there is no mean."""
    value, people = np.arange(4.0), (np.array([0, 1, 0, 2]), np.array([0, 1, 1, 0]))
    assert weighted_means(value, *people, np.ones((1, 3), dtype=int)).tolist() == [1.5]
    assert np.isnan(weighted_means(value, *people, np.zeros((1, 3), dtype=int))).all()
