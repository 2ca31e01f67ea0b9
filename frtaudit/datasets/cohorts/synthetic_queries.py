"""A synthetic web search with known truth: queries, some faces of other people, and services that score pairs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from frtaudit.core.canonical import digest, seed_of
from frtaudit.core.machine.limits import check_images
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import SpecError
from frtaudit.labelling.settings import Between, How

if TYPE_CHECKING:
    import numpy as np

    from frtaudit.core.arrays import Floats, Index, Ints
    from frtaudit.core.cohort import CohortData
    from frtaudit.core.labelling import Service

FAILED = "synthetic_failure"
NOISE = 1e6  # nothing of a template is left long before


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticService:
    """The length of the ``noise`` that it adds to each unit template, and the share of faces that fail.

    Its scores are ``scale`` (1 + cosine) / 2, rounded to ``digits``, or to ``levels`` equally spaced values (256: eight
    bits); what lies below ``floor`` or above ``ceiling`` is given that score instead.
    """

    noise: float = 0.0
    failure_rate: float = 0.0
    scale: float = 100.0
    digits: int = 4
    levels: int | None = None
    floor: float | None = None
    ceiling: float | None = None

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for fewer than two levels, and for noise and rates that no service has."""
        if not (0 <= self.noise <= NOISE and 0 <= self.failure_rate < 1 and 0 < self.scale < math.inf):
            problem = f"noise {self.noise:g}, failure_rate {self.failure_rate:g}, scale {self.scale:g}"
            accepted = f"noise from 0 to {NOISE:g}, rate in [0, 1), scale above 0"
            raise SpecError("cohort.services", problem, accepted)
        if self.levels is not None and self.levels < 2:
            raise SpecError("cohort.services.levels", f"{self.levels}", "2 or more")

    def score(self, cosine: "Floats") -> "Floats":
        """What it says of pairs of this cosine, shape (P,).

        >>> import numpy as np
        >>> SyntheticService(levels=3, floor=50.0).score(np.array([-1.0, 0.1, 0.9])).tolist()
        [50.0, 50.0, 100.0]
        """
        import numpy as np

        share = np.clip((1 + cosine) / 2, 0.0, 1.0)
        if self.levels is not None:
            share = np.round(share * (self.levels - 1)) / (self.levels - 1)
        score = np.round(self.scale * share, self.digits)
        if self.floor is None and self.ceiling is None:
            return np.asarray(score)
        return np.asarray(np.clip(score, self.floor, self.ceiling))


