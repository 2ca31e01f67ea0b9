"""Vector operations on 128 replicates at once, written in LLVM because Numba's own loops take five times as long.

A row of weights is 128 bytes: two cache lines, two registers. A sum stays in a register until its run ends; LLVM cuts
the vectors to what the processor has.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import config, typing
from numba.core.base import BaseContext
from numba.core.typing.context import BaseContext as Typing
from numba.extending import intrinsic

Bytes = npt.NDArray[np.uint8]
Halves = npt.NDArray[np.uint16]
Index = npt.NDArray[np.int32]

Signature: TypeAlias = typing.templates.Signature
Emit: TypeAlias = Callable[[BaseContext, ir.IRBuilder, Signature, Sequence[ir.Value]], ir.Value]
Operation = TypeVar("Operation", bound=Callable[..., None])
Made: TypeAlias = tuple[Signature, Emit]

WIDTH = 128  # replicates of a tile
ROW = WIDTH.bit_length() - 1  # bits of a place in a row of weights
AHEAD = 16  # places: the weights of the row there are asked for when the turn of this one comes
I32, I64 = ir.IntType(32), ir.IntType(64)
NOTHING = ir.Constant(ir.IntType(8).as_pointer(), None)
NARROW, WIDE = ir.VectorType(ir.IntType(8), WIDTH), ir.VectorType(ir.IntType(16), WIDTH)


def _plain_run(half: Halves, key: int, weights: Bytes, row: int, rows: Index, low: int, high: int) -> None:
    """Add the weight of ``row`` times the weights of ``rows[low:high]`` (low < high) to ``half[key]``, lane by lane.

    ``half`` (buckets, 128) uint16; ``weights`` (R, 128) uint8; the sum of a run fits 8 bits, that of products 16;
    ``rows`` has 16 rows more than are added.

    >>> half = np.zeros((1, 128), dtype=np.uint16)
    >>> _plain_run(half, 0, np.full((3, 128), 2, dtype=np.uint8), 0, np.int32([1, 2]), 0, 2)
    >>> int(half[0, 63])
    8
    """
    half[key] += weights[rows[low:high]].sum(axis=0, dtype=np.uint16) * weights[row]


def _plain_pair(half: Halves, key: int, weights: Bytes, a: int, b: int) -> None:
    """Add the product of the weights of rows ``a`` and ``b`` to ``half[key]``.

    >>> half = np.zeros((2, 128), dtype=np.uint16)
    >>> _plain_pair(half, 1, np.full((2, 128), 3, dtype=np.uint8), 0, 1)
    >>> int(half[1, 0])
    9
    """
    half[key] += weights[a].astype(np.uint16) * weights[b]


def _plain_fetch(weights: Bytes, row: int) -> None:
    """Ask for the weights of a row that will be needed soon."""


def _load(make: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    value = make.load(make.inttoptr(address, kind.as_pointer()))
    value.align = 1
    return value


def _row(make: ir.IRBuilder, weights: ir.Value, row: ir.Value) -> ir.Value:
    return _load(make, make.add(weights, make.shl(row, ir.Constant(I64, ROW))), NARROW)


def _ask(make: ir.IRBuilder, weights: ir.Value, row: ir.Value) -> None:
    """Start to load a row of weights into the cache; its second line comes along."""
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32])
    fetch = make.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
    place = make.inttoptr(make.add(weights, make.shl(row, ir.Constant(I64, ROW))), pointer)
    make.call(fetch, [place, ir.Constant(I32, 0), ir.Constant(I32, 3), ir.Constant(I32, 1)])


def _index(make: ir.IRBuilder, rows: ir.Value, place: ir.Value) -> ir.Value:
    at = make.inttoptr(make.add(rows, make.shl(place, ir.Constant(I64, 2))), I32.as_pointer())
    return make.zext(make.load(at), I64)


def _add_product(make: ir.IRBuilder, halves: ir.Value, key: ir.Value, one: ir.Value, other: ir.Value) -> None:
    half = make.add(halves, make.shl(key, ir.Constant(I64, ROW + 1)))
    product = make.mul(make.zext(one, WIDE), make.zext(other, WIDE))
    total = make.add(_load(make, half, WIDE), product)
    make.store(total, make.inttoptr(half, WIDE.as_pointer())).align = 1


def _addresses(
    context: BaseContext, make: ir.IRBuilder, kinds: Sequence[types.Type], arrays: Sequence[ir.Value]
) -> list[ir.Value]:
    """Where the data of arrays stand, and integers as they are."""
    found = []
    for kind, value in zip(kinds, arrays, strict=True):
        if isinstance(kind, types.Array):
            array = context.make_array(kind)  # type: ignore[no-untyped-call]  # Numba's is not typed
            found.append(make.ptrtoint(array(context, make, value).data, I64))
        else:
            found.append(context.cast(make, value, kind, types.int64))  # type: ignore[no-untyped-call]  # as above
    return found


def _emit_run(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> ir.Value:
    half, key, weights, row, rows, low, high = _addresses(context, make, signature.args, values)
    before, loop = make.block, make.append_basic_block("run")
    after = make.append_basic_block("ran")
    make.branch(loop)
    make.position_at_end(loop)
    place, total = make.phi(I64), make.phi(NARROW)
    _ask(make, weights, _index(make, rows, make.add(place, ir.Constant(I64, AHEAD))))
    more = make.add(total, _row(make, weights, _index(make, rows, place)))
    following = make.add(place, ir.Constant(I64, 1))
    for phi, start, again in ((place, low, following), (total, ir.Constant(NARROW, None), more)):
        phi.add_incoming(start, before)
        phi.add_incoming(again, loop)
    make.cbranch(make.icmp_signed("<", following, high), loop, after)
    make.position_at_end(after)
    _add_product(make, half, key, _row(make, weights, row), more)
    return NOTHING


def _emit_pair(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> ir.Value:
    half, key, weights, a, b = _addresses(context, make, signature.args, values)
    _add_product(make, half, key, _row(make, weights, a), _row(make, weights, b))
    return NOTHING


def _emit_fetch(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> ir.Value:
    weights, row = _addresses(context, make, signature.args, values)
    _ask(make, weights, row)
    return NOTHING


def _compiled(emit: Emit, *given: types.Type) -> Made:
    return types.void(*given), emit


def _run(
    _: Typing,
    half: types.Type,
    key: types.Type,
    weights: types.Type,
    row: types.Type,
    rows: types.Type,
    low: types.Type,
    high: types.Type,
) -> Made:
    return _compiled(_emit_run, half, key, weights, row, rows, low, high)


def _pair(
    _: Typing, half: types.Type, key: types.Type, weights: types.Type, a: types.Type, b: types.Type
) -> Made:
    return _compiled(_emit_pair, half, key, weights, a, b)


def _fetch(_: Typing, weights: types.Type, row: types.Type) -> Made:
    return _compiled(_emit_fetch, weights, row)


def _chosen(plain: Operation, compiled: Callable[..., Made]) -> Operation:
    """The compiled operation; with ``NUMBA_DISABLE_JIT=1`` the plain one."""
    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when Numba is imported
        return plain
    return cast("Operation", intrinsic(compiled))


add_run = _chosen(_plain_run, _run)
add_pair = _chosen(_plain_pair, _pair)
fetch = _chosen(_plain_fetch, _fetch)
