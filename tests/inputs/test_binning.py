import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.core.spec import Bins
from frtaudit.errors import SpecError
from frtaudit.inputs.binning import by_edges, by_percentiles
from frtaudit.inputs.class_rules import bin_names, check_bins


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True), st.integers(-60, 60))
def test_a_value_lies_in_the_bin_that_says_so(edges: list[int], value: int) -> None:
    """Bin c holds edges[c-1] <= x < edges[c]."""
    cuts = sorted(edges)
    code = int(by_edges(np.array([float(value)]), cuts)[0])
    assert code == 0 or cuts[code - 1] <= value
    assert code == len(cuts) or value < cuts[code]
    assert len(bin_names(Bins(edges=tuple(map(float, cuts))))) == len(cuts) + 1


def test_percentiles_count_subjects_not_samples() -> None:
    """A subject with many samples moves the cut no more than one with a single sample."""
    values = np.array([1.0] * 100 + [2.0, 3.0, 4.0])
    subject_of = np.array([0] * 100 + [1, 2, 3], dtype=np.int32)
    codes = by_percentiles(values, (50,), subject_of, np.zeros(4, dtype=np.int64))
    assert codes.tolist() == [0] * 101 + [1, 1]


def test_percentiles_know_nothing_of_the_unknown() -> None:
    """A missing value and a subject of no group are in no bin, and move no cut."""
    values = np.array([1.0, np.nan, 9.0, 1000.0])
    codes = by_percentiles(values, (50,), np.arange(4, dtype=np.int32), np.array([0, 0, 0, -1]))
    assert codes.tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize(
    "bins",
    [
        Bins(),
        Bins(edges=(1.0,), percentiles=(50.0,)),
        Bins(edges=(2.0, 1.0)),
        Bins(edges=(float("nan"),)),
        Bins(percentiles=(0.0, 50.0)),
        Bins(edges=(1.0,), within="gender"),
    ],
)
def test_bins_that_cannot_be_are_refused(bins: Bins) -> None:
    """Neither or both kinds of cuts, cuts that do not ascend, percentiles out of range, within without percentiles."""
    with pytest.raises(SpecError, match="schemas.age.bins"):
        check_bins(bins, "schemas.age.bins")


def test_cuts_that_are_close_have_names_of_their_own() -> None:
    """Edges of many digits are written out: no two bins share a name."""
    assert bin_names(Bins(edges=(1000000, 1000001))) == ("<1000000", "1000000-1000001", ">=1000001")
