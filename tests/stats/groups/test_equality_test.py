"""Whether groups differ (FORMULAS 8.5): size, power and invariance, on simulated counts.

Seeds are fixed. A claim "flags at most 5 %" would alarm falsely with probability 0.001, were the size 5 %.
"""

from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.groups import differentials, equality_test
from frtaudit.stats.groups.equality_test import Direction

Floats = npt.NDArray[np.float64]
ALPHA, ALARM, B, COHORTS, FEWER, PAIRS = 0.05, 1e-3, 199, 300, 100, 10


def index_of(kind: str) -> equality_test.Index:
    """An index of one rate."""
    return lambda rates: differentials.rate_index(kind, rates["fnmr"])


def replicates(rng: np.random.Generator, errors: list[Floats]) -> tuple[Floats, Floats]:
    """Rates of the groups, and replicates of subjects within groups; ``errors``: share of each subject."""
    rates = np.array([item.mean() for item in errors])
    drawn = [rng.multinomial(item.size, np.full(item.size, 1 / item.size), B) @ item for item in errors]
    return rates, np.stack([one / item.size for one, item in zip(drawn, errors, strict=True)], axis=1)


def drawn_cohort(
    rng: np.random.Generator, sizes: list[int], rates: list[float], spread: list[float], kind: str = "max_min"
) -> tuple[equality_test.Equality, equality_test.Rates] | None:
    """The test on one cohort of beta-binomial subjects; ``spread``: the beta's a + b, small = unlike subjects.

    With the null it is computed under; None where it is not testable.
    """
    errors = [
        rng.binomial(PAIRS, rng.beta(rate * b, (1 - rate) * b, size)) / PAIRS
        for size, rate, b in zip(sizes, rates, spread, strict=True)
    ]
    if any(item.sum() * PAIRS < 10 or np.count_nonzero(item) < 10 for item in errors):
        return None
    observed, drawn = replicates(rng, errors)
    null = {"fnmr": equality_test.as_if_equal(observed, drawn, 1.0)}
    found = equality_test.equality(index_of(kind), {"fnmr": observed}, null, alpha=ALPHA)
    return None if found is None else (found, null)


def flagged(
    seed: int, sizes: list[int], rates: list[float], spread: list[float], kind: str = "max_min"
) -> int:
    """How many of the cohorts the test flags; what is not testable is not flagged."""
    rng = np.random.default_rng(seed)
    found = [drawn_cohort(rng, sizes, rates, spread, kind) for _ in range(COHORTS)]
    return sum(item is not None and item[0].p <= ALPHA for item in found)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("sizes", "spread", "kind"),
    [
        ([60, 60], [5.0, 5.0], "max_min"),
        ([100, 20], [5.0, 5.0], "max_min"),
        ([100, 20], [50.0, 3.0], "gini"),
        ([100, 20], [3.0, 50.0], "max_min"),
        ([40, 40, 40, 20], [5.0, 20.0, 3.0, 5.0], "log_geomean"),
    ],
)
def test_equal_groups_are_flagged_in_five_percent(sizes: list[int], spread: list[float], kind: str) -> None:
    """Under equal rates at most 5 % are flagged, with sizes 100 and 20 and with unlike heterogeneity too."""
    count = flagged(sum(sizes), sizes, [0.25] * len(sizes), spread, kind)
    assert stats.binomtest(count, COHORTS, ALPHA, alternative="greater").pvalue > ALARM


