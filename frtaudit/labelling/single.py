"""Which images hold exactly one face, told by a service that finds no faces but refuses several (Algorithm 1)."""

import numpy as np

from frtaudit.core.arrays import Signs
from frtaudit.core.labelling import Service

MULTIPLE = "multiple_faces"
ONE, MORE, UNTOLD, UNASKED = 1, 2, 0, -1


def told_by(service: Service, size: int) -> Signs:
    """What finished answers say of each of ``size`` images, shape (size,): one face, more, untold, or never refused.

    Algorithm 1 of Knott et al. (supplement B) on all answers at once, whatever their order: a score says that both
    images hold one face; ``multiple_faces`` beside an image that is known to hold one says that the other holds more,
    and is believed against a score of it, as published. ``UNTOLD``: such an answer names the image, but none beside an
    image known to hold one face; ``UNASKED``: no such answer names it and no score either.

    >>> service = Service(name="s", first=[0, 0, 1], second=[1, 2, 2], score=[0.5, np.nan, np.nan],
    ...                   failure=[-1, 0, 0], codes=("multiple_faces",))
    >>> told_by(service, 4).tolist()
    [1, 1, 2, -1]
    """
    scored = service.failure < 0
    refused = np.zeros(scored.size, dtype=np.bool_)
    if MULTIPLE in service.codes:
        refused = service.failure == service.codes.index(MULTIPLE)
    valid, named, several = (np.zeros(size, dtype=np.bool_) for _ in range(3))
    sides = (service.first, service.second), (service.second, service.first)
    for images, _ in sides:
        valid[images[scored]] = True
        named[images[refused]] = True
    for images, other in sides:
        several[other[refused & valid[images]]] = True
    return np.select([several, valid, named], [MORE, ONE, UNTOLD], UNASKED).astype(np.int8)
