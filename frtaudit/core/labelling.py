"""Identities of faces without names: what services answered for pairs of faces, and the labels estimated from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Shorts, Signs
from frtaudit.core.freeze import FrozenRows, freeze, require
from frtaudit.core.spec_values import LabelSource

OF_QUERY, NOT_OF_QUERY, LEFT_OUT, UNSAID = 1, 0, -1, -2
APART = 2.0  # parts nearer than so many of the mean of the two standard deviations are one (equal ones: no dip between)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service(FrozenRows):
    """What one service said of P pairs of faces.

    ``first``, ``second``: shape (P,), int32, indices of faces, never the same; ``score``: shape (P,), float64, NaN
    where it failed; ``failure``: shape (P,), int16, index into ``codes``, -1 where there is a score.
    """

    name: str
    first: Index
    second: Index
    score: Floats
    failure: Shorts
    codes: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "first", "second", "score", "failure")
        require(
            self.first.shape == self.second.shape == self.score.shape == self.failure.shape, "equal lengths"
        )
        require(not bool(np.any(self.first == self.second)), "no self-comparison")
        require(bool(np.all(np.isnan(self.score) == (self.failure >= 0))), "a score or a failure")

    def renumbered(self, number: Ints | Index) -> "Service":
        """The pairs of two faces that have a number, under these; ``number``: of each face, -1 for none."""
        first, second = number[self.first].astype(np.int32), number[self.second].astype(np.int32)
        keep = (first >= 0) & (second >= 0)
        return replace(self.at_rows(keep), first=first[keep], second=second[keep])


@dataclass(frozen=True, slots=True, kw_only=True)
class Faces:
    """F faces sorted by query, then by name.

    ``names``: F unique names; ``query_of``: shape (F,), int32, non-decreasing index into ``queries``, which are
    unique and ascend; ``annotated``: shape (F,), int8: 1 of the query's person, 0 not, -1 looked at and not known,
    -2 not said.
    """

    names: tuple[str, ...]
    query_of: Index
    queries: tuple[str, ...]
    annotated: Signs

    def __post_init__(self) -> None:
        freeze(self, "query_of", "annotated")
        require(
            self.query_of.shape == self.annotated.shape == (len(self.names),), "one query and answer per face"
        )
        require(bool(np.all(np.diff(self.query_of) >= 0)), "faces are sorted by query")

    @property
    def starts(self) -> Ints:
        """Where each query's faces start, and the end, shape (Q + 1,)."""
        return np.searchsorted(self.query_of, np.arange(len(self.queries) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Two normal parts of a service's scores, the lower one first, before scores were cut off.

    ``mean``, ``width``: in the unit of the scores, widths are standard deviations; ``share``: sums to 1;
    ``log_likelihood``: mean over the scores, of natural logarithms, and ``gain``: by how much it is above that of one
    normal distribution; ``starts``: fits of which this one is the likeliest.
    """

    mean: tuple[float, float]
    width: tuple[float, float]
    share: tuple[float, float]
    log_likelihood: float
    gain: float
    starts: int

    @property
    def apart(self) -> bool:
        """Whether the means lie further from each other than the two parts are wide."""
        return self.mean[1] - self.mean[0] > APART * sum(self.width) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFit:
    """The ``modes`` of a service's scores, non-mated first, ``given`` in the spec or None where there is a ``problem``.

    ``mixture``: that they are of; None where modes were given, or lie at the floor and the ceiling of the scores.
    """

    modes: tuple[float, float] | None = None
    mixture: Mixture | None = None
    problem: str | None = None
    given: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Labels of F faces by S services (FORMULAS 5).

    ``label``: shape (F,), int8: 1 of the query's person, 0 not, -1 left out; ``identity``: shape (F,), int32: which
    person of the query, 0 where there is one, -1 where none; ``z``: shape (F, S), NaN where a service could not be
    asked; ``reason``: of each query, empty where it is used; ``clusters``: shape (Q, S), int32, how many identities
    each service sees; ``modes``: of each service, those of its non-mated and mated scores; ``fits``: of each service
    whose modes were not given, how they were found.
    """

    label: Signs
    identity: Index
    z: Floats
    reason: tuple[str, ...]
    clusters: Index
    modes: Mapping[str, tuple[float, float]]
    fits: Mapping[str, ModeFit] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "label", "identity", "z", "clusters")
        require(self.label.shape == self.identity.shape == self.z.shape[:1], "one label per face")
        require(self.clusters.shape == (len(self.reason), self.z.shape[1]), "one count per query and service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """The facts behind an audit without annotation.

    ``labelled``: by all services; ``source``: whose labels made the cohort; ``sample_of``: shape (F,), int32, the
    cohort's sample of each face, -1 for none; ``classes``: under each schema the class of each query, or ``unknown``;
    ``size_of``: service to the sizes of the boxes that it drew round the faces, shape (F,), pixels, where it drew some.
    """

    faces: Faces
    services: tuple[Service, ...]
    labelled: Labelled
    source: LabelSource
    sample_of: Index
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    size_of: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self, "sample_of")
        require(self.sample_of.shape == (len(self.faces.names),), "one sample or -1 per face")

    @property
    def by_name(self) -> Mapping[str, Service]:
        """The services by their names."""
        return {service.name: service for service in self.services}

    @property
    def left_out(self) -> Flags:
        """Faces of which nobody says whether they show their query's person, shape (F,), bool."""
        annotated = self.faces.annotated
        estimated = np.asarray(self.labelled.label == LEFT_OUT)
        if self.source is LabelSource.ESTIMATED:
            return estimated
        unsaid = estimated if self.source is LabelSource.COMBINED else np.ones_like(estimated)
        return np.asarray((annotated == LEFT_OUT) | ((annotated == UNSAID) & unsaid))
