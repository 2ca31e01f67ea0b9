"""Images as vectors: what is the same picture lies close, another one does not."""

import io
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from PIL import Image
from web_pages import photo

from frtaudit.collection.clients.embedding import Embedder, Network, Thumbnail
from frtaudit.collection.clients.pictures import picture_of
from frtaudit.core.canonical import sha256_file
from frtaudit.core.collecting import Picture
from frtaudit.errors import ProviderError


def variant(data: bytes, side: int | None = None, quality: int = 95) -> Picture:
    """Another size or quality of an image."""
    with Image.open(io.BytesIO(data)) as opened:
        image = opened.convert("RGB").resize((side or opened.width, side or opened.height))
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=quality)
    return picture_of(stream.getvalue())


def cosine(embedder: Embedder, one: Picture, other: Picture) -> float:
    first, second = (embedder.vector(item).astype(np.float64) for item in (one, other))
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_copies_are_near_and_others_are_not() -> None:
    """Half the size, low quality: above 0.98; other pictures: below 0.9, 190 pairs of 20."""
    pictures = [picture_of(photo(seed, 200)) for seed in range(20)]
    for picture in pictures:
        for copy in (variant(picture.data, 100), variant(picture.data, quality=30)):
            assert cosine(Thumbnail(), picture, copy) > 0.98
    others = [cosine(Thumbnail(), a, b) for n, a in enumerate(pictures) for b in pictures[:n]]
    assert max(others) < 0.9


def test_a_picture_of_one_grey_has_a_direction() -> None:
    """All such are alike, and like nothing else."""
    plain = [picture_of(_plain(value)) for value in (0, 200)]
    assert cosine(Thumbnail(), *plain) == pytest.approx(1)
    assert cosine(Thumbnail(), plain[0], picture_of(photo())) == pytest.approx(0)
    assert Thumbnail().recorded_settings() == {"embedding": "pixels"}


def _plain(value: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (40, 30), (value,) * 3).save(stream, "PNG")
    return stream.getvalue()


def saved(path: Path, shape: list[object], nodes: list[onnx.NodeProto], kind: int = TensorProto.FLOAT) -> str:
    """A model of one input and one output, y."""
    given = helper.make_tensor_value_info("x", kind, shape)
    out = helper.make_tensor_value_info("y", kind, None)
    model = helper.make_model(
        helper.make_graph(nodes, "g", [given], [out]),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    onnx.save(model, str(path))
    return str(path)


@pytest.mark.parametrize("last", [False, True])
def test_a_network_sees_what_imagenet_networks_see(tmp_path: Path, *, last: bool) -> None:
    """The middle of the picture by ImageNet's mean and spread, channels first or last; the map's mean is the vector."""
    shape: list[object] = ["N", "H", "W", 3] if last else ["N", 3, 8, 8]
    path = saved(tmp_path / "model.onnx", shape, [helper.make_node("Identity", ["x"], ["y"])])
    network = Network(path)
    expected = (np.array([10, 200, 90]) / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    stream = io.BytesIO()
    wide = np.zeros((40, 80, 3), dtype=np.uint8)
    wide[:, 15:65] = (10, 200, 90)
    Image.fromarray(wide).save(stream, "PNG")
    assert network.vector(picture_of(stream.getvalue())) == pytest.approx(expected, abs=1e-5)
    assert network.recorded_settings() == {"embedding": "onnx", "model": sha256_file(Path(path))}
    assert cosine(network, picture_of(photo(1)), variant(photo(1), 100)) > 0.99


def test_a_network_that_makes_nothing_of_a_picture(tmp_path: Path) -> None:
    """Has a direction too."""
    path = saved(tmp_path / "m.onnx", ["N", 3, 8, 8], [helper.make_node("Sub", ["x", "x"], ["y"])])
    assert Network(path).vector(picture_of(photo())).tolist() == [1, 1, 1]


def test_files_that_are_no_such_model(tmp_path: Path) -> None:
    """Missing, no ONNX, another input: one line."""
    with pytest.raises(ProviderError, match=r"duplicates\.model: no file"):
        Network(str(tmp_path / "none.onnx"))
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(ProviderError, match="not an ONNX model in one file"):
        Network(str(tmp_path / "text.onnx"))
    path = saved(tmp_path / "flat.onnx", ["N", 128], [helper.make_node("Identity", ["x"], ["y"])])
    with pytest.raises(ProviderError, match="an input that is not an image"):
        Network(path)
