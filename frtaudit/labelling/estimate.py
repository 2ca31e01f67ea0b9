"""From what services said of pairs of faces to a label for each face (FORMULAS 5; Knott et al., section 6)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from threadpoolctl import threadpool_limits

from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.labelling import LEFT_OUT, Faces, Labelled, LabelSource, Service
from frtaudit.core.machine.extras import need
from frtaudit.errors import DataError, SpecError
from frtaudit.stats.labels import spectral
from frtaudit.stats.labels.spectral import Limits, Reason, Rule
from frtaudit.stats.labels.tobit import cut_mixture
from frtaudit.stats.rates.censoring import censoring_of

MAX_FITTED = 100_000  # scores that a mixture is fitted to: equally spaced ranks of all of them
MOSTLY = 0.5  # of all scores at the floor and the ceiling together: these are the modes then
APART = 2.0  # modes nearer than so many of the mean of the two standard deviations are one (equal ones: no dip between)


class Several(StrEnum):
    """A query in which several identities prevail is left out, as published, or each of them is used."""

    DROP = "drop"
    USE = "use"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How faces get their labels.

    ``source``: whose labels make the cohort; the rest is of the estimate (FORMULAS 5): ``several``: what becomes of
    queries with several identities; ``modes``: service to the modes of its scores, by default those of a mixture;
    ``services``: that label, by default all.
    """

    source: LabelSource = LabelSource.ESTIMATED
    rule: Rule = Rule.PUBLIC
    limits: Limits = field(default_factory=Limits)
    several: Several = Several.DROP
    modes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    services: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for modes that do not ascend, and for limits that leave nothing to tell."""
        for name, (low, high) in self.modes.items():
            if not low < high:
                text = f"{low:g}, {high:g}"
                raise SpecError(
                    f"cohort.labels.modes.{name}", text, "two numbers, non-mated first: low < high"
                )
        for limit, least in (("min_faces", 2), ("min_positives", 1)):
            if getattr(self.limits, limit) < least:
                text = f"{getattr(self.limits, limit)}"
                raise SpecError(f"cohort.labels.limits.{limit}", text, f"{least} or more")

    def labelling_services(self, services: Sequence[Service]) -> list[Service]:
        """The services that label. Raises :class:`SpecError` for one that said nothing."""
        known = [service.name for service in services]
        unknown = next((name for name in (*self.services, *self.modes) if name not in known), None)
        if unknown is not None:
            raise SpecError("cohort.labels", f"no scores of {unknown!r}", ", ".join(known))
        return [service for service in services if not self.services or service.name in self.services]

    def among(self, services: Sequence[Service]) -> "How":
        """The same without what it says of services that are not there; as it is where none that label would be left.

        >>> found = How(services=("acme", "bolt"), modes={"bolt": (0.0, 1.0)}).among([])
        >>> found.services, found.modes
        (('acme', 'bolt'), {})
        """
        known = {service.name for service in services}
        left = tuple(name for name in self.services if name in known)
        modes = {name: pair for name, pair in self.modes.items() if name in known}
        return replace(self, modes=modes, services=left or self.services)


def modes_of(name: str, scores: Floats) -> tuple[float, float]:
    """The means of a mixture of two normal distributions of a service's scores, ascending.

    ``scores``: shape (P,), finite. Their order changes nothing: the mixture is fitted to sorted scores, from their
    deciles. Where many have the least or the highest score, it is one of scores that were cut off there, and a mode
    beyond the cut lies at it; where most lie at the two ends, these are the modes.
    Raises :class:`DataError` where the scores show no two modes, :class:`ProviderError` without scikit-learn.
    """
    need("learn", "sklearn", where="cohort.labels")
    from sklearn.mixture import GaussianMixture

    if not scores.size:
        named = "cohort.labels.services=[...] without it"
        raise DataError(f"scores of {name}", "no score at all, only failures", f"scores, or {named}")
    if np.unique(scores).size < 2:
        raise _one_mode(name, f"all {scores.size} scores are the same")
    ranks = np.sort(scores)
    ranks = ranks[np.linspace(0, ranks.size - 1, min(ranks.size, MAX_FITTED)).round().astype(np.int64)]
    middle, spread = float(ranks.mean()), float(ranks.std())
    levels = ((ranks - middle) / spread)[:, None]
    start = np.quantile(levels, [[0.1], [0.9]])
    start = start if start[0, 0] < start[1, 0] else np.array([[levels.min()], [levels.max()]])
    cut = censoring_of(scores, np.zeros(0))
    if cut.floor is not None and cut.ceiling is not None and cut.floor.mated + cut.ceiling.mated > MOSTLY:
        return cut.floor.score, cut.ceiling.score
    ends: list[float | None] = [None, None]
    if cut.floor is not None or cut.ceiling is not None:
        ends = [None if pile is None else (pile.score - middle) / spread for pile in (cut.floor, cut.ceiling)]
        means, widths = cut_mixture(levels[:, 0], ends[0], ends[1], start[:, 0])
    else:
        fitted = GaussianMixture(2, means_init=start, reg_covar=1e-6, random_state=0, max_iter=500).fit(
            levels
        )
        order = np.argsort(fitted.means_[:, 0], kind="stable")
        means, widths = fitted.means_[order, 0], np.sqrt(fitted.covariances_[order, 0, 0])
    if means[1] - means[0] <= APART * (widths[0] + widths[1]) / 2:
        raise _one_mode(name, f"the two parts of a mixture of {scores.size} scores lie upon each other")
    means = means if ends == [None, None] else np.clip(means, ends[0], ends[1])
    return middle + spread * float(means[0]), middle + spread * float(means[1])


def balanced(faces: Faces, service: Service) -> Floats:
    """The scores of a service that its modes are read off, sorted: within queries all, between them at most as many.

    Where all pairs between queries were scored, those of one person are too few among them to make a mode; then
    equally spaced ranks of the scores between queries stand for all.

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 1], queries=("p", "q"), annotated=[1, 1, 1])
    >>> service = Service(name="s", first=[0, 0, 1], second=[1, 2, 2], score=[9.0, 1.0, 2.0], failure=[-1, -1, -1],
    ...                   codes=())
    >>> balanced(faces, service).tolist()
    [1.0, 9.0]
    """
    known = ~np.isnan(service.score)
    same = faces.query_of[service.first] == faces.query_of[service.second]
    within, between = service.score[known & same], np.sort(service.score[known & ~same])
    if 0 < within.size < between.size:
        between = between[np.linspace(0, between.size - 1, within.size).round().astype(np.int64)]
    return np.sort(np.concatenate([within, between]))


def _one_mode(name: str, found: str) -> DataError:
    return DataError(
        f"scores of {name}",
        f"no two modes: {found}",
        f"scores of people who differ and of the same person, cohort.labels.modes.{name}=[low,high], or "
        "cohort.labels.services=[...] without it",
    )


def labelled(faces: Faces, services: Sequence[Service], how: How) -> Labelled:
    """Labels of all faces. The order of faces, queries and services changes none.

    A face that a service gave no score with others of its query has no label (see :func:`spectral.complete`); a
    query is left out for the reasons of :class:`spectral.Reason`. One BLAS thread: the matrices of queries are so
    small that threads cost more than they bring.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        return _labelled(faces, services, how)


