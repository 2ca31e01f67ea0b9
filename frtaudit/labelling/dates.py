"""Two collections of one search at two dates: the same images scored again, or the same names searched again.

What both have is their common support: queries in which both dates show a person; of the same images the pairs of
faces that a service scored at both dates. A query's person is one subject at both dates, so that queries drawn anew
are the same people in both (Knott et al., Figure S.14; FORMULAS 8.2, 8.16).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.labelling import UNSAID, Faces, Labelling, Service
from frtaudit.core.scores import ScoreTail
from frtaudit.core.spec_values import LabelSource
from frtaudit.errors import DataError
from frtaudit.labelling.enrolment import persons
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.settings import How
from frtaudit.stats.similarity.tail import from_listed

WHERE = "cohort.earlier"
ALIKE = 0.5  # correlation of scores within queries that some service reaches where the images are the same
FEWEST = 10  # pairs within queries, to look at it


class Design(StrEnum):
    """What the two collections share; ``found``: the same images where a face's id stands in both, else names."""

    FOUND = "found"
    SAME_IMAGES = "same_images"
    SAME_NAMES = "same_names"


class By(StrEnum):
    """Whose labels: of each date its own; of both the services of both dates together, or those of the earlier date.

    ``joint`` and ``own`` treat the dates alike. Labels of the ``earlier`` date were made from its scores, which favours
    it: a service that did not change may look worse at the later date.
    """

    JOINT = "joint"
    OWN = "own"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Half(FrozenArrays):
    """One date: ``number``: shape (F,), of each face, -1 outside the common support; ``query``: shape (I,), of each
    number, among the shared queries; ``person``: shape (I,), whom it shows, -1 for nobody, by whose labels.
    """  # noqa: D205  one sentence

    of: Labelling
    number: Index
    query: Index
    person: Mapping[By, Index]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Both dates on a common support.

    ``design``: the same images or the same names; ``queries``: those of both, ascending; ``faces``: how many of the
    earlier and of the later date's faces take part; ``services``: those of both dates, by name.
    """

    design: Design
    queries: tuple[str, ...]
    faces: tuple[int, int]
    services: tuple[str, ...]
    earlier: Half
    later: Half

    @property
    def kinds(self) -> tuple[By, ...]:
        """By whose labels the dates can be judged, the one that decides first."""
        return tuple(self.earlier.person)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """One service at both dates, K subjects: its scores, and ``query`` (K,): of each subject, among the shared ones."""

    earlier: ScoreTail
    later: ScoreTail
    query: Index


def meet(earlier: Labelling, later: Labelling, design: Design, how: How) -> Meeting:
    """Put two dates on a common support. Raises :class:`DataError` where they share no service, no query, no face."""
    services = tuple(sorted(_names(earlier) & _names(later)))
    if not services:
        problem = f"its services are {', '.join(sorted(_names(earlier)))}"
        raise DataError(WHERE, problem, f"one of {', '.join(sorted(_names(later)))}")
    queries = tuple(sorted(set(earlier.faces.queries) & set(later.faces.queries)))
    if not queries:
        raise DataError(WHERE, "no query is in both collections", "a search for the same names")
    both = _ids(earlier.faces) & _ids(later.faces)
    if design is Design.SAME_IMAGES and not both:
        problem = "no face is in both collections under one query"
        raise DataError(WHERE, problem, "the same images, or design=same_names")
    if design is Design.SAME_NAMES or not both:
        return _of_names(earlier, later, queries, services)
    met = _of_images((earlier, later), sorted(both), services, how)
    if design is Design.FOUND:
        correlations = [alike for name in met.services if (alike := _alike(met, name)) is not None]
        if correlations and max(correlations) < ALIKE:
            raise DataError(
                WHERE,
                f"{met.faces[0]} faces have the ids of faces of the later collection, but scores within queries "
                f"correlate by {max(correlations):.2f} at most",
                "other ids for other images, or design=same_names; design=same_images if they are the same images",
            )
    return met


def sides(meeting: Meeting, by: By, name: str) -> Sides:
    """One service's scores at both dates, by whose labels; of the same images those pairs that it scored at both.

    Raises :class:`DataError` where nothing can be compared.
    """
    halves = (meeting.earlier, meeting.later)
    size = len(meeting.queries)
    shown = [np.bincount(half.query[half.person[by] >= 0], minlength=size) > 0 for half in halves]
    used = shown[0] & shown[1]
    pairs = [scored(half, name) for half in halves]
    if meeting.design is Design.SAME_IMAGES:
        shared = (np.isin(pairs[0].key, pairs[1].key), np.isin(pairs[1].key, pairs[0].key))
        pairs = [pair.of(keep) for pair, keep in zip(pairs, shared, strict=True)]
    ends = np.concatenate([pair.score for pair in pairs])
    if not ends.size or not used.any():
        raise DataError(f"scores of {name}", "no pair of faces to compare at both dates", "pairs with scores")
    span = (float(ends.min()), float(ends.max()) + (1.0 if ends.min() == ends.max() else 0.0))
    tail, other = (
        _tail(half, half.person[by], used, at, span) for half, at in zip(halves, pairs, strict=True)
    )
    return Sides(earlier=tail, later=other, query=np.flatnonzero(used).astype(np.int32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A service's pairs of numbered faces, each once, by rising key: ``first`` < ``second``, ``score``, shape (P,)."""

    first: Ints
    second: Ints
    score: Floats

    @property
    def key(self) -> Ints:
        """One number for each pair, shape (P,)."""
        return (self.first << 31) | self.second

    def of(self, keep: Flags) -> "Scored":
        """Those that are flagged, shape (P,)."""
        return Scored(first=self.first[keep], second=self.second[keep], score=self.score[keep])


