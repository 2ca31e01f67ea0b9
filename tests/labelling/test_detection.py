"""Which faces of which images are used, from boxes and from refusals."""

from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.labelling import Faces, Service
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.queries.boxes import BoxList, boxes_of
from frtaudit.inputs.tables import read_table
from frtaudit.labelling.detection import Detections, crops_of, faces_in, with_reasons
from frtaudit.labelling.settings import Detected
from frtaudit.labelling.single import MULTIPLE

IMAGES = Faces(
    names=("p1", "p2", "p3", "p4"), query_of=[0, 0, 1, 1], queries=("p", "q"), annotated=[1, 1, 0, -2]
)
Row = tuple[str, str, str, float, float, float, float]


def boxes(folder: Path, rows: list[Row]) -> BoxList:
    """Boxes as a file holds them."""
    path = folder / "boxes.csv"
    said = ["image,provider,face,x,y,width,height", *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(said) + "\n")
    return boxes_of(read_table(path, path.name))


def one_each(*images: str) -> list[Row]:
    """Two services find the same face in each of these images."""
    return [
        (image, name, f"{name}-{image}", 5 + k, 5, 20, 20)
        for image in images
        for k, name in enumerate(("acme", "bolt"))
    ]


def service(name: str, refused: list[tuple[int, int]] = [], scored: list[tuple[int, int]] = []) -> Service:  # noqa: B006  never changed
    """Answers about crops or images by number."""
    pairs = [*refused, *scored]
    failure = np.array([0] * len(refused) + [-1] * len(scored), dtype=np.int16)
    ends = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Service(
        name=name,
        first=ends[:, 0],
        second=ends[:, 1],
        score=np.where(failure < 0, 0.5, np.nan),
        failure=failure,
        codes=(MULTIPLE,),
    )


BOTH = (service("acme"), service("bolt"))


def ledger(found: Detections) -> dict[tuple[str, str | None], int]:
    """Code and provider to count."""
    return {(entry.code, entry.provider): entry.count for entry in found.ledger}


def test_single_keeps_images_in_which_every_service_finds_one_face(tmp_path: Path) -> None:
    """An image with two faces by one, none by the other, or boxes apart is left out, each with its count."""
    rows = one_each("p1", "p2")
    rows += [("p2", "bolt", "second", 60, 5, 20, 20), ("p3", "acme", "alone", 5, 5, 20, 20)]
    rows += [("p4", "acme", "left", 0, 0, 9, 9), ("p4", "bolt", "right", 50, 0, 9, 9)]
    found = faces_in(IMAGES, boxes(tmp_path, rows), BOTH, Detected.SINGLE)
    assert found.names == ("p1",)
    assert {name: own.tolist() for name, own in found.face_of.items()} == {
        "acme": [0, -1, -1, -1],
        "bolt": [0, -1, -1, -1],
    }
    assert ledger(found) == {
        ("several_faces_found", "bolt"): 1,
        ("no_face_found", "bolt"): 1,
        ("boxes_apart", None): 1,
        ("image_left_out", None): 3,
    }


def test_all_keeps_every_face_that_all_services_found(tmp_path: Path) -> None:
    """Both people of an image are used, under the image's name from left to right; what one service misses is not."""
    rows = [("p2", "acme", "far", 80, 0, 9, 9), ("p2", "bolt", "far", 81, 0, 9, 9), *one_each("p2")]
    rows += [("p3", "acme", "alone", 5, 5, 20, 20)]
    found = faces_in(IMAGES, boxes(tmp_path, rows), BOTH, Detected.ALL)
    assert found.names == ("p2/1", "p2/2")
    assert found.among.tolist() == [True, True]
    assert found.face_of["acme"].tolist() == [1, 0, -1]
    assert ledger(found) == {("face_not_found_by_all", None): 1, ("image_left_out", None): 3}


def test_three_services_must_all_find_it(tmp_path: Path) -> None:
    """A third service with a box in one image only keeps that image only."""
    rows = [*one_each("p1", "p2"), ("p2", "crest", "c", 6, 6, 20, 20)]
    found = faces_in(IMAGES, boxes(tmp_path, rows), (*BOTH, service("crest")), Detected.SINGLE)
    assert found.names == ("p2",)
    assert ledger(found)["no_face_found", "crest"] == 3


def test_a_face_cut_from_another_is_counted(tmp_path: Path) -> None:
    """A box of one service over two of the other goes with the nearer; the exclusions say that faces were cut."""
    rows = [("p1", "acme", "a1", 0, 0, 10, 10), ("p1", "acme", "a2", 8, 0, 10, 10)]
    found = faces_in(IMAGES, boxes(tmp_path, [*rows, ("p1", "bolt", "b", 1, 0, 13, 10)]), BOTH, Detected.ALL)
    assert found.names == ("p1/1",)
    assert ledger(found)["face_cut_from_others", None] == 2


def test_a_service_without_boxes_tells_by_refusals(tmp_path: Path) -> None:
    """An image that it refuses beside one that it scored, or of which it tells nothing else, is left out."""
    told = service("verity", refused=[(0, 1), (2, 2 + 1)], scored=[(0, 3)])
    found = faces_in(
        IMAGES, boxes(tmp_path, one_each("p1", "p2", "p3", "p4")), (*BOTH, told), Detected.SINGLE
    )
    assert found.names == ("p1", "p4")
    assert ledger(found)["several_faces_found", "verity"] == 2
    alone = faces_in(IMAGES, None, [service("verity", refused=[(0, 1)], scored=[(2, 3)])], Detected.SINGLE)
    assert alone.names == ("p3", "p4")
    assert ledger(alone) == {
        ("not_told_how_many_faces", "verity"): 2,
        ("image_left_out", None): 2,
    }


def test_all_faces_need_boxes_of_every_service(tmp_path: Path) -> None:
    """A service that scores images cannot say which of two faces it compared: refused in one line."""
    with pytest.raises(SpecError, match="verity has no boxes"):
        faces_in(IMAGES, boxes(tmp_path, one_each("p1")), (*BOTH, service("verity")), Detected.ALL)


def test_boxes_that_belong_nowhere_are_named_by_their_line(tmp_path: Path) -> None:
    """An image that is not listed, a service without scores: each in one line with its number."""
    listed = boxes(tmp_path, [*one_each("p1"), ("p9", "acme", "f", 1, 1, 5, 5)])
    with pytest.raises(DataError, match="line 4: an image that the list of images lacks"):
        faces_in(IMAGES, listed, BOTH, Detected.SINGLE)
    with pytest.raises(DataError, match="line 3: boxes of 'bolt', which has no scores"):
        crops_of(listed, ["acme"])


def test_an_image_that_was_refused_is_none_without_a_face(tmp_path: Path) -> None:
    """Of two images without a box one was refused by policy; a service that says no_face found none."""
    read = boxes(tmp_path, one_each("p1", "p2"))
    found = faces_in(IMAGES, read, BOTH, Detected.SINGLE)
    refused = {"acme": {"policy_http_451": 1}, "bolt": {"no_face": 1, "too_small": 2}}
    counts = {(entry.code, entry.provider): entry.count for entry in with_reasons(found.ledger, refused)}
    assert counts == {
        ("no_face_found", "acme"): 1,
        ("policy_http_451", "acme"): 1,
        ("too_small", "bolt"): 2,
        ("image_left_out", None): 2,
    }
    assert with_reasons(found.ledger, {}) == found.ledger
