"""Identity labels of a query's faces from the confidences of several services (FORMULAS 5; Knott et al., section 6).

A query is a name that was searched for; some of its faces show the person, others do not, and nobody has said
which. A service gives each pair of faces a confidence. One identity that prevails is one block of ones: one large
eigenvalue, whose eigenvector is the block's indicator.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.spec_values import Limits, Rule
from frtaudit.stats._scipy import scipy

NEGATIVE = 0.01  # of squared entries: more is not trivial
SWEEPS, SETTLED = 30, 1e-12
EXCLUDED = -1


class Reason(StrEnum):
    """Why a query is left out, in the order in which it is asked."""

    FAILED = "failed"  # a service gave too few of the scores: asked of the scores, before they are looked at
    DISAGREE = "disagree"
    SEVERAL = "several"
    NONE = "none"
    NEGATIVE = "negative"
    FACES = "faces"
    POSITIVES = "positives"
    PEOPLE = "people"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What one service sees in a query of n faces.

    ``values``: eigenvalues by falling size, shape (n,), signed; ``clusters``: how many identities; ``z``: shape
    (n,), 1 on an ideal block, of the largest eigenvalue; ``negative``: share of its eigenvector's square that is
    negative.
    """

    values: Floats
    clusters: int
    z: Floats
    negative: float
    usable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """A query's labels: 1, 0, or -1 throughout where ``reason`` says why it is left out; ``views``: each service's."""

    labels: Ints
    reason: Reason | None
    views: tuple[View, ...]

    @property
    def z(self) -> Floats:
        """The median over the services of z, shape (n,): a confidence, near 1 or 0 where the label is sure."""
        return np.median([view.z for view in self.views], axis=0)


def normalised(confidence: Floats, low: float, high: float) -> Floats:
    """Confidences with the modes of non-mated and mated scores at 0 and 1, clipped, the diagonal 1 (FORMULAS 5).

    ``confidence``: shape (n, n); both orders of a pair are one comparison with the mean score, nan where either is
    missing. Raises ``ValueError`` unless ``low < high``.

    >>> normalised(np.array([[0.0, 60.0], [40.0, 0.0]]), 20.0, 80.0).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    if not low < high:
        raise ValueError(f"modes {low} and {high}; the first is that of people who differ, and lower")
    scaled = np.clip(((confidence + confidence.T) / 2 - low) / (high - low), 0.0, 1.0)
    np.fill_diagonal(scaled, 1.0)
    return np.asarray(scaled)


def complete(missing: Flags) -> Flags:
    """Which faces stay so that no pair of them is missing, shape (n,): those that miss most leave first.

    ``missing``: shape (n, n), symmetric, the diagonal ignored. Faces that miss as many leave together, so that the
    order of the faces changes nothing.

    >>> gone = np.zeros((4, 4), dtype=bool)
    >>> gone[0, :] = gone[:, 0] = True
    >>> complete(gone).tolist()
    [False, True, True, True]
    """
    gaps = missing & ~np.eye(len(missing), dtype=np.bool_)
    keep = np.ones(len(missing), dtype=np.bool_)
    while True:
        count = np.where(keep, gaps[:, keep].sum(axis=1), 0)
        if not count.any():
            return keep
        keep &= count < count.max()


def view(confidence: Floats, rule: Rule, limits: Limits) -> View:
    """What a service sees in a normalised confidence matrix, shape (n, n), symmetric, no nan.

    >>> block = np.kron(np.eye(2), np.ones((6, 6)))
    >>> view(block, Rule.PUBLIC, Limits()).clusters
    2
    """
    values, vectors = _spectrum(confidence)
    sizes = np.abs(values)
    if rule is Rule.PUBLIC:
        steps = np.flatnonzero((sizes[:-1] > limits.ratio * sizes[1:]) & (sizes[:-1] > limits.size))
        clusters = int(steps[-1]) + 1 if steps.size else 0
    else:
        clusters = int(np.count_nonzero(values > limits.size))
    first = vectors[:, 0] if vectors[:, 0].mean() >= 0 else -vectors[:, 0]
    negative = float((first[first < 0] ** 2).sum())
    usable = clusters == 1 and (rule is Rule.PUBLIC or negative <= NEGATIVE)
    z = values[0] * first * np.abs(first)
    return View(values=values, clusters=clusters, z=z, negative=negative, usable=usable)


def _spectrum(confidence: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, shape (n,), largest in size first, and unit eigenvectors, in columns."""
    values, vectors = np.linalg.eigh(confidence)
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order], vectors[:, order]