def scored(half: Half, name: str) -> Scored:
    """What a service scored at one date; two orders of a pair are one, with the mean score (FORMULAS 8.15)."""
    service = half.of.by_name[name]
    ends = half.number[service.first], half.number[service.second]
    keep = (ends[0] >= 0) & (ends[1] >= 0) & ~np.isnan(service.score)
    first, second = (side[keep].astype(np.int64) for side in (np.minimum(*ends), np.maximum(*ends)))
    key, place, count = np.unique((first << 31) | second, return_inverse=True, return_counts=True)
    mean = np.bincount(place, service.score[keep], minlength=key.size) / count
    return Scored(first=key >> 31, second=key & ((1 << 31) - 1), score=mean)


def scored_twice(meeting: Meeting, name: str) -> tuple[Scored, Scored]:
    """The pairs of faces that a service scored at both dates, with the scores of each; of the same images only."""
    earlier, other = scored(meeting.earlier, name), scored(meeting.later, name)
    return earlier.of(np.isin(earlier.key, other.key)), other.of(np.isin(other.key, earlier.key))


def _tail(half: Half, person: Index, used: Flags, pairs: Scored, span: tuple[float, float]) -> ScoreTail:
    """Comparisons of persons of used queries; two people of one query are not compared."""
    within = used[half.query]
    place = np.cumsum(within) - 1
    subject = (np.cumsum(used) - 1)[half.query]
    keep = np.ones(pairs.score.size, dtype=np.bool_)
    for side in (pairs.first, pairs.second):
        keep &= within[side] & (person[side] >= 0)
    same = subject[pairs.first] == subject[pairs.second]
    keep &= ~same | (person[pairs.first] == person[pairs.second])
    compared = pairs.of(keep)
    return from_listed(
        compared.score,
        place[compared.first],
        place[compared.second],
        subject_of=subject[within],
        cells=np.zeros(int(used.sum()), dtype=np.int32),
        score_range=span,
    )


def _names(labelling: Labelling) -> set[str]:
    return {service.name for service in labelling.services}


def _ids(faces: Faces) -> set[tuple[str, str]]:
    """(query, face) of each face: they sort as faces do."""
    return {(faces.queries[q], name) for q, name in zip(faces.query_of.tolist(), faces.names, strict=True)}