def within_groups(rng: np.random.Generator, sizes: list[int], shift: float) -> tuple[Floats, list[Floats]]:
    """Group and false matches of all pairs, two samples to a subject: pairs share a group's mean more or less."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    subjects = rng.normal(0, 0.35, group.size)
    score = subjects[:, None] + subjects[None, :] + rng.normal(0, 1, (group.size, group.size))
    score = np.triu(score, 1) + np.where(group[:, None] == group[None, :], 0.0, shift)
    return group.astype(np.float64), [np.asarray(np.triu(score > 1.4, 1), dtype=np.float64)]


@pytest.mark.compiled
def test_within_rates_unlike_cross_rates_are_flagged_in_five_percent() -> None:
    """Equal FMR within groups is not flagged more when pairs across groups match far less (100 and 20 subjects)."""
    rng, sizes, count = np.random.default_rng(7), [100, 20], 0
    for _ in range(FEWER):
        group, (wrong,) = within_groups(rng, sizes, -1.5)
        rates, drawn = [], []
        for g, size in enumerate(sizes):
            block = wrong[np.ix_(group == g, group == g)]
            weight = rng.multinomial(size, np.full(size, 1 / size), B).astype(np.float64)
            pairs = (np.square(weight.sum(axis=1)) - np.square(weight).sum(axis=1)) / 2
            drawn.append(np.einsum("bi,ij,bj->b", weight, block, weight, optimize=True) / pairs)
            rates.append(block.sum() / (size * (size - 1) / 2))
        observed = np.array(rates)
        null = equality_test.as_if_equal(observed, np.stack(drawn, axis=1), 1.0)
        found = equality_test.equality(index_of("max_min"), {"fnmr": observed}, {"fnmr": null}, alpha=ALPHA)
        count += found is not None and found.p <= ALPHA
    assert stats.binomtest(count, FEWER, ALPHA, alternative="greater").pvalue > ALARM


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["max_min", "gini"])
def test_the_detectable_ratio_is_detected(kind: str) -> None:
    """Groups whose rates differ by the detectable ratio are flagged in about 80 % of cohorts, 70 % surely."""
    rng, sizes, spread = np.random.default_rng(3), [80, 80], [8.0, 8.0]
    typical = [drawn_cohort(rng, sizes, [0.2, 0.2], spread, kind) for _ in range(11)]
    ratios = [
        equality_test.detectable_ratio(index_of(kind), item[1], item[0].edge)
        for item in typical
        if item is not None
    ]
    ratio = float(np.median([found for found in ratios if found is not None]))
    rates = [0.2 * ratio**0.5, 0.2 / ratio**0.5]
    count = flagged(11, sizes, rates, spread, kind)
    assert stats.binomtest(count, COHORTS, 0.7, alternative="less").pvalue > ALARM
    assert stats.binomtest(count, COHORTS, 0.9, alternative="greater").pvalue > ALARM
    assert count > flagged(12, sizes, [0.2, 0.2], spread, kind) + COHORTS // 3


@settings(max_examples=15)
@given(st.floats(0.02, 0.4))
def test_two_groups_of_normal_noise_have_the_formula(spread: float) -> None:
    """For max/min of two groups the detectable ratio is exp(q + z_0.8 e), q the null quantile of abs(log ratio)."""
    noise = np.random.default_rng(1).standard_normal((4000, 2)) * spread
    null = {"fnmr": 0.1 * np.exp(noise)}
    gap = np.abs(noise[:, 0] - noise[:, 1])
    edge = float(np.exp(np.quantile(gap, 1 - ALPHA, method="higher")))
    found = equality_test.detectable_ratio(index_of("max_min"), null, edge)
    e = spread * np.sqrt(2)
    assert found is not None
    assert np.log(found) == pytest.approx((stats.norm.isf(ALPHA / 2) + stats.norm.isf(0.2)) * e, rel=0.06)


groups = st.integers(2, 5).flatmap(lambda size: st.permutations(range(size)))


@settings(max_examples=25)
@given(groups, st.integers(0, 2**31), st.sampled_from(["max_min", "max_geomean", "log_geomean", "gini"]))
def test_the_order_of_groups_does_not_matter(order: list[int], seed: int, kind: str) -> None:
    """Groups in another order give the same p, median, edge and detectable ratio."""
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.05, 0.3, len(order))
    null = equality_test.as_if_equal(rates, rates * np.exp(0.2 * rng.standard_normal((99, len(order)))), 0.1)
    first, second = (
        equality_test.equality(index_of(kind), {"fnmr": r}, {"fnmr": n}, alpha=ALPHA)
        for r, n in ((rates, null), (rates[order], null[:, order]))
    )
    assert first is not None
    assert second is not None
    assert (first.p, first.n_resamples) == (second.p, second.n_resamples)
    assert first.median == pytest.approx(second.median)
    assert first.edge == pytest.approx(second.edge)
    ratios = [
        equality_test.detectable_ratio(index_of(kind), {"fnmr": n}, found.edge)
        for n, found in ((null, first), (null[:, order], second))
    ]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-6)


def test_small_values_are_worse_for_fdr() -> None:
    """FDR is 1 when fair: its edge lies below its median, and a low value gives a small p."""
    rng = np.random.default_rng(2)
    drawn = 0.2 * np.exp(0.1 * rng.standard_normal((199, 2)))

    def fdr(rates: equality_test.Rates) -> Floats:
        return differentials.fdr(rates["fmr"], rates["fnmr"], 0.5)

    null = {"fmr": drawn, "fnmr": drawn[::-1]}
    fair = {"fmr": np.array([0.2, 0.2]), "fnmr": np.array([0.2, 0.2])}
    unfair = {"fmr": np.array([0.1, 0.4]), "fnmr": np.array([0.1, 0.4])}
    first, second = (
        equality_test.equality(fdr, rates, null, alpha=ALPHA, worse=Direction.SMALLER)
        for rates in (fair, unfair)
    )
    assert first is not None
    assert second is not None
    assert (first.p, second.p) == (1.0, 1 / 200)
    assert first.edge < first.median < 1


def test_undefined_replicates_count_against_a_difference() -> None:
    """Up to 2 % of undefined null indices are counted as at least as bad; more refuse the test."""
    rates = np.array([0.1, 0.5])
    null = 0.2 * np.exp(0.01 * np.random.default_rng(1).standard_normal((200, 2)))
    null[:3] = np.nan
    found = equality_test.equality(index_of("max_min"), {"fnmr": rates}, {"fnmr": null}, alpha=ALPHA)
    assert found is not None
    assert found.p == pytest.approx(4 / 201)
    null[:5] = np.nan
    assert equality_test.equality(index_of("max_min"), {"fnmr": rates}, {"fnmr": null}, alpha=ALPHA) is None


@pytest.mark.parametrize("seed", [10, 12, 15])
def test_the_detectable_ratio_does_not_hang_on_the_last_digit(seed: int) -> None:
    """An index whose last digit is another, as another processor computes it, gives the same ratio."""
    rng = np.random.default_rng(seed)
    null = {"fmr": 0.1 * np.exp(rng.standard_normal((99, 3)) * np.array([0.2, 0.19, 0.2]))}

    def index(of: equality_test.Rates, digit: float = 0.0) -> npt.NDArray[np.float64]:
        return (1 + digit) * np.asarray(differentials.rate_index("max_geomean", of["fmr"]))

    equal = equality_test.equality(index, {"fmr": np.full(3, 0.1)}, null, alpha=0.05)
    assert equal is not None
    ratios = [
        equality_test.detectable_ratio(partial(index, digit=digit), null, equal.edge)
        for digit in (0.0, 4e-16, -4e-16)
    ]
    assert ratios[1:] == pytest.approx(ratios[:1] * 2, rel=1e-7)
