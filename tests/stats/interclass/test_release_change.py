import numpy as np
import pytest
from scipy import stats

from frtaudit.stats.interclass import class_curves, d_l2
from frtaudit.stats.interclass.release_change import Change, change, shared

Parts = tuple[list[np.ndarray], list[np.ndarray]]


def releases(rng: np.random.Generator, *, worse: float = 0.0, extra: float = 0.0) -> tuple[Parts, Parts]:
    """Two releases: independent noise on the same 30 subjects of three classes, six scores each.

    The third class lies ``worse`` lower in both, and ``extra`` lower still in the new one.
    """
    who = [np.repeat(np.arange(30), 6) for _ in range(3)]
    base = [np.repeat(rng.normal(60 - worse * (c == 2), 6, 30), 6) + rng.normal(0, 6, 180) for c in range(3)]
    old = [one + rng.normal(0, 3, 180) for one in base]
    new = [one - extra * (c == 2) + rng.normal(0, 3, 180) for c, one in enumerate(base)]
    return (old, who), (new, who)


def found(rng: np.random.Generator, n: int = 199, **truth: float) -> Change:
    """The change between two such releases."""
    made = change(*shared(*releases(rng, **truth)), alpha=0.05, n=n, rng=rng)
    assert made is not None
    return made


def test_the_change_is_that_of_the_largest_distance() -> None:
    """New minus old of the largest d_l2 over the classes; the replicates draw the same people in both."""
    old, new = releases(np.random.default_rng(1), worse=4, extra=5)
    made = change(*shared(old, new), alpha=0.05, n=99, rng=np.random.default_rng(2))
    assert made is not None
    for value, part in ((made.old, old), (made.new, new)):
        assert value == pytest.approx(d_l2.d_l2(part[0], (0, 100)).max(), rel=5e-3)
    gaps, errors = [], []
    pair = shared(old, new)
    known = [apart(side.scores) for side in pair]
    for weights in class_curves.drawn(pair[0], 99, np.random.default_rng(2)):
        for b in range(len(weights[0])):
            drawn = [
                [np.repeat(s, w[b][k]) for s, k, w in zip(side.scores, side.subjects, weights, strict=True)]
                for side in pair
            ]
            gaps.append(d_l2.d_l2(drawn[1], (0, 100)).max() - d_l2.d_l2(drawn[0], (0, 100)).max())
            moved = [apart(scores) - of for scores, of in zip(drawn, known, strict=True)]
            errors.append([np.sqrt(np.square(curves).mean(axis=1).max()) for curves in moved])
    away = np.abs(np.array(gaps) - np.mean(gaps))
    half = np.quantile(away, 0.95, method="higher")
    noise = np.mean(errors, axis=0)
    lift_old, lift_new = (
        value - np.sqrt(max(value**2 - size**2, 0))
        for value, size in zip((made.old, made.new), noise, strict=True)
    )
    low, high = made.value - lift_new - half, made.value + lift_old + half
    assert (made.low, made.high) == pytest.approx((low, high), rel=0.02, abs=0.02)
    assert made.p_value == pytest.approx((1 + np.sum(away >= made.value - lift_new)) / 100, abs=0.011)


def apart(classes: list[np.ndarray]) -> np.ndarray:
    """Quantile curves of the classes minus their mean."""
    levels = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS
    curves = np.array([np.quantile(scores, levels, method="inverted_cdf") for scores in classes])
    return np.asarray(curves - curves.mean(axis=0))


@pytest.mark.compiled
def test_more_noise_in_one_release_is_no_change() -> None:
    """Six equal classes in both, subjects that differ by 10 and by 4: before the lift counted, 40 % showed a change."""
    rng, who = np.random.default_rng(7), [np.repeat(np.arange(40), 4)] * 6
    shown = 0
    for _ in range(40):
        sides = [
            ([50 + np.repeat(rng.normal(0, sd, 40), 4) + rng.normal(0, 4, 160) for _ in who], who)
            for sd in (10, 4)
        ]
        made = change(*shared(*sides), alpha=0.05, n=99, rng=rng)
        assert made is not None
        shown += made.p_value <= 0.05
        assert (made.p_value <= 0.05) == (not made.low <= 0 <= made.high)
    assert stats.binomtest(shown, 40, 0.05, alternative="greater").pvalue > 0.001


def test_only_people_in_both_releases_count() -> None:
    """A person without a score in one release is left out of both; classes keep their order."""
    old, new = releases(np.random.default_rng(3))
    fewer = ([part[6:] for part in new[0]], [who[6:] for who in new[1]])
    pair = shared(old, fewer)
    assert [made.sizes for made in pair] == [(29, 29, 29)] * 2
    assert [s.size for s in pair[0].scores] == [174] * 3


def test_nothing_to_test() -> None:
    """Identical releases, and a class with one person, have no change to test."""
    old, _ = releases(np.random.default_rng(4))
    assert change(*shared(old, old), alpha=0.05, n=99, rng=np.random.default_rng(0)) is None
    one = ([part[:6] for part in old[0]], [who[:6] for who in old[1]])
    new = ([part + 1 for part in one[0]], one[1])
    assert change(*shared(one, new), alpha=0.05, n=99, rng=np.random.default_rng(0)) is None


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("worse", [0.0, 5.0])
def test_exchangeable_releases_show_no_change(worse: float) -> None:
    """Of 200 pairs of exchangeable releases at most 5 % show a change (binomtest, p > 0.001), biased or not."""
    rng = np.random.default_rng(5)
    flagged = sum(found(rng, worse=worse).p_value <= 0.05 for _ in range(200))
    assert stats.binomtest(flagged, 200, 0.05, alternative="greater").pvalue > 0.001


@pytest.mark.compiled
@pytest.mark.slow
def test_a_planted_change_is_found_at_its_planned_power() -> None:
    """A change as large as the test calls detectable is found in at least 80 % of 200 pairs (binomtest, p > 0.001)."""
    rng = np.random.default_rng(6)
    planned = float(np.mean([found(rng, worse=5, extra=1.3).detectable for _ in range(20)]))
    extra = 1.5 * planned  # the third class moves by two thirds of it from the mean of three
    made = [found(rng, worse=5, extra=extra) for _ in range(200)]
    assert np.mean([one.value for one in made]) == pytest.approx(planned, rel=0.15)
    flagged = sum(one.p_value <= 0.05 for one in made)
    assert stats.binomtest(flagged, 200, 0.8, alternative="less").pvalue > 0.001
