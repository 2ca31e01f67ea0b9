from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from frtaudit.core.freeze import FrozenArrays, FrozenRows, freeze, require


@dataclass(frozen=True)
class Holder:
    values: npt.NDArray[np.float64] | None
    other: int = 0


def test_named_arrays_become_read_only() -> None:
    """A frozen field cannot be written, and the caller's own array still can; nothing is copied."""
    own = np.zeros(3)
    holder = Holder(own)
    freeze(holder, "values")
    assert holder.values is not None
    with pytest.raises(ValueError, match="read-only"):
        holder.values[0] = 1.0
    own[0] = 2.0
    assert holder.values[0] == 2.0


def test_none_stays_none() -> None:
    """An absent optional array is left alone."""
    holder = Holder(None)
    freeze(holder, "values")
    assert holder.values is None


def test_a_broken_invariant_is_named() -> None:
    """`require` says which invariant does not hold, and is silent when it does."""
    require(True, "never seen")
    with pytest.raises(ValueError, match="^broken invariant: low <= high$"):
        require(False, "low <= high")


@dataclass(frozen=True, slots=True, kw_only=True)
class Every(FrozenArrays):
    values: npt.NDArray[np.float64]
    number: float = 0.5
    other: npt.NDArray[np.float64] | None = None


def test_every_array_of_a_value_becomes_read_only() -> None:
    """`FrozenArrays` freezes each field that is an array, and leaves numbers and None alone."""
    own = np.zeros(3)
    every = Every(values=own, other=own)
    for array in (every.values, every.other):
        assert array is not None
        assert not array.flags.writeable
    assert own.flags.writeable
    assert (every.number, Every(values=own).other) == (0.5, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows(FrozenRows):
    values: npt.NDArray[np.float64]
    number: float = 0.5
    other: npt.NDArray[np.float64] | None = None


def test_rows_are_taken_of_every_array() -> None:
    """`at_rows` takes the same rows, numbered or flagged, of each array; the rest stays, and all of it is frozen."""
    every = Rows(values=np.array([1.0, 2.0, 3.0]), number=2.0)
    for rows in (np.array([2, 0]), np.array([True, False, True])):
        picked = every.at_rows(rows)
        assert picked.values.tolist() == every.values[rows].tolist()
        assert not picked.values.flags.writeable
        assert (picked.number, picked.other) == (2.0, None)
    assert not hasattr(Every(values=every.values), "at_rows")
