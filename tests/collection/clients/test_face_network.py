"""What a model takes and gives; tests also model_input, face_finding, which detectors stand on."""

from pathlib import Path

import numpy as np
import pytest
from small_models import WIDTH, embedding_model, weights

from frtaudit.collection.clients.face_finding import faces_of, rows_to_keep
from frtaudit.collection.clients.face_network import DetectorNetwork, FaceNetwork
from frtaudit.collection.clients.model_input import CPU, Colours, Layout, ModelInput
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import CallError
from frtaudit.errors import ProviderError


def test_an_embedding_is_as_the_model_gives_it(tmp_path: Path) -> None:
    """Not of unit length; with its digest and its number of numbers; a picture of nothing is a failure to acquire."""
    path = embedding_model(tmp_path / "m.onnx", 4, layout="NHWC")
    how = ModelInput(
        size=(4, 4), layout=Layout.NHWC, colours=Colours.BGR, mean=(1, 2, 3), deviation=(2, 4, 8)
    )
    network = FaceNetwork(str(path), how, None, CPU, "model")
    assert (network.dimension, network.sha256) == (WIDTH, sha256_file(path))
    face = np.random.default_rng(0).integers(0, 256, (4, 4, 3), dtype=np.uint8)
    values = (face[:, :, ::-1].astype(float) - (1, 2, 3)) / (2, 4, 8)
    np.testing.assert_allclose(
        network.embedding(how.of(face)), values.ravel() @ weights(4), rtol=1e-5, atol=1e-4
    )
    with pytest.raises(CallError, match="no_embedding"):
        network.embedding(np.zeros(how.shape, np.float32))
    with pytest.raises(CallError, match="no_embedding"):
        network.embedding(np.full(how.shape, np.nan, np.float32))


def test_a_model_of_something_else_is_no_detector(tmp_path: Path) -> None:
    """A FIFO and a folder are not opened; a model whose channels are not first is refused with its shape."""
    last = embedding_model(tmp_path / "m.onnx", 4, layout="NHWC")
    with pytest.raises(ProviderError, match=r"takes tensor\(float\) \[1, 4, 4, 3\]"):
        DetectorNetwork(str(last), "detector x")
    with pytest.raises(ProviderError, match="is a folder; accepted: a regular file"):
        DetectorNetwork(str(tmp_path), "detector x")


def test_suppression_keeps_the_better_of_two_that_overlap() -> None:
    """Against every pair by itself: none that stays overlaps a better one that stays, each that goes does."""
    rng = np.random.default_rng(1)
    low = rng.uniform(0, 30, (40, 2))
    boxes, scores = np.concatenate([low, low + rng.uniform(5, 20, (40, 2))], axis=1), rng.random(40)

    def overlap(one: np.ndarray, other: np.ndarray) -> float:
        sides = np.clip(np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2]), 0, None)
        areas = [np.prod(box[2:] - box[:2]) for box in (one, other)]
        return float(np.prod(sides) / (sum(areas) - np.prod(sides)))

    stay = rows_to_keep(boxes, scores, 0.3).tolist()
    for row in range(40):
        better = [other for other in stay if scores[other] > scores[row]]
        assert any(overlap(boxes[row], boxes[other]) > 0.3 for other in better) == (row not in stay)
    boxes[0], boxes[1, 2] = np.nan, boxes[1, 0] - 1
    assert len(faces_of(boxes[:2], np.zeros((2, 5, 2)), scores[:2], 0.3, 1.0)) == 0
