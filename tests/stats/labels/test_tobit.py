"""Two normal parts of scores that were cut off."""

import numpy as np
import pytest
from scipy import optimize, stats

from frtaudit.stats.labels.tobit import cut_mixture

RNG = np.random.default_rng(11)
WHOLE = np.concatenate([RNG.normal(50, 5, 6000), RNG.normal(78, 4, 2000)])
START = np.array([45.0, 80.0])


@pytest.mark.parametrize(
    ("floor", "ceiling"), [(None, None), (50.0, None), (None, 80.0), (48.0, 79.0), (54.0, None)]
)
def test_the_modes_before_the_cut_are_found(floor: float | None, ceiling: float | None) -> None:
    """With half or four fifths of one part at a floor, a third of the other at a ceiling: means within 0.5."""
    mean, width = cut_mixture(np.clip(WHOLE, floor, ceiling), floor, ceiling, START)
    assert mean == pytest.approx([50, 78], abs=0.5)
    assert width == pytest.approx([5, 4], abs=0.6)


def test_the_slow_twin_finds_no_likelier_parts() -> None:
    """A general optimiser of the likelihood, written down plainly, ends where the steps of EM end."""
    scores = np.maximum(WHOLE[::10], 51.0)

    def loss(at: np.ndarray) -> float:
        mean, width, share = at[:2], np.exp(at[2:4]), 1 / (1 + np.exp(-at[4]))
        weights = np.array([1 - share, share])
        seen = (weights * stats.norm.pdf(scores[scores > 51, None], mean, width)).sum(axis=1)
        below = (weights * stats.norm.cdf(51, mean, width)).sum()
        return float(-np.log(seen).sum() - np.sum(scores <= 51) * np.log(below))

    best = optimize.minimize(loss, [48, 80, 1.5, 1.5, -1], method="Nelder-Mead", options={"maxiter": 4000})
    mean, width = cut_mixture(scores, 51.0, None, START)
    assert mean == pytest.approx(best.x[:2], abs=0.02)
    assert width == pytest.approx(np.exp(best.x[2:4]), abs=0.02)


def test_the_order_of_scores_says_next_to_nothing() -> None:
    """Shuffled scores give the same means but for the rounding of sums."""
    scores = np.maximum(WHOLE, 50.0)
    mean, _ = cut_mixture(scores, 50.0, None, START)
    other, _ = cut_mixture(RNG.permutation(scores), 50.0, None, START)
    assert other == pytest.approx(mean, rel=1e-9)
