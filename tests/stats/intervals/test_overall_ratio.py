"""The ratio of a group's rate to the overall rate, where errors can be counted by hand."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from frtaudit.core.scores import Groups
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.dependence import Residuals
from frtaudit.stats.intervals.overall_ratio import (
    OverallRatio,
    _few,
    _hubs,
    _non_mated,
    _Part,
    _Sums,
    _variance,
    ratio_to_overall,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.wilson import prepare, prepare_mated
from frtaudit.stats.similarity.tail import from_matrix


def ratio(wrong: list[int], group: list[int], index: int = 1, images: int = 2) -> OverallRatio | None:
    """Of people with so many images, whose comparisons all err or none; FNMR."""
    matrix = np.kron(np.diag([0.1 if errs else 0.9 for errs in wrong]), np.ones((images, images)))
    names = sorted(set(group))
    groups = Groups(
        schemas=("g",),
        names=tuple(("g", str(name)) for name in names),
        of=np.array([group], dtype=np.int32),
        ranked=(True,) * len(names),
    )
    tail = from_matrix(matrix, [f"{k:03d}" for k in range(len(wrong)) for _ in range(images)])
    return ratio_to_overall(prepare_mated(tail, groups, [0.5]), "fnmr", 0.5, index, Weighting.POOLED)


def test_no_error_at_all_has_no_ratio() -> None:
    """0 over 0 is nothing."""
    assert ratio([0, 0, 0, 0], [0, 0, 1, 1]) is None


def test_no_error_in_the_group_has_an_upper_bound() -> None:
    """Of 10 independent errors of others none is in a group of half of the people: at most 1 - a^(1/10) of them are."""
    known = ratio([0] * 40 + [1] * 10 + [0] * 30, [0] * 40 + [1] * 40)
    assert known is not None
    assert (known.value, known.errors, known.of, known.bounds.n_eff) == (0.0, 0, 10, 10.0)
    assert known.bounds.low(0.05) == 0.0
    exact = 1 - 0.05**0.1  # Clopper and Pearson
    assert exact * 0.95 < known.bounds.high(0.05) < exact * 1.15  # Student's t of 39 degrees


def test_all_errors_in_the_group_reach_the_largest_ratio() -> None:
    """The ratio is at most 1 / (share of the comparisons), and its upper bound is that."""
    known = ratio([1] * 10 + [0] * 70, [0] * 20 + [1] * 60)
    assert known is not None
    assert known.value == 4.0
    assert known.bounds.high(0.05) / known.weight == 4.0
    assert 2.5 < known.bounds.low(0.05) / known.weight < 4.0


@pytest.mark.compiled
@pytest.mark.parametrize("errors", [(30, 30), (31, 62)])
def test_independent_errors_are_binomial(errors: tuple[int, int]) -> None:
    """The group's share of independent errors, on as many as there are: bounds of FORMULAS 8.1."""
    wrong = [1] * errors[0] + [0] * (200 - errors[0]) + [1] * errors[1] + [0] * (200 - errors[1])
    known = ratio(wrong, [0] * 200 + [1] * 200)
    assert known is not None
    assert known.bounds == RateBounds(rate=errors[0] / sum(errors), n_eff=float(sum(errors)), degrees=199.0)


@pytest.mark.compiled
def test_errors_of_one_subject_count_as_one() -> None:
    """Three comparisons of each, which err together: as many errors as subjects who err."""
    known = ratio([1] * 30 + [0] * 170 + [1] * 30 + [0] * 170, [0] * 200 + [1] * 200, images=3)
    assert known is not None
    assert (known.errors, known.of) == (90, 180)
    assert known.bounds.n_eff == pytest.approx(60, rel=0.2)


@pytest.mark.parametrize(
    ("errors", "of_rest", "deff"), [(30, 30, 1.0), (29, 30, 3.5), (30, 29, 3.5), (29, 29, 3.5)]
)
def test_few_errors_in_the_group_or_in_the_rest_borrow(errors: int, of_rest: int, deff: float) -> None:
    """Fewer than 30 in either: a quarter of the design effect 5 of all, and three quarters of the group's 3."""

    def part(errors: int, trials: int, deff: float) -> _Part:
        residuals = Residuals(
            rate=errors / trials, errors=errors, trials=trials, total=trials, subjects=trials,
            subjects_with_errors=errors, effective_subjects=float(trials), by_subject=1.0,
        )  # fmt: skip
        return cast("_Part", SimpleNamespace(residuals=residuals, ruled=SimpleNamespace(deff=deff)))

    assert _few(0.25, part(errors, 100, 3.0), part(errors + of_rest, 400, 5.0), of_rest) == deff


