"""Any ONNX model of embeddings: a small one is made here, and its scores are computed a second way."""

import importlib.metadata
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from face_photos import photos
from PIL import Image, ImageOps

from frtaudit.collection.clients import face_network
from frtaudit.collection.clients.gate import Budget, RateLimiter
from frtaudit.collection.clients.model_input import Colours, Layout
from frtaudit.collection.clients.pictures import picture_of
from frtaudit.collection.clients.protocol import Limits
from frtaudit.collection.services.onnx import FoundBy, Onnx
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import CallError, Crop, Picture
from frtaudit.core.identity import plugin, plugin_plain
from frtaudit.errors import ProviderError, SpecError

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

QUIET = """
import time
from frtaudit.collection.clients.face_network import load_onnxruntime
load_onnxruntime().set_default_logger_severity(4)
time.sleep(0.5)
"""
SIDE, WIDE = 4, 6  # pixels of the model's input, numbers of its embedding
GATE = RateLimiter(limits=Limits(), budget=Budget(limit=None))
WEIGHTS = np.random.default_rng(5).standard_normal((3 * SIDE * SIDE, WIDE)).astype(np.float32)


def model(path: Path, shape: tuple[object, ...] = ("N", 3, SIDE, SIDE), outputs: int = 1) -> Path:
    """A model that flattens its input and multiplies it by WEIGHTS; further outputs are its own input."""
    from onnx import TensorProto, helper, numpy_helper

    flat = numpy_helper.from_array(np.array([-1, WEIGHTS.shape[0]], dtype=np.int64), "flat")
    weights = numpy_helper.from_array(WEIGHTS, "weights")
    nodes = [
        helper.make_node("Reshape", ["picture", "flat"], ["row"]),
        helper.make_node("MatMul", ["row", "weights"], ["embedding"]),
        *(helper.make_node("Identity", ["row"], [f"more{n}"]) for n in range(1, outputs)),
    ]
    given = ["embedding", *(f"more{n}" for n in range(1, outputs))]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("picture", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", None]) for name in given],
        [flat, weights],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with channels first."""
    return model(tmp_path_factory.mktemp("model") / "small.onnx")


def made(path: Path, **settings: object) -> Onnx:
    """The service with the model's own size."""
    return Onnx(model=str(path), size=(SIDE, SIDE), **settings)


def noise(seed: int, side: int = SIDE) -> Picture:
    """A picture of random pixels."""
    values = np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)
    return png(Image.fromarray(values))


def png(image: Image.Image) -> Picture:
    stream = io.BytesIO()
    image.save(stream, format="PNG")
    return picture_of(stream.getvalue())


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def by_hand(picture: Picture, layout: Layout, colours: Colours) -> np.ndarray:
    """The embedding without onnxruntime, pixel by pixel."""
    pixels = np.asarray(Image.open(io.BytesIO(picture.data)), dtype=np.float64)
    order = (0, 1, 2) if colours is Colours.RGB else (2, 1, 0)
    mean, deviation = (100.0, 110.0, 120.0), (50.0, 60.0, 70.0)
    plane = [(pixels[:, :, c] - mean[n]) / deviation[n] for n, c in enumerate(order)]
    whole = np.stack(plane, axis=0 if layout is Layout.NCHW else 2)
    return whole.ravel() @ WEIGHTS.astype(np.float64)


@pytest.mark.parametrize("layout", list(Layout))
@pytest.mark.parametrize("colours", list(Colours))
def test_the_score_is_the_cosine_of_embeddings_computed_by_hand(
    tmp_path: Path, layout: Layout, colours: Colours
) -> None:
    """Layout, order of colours, mean and deviation by colour: as NumPy has it to 1e-5."""
    shape = ("N", 3, SIDE, SIDE) if layout is Layout.NCHW else (1, SIDE, SIDE, 3)
    how = made(
        model(tmp_path / "m.onnx", shape),
        layout=layout,
        colours=colours,
        mean=(100.0, 110.0, 120.0),
        deviation=(50.0, 60.0, 70.0),
    )
    session, one, other = how.open(GATE), noise(1), noise(2)
    expected = cosine(*(by_hand(picture, layout, colours) for picture in (one, other)))
    found = session.compare(Crop(picture=one), Crop(picture=other))
    assert found.score == pytest.approx(expected, abs=1e-5)
    assert session.compare(Crop(picture=one), Crop(picture=one)).score == pytest.approx(1.0, abs=1e-12)
    assert found.version.startswith("onnxruntime ")


def test_without_a_detector_the_whole_picture_is_the_face(path: Path) -> None:
    """One face as large as the picture, whose handle scores as the picture itself does."""
    session, picture = made(path).open(GATE), noise(3, side=9)
    (face,) = session.detect(picture).faces
    assert (face.box.x, face.box.y, face.box.width, face.box.height) == (0, 0, 9, 9)
    other = Crop(picture=noise(4))
    assert session.compare(Crop(picture=picture, face=face), other) == session.compare(
        Crop(picture=picture), other
    )


