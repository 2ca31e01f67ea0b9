"""YuNet's and SCRFD's outputs against slow decoders, dlib's landmarks; tests also given, aligned, dlib and scrfd."""

import math
from pathlib import Path

import numpy as np
import pytest
from small_models import constant_model, embedding_model

from frtaudit.collection.clients.face_finding import FoundFace, lettered
from frtaudit.collection.detectors import scrfd, yunet
from frtaudit.collection.detectors.aligned import Aligned
from frtaudit.collection.detectors.dlib import _PARTS, five_of
from frtaudit.collection.detectors.given import Given
from frtaudit.collection.detectors.scrfd import Scrfd
from frtaudit.collection.detectors.yunet import YuNet
from frtaudit.collection.embed.face_detector import Gives
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import Box
from frtaudit.core.identity import plugin
from frtaudit.core.registry import names
from frtaudit.errors import ProviderError, SpecError

SIDE = 64
GREY = np.full((SIDE, SIDE, 3), 90, dtype=np.uint8)


def yunet_outputs(seed: int) -> dict[str, np.ndarray]:
    """Outputs for a picture of 64 pixels in which a few cells hold a face."""
    rng, held = np.random.default_rng(seed), {}
    for stride in yunet.STRIDES:
        cells = (SIDE // stride) ** 2
        sure = np.zeros((1, cells, 1))
        sure[0, rng.permutation(cells)[:2]] = rng.uniform(0.9, 1.1, (2, 1))
        held[f"cls_{stride}"], held[f"obj_{stride}"] = sure, sure.copy()
        held[f"bbox_{stride}"] = rng.normal(0, 0.4, (1, cells, 4))
        held[f"kps_{stride}"] = rng.normal(0, 1, (1, cells, 10))
    return {name: held[name] for name in yunet.OUTPUTS}


def scrfd_outputs(seed: int) -> dict[str, np.ndarray]:
    """The same of SCRFD: scores, boxes, landmarks."""
    rng = np.random.default_rng(seed)
    cells = [2 * (SIDE // stride) ** 2 for stride in scrfd.STRIDES]
    scores = [np.where(np.arange(count) == 3 % count, 0.8, 0.1)[:, None] for count in cells]
    boxes = [rng.uniform(0.5, 2, (count, 4)) for count in cells]
    points = [rng.normal(0, 1, (count, 10)) for count in cells]
    return {f"out{place}": value for place, value in enumerate([*scores, *boxes, *points])}


def yunet_cells(outputs: dict[str, np.ndarray], score: float) -> list[tuple[float, ...]]:
    """Cell by cell as OpenCV's face_detect.cpp: score, left, top, width, height, landmarks."""
    found = []
    for stride in yunet.STRIDES:
        columns = SIDE // stride
        cls, obj, bbox, kps = (
            np.float32(outputs[f"{kind}_{stride}"])[0] for kind in ("cls", "obj", "bbox", "kps")
        )
        for place in range(columns * columns):
            row, column = divmod(place, columns)
            sure = math.sqrt(min(max(cls[place, 0], 0), 1) * min(max(obj[place, 0], 0), 1))
            if sure < score:
                continue
            x, y = (column + bbox[place, 0]) * stride, (row + bbox[place, 1]) * stride
            width, height = math.exp(bbox[place, 2]) * stride, math.exp(bbox[place, 3]) * stride
            marks = [(kps[place, k] + (row if k % 2 else column)) * stride for k in range(10)]
            found.append((sure, x - width / 2, y - height / 2, width, height, *marks))
    return found


def scrfd_cells(outputs: dict[str, np.ndarray], score: float) -> list[tuple[float, ...]]:
    """Anchor by anchor as insightface's scrfd.py."""
    values, found = [np.float32(value) for value in outputs.values()], []
    for level, stride in enumerate(scrfd.STRIDES):
        columns = SIDE // stride
        for place in range(2 * columns * columns):
            sure = values[level][place, 0]
            if sure < score:
                continue
            row, column = divmod(place // 2, columns)
            x, y = column * stride, row * stride
            left, top, right, bottom = (side * stride for side in values[3 + level][place])
            marks = [values[6 + level][place, k] * stride + (y if k % 2 else x) for k in range(10)]
            found.append((sure, x - left, y - top, left + right, top + bottom, *marks))
    return found


def flat(face: FoundFace) -> tuple[float, ...]:
    """A face as the slow decoders tell it."""
    box = face.box
    return (face.confidence, box.x, box.y, box.width, box.height, *face.landmarks.ravel())


@pytest.mark.parametrize("kind", ["yunet", "scrfd"])
def test_a_detectors_outputs_are_decoded_as_its_makers_do(tmp_path: Path, kind: str) -> None:
    """Cell by cell to 1e-5; overlap 0.999, so that nothing is suppressed; its digest is recorded, its path is not."""
    make, slow, detector = {
        "yunet": (yunet_outputs, yunet_cells, YuNet),
        "scrfd": (scrfd_outputs, scrfd_cells, Scrfd),
    }[kind]
    outputs = make(7)
    path = constant_model(tmp_path / "found.onnx", SIDE, outputs)
    how = detector(model=str(path), score=0.6, overlap=0.999)
    faces = how.open().faces(GREY, None)
    expected = sorted(slow(outputs, 0.6), key=lambda face: (face[1], face[2]))
    assert len(faces) == len(expected) >= 3
    for face, known in zip(faces, expected, strict=True):
        np.testing.assert_allclose(flat(face), known, rtol=1e-5, atol=1e-4)
    told = how.recorded_settings()
    assert told["sha256 of the detector"] == sha256_file(path)
    assert str(tmp_path) not in str(told)
    larger = np.full((2 * SIDE, SIDE, 3), 90, dtype=np.uint8)
    twice = how.open().faces(larger, None)
    np.testing.assert_allclose(
        [face.box.width for face in twice], [2 * face.box.width for face in faces], rtol=1e-5
    )


def test_a_picture_keeps_its_proportions_in_the_upper_left_corner() -> None:
    """Black beside it; it is made larger only where the detector's makers do so."""
    image = np.full((10, 20, 3), 200, dtype=np.uint8)
    canvas, factor = lettered(image, 16, 16, enlarge=False)
    assert factor == 0.8
    assert (canvas[:8] == 200).all()
    assert not canvas[8:].any()
    assert lettered(image, 40, 40, enlarge=True)[1] == 2.0
    assert lettered(image, 40, 40, enlarge=False)[1] == 1.0
    assert yunet.padded(np.zeros((33, 700, 3), np.uint8), 640) == (32, 640)


def test_what_is_no_such_detector_is_refused_in_one_line(tmp_path: Path) -> None:
    """No file, no model, outputs of another one, sizes that do not fit, numbers that no detector takes."""
    text = tmp_path / "text.onnx"
    text.write_text("no model")
    short = {name: value[:, :3] for name, value in yunet_outputs(1).items()}
    faces = embedding_model(tmp_path / "faces.onnx", 8)
    wrong = [
        (YuNet(model="none.onnx"), "detector yunet: no file 'none.onnx'; accepted: detector.model=FILE.onnx"),
        (YuNet(model=str(text)), "text.onnx is not an ONNX model in one file"),
        (YuNet(model=str(faces)), "the model has no output 'cls_8'"),
        (Scrfd(model=str(faces)), "the model has 1 outputs"),
        (YuNet(model=str(constant_model(tmp_path / "short.onnx", SIDE, short))), "outputs of another shape"),
    ]
    for how, line in wrong:
        with pytest.raises(ProviderError) as caught:
            how.open()
        assert line in str(caught.value)
        assert "\n" not in str(caught.value)
    for kind, settings in (("yunet", {"score": 2.0}), ("yunet", {"longest": 5}), ("scrfd", {"side": 100})):
        with pytest.raises(SpecError, match="detector"):
            plugin("detector", {"type": kind, "model": "x", **settings}, "detector")


def test_detectors_say_what_they_give() -> None:
    """Given faces are those of the table, none where it says none; an aligned picture is one face without a box."""
    face = FoundFace(box=Box(x=1, y=1, width=2, height=2))
    assert list(Given().open().faces(GREY, face)) == [face]
    assert list(Given().open().faces(GREY, None)) == []
    (whole,) = Aligned().open().faces(GREY, None)
    assert whole.box is None
    assert Aligned().gives == {Gives.WHOLE}
    assert set(names("detector")) >= {"given", "aligned"}


def test_five_points_of_dlibs_68_are_eyes_nose_and_mouth() -> None:
    """Eyes are the means of their six points; of five landmarks only the eyes are known."""
    points = np.random.default_rng(0).uniform(0, 100, (68, 2))
    five = five_of(points, _PARTS[68])
    np.testing.assert_allclose(five[0], points[36:42].mean(axis=0))
    np.testing.assert_allclose(five[1], points[42:48].mean(axis=0))
    np.testing.assert_array_equal(five[2:], points[[30, 48, 54]])
    eyes = five_of(points[:5], _PARTS[5])
    np.testing.assert_allclose(eyes[:2], [points[2:4].mean(axis=0), points[:2].mean(axis=0)])
    assert np.isnan(eyes[2:]).all()
