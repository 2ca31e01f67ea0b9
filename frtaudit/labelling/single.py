"""Which images hold exactly one face, told by a service that finds no faces but refuses several (Algorithm 1)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Index
from frtaudit.core.labelling import Service

MULTIPLE = "multiple_faces"


class Answer(StrEnum):
    """What a service says of two images: a score, ``several`` faces in one of them or both, or another failure."""

    SCORED = "scored"
    SEVERAL = "several"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Singles:
    """Images that hold one face, those that hold several, and how many of the pairs were never asked."""

    single: frozenset[str]
    several: frozenset[str]
    spared: int


def ask_singles(pairs: Iterable[tuple[str, str]], ask: Callable[[str, str], Answer]) -> Singles:
    """Algorithm 1 of Knott et al. (supplement B): ask for the ``pairs`` in turn, and spare those known to fail.

    A score says that both images hold one face; ``several`` beside an image that is known to hold one says that the
    other does not, and no pair with that one is asked again. An image that is told to hold one face and then several
    is held to hold several, as published: a service that contradicts itself is not believed.

    >>> faces = {"a": 1, "b": 2, "c": 1}
    >>> def ask(one: str, other: str) -> Answer:
    ...     return Answer.SCORED if faces[one] == faces[other] == 1 else Answer.SEVERAL
    >>> found = ask_singles([("a", "c"), ("a", "b"), ("b", "c")], ask)
    >>> sorted(found.single), sorted(found.several), found.spared
    (['a', 'c'], ['b'], 1)
    """
    valid: set[str] = set()
    invalid: set[str] = set()
    spared = 0
    for one, other in pairs:
        if one in invalid or other in invalid:
            spared += 1
            continue
        answer = ask(one, other)
        if answer is Answer.SEVERAL:
            told = {other} if one in valid else set()
            invalid |= told | ({one} if other in valid else set())
        elif answer is Answer.SCORED:
            valid |= {one, other}
    return Singles(single=frozenset(valid - invalid), several=frozenset(invalid), spared=spared)


ONE, MORE, UNTOLD, UNASKED = 1, 2, 0, -1


def told_by(service: Service, size: int) -> npt.NDArray[np.int8]:
    """What finished answers say of each of ``size`` images, shape (size,): one face, more, untold, or never refused.

    Algorithm 1 on all answers at once, so that their order says nothing: scores first, then the answers
    ``multiple_faces``. ``UNTOLD``: such an answer names the image, but none beside an image known to hold one face;
    ``UNASKED``: no such answer names it and no score either.

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
    for one, _ in _sides(service):
        valid[one[scored]] = True
        named[one[refused]] = True
    for one, other in _sides(service):
        several[other[refused & valid[one]]] = True
    return np.select([several, valid, named], [MORE, ONE, UNTOLD], UNASKED).astype(np.int8)


def _sides(service: Service) -> Iterator[tuple[Index, Index]]:
    yield service.first, service.second
    yield service.second, service.first
