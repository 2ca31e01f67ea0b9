from itertools import combinations

import numpy as np
import pytest
from oracles_simulated import blocks, mean_products
from scipy import optimize, stats

from frtaudit.stats.intervals import subject_effects
from frtaudit.stats.intervals.subject_effects import BlockErrors, Effects, mated_effects, non_mated_effects

COHORTS = 400
ALARM = 1e-3  # of each test, over seeds
Z = 3.3


def sums(errors: np.ndarray, comparisons: np.ndarray) -> BlockErrors:
    """The sums of symmetric tables of errors and comparisons."""
    return BlockErrors(
        errors=errors.sum(axis=1).astype(float),
        comparisons=comparisons.sum(axis=1).astype(float),
        total=float(errors.sum()) / 2,
        trials=float(comparisons.sum()) / 2,
        square=float((errors**2).sum()) / 2,
        size_square=float((comparisons**2).sum()) / 2,
    )


def effects_of(errors: np.ndarray, comparisons: np.ndarray) -> Effects | None:
    """What the tables say: subjects by shares of blocks, pairs by pooled errors."""
    some = comparisons > 0
    shares = np.divide(errors, comparisons, out=np.zeros(errors.shape), where=some)
    return non_mated_effects(sums(shares, some.astype(float)), sums(errors, comparisons))