def test_the_variance_is_that_of_the_ratio_when_each_subject_weighs_a_little_more() -> None:
    """K/(K-1) times the sum of squares of the ratio's derivatives by the weight of each subject, taken numerically."""
    rng = np.random.default_rng(2)
    weights = rng.integers(1, 9, (2, 30)).astype(float)
    weights[0, 12:] = 0.0  # who is not in the group
    errors = np.minimum(rng.integers(0, 4, (2, 30)), weights)
    group, everybody = (
        _Sums(errors=e, weight=w, total=float(e.sum()), whole=float(w.sum()))
        for e, w in zip(errors, weights, strict=True)
    )

    def share(more: np.ndarray) -> float:
        rates = [(e @ more) / (w @ more) * w.sum() for e, w in zip(errors, weights, strict=True)]
        return float(rates[0] / rates[1])

    step = 1e-6
    slopes = [(share(1 + step * row) - share(1 - step * row)) / (2 * step) for row in np.eye(30)]
    expected = 30 / 29 * np.square(slopes).sum()
    assert _variance(group, everybody, share(np.ones(30)), 30) == pytest.approx(expected, rel=1e-6)


def test_a_subject_of_most_comparisons_of_the_group_or_the_rest_counts_as_one() -> None:
    """Its residual is divided by the share of the others, and the subjects of that part are counted by weight."""
    equal, heavy = np.full(30, 3.0), np.array([1653.0, *[3.0] * 29])
    nobody = np.zeros(30)
    for group, rest, place in ((heavy, equal, 0), (equal, heavy, 30)):
        sums = (
            _Sums(errors=weight, weight=weight, total=1.0, whole=float(weight.sum()))
            for weight in (np.concatenate([group, nobody]), np.concatenate([group, rest]))
        )
        grown, subjects = _hubs(*sums)
        assert grown[place] == pytest.approx(20)
        assert np.delete(grown, place).tolist() == [1.0] * 59
        assert subjects == pytest.approx(1740**2 / (1653**2 + 29 * 9))
    both = (
        _Sums(errors=w, weight=w, total=1.0, whole=float(w.sum()))
        for w in (np.concatenate([equal, nobody]), np.concatenate([equal, equal]))
    )
    grown, subjects = _hubs(*both)
    assert (grown.tolist(), subjects) == ([1.0] * 60, float("inf"))


@pytest.mark.parametrize("weighting", list(Weighting))
def test_false_matches_of_a_group_are_those_between_its_subjects(weighting: Weighting) -> None:
    """Sums by subject, of errors and of comparisons, counted pair by pair, are 0 of subjects of other groups."""
    rng = np.random.default_rng(8)
    names, group = np.repeat(np.arange(6), 2), np.array([0, 1, 1, 0, 1, 1])
    scores = rng.random((12, 12))
    tail = from_matrix(np.minimum(scores, scores.T), [str(name) for name in names])
    groups = Groups(
        schemas=("g",), names=(("g", "0"), ("g", "1")), of=group[None].astype(np.int32), ranked=(True, True)
    )
    sums = _non_mated(prepare(tail, groups, [0.2]), 0.2, 2, weighting)
    errors, comparisons = np.zeros((6, 6)), np.zeros((6, 6))
    for a, b in zip(
        *np.nonzero((names[:, None] != names) & (group[names][:, None] * group[names] == 1)), strict=True
    ):
        share = 0.25 if weighting is Weighting.IDENTITY else 1.0
        comparisons[names[a], names[b]] += share
        errors[names[a], names[b]] += share * (min(scores[a, b], scores[b, a]) > 0.2)
    assert sums.errors == pytest.approx(errors.sum(axis=1))
    assert sums.weight == pytest.approx(comparisons.sum(axis=1))
    assert (sums.total, sums.whole) == pytest.approx((errors.sum() / 2, comparisons.sum() / 2))
    assert sums.errors[1] > sums.errors[0] == 0