def _labelled(faces: Faces, services: Sequence[Service], how: How) -> Labelled:
    modes = {
        service.name: how.modes.get(service.name) or modes_of(service.name, balanced(faces, service))
        for service in services
    }
    starts = faces.starts
    size, n_queries = len(faces.names), len(faces.queries)
    label = np.full(size, LEFT_OUT, dtype=np.int8)
    identity = np.full(size, LEFT_OUT, dtype=np.int32)
    z = np.full((size, len(services)), np.nan)
    clusters = np.zeros((n_queries, len(services)), dtype=np.int32)
    reasons = [""] * n_queries
    for q, matrices in enumerate(matrices_of(faces, services)):
        whole = [spectral.complete(np.isnan(matrix)) for matrix in matrices]
        keep = np.logical_and.reduce(whole)
        at = starts[q] + np.flatnonzero(keep)
        if at.size == 0:
            reasons[q] = str(Reason.FAILED if keep.size >= how.limits.min_faces else Reason.FACES)
            continue
        scaled = [
            spectral.normalised(matrix[np.ix_(keep, keep)], *modes[service.name])
            for matrix, service in zip(matrices, services, strict=True)
        ]
        labels = spectral.label(scaled, how.rule, how.limits)
        z[at] = np.stack([view.z for view in labels.views], axis=1)
        clusters[q] = [view.clusters for view in labels.views]
        label[at], identity[at], reasons[q] = _decided(labels, scaled, how)
        if (
            reasons[q]
            and not keep.all()
            and _failed(reasons[q], at.size, whole, matrices, list(modes.values()), how)
        ):
            reasons[q] = str(Reason.FAILED)
    return Labelled(
        label=label, identity=identity, z=z, reason=tuple(reasons), clusters=clusters, modes=modes
    )


