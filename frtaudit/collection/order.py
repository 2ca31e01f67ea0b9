"""In which order a service is asked: rounds of canaries, pairs between them; what failed before, before the last one.

Pairs go batch by batch, so that images stay in memory, and shuffled within a batch, so that failures in a row are not
those of one image.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from frtaudit.collection.canaries import both_ways, turns_of
from frtaudit.collection.chosen import Chosen
from frtaudit.collection.detected_faces import faces_of
from frtaudit.collection.rows import COMPARE, PLACES, Key, State
from frtaudit.collection.spec import CollectionSpec
from frtaudit.collection.store import Store
from frtaudit.collection.worker import ServiceWorker
from frtaudit.core.arrays import Index, Ints
from frtaudit.core.canonical import seed_of

BATCH = 2000  # comparisons of which the store is asked at once


def recall(worker: ServiceWorker, store: Store) -> None:
    """What a service saw in earlier runs: boxes; handles that last; which images it must look at again."""
    for image, state, _, facts in store.detections(worker.number):
        faces, handled = faces_of(facts) if state is State.ANSWERED else ((), False)
        for place, face in enumerate(faces):
            worker.detected.setdefault(image * PLACES + place, face)
        if handled:
            worker.handled.add(image)
    for row in store.handles(worker.number):
        worker.recall(*row)
    worker.turns = store.turns(worker.number)


@dataclass(frozen=True, slots=True)
class Order:
    """Of one service in one run; ``canaries``: faces, shape (2, C)."""

    store: Store
    worker: ServiceWorker
    found: Chosen
    canaries: Index
    spec: CollectionSpec

    def calls(self, *, pairs: bool = True) -> Iterator[Key]:
        """The comparisons that have no result yet, each once; without ``pairs`` canaries alone."""
        rounds = self.spec.canaries.rounds
        parts = list(self._parts()) if pairs else []
        for moment in range(rounds):
            if pairs and moment == rounds - 1:
                yield from self._again(0, 0)
            yield from self._round(moment, parts)
            for first, second in parts[moment] if moment < len(parts) else ():
                yield from self._new(0, first, second)

    def canaries_price(self) -> Fraction:
        """Of the canaries that have no result yet."""
        canaries = self.spec.canaries
        turns = [turn for moment in range(canaries.rounds) for turn in turns_of(canaries, moment)]
        number, ends = self.worker.number, self._canaries()
        calls = sum(self.store.pending(number, turn, *ends).size for turn in turns)
        return calls * self.worker.gate.rate_limiter.price(COMPARE)

    def _canaries(self) -> tuple[Ints, Ints]:
        """Ascending, each once."""
        crops = self.found.crops[self.worker.name]
        ones, others = np.unique(np.stack(both_ways(self.canaries, crops)), axis=1)
        return ones, others

    def _parts(self) -> Iterator[list[tuple[Ints, Ints]]]:
        """Batches of pairs, ascending, after each round but the last."""
        crops, rounds = self.found.crops[self.worker.name], self.spec.canaries.rounds
        first, second = crops[self.found.pairs[0]], crops[self.found.pairs[1]]
        order = np.lexsort((second, first))
        first, second = first[order], second[order]
        stops = [first.size * moment // (rounds - 1) for moment in range(rounds)]
        for start, stop in pairwise(stops):
            cuts = [*range(start, stop, BATCH), stop]
            yield [(first[a:b], second[a:b]) for a, b in pairwise(cuts)]

    def _round(self, moment: int, parts: list[list[tuple[Ints, Ints]]]) -> Iterator[Key]:
        """Canaries; those that failed again only where nothing of what comes after was asked: else it is too late."""
        turns = turns_of(self.spec.canaries, moment)
        after = parts[moment][0] if moment < len(parts) and parts[moment] else None
        late = self.store.has_after(self.worker.number, turns.stop - 1) or (
            after is not None and self.store.pending(self.worker.number, 0, *after).size < after[0].size
        )
        ones, others = self._canaries()
        if not late:
            yield from self._again(turns.start, turns.stop - 1)
        for turn in turns:
            yield from self._new(turn, ones, others)

    def _new(self, turn: int, first: Ints, second: Ints) -> Iterator[Key]:
        """Of a batch those that were never asked for."""
        number = self.worker.number
        pending = self.store.pending(number, turn, first, second)
        for at in self._shuffled(pending.size, turn):
            place = pending[at]
            yield Key(number, turn, int(first[place]), int(second[place]))

    def _again(self, low: int, high: int) -> Iterator[Key]:
        """Those that failed in an earlier run, until too many fail again."""
        failed = self.store.failed(self.worker.number, low, high)
        for at in self._shuffled(len(failed), self.store.run_number):
            if self.worker.tired:
                return
            self.worker.failed_before.add(failed[at])
            yield failed[at]

    def _shuffled(self, size: int, salt: int) -> list[int]:
        rng = np.random.default_rng(seed_of(self.spec.seed, "collection", f"order {salt}"))
        return rng.permutation(size).tolist()  # type: ignore[no-any-return]  # integers
