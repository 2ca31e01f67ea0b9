"""Synthetic people with two classifications, whose images vary in size and brightness, seen by releases of vendors.

Everything that the audit of interclass bias reads, with a truth that is put in: which release treats whom worse.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from frtaudit.core.canonical import seed_of
from frtaudit.core.machine.limits import check_images
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.datasets.drawn_people import dealt, roster_of, texts_of
from frtaudit.errors import SpecError

if TYPE_CHECKING:
    import numpy as np

    from frtaudit.core.arrays import Flags, Floats, Ints
    from frtaudit.core.cohort import CohortData, Templates
    from frtaudit.inputs.roster import Roster

FAILED = "no_face_found"
SMALL_FACE = 3.9, 0.55  # mean and sd of the logarithm of a face's width in pixels: a third lies below 40
SHAPE = 1.25  # height of a face over its width


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseClass:
    """A class: its ``share`` of the people (relative), mean and sd of its images' brightness, 0..100."""

    share: float = 1.0
    brightness: float = 60.0
    brightness_sd: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSystem:
    """A system: length of its ``noise``, times ``harder`` of a person's classes and 1 + ``dark`` (1 - brightness/100).

    ``failure_rate``: of images of average brightness; darker ones fail more often, brighter ones less.
    """

    noise: float = 0.5
    harder: Mapping[str, float] = field(default_factory=dict)
    dark: float = 0.0
    failure_rate: float = 0.0


