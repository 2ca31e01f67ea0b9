"""Synthetic subjects whose images differ in hair, exposure and age, and training sets that contain some of them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.machine.limits import check_images
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.drawn_people import roster_of, texts_of
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    import numpy as np

    from frtaudit.core.arrays import Floats, Ints, Texts
    from frtaudit.core.cohort import CohortData, Templates
    from frtaudit.inputs.roster import Roster

HAIR = ("none", "some", "full")
HAIR_SHARES = (0.35, 0.3, 0.35)
NOBODY = -1  # the subject of a training image that shows nobody of the test set
DUPLICATE = 0.45  # the largest length of the noise between an image and its copy


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingShape:
    """A training set: ``identities`` with ``samples`` images each, and what of the test set it holds.

    ``overlap``: share of test subjects who stand in it too; of those, ``copied``: share with a copy of a test image,
    ``split``: share who stand in it as two identities; ``noise``: share of identities with one image of somebody else,
    who is anybody of the set.
    """

    identities: int = 400
    samples: int = 6
    overlap: float = 0.3
    copied: float = 0.2
    split: float = 0.15
    noise: float = 0.05


@register("cohort", "synthetic_traits")
@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Von Mises-Fisher subjects as in ``synthetic``, whose images have traits that move their templates.

    Each sample has columns ``hair`` (none, some, full) with ``hair_confidence``, ``exposure`` (brightness, 0 to 255, by
    group) and ``age`` (years; samples of a subject lie up to ``years`` apart). ``effects``: length by which full hair
    and one standard deviation of exposure move a template along directions that all subjects share, so that pairs of
    unlike traits are hard. ``mislabelled``: share of samples under another subject's name. ``systems``: name to the
    length of its own noise. ``training``: training sets, drawn from the same subjects and from others.
    """

    subjects: int = 400
    samples_per_subject: tuple[int, int] = (4, 8)
    dimension: int = 64
    concentration: tuple[float, float] = (90.0, 180.0)
    column: str = "group"
    classes: tuple[str, ...] = ("amber", "birch")
    effects: tuple[float, float] = (0.35, 0.25)
    years: float = 12.0
    mislabelled: float = 0.0
    systems: Mapping[str, float] = field(default_factory=lambda: {"synthetic": 0.3})
    training: Mapping[str, TrainingShape] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no cohort can have."""
        for name, problem, accepted in self._refusals():
            raise SpecError(f"cohort.{name}", problem, accepted)
        check_images("cohort.subjects", self.subjects, self.samples_per_subject[1])

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":
        """Draw the cohort and its training sets: the same seed draws the same ones."""
        import numpy as np

        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs.roster import attributes_of, enrol
        from frtaudit.stats.von_mises_fisher import uniform_directions

        rng = np.random.default_rng(seed_of(seed, "cohort", "synthetic_traits"))
        low, high = self.samples_per_subject
        owner = np.repeat(np.arange(self.subjects), rng.integers(low, high + 1, self.subjects))
        of_class = np.arange(self.subjects) * len(self.classes) // self.subjects
        means = uniform_directions(rng, self.subjects, self.dimension)
        columns, base = self._images(rng, owner, of_class, means)
        roster = self._roster(owner, of_class, columns, rng)
        cohort = enrol(roster, schemas)
        drawn = {name: i for i, name in enumerate(roster.sample_ids)}
        rows = np.array([drawn[name] for name in cohort.sample_ids])
        shown = _Shown(owner=owner[rows], base=base[rows], names=cohort.sample_ids)
        return CohortData(
            cohort=cohort,
            templates={
                name: partial(self._observed, name, "test", base[rows], seed) for name in self.systems
            },
            pseudonym_key=bytes.fromhex(cohort.digest),
            attributes=attributes_of(roster, cohort),
            training={
                name: self._training(name, shape, means, shown, seed) for name, shape in self.training.items()
            },
        )

    def _images(
        self, rng: "np.random.Generator", owner: "Ints", of_class: "Ints", means: "Floats"
    ) -> "tuple[dict[str, Texts], Floats]":
        """Traits of each sample as text, and its template before any system's noise."""
        import numpy as np

        from frtaudit.stats.von_mises_fisher import uniform_directions, unit, von_mises_fisher

        kappa = rng.uniform(*self.concentration, self.subjects)
        hair = rng.choice(len(HAIR), owner.size, p=HAIR_SHARES)
        light = rng.standard_normal(owner.size)
        brightness = np.clip(110 + 30 * of_class[owner] + 25 * light, 0, 255)
        age = rng.uniform(20, 60, self.subjects)[owner] + rng.uniform(0, self.years, owner.size)
        ways = uniform_directions(rng, 2, self.dimension)
        moved = (hair - 1.0)[:, None] * self.effects[0] * ways[0] + light[:, None] * self.effects[1] * ways[1]
        base = unit(von_mises_fisher(rng, means[owner], kappa[owner]) + moved)
        columns = {
            "hair": np.array(HAIR, dtype=object)[hair],
            "hair_confidence": texts_of(rng.beta(8, 1, owner.size), 3),
            "exposure": texts_of(brightness, 1),
            "age": texts_of(age, 1),
        }
        return columns, base

    def _roster(
        self, owner: "Ints", of_class: "Ints", columns: "dict[str, Texts]", rng: "np.random.Generator"
    ) -> "Roster":
        """Names like LFW's; mislabelled samples go to another subject of their class."""
        import numpy as np

        named = owner.copy()
        for sample in np.flatnonzero(rng.random(owner.size) < self.mislabelled).tolist():
            others = np.flatnonzero(of_class == of_class[owner[sample]])
            named[sample] = int(rng.choice(others[others != owner[sample]]))
        classes = np.array(self.classes, dtype=object)[of_class[named]]
        return roster_of(named, 5, {self.column: classes, **columns}, first=1)

    def _noise(self, system: str, of: str, size: int, seed: int) -> "Floats":
        """What a system adds to each image of a set: a Gaussian of the system's length (root mean square)."""
        import numpy as np

        rng = np.random.default_rng(seed_of(seed, "cohort", "traits", system, of))
        length = self.systems[system] / np.sqrt(self.dimension)
        return np.asarray(length * rng.standard_normal((size, self.dimension)))

    def _observed(
        self,
        system: str,
        of: str,
        base: "Floats",
        seed: int,
        copies: Mapping[int, int] | None = None,
        test: int = 0,
    ) -> "Templates":
        """Base templates with the system's noise; an image that copies one of the ``test`` images has its noise."""
        import numpy as np

        from frtaudit.core.cohort import Templates
        from frtaudit.stats.von_mises_fisher import unit

        noise = self._noise(system, of, len(base), seed)
        if copies:
            noise[list(copies)] = self._noise(system, "test", test, seed)[list(copies.values())]
        seen = unit(base + noise)
        return Templates(rows=np.arange(len(seen), dtype=np.int32), vectors=seen.astype(np.float32))

    def _training(
        self, name: str, shape: TrainingShape, means: "Floats", shown: "_Shown", seed: int
    ) -> "CohortData":
        """A training set as a cohort of its own, its images in the order of their names."""
        import numpy as np

        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs.roster import Roster, attributes_of, enrol
        from frtaudit.stats.von_mises_fisher import uniform_directions, von_mises_fisher

        rng = np.random.default_rng(seed_of(seed, "cohort", "traits", "training", name))
        shared = np.sort(rng.permutation(self.subjects)[: round(shape.overlap * self.subjects)])
        twice = shared[rng.random(shared.size) < shape.split]
        strangers = max(shape.identities - shared.size - twice.size, 2)
        who = np.concatenate([shared, twice, np.full(strangers, NOBODY)])
        centres = np.concatenate([means[who[who >= 0]], uniform_directions(rng, strangers, self.dimension)])
        order = rng.permutation(who.size)
        who, centres = who[order], centres[order]
        identity = np.repeat(np.arange(who.size), shape.samples)
        images = von_mises_fisher(rng, centres[identity], rng.uniform(*self.concentration, identity.size))
        copies = self._copies(rng, shape, who, shown, images)
        noise = self._strangers(rng, shape, centres, images)
        shows = who[identity]
        shows[list(noise)] = who[list(noise.values())]
        texts = ["" if k == NOBODY else f"subject_{k:05d}" for k in shows.tolist()]
        copied = {at: shown.names[source] for at, source in copies.items()}
        people = [f"person_{k:06d}" for k in identity]
        roster = Roster(
            sample_ids=[f"{name}_{i % shape.samples:03d}" for i, name in enumerate(people)],
            subjects=people,
            columns={
                "shows": np.array(texts, dtype=object),
                "shows_image": np.array([copied.get(at, "") for at in range(identity.size)], dtype=object),
            },
            places=[f"training image {i}" for i in range(identity.size)],
        )
        cohort = enrol(roster, {})
        seen = partial(self._observed, of=name, base=images, seed=seed, copies=copies, test=len(shown.names))
        return CohortData(
            cohort=cohort,
            templates={system: partial(seen, system) for system in self.systems},
            pseudonym_key=bytes.fromhex(cohort.digest),
            attributes=attributes_of(roster, cohort),
        )

    def _copies(
        self, rng: "np.random.Generator", shape: TrainingShape, who: "Ints", shown: "_Shown", images: "Floats"
    ) -> dict[int, int]:
        """Copies of test images in place of the first image of an identity: training image to test image."""
        import numpy as np

        from frtaudit.stats.von_mises_fisher import unit

        copies: dict[int, int] = {}
        shared = np.unique(who[who >= 0])
        for subject in shared[rng.random(shared.size) < shape.copied].tolist():
            at = shape.samples * int(np.flatnonzero(who == subject)[0])
            source = int(np.flatnonzero(shown.owner == subject)[0])
            length = DUPLICATE * rng.random() / np.sqrt(self.dimension)
            step = length * rng.standard_normal(self.dimension)
            images[at] = unit((shown.base[source] + step)[None])[0]
            copies[at] = source
        return copies

    def _strangers(
        self, rng: "np.random.Generator", shape: TrainingShape, centres: "Floats", images: "Floats"
    ) -> dict[int, int]:
        """Images of another identity in place of the last of one: training image to whom it shows instead."""
        import numpy as np

        from frtaudit.stats.von_mises_fisher import von_mises_fisher

        strangers: dict[int, int] = {}
        for identity in np.flatnonzero(rng.random(len(centres)) < shape.noise).tolist():
            at = shape.samples * (identity + 1) - 1
            other = (identity + 1 + int(rng.integers(len(centres) - 1))) % len(centres)
            images[at] = von_mises_fisher(rng, centres[[other]], rng.uniform(*self.concentration, 1))[0]
            strangers[at] = other
        return strangers

    def _refusals(self) -> Iterator[tuple[str, str, str]]:
        """(field, what was found, what is accepted) of every number out of its range."""
        low, high = self.samples_per_subject
        if self.subjects < 2 * max(len(self.classes), 1):
            yield "subjects", f"{self.subjects} subject(s)", "two or more of each class"
        if not 1 <= low <= high:
            yield "samples_per_subject", f"{low} to {high}", "low and high, 1 <= low <= high"
        if self.dimension < 2:
            yield "dimension", f"{self.dimension}", "2 or more"
        if not 0 < self.concentration[0] <= self.concentration[1] < math.inf:
            yield "concentration", "not low and high above 0", "low and high, 0 < low <= high"
        if not self.classes or not self.systems:
            yield "classes", "no class or no system", "at least one of each"
        if not 0 <= self.mislabelled < 1:
            yield "mislabelled", f"{self.mislabelled:g}", "a share in [0, 1)"
        for name, shape in self.training.items():
            shares = (shape.overlap, shape.copied, shape.split, shape.noise)
            if shape.identities < 2 or shape.samples < 2 or not all(0 <= share <= 1 for share in shares):
                problem = "counts below 2, or shares outside [0, 1]"
                yield f"training.{name}", problem, "counts from 2, shares in [0, 1]"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The test images in the cohort's order: whom they show, (N,); templates without noise, (N, D); names, N."""

    owner: "Ints"
    base: "Floats"
    names: Sequence[str]
