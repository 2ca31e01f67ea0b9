"""Two vector operations on 64 replicates at once, written in LLVM because Numba's own loops take five times as long.

A row of weights is 64 bytes: one cache line, one register. A sum stays in a register until its run ends; LLVM cuts
the vectors to what the processor has.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

Bytes = npt.NDArray[np.uint8]
Halves = npt.NDArray[np.uint16]
Index = npt.NDArray[np.int32]

WIDTH = 64  # replicates of a tile
I32, I64 = ir.IntType(32), ir.IntType(64)
NARROW, WIDE = ir.VectorType(ir.IntType(8), WIDTH), ir.VectorType(ir.IntType(16), WIDTH)


def _plain_run(half: Halves, weights: Bytes, row: int, rows: Index, low: int, high: int) -> None:
    """Add the weight of ``row`` times the weights of ``rows[low:high]`` (low < high) to ``half``, lane by lane.

    ``half`` (64,) uint16; ``weights`` (R, 64) uint8; the sum of a run fits 8 bits, the sum of products 16.

    >>> half = np.zeros(64, dtype=np.uint16)
    >>> _plain_run(half, np.full((3, 64), 2, dtype=np.uint8), 0, np.int32([1, 2]), 0, 2)
    >>> int(half[63])
    8
    """
    half += weights[rows[low:high]].sum(axis=0, dtype=np.uint16) * weights[row]


def _plain_pair(half: Halves, weights: Bytes, a: int, b: int) -> None:
    """Add the product of the weights of rows ``a`` and ``b`` to ``half``.

    >>> half = np.zeros(64, dtype=np.uint16)
    >>> _plain_pair(half, np.full((2, 64), 3, dtype=np.uint8), 0, 1)
    >>> int(half[0])
    9
    """
    half += weights[a].astype(np.uint16) * weights[b]


def _load(make: Any, address: Any, kind: Any) -> Any:  # Any: llvmlite has no types
    value = make.load(make.inttoptr(address, kind.as_pointer()))
    value.align = 1
    return value


def _row(make: Any, weights: Any, row: Any) -> Any:
    return _load(make, make.add(weights, make.shl(row, ir.Constant(I64, 6))), NARROW)


def _add_product(make: Any, half: Any, one: Any, other: Any) -> None:
    product = make.mul(make.zext(one, WIDE), make.zext(other, WIDE))
    total = make.add(_load(make, half, WIDE), product)
    make.store(total, make.inttoptr(half, WIDE.as_pointer())).align = 1


def _addresses(context: Any, make: Any, kinds: Any, arrays: Any) -> list[Any]:
    """Where the data of arrays stand, and integers as they are."""
    found = []
    for kind, value in zip(kinds, arrays, strict=True):
        if isinstance(kind, types.Array):
            found.append(make.ptrtoint(context.make_array(kind)(context, make, value).data, I64))
        else:
            found.append(context.cast(make, value, kind, types.int64))
    return found


def _compiled_run(_: Any, *given: Any) -> Any:
    def emit(context: Any, make: Any, signature: Any, values: Any) -> Any:
        half, weights, row, rows, low, high = _addresses(context, make, signature.args, values)
        before, loop = make.block, make.append_basic_block("run")
        after = make.append_basic_block("ran")
        make.branch(loop)
        make.position_at_end(loop)
        place, total = make.phi(I64), make.phi(NARROW)
        at = make.inttoptr(make.add(rows, make.shl(place, ir.Constant(I64, 2))), I32.as_pointer())
        more = make.add(total, _row(make, weights, make.zext(make.load(at), I64)))
        following = make.add(place, ir.Constant(I64, 1))
        for phi, start, again in ((place, low, following), (total, ir.Constant(NARROW, None), more)):
            phi.add_incoming(start, before)
            phi.add_incoming(again, loop)
        make.cbranch(make.icmp_signed("<", following, high), loop, after)
        make.position_at_end(after)
        _add_product(make, half, _row(make, weights, row), more)
        return context.get_dummy_value()

    return types.void(*given), emit


def _compiled_pair(_: Any, *given: Any) -> Any:
    def emit(context: Any, make: Any, signature: Any, values: Any) -> Any:
        half, weights, a, b = _addresses(context, make, signature.args, values)
        _add_product(make, half, _row(make, weights, a), _row(make, weights, b))
        return context.get_dummy_value()

    return types.void(*given), emit


def _six(context: Any, half: Any, weights: Any, row: Any, rows: Any, low: Any, high: Any) -> Any:
    return _compiled_run(context, half, weights, row, rows, low, high)


def _four(context: Any, half: Any, weights: Any, a: Any, b: Any) -> Any:
    return _compiled_pair(context, half, weights, a, b)


add_run: Callable[[Halves, Bytes, int, Index, int, int], None] = (
    _plain_run if config.DISABLE_JIT else intrinsic(_six)
)
add_pair: Callable[[Halves, Bytes, int, int], None] = _plain_pair if config.DISABLE_JIT else intrinsic(_four)