def mated_cohorts(seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Errors and comparisons of 120 subjects with rates of mean 0.1 and variance 0.01 (beta)."""
    rng = np.random.default_rng(seed)
    pairs = rng.choice([1, 3, 6, 10], 120)
    return [(rng.binomial(pairs, rng.beta(0.8, 7.2, 120)), pairs) for _ in range(COHORTS)]


def test_the_between_subject_variance_of_fnmr_is_unbiased() -> None:
    """Over 400 cohorts of known truth the mean estimate lies within 3.3 standard errors of it (alarm 0.001)."""
    found = [mated_effects(errors, pairs) for errors, pairs in mated_cohorts(1)]
    values = np.array([item.variance for item in found if item is not None])
    assert values.size == COHORTS
    assert abs(values.mean() - 0.01) < Z * values.std(ddof=1) / np.sqrt(COHORTS)


def test_the_variance_of_observed_rates_is_not() -> None:
    """Without taking out the noise of few comparisons the same estimate would be far too large."""
    raw = [float(np.var(errors / pairs, ddof=1)) for errors, pairs in mated_cohorts(1)]
    assert np.mean(raw) > 2 * 0.01


def test_the_upper_bound_of_the_mated_spread_holds() -> None:
    """The one-sided 95 % bound lies above the truth in 0.9 of cohorts or more (binomtest, alarm 0.001)."""
    found = [mated_effects(errors, pairs) for errors, pairs in mated_cohorts(2)]
    above = sum(item is not None and item.subject_upper >= 1.0 for item in found)
    assert stats.binomtest(above, COHORTS, 0.9, alternative="less").pvalue > ALARM
    assert (
        np.median([item.subject_upper for item in found if item is not None]) < 4
    )  # of 120 that it may be at most


def test_non_mated_moments_are_those_of_all_pairs_of_blocks() -> None:
    """The closed sums equal a loop over every pair of blocks."""
    rng = np.random.default_rng(3)
    sizes = np.array([1, 2, 2, 3, 4, 1, 5])
    errors, comparisons = blocks(rng, sizes, 0.2, 0.5, 2.0)
    shares = errors / np.maximum(comparisons, 1)
    apart, one, _ = mean_products(shares, (comparisons > 0).astype(np.int64))
    pooled, _, both = mean_products(errors, comparisons)
    found = effects_of(errors, comparisons)
    assert found is not None
    assert found.variance == pytest.approx(one - apart)
    assert found.subject == pytest.approx(max(one / apart - 1, 0))
    assert found.pair == pytest.approx(max(both / (pooled * (1 + found.subject) ** 2) - 1, 0))


def test_the_between_subject_variance_of_fmr_is_unbiased_and_bounded() -> None:
    """With pair effects beside them: within 3.3 standard errors, bound above the truth in 0.9 (alarm 0.001 each)."""
    rng = np.random.default_rng(4)
    sizes, rate, subject = rng.integers(1, 6, 60), 0.01, 0.4
    found = [effects_of(*blocks(rng, sizes, rate, subject, 5.0)) for _ in range(COHORTS)]
    known = [item for item in found if item is not None]
    values = np.array([item.variance for item in known])
    assert values.size == COHORTS
    assert abs(values.mean() - rate**2 * subject) < Z * values.std(ddof=1) / np.sqrt(COHORTS)
    above = sum(item.subject_upper >= subject for item in known)
    assert stats.binomtest(above, COHORTS, 0.9, alternative="less").pvalue > ALARM
    assert np.median([item.pair for item in known]) == pytest.approx(5.0, rel=0.5)


def test_what_cannot_be_told_is_none() -> None:
    """No error, or no second block of any subject: no estimate; one comparison each: a spread that changes nothing."""
    assert mated_effects(np.zeros(4, dtype=np.int64), np.full(4, 3)) is None
    alone = mated_effects(np.array([1, 0, 1]), np.ones(3, dtype=np.int64))
    assert alone is not None
    assert alone == Effects(subject=0.0, subject_upper=0.0, pair=0.0, variance=0.0)
    two = np.array([[0, 2], [2, 0]])
    assert effects_of(two, 2 * two) is None


def test_few_errors_leave_a_wide_bound() -> None:
    """Where no subject erred twice the estimate is 0, its bound that of no pair of errors among all within subjects."""
    errors = np.array([1] * 12 + [0] * 88)
    found = mated_effects(errors, np.full(100, 6))
    assert found is not None
    assert found.subject == 0
    within, between = 100 * 6 * 5 / 2, 12 * 11 / (100 * 99) / 6**2
    assert found.subject_upper == pytest.approx(-np.log(0.05) / within / between - 1)


def test_one_pair_of_errors_of_one_subject_bounds_by_poisson() -> None:
    """Two errors of one subject beside twelve of others: 4.74 pairs of errors cannot be excluded where one was seen."""
    found = mated_effects(np.array([2] + [1] * 12 + [0] * 87), np.full(100, 6))
    assert found is not None
    within, between = 100 * 6 * 5 / 2, (14**2 - (4 + 12)) / (100 * 99) / 6**2
    assert found.subject_upper == pytest.approx(stats.gamma.ppf(0.95, 2) / within / between - 1)


def test_false_matches_of_subjects_that_err_once_leave_a_wide_bound() -> None:
    """Three pairs of eight subjects err, none twice: of pairs that share a subject 2.996 cannot be excluded."""
    errors = np.zeros((8, 8), dtype=np.int64)
    errors[[0, 1, 2, 3, 4, 5], [1, 0, 3, 2, 5, 4]] = 1
    comparisons = 1 - np.eye(8, dtype=np.int64)
    found = effects_of(errors, comparisons)
    apart, _, _ = mean_products(errors, comparisons)
    assert found is not None
    assert found.subject == 0
    assert found.subject_upper == pytest.approx(-2 * np.log(0.05) / (8 * 7 * 6) / apart - 1)


def test_mated_effects_are_mean_products_of_rates() -> None:
    """Of rates 0, 1/3, 2/3, 1 of three comparisons each: pairs of errors within a subject, and between subjects."""
    effects = mated_effects(np.array([0, 1, 2, 3]), np.array([3, 3, 3, 3]))
    assert effects is not None
    within = (0 + 0 + 1 / 3 + 1) / 4  # two errors of two comparisons of a subject
    between = 2 * (1 / 3 * 2 / 3 + 1 / 3 + 2 / 3) / 12  # r_k r_l over ordered pairs of subjects
    assert effects.variance == pytest.approx(within - between)
    assert effects.subject == pytest.approx(within / between - 1)
    assert effects.subject_upper > effects.subject


def test_the_bound_of_mated_effects_takes_each_subjects_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 0 to 3 errors of three: its share of the products, less 1/4, less twice its share of the rates less 1/4."""
    given: list[tuple[float, np.ndarray, np.ndarray, float]] = []
    monkeypatch.setattr(subject_effects, "_upper", lambda *items: given.append(items) or 9.0)
    mated_effects(np.array([0, 1, 2, 3]), np.array([3, 3, 3, 3]))
    ((ratio, part, weight, seen),) = given
    assert ratio == pytest.approx((1 / 3) / (11 / 54))
    assert part == pytest.approx([1 / 4, -1 / 12, -1 / 6, 0])
    assert (weight.tolist(), seen) == ([1.0] * 4, 4.0)


def test_a_bound_takes_twice_the_variance_of_a_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both subjects of a block share its noise: what goes into the bound is sqrt 2 times each subject's part."""
    errors = np.array([[0, 2, 1, 1], [2, 0, 1, 0], [1, 1, 0, 2], [1, 0, 2, 0]])
    given: list[tuple[float, np.ndarray, np.ndarray, float]] = []
    upper = subject_effects._upper
    monkeypatch.setattr(subject_effects, "_upper", lambda *items: given.append(items) or upper(*items))
    effects_of(errors, np.full((4, 4), 4) * (1 - np.eye(4, dtype=np.int64)))
    shares = errors / 4
    e, square, total = shares.sum(axis=1), np.square(shares).sum() / 2, shares.sum() / 2
    n, blocks_in_all = np.full(4, 3.0), 6.0
    terms = e**2 - square / total * e
    part = terms / terms.sum() - (n**2 - n) / (np.square(n).sum() - 2 * blocks_in_all)
    part -= (e - total / blocks_in_all * n) / total
    assert given[0][1] == pytest.approx(np.sqrt(2) * part)
    assert given[0][3] == sum(row[a] * row[b] for row in errors for a, b in combinations(range(4), 2))


def test_the_bound_is_the_spread_whose_own_error_reaches_down_to_the_estimate() -> None:
    """log(1 + c^2) = log(ratio) + t se(c^2), subjects counted by weight; solved by bisection."""
    weight, part, ratio = np.array([1.0, 2.0, 2.0, 3.0, 1.0, 4.0] * 5), np.full(30, 0.02), 1.2
    error = 30 / 29 * np.square(part).sum()
    subjects = np.square(weight).sum() ** 2 / (weight**4).sum()

    def reach(bound: float) -> float:
        grown = subject_effects._gamma_error(bound) - subject_effects._gamma_error(0.2)
        return float(stats.t.ppf(0.95, 29) * np.sqrt(error + max(grown, 0.0) / subjects))

    bound = optimize.brentq(lambda b: np.log(1 + b) - np.log(ratio) - reach(b), 0.2, 20)
    assert subject_effects._upper(ratio, part, weight, 1e6) == pytest.approx(bound, rel=1e-6)


@pytest.mark.parametrize("variance", [0.3, 1.0, 2.5])
def test_the_error_of_gamma_effects_is_that_of_their_moments(variance: float) -> None:
    """Var(a^2/(1 + c^2) - 2a) of a gamma variable a of mean 1 and variance c^2, from its first four moments."""
    second, third, fourth = np.cumprod([1 + variance * order for order in (1, 2, 3)])
    scale = 1 / (1 + variance)
    expected = scale**2 * (fourth - second**2) + 4 * variance - 4 * scale * (third - second)
    assert subject_effects._gamma_error(variance) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("errors", "mean"),
    [
        (
            {(0, 1): 0.5, (2, 3): 0.5},
            2 * 0.25 / 6,
        ),  # one pair of blocks apart errs, in either order, of three
        ({(0, 1): 0.5}, (0.5 / 6) ** 2),  # no two blocks apart err: the mean of any two
    ],
)
def test_blocks_apart_are_those_without_a_common_subject(
    errors: dict[tuple[int, int], float], mean: float
) -> None:
    """Four subjects have six blocks, three pairs of which share no subject."""
    table = np.zeros((4, 4))
    for (k, l), share in errors.items():  # noqa: E741  the paper's letter
        table[k, l] = table[l, k] = share
    assert subject_effects._blocks_apart(sums(table, 1 - np.eye(4))) == pytest.approx(mean)


def test_three_subjects_have_no_blocks_apart() -> None:
    """The mean product of errors is that of any two blocks."""
    table = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert subject_effects._blocks_apart(sums(table, 4 * (1 - np.eye(3)))) == pytest.approx(1 / 16)
