"""Templates drawn from von Mises-Fisher distributions, and what each system adds to them (FORMULAS 6 and 8.16)."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.cohort import CohortData, Templates
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.drawn_people import dealt
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.stats.von_mises_fisher import blocks, uniform_directions, unit, von_mises_fisher

if TYPE_CHECKING:
    from frtaudit.datasets.cohorts.synthetic import Synthetic

FAILED = "synthetic_failure"


def drawn(source: "Synthetic", schemas: Mapping[str, SchemaSpec], seed: int) -> CohortData:
    """Draw the cohort: the same seed draws the same one, and what a system adds depends on its name alone."""
    rng = np.random.default_rng(seed_of(seed, "cohort", "synthetic"))
    low, high = source.samples_per_subject
    owner = np.repeat(np.arange(source.subjects), rng.integers(low, high + 1, source.subjects))
    of_class = dealt([class_.share for class_ in source.classes.values()], source.subjects)
    base = _draw(source, rng, owner, of_class)
    roster = _roster(source, owner, of_class)
    cohort = enrol(roster, schemas)
    row_of = {name: i for i, name in enumerate(roster.sample_ids)}
    rows = np.array([row_of[name] for name in cohort.sample_ids])
    lost = {name: _lost(source, name, owner.size, seed)[rows] for name in source.systems}
    return CohortData(
        cohort=cohort,
        templates={
            name: partial(_templates, source, name, base, rows, gone, seed) for name, gone in lost.items()
        },
        failures={name: {int(i): FAILED for i in np.flatnonzero(gone)} for name, gone in lost.items()},
        pseudonym_key=bytes.fromhex(cohort.digest),
        attributes=attributes_of(roster, cohort),
    )


def _draw(source: "Synthetic", rng: np.random.Generator, owner: Ints, of_class: Ints) -> Floats:
    """The unit templates before any system's noise, shape (N, dimension)."""
    means = uniform_directions(rng, source.subjects, source.dimension)
    factors = np.array([class_.concentration for class_ in source.classes.values()] or [1.0])
    kappa = rng.uniform(*source.concentration, source.subjects) * factors[of_class]
    return von_mises_fisher(rng, means[owner], kappa[owner])


def _roster(source: "Synthetic", owner: Ints, of_class: Ints) -> Roster:
    width = len(str(source.subjects))
    names = np.array(list(source.classes) or [""], dtype=object)
    number = np.arange(owner.size) - np.searchsorted(owner, owner)
    subjects = [f"subject_{k:0{width}d}" for k in owner]
    return Roster(
        sample_ids=[f"{name}_{i:04d}" for name, i in zip(subjects, number, strict=True)],
        subjects=subjects,
        columns={source.column: names[of_class[owner]]},
        places=[f"sample {i}" for i in range(owner.size)],
    )


def _lost(source: "Synthetic", system: str, n_samples: int, seed: int) -> Flags:
    """Which drawn samples fail in a system, each independently at its failure rate."""
    rng = np.random.default_rng(seed_of(seed, "cohort", "failures", system))
    return rng.random(n_samples) < source.systems[system].failure_rate


def _templates(
    source: "Synthetic", system: str, base: Floats, rows: Ints, lost: Flags, seed: int
) -> Templates:
    """What a system sees: the base templates plus a Gaussian of length ``noise`` (root mean square)."""
    rng = np.random.default_rng(seed_of(seed, "cohort", "noise", system))
    scale = source.systems[system].noise / np.sqrt(source.dimension)
    seen = np.empty(base.shape, dtype=np.float32)
    for block in blocks(len(base)):
        seen[block] = unit(base[block] + scale * rng.standard_normal(base[block].shape))
    return Templates(rows=np.flatnonzero(~lost).astype(np.int32), vectors=seen[rows[~lost]])
