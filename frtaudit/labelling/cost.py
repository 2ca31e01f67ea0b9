"""What estimated labels cost: the truth drawn again and again, given everything that the services said.

A label is a guess. The scores behind it say how sure it is: faces that show a person, and faces that do not, form
two clusters by likeness to the person's other faces. A face between them may be a bad image of the person or a
stranger who looks like the person, and no score tells which. So the truth is drawn at two ends (:class:`End`):
queries with replacement, as a new search would find others; the clusters of those queries; then identities, labelled or
left out, with as few own faces as the clusters allow, and with as many. Each draw is this audit's own structure, its
faces, queries, services, comparisons and scores, with one possible truth, on which rates are known. Scores are not
drawn: so what services have in common, bad images, hard people and people who look alike are in it as they are.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Signs
from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, UNSAID, Faces, Labelling, Service
from frtaudit.core.spec_values import LabelSource, Limits
from frtaudit.labelling.estimate import matrices_of
from frtaudit.stats.labels import face_membership, reweighted
from frtaudit.stats.labels.face_membership import Histograms, Scale
from frtaudit.stats.labels.reweighted import Listed

ROUNDS = 5  # of identities and of similarities of faces, each from the other
PERSON = 3.0  # faces that are due, at least, of somebody whom a query is said to show
ODD, MARGIN, ALIKE = 0.65, 0.4, 0.75  # below, a face is odd; more alike to another by so much; that at least
FEWEST = 20  # queries with labels, and
TAU = Limits().tau  # of z, for faces of queries left out: where to start from
SERVICES = 2  # services, or one is evaluated on its own labels


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """Identities, as far as they can be estimated.

    ``person``: shape (F,), int32, whom of its query each face shows if it shows a person that was searched for;
    ``place``: shape (F,), how alike it is to that person's other faces: strangers about 0, own faces about 1, NaN
    where nothing is known or it is of somebody else; ``own``: shape (F,), how likely it shows the person;
    ``histograms``: the fit; ``known``: shape (F,), the annotation that stands, -2 where there is none.
    """

    person: Index
    place: Floats
    own: Floats
    histograms: Histograms
    known: Signs


class End(StrEnum):
    """What faces between the clusters are: all strangers, or bad images of the person, as far as that can be."""

    FEW = "few"
    MANY = "many"


@dataclass(frozen=True, slots=True, kw_only=True)
class Truths:
    """M possible truths at one end.

    ``own``: shape (M, F), the faces that show their person; ``times``: shape (M, Q), how often each query was drawn.
    """

    own: Flags
    times: Ints


class Drawn(NamedTuple):
    """One system's rates, or their thresholds, under M possible truths of one end, shape (M, A), A operating points.

    ``reported``: on the labels, shape (A,); ``true``: on the truth; ``reachable``: on the truth of faces with a label;
    ``anew``: on the truth, of queries drawn with replacement.
    """

    reported: Floats
    true: Floats
    reachable: Floats
    anew: Floats

    @property
    def cost(self) -> Mapping[str, Floats]:
        """Reported less true, shape (M, A): in ``all``, of what is left out (type A), of wrong labels (type B)."""
        return {
            "all": self.reported - self.true,
            "left_out": self.reachable - self.true,
            "wrong": self.reported - self.reachable,
        }

    @classmethod
    def fixed(cls, thresholds: Floats, count: int) -> "Drawn":
        """The same thresholds, shape (A,), in each of ``count`` truths."""
        every = np.tile(thresholds, (count, 1))
        return cls(reported=thresholds, true=every, reachable=every, anew=every)


def reported(labelling: Labelling) -> Index:
    """Which person of its query each face shows in the report, shape (F,), int32, -1 for none or left out."""
    person = labelling.labelled.identity
    if labelling.source is not LabelSource.ESTIMATED:
        person = np.where(labelling.faces.annotated == OF_QUERY, 0, person)
    return np.where(labelling.sample_of >= 0, person, LEFT_OUT).astype(np.int32)


def included(labelling: Labelling) -> Flags:
    """Faces of which the report says who they show, or that they show somebody else, shape (F,)."""
    indices = labelling.labelled.label != LEFT_OUT
    if labelling.source is LabelSource.COMBINED:
        answers = labelling.faces.annotated
        indices = np.where(answers == UNSAID, indices, answers != LEFT_OUT)
    return np.asarray(indices)


def obstacle(labelling: Labelling) -> str | None:
    """Why nothing can be drawn, or None."""
    if labelling.source is LabelSource.ANNOTATED:
        return "the labels are annotated"
    if len(labelling.labelled.modes) < SERVICES:
        return "one service cannot be evaluated on its own labels: two or more are needed"
    queries = labelling.labelled.reason.count("")
    return f"{queries} queries have labels: {FEWEST} or more are needed" if queries < FEWEST else None


def likely(labelling: Labelling) -> Likely:
    """Identities, from the labels and back to them, :data:`ROUNDS` times.

    A person of whom fewer than three faces are due is nobody: a few strangers who look somewhat alike. A face that is
    not much like the person, but like another such face, is of somebody else: a relative. Where a query shows several
    people that were distinguished, a face may be of each of them. Raises ``ValueError`` where there are
    fewer than 20 faces of one kind.
    """
    rows = _Rows.of(labelling)
    answers = labelling.faces.annotated
    known = np.where(labelling.source is LabelSource.COMBINED, answers, UNSAID).astype(np.int8)
    settled = rows.settled(rows.start, known)
    for _ in range(ROUNDS):
        alike = rows.alike(settled)
        scale = face_membership.scale_of(alike, settled)
        places = scale.place(alike)
        places[rows.of_another(places, scale)] = np.nan
        histograms = face_membership.histograms(places, np.where(np.isnan(places), 0.0, settled))
        settled = rows.settled(histograms.own(places)[0], known)
    best = rows.best(np.where(np.isnan(places), -np.inf, places))
    return Likely(
        person=rows.person[best], place=places[best], own=settled[best], histograms=histograms, known=known
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """A row for each face and each person of its query: R rows, sorted by face.

    ``blocks``: of each query the normalised scores, shape (S, n, n), 0 where there is none, and where there is one;
    ``faces``: of each query the first face and how many; ``start``: shape (R,), 1 where the labels say so.
    """

    face: Index
    person: Index
    query: Index
    start: Floats
    blocks: Sequence[tuple[Floats, Flags]]
    people: Ints

    @classmethod
    def of(cls, labelling: Labelling) -> "_Rows":
        """Rows of every face."""
        faces, labelled = labelling.faces, labelling.labelled
        asked = [service for service in labelling.services if service.name in labelled.modes]
        votes = 2 * (np.nan_to_num(labelled.z) > TAU).sum(axis=1) > len(asked)
        label = np.where(labelled.label == LEFT_OUT, np.where(votes, 0, LEFT_OUT), labelled.identity)
        people = np.ones(len(faces.queries), dtype=np.int64)
        np.maximum.at(people, faces.query_of, label + 1)
        face = np.repeat(np.arange(len(faces.names)), people[faces.query_of])
        person = np.arange(face.size) - np.searchsorted(face, face)
        return cls(
            face=face.astype(np.int32),
            person=person.astype(np.int32),
            query=faces.query_of[face],
            start=(label[face] == person).astype(np.float64),
            blocks=[
                _block(matrix, [labelled.modes[service.name] for service in asked])
                for matrix in matrices_of(faces, asked)
            ],
            people=people,
        )

    def alike(self, membership: Floats) -> Floats:
        """Mean normalised score with a person's other faces, by service, shape (R, S); NaN below one face due."""
        means, start = [], 0
        for (score, there), people in zip(self.blocks, self.people.tolist(), strict=True):
            size = score.shape[1]
            weight = membership[start : start + size * people].reshape(size, people)
            due = there @ weight
            mean = np.divide(score @ weight, due, out=np.full(due.shape, np.nan), where=due >= 1)
            means.append(mean.transpose(1, 2, 0).reshape(size * people, -1))
            start += size * people
        return np.concatenate(means)

    def of_another(self, places: Floats, scale: Scale) -> Flags:
        """Rows of faces that are less than :data:`ODD` alike to any person and much more to another such face, (R,).

        A bad image of the person is like none; two images of a relative are like each other.
        """
        parts, start = [], 0
        for (score, there), people in zip(self.blocks, self.people.tolist(), strict=True):
            size = score.shape[1]
            place = places[start : start + size * people].reshape(size, people)
            nearest = np.where(np.isnan(place), 0.0, place).max(axis=1)
            odd = nearest < ODD
            paired = np.zeros(size, dtype=np.bool_)
            pairs = np.where(there, score, np.nan)[:, odd][:, :, odd].reshape(len(score), -1).T
            both = scale.place(pairs).reshape(2 * (int(odd.sum()),))
            least = np.maximum(nearest[odd] + MARGIN, ALIKE)[:, None]
            paired[odd] = (np.where(np.isnan(both), 0.0, both) > least).any(axis=1)
            parts.append(np.repeat(paired, people))
            start += size * people
        return np.concatenate(parts)

    def settled(self, membership: Floats, known: Signs) -> Floats:
        """The same with what is known, each face at most one person's, and nobody of whom too few faces are due."""
        answer = known[self.face]
        updated = np.where((answer == NOT_OF_QUERY) | (answer == LEFT_OUT), 0.0, membership)
        updated = np.where(answer == OF_QUERY, (self.person == 0).astype(np.float64), updated)
        chosen = np.zeros(updated.size, dtype=np.bool_)
        chosen[self.best(updated)] = True
        updated = np.where(chosen, updated, 0.0)
        someone = np.unique(np.stack([self.query, self.person]), axis=1, return_inverse=True)[1]
        return np.asarray(np.where(np.bincount(someone, updated)[someone] >= PERSON, updated, 0.0))

    def best(self, value: Floats) -> Ints:
        """The row of each face with the largest value, the first of equal ones, shape (F,)."""
        order = np.lexsort((self.person, -value, self.face))
        return order[np.searchsorted(self.face[order], np.arange(int(self.face[-1]) + 1))]


