from typing import Any

import numpy as np
import pytest

from frtaudit.core import Comparisons, NonMated
from frtaudit.core.comparisons import chosen

EMPTY = np.empty(0, np.int32)


def listed(**changes: Any) -> Comparisons:
    fields = {
        "all_pairs": False,
        "probe": np.int32([0, 1]),
        "reference": np.int32([1, 2]),
        "mated": np.array([True, False]),
        "cells": np.zeros(2, np.int32),
    }
    return Comparisons(**{**fields, **changes})


def test_listed_comparisons_are_counted() -> None:
    """The number of listed comparisons, and 0 for all pairs, which are implied."""
    implied = listed(all_pairs=True, probe=EMPTY, reference=EMPTY, mated=np.empty(0, bool))
    assert (listed().n_listed, implied.n_listed) == (2, 0)
    assert not listed().ordered
    assert listed().fold is None


def test_arrays_are_read_only() -> None:
    """Nothing in the comparisons can be written, folds included."""
    made = listed(fold=np.int16([0, 1]))
    for array in (made.probe, made.reference, made.mated, made.cells, made.fold):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1  # type: ignore[index]  # the fold is there


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"reference": np.int32([1])}, "equal lengths"),
        ({"mated": np.array([True])}, "equal lengths"),
        ({"reference": np.int32([1, 1])}, "no self-comparison"),
        ({"all_pairs": True}, "all pairs are implied"),
        ({"fold": np.int16([0])}, "one fold per pair"),
    ],
)
def test_broken_comparisons_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        listed(**changes)


def test_the_spec_names_three_kinds_of_non_mated() -> None:
    """The words of the spec are all, within_group and yoked."""
    assert [kind.value for kind in NonMated] == ["all", "within_group", "yoked"]


def test_some_of_the_listed_comparisons_keep_what_they_have() -> None:
    """Flagged or numbered: fold and transaction of each come along, and none where there are none."""
    made = listed(fold=np.int16([0, 1]), transaction=np.int32([4, 5]))
    for rows in (np.array([False, True]), np.array([1])):
        one = chosen(made, rows)
        assert (one.probe.tolist(), one.reference.tolist(), one.mated.tolist()) == ([1], [2], [False])
        assert one.fold is not None
        assert one.transaction is not None
        assert (one.fold.tolist(), one.transaction.tolist()) == ([1], [5])
        assert (chosen(listed(), rows).fold, chosen(listed(), rows).transaction) == (None, None)
        assert one.cells.tolist() == made.cells.tolist()