def test_dlib_finds_the_faces_when_asked(path: Path) -> None:
    """A photo with one face: its box with the margin is what the model takes; a grey picture has none."""
    pytest.importorskip("dlib")
    image = ImageOps.contain(Image.open(io.BytesIO(photos()["a"][0])).convert("RGB"), (400, 400))
    how = made(path, detector=FoundBy.DLIB, margin=0.5)
    session, picture = how.open(GATE), png(image)
    (face,) = session.detect(picture).faces
    box = face.box
    edges = (box.x - box.width / 2, box.y - box.height / 2, box.x + 1.5 * box.width, box.y + 1.5 * box.height)
    cut = png(image.crop(tuple(round(edge) for edge in edges)))
    whole = made(path).open(GATE)
    expected = whole.compare(Crop(picture=cut), Crop(picture=noise(1))).score
    handle = whole.detect(noise(1)).faces[0]
    found = session.compare(Crop(picture=picture, face=face), Crop(picture=noise(1), face=handle)).score
    assert found == pytest.approx(expected, abs=1e-6)
    assert session.compare(Crop(picture=picture), Crop(picture=noise(1), face=handle)).score == found
    grey = png(Image.new("RGB", (100, 100), "grey"))
    assert session.detect(grey).faces == ()
    with pytest.raises(CallError, match="no_face"):
        session.compare(Crop(picture=grey), Crop(picture=noise(1), face=handle))
    assert how.recorded_settings()["detector"] == "hog"


def test_a_picture_without_an_embedding_is_a_failure_to_acquire(path: Path) -> None:
    """All values zero after mean and deviation: no direction, hence no score."""
    black = png(Image.new("RGB", (SIDE, SIDE)))
    with pytest.raises(CallError, match="failure_to_acquire: no_embedding"):
        made(path, mean=(0.0, 0.0, 0.0)).open(GATE).detect(black)


def test_asked_tells_the_digest_of_the_model_and_every_setting(path: Path) -> None:
    """The file's sha256; each setting that changes an answer changes what is told; the path does not."""
    asked = made(path).recorded_settings()
    assert asked["sha256 of model"] == sha256_file(path)
    assert str(path) not in str(asked)
    others: list[dict[str, object]] = [
        {"layout": Layout.NHWC},
        {"colours": Colours.BGR},
        {"mean": (0.0, 0.0, 0.0)},
        {"deviation": (1.0, 1.0, 1.0)},
        {"output": "embedding"},
        {"margin": 0.1},
    ]
    told = [made(path, **other).recorded_settings() for other in others]
    assert len({str(sorted(one.items())) for one in [asked, *told]}) == 1 + len(others)


def test_what_is_no_such_model_is_refused_in_one_line(tmp_path: Path, path: Path) -> None:
    """No file, no ONNX, another shape, several outputs, an unknown output or execution: found and accepted."""
    text = tmp_path / "text.onnx"
    text.write_text("not a model")
    empty = tmp_path / "empty.onnx"
    empty.touch()
    two = model(tmp_path / "two.onnx", outputs=2)
    fixed = model(tmp_path / "fixed.onnx", (1, 3, 8, 2))
    free = model(tmp_path / "free.onnx", ("N", 3, "H", "W"))
    wrong = [
        (Onnx(model="none.onnx"), "no file 'none.onnx'; accepted: model=FILE.onnx"),
        (made(text), "text.onnx is not an ONNX model in one file"),
        (made(empty), "empty.onnx is not an ONNX model in one file"),
        (made(fixed), "takes shape [1, 3, 8, 2], the preset's pictures have [1, 3, 4, 4]"),
        (made(path, layout=Layout.NHWC), "the preset's pictures have [1, 4, 4, 3]"),
        (Onnx(model=str(free), size=(5, 5)), "the model fails on a grey picture"),
        (made(two), "several outputs; accepted: output=embedding or more1"),
        (made(two, output="none"), "no output 'none'"),
        (made(path, execution="NoneExecutionProvider"), "no execution provider 'NoneExecutionProvider' here"),
    ]
    for how, line in wrong:
        with pytest.raises(ProviderError, match=re.escape(line)) as caught:
            how.open(GATE)
        assert "\n" not in str(caught.value)
    assert made(two, output="embedding").open(GATE).detect(noise(1)).faces[0].handle.shape == (WIDE,)


def test_without_the_package_one_line_names_the_extra(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line: pip install frtaudit[onnx]."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(face_network, "version", missing)
    with pytest.raises(ProviderError, match=re.escape("pip install frtaudit[onnx]")):
        made(path).open(GATE)


def test_a_spec_names_it_strictly(path: Path) -> None:
    """Plain data to a service and back, without the path; settings that no picture takes are refused."""
    data = {"type": "onnx", "model": str(path), "size": [4, 4], "colours": "bgr", "detector": "dlib"}
    how = plugin("service", data, "services.x")
    assert how == made(path, colours=Colours.BGR, detector=FoundBy.DLIB)
    assert "model" not in plugin_plain("service", how)
    for key, value in (("size", [0, 4]), ("deviation", [1, 0, 1]), ("margin", -1), ("mean", ["nan", 0, 0])):
        with pytest.raises(SpecError, match=key):
            plugin("service", data | {key: value}, "services.x")


def test_the_package_reports_to_nobody(tmp_path: Path) -> None:
    """Loaded by itself onnxruntime notes an id of this machine and its use in the home folder, and sends them."""
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    subprocess.run([sys.executable, "-c", QUIET], env=environment, check=True)
    assert not list(tmp_path.rglob("*"))
