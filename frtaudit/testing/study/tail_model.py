"""What does the model of the tail miss beyond the data? ``python -m frtaudit.testing.study.tail_model --docs PAGE``.

Cohorts of people with one image each, 50,086 comparisons (44,850 of real ones), which resolve an FMR of 1e-4. The truth
is that of 2e8 comparisons of other people of the population, with look-alikes of all pairs of people a declared share
on top; of the real set that of all its people, of whom each cohort holds 300.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from frtaudit.core.arrays import Floats, Scores
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Weighting
from frtaudit.stats.bootstrap.weights import draw_between
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.stats.similarity.tail import from_matrix, no_groups
from frtaudit.stats.tails.peaks import bounds, deciding_bound, tail_model
from frtaudit.stats.von_mises_fisher import unit
from frtaudit.testing.populations import HUBS, ISOTROPIC, WOLVES, Population
from frtaudit.testing.study.pages import into, parser_of, write_line
from frtaudit.testing.study.sets import scored_sets
from frtaudit.testing.study.sets.sources import SYSTEMS, real_data

PLACE, NOMINAL, ALPHA = "tail model", 0.95, 0.05
TARGETS = (1e-5, 1e-6)  # one and two decades below what the cohorts resolve
PEOPLE, REAL_PEOPLE, CROWD = 317, 300, 4473  # the last: of 1e7 pairs, a block of the truth
COMPARISONS, COHORTS, B, DRAWS, LEVEL = 2e8, 200, 399, 99, 0.1
EXCEEDANCES = (1000, 500, 250, 125)
LOOK_ALIKES = (
    2e-6  # of pairs of people: a cohort in ten holds one; two decades beyond the data they are the rate
)
SHARP = replace(ISOTROPIC, name="sharp", concentration=(300.0, 600.0))  # so that look-alikes match
MATED = 400_000  # comparisons that say how often a look-alike matches
REAL_TARGETS = (1.2e-5, 1.2e-6)

Draw = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A population: how a cohort's templates (K, D) are drawn, and the thresholds at which the true FMR is known."""

    name: str
    draw: Draw
    truth: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One cohort at one true rate: estimate, interval, the deciding bound, and the bound of the data alone."""

    fmr: float
    value: float
    low: float
    high: float
    deciding: float
    alone: float


def worlds(comparisons: float, systems: Sequence[str], names: Sequence[str]) -> Iterator[World]:
    """Four populations, then the real set as each of ``systems`` sees it; of ``names`` where there are any."""
    for population in (ISOTROPIC, HUBS, WOLVES):
        if not names or population.name in names:
            yield _made(population, comparisons, 0.0)
    if not names or "look-alikes" in names:
        yield _made(SHARP, comparisons, LOOK_ALIKES)
    for letter in systems if not names or "real" in names else ():
        yield _real(letter)


def _made(population: Population, comparisons: float, alike: float) -> World:
    rng = np.random.default_rng(seed_of(0, PLACE, population.name))
    scores, total = tops(population, max(round(comparisons / (CROWD * (CROWD - 1) / 2)), 1), rng)
    mated = np.zeros(1)
    if alike:
        people = population.subjects(rng, MATED)
        first, second = (people.samples(rng, [1] * MATED).vectors for _ in range(2))
        mated = np.asarray((first * second).sum(axis=1), dtype=np.float64)

    def fmr(threshold: float) -> float:
        others = np.searchsorted(-scores, -threshold, side="left") / total
        return float((1 - alike) * others + alike * np.mean(mated > threshold))

    known = np.append(scores, mated[mated > scores[-1]]) if alike else scores
    ordered = np.sort(known)
    truth = []
    for target in TARGETS:
        low, high = 0, ordered.size - 1  # the smallest score at which FMR is the target or less
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fmr(ordered[middle]) <= target else (middle + 1, high)
        truth.append((target, float(ordered[low])))

    def draw(rng: np.random.Generator) -> Floats:
        subjects = population.subjects(rng, PEOPLE)
        means, kappa = subjects.means.copy(), subjects.kappa.copy()
        for _ in range(rng.poisson(alike * PEOPLE * (PEOPLE - 1) / 2)):
            first, second = rng.choice(PEOPLE, 2, replace=False)
            means[second], kappa[second] = means[first], kappa[first]
        twins = replace(subjects, means=means, kappa=kappa)
        return twins.samples(rng, [1] * PEOPLE, np.float64).vectors.astype(np.float64)

    name = f"look-alikes, {alike:g} of pairs" if alike else population.name
    return World(name=name, draw=draw, truth=tuple(truth))


def tops(population: Population, blocks: int, rng: np.random.Generator) -> tuple[Floats, int]:
    """The highest scores of ``blocks`` crowds, descending, more than 1e-4 of all; and the number of comparisons."""
    parts: list[Scores] = []
    floor = -1.0
    for _ in range(blocks):
        vectors = population.subjects(rng, CROWD).samples(rng, [1] * CROWD).vectors
        rows, columns = np.triu_indices(CROWD, 1)
        scores = (vectors @ vectors.T)[rows, columns]
        floor = floor if parts else float(np.quantile(scores, 1 - 5e-4))
        parts.append(scores[scores > floor])
    return -np.sort(-np.concatenate(parts).astype(np.float64)), blocks * CROWD * (CROWD - 1) // 2


def _real(letter: str) -> World:
    """The set's people with at most ten images; a cohort: one image each of some, drawn at random."""
    known = scored_sets.real(real_data(), SYSTEMS[letter], f"real set {letter}")
    if known.templates is None:
        raise ValueError("a real set keeps its templates")
    vectors = unit(known.templates.vectors.astype(np.float64))
    start, count = np.cumsum(known.n_samples) - known.n_samples, known.n_samples

    def draw(rng: np.random.Generator) -> Floats:
        chosen = rng.choice(count.size, REAL_PEOPLE, replace=False)
        return np.asarray(vectors[start[chosen] + rng.integers(0, count[chosen])])

    truth = tuple((target, known.threshold(target, Weighting.IDENTITY)) for target in REAL_TARGETS)
    return World(name=known.name, draw=draw, truth=truth)


