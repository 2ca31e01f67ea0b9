"""Tests of frtaudit.analyses.shared.label_bounds: bounds against every assignment of people to classes.

Tests also failure_counts, influence, class_mixture and class_uncertainty, which tests/analyses (failures, robustness)
walk through; tests/analyses/test_tail_model.py tests model_estimates.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles_robustness import People

from frtaudit.analyses.shared.label_bounds import (
    SchemaCounts,
    curve_range,
    failure_boxes,
    mislabelled_boxes,
    pair_box,
    unknown_boxes,
)
from frtaudit.core.spec import Weighting
from frtaudit.stats.groups.class_counts import class_sums, class_trials
from frtaudit.stats.groups.differentials import RateIndex, rate_index
from frtaudit.stats.groups.group_contrasts import Box
from frtaudit.stats.groups.index_bounds import index_range
from frtaudit.stats.interclass.d_l2 import Space, d_l2
from frtaudit.stats.rates.sums import mated_sums
from frtaudit.stats.similarity.tail import from_matrix, no_groups

SLACK = 1e-12


def counts(people: People, weighting: Weighting, threshold: float | None = None) -> SchemaCounts:
    """The people at a threshold, their own unless one is given."""
    at = people.threshold if threshold is None else threshold
    tail = from_matrix(people.scores, people.ids, score_range=(0.0, 1.0))
    mated = mated_sums(tail, no_groups(tail), [at])
    held = class_trials(tail, people.code, people.classes + 1)
    return SchemaCounts(
        code=people.code,
        n_classes=people.classes,
        weighting=weighting,
        mated_errors=mated.subject_errors[0],
        mated_trials=mated.subject_pairs,
        sums=class_sums(tail, at, held),
        n_samples=tail.n_samples,
        complete=True,
    )


def truths(people: People, codes: list[np.ndarray], rate: str, weighting: Weighting) -> np.ndarray:
    """Rates of the classes under each labelling, shape (labellings, C)."""
    return np.array(
        [
            [people.rates(people.of_class(code, c))[rate, weighting.value] for c in range(people.classes)]
            for code in codes
        ]
    )


@settings(max_examples=25)
@pytest.mark.parametrize("weighting", list(Weighting))
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 3))
def test_bounds_for_unknown_hold_every_assignment(weighting: Weighting, seed: int, classes: int) -> None:
    """FNMR's ends are those of the assignments, FMR's contain them, and so do the ranges of every index."""
    people = People(seed, subjects=6 + classes, classes=classes, unknown=2)
    boxes = unknown_boxes(counts(people, weighting))
    codes = list(people.assignments())
    for rate in ("fnmr", "fmr"):
        slow = truths(people, codes, rate, weighting)
        low, high = np.nanmin(slow, axis=0), np.nanmax(slow, axis=0)
        assert np.all(boxes[rate].low <= low + SLACK)
        assert np.all(boxes[rate].high >= high - SLACK)
        if rate == "fnmr":
            assert boxes[rate].low == pytest.approx(low)
            assert boxes[rate].high == pytest.approx(high)
        for kind in RateIndex:
            index = np.asarray(rate_index(kind, slow))
            known = index[~np.isnan(index)]
            found = index_range(kind, boxes[rate].low, boxes[rate].high)
            if known.size and found is not None:
                assert found[0] <= known.min() + SLACK
                assert found[1] >= known.max() - SLACK


def test_bounds_for_one_unknown_are_exact() -> None:
    """With a single unknown subject nothing is relaxed: FMR's ends are those of the assignments too."""
    for seed in range(20):
        people = People(seed, unknown=1)
        for weighting in Weighting:
            slow = truths(people, list(people.assignments()), "fmr", weighting)
            box = unknown_boxes(counts(people, weighting))["fmr"]
            assert box.low == pytest.approx(slow.min(axis=0))
            assert box.high == pytest.approx(slow.max(axis=0))


