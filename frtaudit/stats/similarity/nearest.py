"""The best matches of each sample in a large gallery, block by block: no full matrix (004, section 3.1)."""

from dataclasses import dataclass
from importlib import import_module

import numpy as np

from frtaudit.core.arrays import Ints, Singles
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.machine.blas import one_thread
from frtaudit.stats._numba import kernel

ROWS, COLUMNS = 2048, 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches(FrozenArrays):
    """``index`` (n, k) int64: gallery rows, best first, -1 where the gallery has no more; ``score`` (n, k) float32."""

    index: Ints
    score: Singles


def unit_rows(vectors: Singles) -> Singles:
    """Rows divided by their lengths, float32; no row may be zero.

    >>> unit_rows(np.float32([[3, 4]])).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def best_matches(probes: Singles, gallery: Singles, k: int) -> Matches:
    """The ``k`` highest inner products of each probe (n, D) with the gallery (M, D), ties to the earlier row.

    Memory: one block of 2,048 by 8,192 scores, whatever n and M. BLAS runs on one thread, so that scores repeat.

    >>> best_matches(np.float32([[1, 0]]), np.float32([[0, 1], [1, 0], [0.6, 0.8]]), 2).index.tolist()
    [[1, 2]]
    """
    index = np.full((len(probes), k), -1, dtype=np.int64)
    score = np.full((len(probes), k), -np.inf, dtype=np.float32)
    with one_thread():
        for top in range(0, len(probes), ROWS):
            rows = slice(top, top + ROWS)
            for start in range(0, len(gallery), COLUMNS):
                block = probes[rows] @ gallery[start : start + COLUMNS].T
                _keep_best(block, start, index[rows], score[rows])
    return Matches(index=index, score=score)


@kernel
def _keep_best(block: Singles, start: int, index: Ints, score: Singles) -> None:
    """Merge a block's columns, numbered from ``start``, into each row's best."""
    k = score.shape[1]
    for row in range(block.shape[0]):
        last = score[row, k - 1]
        for column in range(block.shape[1]):
            value = block[row, column]
            if value > last:
                place = k - 1
                while place > 0 and score[row, place - 1] < value:
                    score[row, place] = score[row, place - 1]
                    index[row, place] = index[row, place - 1]
                    place -= 1
                score[row, place] = value
                index[row, place] = start + column
                last = score[row, k - 1]


def faiss_matches(probes: Singles, gallery: Singles, k: int) -> Matches:
    """The same by the exact inner-product index of faiss (extra ``search``); raises ``ModuleNotFoundError`` without it.

    Ties may come in another order, scores may differ in the last bits.
    """
    index_flat_ip = import_module("faiss").IndexFlatIP(gallery.shape[1])
    index_flat_ip.add(np.ascontiguousarray(gallery))
    score, index = index_flat_ip.search(np.ascontiguousarray(probes), k)
    score = np.where(index < 0, -np.inf, score)
    return Matches(index=index.astype(np.int64), score=score.astype(np.float32))
