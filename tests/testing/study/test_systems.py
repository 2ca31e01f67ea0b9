"""Tests of frtaudit.testing.study.systems."""

import numpy as np
import pytest

from frtaudit.testing.populations import Sampled
from frtaudit.testing.study.systems import cohort_of


@pytest.mark.parametrize(
    ("code", "classes"), [([0, 0, 0], ("a", "b")), ([1, 0, 1], ("a", "b")), ([2, 0, 1], ("a", "b", "c"))]
)
def test_a_schema_has_two_classes_or_more(code: list[int], classes: tuple[str, ...]) -> None:
    """Class b stays where nobody was drawn into it."""
    sampled = Sampled(vectors=np.eye(3), subject_of=np.arange(3))
    schema = cohort_of(sampled, {"group": np.array(code)}).cohort.classifications["group"]
    assert (schema.classes, schema.labels, schema.codes.tolist()) == (classes, classes, code)
