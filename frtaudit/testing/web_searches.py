"""Synthetic web searches of known truth, by mechanisms that no method of this project assumes."""

from enum import StrEnum

import numpy as np

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.labelling import NOT_OF_QUERY, OF_QUERY, Faces, Service
from frtaudit.labelling.pairs import pairs_of
from frtaudit.labelling.settings import Between
from frtaudit.stats.von_mises_fisher import unit

DIMENSION = 64
NOISE = (0.25, 0.4, 0.5, 0.6, 0.7)  # of each service, beside an image's own
IMAGE, BAD, HARD = (0.45, 0.65), 1.4, (1.0, 1.3)  # noise of an image, of a bad one, of a hard person's
BADLY, HARDLY, RELATED = 0.05, 0.15, 0.2  # shares of bad images, of hard people, of queries with a relative
LIKENESS = 0.4  # cosine of a person and the relative


class Truth(StrEnum):
    """What makes a search hard: nothing much, people whose images differ, relatives among the strangers."""

    EASY = "easy"
    HARD = "hard"
    RELATIVES = "relatives"


def search(truth: Truth, queries: int, rng: np.random.Generator) -> tuple[Faces, tuple[Service, ...]]:
    """Faces with the truth as annotation, and what five services say of pairs: all within, as many between.

    An image is a direction, the person's plus noise of its own length; a service sees it with noise of the service's.
    A query finds 10 to 20 faces, 45 to 90 % of them its person's. A relative has one to three of the others.
    """
    sizes = rng.integers(10, 21, queries)
    right = np.round(sizes * rng.uniform(0.45, 0.9, queries)).astype(np.int64)
    query = np.repeat(np.arange(queries), sizes)
    number = np.arange(query.size) - np.searchsorted(query, query)
    of_person = number < right[query]
    person = unit(rng.standard_normal((queries, DIMENSION)))
    means = np.where(of_person[:, None], person[query], unit(rng.standard_normal((query.size, DIMENSION))))
    noise = rng.uniform(*IMAGE, query.size)
    if truth is Truth.HARD:
        hard = rng.random(queries) < HARDLY
        noise = np.where(hard[query] & of_person, rng.uniform(*HARD, query.size), noise)
    noise = np.where(rng.random(query.size) < BADLY, BAD, noise)
    if truth is Truth.RELATIVES:
        related = np.where(rng.random(queries) < RELATED, rng.integers(1, 4, queries), 0)
        kin = ~of_person & (number < (right + related)[query])
        aside = rng.standard_normal(person.shape)
        aside = unit(aside - person * (aside * person).sum(axis=1, keepdims=True))
        relatives = LIKENESS * person + np.sqrt(1 - LIKENESS**2) * aside
        means[kin] = relatives[query[kin]]
    images = unit(means + _length(noise, rng))
    faces = Faces(
        names=tuple(f"{row:06d}" for row in range(query.size)),
        query_of=query.astype(np.int32),
        queries=tuple(f"{q:05d}" for q in range(queries)),
        annotated=np.where(of_person, OF_QUERY, NOT_OF_QUERY).astype(np.int8),
    )
    ends = pairs_of(faces, np.zeros(queries, dtype=np.int64), Between.MATCHED, rng)
    seen = [unit(images + _length(np.full(query.size, level), rng)) for level in NOISE]
    return faces, tuple(_service(f"service_{place}", vectors, *ends) for place, vectors in enumerate(seen))


def _length(noise: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(noise[:, None] * rng.standard_normal((noise.size, DIMENSION)) / np.sqrt(DIMENSION))


def _service(name: str, seen: Floats, first: Index, second: Index) -> Service:
    score = np.einsum("pd,pd->p", seen[first], seen[second])
    failure = np.full(score.size, -1, dtype=np.int16)
    return Service(name=name, first=first, second=second, score=score, failure=failure, codes=())
