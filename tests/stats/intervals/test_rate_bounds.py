"""Bounds and p values of a rate (FORMULAS 8.1, 8.18) against formulas in another form, and their properties."""

import math
from itertools import pairwise

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from frtaudit.stats.intervals import rate_bounds as bounds
from frtaudit.stats.intervals.dependence import degrees_of_freedom
from frtaudit.stats.sample_size.power import fewest

LEVELS = st.one_of(
    st.sampled_from([0.4, 0.05, 0.025, 0.005, 5e-4, 1e-12]),
    st.floats(-12, math.log10(0.4)).map(lambda e: 10**e),
)
SIZES = st.floats(math.log10(0.3), 7).map(lambda e: 10**e)
DEGREES = st.floats(0, 4).map(lambda e: 10**e)
RATES = st.one_of(
    st.just(0.0), st.just(1.0), st.floats(0, 1),
    st.floats(-9, 0).map(lambda e: 10**e), st.floats(-9, 0).map(lambda e: 1 - 10**e),
)  # fmt: skip
LIMITS = st.floats(-6, -0.01).map(lambda e: 10**e)
ULPS = 8 * np.finfo(float).eps  # limits beside a bound that doubles can hold apart
TINY = 1e-30


def both(rate: float, n_eff: float, degrees: float, error: float) -> tuple[float, float]:
    """The two bounds at one place."""
    known = rate, n_eff, degrees, error
    return float(bounds.lower_bound(*known)), float(bounds.upper_bound(*known))


@given(RATES, SIZES, DEGREES, LEVELS)
def test_bounds_are_the_outer_of_both_methods(rate: float, n: float, degrees: float, error: float) -> None:
    """Both bounds equal those of scipy.stats' distributions and the roots of the score equation."""
    low, high = slow.outer_bounds(rate, n, degrees, error)
    assume(not math.isnan(high))  # scipy.stats, too, loses some tails below 1e-100
    assert both(rate, n, degrees, error) == pytest.approx((low, high), rel=1e-7, abs=1e-12)


@given(st.integers(1, 60), st.data(), st.sampled_from([0.4, 0.05, 0.005]))
def test_with_many_degrees_and_independent_trials_the_exact_interval_is_inside(
    n: int, data: st.DataObject, error: float
) -> None:
    """Scipy's binomtest, exact: the bounds hold its limits, and equal them or Wilson's, with the normal for t."""
    x = data.draw(st.integers(0, n))
    exact = stats.binomtest(x, n).proportion_ci(1 - 2 * error, method="exact")
    score = stats.binomtest(x, n).proportion_ci(1 - 2 * error, method="wilson")
    expected = min(exact.low, score.low), max(exact.high, score.high)
    assert both(x / n, n, 1e12, error) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@example(1.0, 0.3, 1.0, 1e-12)
@example(0.0, 0.3, 1.0, 1e-12)
@example(1e-9, 1e7, 1.0, 0.4)
@given(RATES, SIZES, DEGREES, LEVELS)
def test_no_interval_is_degenerate(rate: float, n: float, degrees: float, error: float) -> None:
    """0 <= lower <= rate <= upper <= 1, with width; 0 only at no error or a limit that underflows, 1 likewise."""
    low, high = both(rate, n, degrees, error)
    assert 0 <= low <= rate <= high <= 1
    assert low < high
    if rate == 0:
        assert low == 0
    if rate == 1:
        assert high == 1


@given(RATES, SIZES, DEGREES, LEVELS, LEVELS)
def test_bounds_widen_as_the_error_falls(
    rate: float, n: float, degrees: float, first: float, second: float
) -> None:
    """A smaller one-sided error never brings a bound nearer."""
    strict, lax = (both(rate, n, degrees, error) for error in sorted((first, second)))
    assert strict[0] <= lax[0] * (1 + 1e-9)
    assert strict[1] >= lax[1] * (1 - 1e-9)


