"""Tests also simulated_counts, which the draws are counted in."""

from typing import Any

import numpy as np
import pytest
from numba import config
from oracles_simulated import expected_square
from scipy import stats

from frtaudit.stats.intervals import simulated_cohorts, simulated_counts
from frtaudit.stats.intervals.simulated_cohorts import (
    Cells,
    Drawn,
    Listing,
    draw_mated,
    draw_non_mated,
    gamma_effects,
    with_wolves,
)
from frtaudit.stats.intervals.simulated_counts import cell_tallies, listed_tallies, mated_tallies

# Counters wrap on purpose; without the compiler NumPy says so.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

COHORTS = 4000
WITH_LOOK_ALIKES = 400 if config.DISABLE_JIT else COHORTS  # a minute without the compiler
Z = 3.9  # two-sided false alarm 1e-4 for each comparison of a mean
SIZES = np.array([1, 2, 3, 2, 4, 5, 1, 3, 2, 2, 6, 3])
STARTS = np.array([0, 5, 12])
SAME = np.equal.outer(np.repeat([0, 1], [5, 7]), np.repeat([0, 1], [5, 7]))


def near(values: np.ndarray, truth: float) -> bool:
    """Whether the mean agrees with the truth within Z standard errors."""
    return bool(abs(values.mean() - truth) <= Z * values.std(ddof=1) / np.sqrt(values.size))


def weights(*, identity: bool) -> np.ndarray:
    """Comparisons, or partners, of each subject."""
    size = np.outer(SIZES, SIZES) if not identity else np.ones((12, 12))
    return np.asarray((size * SAME).sum(axis=1) - size.diagonal(), dtype=np.float64)


def place(kind: str, *, identity: bool) -> Cells | Listing:
    """The same two cells as a complete structure, or as listed blocks."""
    weight = weights(identity=identity)
    if kind == "cells":
        return Cells(samples=SIZES, starts=STARTS, weight=weight, identity=identity)
    first, second = np.nonzero(np.triu(SAME, 1))
    return Listing(
        first=first, second=second, size=SIZES[first] * SIZES[second], weight=weight, identity=identity
    )


def drawn(
    kind: str, law: tuple[float, float, float], *, identity: bool, seed: int = 1, cohorts: int = COHORTS
) -> Drawn:
    """Cohorts under rate, c^2, d^2."""
    rng = np.random.default_rng(seed)
    rate, subject, pair = law
    effects = gamma_effects(rng, (cohorts, SIZES.size), subject)
    return draw_non_mated(rng, place(kind, identity=identity), rate, effects, pair)


@pytest.mark.compiled
@pytest.mark.parametrize("identity", [False, True])
@pytest.mark.parametrize("law", [(0.05, 0.0, 0.0), (0.05, 0.5, 0.0), (0.05, 0.3, 4.0), (0.6, 0.2, 0.5)])
@pytest.mark.parametrize("kind", ["cells", "listing"])
def test_false_matches_have_the_moments_asked_for(
    kind: str, law: tuple[float, float, float], identity: bool
) -> None:
    """Mean count and mean squares by subject are those of the model, block by block (alarm 1e-4 each)."""
    own = drawn(kind, law, identity=identity).own
    blocks = weights(identity=identity).sum() / 2
    assert near(own.count, law[0] * blocks)
    assert near(own.square, expected_square(SIZES, SAME, law, identity=identity))
    assert near(own.cross, float((law[0] * weights(identity=identity) ** 2).sum()))


