"""The first nodes of an ONNX graph: whether the model scales pixels by itself. Nothing is run; protobuf is walked.

ModelProto.graph is field 7, GraphProto.node field 1, NodeProto.op_type field 4 (onnx.proto of ONNX).
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from frtaudit.collection.clients.onnx_file import fields

FIRST = 8  # nodes that are looked at, as insightface does
_GRAPH, _NODE, _OP_TYPE = 7, 1, 4
_SHIFTS, _SCALES = frozenset({"Sub", "Add"}), frozenset({"Mul", "Div"})
_LEARNT = frozenset({"Conv", "Gemm", "MatMul"})  # what follows these is no scaling of pixels


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
    """Types of a graph's nodes in order, as far as the file can be followed; none for what is no such file."""
    with suppress(ValueError):
        for graph in _inside(memoryview(model), _GRAPH):
            for node in _inside(graph, _NODE):
                for name in _inside(node, _OP_TYPE):
                    yield bytes(name).decode("utf-8", "replace")


def _inside(message: memoryview, wanted: int) -> Iterator[memoryview]:
    """Contents of each field ``wanted`` that holds bytes."""
    return (value for number, value in fields(message) if number == wanted and isinstance(value, memoryview))