@example(0.9859, 0.986, 1e5, 1.25, 0.005)
@example(0.014, 0.0141, 1e5, 1.25, 0.005)
@given(RATES, RATES, SIZES, DEGREES, LEVELS)
def test_bounds_rise_with_the_rate(
    first: float, second: float, n: float, degrees: float, error: float
) -> None:
    """FORMULAS 8.1, property: with the error structure fixed no bound falls as errors rise."""
    few, many = (both(rate, n, degrees, error) for rate in sorted((first, second)))
    assert few[0] <= many[0] * (1 + 1e-9) + TINY
    assert few[1] <= many[1] * (1 + 1e-9)


@given(RATES, SIZES, SIZES, DEGREES, LEVELS)
def test_bounds_close_in_as_the_effective_number_grows(
    rate: float, first: float, second: float, degrees: float, error: float
) -> None:
    """More effective comparisons never move a bound outwards."""
    wide, narrow = (both(rate, n, degrees, error) for n in sorted((first, second)))
    assert wide[0] <= narrow[0] * (1 + 1e-9) + TINY
    assert narrow[1] <= wide[1] * (1 + 1e-9)


@given(RATES, SIZES, DEGREES, LEVELS)
def test_the_p_value_at_a_bound_is_its_error(rate: float, n: float, degrees: float, error: float) -> None:
    """The p value of a limit beside the bound lies on the bound's side of the error, to 1e-9."""
    low, high = both(rate, n, degrees, error)
    if low > TINY:
        inside, outside = low * (1 - ULPS), low * (1 + ULPS)
        assert float(bounds.p_above(rate, n, degrees, inside)) <= error + 1e-9
        assert outside >= 1 or float(bounds.p_above(rate, n, degrees, outside)) >= error - 1e-9
    if high < 1 - ULPS:
        room = (1 - high) * ULPS + np.finfo(float).eps
        assert float(bounds.p_below(rate, n, degrees, high + room)) <= error + 1e-9
        assert float(bounds.p_below(rate, n, degrees, high - room)) >= error - 1e-9


@given(RATES, SIZES, DEGREES, LIMITS, LEVELS)
def test_a_p_value_is_small_exactly_where_the_bound_reaches_the_limit(
    rate: float, n: float, degrees: float, limit: float, error: float
) -> None:
    """P of "above" is at most a if and only if the lower bound at a reaches the limit, whatever the limit."""
    p = float(bounds.p_above(rate, n, degrees, limit))
    low, _ = both(rate, n, degrees, error)
    if abs(p - error) > 1e-9 and abs(low / limit - 1) > 1e-9:
        assert (p <= error) == (low > limit)


@given(RATES, SIZES, DEGREES, LIMITS)
def test_below_mirrors_above(rate: float, n: float, degrees: float, limit: float) -> None:
    """Errors and non-errors exchange: the p value of "below" is that of "above" for the other share."""
    mirrored = bounds.p_above(1 - rate, n, degrees, 1 - limit)
    assert float(bounds.p_below(rate, n, degrees, limit)) == float(mirrored)


def test_one_error_in_a_hundred_does_not_break_a_limit_of_one_in_a_thousand() -> None:
    """Wilson's lower bound alone broke it with p 0.003; the exact probability of an error or more is 0.095."""
    n, limit = 100, 0.001
    score = (1 / n - limit) / math.sqrt(limit * (1 - limit) / n)
    assert float(stats.t.sf(score, n - 1)) == pytest.approx(0.0027, abs=5e-5)
    exact = float(bounds.p_above(1 / n, n, 1e9, limit))
    assert exact == pytest.approx(1 - (1 - limit) ** n, rel=1e-6)
    assert exact == pytest.approx(0.0952, abs=5e-5)


def test_arrays_broadcast() -> None:
    """Rates along one axis and errors along the other give the table of single values."""
    rates, errors = np.array([0.0, 0.01, 1.0]), np.array([0.05, 0.005])
    for find in (bounds.lower_bound, bounds.upper_bound):
        table = find(rates[:, None], 50.0, 9, errors)
        assert table.shape == (3, 2)
        assert table.tolist() == [[float(find(rate, 50.0, 9, error)) for error in errors] for rate in rates]