def _block(scores: Sequence[Floats], modes: Sequence[tuple[float, float]]) -> tuple[Floats, Flags]:
    there = ~np.isnan(scores)
    scaled = [(score - low) / (high - low) for score, (low, high) in zip(scores, modes, strict=True)]
    return np.where(there, scaled, 0.0), there


def truths(faces: Faces, fitted: Likely, count: int, rng: "np.random.Generator") -> Mapping[End, Truths]:
    """``count`` possible truths at either end, of the same queries drawn anew.

    Uncertain labels that share a cause, bad images, relatives among the faces, do not cancel out: that is why there are
    two ends, at each of which all are decided in one direction. At the end of many, faces are drawn one by one.
    """
    n_queries = len(faces.queries)
    times = rng.multinomial(n_queries, np.full(n_queries, 1 / n_queries), size=count)
    weights = times[:, faces.query_of].astype(np.float64)
    histograms = face_membership.refitted(fitted.place, weights, fitted.histograms)
    level = rng.random((count, len(faces.names)))
    likely = {
        End.FEW: face_membership.fewest(fitted.place, histograms),
        End.MANY: face_membership.most(fitted.place, weights, histograms),
    }
    someone, answered = fitted.own > 0, fitted.known != UNSAID
    return {
        end: Truths(own=level < np.where(answered, fitted.own, np.where(someone, chance, 0.0)), times=times)
        for end, chance in likely.items()
    }


