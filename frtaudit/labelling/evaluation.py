"""The same scores under several labels: estimated, annotated, achievable, without a vote (Knott et al., 6, 7)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.labelling import (
    LEFT_OUT,
    NOT_OF_QUERY,
    OF_QUERY,
    Faces,
    Labelled,
    Labelling,
    ModeFit,
    Service,
)
from frtaudit.core.scores import ScoreTable
from frtaudit.inputs.pairing import both_orders
from frtaudit.labelling.estimate import labelled
from frtaudit.labelling.modes import balanced, mode_fit
from frtaudit.labelling.settings import How, Several
from frtaudit.stats.labels.spectral import Reason, normalised
from frtaudit.stats.rates.censoring import Censoring, Step, refusal
from frtaudit.stats.rates.listed import threshold_of
from frtaudit.stats.rates.orders import pool_orders

ESTIMATED, ANNOTATED, ACHIEVABLE, NO_VOTE = "estimated", "annotated", "achievable", "no_vote"
ONE_OF_SEVERAL = 2  # a label of a query whose several people are used: it does not say which is the query's
CLAIMS = (OF_QUERY, NOT_OF_QUERY)
FEWEST = 3  # services of a subset
MAX_SERVICES = 6  # services whose subsets are all tried: 42 of three and more


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """A service's scores under some labels: ``mated`` (P,), ``non_mated`` (M,), and their queries.

    ``mated_query``: shape (P,); ``non_mated_queries``: shape (M, 2), of the two faces.
    """

    mated: Floats
    non_mated: Floats
    mated_query: Index
    non_mated_queries: Index

    def of(self, member: Flags) -> "Scores":
        """Those of the queries that are flagged, shape (Q,): non-mated ones where both are."""
        mated, two = member[self.mated_query], member[self.non_mated_queries].all(axis=1)
        return Scores(
            mated=self.mated[mated],
            non_mated=self.non_mated[two],
            mated_query=self.mated_query[mated],
            non_mated_queries=self.non_mated_queries[two],
        )


def persons(labelling: Labelling) -> dict[str, Index]:
    """Which person of its query each face shows, shape (F,), -1 for none, by whose labels.

    ``achievable``: the annotated labels of the faces that the estimate kept; with it no label is wrong, but the
    same faces are left out (Figure S.8). Without annotation only the estimate.
    """
    by_source = {ESTIMATED: labelling.labelled.identity}
    if np.any(labelling.faces.annotated >= NOT_OF_QUERY):
        annotated = np.where(labelling.faces.annotated == OF_QUERY, 0, LEFT_OUT).astype(np.int32)
        achievable = np.where(labelling.labelled.label == LEFT_OUT, LEFT_OUT, annotated)
        by_source |= {ANNOTATED: annotated, ACHIEVABLE: achievable.astype(np.int32)}
    return by_source


def fit_of(labelling: Labelling, service: Service, how: How) -> ModeFit:
    """The modes of a service's scores: as given, as the labels were made with, or of one that does not label."""
    given = how.modes.get(service.name)
    if given is not None:
        return ModeFit(modes=given, given=True)
    return labelling.labelled.fits.get(service.name) or mode_fit(balanced(labelling.faces, service))


def alone(labelling: Labelling, service: Service, how: How, modes: tuple[float, float]) -> Index:
    """Persons by the labels of one service alone: no majority vote (Figure S.7)."""
    return labelled(labelling.faces, [service], replace(how, modes={service.name: modes})).identity


def pooled(service: Service) -> Service:
    """A service whose A-B and B-A are one comparison with the mean score, as in an audit (FORMULAS 8.15)."""
    if not both_orders(service.first, service.second):
        return service
    listed = Comparisons(
        all_pairs=False,
        probe=service.first,
        reference=service.second,
        mated=np.zeros(service.first.size, dtype=np.bool_),
        cells=np.zeros(1, dtype=np.int32),
        ordered=True,
    )
    table = ScoreTable(score=service.score, failure=service.failure, codes=service.codes)
    orders = pool_orders(listed, table)
    return replace(
        service,
        first=orders.comparisons.probe,
        second=orders.comparisons.reference,
        score=orders.table.score,
        failure=orders.table.failure,
    )


def split(faces: Faces, service: Service, person: Index) -> Scores:
    """Scores of mated comparisons, within a query's person, and of non-mated ones, between different queries.

    A-B and B-A are one comparison (:func:`pooled`).
    """
    service = pooled(service)
    query = faces.query_of
    known = (person[service.first] >= 0) & (person[service.second] >= 0) & ~np.isnan(service.score)
    same = query[service.first] == query[service.second]
    mated = known & same & (person[service.first] == person[service.second])
    non_mated = known & ~same
    return Scores(
        mated=service.score[mated],
        non_mated=service.score[non_mated],
        mated_query=query[service.first[mated]],
        non_mated_queries=np.stack(
            [query[service.first[non_mated]], query[service.second[non_mated]]], axis=1
        ),
    )


