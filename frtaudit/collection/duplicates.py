"""Images and faces that are left out because another is the same: by digest, by embedding; counted by reason."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from frtaudit.collection.clients.embedding import Embedder, Network, Thumbnail
from frtaudit.core.arrays import Flags, Index, Singles
from frtaudit.core.collecting import CallError, Picture
from frtaudit.core.spec_values import PATH, SIMILARITY
from frtaudit.errors import SpecError
from frtaudit.stats.labels.duplicates import duplicated

SAME, SHARED = "same_image_in_query", "image_of_several_queries"
NEAR, NEAR_FACE = "near_duplicate", "near_duplicate_face"


class Embedding(StrEnum):
    """How images are compared."""

    PIXELS = "pixels"
    ONNX = "onnx"
    NONE = "none"


class Across(StrEnum):
    """What happens to one image that several queries found."""

    LEAVE_OUT = "leave_out"
    KEEP = "keep"


class FaceBy(StrEnum):
    """How faces are compared: cut out and embedded as images are, or by the templates of a local engine."""

    CROPS = "crops"
    TEMPLATES = "templates"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Of several images of a query whose embeddings have a cosine above ``similarity``, one is kept (the medoid).

    ``embedding``: of images, ``model`` is the ONNX file of one; ``across``: one image under two queries is left out of
    both; ``faces``: the same again for faces that were cut out, above ``similarity`` too. By ``templates`` there is no
    number that fits all engines (dlib gives nearly all pairs of one person a cosine above 0.9):
    ``template_similarity`` must be said.
    """

    embedding: Embedding = Embedding.PIXELS
    model: str | None = field(default=None, metadata=PATH)
    similarity: float = SIMILARITY
    across: Across = Across.LEAVE_OUT
    faces: FaceBy = FaceBy.CROPS
    template_similarity: float | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for settings that leave open what is compared."""
        for name in ("similarity", "template_similarity"):
            value = getattr(self, name)
            if value is not None and not -1 <= value < 1:
                raise SpecError(f"duplicates.{name}", f"{value:g}", "a cosine, -1 or more and below 1")
        if (self.embedding is Embedding.ONNX) != (self.model is not None):
            problem = f"{self.embedding} with {self.model!r}"
            raise SpecError("duplicates.model", problem, "embedding=onnx model=FILE")
        if (self.faces is FaceBy.TEMPLATES) != (self.template_similarity is not None):
            problem = f"faces={self.faces} without it"
            raise SpecError("duplicates.template_similarity", problem, "faces=templates and a cosine")

    def embedder(self) -> Embedder | None:
        """None where images are compared by digest alone. Raises :class:`ProviderError` for a broken model file."""
        if self.embedding is Embedding.NONE:
            return None
        return Thumbnail() if self.model is None else Network(self.model)


def sieved(
    query_of: Index, digests: Sequence[str], settings: Duplicates, near: Flags | None = None
) -> list[str]:
    """Why each of N images is left out, empty where it stays; ``near`` (N,): see :func:`near_duplicates`.

    ``query_of``: (N,), non-decreasing. The first of equal images of a query stays; of images under several queries none
    does, unless the settings keep them. An image has one reason: equal, shared, near, the first that holds.

    >>> sieved(np.int32([0, 0, 1, 1]), ["a", "a", "b", "c"], Duplicates())
    ['', 'same_image_in_query', '', '']
    """
    reason = np.full(len(digests), "", dtype=object)
    if near is not None:
        reason[near] = NEAR
    if settings.across is Across.LEAVE_OUT:
        reason[shared(query_of, digests)] = SHARED
    reason[repeated(query_of, digests)] = SAME
    return reason.tolist()


def images_left_out(
    settings: Duplicates, images: Sequence[tuple[int, int]], picture_of: Callable[[int], Picture]
) -> dict[int, str]:
    """Image to the reason why it is left out, of images (number, query) that were read; others stay.

    ``picture_of``: an image by its number, asked for query by query, so that vectors of one query are held at a time.
    An image that it cannot give again (:class:`CallError`) is compared by nothing, and stays. Raises
    :class:`ProviderError` for a broken model file.
    """
    embedder = settings.embedder()
    ordered = sorted(images, key=lambda pair: pair[1])  # stable: the order of the images within a query stays
    query_of = np.array([query for _, query in ordered], dtype=np.int32)
    digests, near = [], np.zeros(len(ordered), dtype=np.bool_)
    for query in np.unique(query_of):
        rows = np.flatnonzero(query_of == query)
        seen = [_digest_and_vector(picture_of, ordered[row][0], embedder) for row in rows.tolist()]
        digests += [digest for digest, _ in seen]
        there = rows[[vector is not None for _, vector in seen]]
        vectors = [vector for _, vector in seen if vector is not None]
        distinct = ~repeated(np.zeros(rows.size, dtype=np.int32), [digest for digest, _ in seen])
        if vectors:
            near[there] = near_duplicates(np.stack(vectors), settings.similarity, distinct[there - rows[0]])
    reasons = sieved(query_of, digests, settings, near)
    return {image: reason for (image, _), reason in zip(ordered, reasons, strict=True) if reason}


def _digest_and_vector(
    picture_of: Callable[[int], Picture], image: int, embedder: Embedder | None
) -> tuple[str, Singles | None]:
    """Digest and vector; of an image that is not there any more a digest that no other has."""
    try:
        picture = picture_of(image)
    except CallError:
        return f"image {image}", None
    return picture.digest, None if embedder is None else embedder.vector(picture)


def repeated(query_of: Index, digests: Sequence[str]) -> Flags:
    """Images of which the same query has the same bytes before, shape (N,).

    >>> repeated(np.int32([0, 0, 1]), ["a", "a", "a"]).tolist()
    [False, True, False]
    """
    import pandas as pd  # a spec is read without

    return pd.DataFrame({"query": query_of, "digest": digests}).duplicated().to_numpy()


def shared(query_of: Index, digests: Sequence[str]) -> Flags:
    """Images whose bytes several queries have, shape (N,): their person is unknown.

    >>> shared(np.int32([0, 0, 1]), ["a", "b", "a"]).tolist()
    [True, False, True]
    """
    import pandas as pd  # a spec is read without

    frame = pd.DataFrame({"query": query_of, "digest": digests})
    return np.asarray(frame.groupby("digest")["query"].transform("nunique") > 1)


def near_duplicates(vectors: Singles, similarity: float, distinct: Flags | None = None) -> Flags:
    """Which images of ONE query are left out for the medoid of their group (Knott et al., supplement A), shape (n,).

    ``vectors`` (n, D), no row zero; ``distinct`` (n,): images among which medoids are sought, others stay untold (they
    have another reason). Query by query, so that no more than one query's vectors are held.

    >>> near_duplicates(np.float32([[1, 0], [1, 0.1], [0, 1]]), 0.9).tolist()
    [False, True, False]
    """
    keep = np.ones(len(vectors), dtype=np.bool_) if distinct is None else distinct
    gone = np.zeros(len(vectors), dtype=np.bool_)
    if keep.any():
        gone[keep] = duplicated(np.zeros(int(keep.sum()), dtype=np.int32), vectors[keep], similarity)
    return gone


def recorded_settings(settings: Duplicates, embedder: Embedder | None) -> Mapping[str, str]:
    """What decides which images stay, for the record: the settings, and the digest of the model file.

    >>> recorded_settings(Duplicates(), Thumbnail())["similarity"]
    '0.9'
    """
    recorded = {
        "similarity": repr(settings.similarity),
        "across": str(settings.across),
        "faces": str(settings.faces),
        **({"embedding": "none"} if embedder is None else embedder.recorded_settings()),
    }
    if settings.template_similarity is not None:
        recorded["template_similarity"] = repr(settings.template_similarity)
    return dict(sorted(recorded.items()))