@register("cohort", "synthetic_queries")
@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticQueries:
    """``queries`` of ``faces`` (low, high) each, of which a ``share`` (low, high) show the person searched for.

    The others are strangers, but in a share ``twins`` of the queries one other person is as common as the one
    searched for. A share ``bad`` of the images has a fifth of its subject's ``concentration``. ``classes``: share
    and factor on the concentration, in ``column``. ``annotated``: whether the truth stands beside the estimate.
    ``between``: which pairs of different queries of a class are scored.
    """

    queries: int = 120
    faces: tuple[int, int] = (12, 24)
    share: tuple[float, float] = (0.45, 0.9)
    twins: float = 0.03
    bad: float = 0.05
    dimension: int = 64
    concentration: tuple[float, float] = (90.0, 180.0)
    column: str = "group"
    classes: Mapping[str, float] = field(default_factory=dict)
    services: Mapping[str, SyntheticService] = field(default_factory=dict)
    annotated: bool = True
    between: Between = Between.MATCHED
    labels: How = field(default_factory=How)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no search can have."""
        low, high = self.faces
        least, most = self.share
        if self.queries < 2:
            raise SpecError("cohort.queries", f"{self.queries}", "2 or more")
        if not 1 <= low <= high:
            raise SpecError("cohort.faces", f"{low} to {high}", "low and high, 1 <= low <= high")
        if not 0 <= least <= most <= 1:
            raise SpecError("cohort.share", f"{least:g} to {most:g}", "low and high, 0 <= low <= high <= 1")
        if self.between is Between.LISTED:
            raise SpecError("cohort.between", "listed, but nothing is listed", "matched or all")
        if not self.services:
            raise SpecError("cohort.services", "no service", "a name and its noise")
        check_images("cohort.queries", self.queries, high)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":
        """Draw the search, label and enrol: what a service adds depends on its name alone."""
        import numpy as np

        from frtaudit.core.labelling import NOT_OF_QUERY, OF_QUERY, UNSAID, Faces
        from frtaudit.labelling.enrolment import labelled_cohort
        from frtaudit.labelling.pairs import pairs_of
        from frtaudit.stats.von_mises_fisher import uniform_directions, von_mises_fisher

        rng = np.random.default_rng(seed_of(seed, "cohort", "queries"))
        person, query = self._people(rng)
        names = list(self.classes) or [""]
        code = np.arange(self.queries) * len(names) // self.queries
        _, whom = np.unique(person, return_inverse=True)
        means = uniform_directions(rng, int(whom.max()) + 1, self.dimension)
        factors = np.array(list(self.classes.values()) or [1.0])
        kappa = rng.uniform(*self.concentration, int(whom.max()) + 1)[whom] * factors[code[query]]
        kappa[rng.random(person.size) < self.bad] *= 0.2
        base = von_mises_fisher(rng, means[whom], kappa)  # before any service's noise, (F, dimension)
        truth = np.where(person == query, OF_QUERY, NOT_OF_QUERY).astype(np.int8)
        width = len(str(self.queries))
        faces = Faces(
            names=tuple(f"face_{row:06d}" for row in range(person.size)),
            query_of=query.astype(np.int32),
            queries=tuple(f"query_{q:0{width}d}" for q in range(self.queries)),
            annotated=truth if self.annotated else np.full(truth.size, UNSAID, dtype=np.int8),
        )
        ends = pairs_of(faces, code, self.between, np.random.default_rng(seed_of(seed, "cohort", "pairs")))
        services = [self._service(name, base, ends, seed) for name in sorted(self.services)]
        columns = {self.column: np.array(names, dtype=object)[code[query]]}
        cohort_data = labelled_cohort(faces, services, columns, self.labels, schemas)
        key = digest({"seed": seed, "cohort": cohort_data.cohort.digest})
        return replace(cohort_data, pseudonym_key=bytes.fromhex(key))

    def _people(self, rng: "np.random.Generator") -> "tuple[Ints, Ints]":
        """Whom each face shows and which query found it; below ``queries`` a person is the one searched for."""
        import numpy as np

        low, high = self.faces
        sizes = rng.integers(low, high + 1, self.queries)
        right = np.maximum(np.round(sizes * rng.uniform(*self.share, self.queries)).astype(np.int64), 1)
        twin = rng.random(self.queries) < self.twins
        right[twin] = sizes[twin] // 2
        query = np.repeat(np.arange(self.queries), sizes)
        number = np.arange(query.size) - np.searchsorted(query, query)
        others = np.where(twin[query], self.queries + query, self.queries * 2 + np.arange(query.size))
        return np.where(number < right[query], query, others), query

    def _service(self, name: str, base: "Floats", ends: "tuple[Index, Index]", seed: int) -> "Service":
        """What a service says of the pairs: of its own noisy view of the same images."""
        import numpy as np

        from frtaudit.core.labelling import Service
        from frtaudit.stats.von_mises_fisher import unit

        asked = self.services[name]
        rng = np.random.default_rng(seed_of(seed, "cohort", "service", name))
        seen = unit(base + asked.noise / np.sqrt(self.dimension) * rng.standard_normal(base.shape))
        lost = rng.random(len(base)) < asked.failure_rate
        first, second = ends
        cosine = np.einsum("pd,pd->p", seen[first], seen[second])
        gone = lost[first] | lost[second]
        return Service(
            name=name,
            first=first,
            second=second,
            score=np.where(gone, np.nan, asked.score(cosine)),
            failure=np.where(gone, 0, -1).astype(np.int16),
            codes=(FAILED,) if gone.any() else (),
        )
