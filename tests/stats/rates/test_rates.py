import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_rates import NEVER, World, lists, matrices, number

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.rates.rates import Rates, _edges_below, curve, rates
from frtaudit.stats.rates.sums import first_not_above, mated_sums
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.tail import from_matrix, no_groups

CASES = sorted((Path(__file__).resolve().parents[2] / "cases").glob("roc_*.json"))
THRESHOLDS = [0.5, NEVER, 0.0, 1.0, 0.2, 0.2, float("inf")]


@given(st.one_of(matrices(), lists()))
def test_rates_equal_counting_one_by_one(drawn: tuple[World, ScoreTail]) -> None:
    """All six rates of every group equal exact fractions over single comparisons."""
    world, tail = drawn
    found = rates(tail, world.groups, THRESHOLDS)
    for name in ("fmr", "far", "fnmr", "frr", "frr_bar", "fnmr_bar"):
        expected = [
            [number(getattr(world, name)(t, group_index)) for group_index in world.group_indices]
            for t in THRESHOLDS
        ]
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-12, atol=1e-15, err_msg=name)


@given(matrices())
def test_rates_are_monotone(drawn: tuple[World, ScoreTail]) -> None:
    """As the threshold rises, non-mated rates never rise and mated rates never fall."""
    world, tail = drawn
    found = rates(tail, world.groups, np.linspace(-0.1, 1.1, 30))
    for name, sign in (("fmr", -1), ("far", -1), ("fnmr", 1), ("frr", 1), ("frr_bar", 1), ("fnmr_bar", 1)):
        steps = sign * np.diff(getattr(found, name), axis=0)
        assert np.all(np.isnan(steps) | (steps >= -1e-12)), name


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 1000))
def test_balanced_sets_weigh_alike(subjects: int, samples: int, seed: int) -> None:
    """With equal numbers of samples pooled and identity-weighted rates agree (FORMULAS 1)."""
    size = subjects * samples
    scores = np.random.default_rng(seed).random((size, size)).round(1)
    tail = from_matrix(scores, [f"{k}" for k in np.repeat(np.arange(subjects), samples)])
    found = rates(tail, no_groups(tail), [0.3, 0.5])
    np.testing.assert_allclose(found.fmr, found.far)
    np.testing.assert_allclose(found.fnmr, found.frr)
    np.testing.assert_allclose(found.frr_bar, (1 - 1 / samples) * found.frr)


@given(matrices(), st.randoms(use_true_random=False))
def test_order_of_samples_does_not_matter(drawn: tuple[World, ScoreTail], random: Any) -> None:
    """Rates do not change when the samples come in another order."""
    world, tail = drawn
    size = tail.rows.size
    scores = np.zeros((size, size))
    for i, j, score in world.pairs:
        scores[i, j] = scores[j, i] = score
    order = list(range(size))
    random.shuffle(order)
    ids = np.array([f"subject{k}" for k in world.subject_of])[order]
    moved = from_matrix(scores[np.ix_(order, order)], ids, cells=tail.cells, score_range=(0, 1))
    for name in ("fmr", "far", "fnmr", "frr", "frr_bar", "fnmr_bar"):
        first, second = (getattr(rates(each, world.groups, [0.3, 0.6]), name) for each in (tail, moved))
        np.testing.assert_allclose(first, second, rtol=1e-12)


