"""What is collected: values."""

import math

import pytest

from frtaudit.core.collecting import Answer, Box, Picture


def test_a_picture_shows_no_byte_and_knows_its_digest() -> None:
    """The text of a picture holds its digest and nothing of the image."""
    picture = Picture(data=b"secret", width=2, height=3, media="image/png")
    assert "secret" not in repr(picture)
    assert len(picture.digest) == 64


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_an_answer_has_a_finite_score(score: float) -> None:
    """No failure is dressed as a score."""
    with pytest.raises(ValueError, match="finite"):
        Answer(score=score)


def test_a_box_has_an_area() -> None:
    """Nothing is cut out of a box of no width."""
    with pytest.raises(ValueError, match="area"):
        Box(x=0, y=0, width=0, height=5)
