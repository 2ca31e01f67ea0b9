"""A large real set scored once, whose truth is known: the set is the population, a few per cent of it a cohort."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.core.scores import ScoreTail
from frtaudit.datasets.cohorts.templates import TemplateFolder
from frtaudit.testing.populations import Sampled
from frtaudit.testing.study.sets.scored_sets import all_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class RealSet:
    """One system's scores over a whole set, and the templates behind them, in the order of the tail's samples."""

    name: str
    tail: ScoreTail
    templates: Sampled


def real_set(root: Path, system: str) -> RealSet:
    """Score all pairs of a folder of templates by one of its systems."""
    cohort_data = TemplateFolder(root=str(root)).load({}, 0)
    tail = all_pairs(cohort_data, system)
    templates = cohort_data.templates[system]()
    vectors = templates.vectors[np.searchsorted(templates.rows, tail.rows)]
    return RealSet(
        name=system,
        tail=tail,
        templates=Sampled(vectors=vectors, subject_of=tail.subject_of.astype(np.int64)),
    )


def draw(of: RealSet, subjects: int, cohorts: int, rng: np.random.Generator) -> Ints:
    """People of each cohort (C, K) among those with a template, without replacement, sorted."""
    people = np.flatnonzero(of.tail.n_samples > 0)
    return np.stack([np.sort(rng.choice(people, subjects, replace=False)) for _ in range(cohorts)])