def leading(confidence: Floats, rule: Rule, limits: Limits) -> Floats:
    """The eigenvectors of the identities that a service sees, unit columns, shape (n, k), one at least.

    Several are turned as :func:`rotated` does; the sum of each is not negative.

    >>> np.round(leading(np.kron(np.eye(2), np.ones((6, 6))), Rule.PUBLIC, Limits()) * np.sqrt(6), 3)[[0, 6]].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    clusters = max(1, view(confidence, rule, limits).clusters)
    return rotated(_spectrum(confidence)[1][:, :clusters])


def label(confidences: Sequence[Floats], rule: Rule, limits: Limits) -> Labels:
    """Labels of a query's n faces by the majority of the services (FORMULAS 5).

    ``confidences``: one normalised matrix for each service, shape (n, n), all of the same faces. Label 1: strictly
    more than half of the services have z > tau. Left out (all labels -1) unless every service sees exactly one
    identity, there are ``min_faces`` faces, and ``min_positives`` of label 1 after the vote, under the public rule
    also of every service: services that each see enough faces of one person, but of different people, are left with
    too few.
    """
    views = tuple(view(confidence, rule, limits) for confidence in confidences)
    votes = np.array([service_view.z > limits.tau for service_view in views])
    labels = (2 * votes.sum(axis=0) > len(views)).astype(np.int64)
    reason = _reason(views, votes, labels, rule, limits)
    return Labels(
        labels=labels if reason is None else np.full(labels.size, EXCLUDED), reason=reason, views=views
    )


def _reason(views: Sequence[View], votes: Flags, labels: Ints, rule: Rule, limits: Limits) -> Reason | None:
    if not all(service_view.usable for service_view in views):
        seen = {min(service_view.clusters, 2) for service_view in views}
        alone = {0: Reason.NONE, 1: Reason.NEGATIVE, 2: Reason.SEVERAL}
        return Reason.DISAGREE if len(seen) > 1 else alone[seen.pop()]
    if labels.size < limits.min_faces:
        return Reason.FACES
    least = int(votes.sum(axis=1).min())
    if labels.sum() < limits.min_positives <= least:
        return Reason.PEOPLE
    positives = least if rule is Rule.PUBLIC else int(labels.sum())
    return Reason.POSITIVES if positives < limits.min_positives else None


def rotated(vectors: Floats) -> Floats:
    """Twin eigenvectors turned until as little of them as can be is negative, shape (n, k) as given (FORMULAS 5).

    ``vectors``: orthonormal columns. Blocks of the same size share an eigenvalue, and its eigenvectors are any
    mixture of their indicators; the mixture that is nowhere negative is theirs. Found by turning two columns at a
    time. Columns come back in the order of their largest entries' faces, which is the only thing about them that
    the order of the faces decides.

    >>> twins = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [1.0, -1.0]]) / 2
    >>> np.abs(np.round(rotated(twins) * np.sqrt(2), 3)).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """
    indices = np.where(vectors.sum(axis=0) >= 0, vectors, -vectors)
    for _ in range(SWEEPS):
        before = _negative(indices)
        for first, second in combinations(range(indices.shape[1]), 2):
            indices[:, [first, second]] = _turned(indices[:, [first, second]])
        if before - _negative(indices) <= SETTLED:
            break
    indices = np.where(indices.sum(axis=0) >= 0, indices, -indices)
    return indices[:, np.argsort(np.argmax(indices > indices.max(axis=0) - SETTLED, axis=0), kind="stable")]


def _turned(pair: Floats) -> Floats:
    """Two columns turned to the least negative square: the best of a circle of angles, made exact around it."""

    def at(angle: float) -> float:
        return _negative(pair @ _turn(angle))

    angles = np.linspace(-np.pi, np.pi, 73)
    best = angles[int(np.argmin([at(angle) for angle in angles]))]
    step = angles[1] - angles[0]
    scalar = scipy.optimize.minimize_scalar(
        at, bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-9}
    )
    return np.asarray(pair @ _turn(scalar.x if scalar.fun < at(0.0) - SETTLED else 0.0))


def _turn(angle: float) -> Floats:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _negative(columns: Floats) -> float:
    return float((np.minimum(columns, 0.0) ** 2).sum())


def identities(confidences: Sequence[Floats], rule: Rule, limits: Limits) -> Ints:
    """Which of several identities each face of a query shows, shape (n,): 0, 1, ... or -1 for none.

    Beyond the paper, for queries that :func:`label` leaves out because several identities prevail. Each service
    gives a face to that of its rotated blocks with the largest z, if z > tau; faces that strictly more than half of
    the services put together are one identity, with those that are tied to it through others. Fewer than
    ``min_positives`` faces are none. Identities are numbered by their first face.
    """
    together = np.zeros(confidences[0].shape, dtype=np.int64)
    for confidence in confidences:
        blocks = _blocks(confidence, rule, limits)
        together += (blocks[:, None] == blocks) & (blocks >= 0)
    count, part = scipy.sparse.csgraph.connected_components(2 * together > len(confidences), directed=False)
    sizes = np.bincount(part, minlength=count)
    assigned = np.where(sizes[part] >= limits.min_positives, part, EXCLUDED).astype(np.int64)
    known, place = np.unique(assigned[assigned >= 0], return_index=True)
    number = np.full(count + 1, EXCLUDED, dtype=np.int64)
    number[known[np.argsort(place)]] = np.arange(known.size)
    return number[assigned]


def _blocks(confidence: Floats, rule: Rule, limits: Limits) -> Ints:
    """The block of each face in one service's eyes, shape (n,), -1 for none."""
    clusters = view(confidence, rule, limits).clusters
    if not clusters:
        return np.full(len(confidence), EXCLUDED)
    turned = rotated(_spectrum(confidence)[1][:, :clusters])
    weight = np.einsum("ik,ij,jk->k", turned, confidence, turned)
    z = weight * turned * np.abs(turned)
    return np.where(z.max(axis=1) > limits.tau, z.argmax(axis=1), EXCLUDED).astype(np.int64)
