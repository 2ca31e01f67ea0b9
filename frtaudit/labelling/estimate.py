"""From what services said of pairs of faces to a label for each face (FORMULAS 5; Knott et al., section 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints
from frtaudit.core.labelling import LEFT_OUT, Faces, Labelled, ModeFit, Service
from frtaudit.core.machine.blas import one_thread
from frtaudit.labelling.modes import balanced, mode_fit, refused
from frtaudit.labelling.settings import How, Several
from frtaudit.stats.labels import spectral
from frtaudit.stats.labels.spectral import Reason


def labelled(faces: Faces, services: Sequence[Service], how: How) -> Labelled:
    """Labels of all faces. The order of faces, queries and services changes none.

    A face that a service gave no score with others of its query has no label (see :func:`spectral.complete`); a
    query is left out for the reasons of :class:`spectral.Reason`. One BLAS thread: the matrices of queries are so
    small that threads cost more than they bring.
    """
    with one_thread():
        return _labelled(faces, services, how)


def _labelled(faces: Faces, services: Sequence[Service], how: How) -> Labelled:
    fits = _fits(faces, services, how)
    modes = {name: fit.modes for name, fit in fits.items() if fit.modes is not None}
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
        label=label,
        identity=identity,
        z=z,
        reason=tuple(reasons),
        clusters=clusters,
        modes=modes,
        fits={name: fit for name, fit in fits.items() if name not in how.modes},
    )


def _fits(faces: Faces, services: Sequence[Service], how: How) -> dict[str, ModeFit]:
    """The modes of each service, given or fitted. Raises :class:`DataError` where scores show no two."""
    scores = {service.name: balanced(faces, service) for service in services if service.name not in how.modes}
    fits = {
        service.name: ModeFit(modes=how.modes[service.name], given=True)
        if service.name in how.modes
        else mode_fit(scores[service.name])
        for service in services
    }
    without = {name: fit for name, fit in fits.items() if fit.modes is None}
    if without:
        raise refused(without, scores, [name for name in fits if name not in without])
    return fits


def _failed(
    reason: str,
    n_faces: int,
    whole: Sequence[Flags],
    matrices: Sequence[Floats],
    modes: Sequence[tuple[float, float]],
    how: How,
) -> bool:
    """Whether a query is left out because services gave too few scores.

    Without them there were faces enough; or the services that gave every score tell, alone, whose name it is.
    ``whole``: the faces that each service left, of ``n_faces`` that all did.
    """
    if n_faces < how.limits.min_faces <= whole[0].size:
        return True
    if reason not in (Reason.NONE, Reason.POSITIVES):
        return False
    others = [
        spectral.normalised(matrix, *pair)
        for matrix, present, pair in zip(matrices, whole, modes, strict=True)
        if present.all()
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
    for q, (start, stop) in enumerate(pairwise(faces.starts.tolist())):
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
