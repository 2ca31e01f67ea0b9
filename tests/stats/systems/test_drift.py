import numpy as np
import pytest
from scipy.stats import binom, binomtest

from frtaudit.stats.systems.drift import apart, by_chance, least_share, noise, p_value, power

ALPHA = 0.01


def found(rng: np.random.Generator, coarse: int, share: float = 0.0) -> bool:
    """Whether a change is found in 20 items of 3 repeats; ``coarse``: digits of the scores; ``share``: that changed."""
    base, sd = rng.normal(size=(20, 1)), rng.choice([0.0, 0.1, 1.0], (20, 1))
    first, second = (np.round(base + sd * rng.normal(size=(20, 3)), coarse) for _ in range(2))
    second = second + 100 * (rng.random((20, 1)) < share)
    differ, could = apart(first, second)
    return p_value(int(differ.sum()), int(could.sum()), 3) <= ALPHA


@pytest.mark.parametrize("coarse", [9, 1, 0])
def test_noise_is_seldom_called_a_change(coarse: int) -> None:
    """Of 3000 services that did not change at most ALPHA are said to have, whatever their noise and ties.

    False alarm of this test: 0.001.
    """
    rng = np.random.default_rng(1)
    alarms = sum(found(rng, coarse) for _ in range(3000))
    assert binomtest(alarms, 3000, ALPHA, alternative="greater").pvalue > 0.001


def test_power_is_what_happens() -> None:
    """A share of changed answers is found as often as the exact binomial says, without noise (false alarm: 0.001)."""
    rng = np.random.default_rng(2)
    quiet = np.zeros((20, 3))
    times = 0
    for _ in range(2000):
        second = quiet + (rng.random((20, 1)) < 0.2)
        differ, could = apart(quiet, second)
        times += p_value(int(differ.sum()), int(could.sum()), 3) <= ALPHA
    assert binomtest(times, 2000, power(20, 0.2, 3, ALPHA)).pvalue > 0.001


def test_power_is_a_sum_over_every_outcome() -> None:
    """Against its slow twin, which adds every number of changed, open and apart items one by one."""
    n, share, noisy, chance = 7, 0.4, 0.3, by_chance(3)
    total = 0.0
    for changed in range(n + 1):
        for opened in range(n - changed + 1):
            for moved in range(opened + 1):
                if binom.sf(changed + moved - 1, changed + opened, chance) <= ALPHA:
                    total += (
                        binom.pmf(changed, n, share)
                        * binom.pmf(opened, n - changed, noisy)
                        * binom.pmf(moved, opened, chance)
                    )
    assert power(n, share, 3, ALPHA, noisy) == pytest.approx(total, abs=1e-12)


def test_the_least_share_is_the_least() -> None:
    """The share that is told has the power that is told, and a thousandth less has not; noise needs a larger one."""
    share = least_share(20, 3, ALPHA)
    assert share is not None
    assert power(20, share, 3, ALPHA) >= 0.95 > power(20, share - 0.001, 3, ALPHA)
    noisy = least_share(20, 3, ALPHA, noisy=1.0)
    assert noisy is not None
    assert noisy > share
    assert least_share(1, 2, ALPHA) is None
    assert least_share(0, 2, ALPHA) is None


def test_a_refusal_is_an_answer() -> None:
    """A comparison that was scored and then refused is apart; repeats that differ are noise."""
    differ, could = apart(np.array([[0.5, 0.5]]), np.full((1, 2), -np.inf))
    assert (differ.tolist(), could.tolist()) == ([True], [True])
    assert noise(np.array([[[1.0, 2.0]], [[1.0, 1.0]]])) == 0.5
