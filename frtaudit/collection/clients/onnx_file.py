"""Whether an ONNX file says that its weights stand elsewhere: in other files, or in memory. Protobuf is walked.

Numbers of fields are those of onnx.proto. The walk is strict: what it cannot follow to the end is not an ONNX model, so
that nothing can stand behind a field that onnxruntime skips and this does not.
"""

from collections.abc import Iterator

_OTHER_FORMAT = b"ORTM"  # onnxruntime's own, which it reads too
_EXTERNAL_DATA, _DATA_LOCATION = 13, 14  # of a tensor
_NESTED = {  # message to the fields of it that lead to tensors, and what they hold
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
_BYTES, _VARINT, _FIXED = 2, 0, {1: 8, 5: 4}  # wire types; of fixed numbers their length
_LONGEST = 1 << 32  # key: what readers of 32 bits take for another one


def is_one_file(model: bytes) -> bool:
    """Whether all weights of a model stand in its own bytes.

    Raises :class:`ValueError` for what is not an ONNX model.

    >>> is_one_file(b"")
    True
    """
    if model[4:8] == _OTHER_FORMAT:
        raise ValueError(_OTHER_FORMAT)
    left = [("model", memoryview(model))]
    while left:
        kind, message = left.pop()
        nested = _NESTED.get(kind, {})
        for number, value in fields(message):
            if kind == "tensor" and (number == _EXTERNAL_DATA or (number == _DATA_LOCATION and value != 0)):
                return False
            if number in nested and isinstance(value, memoryview):
                left.append((nested[number], value))
    return True


def fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Number and value of each field: bytes, or a number. Raises :class:`ValueError` where the walk ends early."""
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        kind, size = key & 7, 0
        if key >= _LONGEST:
            raise ValueError(key)
        if kind == _VARINT:
            value, at = _number(message, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = _number(message, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise ValueError(kind)
        if at + size > len(message):
            raise ValueError(size)
        yield key >> 3, message[at : at + size]
        at += size


def _number(message: memoryview, at: int) -> tuple[int, int]:
    """A varint, and where what follows it begins."""
    value = 0
    for place in range(10):
        if at + place >= len(message):
            break
        value |= (message[at + place] & 0x7F) << 7 * place
        if message[at + place] < 0x80:
            return value, at + place + 1
    raise ValueError(at)
