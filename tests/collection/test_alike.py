import drawn_faces

from frtaudit.collection.alike import alike
from frtaudit.collection.duplicates import Duplicates, Embedding, FaceBy
from frtaudit.core.collecting import Box, CallError, Picture, Refusal

SOURCE = drawn_faces.Drawn(queries=2, images=4)
PICTURES = dict(enumerate((SOURCE.read(found) for found in SOURCE.finds()), start=1))
IMAGES = [(image, (image - 1) // 4) for image in PICTURES]
BOXES = {image: Box(x=2, y=2, width=20, height=20) for image in PICTURES}


def test_one_face_of_each_query_stays() -> None:
    """Pictures of one drawing are near-duplicates as faces: one of each query stays; unlike queries keep their own."""
    gone = alike(Duplicates(similarity=0.5), IMAGES, PICTURES.__getitem__, BOXES)
    assert sorted(query for image, query in IMAGES if image not in gone) == [0, 1]
    loose = Duplicates(embedding=Embedding.NONE, faces=FaceBy.NONE)
    assert alike(loose, IMAGES, PICTURES.__getitem__, BOXES) == {}


def test_an_image_that_is_gone_stays() -> None:
    """It is compared by nothing here, and its comparisons will say why."""

    def lost(image: int) -> Picture:
        raise CallError(Refusal.TRANSPORT, f"gone_{image}")

    assert alike(Duplicates(), IMAGES, lost, BOXES) == {}


def test_a_face_outside_its_picture_stays() -> None:
    """It cannot be cut out: no image gives way to it, and its comparisons say that the face is lost."""
    boxes = {**BOXES, 1: Box(x=200, y=2, width=20, height=20)}
    assert alike(Duplicates(similarity=0.999), IMAGES, PICTURES.__getitem__, boxes) == {}
