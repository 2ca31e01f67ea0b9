"""Synthetic populations of known truth: isotropic subjects, hubs, wolves (FORMULAS 6, 8.17).

A population is declared once, then drawn from: subjects first, samples of them after. The same seed draws the same
people on every machine; a template is a unit vector, a score the cosine of two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats, Ints, Singles
from frtaudit.core.freeze import FrozenArrays, require
from frtaudit.stats.von_mises_fisher import uniform_directions, unit, von_mises_fisher


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectClass:
    """A demographic group: the factor on its subjects' ``concentration``, and how far they lean its own way."""

    name: str
    concentration: float = 1.0
    offset: float = 0.0


ALIKE = (SubjectClass(name="a"), SubjectClass(name="b"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Subjects with mean directions unit(u + offset e_0 + offset of the class e_c), u uniform on the sphere.

    ``concentration``: (low, high) of a subject's kappa, drawn uniformly and multiplied by the factor of its class:
    subjects are unlike one another (heterogeneity). ``offset``: common to all subjects; those near e_0 are then hubs,
    alike to many. ``wolves``: share of subjects that take ``wolf_offset`` instead. ``classes``: of equal size, dealt in
    turn; class c leans to e_{c+1}, so ``dimension`` exceeds their number.

    >>> subjects = ISOTROPIC.subjects(np.random.default_rng(1), 6)
    >>> subjects.code.tolist(), subjects.samples(np.random.default_rng(2), [2] * 6).vectors.shape
    ([0, 1, 0, 1, 0, 1], (12, 16))
    """

    name: str
    dimension: int = 16
    concentration: tuple[float, float] = (40.0, 120.0)
    offset: float = 0.0
    wolves: float = 0.0
    wolf_offset: float = 0.0
    classes: tuple[SubjectClass, ...] = ALIKE

    def __post_init__(self) -> None:
        low, high = self.concentration
        require(0 < low <= high < np.inf, "concentration is low to high, both positive")
        require(0 <= self.wolves <= 1, "wolves is a share")
        require(0 < len(self.classes) < self.dimension, "at least one class, and fewer than dimensions")
        require(all(class_.concentration > 0 for class_ in self.classes), "factors are positive")

    def subjects(self, rng: np.random.Generator, n: int) -> "Subjects":
        """Draw ``n`` subjects; classes in turn, the rest independent."""
        code = np.arange(n) % len(self.classes)
        wolf = rng.random(n) < self.wolves
        kappa = rng.uniform(*self.concentration, n)
        kappa *= np.array([class_.concentration for class_ in self.classes])[code]
        means = uniform_directions(rng, n, self.dimension)
        means[:, 0] += np.where(wolf, self.wolf_offset, self.offset)
        means[np.arange(n), code + 1] += np.array([class_.offset for class_ in self.classes])[code]
        return Subjects(means=unit(means), kappa=kappa, code=code, wolf=wolf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects(FrozenArrays):
    """K drawn subjects.

    ``means`` (K, D) float64, unit rows; ``kappa`` (K,) float64; ``code`` (K,) int64: class; ``wolf`` (K,) bool.
    """

    means: Floats
    kappa: Floats
    code: Ints
    wolf: Flags

    def samples(
        self, rng: np.random.Generator, sizes: Sequence[int] | Ints, dtype: npt.DTypeLike = np.float32
    ) -> "Sampled":
        """Draw ``sizes[k]`` templates of subject k, in float32 or float64."""
        owner = np.repeat(np.arange(len(self.kappa)), sizes)
        drawn = von_mises_fisher(rng, self.means[owner], self.kappa[owner])
        return Sampled(vectors=drawn.astype(dtype), subject_of=owner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled(FrozenArrays):
    """Templates sorted by subject: ``vectors`` (N, D) float32 or float64; ``subject_of`` (N,) int64."""

    vectors: Singles | Floats
    subject_of: Ints

    def of(self, people: Ints) -> "Sampled":
        """The templates of ``people`` (K,) ascending, who are numbered anew from 0."""
        inside = np.isin(self.subject_of, people)
        return Sampled(
            vectors=self.vectors[inside], subject_of=np.searchsorted(people, self.subject_of[inside])
        )


def sizes_of(pattern: Sequence[int], n: int, rng: np.random.Generator) -> Ints:
    """Samples per subject, shape (n,): the pattern repeated, then shuffled, so that size says nothing of class.

    >>> sizes_of([4], 3, np.random.default_rng(0)).tolist()
    [4, 4, 4]
    """
    return rng.permutation(np.resize(np.asarray(pattern, dtype=np.int64), n))


_LOOSER = SubjectClass(name="b", concentration=0.8)
_LOOSER_AND_NEARER = SubjectClass(name="b", concentration=0.8, offset=0.3)

ISOTROPIC = Population(name="isotropic", classes=(ALIKE[0], _LOOSER))
"""Nobody is near anybody but by chance; FMR has a closed form. Class b has the higher FNMR."""
HUBS = Population(name="hubs", offset=0.5, classes=(ALIKE[0], _LOOSER_AND_NEARER))
"""A common offset: the FMR of a subject varies by its own size (1e-2), the largest being five times the mean."""
WOLVES = Population(
    name="wolves", offset=0.4, wolves=0.02, wolf_offset=2.0, classes=(ALIKE[0], _LOOSER_AND_NEARER)
)
"""2 % of the subjects are near many others: they match five times as often as the rest."""
HARD = Population(name="hard", concentration=(25.0, 90.0))
"""Images so unlike that FNMR is a quarter at an FMR of 0.1 %: a resample's missing errors, FNMR / m, then are many
standard deviations, and what is not recentered holds nothing (FORMULAS 7)."""
POPULATIONS = (ISOTROPIC, HUBS, WOLVES)