def _of_names(
    earlier: Labelling, later: Labelling, queries: tuple[str, ...], services: tuple[str, ...]
) -> Meeting:
    """Other images of the same queries: each date has faces and labels of its own."""
    place = {name: q for q, name in enumerate(queries)}
    halves = []
    for labelling in (earlier, later):
        shared = np.array([place.get(name, -1) for name in labelling.faces.queries], dtype=np.int32)
        query = shared[labelling.faces.query_of]
        number = np.where(query >= 0, np.cumsum(query >= 0) - 1, -1).astype(np.int32)
        person = persons(labelling.faces, labelling.labelled, labelling.source)[query >= 0].astype(np.int32)
        halves.append(Half(of=labelling, number=number, query=query[query >= 0], person={By.OWN: person}))
    return Meeting(
        design=Design.SAME_NAMES,
        queries=queries,
        faces=(halves[0].query.size, halves[1].query.size),
        services=services,
        earlier=halves[0],
        later=halves[1],
    )


def _of_images(
    dates: tuple[Labelling, Labelling], both: list[tuple[str, str]], services: tuple[str, ...], how: How
) -> Meeting:
    """The same faces twice: one number for each at both dates, and labels of both together."""
    queries = tuple(sorted({query for query, _ in both}))
    place = {name: number for number, name in enumerate(both)}
    at = {name: q for q, name in enumerate(queries)}
    query = np.array([at[name] for name, _ in both], dtype=np.int32)
    numbers, people = [], []
    for labelling in dates:
        faces = labelling.faces
        named = zip(faces.query_of.tolist(), faces.names, strict=True)
        number = np.array([place.get((faces.queries[q], name), -1) for q, name in named], dtype=np.int32)
        numbers.append(number)
        people.append(persons(faces, labelling.labelled, labelling.source)[number >= 0].astype(np.int32))
    joint = _joint(dates, numbers, (both, query, queries), how)
    halves = [
        Half(
            of=date, number=number, query=query, person={By.JOINT: joint, By.OWN: mine, By.EARLIER: people[0]}
        )
        for date, number, mine in zip(dates, numbers, people, strict=True)
    ]
    return Meeting(
        design=Design.SAME_IMAGES,
        queries=queries,
        faces=(len(both), len(both)),
        services=services,
        earlier=halves[0],
        later=halves[1],
    )


def _joint(
    dates: tuple[Labelling, Labelling],
    numbers: list[Index],
    shared: tuple[list[tuple[str, str]], Index, tuple[str, ...]],
    how: How,
) -> Index:
    """Persons of the shared faces by all services of both dates, each a voter at each date, shape (I,)."""
    both, query, queries = shared
    values = np.full(len(both), UNSAID, dtype=np.int8)
    services: list[Service] = []
    modes = {}
    for date, (labelling, number) in enumerate(zip(dates, numbers, strict=True)):
        answers = labelling.faces.annotated[number >= 0]
        values = np.where(answers == UNSAID, values, answers)  # the later answer stands
        for service in labelling.services:
            if service.name not in labelling.labelled.modes:
                continue
            name = f"{service.name}/{date}"
            services.append(replace(service.renumbered(number), name=name))
            modes[name] = labelling.labelled.modes[service.name]
    faces = Faces(names=tuple(name for _, name in both), query_of=query, queries=queries, annotated=values)
    labels = labelled(faces, services, replace(how, services=(), modes=modes))
    source = dates[1].source
    return persons(faces, labels, source) if source is not LabelSource.ESTIMATED else labels.identity


def _alike(met: Meeting, name: str) -> float | None:
    """Correlation over both dates of a service's scores within queries; None where there are too few, or all equal."""
    earlier, other = scored_twice(met, name)
    query = met.later.query
    inside = query[earlier.first] == query[earlier.second]
    if np.count_nonzero(inside) < FEWEST:
        return None
    scores = np.stack([earlier.score[inside], other.score[inside]])
    return float(np.corrcoef(scores)[0, 1]) if np.all(scores.std(axis=1) > 0) else None
