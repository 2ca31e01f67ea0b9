"""Synthetic subjects on a sphere: von Mises-Fisher templates whose truth is known (FORMULAS 6 and 8.16)."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.machine.limits import check_images
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import SpecError

if TYPE_CHECKING:  # arrays are loaded where they are drawn: a spec is read without
    from frtaudit.core.arrays import Flags, Floats, Ints
    from frtaudit.core.cohort import CohortData, Templates

FAILED = "synthetic_failure"
NOISE = 1e6  # nothing of a template is left long before


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticClass:
    """A class of subjects: its ``share`` of them (relative), and the factor on their ``concentration``."""

    share: float = 1.0
    concentration: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticSystem:
    """A system: the length of the ``noise`` that it adds to each unit template, and the share of samples that fail."""

    noise: float = 0.0
    failure_rate: float = 0.0


@register("cohort", "synthetic")
@dataclass(frozen=True, slots=True, kw_only=True)
class Synthetic:
    """``subjects`` with uniform mean directions, each with samples from vMF(mean, kappa) in ``dimension`` dimensions.

    ``samples_per_subject``: (low, high), drawn uniformly; ``concentration``: (low, high) of kappa, drawn uniformly for
    each subject and multiplied by the factor of its class, so that the truth differs between classes by a declared
    amount; ``classes``: metadata ``column`` holds their names; ``systems``: each adds its own independent noise to the
    same templates, so that systems of equal noise are exchangeable.
    """

    subjects: int = 300
    samples_per_subject: tuple[int, int] = (3, 3)
    dimension: int = 64
    concentration: tuple[float, float] = (80.0, 160.0)
    column: str = "group"
    classes: Mapping[str, SyntheticClass] = field(default_factory=dict)
    systems: Mapping[str, SyntheticSystem] = field(default_factory=lambda: {"synthetic": SyntheticSystem()})

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no cohort can have."""
        for name, problem, accepted in self._refusals():
            raise SpecError(f"cohort.{name}", problem, accepted)
        check_images("cohort.subjects", self.subjects, self.samples_per_subject[1])

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":
        """Draw the cohort: the same seed draws the same one, and what a system adds depends on its name alone."""
        import numpy as np

        from frtaudit.core.cohort import CohortData
        from frtaudit.datasets.drawn_people import dealt, roster_of
        from frtaudit.inputs.roster import attributes_of, enrol
        from frtaudit.stats.von_mises_fisher import uniform_directions, von_mises_fisher

        rng = np.random.default_rng(seed_of(seed, "cohort", "synthetic"))
        low, high = self.samples_per_subject
        owner = np.repeat(np.arange(self.subjects), rng.integers(low, high + 1, self.subjects))
        of_class = dealt([class_.share for class_ in self.classes.values()], self.subjects)
        means = uniform_directions(rng, self.subjects, self.dimension)
        factors = np.array([class_.concentration for class_ in self.classes.values()] or [1.0])
        kappa = rng.uniform(*self.concentration, self.subjects) * factors[of_class]
        base = von_mises_fisher(rng, means[owner], kappa[owner])  # before any system's noise, (N, dimension)
        classes = np.array(list(self.classes) or [""], dtype=object)[of_class[owner]]
        roster = roster_of(owner, len(str(self.subjects)), {self.column: classes})
        cohort = enrol(roster, schemas)
        drawn = {name: i for i, name in enumerate(roster.sample_ids)}
        rows = np.array([drawn[name] for name in cohort.sample_ids])
        lost = {name: self._lost(name, owner.size, seed)[rows] for name in self.systems}
        return CohortData(
            cohort=cohort,
            templates={
                name: partial(self._templates, name, base, rows, gone, seed) for name, gone in lost.items()
            },
            failures={name: {int(i): FAILED for i in np.flatnonzero(gone)} for name, gone in lost.items()},
            pseudonym_key=bytes.fromhex(cohort.digest),
            attributes=attributes_of(roster, cohort),
        )

    def _lost(self, system: str, n_samples: int, seed: int) -> "Flags":
        """Which drawn samples fail in a system, each independently at its failure rate."""
        import numpy as np

        rng = np.random.default_rng(seed_of(seed, "cohort", "failures", system))
        return rng.random(n_samples) < self.systems[system].failure_rate

    def _templates(self, system: str, base: "Floats", rows: "Ints", lost: "Flags", seed: int) -> "Templates":
        """What a system sees: the base templates plus a Gaussian of length ``noise`` (root mean square)."""
        import numpy as np

        from frtaudit.core.cohort import Templates
        from frtaudit.stats.von_mises_fisher import blocks, unit

        rng = np.random.default_rng(seed_of(seed, "cohort", "noise", system))
        scale = self.systems[system].noise / np.sqrt(self.dimension)
        seen = np.empty(base.shape, dtype=np.float32)
        for block in blocks(len(base)):
            seen[block] = unit(base[block] + scale * rng.standard_normal(base[block].shape))
        return Templates(rows=np.flatnonzero(~lost).astype(np.int32), vectors=seen[rows[~lost]])

    def _refusals(self) -> Iterator[tuple[str, str, str]]:
        """(field, what was found, what is accepted) of every number out of its range."""
        low, high = self.samples_per_subject
        weak, strong = self.concentration
        if self.subjects < 2:
            yield "subjects", f"{self.subjects} subject(s)", "2 or more"
        if not 1 <= low <= high:
            yield "samples_per_subject", f"{low} to {high}", "low and high, 1 <= low <= high"
        if self.dimension < 2:
            yield "dimension", f"{self.dimension}", "2 or more"
        if not 0 < weak <= strong < math.inf:
            yield "concentration", f"{weak:g} to {strong:g}", "low and high, 0 < low <= high"
        for name, group in self.classes.items():
            if not (0 < group.share < math.inf and 0 < group.concentration < math.inf):
                yield f"classes.{name}", "a share or concentration that is not positive", "positive numbers"
        if not self.systems:
            yield "systems", "no system", "at least one"
        for name, system in self.systems.items():
            if not (0 <= system.noise <= NOISE and 0 <= system.failure_rate < 1):
                problem = f"noise outside [0, {NOISE:g}], or a failure rate outside [0, 1)"
                yield f"systems.{name}", problem, f"noise from 0 to {NOISE:g}, rate in [0, 1)"
