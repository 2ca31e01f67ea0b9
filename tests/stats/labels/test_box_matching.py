"""Boxes of several services round one face."""

import numpy as np
import oracles_boxes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frtaudit.stats.labels.box_matching import joined, overlaps

A, B, C = 0, 1, 2


def faces(rows: list[tuple[int, int, tuple[float, ...]]]) -> set[frozenset[int]]:
    """Faces as sets of rows (image, service, box)."""
    image, service = (np.array([row[k] for row in rows], dtype=np.int64) for k in (0, 1))
    face, _ = joined(image, service, np.array([row[2] for row in rows], dtype=float).reshape(-1, 4))
    return {frozenset(np.flatnonzero(face == k).tolist()) for k in set(face.tolist())}


def test_two_services_agree_on_one_face() -> None:
    """Boxes that overlap by more than 0.2 are one face, boxes that overlap less are two."""
    assert faces([(0, A, (0, 0, 10, 10)), (0, B, (2, 2, 10, 10))]) == {frozenset({0, 1})}
    assert faces([(0, A, (0, 0, 10, 10)), (0, B, (7, 7, 10, 10))]) == {frozenset({0}), frozenset({1})}


def test_a_third_service_joins_two_that_are_apart() -> None:
    """A box between two others holds all three together: the tree needs no third edge."""
    rows = [(0, A, (0, 0, 10, 10)), (0, B, (4, 0, 10, 10)), (0, C, (8, 0, 10, 10))]
    assert overlaps(np.array([rows[0][2]], float), np.array([rows[2][2]], float))[0] < 0.2
    assert faces(rows) == {frozenset({0, 1, 2})}


def test_equal_boxes_are_one_face() -> None:
    """An IoU of exactly 1 is an edge, though a weight of 1 - IoU = 0 would be none to scipy."""
    assert faces([(0, A, (3, 4, 5, 6)), (0, B, (3, 4, 5, 6))]) == {frozenset({0, 1})}


def test_an_iou_of_exactly_the_bound_is_no_edge() -> None:
    """The rule is IoU > 0.2: two thirds apart, 2 of 10 common, they stay two faces."""
    assert overlaps(np.array([[0.0, 0, 6, 1]]), np.array([[4.0, 0, 6, 1]]))[0] == 0.2
    assert len(faces([(0, A, (0, 0, 6, 1)), (0, B, (4, 0, 6, 1))])) == 2


def test_boxes_of_other_images_never_meet() -> None:
    """The same place in two images is two faces."""
    assert len(faces([(0, A, (0, 0, 9, 9)), (1, B, (0, 0, 9, 9))])) == 2


def test_two_faces_in_an_image() -> None:
    """Two people side by side, each found by both services, are two faces."""
    rows = [(0, A, (0, 0, 9, 9)), (0, A, (20, 0, 9, 9)), (0, B, (21, 1, 9, 9)), (0, B, (1, 1, 9, 9))]
    assert faces(rows) == {frozenset({0, 3}), frozenset({1, 2})}


def test_a_face_that_would_hold_two_boxes_of_a_service_is_cut_at_its_weakest_overlap() -> None:
    """A wide box of B over two boxes of A goes with the one that it overlaps more, and all three are marked."""
    image, service = np.zeros(3, dtype=np.int64), np.array([A, A, B])
    face, cut = joined(image, service, np.array([[0.0, 0, 10, 10], [8, 0, 10, 10], [1, 0, 13, 10]]))
    assert face.tolist() == [0, 1, 0]
    assert cut.tolist() == [True, True, True]


def test_equally_weak_overlaps_are_all_cut() -> None:
    """Where B lies midway between two boxes of A no order of rows decides: each box is its own face."""
    assert len(faces([(0, A, (0, 0, 10, 10)), (0, A, (8, 0, 10, 10)), (0, B, (4, 0, 10, 10))])) == 3


def test_no_box_is_no_face() -> None:
    """Without boxes there are no faces, and no error."""
    assert faces([]) == set()


sides = st.integers(0, 12)
rows_of_boxes = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 3),
        st.tuples(sides, sides, st.integers(1, 12), st.integers(1, 12)),
    ),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(rows=rows_of_boxes)
def test_the_slow_twin_finds_the_same_faces(rows: list[tuple[int, int, tuple[float, ...]]]) -> None:
    """Growing parts and raising the bound pair by pair gives the faces of the thresholded tree."""
    assert faces(rows) == oracles_boxes.joined(*([row[k] for row in rows] for k in range(3)))


@settings(max_examples=100, deadline=None)
@given(rows=rows_of_boxes, data=st.data())
def test_the_order_of_boxes_and_services_says_nothing(rows: list, data: st.DataObject) -> None:
    """Boxes in any order, services and images under any numbers, give the same faces."""
    order = data.draw(st.permutations(range(len(rows))))
    service, image = data.draw(st.permutations(range(4))), data.draw(st.permutations(range(3)))
    moved = [(image[rows[k][0]], service[rows[k][1]], rows[k][2]) for k in order]
    assert {frozenset(order[k] for k in face) for face in faces(moved)} == faces(rows)


@pytest.mark.parametrize("boxes", [3000])
def test_many_boxes_are_joined_without_a_matrix(boxes: int) -> None:
    """Thousands of images, one face each by three services: one face each."""
    rng = np.random.default_rng(1)
    corner = np.repeat(rng.uniform(0, 100, (boxes, 2)), 3, axis=0) + rng.uniform(0, 2, (3 * boxes, 2))
    box = np.column_stack([corner, np.full((3 * boxes, 2), 20.0)])
    image, service = np.repeat(np.arange(boxes), 3), np.tile(np.arange(3), boxes)
    face, cut = joined(image, service, box)
    assert np.array_equal(face, image)
    assert not cut.any()
