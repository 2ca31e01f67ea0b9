"""Which images of a query are left out for another that is all but the same: whole images first, then their faces."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from frtaudit.collection.clients.embedding import Embedder
from frtaudit.collection.clients.pictures import cut
from frtaudit.collection.duplicates import NEAR_FACE, Duplicates, FaceBy, images_left_out, near_duplicates
from frtaudit.core.collecting import Box, CallError, Picture
from frtaudit.core.machine import signals


def alike(
    settings: Duplicates,
    images: Sequence[tuple[int, int]],
    picture_of: Callable[[int], Picture],
    box_of: Mapping[int, Box],
) -> dict[int, str]:
    """Image to the reason why it is left out, of images (number, query) that were read.

    ``box_of``: the face of each image in which one was found.
    """
    gone = images_left_out(settings, images, picture_of)
    embedder = settings.embedder()
    if settings.faces is not FaceBy.CROPS or embedder is None:
        return gone
    for query in sorted({query for _, query in images}):
        signals.check()
        left = [image for image, of in images if of == query and image not in gone and image in box_of]
        gone |= _faces(settings, embedder, left, picture_of, box_of)
    return gone


def _faces(
    settings: Duplicates,
    embedder: Embedder,
    images: Sequence[int],
    picture_of: Callable[[int], Picture],
    box_of: Mapping[int, Box],
) -> dict[int, str]:
    """Of one query: those whose face, cut out, is all but that of another."""
    readable, vectors = [], []
    for image in images:
        try:
            vectors.append(embedder.vector(cut(picture_of(image), box_of[image])))
        except CallError:
            continue  # it cannot be read again: its comparisons say so
        readable.append(image)
    if not readable:
        return {}
    near = near_duplicates(np.stack(vectors), settings.similarity)
    return {image: NEAR_FACE for image, out in zip(readable, near.tolist(), strict=True) if out}
