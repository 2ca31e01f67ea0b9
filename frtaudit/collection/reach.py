"""The queries that are collected: all, or under a partial budget as many whole ones as it reaches for."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from frtaudit.collection.chosen import chosen, query_name
from frtaudit.collection.clients.gate import Budget
from frtaudit.collection.clients.protocol import SourceImage
from frtaudit.collection.plan import comparing_price, looking_price
from frtaudit.collection.spec import CollectionSpec
from frtaudit.collection.store import Store
from frtaudit.core.canonical import seed_of
from frtaudit.errors import DataError

TAKEN = "taken"
MIN_QUERIES = 2  # queries, for pairs between them


class Reach:
    """Queries are taken in random order, those that images are looked at of; what is taken stays taken.

    A query is taken where the budget reaches for looking at its images, for comparing all faces of the queries taken,
    and for every round of canaries. Where images showed no face, more are taken.
    """

    def __init__(
        self, store: Store, spec: CollectionSpec, budget: Budget, images: Sequence[SourceImage]
    ) -> None:
        self._store, self._spec, self._budget, self._images = store, spec, budget, images
        self._sizes = Counter(image.query for image in images)
        self._columns = {query_name(image.query): image.columns for image in images}
        queries = sorted(self._sizes)
        rng = np.random.default_rng(seed_of(spec.seed, "collection", "queries"))
        self._order = [queries[place] for place in rng.permutation(len(queries))]
        noted = store.meta(TAKEN)
        self._partial = spec.budget.partial and budget.limit is not None
        self.taken = len(queries)
        if self._partial:
            self.taken = 0 if noted is None else int(noted.split()[0])

    def images(self) -> list[int]:
        """The numbers of the images of the queries taken."""
        taken = set(self._order[: self.taken])
        return [number for number, image in enumerate(self._images, 1) if image.query in taken]

    def extend(self) -> bool:
        """Take as many more queries as the budget reaches for; whether it reached for any.

        Raises :class:`DataError` where it does not reach for two.
        """
        if not self._partial or self.taken == len(self._order):
            return False
        left = (self._budget.limit or Fraction(0)) - self._budget.spent
        faces = self._faces()
        more = range(self.taken + 1, len(self._order) + 1)
        reached = self.taken + bisect_right(more, left, key=lambda count: self._price(count, faces))
        least = min(MIN_QUERIES, len(self._order))
        if reached < least:
            price, currency = float(self._price(least, faces)), self._spec.budget.currency
            problem = f"{float(left):g} {currency}, and {least} queries with their canaries cost {price:g}"
            raise DataError("budget.limit", problem, "a higher limit, or fewer canaries.pairs")
        grown = reached > self.taken
        self.taken = reached
        self._store.note(TAKEN, f"{reached} {len(self._order)}")
        return grown

    def _faces(self) -> Mapping[str, int]:
        """How many faces are compared of the queries whose images were looked at."""
        try:
            faces = chosen(self._store, self._spec).faces
        except DataError:  # none yet
            return {}
        return Counter(faces.queries[query] for query in faces.query_of.tolist())

    def _price(self, count: int, faces: Mapping[str, int]) -> Fraction:
        """Of what is left to do for the first ``count`` queries, at most."""
        known = [query_name(query) for query in self._order[: self.taken]]
        new = self._order[self.taken : count]
        sizes = {name: faces.get(name, 0) for name in known}
        sizes |= {query_name(query): self._sizes[query] for query in new}
        looking = looking_price(self._spec, sum(self._sizes[query] for query in new))
        return self._budget.attempts * (looking + comparing_price(self._spec, sizes, self._columns))


def beyond(store: Store) -> int:
    """How many queries the budget did not reach for."""
    taken, _, queries = (store.meta(TAKEN) or "0 0").partition(" ")
    return int(queries) - int(taken)
