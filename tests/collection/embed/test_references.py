"""Faces as each family's own package prepares them: dlib; insightface and OpenCV where they are installed.

Tried with insightface 2.1 and OpenCV 4.10 to 4.14; OpenCV 5 interpolates otherwise. Families without an importable
package (AdaFace, MagFace, facenet-pytorch without torch) are held against published constants in test_preset.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from face_cases import noisy_face, preset
from small_models import embedding_model

from frtaudit.collection.clients.dlib_faces import RECOGNITION_FILE, Landmarks, landmarks_file, model_file
from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed.engine import DlibEngine, OnnxEngine
from frtaudit.core.collecting import Box
from frtaudit.testing.photographs import Photographs

CPU = "CPUExecutionProvider"


def opencv() -> Any:
    """The package, version 4; else the test is skipped."""
    cv2 = pytest.importorskip("cv2")
    if not cv2.__version__.startswith("4."):
        pytest.skip(f"OpenCV {cv2.__version__} interpolates otherwise than version 4")
    return cv2


def test_dlib_computes_the_same_from_picture_to_descriptor() -> None:
    """Chip and descriptor of a box are those of dlib's own call for picture and landmarks."""
    dlib = pytest.importorskip("dlib")
    image, points = Photographs().picture(0, 0)
    (left, top), (right, bottom) = points.min(axis=0).round(), points.max(axis=0).round()
    predictor = dlib.shape_predictor(str(model_file(landmarks_file(Landmarks.FIVE))))
    shape = predictor(image, dlib.rectangle(int(left), int(top), int(right) - 1, int(bottom) - 1))
    recogniser = dlib.face_recognition_model_v1(str(model_file(RECOGNITION_FILE)))
    expected = recogniser.compute_face_descriptor(image, shape, 0, 0.25)
    engine = DlibEngine()
    box = Box(x=left, y=top, width=right - left, height=bottom - top)
    chip = engine.chip(image, FoundFace(box=box, landmarks=None))
    np.testing.assert_allclose(engine.outputs([chip])[0], np.array(expected), rtol=1e-5, atol=1e-7)


def test_insightface_computes_the_same_from_picture_to_embedding(tmp_path: Path) -> None:
    """Noise and drawn faces with the landmarks given: ArcFaceONNX.get to 1e-5 of the largest number."""
    opencv()
    recognition = pytest.importorskip("insightface.model_zoo.arcface_onnx")
    model = str(embedding_model(tmp_path / "m.onnx", 112))
    theirs, ours = recognition.ArcFaceONNX(model), OnnxEngine(preset("arcface_rgb_127.5"), model, None, CPU)
    drawn = Photographs()
    for image, points in (
        *map(noisy_face, range(20)),
        *(drawn.picture(number, number) for number in range(20)),
    ):
        expected = theirs.get(np.ascontiguousarray(image[..., ::-1]), SimpleNamespace(kps=points))
        chip = ours.chip(image, FoundFace(box=None, landmarks=points))
        np.testing.assert_allclose(
            ours.outputs([chip])[0], expected, rtol=0, atol=1e-5 * np.abs(expected).max()
        )


def test_opencv_feeds_sface_the_same_numbers(tmp_path: Path) -> None:
    """FaceRecognizerSF.feature of an aligned face to 1e-5."""
    cv2 = opencv()
    model = str(embedding_model(tmp_path / "m.onnx", 112))
    theirs, ours = cv2.FaceRecognizerSF.create(model, ""), OnnxEngine(preset("sface"), model, None, CPU)
    face = np.random.default_rng(3).integers(0, 256, (112, 112, 3), dtype=np.uint8)
    expected = theirs.feature(np.ascontiguousarray(face[..., ::-1])).ravel()
    np.testing.assert_allclose(ours.outputs([face])[0], expected, rtol=0, atol=1e-5 * np.abs(expected).max())