KNOWN = st.tuples(
    st.integers(2, 1000), st.integers(1, 10), st.floats(1, 60), st.floats(0.2, 1), st.floats(0, 1)
)  # people, images each, design effect, TMR, share of the heaviest person


def cohort(
    known: tuple[int, int, float, float, float], errors: int
) -> tuple[float, float, float, float, float]:
    """Rate, n_eff, degrees, w and r of a balanced cohort with so many false matches."""
    people, images, deff, match_rate, share = known
    pairs = people * (people - 1) // 2
    trials = pairs * images**2
    rate = min(errors, trials) / trials
    weight = float(bounds.pair_weight(match_rate, pairs))
    return rate, trials / deff, degrees_of_freedom(people), weight, share * rate


@given(KNOWN, st.integers(0, 500), LEVELS)
def test_unseen_people_are_the_gamma_bound(
    known: tuple[int, int, float, float, float], errors: int, error: float
) -> None:
    """U_a equals the formula written with the chi-square distribution, or the bound at no error where larger."""
    rate, n, degrees, pair, person = cohort(known, errors)
    expected = max(slow.unseen_bound(rate, n, degrees, pair, person, error), -math.log(error) * pair)
    found = float(bounds.unseen_bound(rate, n, degrees, pair, person, error))
    assert found == pytest.approx(min(expected, 1.0), rel=1e-8)


@given(KNOWN, LEVELS)
def test_no_false_match_is_the_rule_of_three_on_pairs_of_people(
    known: tuple[int, int, float, float, float], error: float
) -> None:
    """At no error the bound is -ln(a) times what one pair of people weighs."""
    rate, n, degrees, pair, person = cohort(known, 0)
    found = float(bounds.unseen_bound(rate, n, degrees, pair, person, error))
    assert found == pytest.approx(min(-math.log(error) * pair, 1.0), rel=1e-9)


@given(KNOWN, st.integers(0, 300), LEVELS, LEVELS)
def test_the_upper_bound_of_fmr_widens_as_the_error_falls(
    known: tuple[int, int, float, float, float], errors: int, first: float, second: float
) -> None:
    """It lies within [rate, 1], never inside the bound of 8.1, and a smaller error never lowers it."""
    rate, n, degrees, pair, person = cohort(known, errors)
    strict, lax = (
        float(bounds.fmr_upper_bound(rate, n, degrees, pair, person, error))
        for error in sorted((first, second))
    )
    assert strict >= lax * (1 - 1e-9)
    assert rate < lax or lax == 1
    assert lax >= float(bounds.upper_bound(rate, n, degrees, max(first, second)))


@given(KNOWN, st.sampled_from([0.05, 0.025, 0.005, 5e-4]))
def test_the_upper_bound_of_fmr_never_falls_as_errors_rise(
    known: tuple[int, int, float, float, float], error: float
) -> None:
    """With the structure fixed (design effect, share of the heaviest) from no error to 300."""
    found = [float(bounds.fmr_upper_bound(*cohort(known, errors), error)) for errors in range(0, 300, 3)]
    assert all(high >= low * (1 - 1e-9) for low, high in pairwise(found))


@pytest.mark.parametrize(("limit", "several", "single"), [(1e-2, 25, 36), (1e-3, 78, 111), (1e-4, 246, 348), (1e-5, 775, 1096)])  # fmt: skip  # noqa: E501
def test_people_that_a_limit_needs(limit: float, several: int, single: int) -> None:
    """At no error, TMR 1, one-sided .05: the table of FORMULAS 8.18, two images each and one."""

    def keeps(people: int, images: int) -> bool:
        place = cohort((people, images, 2.0, 1.0, 0.0), 0)
        return float(bounds.fmr_upper_bound(*place, 0.05)) <= limit

    assert bounds.people_for(limit, 0.05) == several
    assert fewest(lambda people: keeps(people, 2)) == several
    assert fewest(lambda people: keeps(people, 1)) == single