@settings(max_examples=15)
@pytest.mark.parametrize("weighting", list(Weighting))
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 3), share=st.sampled_from([0.2, 0.34]))
def test_bounds_for_wrong_labels_hold_every_relabelling(
    weighting: Weighting, seed: int, classes: int, share: float
) -> None:
    """Whoever is mislabelled, up to the declared share of each class, the true rates lie within the bounds."""
    people = People(seed, subjects=6, classes=classes, unknown=0)
    shares = np.full(classes, share)
    limits = np.floor(shares * np.bincount(people.code, minlength=classes) + 1e-9).astype(int)
    codes = list(people.relabelled(limits))
    boxes = mislabelled_boxes(counts(people, weighting), shares)
    for rate in ("fnmr", "fmr"):
        slow = truths(people, codes, rate, weighting)
        assert np.all(boxes[rate].low <= np.nanmin(slow, axis=0) + SLACK)
        assert np.all(boxes[rate].high >= np.nanmax(slow, axis=0) - SLACK)
        if rate == "fnmr" and limits.any() and classes == 2:
            assert boxes[rate].low == pytest.approx(np.nanmin(slow, axis=0))
            assert boxes[rate].high == pytest.approx(np.nanmax(slow, axis=0))


def test_no_wrong_label_is_a_point() -> None:
    """A share too small for one subject moves nothing."""
    people = People(3, unknown=0)
    boxes = mislabelled_boxes(counts(people, Weighting.POOLED), np.full(2, 0.1))
    for box in boxes.values():
        assert box.low == pytest.approx(box.high)


def test_failures_are_right_or_wrong() -> None:
    """Both ends by hand; a class without any comparison is not known."""
    box = failure_boxes({"fmr": (np.array([2, 0]), np.array([6, 0]), np.array([2, 0]))})["fmr"]
    assert box.low[0] == 0.25
    assert box.high[0] == 0.5
    assert np.isnan(box.low[1])


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_bounds_for_pairs_in_folds_hold_every_assignment(seed: int) -> None:
    """Shares of wrong pairs, mated and non-mated together, under every assignment; exact with one unknown subject."""
    people = People(seed, unknown=1 + seed % 2)
    rng = np.random.default_rng(seed)
    pairs = np.array([(a, b) for a, b, _ in people.pairs()])[rng.random(sum(1 for _ in people.pairs())) < 0.5]
    wrong = rng.random(len(pairs)) < 0.3
    box = pair_box(pairs[:, 0], pairs[:, 1], wrong, people.code, 2)
    slow = []
    for code in people.assignments():
        inside = [(code[pairs] == c).all(axis=1) for c in range(2)]
        slow.append([wrong[part].mean() if part.any() else np.nan for part in inside])
    low, high = np.nanmin(slow, axis=0), np.nanmax(slow, axis=0)
    assert np.all(box.low <= low + SLACK)
    assert np.all(box.high >= high - SLACK)
    if seed % 2 == 0:
        assert box.low == pytest.approx(low)
        assert box.high == pytest.approx(high)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), step=st.integers(1, 3))
def test_bounds_of_d_l2_hold_every_assignment(seed: int, step: int) -> None:
    """The largest d_l2 in both spaces, under every assignment of two unknown people, on a fine or coarse grid."""
    people = People(seed, subjects=8, unknown=2)
    grid = np.unique([score for a, b, score in people.pairs() if a == b])[::step]

    def rates(place: int) -> Box:
        return unknown_boxes(counts(people, Weighting.POOLED, float(grid[place])))["fnmr"]

    found = curve_range(rates, grid, (0.0, 1.0))
    assert found is not None
    for code in people.assignments():
        scores = [np.array([s for a, b, s in people.pairs() if a == b and code[a] == c]) for c in range(2)]
        for space in Space:
            value = float(d_l2(scores, (0.0, 1.0), space).max())
            assert found[space.value][0] <= value + 1e-9
            assert found[space.value][1] >= value - 1e-9


def test_bounds_of_d_l2_close_where_all_is_known() -> None:
    """Without unknown people, on every score, both ends lie within a step of the grid of the distance itself."""
    people = People(11, subjects=8, unknown=0)
    grid = np.unique([score for a, b, score in people.pairs() if a == b])

    def rates(place: int) -> Box:
        return unknown_boxes(counts(people, Weighting.POOLED, float(grid[place])))["fnmr"]

    found = curve_range(rates, grid, (0.0, 1.0))
    assert found is not None
    scores = [np.array([s for a, b, s in people.pairs() if a == b and people.code[a] == c]) for c in range(2)]
    value = float(d_l2(scores, (0.0, 1.0)).max())
    assert found["quantile"][0] <= value <= found["quantile"][1]
    assert found["quantile"][1] - found["quantile"][0] < 25


def test_a_class_without_comparisons_has_no_d_l2() -> None:
    """Where FNMR of a class is not known, its curve is not either."""
    box = Box(low=np.array([np.nan, 0.1]), high=np.array([np.nan, 0.1]), critical=0.0)
    assert curve_range(lambda _: box, np.array([0.5]), (0.0, 1.0)) is None
