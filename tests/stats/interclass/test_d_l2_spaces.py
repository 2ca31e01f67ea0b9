from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.interclass import class_curves, d_l2
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import Space
from frtaudit.stats.interclass.d_l2_spaces import Axis, Spread, decades, ratio, spread_bootstrap, thesis_tar
from frtaudit.stats.similarity.tail import from_matrix

EVEN = np.full(3, 1 / 3)


def people(shift: float = 0.0, seed: int = 1, subjects: int = 25) -> Classes:
    """Three classes of subjects with six scores each, a level of their own; the third lies ``shift`` lower."""
    rng = np.random.default_rng(seed)
    scores, who = [], []
    for c in range(3):
        level = rng.normal(60 - shift * (c == 2), 6, subjects)
        scores.append((level[:, None] + rng.normal(0, 8, (subjects, 6))).ravel().clip(0, 100))
        who.append(np.repeat(np.arange(subjects), 6))
    return Classes.of(scores, who)


def curves_of(classes: Classes, weights: class_curves.Weights, b: int, axis: Axis) -> np.ndarray:
    """Curves of the classes on the grid, from scores written out, shape (C, G)."""
    grid = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS
    curves = []
    for scores, who, weight in zip(classes.scores, classes.subjects, weights, strict=True):
        drawn = np.repeat(scores, weight[b][who])
        if axis.space is Space.QUANTILE:
            curves.append(drawn[np.ceil(grid * len(drawn) - 1e-9).astype(int) - 1])
        else:
            curves.append(np.array([np.mean(drawn > t) for t in axis.low + grid * (axis.high - axis.low)]))
    return np.stack(curves)


def plain(curves: np.ndarray, axis: Axis, shares: np.ndarray) -> tuple[list[float], list[float]]:
    """Squared distances from overall and of pairs, curve by curve."""
    overall = shares @ curves
    length = 1 if axis.space is Space.QUANTILE else axis.high - axis.low
    own = [float(np.mean((curve - overall) ** 2)) * length for curve in curves]
    return own, [float(np.mean((curves[i] - curves[j]) ** 2)) * length for i, j in combinations(range(3), 2)]


@pytest.mark.parametrize("space", list(Space))
def test_replicates_are_the_plain_distances(space: Space) -> None:
    """In both spaces, with any shares, replicates are the distances of scores written out."""
    classes, axis, shares = people(), Axis(space=space), np.array([0.5, 0.3, 0.2])
    found = spread_bootstrap(classes, axis, shares=shares, n=4, rng=np.random.default_rng(7))
    (weights,) = class_curves.drawn(classes, 4, np.random.default_rng(7))
    once = curves_of(classes, class_curves.once(classes.sizes), 0, axis)
    for b in range(4):  # 25 subjects of equal weight: a resample varies too little by 24/25
        moved = once + np.sqrt(25 / 24) * (curves_of(classes, weights, b, axis) - once)
        own, pairs = plain(moved, axis, shares)
        assert found.drawn[b] == pytest.approx(own)
        assert found.drawn_pairs[b] == pytest.approx(pairs)
        noise = plain(moved - once, axis, shares)
        assert found.noise[b] == pytest.approx(noise[0])
        assert found.noise_pairs[b] == pytest.approx(noise[1])
    own, pairs = plain(once, axis, shares)
    assert found.point == pytest.approx(own)
    assert found.pairs == pytest.approx(pairs)
    assert found.degrees == pytest.approx(24)


def test_the_points_are_those_of_the_exact_integrals() -> None:
    """With equal shares the grid's distances agree with the exact ones in both spaces within half a percent."""
    classes = people(shift=5)
    for space in Space:
        found = spread_bootstrap(classes, Axis(space=space), shares=EVEN, n=2, rng=np.random.default_rng(0))
        exact = d_l2.d_l2(classes.scores, (0, 100), space)
        assert np.sqrt(found.point) == pytest.approx(exact, rel=5e-3, abs=2e-3)


@pytest.mark.compiled
def test_it_is_the_test_of_the_quantile_space() -> None:
    """In quantile space, statistic, null and what would be found are those of ``interclass`` up to chance."""
    classes = people(shift=3)
    ours = spread_bootstrap(
        classes, Axis(space=Space.QUANTILE), shares=EVEN, n=1500, rng=np.random.default_rng(1)
    )
    theirs = d_l2.population_bootstrap(
        classes.scores, classes.subjects, (0, 100), alpha=0.05, n=1500, rng=np.random.default_rng(2)
    )
    assert float(np.sqrt(ours.point.max())) == pytest.approx(theirs.statistic)
    assert ours.null(0.95, 0.05) == pytest.approx(theirs.null_edge, rel=0.06)
    assert ours.detectable(0.05) == pytest.approx(theirs.detectable, rel=0.06)


