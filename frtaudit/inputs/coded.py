"""Columns of texts that repeat: each text once, and a number for each row, so that ten million rows stay numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Index, Ints, Positions, Texts

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coded:
    """R texts: ``names[code[r]]``, or the empty text where ``code[r]`` is -1.

    ``code``: shape (R,), int32; ``names``: shape (N,), unique texts, none of them empty.

    >>> column = coded_of(np.array(["b", "", "a", "b"], dtype=object))
    >>> column.code.tolist(), column.names.tolist(), column.texts().tolist()
    ([0, -1, 1, 0], ['b', 'a'], ['b', '', 'a', 'b'])
    """

    code: Index
    names: Texts

    def texts(self) -> Texts:
        """The texts themselves, shape (R,), object of str."""
        return self.mapped(self.names, "")

    def text(self, row: int) -> str:
        """One of them."""
        code = int(self.code[row])
        return str(self.names[code]) if code >= 0 else ""

    def mapped(self, values: npt.NDArray[T], empty: object) -> npt.NDArray[T]:
        """For each row the value of its name, shape (R,); ``values``: shape (N,); ``empty``: of an empty text."""
        return np.append(values, np.array([empty], dtype=values.dtype))[self.code]

    def indices(self, index: Mapping[str, int]) -> Index:
        """The number of each row's name, shape (R,), -1 for a name without one."""
        return self.mapped(
            np.array([index.get(name, -1) for name in self.names.tolist()], dtype=np.int32), -1
        )

    def at(self, rows: Ints | Positions | Flags | slice) -> "Coded":
        """Some of the rows."""
        return Coded(code=self.code[rows], names=self.names)

    def used(self) -> "Coded":
        """The same texts without the names that no row has."""
        there = np.bincount(self.code[self.code >= 0], minlength=self.names.size) > 0
        if there.all():
            return self
        return Coded(code=self.mapped((np.cumsum(there) - 1).astype(np.int32), -1), names=self.names[there])

    def filled(self, rows: Flags, text: str) -> "Coded":
        """The same with ``text`` in these rows."""
        if not rows.any():
            return self
        indices = np.flatnonzero(self.names == text)
        place = int(indices[0]) if indices.size else self.names.size
        names = self.names if indices.size else np.append(self.names, np.array([text], dtype=object))
        return Coded(code=np.where(rows, place, self.code).astype(np.int32), names=names)


def coded_of(texts: Texts) -> Coded:
    """Texts, shape (R,), each held once, in the order in which they come."""
    import pandas as pd

    code, names = pd.factorize(texts)
    empty = np.flatnonzero(names == "")
    if empty.size:
        place = np.arange(names.size) - (np.arange(names.size) > empty[0])
        place[empty[0]] = -1
        code, names = place[code], np.delete(names, empty[0])
    return Coded(code=code.astype(np.int32), names=np.asarray(names, dtype=object))


def joined(columns: Sequence[Coded]) -> Coded:
    """Columns one after the other; the names are those that some row has, ascending.

    >>> both = joined([coded_of(np.array(["b"], dtype=object)), coded_of(np.array(["a", "b"], dtype=object))])
    >>> both.names.tolist(), both.code.tolist()
    (['a', 'b'], [1, 0, 1])
    """
    used = [column.used() for column in columns]
    names = sorted({name for column in used for name in column.names.tolist()})
    place = {name: number for number, name in enumerate(names)}
    code = [column.indices(place) for column in used]
    return Coded(code=np.concatenate(code), names=np.array(names, dtype=object))
