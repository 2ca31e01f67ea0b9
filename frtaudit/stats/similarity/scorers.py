"""Block scorers: similarity of every row of one slice of samples with every row of another."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from frtaudit.core.arrays import Floats, Singles

BlockScorer: TypeAlias = Callable[[slice, slice], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitBlocks:
    """Scores ``scale`` times the cosine plus ``shift``: exact in float64, or screened in float32 with a known error.

    ``vectors`` (N, D) float32, ``lengths`` (N,) float64, ``unit`` (N, D) float32: the normalised vectors.
    """

    vectors: Singles
    lengths: Floats
    unit: Singles
    scale: float
    shift: float

    def __call__(self, rows: slice, columns: slice) -> Floats:
        """Scores in float64."""
        first = self.vectors[rows] / self.lengths[rows, None]
        second = self.vectors[columns] / self.lengths[columns, None]
        cosine = np.asarray(first @ second.T, dtype=np.float64)
        return cosine if self.scale == 1 else self.scale * cosine + self.shift

    @property
    def error(self) -> float:
        """How far a float32 cosine can be from the exact one: (D + 2) roundings of 2**-24, in any order of sums."""
        return float(self.vectors.shape[1] + 2) * 2.0**-24


def cosine_blocks(vectors: Singles) -> BlockScorer:
    """Cosine similarity: ``vectors`` (N, D) float32, no zero vector; products in float64, range -1..1.

    >>> block = cosine_blocks(np.float32([[2, 0], [0, 1], [-3, 0]]))
    >>> block(slice(0, 1), slice(0, 3)).tolist()
    [[1.0, 0.0, -1.0]]
    """
    return _unit_blocks(vectors, 1.0, 0.0)


def unit_distance_blocks(vectors: Singles) -> BlockScorer:
    """Minus the squared Euclidean distance of the normalised vectors, 2 cos - 2: range -4..0.

    >>> block = unit_distance_blocks(np.float32([[2, 0], [0, 1], [-3, 0]]))
    >>> block(slice(0, 1), slice(0, 3)).tolist()
    [[0.0, -2.0, -4.0]]
    """
    return _unit_blocks(vectors, 2.0, -2.0)


def _unit_blocks(vectors: Singles, scale: float, shift: float) -> UnitBlocks:
    # squared lengths in float64, without a float64 copy of the vectors
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    unit = np.empty(vectors.shape, dtype=np.float32)
    np.divide(vectors, lengths[:, None], out=unit, casting="same_kind")
    return UnitBlocks(
        vectors=np.ascontiguousarray(vectors), lengths=lengths, unit=unit, scale=scale, shift=shift
    )
