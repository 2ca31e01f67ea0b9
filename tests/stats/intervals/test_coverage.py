from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from frtaudit.stats.intervals import (
    bootstrap_intervals,
    borrowing,
    closed_form,
    coverage,
    simulated_cohorts,
    wilson,
)
from frtaudit.stats.intervals.borrowing import DesignEffectSource
from frtaudit.stats.intervals.coverage import Copies, Denominators
from frtaudit.stats.intervals.dependence import Residuals
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.simulated_counts import Tally

ALPHA, COHORTS, ALARM = 0.05, 2000, 1e-3
PAIRS = np.random.default_rng(0).choice([3, 6, 10, 15], 150)
OVER = Denominators(
    trials=int(PAIRS.sum()), total=int(PAIRS.sum()), subjects=150, square=float((PAIRS**2).sum()), ends=1
)


def mated(rate: float, variance: float, seed: int = 1) -> simulated_cohorts.Drawn:
    """Cohorts of 150 subjects."""
    return simulated_cohorts.draw_mated(
        np.random.default_rng(seed), PAIRS, rate, variance, COHORTS, identity=False
    )


def residuals(tally: Tally, c: int) -> Residuals:
    """What the scalar rule reads, of one cohort."""
    p = float(coverage.rates(tally, OVER)[c])
    return Residuals(
        rate=p,
        errors=int(tally.errors[c]),
        trials=OVER.trials,
        total=OVER.total,
        subjects=OVER.subjects,
        effective_subjects=OVER.effective_subjects,
        subjects_with_errors=int(tally.subjects_with_errors[c]),
        by_subject=float(tally.square[c] - 2 * p * tally.cross[c] + p * p * OVER.square),
        right=OVER.subjects,
    )


@pytest.mark.parametrize("rate", [0.0005, 0.01, 0.2])
def test_the_rule_on_arrays_is_the_rule_of_the_report(rate: float) -> None:
    """For every cohort, of no error, few and many, bounds equal those of stats.wilson."""
    drawn = mated(rate, 1.0)
    found = coverage.wilson(drawn.own, drawn.lent, OVER, ALPHA)
    for c in range(300):
        lent = residuals(drawn.lent, c) if np.isfinite(drawn.lent.errors[c]) else None
        source = DesignEffectSource(threshold=None if lent is None else 0.5)
        rule = wilson._rule(residuals(drawn.own, c), lent, source, ALPHA, ends=1)
        assert (found.low[c], found.high[c]) == pytest.approx((rule.low, rule.high), rel=1e-9, abs=1e-12)


def one_cohort(errors: np.ndarray) -> tuple[Tally, Tally]:
    """The tally of a cohort with these errors of its subjects, and one of no source."""
    sums = {
        "errors": errors.sum(),
        "count": errors.sum(),
        "square": (errors**2).sum(),
        "cross": (errors * PAIRS).sum(),
        "subjects_with_errors": np.count_nonzero(errors),
        "heaviest": 0.0,
    }
    own = Tally(**{name: np.array([float(value)]) for name, value in sums.items()})
    return own, Tally(**dict.fromkeys(sums, np.full(1, np.nan)))