@given(matrices())
def test_rising_transformations_keep_the_rates(drawn: tuple[World, ScoreTail]) -> None:
    """Scores and thresholds mapped by a strictly increasing function give the same rates."""
    world, tail = drawn
    mapped = replace(
        tail, mated_score=np.exp(tail.mated_score), tail_score=np.exp(tail.tail_score), score_range=(1, 3)
    )
    first = rates(tail, world.groups, [0.2, 0.7])
    second = rates(mapped, world.groups, np.exp([0.2, 0.7]))
    for name in ("fmr", "far", "fnmr", "frr"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@given(st.one_of(matrices(), lists()), st.sampled_from([2, 7, 400]), st.sampled_from([NEVER, 0.35]))
def test_curve_holds_exact_counts(drawn: tuple[World, ScoreTail], num: int, floor: float) -> None:
    """At every threshold of a curve the counts are those of single comparisons, above and below the floor."""
    world, whole = drawn
    keep = first_not_above(whole.tail_score, floor)
    tail = replace(
        whole, tail_i=whole.tail_i[:keep], tail_j=whole.tail_j[:keep], tail_score=whole.tail_score[:keep],
        cutoff=floor,
    )  # fmt: skip
    for group_index in world.group_indices:
        found = curve(tail, world.groups, group_index, num)
        mated = [s for own in world.mated(group_index).values() for s in own]
        non_mated = [s for own in world.blocks(group_index).values() for s in own]
        assert (found.n_mated, found.n_non_mated) == (len(mated), len(non_mated))
        assert found.false_matches.tolist() == [sum(s > t for s in non_mated) for t in found.thresholds]
        assert found.false_non_matches.tolist() == [sum(s <= t for s in mated) for t in found.thresholds]


def test_a_curve_of_few_scores_has_them_all() -> None:
    """Every score above the floor is a threshold: the highest of both kinds too."""
    matrix = [[1, 0.9, 0.2, 0.4], [0.9, 1, 0.3, 0.5], [0.2, 0.3, 1, 0.95], [0.4, 0.5, 0.95, 1]]
    tail = from_matrix(matrix, ["a", "a", "b", "b"])
    found = curve(tail, no_groups(tail), num=400)
    assert found.thresholds.tolist() == [0.2, 0.3, 0.4, 0.5, 0.9, 0.95]


def test_rates_cannot_be_changed() -> None:
    """Every array is read-only."""
    tail = from_matrix([[1, 0.9, 0.2], [0.9, 1, 0.3], [0.2, 0.3, 1]], ["a", "a", "b"])
    found = rates(tail, no_groups(tail), [0.5])
    arrays = [found.fmr, found.far, found.fnmr, found.frr, found.frr_bar, found.fnmr_bar, found.false_matches]
    assert not any(array.flags.writeable for array in (*arrays, found.false_non_matches))


def test_edges_below_the_floor_are_those_with_a_score_beside_them() -> None:
    """The edge at the floor counts, and one score is enough; outer edges are none."""
    tail = SimpleNamespace(
        edges=np.arange(6.0),
        histogram=np.array([1, 0, 0, 1, 0]),
        mated_histogram=np.zeros(5, dtype=np.int64),
        cutoff=3.0,
    )
    assert _edges_below(tail, 9).tolist() == [1.0, 3.0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("non_mated", "mated", "num", "edges"),
    [
        ([1, 0, 0, 0, 1], [0] * 5, 9, [1.0, 4.0]),  # the last inner edge counts, the outer ones do not
        ([0] * 5, [0, 1, 0, 0, 0], 9, [1.0, 2.0]),
        ([1] * 5, [0] * 5, 2, [1.0, 3.0]),  # every second of four
        ([1] * 5, [0] * 5, 0, [1.0]),
    ],
)
def test_edges_below_the_floor_are_thinned(
    non_mated: list[int], mated: list[int], num: int, edges: list[float]
) -> None:
    """Scores of either kind beside an edge make it one, and about ``num`` are taken at even steps."""
    tail = SimpleNamespace(
        edges=np.arange(6.0), histogram=np.array(non_mated), mated_histogram=np.array(mated), cutoff=5.0
    )
    assert _edges_below(tail, num).tolist() == edges  # type: ignore[arg-type]


def test_curve_reaches_below_the_floor_by_the_histogram() -> None:
    """Everybody's curve goes on below the floor along the edges of the histogram; a group's ends there."""
    rng = np.random.default_rng(3)
    whole = from_matrix(rng.random((40, 40)), [f"{k:02d}" for k in range(40)], score_range=(0, 1))
    keep = first_not_above(whole.tail_score, 0.5)
    tail = replace(
        whole,
        tail_i=whole.tail_i[:keep],
        tail_j=whole.tail_j[:keep],
        tail_score=whole.tail_score[:keep],
        cutoff=0.5,
    )
    groups = Groups(schemas=("s",), names=(("s", "g"),), of=np.zeros((1, 40), dtype=np.int32), ranked=(True,))
    assert curve(tail, groups).thresholds[0] < 0.1
    assert curve(tail, groups, 1).thresholds[0] > 0.5


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_published_rates(path: Path) -> None:
    """Rates of the roc cases at their thresholds come out, in both weightings, per subject and group."""
    case = json.loads(path.read_text())
    tail, groups, subjects, classes = _of_case(case["input"])
    for row in case["expected"]["at_thresholds"]:
        found = rates(tail, groups, [row["t"]])
        mated = mated_sums(tail, groups, [row["t"]])
        for name, field in _FIELDS.items():
            _same(getattr(found, field)[0, 0], row[name])
        grouped = {
            "FRR": row["group_FRR"],
            "FRRbar": row["group_FRRbar"],
            "FAR_within": row["group_FAR_within"],
        }
        _same_groups(found, grouped, classes)
        for subject, value in row["frr_by_identity"].items():
            k = subjects.index(subject)
            _same(mated.subject_errors[0, k] / mated.subject_pairs[k], value)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_published_thresholds(path: Path) -> None:
    """Thresholds of the roc cases at their FAR targets, and the rates there, come out in both weightings."""
    case = json.loads(path.read_text())
    tail, groups, _, classes = _of_case(case["input"])
    for row in case["expected"]["at_far"]:
        for weighting, there, names in _at_target(row):
            threshold = threshold_at(tail, groups, row["far"], weighting)
            _same(threshold, there["t_a"])
            found = rates(tail, groups, [threshold])
            for name, field in names.items():
                _same(getattr(found, field)[0, 0], there[name])
            if weighting is Weighting.IDENTITY:
                _same_groups(found, row["group_rates"], classes)


def _same_groups(found: Rates, expected: dict[str, Any], classes: list[str]) -> None:
    for name, field in (("FRR", "frr"), ("FRRbar", "frr_bar"), ("FAR_within", "far")):
        for group, value in expected[name].items():
            _same(getattr(found, field)[0, classes.index(group) + 1], value)


_FIELDS = {"FRR_n": "frr", "FRRbar_n": "frr_bar", "FAR_n": "far", "FNMR": "fnmr", "FMR": "fmr"}


def _at_target(row: dict[str, Any]) -> list[tuple[Weighting, dict[str, Any], dict[str, str]]]:
    return [
        (Weighting.IDENTITY, row, {"FAR_n(t_a)": "far", "ROC_n": "frr", "ROCbar_n": "frr_bar"}),
        (Weighting.POOLED, row["pooled"], {"FMR(t_a)": "fmr", "FNMR(t_a)": "fnmr"}),
    ]


def _of_case(given: dict[str, Any]) -> tuple[ScoreTail, Groups, list[str], list[str]]:
    subjects, classes = sorted(set(given["ids"])), sorted(set(given["groups"].values()))
    groups = Groups(
        schemas=("g",),
        names=tuple(("g", name) for name in classes),
        of=np.array([[classes.index(given["groups"][subject]) for subject in subjects]], dtype=np.int32),
        ranked=(True,) * len(classes),
    )
    return from_matrix(given["scores"], given["ids"]), groups, subjects, classes


def _same(got: float, expected: Any) -> None:
    value = float(expected["float"] if isinstance(expected, dict) else expected)
    assert got == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)