@pytest.mark.compiled
@pytest.mark.parametrize("identity", [False, True])
def test_very_many_false_matches_have_the_same_moments(
    identity: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Drawn from the normal distribution, and with the spread of counts that the sparse draw has (alarm 1e-4 each)."""
    sizes, law = np.tile([2, 3, 4], 20), (0.05, 0.3, 4.0)
    same = np.equal.outer(np.arange(60) // 30, np.arange(60) // 30)
    one = np.ones_like(sizes) if identity else sizes
    weight = np.asarray((np.outer(one, one) * same).sum(axis=1) - one**2, dtype=np.float64)
    cells = Cells(samples=sizes, starts=np.array([0, 30, 60]), weight=weight, identity=identity)
    found = []
    for dense in (0.0, np.inf):
        monkeypatch.setattr(simulated_cohorts, "DENSE", dense)
        rng = np.random.default_rng(9)
        own = draw_non_mated(rng, cells, law[0], gamma_effects(rng, (COHORTS, 60), law[1]), law[2]).own
        assert near(own.count, law[0] * weight.sum() / 2)
        assert near(own.square, expected_square(sizes, same, law, identity=identity))
        found.append(own.count)
    ratio = found[0].var() / found[1].var()
    assert ratio == pytest.approx(
        1.0, abs=Z * np.sqrt(8 / COHORTS)
    )  # kurtosis allowed for: twice the normal's


def test_mated_errors_have_the_mean_and_the_variance_asked_for() -> None:
    """Rates of mean 0.1 and relative variance 1.5 over all subjects; products of two errors of one subject tell."""
    pairs = np.array([3, 6, 10, 15])
    for identity in (False, True):
        found = draw_mated(np.random.default_rng(2), pairs, 0.1, 1.5, COHORTS, identity=identity)
        errors = found.errors.astype(np.float64)
        assert near(errors.sum(axis=1), 0.1 * pairs.sum())
        products = (errors * (errors - 1) / (pairs * (pairs - 1))).mean(axis=1)
        assert near(products, 0.01 * 2.5)
        unit = pairs if identity else np.ones(4)
        assert found.own.count == pytest.approx((errors / unit).sum(axis=1))
        assert found.own.square == pytest.approx(((errors / unit) ** 2).sum(axis=1))
        weight = np.ones(4) if identity else pairs
        assert found.own.cross == pytest.approx((errors / unit * weight).sum(axis=1))


def test_a_spread_that_rates_cannot_have_is_cut() -> None:
    """Rates of mean 0.5 and enormous variance stay rates: their mean is kept."""
    found = draw_mated(np.random.default_rng(3), np.full(30, 6), 0.5, 1e6, 1000, identity=False)
    assert near(found.own.errors, 90.0)


def test_effects_and_wolves_have_mean_one() -> None:
    """Gamma effects have mean one and their variance; with wolves the mean stays, the second moment is theirs."""
    rng = np.random.default_rng(4)
    effects = gamma_effects(rng, (2000, 50), 0.7)
    assert near(effects.ravel(), 1.0)
    assert near(((effects - 1) ** 2).ravel(), 0.7)
    wolves = with_wolves(rng, effects, 0.02, 10.0)
    assert near(wolves.ravel(), 1.0)
    assert near((wolves**2).ravel(), 1.7 * (0.98 + 0.02 * 100) / 1.18**2)
    share = int((with_wolves(rng, np.ones((100, 100)), 0.02, 10.0) > 1).sum())
    assert stats.binomtest(share, 10_000, 0.02).pvalue > 1e-4


def test_a_borrowed_tally_is_the_nearest_that_is_enough() -> None:
    """It holds the own errors, has 30 errors of 10 subjects, and one fewer would not have."""
    pairs = np.full(40, 6)
    found = draw_mated(np.random.default_rng(5), pairs, 0.02, 0.5, 1000, identity=False)
    few = (found.own.errors < 30) | (found.own.subjects_with_errors < 10)
    lent = found.lent
    known = np.isfinite(lent.errors)
    assert known[few].mean() > 0.99
    assert not known[~few].any()
    assert bool((lent.errors[known] >= np.maximum(30, found.own.errors[known])).all())
    assert bool(
        (lent.subjects_with_errors[known] >= np.maximum(10, found.own.subjects_with_errors[known])).all()
    )
    assert bool(((lent.errors[known] == 30) | (lent.subjects_with_errors[known] == 10)).all())
    assert bool((lent.count[known] == lent.errors[known]).all())


def test_borrowed_false_matches_count_each_error_once() -> None:
    """The count of a borrowed tally is its errors, its cross sum that of two subjects for each."""
    own = drawn("cells", (0.01, 0.1, 0.0), identity=False, cohorts=400)
    known = np.isfinite(own.lent.errors)
    assert known.any()
    assert bool((own.lent.count[known] == own.lent.errors[known]).all())
    assert bool((own.lent.square[known] >= 2 * own.lent.errors[known]).all())


def test_listed_errors_are_counted_as_a_loop_counts_them() -> None:
    """With one error for each candidate, all own, tallies equal plain counting."""
    rng = np.random.default_rng(6)
    first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    candidates = rng.integers(0, 4, (50, 4))
    weight, shares = np.array([3.0, 2.0, 5.0, 1.0]), np.array([1.0, 0.5, 0.25, 0.5])
    alike = np.full((50, 2, 3), -1)
    alike[:, 0] = [1, 3, 2]
    table, lent = listed_tallies(
        candidates, np.zeros((50, 4)), first, second, shares, weight, 1.0, np.arange(50, dtype=np.uint64),
        alike, np.array([[0.5, 1.0]] * 50),
    )  # fmt: skip
    for row, counts, (pair, _) in zip(table, candidates, alike, strict=True):
        total = np.zeros(4)
        total[pair[:2]] += pair[2] * 0.5
        for k, m, n, share in zip(first, second, counts, shares, strict=True):
            total[k] += n * share
            total[m] += n * share
        heaviest = np.abs(total - total.sum() / weight.sum() * weight).max()
        expected = [
            counts.sum() + 2,
            total.sum() / 2,
            (total**2).sum(),
            total @ weight,
            (total > 0).sum(),
            heaviest,
        ]
        assert row == pytest.approx(expected)
    assert bool(np.isnan(lent).all())


@pytest.mark.parametrize("kind", ["cells", "listing"])
@pytest.mark.parametrize("identity", [False, True])
@pytest.mark.parametrize("dense", [False, True])
def test_look_alikes_add_their_share_to_the_rate(
    kind: str, identity: bool, dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pairs on average whose images match in 3 of 4 comparisons: the mean rate rises by 2/P times 3/4."""
    monkeypatch.setattr(simulated_cohorts, "DENSE", 0.0 if dense else simulated_cohorts.DENSE)
    where = place(kind, identity=identity)
    also = simulated_cohorts.LookAlikes(pairs=2.0, match_rate=0.75)
    made = draw_non_mated(np.random.default_rng(9), where, 0.01, np.ones((WITH_LOOK_ALIKES, 12)), 0.0, also)
    pairs = int(np.triu(SAME, 1).sum())
    total = where.weight.sum() / 2
    assert near(made.own.count, total * (0.01 + 2 / pairs * 0.75))


def test_no_error_is_of_one_subject_alone() -> None:
    """In a cell of one subject every candidate is dropped."""
    bounds, heavy = np.array([[0.0, 2.0, 4.0]]), np.array([[2.0, 2.0]])
    starts, candidates = np.array([0, 1, 2]), np.array([[50, 50]])
    table, _ = cell_tallies(
        bounds, starts, candidates, heavy, np.ones(2), np.ones(2), 0.0, 1.0, np.zeros(1, dtype=np.uint64),
        np.empty((1, 0, 3), dtype=np.int64), np.empty((1, 0)),
    )  # fmt: skip
    assert table[0, 0] == 0


def test_the_same_seed_draws_the_same_cohorts() -> None:
    """Tallies repeat bit by bit, and differ with another seed."""
    law = (0.05, 0.3, 4.0)
    one, two, other = (
        drawn("cells", law, identity=False, seed=seed, cohorts=200).own.square for seed in (7, 7, 8)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


def test_one_further_error_may_be_enough() -> None:
    """Ten subjects have 29 errors, and one more errs at a lower threshold: 30 errors are lent."""
    errors, further = np.array([[3] * 9 + [2, 0, 0]]), np.zeros((1, 12), dtype=np.int64)
    further[0, 10] = 1
    ones = np.ones(12)
    _, lent = mated_tallies(errors, further, ones, ones, np.array([3], dtype=np.uint64))
    assert lent[0, 0] == 30


def test_a_rate_that_a_threshold_moves_beyond_one_is_one() -> None:
    """A rate of a half at a threshold that has three times the errors: every comparison is a candidate."""
    pairs = np.full(50, 40)
    drawn = draw_mated(np.random.default_rng(1), pairs, 0.5, 0.0, 4, identity=False, shift=np.full(4, 3.0))
    plain = draw_mated(np.random.default_rng(1), pairs, 0.5, 0.0, 4, identity=False)
    assert (drawn.errors.sum(axis=1) > plain.errors.sum(axis=1)).all()


def test_each_pair_of_a_cell_is_as_likely_as_any_other() -> None:
    """Six pairs of four people, and the one of two, by pairs of each cell: chi squared, false alarm 1e-4."""
    cells = Cells(
        samples=np.ones(6, dtype=np.int64), starts=np.array([0, 4, 6]), weight=np.ones(6), identity=False
    )
    first, second, _ = simulated_cohorts._blocks(np.random.default_rng(1), cells, 7000)
    _, seen = np.unique(np.minimum(first, second) * 6 + np.maximum(first, second), return_counts=True)
    assert seen.size == 7
    assert stats.chisquare(seen).pvalue > 1e-4


def test_the_wider_threshold_is_that_of_all_comparisons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where each pair of subjects counts once, it is comparisons whose errors are expected there."""
    trials: list[int] = []
    monkeypatch.setattr(
        simulated_cohorts,
        "wider",
        lambda rate, number: trials.append(number) or 2 * rate,  # type: ignore[func-returns-value]
    )
    for identity in (False, True):
        drawn("cells", (0.01, 0.0, 0.0), identity=identity, cohorts=2)
    blocks = np.outer(SIZES, SIZES) * SAME
    assert trials == [int(blocks.sum() - np.square(SIZES).sum()) // 2] * 2


def test_the_wider_rate_is_one_that_the_spread_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates of relative variance 4 have a mean of at most 1 / 9: beta distributions of wider ones are U-shaped."""
    most: list[float] = []
    monkeypatch.setattr(
        simulated_cohorts,
        "wider",
        lambda rate, _, largest: most.append(largest) or rate,  # type: ignore[func-returns-value]
    )
    draw_mated(np.random.default_rng(1), np.full(9, 6), 0.1, 4.0, 2, identity=False)
    assert most == [pytest.approx(1 / 9)]


def test_subjects_of_borrowed_false_matches_are_counted_on_both_sides() -> None:
    """Thirty further errors between sixty subjects, none of them twice: all are lent, and all subjects with them."""
    first = np.arange(0, 60, 2)
    _, lent = listed_tallies(
        np.ones((1, 30), dtype=np.int64), np.zeros((1, 30)), first, first + 1, np.ones(30), np.ones(60), 0.0,
        np.array([5], dtype=np.uint64), np.empty((1, 0, 3), dtype=np.int64), np.empty((1, 0)),
    )  # fmt: skip
    assert lent[0, [0, 1, 4]].tolist() == [30, 30, 60]


def test_subjects_of_few_false_matches_are_counted_on_both_sides() -> None:
    """Thirty errors of one subject with nine others: ten subjects, as many as are asked for."""
    first, second = np.zeros(30, dtype=np.int64), np.arange(30) % 9 + 1
    _, lent = listed_tallies(
        np.ones((1, 30), dtype=np.int64), np.zeros((1, 30)), first, second, np.full(30, 0.3), np.ones(10), 0.0,
        np.array([5], dtype=np.uint64), np.empty((1, 0, 3), dtype=np.int64), np.empty((1, 0)),
    )  # fmt: skip
    assert lent[0, [0, 4]].tolist() == [30, 10]


@pytest.mark.parametrize(
    ("rate", "trials", "most", "wide"),
    [
        (0.001, 10_000, 1.0, 0.01),  # 100 errors
        (0.018, 10_000, 1.0, 0.036),  # twice the rate
        (0.02, 10_000, 1.0, 0.02),  # 200 errors are enough as they are
        (0.3, 100, 0.5, 0.5),
        (0.6, 100, 0.5, 0.6),
    ],
)
def test_the_wider_threshold_has_a_hundred_errors_or_twice_the_rate(
    rate: float, trials: int, most: float, wide: float
) -> None:
    """At most the largest rate of the model, at least the rate itself."""
    assert simulated_cohorts.wider(rate, trials, most) == pytest.approx(wide, rel=1e-12)


def plain(function: Any) -> Any:
    """A function of kernels as Python runs it."""
    return getattr(function, "py_func", function)


def test_a_place_is_found_by_its_lower_bound() -> None:
    """The last bound that is at most the value, from the first on; no place beyond the last."""
    find = plain(simulated_counts._find)
    bounds = np.array([9.0, 0.0, 1.0, 3.0, 6.0])
    assert [find(bounds, 1, 4, value) for value in (0.0, 0.9, 1.0, 2.9, 3.0, 5.9)] == [1, 1, 2, 2, 3, 3]


def test_further_errors_find_room() -> None:
    """Two places hold two; the third doubles the room and loses none."""
    more, added = np.zeros((2, 2), dtype=np.int64), np.zeros(2)
    for size, share in enumerate((0.5, 0.25, 0.125)):
        more, added = plain(simulated_counts._kept)(more, added, size, size, size + 1, share)
        assert added.size == (2 if size < 2 else 4)
    assert more[:3].tolist() == [[0, 1], [1, 2], [2, 3]]
    assert added[:3].tolist() == [0.5, 0.25, 0.125]


def test_cells_sum_their_subjects() -> None:
    """Each subject has the total of its cell, cohort by cohort."""
    values = np.array([[1.0, 2, 4, 8, 16], [1, 1, 1, 0, 0]])
    found = simulated_cohorts._in_cells(values, np.array([0, 2, 5]))
    assert found.tolist() == [[3, 3, 28, 28, 28], [2, 2, 1, 1, 1]]


@pytest.mark.parametrize(
    ("before", "part", "own"), [(1, 0.0, 0), (1, 2.0**-53, 1), (3, 0.0, 0), (3, 2.0**-53, 1)]
)
def test_an_error_at_the_wider_threshold_is_own_below_its_part(before: int, part: float, own: int) -> None:
    """The least number that is drawn, 0, is below every part but 0: of a listed error, and of a cell's."""
    seeds = np.array(
        [-before * int(simulated_counts.GOLDEN) % 2**64], dtype=np.uint64
    )  # the word 0 comes next
    none = np.empty((1, 0, 3), dtype=np.int64), np.empty((1, 0))
    ones = np.ones(40)
    if before == 1:
        ends = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
        table, _ = listed_tallies(
            np.ones((1, 1), np.int64), np.zeros((1, 1)), *ends, ones[:1], ones, part, seeds, *none
        )
    else:
        bounds, starts = np.arange(41.0)[None], np.array([0, 40])
        table, _ = cell_tallies(
            bounds, starts, np.ones((1, 1), np.int64), ones[None], ones, ones, 0.0, part, seeds, *none
        )
    assert table[0, 0] == own


@pytest.mark.parametrize(("rate", "dense"), [(0.5, False), (0.5001, True)])
def test_more_than_5000_expected_false_matches_are_drawn_as_sums(
    rate: float, dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 comparisons of two subjects a half is drawn one by one."""
    called: list[bool] = []
    monkeypatch.setattr(simulated_cohorts, "_normal", lambda *_: called.append(True))
    cells = Cells(
        samples=np.full(2, 100), starts=np.array([0, 2]), weight=np.full(2, 10_000.0), identity=False
    )
    draw_non_mated(np.random.default_rng(1), cells, rate, np.ones((1, 2)), 0.0)
    assert bool(called) is dense
