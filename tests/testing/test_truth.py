import numpy as np
import pytest

from frtaudit.testing import HUBS, ISOTROPIC, simulate
from frtaudit.testing.truth import EDGES, Scores

FEW = {"batches": 6, "subjects": 400}


def steps(*thresholds: float) -> np.ndarray:
    """Share of equally likely scores above each edge."""
    return np.mean([threshold > EDGES for threshold in thresholds], axis=0)


def test_rates_are_read_off_the_distributions() -> None:
    """FNMR is the share at or below, FMR the share above; classes weigh as comparisons of a cohort of this size do."""
    scores = Scores(
        mated=np.stack([steps(0.8, 0.4), steps(0.6, 0.2)]),
        non_mated=np.stack([steps(0.5, -0.5), steps(-0.5, -0.6), steps(-0.5, -0.7)]),
    )
    assert scores.fnmr(0.5) == 0.5
    assert (scores.fnmr(0.3, 0), scores.fnmr(0.3, 1)) == (0.0, 0.5)
    assert scores.fmr(0.0, 4, 0) == 0.5
    assert scores.fmr(0.0, 4) == pytest.approx(0.5 / 6)
    assert scores.d_l2() == pytest.approx([10 / 2, 10 / 2], abs=0.02)


def test_the_threshold_has_the_rate_that_it_was_asked_for() -> None:
    """FMR at the threshold of a target is the target."""
    scores = simulate(HUBS, **FEW).mean
    for target in (0.1, 0.01):
        assert scores.fmr(scores.threshold(target, 60), 60) == pytest.approx(target, rel=1e-6)


def test_the_error_is_that_of_the_batches() -> None:
    """Two simulations differ by at most five of their joint standard errors; more batches, smaller error."""
    one, other = (simulate(ISOTROPIC, **FEW, seed=seed) for seed in (1, 2))
    found = [truth.of(lambda scores: scores.fnmr(0.7)) for truth in (one, other)]
    assert abs(found[0].value - found[1].value) < 5 * np.hypot(found[0].error, found[1].error)
    many = simulate(ISOTROPIC, batches=24, subjects=400, seed=1).of(lambda scores: scores.fnmr(0.7))
    assert 0.25 < many.error / found[0].error < 1.0


def test_a_simulation_is_kept() -> None:
    """Asked twice, it is made once."""
    assert simulate(ISOTROPIC, **FEW) is simulate(ISOTROPIC, **FEW)
