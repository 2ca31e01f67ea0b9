"""The shipped presets against what each family publishes, and what reaches a model by each."""

from pathlib import Path

import numpy as np
import pytest
from face_cases import preset
from small_models import embedding_model, weights

from frtaudit.collection.clients.face_finding import FoundFace
from frtaudit.collection.embed.engine import OnnxEngine, boxed
from frtaudit.config.load import load_embedding
from frtaudit.core.collecting import Box
from frtaudit.core.machine.resources import shipped
from frtaudit.errors import SpecError

ARCFACE = ((38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041))
# size, colours, (v - mean) / deviation, flip sum, scaled in the graph: see `source` of each file.
PUBLISHED = {
    "arcface_rgb_127.5": (112, "rgb", 127.5, 127.5, False, False),
    "arcface_rgb_128": (112, "rgb", 127.5, 128.0, True, False),
    "adaface_bgr": (112, "bgr", 127.5, 127.5, False, False),
    "magface_bgr_01": (112, "bgr", 0.0, 255.0, False, False),
    "facenet_160": (160, "rgb", 127.5, 128.0, False, False),
    "sface": (112, "rgb", 0.0, 1.0, False, True),
}


def test_every_shipped_preset_states_its_source_and_licence() -> None:
    """All files of conf/preset; the list that a user sees has a line about each."""
    files = sorted(path.stem for path in (shipped("conf") / "preset").glob("*.yaml"))
    assert files == sorted([*PUBLISHED, "dlib"])
    for name in files:
        found = preset(name)
        assert found.source
        assert found.licence


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_preset_holds_the_published_numbers(tmp_path: Path, name: str) -> None:
    """Its constants; and a model with known weights gives what the family's own steps do, to 1e-5."""
    side, colours, mean, deviation, flip_sum, scaled = PUBLISHED[name]
    found = preset(name)
    assert (found.size, str(found.colours), str(found.layout)) == ((side, side), colours, "NCHW")
    assert (set(found.mean), set(found.deviation)) == ({mean}, {deviation})
    assert (found.flip_sum, found.scaled_in_graph, found.normalise) == (flip_sum, scaled, False)
    assert found.landmarks == (ARCFACE if name != "facenet_160" else ())
    engine = OnnxEngine(found, str(embedding_model(tmp_path / "m.onnx", side)), None, "CPUExecutionProvider")
    face = np.random.default_rng(3).integers(0, 256, (side, side, 3), dtype=np.uint8)
    ordered = face if colours == "rgb" else face[:, :, [2, 1, 0]]
    values = (ordered.astype(np.float64) - mean) / deviation
    expected = values.transpose(2, 0, 1).ravel() @ weights(side).astype(np.float64)
    chip = engine.chip(face, FoundFace())
    np.testing.assert_allclose(
        engine.outputs([chip])[0], expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
    )


def test_a_box_is_cut_as_facenet_pytorch_does() -> None:
    """Edges cut off to whole pixels, no farther than the picture, scaled by Pillow's bilinear filter."""
    from PIL import Image

    image = np.random.default_rng(4).integers(0, 256, (60, 50, 3), dtype=np.uint8)
    box = Box(x=10.7, y=-3.2, width=80.0, height=40.9)
    expected = Image.fromarray(image).crop((10, 0, 50, 37)).resize((160, 160), Image.Resampling.BILINEAR)
    np.testing.assert_array_equal(boxed(image, box, 0.0, (160, 160)), np.asarray(expected))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["preset.landmarks=[[1,2]]"], "preset.landmarks: 1 landmarks; accepted: x, y of five"),
        (["preset.deviation=[0,1,1]"], "a deviation of 0"),
        (["preset.size=[0,112]"], "preset.size"),
        (["preset.margin=9"], "preset.margin: 9; accepted: 0 to 5"),
        (["preset.engine=dlib", "~model"], "preset.cut: landmarks with engine dlib"),
        (["preset.colours=grey"], "preset.colours: found 'grey'; accepted: rgb, bgr"),
        (["preset.mena=1"], "did you mean 'mean'?"),
        (["preset=arcface"], "no option is named 'arcface'"),
    ],
)
def test_a_preset_that_cannot_be_is_refused_in_one_line(words: list[str], line: str) -> None:
    """The place, what was found, what would be accepted."""
    given = ["images=x", "into=y", "model=m.onnx", "preset=sface", "detector=aligned"]
    changed = [word for word in given if f"~{word.partition('=')[0]}" not in words]
    changed = [
        word for word in changed if not (words[0].startswith("preset=") and word.startswith("preset="))
    ]
    with pytest.raises(SpecError) as caught:
        load_embedding([*changed, *(word for word in words if not word.startswith("~"))])
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
