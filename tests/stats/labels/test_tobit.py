"""Two normal parts of scores that were cut off."""

import numpy as np
import pytest
from scipy import optimize, stats

from frtaudit.core.labelling import Mixture
from frtaudit.stats.labels.tobit import cut_mixture

RNG = np.random.default_rng(11)
WHOLE = np.concatenate([RNG.normal(50, 5, 6000), RNG.normal(78, 4, 2000)])


def fitted(scores: np.ndarray, floor: float | None = None, ceiling: float | None = None) -> Mixture:
    """The mixture, which there is."""
    found = cut_mixture(scores, floor, ceiling)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("floor", "ceiling"), [(None, None), (50.0, None), (None, 80.0), (48.0, 79.0), (54.0, None)]
)
def test_the_modes_before_the_cut_are_found(floor: float | None, ceiling: float | None) -> None:
    """With half or four fifths of one part at a floor, a third of the other at a ceiling: means within 0.5."""
    found = fitted(np.clip(WHOLE, floor, ceiling), floor, ceiling)
    assert found.mean == pytest.approx((50, 78), abs=0.5)
    assert found.width == pytest.approx((5, 4), abs=0.6)
    assert found.share == pytest.approx((0.75, 0.25), abs=0.02)


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
    found = fitted(scores, 51.0)
    assert found.mean == pytest.approx(best.x[:2], abs=0.02)
    assert found.width == pytest.approx(np.exp(best.x[2:4]), abs=0.02)
    assert found.log_likelihood == pytest.approx(-best.fun / scores.size, abs=1e-6)


def test_the_order_of_scores_changes_no_bit() -> None:
    """Shuffled scores give the same mixture."""
    scores = np.maximum(WHOLE, 50.0)
    assert fitted(RNG.permutation(scores), 50.0) == fitted(scores, 50.0)


@pytest.mark.parametrize("rare", [0.02, 0.06, 0.5, 0.94])
def test_no_start_of_scikit_learn_finds_a_likelier_mixture(rare: float) -> None:
    """Rare mated scores and heavy tails: as likely as the best of scikit-learn's k-means and random starts."""
    mixture = pytest.importorskip("sklearn.mixture")
    rng = np.random.default_rng(5)
    few = int(2500 * rare)
    scores = np.r_[0.1 * rng.standard_t(6, 2500 - few), rng.normal(0.6, 0.12, few)]
    best = max(
        mixture.GaussianMixture(2, init_params=init, n_init=n, random_state=0, tol=1e-6, max_iter=500)
        .fit(scores[:, None])
        .score(scores[:, None])
        for init, n in (("kmeans", 1), ("random_from_data", 5))
    )
    found = fitted(scores)
    assert found.log_likelihood > best - 1e-4
    assert found.gain == pytest.approx(
        found.log_likelihood - stats.norm.logpdf(scores, scores.mean(), scores.std()).mean()
    )


def test_equal_scores_have_no_parts() -> None:
    """None of one value; two values are two parts."""
    assert cut_mixture(np.full(9, 0.3)) is None
    assert fitted(np.r_[np.zeros(50), np.ones(50)]).mean == (0.0, 1.0)
