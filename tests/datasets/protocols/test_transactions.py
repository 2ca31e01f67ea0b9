"""Transactions composed of samples: which comparisons, in which order, of whom."""

from pathlib import Path

import numpy as np
import pytest
from composed_faces import FACES, folder

from frtaudit.core.cohort import CohortData
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import NonMated
from frtaudit.datasets.protocols.transactions import ComposedTransactions
from frtaudit.errors import DataError, SpecError

GROUP = {"group": SchemaSpec(column="group", classes=("x", "y"))}


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory) -> CohortData:
    """Three people with five images each."""
    return folder(tmp_path_factory.mktemp("faces") / "all").load(GROUP, 0)


def claims(cohort_data: CohortData, made: Comparisons) -> list[tuple[str, ...]]:
    """Each transaction: the reference that it claims, and its attempts."""
    assert made.transaction is not None
    names = np.array(cohort_data.cohort.sample_ids)
    found: dict[int, list[str]] = {}
    for number, probe, reference in zip(made.transaction.tolist(), made.probe, made.reference, strict=True):
        found.setdefault(number, [names[reference]]).append(names[probe])
    return [tuple(one) for one in found.values()]


def test_a_reference_then_attempts(faces: CohortData) -> None:
    """Of five images one is the reference and two are the attempts; each person claims everybody's identity once."""
    made = ComposedTransactions(k=2).comparisons(faces)
    assert claims(faces, made) == [
        (f"{claimed}0", f"{person}1", f"{person}2") for person in "abc" for claimed in "abc"
    ]
    assert made.mated.tolist() == [
        person == claimed for person in "abc" for claimed in "abc" for _ in range(2)
    ]


def test_each_person_makes_several_transactions(faces: CohortData) -> None:
    """Two of two attempts each; a third would want more images."""
    made = ComposedTransactions(k=2, each=3).comparisons(faces)
    assert claims(faces, made)[:4] == [
        ("a0", "a1", "a2"), ("b0", "a1", "a2"), ("c0", "a1", "a2"), ("a0", "a3", "a4"),
    ]  # fmt: skip
    assert made.n_listed == 3 * 2 * 3 * 2


def test_a_column_orders_the_samples(faces: CohortData) -> None:
    """By number, not by text."""
    made = ComposedTransactions(k=1, order="taken").comparisons(faces)
    assert claims(faces, made)[0] == ("a4", "a3")


def test_people_of_other_classes_are_not_claimed(faces: CohortData) -> None:
    """Within a group: c is alone, and claims her own identity only."""
    made = ComposedTransactions(k=4, non_mated=NonMated.WITHIN_GROUP).comparisons(faces)
    assert [one[:2] for one in claims(faces, made)] == [
        ("a0", "a1"), ("b0", "a1"), ("a0", "b1"), ("b0", "b1"), ("c0", "c1"),
    ]  # fmt: skip


def test_people_with_too_few_samples_take_no_part(tmp_path: Path) -> None:
    """Neither as those who claim nor as those who are claimed."""
    some = {**FACES, "d": (0, 1)}
    data = folder(tmp_path / "some", some).load({}, 0)
    made = ComposedTransactions(k=4).comparisons(data)
    assert {name[0] for one in claims(data, made) for name in one} == {"a", "b", "c"}
    with pytest.raises(
        DataError, match=r"^protocol.k: 0 subject\(s\) with a reference and 5 more samples; acc"
    ):
        ComposedTransactions(k=5).comparisons(data)


@pytest.mark.parametrize("key", ["k", "each"])
@pytest.mark.parametrize("number", [0, -1, 1001])
def test_numbers_that_no_transaction_has(key: str, number: int) -> None:
    """None, and more than anybody makes."""
    with pytest.raises(SpecError, match=rf"^protocol.{key}: found {number}; accepted: 1 to 1000$"):
        ComposedTransactions(**{key: number})  # type: ignore[arg-type]  # one key


def test_a_column_that_orders_nothing(faces: CohortData) -> None:
    """Absent, or without a value for each sample."""
    with pytest.raises(DataError, match=r"^protocol.order: no column 'date'; accepted: one of the columns: "):
        ComposedTransactions(order="date").comparisons(faces)
