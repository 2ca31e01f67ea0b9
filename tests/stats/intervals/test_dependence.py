"""Residual sums and variances against pairwise loops in exact fractions."""

from collections import Counter
from itertools import product

import numpy as np
import oracles_wilson as slow
import pytest
from hypothesis import given
from strategies_wilson import Drawn, audits

from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.dependence import (
    Residuals,
    count_subjects_with_errors,
    few_of_a_list,
    hubs,
    inflated_variance,
    match_rate,
    mated_residuals,
    non_mated_residuals,
    plugin_variance,
    spread,
    truncated_variance,
)
from frtaudit.stats.rates.sums import mated_sums, non_mated_sums
from frtaudit.stats.rates.trials import members

THRESHOLDS = [0.1, 0.4, 0.65, 0.9]


@given(audits())
def test_fmr_variance_is_the_sum_over_pairs_that_share_a_subject(audit: Drawn) -> None:
    """Both weightings: the block formula equals the O(M^2) sum; the truncated one floors adjacent covariance."""
    wide = spread(audit.tail, audit.groups)
    sums = non_mated_sums(audit.tail, audit.groups, THRESHOLDS)
    for group_index in range(4):
        rows = audit.within(group_index)[1]
        for place, t in enumerate(THRESHOLDS if rows else []):
            for weighting, residuals in (
                (Weighting.POOLED, slow.pooled_residuals),
                (Weighting.IDENTITY, slow.identity_residuals),
            ):
                found = non_mated_residuals(sums, place, group_index, wide, weighting)
                within, between = slow.adjacent_variance(residuals(rows, slow.match_error(t)))
                assert plugin_variance(found) == pytest.approx(float(within + between), abs=1e-12)
                assert truncated_variance(found) == pytest.approx(float(within + max(between, 0)), abs=1e-12)
                identity = weighting is Weighting.IDENTITY
                rate = slow.rate_of(rows, slow.match_error(t), identity=identity)
                assert found.rate == pytest.approx(float(rate), abs=1e-12)


@given(audits())
def test_fnmr_variance_is_the_sum_over_pairs_of_one_subject(audit: Drawn) -> None:
    """Both weightings: sum of squared residual sums by subject equals the O(n^2) sum."""
    sums = mated_sums(audit.tail, audit.groups, THRESHOLDS)
    held = members(audit.groups, audit.tail.n_samples.size)
    for group_index in range(4):
        rows = audit.within(group_index)[0]
        for place, t in enumerate(THRESHOLDS if rows else []):
            for weighting, residuals in (
                (Weighting.POOLED, slow.pooled_residuals),
                (Weighting.IDENTITY, slow.identity_residuals),
            ):
                found = mated_residuals(sums, place, held[group_index], weighting)
                expected = slow.shared_variance(residuals(rows, slow.non_match_error(t)))
                assert plugin_variance(found) == pytest.approx(float(expected), abs=1e-12)
                assert truncated_variance(found) == plugin_variance(found)


@given(audits())
def test_the_rate_of_matches_is_what_errors_leave(audit: Drawn) -> None:
    """TMR is 1 - FNMR of the residual sums, to the bit, in both weightings; 1 where a class has no mated comparison."""
    sums = mated_sums(audit.tail, audit.groups, THRESHOLDS)
    for member in members(audit.groups, audit.tail.n_samples.size):
        for place, weighting in product(range(len(THRESHOLDS)), Weighting):
            found = mated_residuals(sums, place, member, weighting)
            expected = 1 - found.rate if found.trials else 1.0
            assert match_rate(sums, place, member, weighting) == expected


@given(audits())
def test_one_more_bad_image_weighs_what_the_sample_with_most_comparisons_does(audit: Drawn) -> None:
    """Pooled: its comparisons over all, times one less Kish's share of subjects; subjects weighted equally: nothing."""
    sums = mated_sums(audit.tail, audit.groups, THRESHOLDS)
    held = members(audit.groups, audit.tail.n_samples.size)
    for tag in range(4):
        inside = held[tag][audit.tail.subject_of[audit.tail.mated_i]]
        first, second = audit.tail.mated_i[inside], audit.tail.mated_j[inside]
        found = [
            mated_residuals(sums, 0, held[tag], weighting).image
            for weighting in (Weighting.POOLED, Weighting.IDENTITY)
        ]
        each = Counter([*first.tolist(), *second.tolist()])
        people = Counter(audit.tail.subject_of[first].tolist())
        n, square = sum(people.values()), sum(count**2 for count in people.values())
        expected = (1 - n * n / square / len(people)) * max(each.values()) / n if n else 0.0
        assert found == [pytest.approx(expected, abs=1e-12), 0.0]


@given(audits())
def test_spread_counts_what_was_compared(audit: Drawn) -> None:
    """Comparisons, pairs of subjects and squared block sizes of every group equal those of the rows."""
    wide = spread(audit.tail, audit.groups)
    for group_index in range(4):
        blocks: dict[frozenset[object], int] = {}
        for row in audit.within(group_index)[1]:
            key = frozenset(row.subjects)
            blocks[key] = blocks.get(key, 0) + 1
        assert wide.trials[group_index] == sum(blocks.values())
        assert wide.pairs[group_index] == len(blocks)
        assert wide.square[group_index] == sum(size**2 for size in blocks.values())