def test_the_written_example() -> None:
    """FORMULAS 8.18: K = 100, y = 8e-5, V = 1e-9, TMR .75, r = 2e-5 give 5.507e-4, and 4.539e-4 with no error."""
    rate, pair = 8e-5, float(bounds.pair_weight(0.75, 4950))
    found = bounds.unseen_bound(rate, rate * (1 - rate) / 1e-9, 99, pair, 2e-5, 0.05)
    assert float(found) == pytest.approx(5.507e-4, abs=5e-8)
    assert float(bounds.unseen_bound(0, 1e4, 99, pair, 0, 0.05)) == pytest.approx(4.539e-4, abs=5e-8)


def test_without_a_true_match_the_heaviest_person_still_counts() -> None:
    """At TMR 0 the pair adds nothing and the person stays (FORMULAS 8.18); only a mated rate has neither."""
    known = {"rate": 0.02, "n_eff": 200.0, "degrees": 19.0, "person": 0.02}
    found = bounds.RateBounds(**known, pair=0.0)
    assert found.high(0.05) == float(bounds.unseen_bound(0.02, 200.0, 19.0, 0.0, 0.02, 0.05))
    assert found.high(0.05) > bounds.RateBounds(**known).high(0.05)
    assert found.p_below(found.high(0.05) * 0.999) > 0.05
    assert found.people_for(1e-4, 0.05, 190) is None


SPREAD = st.tuples(st.floats(1.5, 1e5), DEGREES, st.floats(0.0, 1.0))  # n_eff, degrees, what a bad image adds


@given(SPREAD, RATES, st.sampled_from([0.05, 0.025, 0.005, 5e-4]))
def test_the_upper_bound_of_fnmr_allows_for_one_more_bad_image(
    known: tuple[float, float, float], rate: float, error: float
) -> None:
    """Where the image outweighs an effective comparison: the larger of 8.1 and the Gamma quantile; else 8.1 itself."""
    n, degrees, image = known
    found = float(bounds.fnmr_upper_bound(rate, n, degrees, image, error))
    plain = float(bounds.upper_bound(rate, n, degrees, error))
    if image * n <= 1:
        assert found == plain
        return
    mean, variance = rate + image, rate * (1 - rate) / n + image**2
    quantile = float(stats.gamma.isf(error, mean**2 / variance, scale=variance / mean))
    expected = min(max(plain, quantile, -math.log(error) * image), 1.0)
    assert found == pytest.approx(expected, rel=1e-8)


@given(SPREAD, st.sampled_from([0.05, 0.025, 0.005, 5e-4]))
def test_the_upper_bound_of_fnmr_never_falls_as_errors_rise(
    known: tuple[float, float, float], error: float
) -> None:
    """With the effective number and the image fixed, from no error to nothing but errors."""
    n, degrees, image = known
    found = bounds.fnmr_upper_bound(np.linspace(0, 1, 101), n, max(degrees, 5.0), image, error)
    assert np.all(np.diff(found) >= -1e-9)
    assert np.all((found > 0) & (found <= 1))


@given(SPREAD, st.floats(0.0, 0.4), LIMITS, st.sampled_from([0.05, 0.025, 0.005]))
def test_p_of_fnmr_agrees_with_its_upper_bound(
    known: tuple[float, float, float], rate: float, limit: float, error: float
) -> None:
    """P of "below the limit" is at most a exactly where the upper bound at a lies below it, bad image or none."""
    n, degrees, image = known
    made = bounds.RateBounds(rate=rate, n_eff=n, degrees=degrees, image=image)
    high, p_value = made.high(error), made.p_below(limit)
    if abs(high - limit) > 1e-6 * limit:
        assert (p_value <= error) == (high < limit)


@pytest.mark.parametrize(("image", "upper"), [(0.01125, 0.0581328), (0.004, 0.0425717), (0.0, 0.0425717)])
def test_one_more_bad_image_counts_where_it_is_heavy(image: float, upper: float) -> None:
    """The bound of a rate allows for an image that weighs more than an effective comparison, and for no other."""
    assert bounds.RateBounds(rate=0.02, n_eff=240, degrees=59, image=image).high(0.05) == pytest.approx(
        upper, abs=1e-7
    )


