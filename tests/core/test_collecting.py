"""What is collected: values."""

import math

import pytest

from frtaudit.core.collecting import Answer, Box, CallError, DetectedFace, Picture, left_to_right, same_face


def test_a_picture_shows_no_byte_and_knows_its_digest() -> None:
    """The text of a picture holds its digest and nothing of the image."""
    picture = Picture(data=b"secret", width=2, height=3, media="image/png")
    assert "secret" not in repr(picture)
    assert len(picture.digest) == 64


@pytest.mark.parametrize("score", [math.nan, math.inf, True, "0.9", None])
def test_an_answer_has_a_finite_score(score: float) -> None:
    """No failure is dressed as a score, nor is what is no number."""
    with pytest.raises(ValueError, match="finite"):
        Answer(score=score)


def test_a_box_has_an_area() -> None:
    """Nothing is cut out of a box of no width."""
    with pytest.raises(ValueError, match="area"):
        Box(x=0, y=0, width=0, height=5)


@pytest.mark.parametrize("side", ["x", "y", "width", "height"])
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_box_is_finite(side: str, value: float) -> None:
    """What a service calls infinite is no place in a picture."""
    with pytest.raises(ValueError, match="finite"):
        Box(**{"x": 1, "y": 1, "width": 5, "height": 5, side: value})


def test_boxes_apart_do_not_overlap() -> None:
    """0 where nothing is shared, 1 for the same box."""
    here, there = Box(x=0, y=0, width=2, height=2), Box(x=5, y=0, width=2, height=2)
    assert (here.overlap(there), here.overlap(here)) == (0.0, 1.0)


def test_the_same_face_is_the_one_that_overlaps_most() -> None:
    """Of two that overlap the nearer; below half of the area that both cover there is none; order is the picture's."""
    boxes = [Box(x=x, y=0, width=10, height=10) for x in (3, 1, 40)]
    faces = [DetectedFace(box=box, handle=place) for place, box in enumerate(boxes)]
    assert same_face(Box(x=0, y=0, width=10, height=10), faces).handle == 1
    assert [face.handle for face in left_to_right(faces)] == [1, 0, 2]
    for others in (faces[2:], [DetectedFace(box=None)], []):
        with pytest.raises(CallError, match="failure_to_acquire: face_lost"):
            same_face(Box(x=0, y=0, width=10, height=10), others)
