from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core import UNKNOWN, Classification, Cohort, CohortData, LedgerEntry, Templates
from frtaudit.core.cohort import ClassCount, Required, Sanitized, Stage
from frtaudit.core.plain.records import to_json


def classification(**changes: Any) -> Classification:
    fields = {"name": "sex", "classes": ("f", "m"), "labels": ("F", "M"), "codes": np.int16([0, 1, -1])}
    return Classification(**{**fields, **changes})


def cohort(**changes: Any) -> Cohort:
    fields = {
        "sample_ids": ("a1", "a2", "b1", "c1"),
        "subject_ids": ("a", "b", "c"),
        "subject_of": np.int32([0, 0, 1, 2]),
        "classifications": {"sex": classification()},
        "digest": "0" * 64,
    }
    return Cohort(**{**fields, **changes})


def test_a_cohort_counts_itself() -> None:
    """N samples and K subjects; ledger and classes as given."""
    entry = LedgerEntry(code="dropped", count=1, unit="subjects")
    made = cohort(ledger=(entry,))
    assert (made.n_samples, made.n_subjects, made.ledger) == (4, 3, (entry,))


def test_arrays_are_read_only() -> None:
    """Nothing in a cohort, a classification or templates can be written."""
    made = cohort()
    templates = Templates(rows=np.int32([0, 2]), vectors=np.ones((2, 3), np.float32))
    for array in (made.subject_of, made.classifications["sex"].codes, templates.rows, templates.vectors):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sample_ids": ("a1", "a1", "b1", "c1")}, "sample ids are unique"),
        ({"subject_ids": ("a", "b", "b")}, "subject ids are unique"),
        ({"subject_of": np.int32([0, 0, 1])}, "one subject per sample"),
        ({"subject_of": np.int32([0, 0, 1, 1])}, "every subject has a sample"),
        ({"subject_of": np.int32([1, 0, 0, 2])}, "samples are sorted by subject"),
        ({"classifications": {"sex": classification(codes=np.int16([0, 1]))}}, "one class per subject"),
    ],
)
def test_broken_cohorts_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of a cohort is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        cohort(**changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": ("F",)}, "one label per class"),
        ({"classes": ("f", "f")}, "class names are unique"),
        ({"classes": ("f", UNKNOWN)}, "unknown is implied"),
        ({"codes": np.int16([0, 2])}, "class codes lie in"),
        ({"codes": np.int16([-2, 0])}, "class codes lie in"),
    ],
)
def test_broken_classifications_are_refused(changes: dict[str, Any], said: str) -> None:
    """Each invariant of a classification is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        classification(**changes)


def test_a_classification_of_nobody_is_possible() -> None:
    """Without subjects there is no code to check."""
    assert classification(codes=np.empty(0, np.int16)).codes.size == 0


@pytest.mark.parametrize(
    ("rows", "shape", "said"),
    [
        ([0, 2], (2,), "vectors are a matrix"),
        ([0], (2, 3), "one row per vector"),
        ([2, 0], (2, 3), "rows ascend"),
    ],
)
def test_broken_templates_are_refused(rows: list[int], shape: tuple[int, ...], said: str) -> None:
    """Each invariant of templates is checked at birth and named."""
    with pytest.raises(ValueError, match=said):
        Templates(rows=np.int32(rows), vectors=np.ones(shape, np.float32))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=8))
def test_any_sorted_roster_is_a_cohort(sizes: list[int]) -> None:
    """Any number of samples per subject from one up makes a cohort with as many of each."""
    subject_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    made = cohort(
        sample_ids=tuple(f"s{i}" for i in range(sum(sizes))),
        subject_ids=tuple(f"k{k}" for k in range(len(sizes))),
        subject_of=subject_of,
        classifications={},
    )
    assert (made.n_samples, made.n_subjects) == (sum(sizes), len(sizes))


def test_material_starts_empty() -> None:
    """A source hands over what it has; the rest is empty, and the cohort stays as it is when replaced."""
    cohort_data = CohortData(cohort=cohort())
    assert (cohort_data.templates, cohort_data.tables, cohort_data.failures, cohort_data.inputs) == (
        {},
        {},
        {},
        {},
    )
    assert cohort_data.pairs is None
    assert replace(cohort_data, pseudonym_key=b"k").cohort is cohort_data.cohort


def test_the_record_as_json() -> None:
    """Every stage with its words, counts and classes; subjects left by required samples."""
    count = ClassCount(schema="tone", group="light", subjects=2, samples=5)
    stage = Stage(step="read", rule="as read", reason="", subjects=2, samples=5, groups=(count,))
    made = to_json(
        Sanitized(
            stages=(stage,), required=(Required(schema="tone", group="light", left=(2, 1)),), counted_at=0
        )
    )
    assert made["stages"] == [
        {
            "step": "read",
            "rule": "as read",
            "reason": "",
            "subjects": 2,
            "samples": 5,
            "groups": [{"schema": "tone", "group": "light", "subjects": 2, "samples": 5}],
        }
    ]
    assert made["required"] == [{"schema": "tone", "group": "light", "left": [2, 1]}]


def test_a_cohort_is_shown_without_a_name() -> None:
    """Errors of plug-ins print what they were given: counts, no id."""
    assert repr(cohort()) == "Cohort(samples=4, subjects=3)"