@given(
    st.floats(0.5, 0.9999), st.floats(20, 2000), st.floats(5, 500), st.floats(0, 0.2), st.floats(1e-4, 0.4)
)
def test_a_share_of_right_decisions_is_the_mirror_of_its_errors(
    rate: float, n: float, degrees: float, image: float, error: float
) -> None:
    """Bounds and p values of right decisions are those of the wrong ones, seen from 1: the image counts below."""
    right = bounds.RateBounds(rate=rate, n_eff=n, degrees=degrees, image=image, of_right=True)
    wrong = bounds.RateBounds(rate=1 - rate, n_eff=n, degrees=degrees, image=image)
    assert right.low(error) == pytest.approx(1 - wrong.high(error), abs=1e-12)
    assert right.high(error) == pytest.approx(1 - wrong.low(error), abs=1e-9)
    for limit in (0.3, 0.8, 0.95, 0.999):
        assert right.p_above(limit) == pytest.approx(wrong.p_below(1 - limit), rel=1e-6, abs=1e-12)
        assert right.p_below(limit) == pytest.approx(wrong.p_above(1 - limit), rel=1e-6, abs=1e-12)


def test_the_upper_bound_of_nothing_but_errors_is_one() -> None:
    """Also where the tail is so small that the bound is found by halving (FORMULAS 8.1)."""
    n_eff, error = np.array([7.0, 240, 1234.5, 1e6]), np.geomspace(1e-6, 0.2, 60)[:, None]
    assert all(
        (bounds.upper_bound(1.0, n_eff, degrees, error) == 1).all() for degrees in (1.0, 1.5, 2.0, 3.0, 99.0)
    )


