"""Boxes that several services drew in one image: which of them are round one face (Knott et al., section 4)."""

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.stats._scipy import scipy
from frtaudit.stats.similarity.pairs import components, mated_pairs

MIN_OVERLAP = (
    0.2  # boxes of two services overlap by more than this intersection over union where they are one face
)
SHIFT = 2.0  # a tree's weights are 2 - IoU: scipy takes a weight of 0, of two equal boxes, for no edge


def overlaps(boxes: Floats, other: Floats) -> Floats:
    """Intersection over union of P pairs of boxes, shape (P,).

    ``boxes``, ``other``: shape (P, 4), x, y, width, height in pixels, widths and heights above 0.

    >>> overlaps(np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 2, 2]])).round(3).tolist()
    [0.333]
    """
    low = np.maximum(boxes[:, :2], other[:, :2])
    high = np.minimum(boxes[:, :2] + boxes[:, 2:], other[:, :2] + other[:, 2:])
    both = np.prod(np.maximum(high - low, 0.0), axis=1)
    return np.asarray(both / (np.prod(boxes[:, 2:], axis=1) + np.prod(other[:, 2:], axis=1) - both))


def joined(image: Ints, service: Ints, box: Floats, least: float = MIN_OVERLAP) -> tuple[Ints, Flags]:
    """The face of each of B boxes, numbered from 0 by its first box, and whether that face was cut, shape (B,) each.

    ``image``, ``service``: shape (B,); ``box``: shape (B, 4). Boxes of one image and different services with an IoU
    above ``least`` are edges; those of a minimum spanning forest on 1 - IoU that are left make the faces. A face
    that would hold two boxes of one service is cut at its weakest overlaps, all that are equally weak, until no part
    does. What is cut, and so every face, is the same for any order of boxes and services: a forest's parts above a
    threshold are those of the graph.

    >>> box = np.array([[0.0, 0, 4, 4], [1, 0, 4, 4], [9, 9, 2, 2]])
    >>> joined(np.zeros(3, dtype=np.int64), np.array([0, 1, 1]), box)[0].tolist()
    [0, 0, 1]
    """
    first, second = _pairs(image, service)
    overlap = overlaps(box[first], box[second])
    keep = overlap > least
    size = image.size
    edges = scipy.sparse.coo_array(
        (SHIFT - overlap[keep], (first[keep], second[keep])), shape=(size, size)
    ).tocsr()
    forest = scipy.sparse.csgraph.minimum_spanning_tree(edges).tocoo()
    ends, weight = np.stack([forest.row, forest.col]).astype(np.int64), forest.data
    cut = np.zeros(size, dtype=np.bool_)
    while True:
        part = components(ends[0], ends[1], size)
        _, start, inverse = np.unique(part, return_index=True, return_inverse=True)
        face = np.argsort(np.argsort(start))[inverse].astype(np.int64)  # numbered by their first member
        twice = np.zeros(int(face.max(initial=-1)) + 1, dtype=np.bool_)  # faces with two boxes of one service
        if face.size:
            key, count = np.unique(face * (int(service.max()) + 1) + service, return_counts=True)
            twice[key[count > 1] // (int(service.max()) + 1)] = True
        if not twice.any():
            return face, cut
        cut |= twice[face]
        weakest = np.full(size, -np.inf)
        np.maximum.at(weakest, face[ends[0]], weight)
        keep = ~twice[face[ends[0]]] | (weight < weakest[face[ends[0]]])
        ends, weight = ends[:, keep], weight[keep]


def _pairs(image: Ints, service: Ints) -> tuple[Ints, Ints]:
    """Every pair of boxes of one image and two services, each once."""
    order = np.argsort(image, kind="stable")
    first, second = (order[side] for side in mated_pairs(image[order]))
    apart = service[first] != service[second]
    return first[apart], second[apart]
