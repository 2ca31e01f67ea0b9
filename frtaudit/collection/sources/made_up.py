"""Synthetic search results: each query has faces of its own, wrong ones, crowds, near-duplicates and empty images."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.collection.clients.made_up import SIDE, background, drawn, pattern, picture_with
from frtaudit.collection.clients.protocol import UNKEPT, Notes, SourceImage, Unpaid
from frtaudit.core.arrays import Bytes
from frtaudit.core.canonical import seed_of
from frtaudit.core.collecting import Picture
from frtaudit.core.registry import register
from frtaudit.errors import SpecError

_SHARES = ("wrong", "crowd", "near_duplicate", "empty")


@register("source", "made_up")
@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp(Unpaid):
    """Pictures drawn from ``seed``: for demos, training and tests, offline; none shows a real face.

    ``queries`` of ``images`` each; shares of the images: ``wrong`` shows somebody else, ``crowd`` one or two strangers
    beside, ``near_duplicate`` the query's image before it with a few changed pixels, ``empty`` nobody. Other images
    have backgrounds of their own. ``variation``: how much images of one face differ, in standard deviations of the
    pattern. ``groups``: values of the column ``group``, given in turn.
    """

    seed: int = 0
    queries: int = 20
    images: int = 8
    wrong: float = 0.15
    crowd: float = 0.1
    near_duplicate: float = 0.05
    empty: float = 0.03
    variation: float = 0.5
    groups: tuple[str, ...] = ("north", "south")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for sizes and shares that cannot be."""
        if min(self.queries, self.images) < 1:
            raise SpecError(".", "no query or no image", "1 or more")
        shares = [getattr(self, name) for name in _SHARES]
        if not (all(share >= 0 for share in shares) and sum(shares) <= 1):
            text = ", ".join(f"{name} {share:g}" for name, share in zip(_SHARES, shares, strict=True))
            raise SpecError(".", text, "shares of 0 or more, 1 or less together")
        if not self.groups or not 0 <= self.variation < math.inf:
            raise SpecError(".", "no groups, or variation below 0 or infinite", "a list of names; 0 or more")

    def finds(self, notes: Notes = UNKEPT) -> Iterator[SourceImage]:  # noqa: ARG002  it makes no call
        """Query by query, in order."""
        for query in range(self.queries):
            columns = {"group": self.groups[query % len(self.groups)]}
            for image in range(self.images):
                place = f"made_up: query {query} image {image}"
                yield SourceImage(query=query, place=place, columns=columns, address=f"{query} {image}")

    def read(self, source_image: SourceImage) -> Picture:
        """The drawing; the same bytes at each call."""
        query, image = source_image.address.split()
        return self.picture(int(query), int(image))

    def cautions(self) -> tuple[str, ...]:
        """That it is made up."""
        return ("source made_up: nothing in these images is a face of anybody",)

    def at_most(self) -> Sequence[int]:
        """The same for all."""
        return [self.images] * self.queries

    def picture(self, query: int, image: int) -> Picture:
        """One image of one query."""
        kind = self.kind(query, image)
        if kind == "near_duplicate":
            face = self._face(query, image - 1).copy()
            face[::17, ::13] = np.minimum(face[::17, ::13], 240) + 10  # the same picture to the eye
            return picture_with([(face, 40, 30)], 240, 200, self._background(query, image - 1))
        behind = self._background(query, image)
        if kind == "empty":
            return picture_with([], 240, 200, behind)
        faces: list[tuple[Bytes, int, int]] = [(self._face(query, image), 40, 30)]
        if kind == "crowd":
            for index in range(1 + seed_of(self.seed, "crowd", str(query), str(image)) % 2):
                stranger = pattern(self.seed, "stranger", str(query), str(image), str(index))
                faces.append((drawn(stranger, SIDE - 16 * (index + 1)), 180 + 110 * index, 50))
        return picture_with(faces, 180 + 110 * (len(faces) - 1) + 60, 200, behind)

    def kind(self, query: int, image: int) -> str:
        """What an image shows: ``own``, or one of the shares' names.

        >>> MadeUp(wrong=0.0, crowd=0.0, near_duplicate=0.0, empty=0.0).kind(0, 0)
        'own'
        """
        rng = np.random.default_rng(seed_of(self.seed, "kind", str(query), str(image)))
        draw, start = rng.random(), 0.0
        for name in _SHARES:
            start += getattr(self, name)
            if draw < start:
                follows = image > 0 and self.kind(query, image - 1) == "own"
                return "own" if name == "near_duplicate" and not follows else name
        return "own"

    def _face(self, query: int, image: int) -> Bytes:
        wrong = self.kind(query, image) == "wrong"
        names = ("wrong", str(query), str(image)) if wrong else ("own", str(query))
        who = pattern(self.seed, *names)
        return drawn(who + self.variation * pattern(self.seed, "image", str(query), str(image)))

    def _background(self, query: int, image: int) -> Bytes:
        return background(self.seed, "ground", str(query), str(image))