def _failed(
    reason: str,
    kept: int,
    whole: Sequence[Flags],
    matrices: Sequence[Floats],
    modes: Sequence[tuple[float, float]],
    how: How,
) -> bool:
    """Whether a query is left out because services gave too few scores.

    Without them there were faces enough; or the services that gave every score tell, alone, whose name it is.
    ``whole``: the faces that each service left, of ``kept`` that all did.
    """
    if kept < how.limits.min_faces <= whole[0].size:
        return True
    if reason not in (Reason.NONE, Reason.POSITIVES):
        return False
    others = [
        spectral.normalised(matrix, *pair)
        for matrix, own, pair in zip(matrices, whole, modes, strict=True)
        if own.all()
    ]
    return bool(others) and spectral.label(others, how.rule, how.limits).reason is None


def lacking(faces: Faces, services: Sequence[Service]) -> Flags:
    """Faces whose scores with others of their query a service lacks, so that it labels without them, shape (F, S).

    >>> faces = Faces(names=("a", "b", "c"), query_of=[0, 0, 0], queries=("q",), annotated=[1, 1, 1])
    >>> service = Service(name="s", first=[0, 0, 1], second=[1, 2, 2], score=[0.5, float("nan"), float("nan")],
    ...                   failure=[-1, 0, 0], codes=("no_face",))
    >>> lacking(faces, [service])[:, 0].tolist()
    [False, False, True]
    """
    values = np.zeros((len(faces.names), len(services)), dtype=np.bool_)
    starts = faces.starts
    for q, matrices in enumerate(matrices_of(faces, services)):
        for place, matrix in enumerate(matrices):
            values[starts[q] : starts[q + 1], place] = ~spectral.complete(np.isnan(matrix))
    return values


def _decided(labels: spectral.Labels, scaled: Sequence[Floats], how: How) -> tuple[Ints, Ints, str]:
    """Labels, identities and the reason of a query, several identities used where that is asked for."""
    reason = "" if labels.reason is None else str(labels.reason)
    if labels.reason in (Reason.SEVERAL, Reason.DISAGREE) and how.several is Several.USE:
        several = spectral.identities(scaled, how.rule, how.limits)
        if several.max(initial=-1) >= 0 and several.size >= how.limits.min_faces:
            return (several >= 0).astype(np.int64), several, ""
    return labels.labels, np.where(labels.labels == 1, 0, LEFT_OUT), reason


def matrices_of(faces: Faces, services: Sequence[Service]) -> Iterator[list[Floats]]:
    """For each query the scores of its pairs by each service, (n, n) each, symmetric, NaN where there is none."""
    sorted_by_query = [_within(faces, service) for service in services]
    for q, (start, stop) in enumerate(
        zip(faces.starts[:-1].tolist(), faces.starts[1:].tolist(), strict=True)
    ):
        yield [_matrix(within, q, start, stop - start) for within in sorted_by_query]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Within:
    """A service's scores of pairs within queries, sorted by query; ``starts``: of each query, shape (Q + 1,)."""

    first: Index
    second: Index
    score: Floats
    starts: Ints


def _within(faces: Faces, service: Service) -> _Within:
    query = faces.query_of[service.first]
    rows = np.flatnonzero((query == faces.query_of[service.second]) & ~np.isnan(service.score))
    rows = rows[np.argsort(query[rows], kind="stable")]
    return _Within(
        first=service.first[rows],
        second=service.second[rows],
        score=service.score[rows],
        starts=np.searchsorted(query[rows], np.arange(len(faces.queries) + 1)),
    )


def _matrix(pairs: _Within, q: int, start: int, size: int) -> Floats:
    """Scores of a query's pairs; what was scored twice, in one order or both, has the mean."""
    rows = slice(pairs.starts[q], pairs.starts[q + 1])
    cell = (pairs.first[rows] - start) * size + pairs.second[rows] - start
    total = np.bincount(cell, pairs.score[rows], minlength=size * size).reshape(size, size)
    count = np.bincount(cell, minlength=size * size).reshape(size, size)
    with np.errstate(invalid="ignore"):
        return np.asarray((total + total.T) / (count + count.T))