def test_a_shifted_class_is_found_in_every_space() -> None:
    """A class 20 points lower differs significantly at the smallest p that 99 replicates allow; pairs say which."""
    classes = people(shift=20)
    for space in Space:
        found = spread_bootstrap(classes, Axis(space=space), shares=EVEN, n=99, rng=np.random.default_rng(3))
        assert found.p_value(0.05) == 0.01
        assert found.pairs[0] < min(found.pairs[1:])


@given(st.integers(0, 200), st.sampled_from([0.05, 0.2, 1.0]))
def test_no_rising_map_of_the_scores_moves_the_fmr_axis(seed: int, ceiling: float) -> None:
    """Scores cubed and stretched have the same decades of FMR; they lie between the ceiling and one comparison."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(-8, 9, (16, 16)) / 8
    matrix = np.triu(raw, 1) + np.triu(raw, 1).T + np.eye(16)
    subjects = [f"s{k // 2}" for k in range(16)]
    tails = [
        from_matrix(made, subjects, score_range=ends)
        for made, ends in ((matrix, (-1, 1)), (7 * matrix**3 + 2, (-5, 9)))
    ]
    values = [decades(tail, tail.mated_score.astype(float), ceiling) for tail in tails]
    assert values[0].tolist() == values[1].tolist()
    total = tails[0].histogram.sum()
    assert np.all((values[0] >= -np.log10(ceiling) - 1e-12) & (values[0] <= np.log10(total) + 1e-12))
    scores = np.sort(tails[0].tail_score)
    for s, value in zip(tails[0].mated_score, values[0], strict=True):
        share = np.clip(np.sum(scores > s) / total, 1 / total, ceiling)
        assert value == pytest.approx(-np.log10(share))


def test_the_thesis_bounds_of_tar_agree_with_its_bootstrap() -> None:
    """Norms of the closed band lie within 3 % of those of 3000 resamples of the scores of each class."""
    from scipy import stats

    classes, axis = people(shift=6), Axis(space=Space.TAR)
    low, high = thesis_tar(classes, axis, shares=EVEN, alpha=0.1, n=3000)
    rng = np.random.default_rng(5)
    grid = (np.arange(class_curves.LEVELS) + 0.5) / class_curves.LEVELS * 100
    drawn = np.empty((3000, 3, grid.size))
    for c, scores in enumerate(classes.scores):
        for b in range(3000):
            own = np.sort(rng.choice(scores, scores.size))
            drawn[b, c] = 1 - np.searchsorted(own, grid, side="right") / own.size
    delta = class_curves.from_overall(axis.curves(classes)(class_curves.once(classes.sizes))[0], EVEN)
    moved = drawn - drawn.mean(axis=1, keepdims=True)
    half = stats.t.isf(0.05, 3000) * np.sqrt(np.sum((moved - delta) ** 2, axis=0) / 2999)
    ends = (np.maximum(np.abs(delta) - half, 0), np.abs(delta) + half)
    expected = [np.sqrt(np.mean(end**2, axis=-1) * 100) for end in ends]
    assert low == pytest.approx(expected[0], rel=0.03, abs=0.02)
    assert high == pytest.approx(expected[1], rel=0.03)


def test_worst_to_best() -> None:
    """The largest over the smallest; infinite where the best class is overall itself."""
    assert ratio(np.array([0.5, 2.0, 1.0])) == 4
    assert ratio(np.array([0.0, 1.0])) == np.inf


def test_a_spread_is_frozen() -> None:
    """Its arrays cannot be written."""
    found = spread_bootstrap(people(), Axis(space=Space.TAR), shares=EVEN, n=2, rng=np.random.default_rng(0))
    assert isinstance(found, Spread)
    with pytest.raises(ValueError, match="read-only"):
        found.point[0] = 1


@pytest.mark.parametrize("space", list(Space))
def test_the_order_of_the_classes_moves_nothing(space: Space) -> None:
    """Classes given the other way round have the bounds, pairs, p value and detectable distance that they had."""
    rng = np.random.default_rng(11)
    who = [np.repeat(np.arange(25) + 25 * c, 6) for c in range(3)]
    scores = [rng.normal(60 - 3 * c, 8, 150).clip(0, 100) for c in range(3)]
    one, other = (
        spread_bootstrap(
            Classes.of([scores[c] for c in order], [who[c] for c in order]),
            Axis(space=space),
            shares=EVEN,
            n=99,
            rng=np.random.default_rng(3),
        )
        for order in ((0, 1, 2), (2, 1, 0))
    )
    assert other.p_value(0.05) == one.p_value(0.05)
    assert other.detectable(0.05) == pytest.approx(one.detectable(0.05))
    for left, right in ((one.bounds, other.bounds), (one.pair_bounds, other.pair_bounds)):
        for straight, reversed_ in zip(left(0.05), right(0.05), strict=True):
            assert reversed_[::-1] == pytest.approx(straight)
