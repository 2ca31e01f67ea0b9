import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes


def plain(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Scores, with ties, and subjects of two classes."""
    rng = np.random.default_rng(seed)
    scores = [rng.integers(0, 12, n) / 10 for n in (rng.integers(2, 9), rng.integers(2, 9))]
    return scores, [rng.integers(0, 4, len(values)) for values in scores]


def repeated(scores: np.ndarray, who: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The scores of a resample written out: each subject's as often as it was drawn."""
    names = np.unique(who)
    times = dict(zip(names.tolist(), weight.tolist(), strict=True))
    return np.sort(np.repeat(scores, [times[name] for name in who.tolist()]))


def smallest(ordered: np.ndarray, u: float) -> float:
    """The smallest score x with share of scores <= x at least u."""
    return min(x for x in ordered if np.mean(ordered <= x) >= u - 1e-12)


@given(st.integers(0, 300), st.floats(0.01, 0.99))
def test_replicates_are_the_curves_of_the_resample_written_out(seed: int, tar: float) -> None:
    """TAR, quantiles and TAR at another class's threshold agree with scores repeated by hand."""
    scores, who = plain(seed)
    classes = Classes.of(scores, who)
    (weights,) = class_curves.drawn(classes, 3, np.random.default_rng(seed))
    thresholds = np.array([0.7, -0.1, 0.3, 1.2])
    levels = np.array([0.1, 0.5, 1 - tar])
    hit = class_curves.tar_at(classes, thresholds)(weights)
    at = class_curves.quantiles(classes, levels, weights)
    others = class_curves.tar_of_others(classes, tar, weights)
    for b in range(3):
        drawn = [repeated(scores[c], who[c], weights[c][b]) for c in range(2)]
        for c in range(2):
            assert hit[b, c] == pytest.approx([np.mean(drawn[c] > t) for t in thresholds])
            assert at[b, c].tolist() == [smallest(drawn[c], u) for u in levels]
            expected = [np.mean(drawn[c] > smallest(drawn[a], 1 - tar)) for a in range(2)]
            assert others[b, :, c] == pytest.approx(expected)


def test_draws_keep_the_number_of_subjects() -> None:
    """Each replicate draws as many subjects of a class as it has; parts add up to what was asked for."""
    classes = Classes.of([np.zeros(3), np.zeros(5)], [np.arange(3), np.arange(3, 8)])
    parts = list(class_curves.drawn(classes, class_curves.BATCH + 7, np.random.default_rng(1)))
    sizes = [len(part[0]) for part in parts]
    assert (sum(sizes), max(sizes), sizes[-1]) == (class_curves.BATCH + 7, class_curves.PART, 7)
    assert all((part[1].sum(axis=1) == 5).all() for part in parts)
    mean = np.concatenate([part[1] for part in parts]).mean()
    assert mean == pytest.approx(1)


def test_overall_is_the_weighted_mean() -> None:
    """Class minus overall has weighted mean 0; with equal shares it is class minus the plain mean."""
    rng = np.random.default_rng(2)
    curves = rng.random((4, 3, 7))
    shares = np.array([0.5, 0.3, 0.2])
    apart = class_curves.from_overall(curves, shares)
    assert np.einsum("c,bcg->bg", shares, apart) == pytest.approx(0)
    even = class_curves.from_overall(curves, np.full(3, 1 / 3))
    assert even == pytest.approx(curves - curves.mean(axis=1, keepdims=True))


def test_the_spread_of_independent_scores_is_what_their_bootstrap_finds() -> None:
    """The closed form agrees with 20,000 resamples of the scores of each class, within 3 % (seven standard errors)."""
    rng = np.random.default_rng(3)
    counts, rates = np.array([40.0, 90.0, 25.0]), np.array([0.3, 0.6, 0.8])
    shares = np.array([0.2, 0.5, 0.3])
    drawn = rng.binomial(counts.astype(int), rates, size=(20_000, 3)) / counts
    own, excess = class_curves.spread_iid(rates[:, None], counts, shares)
    assert own[:, 0] == pytest.approx(drawn.std(axis=0), rel=0.03)
    from_all = drawn - (drawn @ shares)[:, None]
    assert excess[:, 0] == pytest.approx(from_all.std(axis=0), rel=0.03)


@pytest.mark.parametrize("sizes", [(1, 2, 3), (40, 90, 25)])
def test_the_spread_of_redrawn_thresholds_is_what_their_bootstrap_finds(sizes: tuple[int, ...]) -> None:
    """The closed form agrees with 20,000 literal resamples of the scores of each class, within 5 %, ties included."""
    rng = np.random.default_rng(4)
    scores = [np.round(rng.normal(60 + 5 * c, 8, size), 0) for c, size in enumerate(sizes)]
    shares, u = np.array([0.2, 0.5, 0.3]), np.array([0.05, 0.5, 0.9])
    classes = Classes.of(scores, [np.arange(size) for size in sizes])
    drawn = [
        np.quantile(rng.choice(one, (20_000, one.size)), u, axis=1, method="inverted_cdf") for one in scores
    ]
    own = np.stack([np.quantile(one, u, method="inverted_cdf") for one in scores])
    apart = np.stack(drawn) - np.einsum("c,cub->ub", shares, np.stack(drawn))
    still = class_curves.from_overall(own, shares)
    expected = np.sqrt(((apart - still[:, :, None]) ** 2).mean(axis=2))
    assert class_curves.quantile_spread_iid(classes, u, shares) == pytest.approx(expected, rel=0.05)


def test_the_reach_of_redrawn_ranks_loses_nothing() -> None:
    """Of very many scores only ranks near r are looked at: their mean and spread are those of a normal rank."""
    n, u = 200_000, np.array([0.3])
    even = Classes.of([np.arange(n) / n, np.zeros(2)], [np.arange(n), np.arange(2)])
    found = class_curves.quantile_spread_iid(even, u, np.array([0.5, 0.5]))
    assert found[0, 0] == pytest.approx(0.5 * np.sqrt(0.3 * 0.7 / n), rel=1e-3)
