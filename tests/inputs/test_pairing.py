import numpy as np
import oracles_data
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.arrays import Index
from frtaudit.core.cohort import Cohort
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import NonMated
from frtaudit.errors import SpecError
from frtaudit.inputs.pairing import align, both_orders, cells_of, listed_comparisons, occurrence, pair_keys
from frtaudit.inputs.roster import Roster, enrol

KEYS = st.lists(st.integers(0, 4), max_size=12)


def cohort() -> Cohort:
    """Five subjects of one sample, gender f f m m unknown, race x y x x y."""
    columns = {"g": ["f", "f", "m", "m", ""], "r": ["x", "y", "x", "x", "y"]}
    names = list("abcde")
    texts = {name: np.array(values, dtype=object) for name, values in columns.items()}
    roster = Roster(sample_ids=names, subjects=names, columns=texts, places=names)
    return enrol(roster, {"g": SchemaSpec(column="g"), "r": SchemaSpec(column="r")})


def test_cells_follow_the_rule() -> None:
    """All: one cell; within a group: the schema's classes; yoked: those of every schema; unknown: none."""
    assert cells_of(cohort(), NonMated.ALL, None).tolist() == [0] * 5
    assert cells_of(cohort(), NonMated.WITHIN_GROUP, None).tolist() == [0, 0, 1, 1, -1]
    assert cells_of(cohort(), NonMated.WITHIN_GROUP, "r").tolist() == [0, 1, 0, 0, 1]
    yoked = cells_of(cohort(), NonMated.YOKED, None).tolist()
    assert yoked[4] == -1
    assert yoked[2] == yoked[3]
    assert len(set(yoked)) == 4


def test_groups_need_a_schema() -> None:
    """Within a group of no schema is a usage error that lists the schemas."""
    with pytest.raises(SpecError, match="no schema 'age'; accepted: g, r"):
        cells_of(cohort(), NonMated.WITHIN_GROUP, "age")
    names = ["a", "b"]
    bare = enrol(Roster(sample_ids=names, subjects=names, columns={}, places=names), {})
    with pytest.raises(SpecError, match="non_mated=yoked without a schema"):
        cells_of(bare, NonMated.YOKED, None)


def test_listed_non_mated_comparisons_stay_within_cells() -> None:
    """Only pairs within one cell are compared; a subject of no cell has none; folds go along."""
    probe, reference = np.int32([0, 0, 2, 4]), np.int32([1, 2, 3, 0])
    cells = cells_of(cohort(), NonMated.WITHIN_GROUP, "g")
    found = listed_comparisons(cohort(), probe, reference, cells, fold=np.int16([0, 1, 2, 3]))
    assert list(zip(found.probe.tolist(), found.reference.tolist(), found.fold.tolist(), strict=True)) == [
        (0, 1, 0),
        (2, 3, 2),
    ]


@pytest.mark.parametrize(
    ("changed", "lengths"),
    [
        ({"reference": np.int32([1])}, "2 probe, 1 reference"),
        ({"fold": np.int16([0])}, "2 probe, 2 reference, 1 fold"),
        ({"transaction": np.int32([0, 0, 1])}, "2 probe, 2 reference, 3 transaction"),
        ({"cells": np.int32([0, 0])}, "2 cells of 5 subjects"),
    ],
)
def test_other_lengths_are_refused(changed: dict[str, Index], lengths: str) -> None:
    """One line that says how long each is."""
    usual = {"probe": np.int32([0, 0]), "reference": np.int32([1, 2]), "cells": np.zeros(5, np.int32)}
    with pytest.raises(ValueError, match=f"^lengths differ: {lengths}$"):
        listed_comparisons(cohort(), **{**usual, **changed})


@given(KEYS, KEYS)
def test_align_agrees_with_taking_one_by_one(wanted: list[int], have: list[int]) -> None:
    """Equal keys are matched in order of their occurrence, each line once."""
    found = align(np.array(wanted, dtype=np.int64), np.array(have, dtype=np.int64)).tolist()
    assert found == oracles_data.aligned(wanted, have)


@given(KEYS)
def test_occurrence_counts_what_came_before(keys: list[int]) -> None:
    """The occurrence of a key is how often it stood earlier."""
    assert occurrence(np.array(keys, dtype=np.int64)).tolist() == [
        keys[:i].count(key) for i, key in enumerate(keys)
    ]


def test_orders_of_a_pair() -> None:
    """Keys forget the order only when asked to; both orders are found where they stand."""
    probe, reference = np.int32([1, 2, 3]), np.int32([2, 1, 4])
    assert len(set(pair_keys(probe, reference, ordered=False).tolist())) == 2
    assert len(set(pair_keys(probe, reference, ordered=True).tolist())) == 3
    assert both_orders(probe, reference)
    assert not both_orders(probe[1:], reference[1:])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8))
def test_a_pair_in_both_orders_is_found_as_a_search_of_all_lines_finds_it(
    pairs: list[tuple[int, int]],
) -> None:
    """Whether some line stands in the list the other way round too."""
    lines = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    assert both_orders(lines[:, 0], lines[:, 1]) == any((b, a) in pairs for a, b in pairs)
