"""A spec of ``frtaudit embed``: typed strictly, what decides the templates as text; tests also face_detector."""

import pytest

from frtaudit.collection.embed.spec import Several, overrides_of, settings_of
from frtaudit.config.load import load_embedding
from frtaudit.errors import SpecError

WORDS = ["images=photos", "into=faces", "model=a folder/r50.onnx", "preset=sface", "detector=aligned"]


def test_a_system_is_called_as_its_model() -> None:
    """The file's name without its ending; dlib's own; or what is said."""
    assert load_embedding(WORDS).name == "r50"
    assert load_embedding([*WORDS, "name=vendor_a"]).name == "vendor_a"
    assert load_embedding(["images=photos", "into=faces", "preset=dlib"]).name == "dlib"


def test_a_path_stands_for_the_images_whatever_it_holds() -> None:
    """Quotes, commas and brackets of a path reach the spec as they are; two paths are refused."""
    for path in ("it's, [my] photos", "a\\b", "x y", "c\\'d", "e\\"):
        assert load_embedding([*overrides_of([path]), *WORDS[1:]]).images == path
    with pytest.raises(SpecError, match="2 paths of images"):
        overrides_of(["one", "two", "preset=dlib"])


def test_settings_tell_what_decides_the_templates_and_no_path() -> None:
    """Each setting that changes a template changes what is told; paths, processes and licences do not."""
    pytest.importorskip("dlib")
    usual = settings_of(load_embedding(WORDS))
    assert "folder" not in str(usual)
    for word in ("workers=3", "preset.licence=other", "into=elsewhere", "model=r51.onnx"):
        assert settings_of(load_embedding([*WORDS, word])) == usual
    for word in (
        "preset.flip_sum=true",
        "preset.mean=[1,2,3]",
        "several=fail",
        "output=x",
        "preset.colours=bgr",
    ):
        assert settings_of(load_embedding([*WORDS, word])) != usual
    assert load_embedding([*WORDS, "several=fail"]).several is Several.FAIL
    assert "mean" not in settings_of(load_embedding(["images=x", "into=y", "preset=dlib"]))


def test_a_detector_must_give_what_the_preset_needs() -> None:
    """Dlib's own network wants a box: pictures that are cut already are refused with what would be accepted."""
    with pytest.raises(
        SpecError, match="the detector gives no box of a face.*accepted: detector=NAME with one of: dlib"
    ):
        load_embedding(["images=x", "into=y", "preset=dlib", "detector=aligned"])