def test_of_a_hub_the_change_of_the_rate_without_it_counts() -> None:
    """What it adds is the square of that change, times M^2, less the square of its residual sum; of others nothing."""
    rng = np.random.default_rng(8)
    images = np.array([40, *[2] * 40, 6])
    a, b = np.triu_indices(images.size, 1)
    comparisons = images[a] * images[b]
    errors = rng.binomial(comparisons, 0.1)
    total, rate = int(comparisons.sum()), errors.sum() / comparisons.sum()

    def of(values: np.ndarray) -> np.ndarray:
        return np.asarray(np.bincount(a, values, images.size) + np.bincount(b, values, images.size))

    residual, weights = of(errors - rate * comparisons), of(comparisons)
    alone = (a != 0) & (b != 0)
    without = errors[alone].sum() / comparisons[alone].sum()
    share, added = hubs(residual, weights, total)
    assert share == weights[0] / total > 0.4
    assert added == pytest.approx((total * (without - rate)) ** 2 - residual[0] ** 2)
    assert hubs(residual[1:], weights[1:], int(weights[1:].sum() / 2))[0] == 0


def test_few_subjects_of_a_list_are_those_of_most_comparisons_alone() -> None:
    """Probes that meet references; not heavy subjects of a cohort that lacks a pair, nor of pairs drawn at random."""
    probes = np.array([400, 300, 300, *[4] * 250])
    assert few_of_a_list(probes, probes) == pytest.approx(2.9, abs=0.1)
    images = np.array([30, 18, 11, 9, 8, 6, 5, 5, 4, 4, *[2] * 60, *[1] * 100])
    a, b = np.triu_indices(images.size, 1)
    for lost in (1, 2000):  # of the pairs of subjects
        first, second = a[lost:], b[lost:]
        weights = np.bincount(first, images[first] * images[second], images.size)
        weights += np.bincount(second, images[first] * images[second], images.size)
        partners = np.bincount(first, minlength=images.size) + np.bincount(second, minlength=images.size)
        assert few_of_a_list(weights, partners) is None
    heavy = np.array([530, 236, 144, 121, 109, *[8] * 300, *[2] * 1200])
    drawn = np.random.default_rng(2).choice(heavy.size, (2, 30_000), p=heavy / heavy.sum())
    weights = np.bincount(drawn.ravel(), minlength=heavy.size)
    assert few_of_a_list(weights, np.minimum(weights, heavy.size - 1)) is None


@pytest.mark.parametrize(("others", "hub"), [(1, 0.0), (2, 1.0), (60, 1.0)])
def test_whoever_takes_part_in_every_comparison_is_a_hub(others: int, hub: float) -> None:
    """Of more than one other; of two people each takes part in all."""
    assert hubs(np.zeros(others + 1), np.array([others, *[1] * others]), others) == (hub, 0.0)


def test_subjects_with_errors_are_distinct_and_within_the_group() -> None:
    """A subject counts once however often it errs, and only when it is a member."""
    errors = np.array([3, 0, 1, 1])
    assert count_subjects_with_errors(errors) == 3
    assert count_subjects_with_errors(errors, np.array([True, True, False, True])) == 2


def test_one_subject_says_nothing_of_others() -> None:
    """The variance of 8.1 is infinite for one subject, and undefined without comparisons."""
    one = Residuals(
        rate=0.5,
        errors=1,
        trials=2,
        total=2,
        subjects=1,
        subjects_with_errors=1,
        effective_subjects=1.0,
        by_subject=0.0,
    )
    none = Residuals(
        rate=float("nan"),
        errors=0,
        trials=0,
        total=0,
        subjects=0,
        subjects_with_errors=0,
        effective_subjects=0.0,
        by_subject=0.0,
    )
    assert inflated_variance(one) == float("inf")
    assert np.isnan(plugin_variance(none))


def counts(errors: int, subjects_with_errors: int, right: int) -> Residuals:
    """Residuals of 100 comparisons of which so many err."""
    return Residuals(
        rate=errors / 100, errors=errors, trials=100, total=60, subjects=60, effective_subjects=60.0, by_subject=1.0,
        subjects_with_errors=subjects_with_errors, right=right,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("errors", "subjects_with_errors", "right", "few"),
    [
        (30, 10, 60, False), (29, 10, 60, True), (30, 9, 60, True),
        (70, 60, 10, False), (71, 60, 10, True), (70, 60, 9, True),
        (50, 10, 9, False), (50, 9, 10, True),
    ],
)  # fmt: skip
def test_the_rarer_outcome_is_few(errors: int, subjects_with_errors: int, right: int, few: bool) -> None:
    """Below 30 comparisons or 10 subjects; with as many errors as others, the errors count (FORMULAS 8.1)."""
    assert counts(errors, subjects_with_errors, right).few(30, 10) == few
