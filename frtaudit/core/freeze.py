"""Frozen arrays and checked invariants: what every core type does at birth."""

from dataclasses import replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def freeze(value: object, *fields: str) -> None:
    """Make the named array fields of a frozen dataclass read-only (a view is taken, not a copy)."""
    import numpy as np  # a spec is read without

    for name in fields:
        array = getattr(value, name)
        if array is None:
            continue
        view = np.asarray(array).view()
        view.flags.writeable = False
        object.__setattr__(value, name, view)


class FrozenArrays:
    """A frozen dataclass with slots whose arrays are read-only, each of them."""

    __slots__: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        import numpy as np  # as above

        freeze(self, *(name for name in self.__slots__ if isinstance(getattr(self, name), np.ndarray)))


class FrozenRows(FrozenArrays):
    """A frozen dataclass with slots whose arrays all have the same rows."""

    __slots__: tuple[str, ...] = ()

    def at_rows(self, rows: "npt.NDArray[np.integer | np.bool_]") -> Self:
        """The same with the rows of every array that are numbered or flagged."""
        import numpy as np

        arrays = {name: getattr(self, name) for name in self.__slots__}
        picked = {name: array[rows] for name, array in arrays.items() if isinstance(array, np.ndarray)}
        return replace(self, **picked)  # type: ignore[type-var]  # of a subclass, which is a dataclass


def require(holds: bool, invariant: str) -> None:  # noqa: FBT001  what is required is a truth value
    """Raise ``ValueError`` naming the invariant that does not hold."""
    if not holds:
        raise ValueError(f"broken invariant: {invariant}")
