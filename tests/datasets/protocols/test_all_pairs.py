import numpy as np
import pytest

from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import NonMated
from frtaudit.datasets.cohorts.synthetic import Synthetic, SyntheticClass
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.errors import SpecError

COHORT = Synthetic(subjects=4, classes={"a": SyntheticClass(), "b": SyntheticClass()})


def test_all_pairs_are_implied() -> None:
    """Nothing is listed; every subject is in one cell."""
    found = AllPairs().comparisons(COHORT.load({}, 0))
    assert found.all_pairs
    assert found.n_listed == 0
    assert found.cells.tolist() == [0, 0, 0, 0]


def test_non_mated_can_stay_within_groups() -> None:
    """The classes of a schema are the cells; without a schema the rule is refused."""
    cohort_data = COHORT.load({"g": SchemaSpec(column="group")}, 0)
    cells = AllPairs(non_mated=NonMated.WITHIN_GROUP, within="g").comparisons(cohort_data).cells
    assert np.array_equal(cells, [0, 0, 1, 1])
    with pytest.raises(SpecError, match="protocol.within"):
        AllPairs(non_mated=NonMated.YOKED).comparisons(COHORT.load({}, 0))
