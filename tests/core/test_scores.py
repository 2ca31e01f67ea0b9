"""Tests also arrays, the types of which scores are made."""

from typing import Any

import numpy as np
import pytest

from frtaudit.core import Blocks, Groups, NonMatedSums, ScoreTable, ScoreTail


def tail(**changes: Any) -> ScoreTail:
    """Subjects with two, one and one samples; tail above 0.5."""
    fields = {
        "n_samples": np.int64([2, 1, 1]),
        "subject_of": np.int32([0, 0, 1, 2]),
        "rows": np.int32([0, 1, 2, 3]),
        "mated_i": np.int32([0]),
        "mated_j": np.int32([1]),
        "mated_score": np.float32([0.9]),
        "tail_i": np.int32([0, 1]),
        "tail_j": np.int32([2, 3]),
        "tail_score": np.float32([0.8, 0.6]),
        "cutoff": 0.5,
        "edges": np.array([0.0, 0.5, 1.0]),
        "histogram": np.int64([3, 2]),
        "mated_histogram": np.int64([0, 1]),
        "cells": np.int32([0, 0, 0]),
        "score_range": (0.0, 1.0),
    }
    return ScoreTail(**{**fields, **changes})


def test_a_tail_is_read_only() -> None:
    """No array of a tail can be written."""
    made = tail()
    arrays = [value for name in made.__slots__ if isinstance(value := getattr(made, name), np.ndarray)]
    assert len(arrays) == 14
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mated_score": np.float32([0.9, 0.8])}, "mated scores ascend"),
        ({"tail_score": np.float32([0.6, 0.8])}, "tail scores descend"),
        ({"cutoff": 0.6, "tail_score": np.array([0.8, 0.6])}, "the tail lies above its floor"),
        ({"n_samples": np.int64([1, 1, 1])}, "n_samples add up"),
        ({"histogram": np.int64([2, 3])}, "tail counts equal the histogram"),
        ({"histogram": np.int64([0, 1])}, "the tail is part of the histogram"),
    ],
)
def test_broken_tails_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of a tail is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        tail(**changes)


def test_an_empty_tail_is_a_tail() -> None:
    """A tail without non-mated scores has no floor to lie above."""
    none = np.empty(0, np.int32)
    made = tail(tail_i=none, tail_j=none, tail_score=np.empty(0, np.float32), histogram=np.int64([0, 0]))
    assert made.tail_score.size == 0


@pytest.mark.parametrize(
    ("score", "failure", "codes", "said"),
    [
        ([0.5], [-1, -1], (), "one failure code per score"),
        ([0.5], [0], ("x",), "a finite score xor a failure"),
        ([np.nan], [-1], ("x",), "a finite score xor a failure"),
        ([np.inf], [-1], (), "a finite score xor a failure"),
        ([np.nan], [1], ("x",), "failure codes are named"),
    ],
)
def test_broken_tables_are_refused(
    score: list[float], failure: list[int], codes: tuple[str, ...], said: str
) -> None:
    """A listed comparison has a finite score xor a named failure."""
    with pytest.raises(ValueError, match=said):
        ScoreTable(score=np.array(score), failure=np.array(failure, dtype=np.int16), codes=codes)


def test_a_table_is_read_only() -> None:
    """Scores and failures cannot be written."""
    table = ScoreTable(score=np.array([0.5, np.nan]), failure=np.int16([-1, 0]), codes=("no_face",))
    for array in (table.score, table.failure):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("k", "l", "count", "said"),
    [
        ([0], [1, 2], [1], "equal lengths"),
        ([1], [1], [1], "k < l"),
        ([0], [1], [0], "no empty block"),
    ],
)
def test_broken_blocks_are_refused(k: list[int], l: list[int], count: list[int], said: str) -> None:  # noqa: E741
    """Blocks are unordered pairs of different subjects with at least one comparison."""
    with pytest.raises(ValueError, match=said):
        Blocks(k=np.int32(k), l=np.int32(l), count=np.int64(count))


def test_groups_have_one_row_per_schema_and_one_flag_per_group() -> None:
    """The shape of groups is checked at birth; the array is read-only."""
    fields: dict[str, Any] = {
        "schemas": ("s",),
        "names": (("s", "a"),),
        "of": np.int32([[0, -1]]),
        "ranked": (True,),
    }
    with pytest.raises(ValueError, match="read-only"):
        Groups(**fields).of[0, 0] = 1
    with pytest.raises(ValueError, match="one row per schema"):
        Groups(**{**fields, "of": np.int32([0, -1])})
    with pytest.raises(ValueError, match="one row per schema"):
        Groups(**{**fields, "schemas": ("s", "t")})
    with pytest.raises(ValueError, match="one rank flag per group"):
        Groups(**{**fields, "ranked": ()})


def test_sums_below_the_floor_are_read_only() -> None:
    """No array of the sums can be written."""
    names = (
        "thresholds",
        "errors",
        "far_sum",
        "far_square",
        "error_square",
        "error_cross",
        "subject_errors",
        "subject_far",
    )
    made = NonMatedSums(**{name: np.zeros((1, 1, 1)) for name in names})
    for name in names:
        with pytest.raises(ValueError, match="read-only"):
            getattr(made, name)[0] = 1
