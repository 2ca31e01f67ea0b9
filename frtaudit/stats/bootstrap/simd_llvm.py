"""Vector operations on 128 replicates at once, written in LLVM because Numba's own loops take five times as long.

A row of weights is 128 bytes: two cache lines, two registers. A sum stays in a register until its run ends; LLVM cuts
the vectors to what the processor has. What each operation does is said, in Python, in
:mod:`frtaudit.stats.bootstrap.simd`, by its name.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from llvmlite import ir
from numba import types
from numba.core import typing
from numba.core.base import BaseContext
from numba.core.cgutils import unpack_tuple
from numba.core.typing.context import BaseContext as Typing
from numba.extending import intrinsic

from frtaudit.stats.bootstrap.kernel_arrays import WIDTH

Signature: TypeAlias = typing.templates.Signature
Emit: TypeAlias = Callable[[BaseContext, ir.IRBuilder, Signature, Sequence[ir.Value]], ir.Value]
Made: TypeAlias = tuple[Signature, Emit]

ROW = WIDTH.bit_length() - 1  # bits of a place in a row of weights
I16, I32, I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
NOTHING = ir.Constant(ir.IntType(8).as_pointer(), None)
NARROW, WIDE = ir.VectorType(ir.IntType(8), WIDTH), ir.VectorType(ir.IntType(16), WIDTH)
PAIRS, WORDS = ir.VectorType(ir.IntType(16), WIDTH // 2), ir.VectorType(I64, WIDTH)
PACKED = ir.VectorType(ir.IntType(8), WIDTH // 2)
FOUR = ir.Constant(PACKED, [4] * (WIDTH // 2))
ONE = ir.Constant(I64, 1)


def _load(make: ir.IRBuilder, address: ir.Value, kind: ir.Type) -> ir.Value:
    value = make.load(make.inttoptr(address, kind.as_pointer()))
    value.align = 1
    return value


def _row(make: ir.IRBuilder, weights: ir.Value, row: ir.Value, kind: ir.Type = NARROW) -> ir.Value:
    """The weights of a row, or with ``kind`` PACKED two of them in a byte."""
    width = ir.Constant(I64, kind.count.bit_length() - 1)
    return _load(make, make.add(weights, make.shl(row, width)), kind)


def _ask(make: ir.IRBuilder, weights: ir.Value, row: ir.Value) -> None:
    """Start to load a row of weights into the cache; its second line comes along."""
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32])
    fetch = make.module.declare_intrinsic("llvm.prefetch", (pointer,), kind)
    place = make.inttoptr(make.add(weights, make.shl(row, ir.Constant(I64, ROW))), pointer)
    make.call(fetch, [place, ir.Constant(I32, 0), ir.Constant(I32, 3), ir.Constant(I32, 1)])


def _number(make: ir.IRBuilder, array: ir.Value, place: ir.Value, kind: ir.Type = I64) -> ir.Value:
    """Element of an array of integers; those of 16 bits are never negative."""
    size = ir.Constant(I64, kind.width.bit_length() - 4)
    number = make.load(make.inttoptr(make.add(array, make.shl(place, size)), kind.as_pointer()))
    return make.zext(number, I64) if kind is I16 else make.sext(number, I64)


def _add_product(
    make: ir.IRBuilder, halves: ir.Value, key: ir.Value, factor: ir.Value, other: ir.Value
) -> None:
    half = make.add(halves, make.shl(key, ir.Constant(I64, ROW + 1)))
    product = make.mul(make.zext(factor, WIDE), make.zext(other, WIDE))
    total = make.add(_load(make, half, WIDE), product)
    make.store(total, make.inttoptr(half, WIDE.as_pointer())).align = 1


def _addresses(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> list[ir.Value]:
    """Where the data of arrays stand, and integers as they are, of the one tuple that all arguments are."""
    addresses = []
    each = unpack_tuple(make, values[0])  # type: ignore[no-untyped-call]  # Numba's is not typed
    for kind, value in zip(signature.args[0], each, strict=True):
        if isinstance(kind, types.Array):
            array = context.make_array(kind)  # type: ignore[no-untyped-call]  # as above
            addresses.append(make.ptrtoint(array(context, make, value).data, I64))
        else:
            addresses.append(context.cast(make, value, kind, types.int64))  # type: ignore[no-untyped-call]  # as above
    return addresses


def _loop(make: ir.IRBuilder, name: str, starts: Sequence[ir.Value]) -> tuple[ir.Block, list[ir.PhiInstr]]:
    """Begin a loop over values that start so; the caller says how they go on."""
    before, loop = make.block, make.append_basic_block(name)
    make.branch(loop)
    make.position_at_end(loop)
    phis = [make.phi(value.type) for value in starts]
    for phi, value in zip(phis, starts, strict=True):
        phi.add_incoming(value, before)
    return loop, phis


def _again(
    make: ir.IRBuilder,
    loop: ir.Block,
    phis: Sequence[ir.PhiInstr],
    values: Sequence[ir.Value],
    more: ir.Value,
) -> None:
    """Go through a loop again with these values, or leave it."""
    for phi, value in zip(phis, values, strict=True):
        phi.add_incoming(value, make.block)
    after = make.append_basic_block(f"after_{loop.name}")
    make.cbranch(more, loop, after)
    make.position_at_end(after)


def _split(make: ir.IRBuilder, lanes: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Even and odd lanes of bytes in 16 bits each: a mask and a shift are cheaper than widening all."""
    both = make.bitcast(lanes, PAIRS)
    eight = ir.Constant(PAIRS, [8] * (WIDTH // 2))
    return make.and_(both, ir.Constant(PAIRS, [255] * (WIDTH // 2))), make.lshr(both, eight)


def _pour(make: ir.IRBuilder, words: ir.Value, key: ir.Value, even: ir.Value, odd: ir.Value) -> None:
    """Add 16-bit sums of even and odd lanes to 64-bit ones."""
    order = [lane // 2 + lane % 2 * (WIDTH // 2) for lane in range(WIDTH)]
    lanes = make.shuffle_vector(even, odd, ir.Constant(ir.VectorType(I32, WIDTH), order))
    place = make.add(words, make.shl(key, ir.Constant(I64, ROW + 3)))
    total = make.add(_load(make, place, WORDS), make.zext(lanes, WORDS))
    make.store(total, make.inttoptr(place, WORDS.as_pointer())).align = 1


def _parts_of(make: ir.IRBuilder, lanes: ir.Value) -> list[ir.Value]:
    """What a row adds to running sums of bytes: its lanes; if packed, bytes as they are and their high halves."""
    return [lanes, make.lshr(lanes, FOUR)] if lanes.type == PACKED else [lanes]


def _lanes_of(make: ir.IRBuilder, parts: Sequence[ir.Value]) -> ir.Value:
    """The lanes of such sums; where the low halves overflowed, the high ones say by how much."""
    if len(parts) == 1:
        return parts[0]
    low = make.sub(parts[0], make.shl(parts[1], FOUR))
    return make.shuffle_vector(low, parts[1], ir.Constant(ir.VectorType(I32, WIDTH), list(range(WIDTH))))


def _add_rows(
    make: ir.IRBuilder,
    row: Callable[[ir.Value], ir.Value],
    stop: ir.Value,
    starts: Sequence[ir.Value],
    together: int,
) -> list[ir.Value]:
    """From a place and running sums on add the parts of the rows before ``stop``, so many at a time and once at least.

    Returns the place that follows and the sums.
    """
    step = ir.Constant(I64, together)
    loop, phis = _loop(make, "rows", starts)
    lanes = row(phis[0])
    for ahead in range(1, together):
        lanes = make.add(lanes, row(make.add(phis[0], ir.Constant(I64, ahead))))
    following = [
        make.add(so_far, more) for so_far, more in zip(phis, (step, *_parts_of(make, lanes)), strict=True)
    ]
    _again(make, loop, phis, following, make.icmp_signed("<=", make.add(following[0], step), stop))
    return following


def _add_rows_left(
    make: ir.IRBuilder,
    row: Callable[[ir.Value], ir.Value],
    stop: ir.Value,
    starts: Sequence[ir.Value],
    together: int,
) -> list[ir.Value]:
    """The same where so many may not be left."""
    before = make.block
    with make.if_then(make.icmp_signed("<=", make.add(starts[0], ir.Constant(I64, together)), stop)):
        added = _add_rows(make, row, stop, starts, together)
        inside = make.block
    phis = [make.phi(value.type) for value in starts]
    for phi, start, value in zip(phis, starts, added, strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(value, inside)
    return phis


def _emit_runs(
    context: BaseContext,
    make: ir.IRBuilder,
    signature: Signature,
    values: Sequence[ir.Value],
    *,
    kind: ir.Type,
    threes: bool,
) -> ir.Value:
    """Loops: until the 16-bit sums are full, over runs, and over the rows of one, no more than 8 bits hold.

    With ``threes`` the last is two: over three rows at a time, then over those left.
    """
    words, key, weights, base, start, row, rows, low, high, reach, most = _addresses(
        context, make, signature, values
    )
    none = ir.Constant(PAIRS, None)
    full, outer = _loop(make, "full", (low, _number(make, start, low)))
    run_loop, inner = _loop(make, "runs", (*outer, none, none))
    run, begin, even, odd = inner
    end = _number(make, start, make.add(run, ONE))
    stop = make.add(begin, reach)
    stop = make.select(make.icmp_signed("<", stop, end), stop, end)

    block = make.add(weights, make.mul(base, ir.Constant(I64, kind.count)))

    def second(place: ir.Value) -> ir.Value:
        return _row(make, block, _number(make, rows, place, I16), kind)

    added = [begin, *_parts_of(make, ir.Constant(kind, None))]
    if threes:
        for together in (3, 1):
            added = _add_rows_left(make, second, stop, added, together)
    else:
        added = _add_rows(make, second, stop, added, 1)
    parts = _parts_of(make, _row(make, block, _number(make, row, run, I32), kind))
    sums, factors = _split(make, _lanes_of(make, added[1:])), _split(make, _lanes_of(make, parts))
    even_next, odd_next = (
        make.add(so_far, make.mul(one_sum, factor))
        for so_far, one_sum, factor in zip((even, odd), sums, factors, strict=True)
    )
    run_next = make.add(run, make.zext(make.icmp_signed("==", stop, end), I64))
    left = make.icmp_signed("<", run_next, high)
    fits = make.icmp_signed("<=", make.add(stop, reach), make.add(outer[1], most))
    _again(make, run_loop, inner, (run_next, stop, even_next, odd_next), make.and_(left, fits))
    _pour(make, words, key, even_next, odd_next)
    _again(make, full, outer, (run_next, stop), left)
    return NOTHING


def _emit_pair(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> ir.Value:
    half, key, weights, a, b = _addresses(context, make, signature, values)
    _add_product(make, half, key, _row(make, weights, a), _row(make, weights, b))
    return NOTHING


def _emit_fetch(
    context: BaseContext, make: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
) -> ir.Value:
    weights, row = _addresses(context, make, signature, values)
    _ask(make, weights, row)
    return NOTHING


def _typed(emit: Emit) -> Callable[..., Made]:
    def typed(_: Typing, *given: types.Type) -> Made:
        together = types.StarArgTuple(given)  # type: ignore[no-untyped-call]  # Numba's is not typed
        return types.void(together), emit

    return typed


OPERATIONS: Mapping[str, Callable[..., None]] = {
    "add_runs": intrinsic(_typed(partial(_emit_runs, kind=NARROW, threes=False))),
    "add_packed_runs": intrinsic(_typed(partial(_emit_runs, kind=PACKED, threes=False))),
    "add_packed_threes": intrinsic(_typed(partial(_emit_runs, kind=PACKED, threes=True))),
    "add_pair": intrinsic(_typed(_emit_pair)),
    "fetch": intrinsic(_typed(_emit_fetch)),
}