def test_few_right_decisions_are_few_errors_of_the_other_kind() -> None:
    """Nothing but errors, but for five right decisions: the design effect is the one of few errors."""
    own, none = one_cohort(PAIRS - (np.arange(150) < 5).astype(np.float64))
    found = coverage.wilson(own, none, OVER, ALPHA)
    rule = wilson._rule(residuals(own, 0), None, DesignEffectSource(threshold=None), ALPHA, ends=1)
    assert rule.deff == pytest.approx(OVER.trials / OVER.subjects)
    assert (found.low[0], found.high[0]) == pytest.approx((rule.low, rule.high), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_replicates_widen_the_interval_of_no_error_and_of_nothing_else(rate: float) -> None:
    """At a threshold that moves the variance is that of the replicates, where it is larger."""
    own, none = one_cohort(PAIRS * rate)
    made = np.abs(np.linspace(0.0, 0.2, 50) - rate)[None]
    found = coverage.wilson_moving(own, none, made, OVER, ALPHA, (10, 10))
    n_eff = float(coverage.effective_trials(own, none, OVER)[0])
    score = RateBounds(rate=rate, n_eff=n_eff, degrees=OVER.degrees).moving(made[0]).interval(ALPHA)
    assert (found.low[0], found.high[0]) == pytest.approx((score.low, score.high))
    ruled = coverage.wilson(own, none, OVER, ALPHA)
    assert found.high[0] - found.low[0] > ruled.high[0] - ruled.low[0]


def test_the_iid_interval_on_arrays_is_that_of_statsmodels() -> None:
    """Bounds equal closed_form.wilson_iid."""
    drawn = mated(0.002, 0.5)
    found = coverage.wilson_iid(drawn.own, OVER, ALPHA)
    for c in range(100):
        score = closed_form.wilson_iid(int(drawn.own.errors[c]), OVER.trials, ALPHA)
        assert (found.low[c], found.high[c]) == pytest.approx((score.low, score.high), abs=1e-12)


def test_replicates_and_their_percentiles_by_a_plain_loop() -> None:
    """Sum v count / sum v unit, and stats.intervals' percentiles; withheld below 10 errors of 10 subjects."""
    rng = np.random.default_rng(2)
    drawn = mated(0.01, 1.0)
    weight = rng.multinomial(150, np.full(150, 1 / 150), 99).T.astype(np.uint8)
    copies = Copies(weight=weight, unit=PAIRS.astype(np.float64))
    made = copies.replicates(drawn.errors.astype(np.float64))
    bounds = coverage.percentile(drawn.own, made, ALPHA, (10, 10))
    for c in range(200):
        plain = np.array([(v * drawn.errors[c]).sum() / (v * PAIRS).sum() for v in weight.T.astype(np.int64)])
        assert made[c] == pytest.approx(plain, rel=1e-12)
        if drawn.own.errors[c] >= 10 and drawn.own.subjects_with_errors[c] >= 10:
            assert (bounds.low[c], bounds.high[c]) == pytest.approx(
                bootstrap_intervals.percentile(plain, ALPHA)
            )
        else:
            assert np.isnan(bounds.low[c])
    assert 0 < coverage.misses(bounds, 0.01).given < COHORTS


def test_replicates_do_not_depend_on_the_order_of_sums() -> None:
    """Shares of errors that no double holds exactly: reversing the subjects changes no bit."""
    rng = np.random.default_rng(3)
    counts, weight = rng.random((20, 150)) / 3, rng.integers(0, 5, (150, 50)).astype(np.uint8)
    one = Copies(weight=weight, unit=np.ones(150)).replicates(counts)
    other = Copies(weight=weight[::-1], unit=np.ones(150)).replicates(counts[:, ::-1])
    assert np.array_equal(one, other)
    assert one == pytest.approx(counts @ weight / weight.sum(axis=0), rel=1e-7)


def test_the_moving_interval_is_that_of_the_report() -> None:
    """With errors enough, n_eff from the replicates' variance; else where that is smaller than by 8.1 (8.21)."""
    rng = np.random.default_rng(4)
    drawn = mated(0.01, 1.0)
    weight = rng.multinomial(150, np.full(150, 1 / 150), 99).T.astype(np.uint8)
    made = Copies(weight=weight, unit=PAIRS.astype(np.float64)).replicates(drawn.errors.astype(np.float64))
    found = coverage.wilson_moving(drawn.own, drawn.lent, made, OVER, ALPHA, (10, 10))
    ruled = coverage.wilson(drawn.own, drawn.lent, OVER, ALPHA)
    for c in range(200):
        if drawn.own.errors[c] >= 10 and drawn.own.subjects_with_errors[c] >= 10:
            p, variance = float(coverage.rates(drawn.own, OVER)[c]), float(made[c].var(ddof=1))
            score = wilson.bounds_from_variance(
                p, variance, OVER.trials, OVER.effective_subjects - 1
            ).interval(ALPHA)
            assert (found.low[c], found.high[c]) == pytest.approx((score.low, score.high))
        else:
            known = RateBounds(
                rate=float(coverage.rates(drawn.own, OVER)[c]),
                n_eff=float(coverage.effective_trials(drawn.own, drawn.lent, OVER)[c]),
                degrees=OVER.degrees,
            )
            score = known.moving(made[c]).interval(ALPHA)
            assert (found.low[c], found.high[c]) == pytest.approx((score.low, score.high))
    assert (found.high > ruled.high).any()


def test_undefined_replicates_withhold() -> None:
    """Where more than 2 % of the copies draw none of a group, no percentile; the moving interval falls back on 8.1."""
    drawn = mated(0.05, 1.0)
    weight = np.ones((150, 50), dtype=np.uint8)
    weight[:, :2] = 0
    made = Copies(weight=weight, unit=PAIRS.astype(np.float64)).replicates(drawn.errors.astype(np.float64))
    assert coverage.misses(coverage.percentile(drawn.own, made, ALPHA, (10, 10)), 0.05).given == 0
    moving = coverage.wilson_moving(drawn.own, drawn.lent, made, OVER, ALPHA, (10, 10))
    assert np.array_equal(moving.high, coverage.wilson(drawn.own, drawn.lent, OVER, ALPHA).high)


@pytest.mark.parametrize(("undefined", "given"), [(1, True), (2, False)])
def test_percentiles_bear_few_undefined_replicates(undefined: int, given: bool) -> None:
    """Of 50 replicates one, 2 %, may be undefined; it is left out."""
    drawn = mated(0.05, 1.0)
    made = np.random.default_rng(1).random((COHORTS, 50))
    made[:, :undefined] = np.nan
    found = coverage.percentile(drawn.own, made, ALPHA, (0, 0))
    assert np.isfinite(found.low).all() == np.isfinite(found.high).all() == given
    if given:
        np.testing.assert_allclose(found.low, np.quantile(made[:, 1:], ALPHA / 2, axis=1))


def test_percentiles_ask_for_errors_and_for_subjects_with_errors() -> None:
    """Seven errors of six subjects are too few where ten errors are asked for, and where seven subjects are."""
    own = simulated_cohorts.tally_of(np.array([[7, 7, 9, 7, 6, 2]], dtype=np.float64))
    replicates = np.random.default_rng(1).random((1, 50))
    given = [
        np.isfinite(coverage.percentile(own, replicates, ALPHA, least).low[0])
        for least in ((7, 6), (10, 6), (7, 7))
    ]
    assert given == [True, False, False]


@pytest.mark.parametrize("lends", [False, True])
def test_a_lender_whose_right_decisions_are_few_lends_nothing(lends: bool) -> None:
    """Few errors borrow the design effect of one that has enough errors and right decisions; else it is n/K."""
    own, _ = one_cohort((np.arange(150) < 3).astype(np.float64))
    right = borrowing.ENOUGH_ERRORS - (not lends)
    lent, _ = one_cohort(PAIRS - (np.arange(150) < right).astype(np.float64))
    expected = OVER.trials if lends else OVER.subjects  # of both the design effect is 1
    assert coverage.effective_trials(own, lent, OVER)[0] == pytest.approx(expected, rel=0.01)


def test_wilson_covers_an_easy_case() -> None:
    """FNMR 5 %, mild subject effects, 150 subjects: at least 0.93 of cohorts (binomtest, alarm 0.001)."""
    drawn = mated(0.05, 0.3)
    found = coverage.misses(coverage.wilson(drawn.own, drawn.lent, OVER, ALPHA), 0.05)
    assert found.given == COHORTS
    assert stats.binomtest(found.covered, COHORTS, 0.93, alternative="less").pvalue > ALARM


def test_the_iid_interval_fails_under_strong_subject_effects() -> None:
    """The same people, unlike: i.i.d. Wilson covers less than 0.85 (binomtest, alarm 0.001) while the rule holds."""
    drawn = mated(0.05, 3.0)
    naive = coverage.misses(coverage.wilson_iid(drawn.own, OVER, ALPHA), 0.05)
    ruled = coverage.misses(coverage.wilson(drawn.own, drawn.lent, OVER, ALPHA), 0.05)
    assert stats.binomtest(naive.covered, COHORTS, 0.85, alternative="less").pvalue < ALARM
    assert stats.binomtest(ruled.covered, COHORTS, 0.90, alternative="less").pvalue > ALARM
    assert naive.lower > 0
    assert naive.upper > 0


def test_a_rate_of_nothing_but_errors_is_one() -> None:
    """Exactly 0 without errors and 1 with nothing else."""
    one = np.array([0.0, float(OVER.trials)])
    tally = Tally(
        errors=one, count=one * 1.0000001, square=one, cross=one, subjects_with_errors=one, heaviest=one
    )
    assert coverage.rates(tally, OVER).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("pair", [1e-3, 0.0])
def test_the_rule_of_fmr_on_arrays_is_that_of_the_report(pair: float) -> None:
    """With one more indistinguishable pair and the heaviest person (FORMULAS 8.18), cohort by cohort; also at TMR 0."""
    size = np.random.default_rng(3).integers(1, 5, 40)
    weight = (size * (size.sum() - size)).astype(np.float64)
    cells = simulated_cohorts.Cells(samples=size, starts=np.array([0, 40]), weight=weight, identity=False)
    trials = int(weight.sum()) // 2
    over = Denominators(
        trials=trials,
        total=trials,
        subjects=40,
        square=float((weight**2).sum()),
        ends=2,
        pairs=780,
        pair=pair,
    )
    drawn = simulated_cohorts.draw_non_mated(np.random.default_rng(4), cells, 0.01, np.ones((200, 40)), 5.0)
    found = coverage.wilson(drawn.own, drawn.lent, over, ALPHA)
    n_eff = coverage.effective_trials(drawn.own, drawn.lent, over)
    for c in range(200):
        bounds = RateBounds(
            rate=float(drawn.own.count[c]) / trials,
            n_eff=float(n_eff[c]),
            degrees=39.0,
            pair=pair,
            person=float(drawn.own.heaviest[c]) / trials,
        ).interval(ALPHA)
        assert (found.low[c], found.high[c]) == pytest.approx((bounds.low, bounds.high), rel=1e-9)


def test_subjects_count_by_weight() -> None:
    """Six comparisons of subjects with 1, 2 and 3: 36 over 14; of both ends, as many as there are."""
    over = Denominators(trials=6, total=6, subjects=3, square=14.0, ends=1)
    assert over.effective_subjects == pytest.approx(36 / 14)
    assert replace(over, ends=2).effective_subjects == 3


def test_drawn_sums_beyond_the_comparisons_are_cut() -> None:
    """A count above all, or below none, is a rate of 1, or of 0, though some erred and some did not."""
    own, _ = one_cohort(PAIRS - (np.arange(150) < 1).astype(np.float64))
    for count, rate in ((1.5, 1.0), (-0.5, 0.0)):
        assert coverage.rates(replace(own, count=np.array([count * OVER.total])), OVER).tolist() == [rate]


@pytest.mark.parametrize(("undefined", "alone"), [(1, True), (2, False)])
def test_a_moving_interval_bears_few_undefined_replicates(undefined: int, alone: bool) -> None:
    """With one of 50 undefined, 2 %, replicates that hardly vary have every comparison count; with two 8.1 holds."""
    own, none = one_cohort((np.arange(150) < 40) * 2.0)
    rate = float(coverage.rates(own, OVER)[0])
    made = np.append(np.full(undefined, np.nan), rate + 1e-9 * (np.arange(50 - undefined) % 2))[None]
    found = coverage.wilson_moving(own, none, made, OVER, ALPHA, (10, 10))
    n_eff = float(OVER.trials) if alone else float(coverage.effective_trials(own, none, OVER)[0])
    score = RateBounds(rate=rate, n_eff=n_eff, degrees=OVER.degrees).interval(ALPHA)
    assert n_eff == OVER.trials or n_eff < 0.9 * OVER.trials
    assert (found.low[0], found.high[0]) == pytest.approx((score.low, score.high))
