"""A face model that needs no weights, as the bytes of an ONNX file: averages of small squares around their mean.

It distinguishes drawn faces (:mod:`frtaudit.testing.photographs`), not people. The few messages of ONNX's format that
it takes are written by hand, so that a demonstration needs no package for it.
"""

from collections.abc import Iterable

SIDE, SQUARE = 112, 8  # pixels of the input, and of what is averaged
DIMENSION = 3 * (SIDE // SQUARE) ** 2
_FLOAT, _INTS = 1, 7  # of ONNX: the type of an element, of an attribute


def model_bytes() -> bytes:
    """Input (1, 3, 112, 112), output (1, 588).

    >>> len(model_bytes())
    247
    """
    nodes = (
        _node("AveragePool", ["face"], "squares", {"kernel_shape": SQUARE, "strides": SQUARE}),
        _node("GlobalAveragePool", ["squares"], "mean"),
        _node("Sub", ["squares", "mean"], "centred"),
        _node("Flatten", ["centred"], "template"),
    )
    graph = b"".join(
        [
            *(_held(1, node) for node in nodes),
            _held(2, b"drawn"),
            _held(11, _value("face", (1, 3, SIDE, SIDE))),
            _held(12, _value("template", (1, DIMENSION))),
        ]
    )
    opset = _held(1, b"") + _whole(2, 13)
    return _whole(1, 8) + _held(7, graph) + _held(8, opset)


def _node(kind: str, inputs: Iterable[str], output: str, squares: dict[str, int] | None = None) -> bytes:
    """A NodeProto; ``squares``: attributes that are a number for rows and for columns."""
    attributes = (
        _held(1, name.encode()) + _whole(8, value) + _whole(8, value) + _whole(20, _INTS)
        for name, value in (squares or {}).items()
    )
    named = b"".join(_held(1, name.encode()) for name in inputs) + _held(2, output.encode())
    return named + _held(4, kind.encode()) + b"".join(_held(5, attribute) for attribute in attributes)


def _value(name: str, shape: Iterable[int]) -> bytes:
    """A ValueInfoProto of float32."""
    dimensions = b"".join(_held(1, _whole(1, size)) for size in shape)
    tensor = _whole(1, _FLOAT) + _held(2, dimensions)
    return _held(1, name.encode()) + _held(2, _held(1, tensor))


def _held(field: int, data: bytes) -> bytes:
    """A field that holds bytes."""
    return _number(field << 3 | 2) + _number(len(data)) + data


def _whole(field: int, value: int) -> bytes:
    """A field that holds a whole number."""
    return _number(field << 3) + _number(value)


def _number(value: int) -> bytes:
    """A varint."""
    digits = []
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*digits, value])
