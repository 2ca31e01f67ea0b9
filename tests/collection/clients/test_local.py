"""Calls of a service on this machine, on faces that a list gives."""

from typing import cast

import numpy as np
import pytest
from made_up_services import Counting

from frtaudit.collection.clients.local import LocalSession
from frtaudit.core.collecting import Box, CallError, Crop, DetectedFace, Picture

NARROW, WIDE = (Box(x=0, y=0, width=width, height=10) for width in (10, 20))
PICTURE = Picture(data=b"x", width=64, height=64, media="image/png")


def session(*boxes: Box) -> LocalSession[Picture]:
    """Each box is a face whose vector holds its width; a score is the first width."""
    return LocalSession(
        gate=Counting(),
        version="1",
        read=lambda picture: picture,
        find=lambda _: [(box, {"size": box.width}) for box in boxes],
        vector=lambda _, box: np.array([box.width]),
        score=lambda one, other: (float(one[0]), {"other": float(other[0])}),
    )


def test_each_face_has_its_vector_and_is_counted() -> None:
    """Boxes, facts and vectors in the order in which they are found; both calls pass the gate once."""
    opened = session(NARROW, WIDE)
    narrow, wide = opened.detect(PICTURE).faces
    assert [(face.box, face.facts["size"]) for face in (narrow, wide)] == [(NARROW, 10), (WIDE, 20)]
    answer = opened.compare(Crop(picture=PICTURE, face=narrow), Crop(picture=PICTURE, face=wide))
    assert (answer.score, answer.version, dict(answer.facts)) == (10.0, "1", {"other": 20.0})
    assert dict(cast("Counting", opened.gate).passed) == {"detect": 1, "compare": 1}


def test_a_face_without_a_vector_is_that_of_its_box_or_the_largest() -> None:
    """A box alone is described again; a picture alone stands for its largest face, and one without is refused."""
    narrow = Crop(picture=PICTURE, face=DetectedFace(box=NARROW))
    answer = session(NARROW, WIDE).compare(narrow, Crop(picture=PICTURE))
    assert (answer.score, answer.facts["other"]) == (10.0, 20.0)
    with pytest.raises(CallError, match="failure_to_acquire: no_face"):
        session().compare(narrow, Crop(picture=PICTURE))
