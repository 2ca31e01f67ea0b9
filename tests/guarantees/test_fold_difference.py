"""What the interval of disjoint minus overlap covers, on simulated people."""

import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.stats.folds import fold_assignment, fold_differences, kfold_accuracy
from frtaudit.stats.similarity.pairs import drawn_pairs, mated_pairs, scores_of
from frtaudit.stats.von_mises_fisher import uniform_directions, von_mises_fisher

COHORTS, SUBJECTS, SAMPLES, DEALS, K = 200, 80, 4, 40, 10


def one_cohort(rng: np.random.Generator) -> tuple[float, tuple[float, float] | None]:
    """Disjoint minus overlap of one cohort of people unlike in their spread, and its 95 % interval."""
    owner = np.repeat(np.arange(SUBJECTS), SAMPLES)
    kappa = rng.uniform(20, 60, SUBJECTS)
    faces = von_mises_fisher(rng, uniform_directions(rng, SUBJECTS, 64)[owner], kappa[owner]).astype(
        np.float32
    )
    every = np.arange(owner.size)
    mated = tuple(side.astype(np.int64) for side in mated_pairs(owner))
    other = drawn_pairs(owner, every, every, mated[0].size, rng)
    first, second = (np.concatenate(side) for side in zip(mated, other, strict=True))
    score, flags = scores_of(faces, first, second), np.arange(first.size) < mated[0].size
    ends = owner[first], owner[second]
    of = (
        fold_assignment.disjoint_folds(ends[0], flags, K).folds,
        fold_assignment.overlap_folds(ends[0], flags, K).folds,
    )
    found = [kfold_accuracy.k_fold_accuracy(score, flags, item, K) for item in of]
    delta = fold_differences.accuracy_difference(found[0], found[1], of, *ends)
    dealt = fold_differences.redealt_differences(score, flags, ends[0], of, K, DEALS, rng)
    return delta.value, fold_differences.difference_interval(delta, float(dealt.var(ddof=1)), SUBJECTS, 0.05)


@pytest.mark.slow
def test_the_interval_of_disjoint_minus_overlap_covers_its_expectation() -> None:
    """At nominal 0.95 no fewer of 200 cohorts than chance allows (false alarm 0.001) hold the mean difference."""
    rng = np.random.default_rng(11)
    made = [one_cohort(rng) for _ in range(COHORTS)]
    expected = float(np.mean([value for value, _ in made]))
    held = sum(bounds is not None and bounds[0] <= expected <= bounds[1] for _, bounds in made)
    assert binomtest(held, COHORTS, 0.95, alternative="less").pvalue > 0.001