def test_the_upper_bound_rises_with_the_errors_of_one_person() -> None:
    """All errors are of one person: one more of them never lowers the bound, though its design effect rises with it."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        pairs = rng.integers(1, 100, int(rng.integers(3, 60))).astype(float)
        total, people = pairs.sum(), pairs.sum() ** 2 / np.square(pairs).sum()
        errors = np.arange(1, pairs[0] + 1)
        rate = errors / total
        square = np.square(errors - rate * pairs[0]) + np.square(rate) * np.square(pairs[1:]).sum()
        deff = np.maximum(1, people / (people - 1) * square / (total * rate * (1 - rate)))
        upper = bounds.upper_bound(rate, total / deff, people - 1, 0.05)
        assert np.all(np.diff(upper) >= 0)


def normal_end(rate: float, sd: float, error: float) -> float:
    """The upper end of a normal approximation."""
    return rate + float(stats.norm.isf(error)) * sd


def test_worked_example_of_common_criteria() -> None:
    """5 of 174: 4.5 % by the normal approximation, 80 % two-sided; an exact bound is 5.3 % there, 4 errors pass 5 %."""
    rate = 5 / 174
    sd = math.sqrt(rate * (1 - rate) / 174)
    assert [normal_end(rate, sd, error) for error in (0.1, 0.2)] == pytest.approx([0.04497, 0.0394], abs=1e-5)
    found = [both(errors / 174, 174, 173, error)[1] for errors, error in ((5, 0.1), (5, 0.2), (4, 0.1))]
    assert found == pytest.approx([0.0527, 0.0451, 0.0455], abs=1e-4)


def test_second_example_of_common_criteria_is_not_reproduced() -> None:
    """14 of 78 people with 5 transactions each: no reading of an 80 % bound gives the 4.9 % that is printed."""
    rate = 14 / 390
    person = np.repeat([0.2, 0.0], [14, 64]).std(ddof=1) / math.sqrt(78)
    readings = [
        normal_end(rate, sd, error)
        for sd in (person, math.sqrt(rate * (1 - rate) / 390))
        for error in (0.1, 0.2)
    ]
    assert readings == pytest.approx([0.0471, 0.0433, 0.0480, 0.0438], abs=1e-4)
    assert max(readings) < 0.0485


@pytest.mark.parametrize(
    ("errors", "least"), [(0, 29956), (1, 47437), (3, 77535), (10, 169619), (30, 406900)]
)
def test_comparisons_that_show_one_in_ten_thousand(errors: int, least: int) -> None:
    """The fewest independent comparisons whose exact bound at 95 % is 1e-4, at each number of errors."""

    def high(n: int) -> float:
        return float(bounds.upper_bound(errors / n, n, 1e12, 0.05))

    assert high(least - 1) > 1e-4 >= high(least)


def test_limits_at_the_ends_of_the_scale() -> None:
    """No rate is above 1 or below 0."""
    some = bounds.RateBounds(rate=0.1, n_eff=100.0, degrees=50.0)
    assert some.p_above(1.0) == 1 == some.p_below(0.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rate", [0.0, 0.1, 1.0])
def test_a_limit_of_none_is_broken_by_any_error_without_a_warning(rate: float) -> None:
    """At a limit of 0 the p value is small where a rate is above it and 1 where it is 0; 1 below mirrors it."""
    some = bounds.RateBounds(rate=rate, n_eff=100.0, degrees=50.0)
    assert (some.p_above(0.0) < 1e-9) is (rate > 0)
    assert some.p_below(1.0) == bounds.RateBounds(rate=1 - rate, n_eff=100.0, degrees=50.0).p_above(0.0)


@pytest.mark.parametrize("rate", [0.1, 0.0])
def test_moving_replicates_take_the_place_of_the_effective_number(rate: float) -> None:
    """It is p(1 - p) / Var, p their mean where the rate is 0, and never more than before; none say nothing."""
    some, drawn = bounds.RateBounds(rate=rate, n_eff=50.0, degrees=9.0), np.array([0.0, 0.05, 0.15, 0.2])
    p = rate or 0.1
    assert some.moving(drawn).n_eff == pytest.approx(p * (1 - p) / drawn.var(ddof=1))
    assert some.moving(0.1 + drawn / 1000).n_eff == 50
    assert some.moving(drawn[:0]) == some == some.moving(np.full(4, 0.1))


def test_two_replicates_have_a_variance_and_one_has_none() -> None:
    """0 and 0.2 have variance 0.02 and mean 0.1: an effective number of 4.5; of one replicate nothing moves."""
    some = bounds.RateBounds(rate=0.0, n_eff=50.0, degrees=9.0)
    assert some.moving(np.array([0.0, 0.2])).n_eff == pytest.approx(4.5)
    third = bounds.RateBounds(rate=0.3, n_eff=50.0, degrees=9.0)
    assert third.moving(np.array([0.0, 0.2])).n_eff == pytest.approx(10.5)
    assert some.moving(np.array([0.2])) == some
    assert some.moving(np.ones(3)) == some


@pytest.mark.parametrize("people", [2, 3, 4, 25, 100, 1000])
def test_so_many_people_are_enough_for_the_limit_of_their_pairs(people: int) -> None:
    """-ln(a)/P at P = K(K-1)/2 pairs is kept by K people and by no fewer; a cohort that keeps it needs no more."""
    pairs = people * (people - 1) // 2
    limit = -math.log(0.05) / pairs
    assert bounds.people_for(limit, 0.05) == people
    assert bounds.people_for(limit * 0.9999, 0.05) == people + 1
    some = bounds.RateBounds(rate=0.0, n_eff=100.0, degrees=9.0, pair=0.5)
    assert some.people_for(-math.log(0.05) * 0.5, 0.05, 1) is None
    assert some.people_for(limit, 0.05, 2 * 0.999) == (people if people > 2 else None)
    assert some.people_for(0.0, 0.05, 1) is None


def test_a_rate_just_above_a_limit_of_three_trials_is_no_evidence() -> None:
    """The exact tail passes one half: p is 1, not the tail."""
    assert stats.beta.cdf(0.49, 0.5 * 3, 0.5 * 3 + 1) > 0.5
    assert float(bounds.p_above(0.5, 3, 10, 0.49)) == 1.0
