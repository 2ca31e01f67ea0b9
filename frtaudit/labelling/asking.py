"""Which faces are worth a person's answer, and in what order (Knott et al., section 6 and Figure S.15)."""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.freeze import freeze, require
from frtaudit.core.labelling import LEFT_OUT, UNSAID, Faces, Labelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The order in which faces without an answer are asked.

    ``order``: shape (A,), int64, indices of faces, the most worth first; ``left_out``: how many of them, all at the
    front, the estimate left out; ``distance``: shape (A,), float64, of the consolidated z from tau, NaN where no
    service could be asked.
    """

    order: Ints
    left_out: int
    distance: Floats

    def __post_init__(self) -> None:
        freeze(self, "order", "distance")
        require(self.order.shape == self.distance.shape, "one distance per face")
        require(0 <= self.left_out <= self.order.size, "left out are some of those asked")


def consolidated(labelled: Labelled) -> Floats:
    """The median over the services of z, shape (F,), NaN where none could be asked; their order changes nothing."""
    return np.asarray(np.median(labelled.z, axis=1))


def asking(faces: Faces, labelled: Labelled, tau: float) -> Asking:
    """First what the estimate leaves out, query by query, then the others by falling ambiguity.

    An answer for a face that is left out adds a face to the test (type A errors); one for a face whose z is near
    ``tau`` corrects a label (type B). Of the queries left out the one that misses most answers comes first; within a
    query, and among all faces with a label, the smallest abs(z - tau). Ties: by query, then by face. A face with an
    answer is not asked again.

    >>> faces = Faces(names=("a", "b", "c"), query_of=np.int32([0, 1, 1]), queries=("p", "q"),
    ...               annotated=np.int8([-2, -2, -2]))
    >>> labels = Labelled(label=np.int8([-1, 1, 0]), identity=np.int32([-1, 0, -1]), reason=("none", ""),
    ...                   z=np.array([[0.1], [0.9], [0.1]]), clusters=np.int32([[0], [1]]), modes={})
    >>> asking(faces, labels, 0.2).order.tolist()
    [0, 2, 1]
    """
    rows = np.flatnonzero(faces.annotated == UNSAID)
    query = faces.query_of[rows].astype(np.int64)
    left = labelled.label[rows] == LEFT_OUT
    distance = np.abs(consolidated(labelled)[rows] - tau)
    keys = (
        rows,
        np.where(np.isnan(distance), np.inf, distance),
        np.where(left, query, 0),
        np.where(left, -np.bincount(query[left], minlength=len(faces.queries))[query], 0),
        ~left,
    )
    chosen = np.lexsort(keys)
    return Asking(order=rows[chosen], left_out=int(np.count_nonzero(left)), distance=distance[chosen])
