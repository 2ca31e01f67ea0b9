"""Where the weights of a model stand, by its own bytes."""

import struct
from pathlib import Path

import numpy as np
import pytest

from frtaudit.collection.clients.face_network import session_of
from frtaudit.collection.clients.model_input import CPU
from frtaudit.collection.clients.onnx_file import is_one_file
from frtaudit.errors import ProviderError

N = 64
TO_GRAPH = (7,)
PLACES = {
    "initializer": (7, 5),
    "sparse initializer": (7, 15, 2),
    "constant": (7, 1, 5, 5),
    "list of a node": (7, 1, 5, 10),
    "branch": (7, 1, 5, 6, 5),
    "function": (25, 7, 5, 5),
    "default of a function": (25, 11, 5),
    "training": (20, 2, 5),
}


def varint(number: int) -> bytes:
    """As protobuf writes it."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def field(number: int, value: bytes | str | int) -> bytes:
    """One field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def nested(path: tuple[int, ...], data: bytes) -> bytes:
    """A message within messages."""
    for number in reversed(path):
        data = field(number, data)
    return data


def elsewhere(location: str) -> bytes:
    """A tensor whose numbers stand in a file."""
    words = [("location", location), ("offset", "0"), ("length", str(4 * N))]
    told = b"".join(field(13, field(1, key) + field(2, value)) for key, value in words)
    return field(1, N) + field(2, 1) + field(8, "w") + told + field(14, 1)


def adding(tensor: bytes) -> bytes:
    """A model that adds a tensor to its input."""
    shape = b"".join(field(1, field(1, size)) for size in (1, N))
    kind = field(2, field(1, field(1, 1) + field(2, shape)))
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add")
    ends = field(11, field(1, "x") + kind) + field(12, field(1, "y") + kind)
    graph = field(1, node) + field(2, "g") + field(5, tensor) + ends
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 13))


def test_a_model_that_reads_the_working_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its digest would be the same for any weights; onnxruntime by itself takes the file that lies there."""
    pytest.importorskip("onnxruntime")
    (tmp_path / "w.bin").write_bytes(np.arange(N, dtype="<f4").tobytes())
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProviderError, match=r"m\.onnx has weights in other files; accepted: a whole"):
        session_of(adding(elsewhere("w.bin")), "m.onnx", CPU, "model")
    own = field(1, N) + field(2, 1) + field(8, "w") + field(9, struct.pack(f"<{N}f", *range(N)))
    session = session_of(adding(own), "m.onnx", CPU, "model")
    assert session.run(None, {"x": np.ones((1, N), np.float32)})[0][0, :3].tolist() == [1, 2, 3]


@pytest.mark.parametrize("path", PLACES.values(), ids=PLACES)
def test_weights_elsewhere_are_seen_wherever_a_tensor_may_stand(path: tuple[int, ...]) -> None:
    """By the files that they name, and by where they say that they are; a tensor that says neither is whole."""
    assert is_one_file(nested(path, field(8, "w") + field(14, 0)))
    assert not is_one_file(nested(path, field(8, "w") + field(14, 1)))
    assert not is_one_file(nested(path, field(13, field(1, "location") + field(2, "w.bin"))))


def test_nothing_hides_behind_a_field_that_is_not_followed() -> None:
    """Groups, which readers skip, keys of more than 32 bits, lengths beyond the end: no model."""
    hidden = nested((7, 5), field(14, 1))
    group, wide = varint(99 << 3 | 3) + varint(99 << 3 | 4), varint(1 << 32 | 7 << 3 | 2) + b"\x00"
    for before in (group, wide, varint(99 << 3 | 2) + varint(1 << 20), b"\xff" * 11):
        with pytest.raises(ValueError, match=r"\d"):
            is_one_file(before + hidden)
    with pytest.raises(ValueError, match="ORTM"):
        is_one_file(b"\x08\x08\x10\x00ORTM")