def hidden(scores: Scores, target: float, censoring: Censoring) -> str | None:
    """Why FNMR at this FMR target is not what it says, as the scores hide its threshold; None where it is.

    ``scores``: of either kind at least one.
    """
    threshold = float(threshold_of(scores.non_mated, target))
    size = scores.non_mated.size
    above = int(np.count_nonzero(scores.non_mated > threshold))
    tied = int(np.count_nonzero(scores.non_mated == threshold))
    step = Step(
        target=target,
        threshold=threshold,
        realised=above / size,
        above=(above + tied) / size,
        tied=tied,
        allowed=int(target * size),
    )
    return refusal(censoring, step)


def subsets(labelling: Labelling, how: How) -> Iterator[tuple[tuple[str, ...], Labelled]]:
    """Labels by every subset of three and more services, all but the whole (Figure S.13); none beyond six services."""
    services = how.labelling_services(labelling.services)
    if len(services) > MAX_SERVICES:
        return
    given = replace(_given(how, labelling.labelled), services=())
    for size in range(FEWEST, len(services)):
        for chosen in combinations(services, size):
            yield tuple(service.name for service in chosen), labelled(labelling.faces, chosen, given)


def by_several(labelling: Labelling, how: How) -> dict[Several, Labelled]:
    """Labels with queries of several people left out, and with each of their people used; empty where both agree."""
    here = labelling.labelled
    doubtful = {str(Reason.SEVERAL), str(Reason.DISAGREE)} & set(here.reason)
    if how.several is Several.DROP and not doubtful:
        return {}
    given = replace(_given(how, here), several=Several.USE if how.several is Several.DROP else Several.DROP)
    other = labelled(labelling.faces, how.labelling_services(labelling.services), given)
    if np.array_equal(other.identity, here.identity):
        return {}
    labelleds = {how.several: here, given.several: other}
    return {setting: labelleds[setting] for setting in Several}


def _given(how: How, labels: Labelled) -> How:
    """The same estimate with the modes that all services' scores had."""
    return replace(how, modes={**labels.modes, **how.modes})


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Labels against annotation.

    ``table``: (annotated, estimated) to faces, ``estimated`` 2 for one of several people of its query, which says
    nothing of the query's person.
    """

    table: Mapping[tuple[int, int], int]

    @property
    def right(self) -> int:
        """Faces with a label of both kinds that agree."""
        return sum(n for (number, label), n in self.table.items() if number == label != LEFT_OUT)

    @property
    def both(self) -> int:
        """Faces with a label of both kinds: 1 or 0."""
        return sum(n for (number, label), n in self.table.items() if number != LEFT_OUT and label in CLAIMS)


def agreement(faces: Faces, labels: Labelled) -> Agreement:
    """The confusion table (Table S.1); faces without an answer stand nowhere."""
    answered = faces.annotated >= LEFT_OUT
    several = np.isin(faces.query_of, faces.query_of[labels.identity > 0]) & (labels.identity >= 0)
    answers, label = faces.annotated[answered], np.where(several, ONE_OF_SEVERAL, labels.label)[answered]
    table = {
        (a, e): int(np.count_nonzero((answers == a) & (label == e)))
        for a in (OF_QUERY, NOT_OF_QUERY, LEFT_OUT)
        for e in (*CLAIMS, LEFT_OUT, *([ONE_OF_SEVERAL] if several.any() else []))
    }
    return Agreement(table=table)


def lost(faces: Faces, services: Sequence[Service]) -> dict[str, int]:
    """Faces of which each service gave no score at all, by its name, though it was asked."""
    counts = {}
    for service in services:
        asked, scored = (np.zeros(len(faces.names), dtype=np.bool_) for _ in range(2))
        fine = ~np.isnan(service.score)
        for side in (service.first, service.second):
            asked[side] = True
            scored[side[fine]] = True
        counts[service.name] = int(np.count_nonzero(asked & ~scored))
    return counts


def confidences(faces: Faces, service: Service, q: int, modes: tuple[float, float]) -> Floats:
    """The normalised confidences of query ``q``, shape (n, n), NaN where the service gave none."""
    start, stop = faces.starts[q], faces.starts[q + 1]
    values = np.full((stop - start, stop - start), np.nan)
    within = (faces.query_of[service.first] == q) & (faces.query_of[service.second] == q)
    first, second = service.first[within] - start, service.second[within] - start
    values[second, first] = service.score[within]
    values[first, second] = service.score[within]
    return normalised(values, *modes)
