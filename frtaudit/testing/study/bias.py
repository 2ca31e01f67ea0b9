"""Error rates of tests of interclass bias, on synthetic people: ``python -m frtaudit.testing.study.bias``.

Each mated score of a subject is a level of the subject, an effect of either image and noise, so that comparisons of one
subject hang together twice. A class moved by s as a whole lies s (1 - 1/C) from the mean of C classes, the others s/C.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.stats.interclass import release_change
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import Space
from frtaudit.stats.interclass.d_l2_spaces import Axis, Spread, spread_bootstrap
from frtaudit.testing.study.misses import Claim, of_share, told
from frtaudit.testing.study.pages import parser_of

ALPHA, POWER = 0.05, 0.8
PLACE, HEAD = "interclass bias", ("cohorts", "claim", "share", "held to", "exact p")  # its table on a page
MIDDLE, LEVEL, IMAGE, NOISE, SYSTEM = 60.0, 6.0, 3.0, 3.0, 2.5  # points of 0..100


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A cohort: ``subjects`` and ``samples`` per subject of each class; the last class is moved down by ``shift``."""

    name: str
    subjects: tuple[int, ...]
    samples: tuple[int, ...]
    shift: float = 0.0
    further: float = 0.0

    @property
    def truth(self) -> Floats:
        """d_l2 of each class from the mean of the classes."""
        count = len(self.subjects)
        return np.array([self.shift / count] * (count - 1) + [self.shift * (1 - 1 / count)])


SHAPES = (
    Shape(name="alike", subjects=(40, 40, 40), samples=(4, 4, 4)),
    Shape(name="alike, unequal samples", subjects=(40, 40, 40), samples=(3, 4, 8)),
    Shape(name="alike, unequal classes", subjects=(30, 60, 120), samples=(8, 4, 3)),
    Shape(name="alike, six classes", subjects=(96, 102, 83, 53, 55, 53), samples=(4,) * 6),
    Shape(name="shifted", subjects=(40, 40, 40), samples=(4, 4, 4), shift=6.0),
    Shape(name="shifted, unequal samples", subjects=(40, 40, 40), samples=(3, 4, 8), shift=6.0),
    Shape(name="shifted, six classes", subjects=(96, 102, 83, 53, 55, 53), samples=(4,) * 6, shift=5.0),
)
PLANTED = 1.0  # points: the change of the largest d_l2 whose power is planned


def scores(shape: Shape, rng: np.random.Generator, systems: int = 1) -> list[tuple[list[Floats], list[Ints]]]:
    """Mated scores of each class and whose they are, as ``systems`` exchangeable systems see them (FORMULAS 8.16).

    Of two systems the second has the last class moved down by ``further``.
    """
    seen: list[tuple[list[Floats], list[Ints]]] = [([], []) for _ in range(systems)]
    for c, (size, count) in enumerate(zip(shape.subjects, shape.samples, strict=True)):
        first, second = (np.array(side) for side in zip(*combinations(range(count), 2), strict=True))
        image = rng.normal(0, IMAGE, (size, count))
        last = c == len(shape.subjects) - 1
        base = MIDDLE + rng.normal(0, LEVEL, (size, 1)) + image[:, first] + image[:, second]
        base = base + rng.normal(0, NOISE, base.shape) - shape.shift * last
        for place, (values, who) in enumerate(seen):
            moved = shape.further * last * (place == 1)
            noise = rng.normal(0, SYSTEM, base.shape)
            values.append((base + noise - moved).ravel())
            who.append(np.repeat(np.arange(size), first.size))
    return seen


def spread(shape: Shape, space: Space, resamples: int, rng: np.random.Generator) -> Spread:
    """What the audit finds in one cohort."""
    ((values, who),) = scores(shape, rng)
    shares = np.full(len(values), 1 / len(values))
    return spread_bootstrap(Classes.of(values, who), Axis(space=space), shares=shares, n=resamples, rng=rng)


def covered(distances: Spread, truth: Floats) -> Flags:
    """Whether each class's interval for the population holds its true distance."""
    low, high, _ = distances.bounds(ALPHA)
    return np.asarray((low <= truth) & (truth <= high))


def study(cohorts: int, resamples: int, seed: int) -> Iterator[Claim]:
    """Every claim: intervals at nominal, the test at most alpha, releases at most alpha, a planned change found."""
    for shape in SHAPES:
        rng = np.random.default_rng(seed_of(seed, "bias", shape.name))
        spreads = [spread(shape, Space.QUANTILE, resamples, rng) for _ in range(cohorts)]
        if shape.shift:
            covers = np.array([covered(distances, shape.truth) for distances in spreads])
            yield of_share(shape.name, "the moved class's interval covers", covers[:, -1], 0.95, "less")
        else:
            flagged = np.array([distances.p_value(ALPHA) <= ALPHA for distances in spreads])
            yield of_share(shape.name, "the test of 8.7 flags", flagged, ALPHA, "greater")
    for shift in (0.0, 6.0):
        shape = Shape(
            name=f"releases, shift {shift:g}", subjects=(40, 40, 40), samples=(4, 4, 4), shift=shift
        )
        rng = np.random.default_rng(seed_of(seed, "bias", shape.name))
        flagged = np.array([_change(shape, resamples, rng).p_value <= ALPHA for _ in range(cohorts)])
        yield of_share(shape.name, "exchangeable releases show a change", flagged, ALPHA, "greater")
    yield planned(cohorts, resamples, seed)


def planned(cohorts: int, resamples: int, seed: int) -> Claim:
    """A change as large as twenty pilots' mean detectable one, planted, is found with probability 0.8 or more."""
    start = Shape(name="planned change", subjects=(40, 40, 40), samples=(4, 4, 4), shift=6.0, further=PLANTED)
    rng = np.random.default_rng(seed_of(seed, "bias", start.name))
    size = float(np.mean([_change(start, resamples, rng).detectable for _ in range(20)]))
    shape = replace(start, further=1.5 * size)
    flagged = np.array([_change(shape, resamples, rng).p_value <= ALPHA for _ in range(cohorts)])
    return of_share(shape.name, f"a planted change of {size:.2f} is found", flagged, POWER, "less")


def _change(shape: Shape, resamples: int, rng: np.random.Generator) -> release_change.Change:
    old, new = scores(shape, rng, systems=2)
    change = release_change.change(*release_change.shared(old, new), alpha=ALPHA, n=resamples, rng=rng)
    if change is None:
        raise ValueError(f"{shape.name}: nothing to compare")
    return change


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("bias", __doc__)
    parser.add_argument("--cohorts", type=int, default=1000)
    parser.add_argument("--B", type=int, default=199, dest="resamples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None, help="write the claims as JSON")
    options = parser.parse_args(argv)
    return told(study(options.cohorts, options.resamples, options.seed), PLACE, HEAD, options)


if __name__ == "__main__":
    sys.exit(main())