def read(world: World, seed: int) -> tuple[Read, ...] | None:
    """One cohort: the average at each true rate, then the chosen threshold; None where no threshold fits."""
    rng = np.random.default_rng(seed_of(0, PLACE, world.name, str(seed)))
    vectors = world.draw(rng)
    tail = from_matrix(vectors @ vectors.T, [f"{k:04d}" for k in range(len(vectors))])
    copies = draw_between(np.zeros(len(vectors), dtype=np.int32), seed=seed, first=0, count=B)
    model = tail_model(tail, EXCEEDANCES, copies.astype(np.int64), level=LEVEL, draws=DRAWS, rng=rng)
    if not model.fits:
        return None
    rule = prepare(tail, no_groups(tail), [threshold for _, threshold in world.truth])
    least = 5 / tail.tail_score.size / 100
    chosen, reads = model.used[0], []
    for average in (True, False):
        for fmr, threshold in world.truth:
            value, drawn = (
                model.fmr(threshold) if average else (chosen.fmr(threshold), chosen.drawn_fmr(threshold))
            )
            low, high = bounds(drawn, (1 - NOMINAL) / 2, least)
            ruled = rule.fmr(threshold, 0, 1 - NOMINAL, Weighting.POOLED)
            deciding = deciding_bound(drawn, ALPHA, least, ruled.pair or 0.0)
            reads.append(
                Read(fmr=fmr, value=value, low=low, high=high, deciding=deciding, alone=ruled.high or 1.0)
            )
    return tuple(reads)


def table(name: str, cohorts: int, reads: Sequence[tuple[Read, ...]]) -> Iterator[str]:
    """A line for each estimator and true rate."""
    per = len(reads[0]) // 2
    for place, column in enumerate(zip(*reads, strict=True)):
        how = "average" if place < per else "choice"
        true, n = column[0].fmr, len(column)
        above, below = (
            sum(test) for test in ([r.low > true for r in column], [r.high < true for r in column])
        )
        covered = n - above - below
        misses = f"{above / n:.3f} + {below / n:.3f}"
        bad = stats.binomtest(covered, n, 0.93, alternative="less").pvalue <= 1e-3
        values = np.array([r.value for r in column])
        wide = [float(np.median([getattr(r, end) for r in column])) / true for end in ("high", "alone")]
        passed = sum(r.deciding <= true for r in column) / n
        ratios = f"{np.median(values) / true:.2f} | {np.mean(values) / true:.2f}"
        mark = "**" if bad else ""
        yield (
            f"| {name} | {true:g} | {how} | {n} of {cohorts} | {ratios} | {mark}{covered / n:.3f}{mark} | {misses} | "
            f"{wide[0]:.1f} | {wide[1]:.1f} | {passed:.3f} |"
        )


HEAD = (
    "| people | true FMR | by | cohorts that fit | median / truth | mean / truth | coverage of 0.95 | misses above "
    "+ below the truth | upper end / truth | of the data alone | false pass at 0.05 |\n" + "|---" * 11 + "|"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0: the page says what fails."""
    parser = parser_of("tail_model", __doc__)
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    parser.add_argument("--comparisons", type=float, default=COMPARISONS, help="behind each known truth")
    parser.add_argument("--systems", default="AB", help="letters of the real set's systems; empty: none")
    parser.add_argument("--only", nargs="*", default=(), help="populations, or real")
    options = parser.parse_args(argv)
    lines = [HEAD]
    for world in worlds(options.comparisons, options.systems, options.only):
        tried = [read(world, seed) for seed in range(options.cohorts)]
        fitted = [reads for reads in tried if reads is not None]
        lines += table(world.name, options.cohorts, fitted) if fitted else ()
        write_line("\n".join(lines[-4:]))
    into(options.docs, PLACE, "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