@register("cohort", "synthetic_releases")
@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticReleases:
    """``subjects`` with images from a von Mises-Fisher distribution, a ``tone`` and a ``gender`` column of classes.

    Samples per subject: ``samples[0]`` plus a geometric number with mean ``samples[1] - samples[0]``. Columns: tone,
    gender, face_width, face_height (pixels), brightness (0..100). ``conflicts``: the share of subjects one of whose
    samples is labelled with another tone. Class names are unique over both columns.
    """

    subjects: int = 400
    samples: tuple[int, int] = (2, 6)
    dimension: int = 64
    concentration: tuple[float, float] = (110.0, 200.0)
    tones: Mapping[str, ReleaseClass] = field(default_factory=dict)
    genders: Mapping[str, ReleaseClass] = field(default_factory=dict)
    conflicts: float = 0.0
    systems: Mapping[str, ReleaseSystem] = field(default_factory=lambda: {"synthetic": ReleaseSystem()})

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no cohort can have."""
        for name, problem, accepted in self._refusals():
            raise SpecError(f"cohort.{name}", problem, accepted)
        check_images("cohort.subjects", self.subjects, self.samples[1])

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":
        """Draw the cohort: the same seed draws the same people, and what a system adds depends on its name alone."""
        import numpy as np

        from frtaudit.core.cohort import CohortData
        from frtaudit.inputs.roster import attributes_of, enrol
        from frtaudit.stats.von_mises_fisher import uniform_directions, von_mises_fisher

        rng = np.random.default_rng(seed_of(seed, "cohort", "synthetic_releases"))
        low, mean = self.samples
        extra = rng.geometric(1 / (1 + mean - low), self.subjects) - 1
        owner = np.repeat(np.arange(self.subjects), low + extra)
        shares = ([group.share for group in classes.values()] for classes in (self.tones, self.genders))
        tone, gender = (rng.permutation(dealt(share, self.subjects)) for share in shares)
        drawn = _Drawn(owner=owner, tone=tone, gender=gender)
        brightness = self._brightness(rng, drawn)
        means = uniform_directions(rng, self.subjects, self.dimension)
        kappa = rng.uniform(*self.concentration, self.subjects)
        base = von_mises_fisher(rng, means[owner], kappa[owner])
        roster = self._roster(rng, drawn, brightness)
        cohort = enrol(roster, schemas)
        place = {name: i for i, name in enumerate(roster.sample_ids)}
        rows = np.array([place[name] for name in cohort.sample_ids])
        seen = {name: self._observed(name, drawn, brightness) for name in self.systems}
        lost = {name: self._lost(name, brightness, seed)[rows] for name in self.systems}
        return CohortData(
            cohort=cohort,
            templates={
                name: partial(self._templates, name, base, seen[name], rows, gone, seed)
                for name, gone in lost.items()
            },
            failures={name: {int(i): FAILED for i in np.flatnonzero(gone)} for name, gone in lost.items()},
            pseudonym_key=bytes.fromhex(cohort.digest),
            attributes=attributes_of(roster, cohort),
        )

    def _brightness(self, rng: "np.random.Generator", drawn: "_Drawn") -> "Floats":
        """Half of its variance is the person's, half the image's."""
        import numpy as np

        kinds = list(self.tones.values()) or [ReleaseClass()]
        mean = np.array([release_class.brightness for release_class in kinds])[drawn.tone]
        sd = np.array([release_class.brightness_sd for release_class in kinds])[drawn.tone]
        person = (mean + sd * np.sqrt(0.5) * rng.standard_normal(self.subjects))[drawn.owner]
        image = sd[drawn.owner] * np.sqrt(0.5) * rng.standard_normal(drawn.owner.size)
        return np.asarray(np.clip(person + image, 0.0, 100.0), dtype=np.float64)

    def _roster(self, rng: "np.random.Generator", drawn: "_Drawn", brightness: "Floats") -> "Roster":
        import numpy as np

        owner = drawn.owner
        tones = np.array(list(self.tones) or [""], dtype=object)
        genders = np.array(list(self.genders) or [""], dtype=object)
        tone_codes = drawn.tone[owner]
        odd = rng.random(self.subjects) < self.conflicts
        first = np.searchsorted(owner, np.arange(self.subjects))
        tone_codes[first[odd]] = (tone_codes[first[odd]] + 1) % len(tones)
        width = np.exp(rng.normal(*SMALL_FACE, owner.size)) + 20
        columns = {
            "tone": tones[tone_codes],
            "gender": genders[drawn.gender[owner]],
            "face_width": texts_of(width, 0),
            "face_height": texts_of(width * SHAPE, 0),
            "brightness": texts_of(brightness, 1),
        }
        return roster_of(owner, len(str(self.subjects)), columns)

    def _observed(self, system: str, drawn: "_Drawn", brightness: "Floats") -> "Floats":
        """The length of the noise that a system adds to each image."""
        import numpy as np

        release = self.systems[system]
        factor = np.ones(drawn.owner.size)
        for classes, of in ((self.tones, drawn.tone), (self.genders, drawn.gender)):
            factors = np.array([release.harder.get(name, 1.0) for name in classes] or [1.0])
            factor *= factors[of[drawn.owner]]
        return np.asarray(release.noise * factor * (1 + release.dark * (1 - brightness / 100)))

    def _lost(self, system: str, brightness: "Floats", seed: int) -> "Flags":
        """Which images fail: the darker, the more often."""
        import numpy as np

        rng = np.random.default_rng(seed_of(seed, "cohort", "failures", system))
        chance = self.systems[system].failure_rate * 2 * (1 - brightness / 100)
        return rng.random(brightness.size) < chance

    def _templates(
        self, system: str, base: "Floats", scale: "Floats", rows: "Ints", lost: "Flags", seed: int
    ) -> "Templates":
        """What a system sees: the images plus Gaussian noise of each one's length (root mean square)."""
        import numpy as np

        from frtaudit.core.cohort import Templates
        from frtaudit.stats.von_mises_fisher import unit

        rng = np.random.default_rng(seed_of(seed, "cohort", "noise", system))
        noise = rng.standard_normal(base.shape) * (scale / np.sqrt(self.dimension))[:, None]
        seen = unit(base + noise)[rows]
        return Templates(rows=np.flatnonzero(~lost).astype(np.int32), vectors=seen[~lost].astype(np.float32))

    def _refusals(self) -> Iterator[tuple[str, str, str]]:
        """(field, what was found, what is accepted) of every number out of its range."""
        low, mean = self.samples
        weak, strong = self.concentration
        if self.subjects < 2:
            yield "subjects", f"{self.subjects} subject(s)", "2 or more"
        if not 1 <= low < mean:
            yield "samples", f"{low} and {mean}", "least and mean, 1 <= least < mean"
        if self.dimension < 2:
            yield "dimension", f"{self.dimension}", "2 or more"
        if not 0 < weak <= strong < math.inf:
            yield "concentration", f"{weak:g} to {strong:g}", "low and high, 0 < low <= high"
        if not 0 <= self.conflicts < 1:
            yield "conflicts", f"{self.conflicts:g}", "a share in [0, 1)"
        if set(self.tones) & set(self.genders):
            yield "genders", "a name that a tone has too", "names of their own"
        classes = [(f"tones.{name}", group) for name, group in self.tones.items()]
        classes += [(f"genders.{name}", group) for name, group in self.genders.items()]
        for place, group in classes:
            if not (0 < group.share < math.inf and 0 <= group.brightness <= 100 and group.brightness_sd >= 0):
                yield place, "a share, brightness or sd out of range", "above 0; 0 to 100; from 0"
        yield from self._refused_systems()

    def _refused_systems(self) -> Iterator[tuple[str, str, str]]:
        known = {*self.tones, *self.genders}
        if not self.systems:
            yield "systems", "no system", "at least one"
        for name, release in self.systems.items():
            strange = sorted(set(release.harder) - known)
            if strange:
                yield f"systems.{name}.harder", f"no class is named {strange[0]!r}", ", ".join(sorted(known))
            values = (release.noise, release.dark, *release.harder.values())
            if not (all(0 <= value < math.inf for value in values) and 0 <= release.failure_rate <= 0.5):
                yield f"systems.{name}", "a negative number, or a failure rate above 0.5", "from 0; 0 to 0.5"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """Whose each sample is (N,), tone and gender of each subject (K,)."""

    owner: "Ints"
    tone: "Ints"
    gender: "Ints"
