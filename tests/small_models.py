"""Small ONNX models that tests write: embeddings by one multiplication, detectors that say what they were told to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

WIDTH = 6  # numbers of an embedding


def weights(side: int) -> np.ndarray:
    """(3 * side * side, WIDTH), float32."""
    return np.random.default_rng(side).standard_normal((3 * side * side, WIDTH)).astype(np.float32) / side


def embedding_model(path: Path, side: int, scaling: Sequence[str] = (), layout: str = "NCHW") -> Path:
    """A model that flattens its input and multiplies it by ``weights``, after operations such as Sub, Mul."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    held = [
        numpy_helper.from_array(np.array([1, 3 * side * side], dtype=np.int64), "flat"),
        numpy_helper.from_array(weights(side), "weights"),
        numpy_helper.from_array(np.float32(0.5), "half"),
    ]
    names = ["face", *(f"scaled{place}" for place in range(len(scaling)))]
    nodes = [
        helper.make_node(kind, [names[place], "half"], [names[place + 1]])
        for place, kind in enumerate(scaling)
    ]
    nodes += [
        helper.make_node("Reshape", [names[-1], "flat"], ["row"]),
        helper.make_node("MatMul", ["row", "weights"], ["embedding"]),
    ]
    shape = (1, 3, side, side) if layout == "NCHW" else (1, side, side, 3)
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("face", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [1, WIDTH])],
        held,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def constant_model(path: Path, side: int, outputs: Mapping[str, np.ndarray]) -> Path:
    """A model of pictures that gives the same outputs whatever it sees, but for a zero that it adds of its input."""
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    held = [numpy_helper.from_array(np.float32(value), f"{name} held") for name, value in outputs.items()]
    held.append(numpy_helper.from_array(np.float32(0), "none"))
    nodes = [
        helper.make_node("ReduceMean", ["picture"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "none"], ["zero"]),
        *(helper.make_node("Add", [f"{name} held", "zero"], [name]) for name in outputs),
    ]
    graph = helper.make_graph(
        nodes,
        "constant",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, (1, 3, side, side))],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, np.shape(value))
            for name, value in outputs.items()
        ],
        held,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path
