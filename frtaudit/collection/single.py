"""Which images show exactly one face, of a service that does not find faces by itself (Knott et al., Algorithm 1).

Such a service refuses a comparison where an image shows none or several. An image that was compared with any other is
valid; one that could not be compared with a valid one is not, and no further call is spent on it. The paper walks
through all pairs one after another; here the calls of a round are made at once, and a round begins when the one before
is whole. Their scores are those of the collection: no pair is asked for twice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from frtaudit.collection.rows import DETECT, PLACES, ImageRow, State
from frtaudit.collection.store import Store
from frtaudit.core.collecting import Refusal

TRIES = 3  # pairs that say nothing of an image before it is given up
Pair = tuple[int, int]
Told = Mapping[Pair, bool | None]
"""Pairs that were compared: with a score, refused for an image, or (None) without a word about the images."""


def candidates(rows: Iterable[ImageRow], least: int) -> list[list[int]]:
    """Images of each query that has ``least`` and two, each once, in the order in which their faces are compared."""
    known: dict[int, dict[str, int]] = {}
    for row in rows:
        if not row.refusal:
            known.setdefault(row.query, {}).setdefault(row.digest, row.image)
    return [[image for _, image in sorted(of.items())] for of in known.values() if len(of) >= max(least, 2)]


def following(images: Sequence[int], results: Told) -> list[Pair]:
    """The next round of a query: each open image with a valid one, or with another open one; empty at the end.

    An image of which ``TRIES`` pairs said nothing is given up.

    >>> following([1, 2, 3, 4], {})
    [(1, 2), (3, 4)]
    >>> following([1, 2, 3, 4], {(1, 2): True, (3, 4): False})
    [(1, 3), (1, 4)]
    """
    valid, invalid = judged(results)
    place = {image: number for number, image in enumerate(images)}
    silent = Counter(image for pair, scored in results.items() if scored is None for image in pair)
    partners = [image for image in images if image in valid]
    undecided = [image for image in images if image not in valid | invalid and silent[image] < TRIES]
    busy: set[int] = set()
    pairs: list[Pair] = []
    for image in undecided:
        for other in partners or undecided:
            first, second = sorted((image, other), key=place.__getitem__)
            if image != other and not {image, other} & busy and (first, second) not in results:
                pairs.append((first, second))
                busy |= {image} if partners else {image, other}
                break
    return pairs


def open_pairs(images: Sequence[int], results: Told) -> list[Pair]:
    """What is to be asked next: the pairs of the first round that is not told whole; empty where all is known.

    Rounds are walked from the first one, so that a walk that was broken off anywhere makes the calls of a whole one.

    >>> open_pairs([1, 2, 3, 4], {(1, 2): True})
    [(3, 4)]
    """
    known: dict[Pair, bool | None] = {}
    while pairs := following(images, known):
        missing = [pair for pair in pairs if pair not in results]
        if missing:
            return missing
        known |= {pair: results[pair] for pair in pairs}
    return []


def walked(images: Sequence[int], results: Told) -> dict[Pair, bool | None]:
    """The pairs of all rounds and their results, None where unknown."""
    known: dict[Pair, bool | None] = {}
    while pairs := following(images, known):
        known |= {pair: results.get(pair) for pair in pairs}
    return known


def judged(results: Told) -> tuple[set[int], set[int]]:
    """Valid images and others: what stands in a score is valid, what a valid one could not be compared with is not.

    >>> judged({(1, 2): True, (1, 3): False, (4, 5): False})
    ({1, 2}, {3})
    """
    valid = {image for pair, scored in results.items() if scored for image in pair}
    refused = [set(pair) for pair, scored in results.items() if scored is False]
    invalid = {image for pair in refused if pair & valid for image in pair - valid}
    return valid, invalid


def told_by(store: Store, service: int) -> dict[Pair, bool | None]:
    """What a service's results say of images: nothing where it will not answer, for that is not about faces."""
    return {
        (first // PLACES, second // PLACES): True
        if state is State.ANSWERED
        else (False if refusal == Refusal.FAILURE_TO_ACQUIRE else None)
        for first, second, state, refusal, _ in store.finding(service)
        if state is not State.TRANSPORT
    }


def faces_shown(store: Store, service: int, least: int) -> dict[int, int]:
    """Image to the number of its faces: 1, or 0 for none and several; no entry where unknown.

    Images of queries that are too small are not asked about, and count as 1.
    """
    results = told_by(store, service)
    shown: dict[int, int] = {}
    queries = candidates(store.images(), least)
    for images in queries:
        known = walked(images, results)
        shown |= {image: 0 for pair, scored in known.items() if scored is False for image in pair}
        shown |= dict.fromkeys(judged(known)[0], 1)
    asked = {image for images in queries for image in images}
    return shown | {row.image: 1 for row in store.images() if not row.refusal and row.image not in asked}


def looked_for(store: Store, service: int, least: int, *, detects: bool) -> dict[tuple[str, str], int]:
    """Refusal and code (both empty: answered) to how many calls that look for faces ended so."""
    if detects:
        return store.counts(service, DETECT)
    results = told_by(store, service)
    pairs = {pair for images in candidates(store.images(), least) for pair in walked(images, results)}
    counts = Counter(
        (refusal or "", code)
        for first, second, _, refusal, code in store.finding(service)
        if (first // PLACES, second // PLACES) in pairs
    )
    return dict(sorted(counts.items()))
