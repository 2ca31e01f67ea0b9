"""Synthetic faces and their matcher."""

import numpy as np

from frtaudit.collection.clients.made_up import boxes_in, drawn, likeness, pattern, picture_with, template
from frtaudit.core.collecting import Box


def test_faces_are_found_where_they_were_drawn() -> None:
    """Boxes to the pixel, from left to right, and none on black."""
    face, other = drawn(pattern(1, "a")), drawn(pattern(1, "b"), 64)
    picture = picture_with([(other, 200, 40), (face, 20, 10)], 300, 150)
    expected = (Box(x=20, y=10, width=96, height=96), Box(x=200, y=40, width=64, height=64))
    assert boxes_in(picture) == expected
    assert boxes_in(picture_with([], 50, 50)) == ()


def test_a_face_is_like_itself_and_not_like_another() -> None:
    """Cosines: near 1 at another size, near 0 for another pattern."""
    one, same, other = (
        template(picture, boxes_in(picture)[0])
        for picture in (
            picture_with([(drawn(pattern(1, "a")), 20, 10)], 150, 150),
            picture_with([(drawn(pattern(1, "a"), 64), 5, 5)], 150, 150),
            picture_with([(drawn(pattern(1, "b")), 20, 10)], 150, 150),
        )
    )
    assert one @ same > 0.98
    assert abs(one @ other) < 0.6
    np.testing.assert_allclose([one @ one, one.sum()], [1.0, 0.0], atol=1e-9)


def test_noise_belongs_to_the_pair_and_the_model() -> None:
    """The same at each call, in both orders unless asymmetry is asked for, another one for another model."""
    one, other = np.array([1.0, 0.0]), np.array([0.8, 0.6])
    assert likeness(one, other, "m", 0.1) == likeness(other, one, "m", 0.1) != likeness(one, other, "n", 0.1)
    assert likeness(one, other, "m", 0.1, 0.05) != likeness(other, one, "m", 0.1, 0.05)
