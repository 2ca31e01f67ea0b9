"""The first nodes of an ONNX graph: whether the model scales pixels by itself. Nothing is run; protobuf is walked.

ModelProto.graph is field 7, GraphProto.node field 1, NodeProto.op_type field 4 (onnx.proto of ONNX).
"""

from collections.abc import Iterator, Sequence
from itertools import islice

FIRST = 8  # nodes that are looked at, as insightface does
_GRAPH, _NODE, _OP_TYPE = 7, 1, 4
_SHIFTS, _SCALES = frozenset({"Sub", "Add"}), frozenset({"Mul", "Div"})
_LEARNT = frozenset({"Conv", "Gemm", "MatMul"})  # what follows these is no scaling of pixels
_FIXED = {1: 8, 5: 4}  # wire type to bytes of a number


def scaling_of(model: bytes) -> tuple[str, ...]:
    """The operations that shift and scale the input before the first learnt one; empty unless there are both.

    >>> scaling_of(b"")
    ()
    """
    before: list[str] = []
    for operation in islice(operations(model), FIRST):
        if operation in _LEARNT:
            break
        before.append(operation)
    scales = tuple(name for name in before if name in _SHIFTS | _SCALES)
    return scales if _SHIFTS & set(scales) and _SCALES & set(scales) else ()


def operations(model: bytes) -> Iterator[str]:
    """Types of a graph's nodes in order; none for what is no such file."""
    for graph in _fields(memoryview(model), _GRAPH):
        for node in _fields(graph, _NODE):
            for name in _fields(node, _OP_TYPE):
                yield bytes(name).decode("utf-8", "replace")


def _fields(message: memoryview, wanted: int) -> Iterator[memoryview]:
    """Contents of each field ``wanted`` that holds bytes; what is cut off ends the walk."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind = key & 7
        if kind == 2:
            length, at = _number(message, at)
            if at + length > len(message):
                return
            if key >> 3 == wanted:
                yield message[at : at + length]
            at += length
        elif kind == 0:
            _, at = _number(message, at)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            return


def _number(message: Sequence[int], at: int) -> tuple[int, int]:
    """A varint, and where what follows it begins."""
    value = shift = 0
    while at < len(message) and shift < 64:
        value |= (message[at] & 0x7F) << shift
        shift += 7
        at += 1
        if message[at - 1] < 0x80:
            return value, at
    return value, len(message)