class Rate(StrEnum):
    """Which rate is read."""

    FNMR = "fnmr"
    FMR = "fmr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """One service's comparisons ``reported``: among the faces of the report; ``every``: of any truth."""

    reported: Listed
    every: Listed


def views(
    labelling: Labelling,
    service: Service,
    fitted: Likely,
    drawn: Truths,
    floor: float | None = None,
    queries: Flags | None = None,
) -> Views:
    """Its comparisons, both ways; those that failed have the score ``floor``, or take no part.

    ``queries``: shape (Q,), those of a group: both faces of a comparison are of them; None: of everybody.
    """
    person, query = reported(labelling), labelling.faces.query_of
    score = service.score if floor is None else np.where(np.isnan(service.score), floor, service.score)
    ends = (service.first, service.second)
    among = np.ones(query.size, dtype=np.bool_) if queries is None else queries[query]
    return Views(
        reported=reweighted.listed(ends, score, query, person, among & (person >= 0)),
        every=reweighted.listed(ends, score, query, fitted.person, among & drawn.own.any(axis=0)),
    )


def cuts_at(labelling: Labelling, seen: Views, drawn: Truths, targets: Floats) -> Drawn:
    """Where FMR meets the targets, shape (A,), on the labels and on every truth."""
    return _each(
        labelling, seen, drawn, lambda listed, shown, times, _: listed.threshold(shown, times, targets)
    )


def rates_at(labelling: Labelling, seen: Views, drawn: Truths, rate: Rate, cuts: Drawn) -> Drawn:
    """FNMR or FMR at these thresholds."""

    def read(listed: Listed, shown: Flags, times: Floats, thresholds: Floats) -> Floats:
        return (listed.fnmr if rate is Rate.FNMR else listed.fmr)(shown, times, thresholds)

    return _each(labelling, seen, drawn, read, cuts)


Read = Callable[[Listed, Flags, Floats, Floats], Floats]


def _each(labelling: Labelling, seen: Views, drawn: Truths, read: Read, cuts: Drawn | None = None) -> Drawn:
    """What is read on the labels, on each truth, on its labelled faces, and on it with queries drawn anew."""
    count, n_queries = drawn.times.shape
    cuts = cuts or Drawn.fixed(np.zeros(0), count)

    def each(own: Flags, times: Floats, thresholds: Floats) -> Floats:
        return np.array([read(seen.every, *truth) for truth in zip(own, times, thresholds, strict=True)])

    once = np.ones((count, n_queries))
    return Drawn(
        reported=read(seen.reported, reported(labelling) >= 0, np.ones(n_queries), cuts.reported),
        true=each(drawn.own, once, cuts.true),
        reachable=each(drawn.own & included(labelling), once, cuts.reachable),
        anew=each(drawn.own, drawn.times.astype(np.float64), cuts.anew),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelUncertainty:
    """Faces that are due, by the means over the truths.

    ``strangers`` with the label of a person, ``missed`` own faces among those labelled as strangers, ``left_out`` own
    faces without a label, of ``own`` in all.
    """

    strangers: float
    missed: float
    left_out: float
    own: float


def label_uncertainty(labelling: Labelling, drawn: Truths) -> LabelUncertainty:
    """How many labels are wrong, and how many own faces have none, as far as the truths go."""
    taken, labelled = reported(labelling) >= 0, included(labelling)
    chance = drawn.own.mean(axis=0)
    return LabelUncertainty(
        strangers=float((1 - chance)[taken].sum()),
        missed=float(chance[labelled & ~taken].sum()),
        left_out=float(chance[~labelled].sum()),
        own=float(chance.sum()),
    )
