"""Synthetic search results."""

from collections import Counter

import pytest

from frtaudit.collection.clients.made_up import boxes_in
from frtaudit.collection.sources.made_up import MadeUp
from frtaudit.errors import SpecError


def test_images_come_query_by_query_and_are_the_same_again() -> None:
    """Two sources of one seed give the same bytes; another seed gives others."""
    source = MadeUp(queries=3, images=2)
    found = list(source.finds())
    assert [(item.query, item.columns["group"]) for item in found] == [
        (0, "north"), (0, "north"), (1, "south"), (1, "south"), (2, "north"), (2, "north"),
    ]  # fmt: skip
    digests = [source.read(item).digest for item in found]
    assert [MadeUp(queries=3, images=2).read(item).digest for item in found] == digests
    assert len(set(digests)) == 6
    assert MadeUp(seed=1).read(found[0]).digest != digests[0]
    assert source.paid == {}


def test_shares_are_kept_and_faces_are_there_to_be_found() -> None:
    """Of 2,000 images each kind is within four standard errors of its share, and shows as many faces as it says.

    Near-duplicates are fewer: some would follow an image that cannot be repeated.
    """
    source = MadeUp(queries=250, images=8)
    kinds = {(item.query, index % 8): "" for index, item in enumerate(source.finds())}
    kinds = {key: source.kind(*key) for key in kinds}
    counts = Counter(kinds.values())
    for name in ("wrong", "crowd", "empty"):
        share = getattr(source, name)
        assert abs(counts[name] / 2000 - share) < 4 * (share * (1 - share) / 2000) ** 0.5
    assert 0 < counts["near_duplicate"] / 2000 < source.near_duplicate
    expected = {"own": {1}, "wrong": {1}, "near_duplicate": {1}, "empty": {0}, "crowd": {2, 3}}
    for name, faces in expected.items():
        shown = [key for key, kind in kinds.items() if kind == name][:3]
        assert {len(boxes_in(source.picture(*key))) for key in shown} <= faces


def test_a_near_duplicate_is_other_bytes_of_the_image_before() -> None:
    """The query's own face again, a few pixels changed."""
    source = MadeUp(queries=60)
    query, image = next(
        (item.query, index % 8) for index, item in enumerate(source.finds())
        if source.kind(item.query, index % 8) == "near_duplicate"
    )  # fmt: skip
    one, other = source.picture(query, image - 1), source.picture(query, image)
    assert one.digest != other.digest
    assert boxes_in(one) == boxes_in(other)


@pytest.mark.parametrize(
    "wrong",
    [{"queries": 0}, {"wrong": 0.8, "crowd": 0.5}, {"empty": -0.1}, {"groups": ()}, {"variation": -1.0}],
)
def test_what_cannot_be_drawn_is_refused(wrong: dict[str, object]) -> None:
    """One line."""
    with pytest.raises(SpecError, match=r"^\.: "):
        MadeUp(**wrong)  # type: ignore[arg-type]  # wrong on purpose
