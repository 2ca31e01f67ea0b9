"""Do the bounds of a rate's ratio to the overall rate hold? ``python -m frtaudit.testing.study.overall_ratio``.

Cohorts are drawn as errors: people err by a weight of their own (alike, hubs, a few wolves), images and pairs of people
by theirs, and errors at lower thresholds stand behind those at the threshold, so that bounds borrow as in an audit. The
group's rate is so many times the overall one that the ratio is known.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals.overall_ratio import OverallRatio, ratio_to_overall
from frtaudit.stats.intervals.wilson import prepare
from frtaudit.testing.study.pages import into, markdown, parser_of, verdict, write_line

COHORTS, NOMINAL, HELD, ALPHA, ALARM = 2000, 0.95, 0.93, 0.05, 1e-3
RATES = ("fnmr", "fmr")
GENERATORS = ("isotropic", "hubs", "wolves")
PLACE = "ratio to overall"
THRESHOLD = -1.0  # scores are minus the times of errors
PEOPLE = 400_000  # by whom the truth of FNMR is known
LOOK_ALIKE = 0.02  # share of pairs of people with errors all of whose images may err
BLUR = 0.15  # how likely each further pair of images of two people errs with the first


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A design: ``share``: of the group, of ``groups``; ``errors``: expected in the group; ``ratio``: the truth."""

    generator: str
    rate: str
    subjects: int
    samples: int
    groups: int
    share: float
    errors: int
    ratio: float

    @property
    def depth(self) -> float:
        """Times the threshold's errors that stand behind them: few errors borrow from many."""
        return 2.0 if self.errors >= 20 else 8.0

    @property
    def group_of(self) -> Index:
        """Group of each subject; the first is the one that is judged."""
        first = round(self.share * self.subjects)
        others = 1 + np.arange(self.subjects - first) % (self.groups - 1)
        return np.concatenate([np.zeros(first), others]).astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Cohorts of a cell: drawn, with a ratio, covered, and wrong verdicts at the limit."""

    cell: Cell
    cohorts: int
    given: int
    lower_misses: int
    upper_misses: int
    passed: int
    failed: int
    width: float

    @property
    def covered(self) -> int:
        """Intervals that contain the true value."""
        return self.given - self.lower_misses - self.upper_misses

    @property
    def broken(self) -> tuple[str, ...]:
        """What does not hold, by an exact test at 0.001."""
        low = stats.binomtest(self.covered, self.given, HELD, alternative="less").pvalue <= ALARM
        beyond = {
            name: stats.binomtest(count, self.given, ALPHA, alternative="greater").pvalue <= ALARM
            for name, count in (("pass", self.passed), ("fail", self.failed))
        }
        return (*(("coverage",) if low else ()), *(name for name, too_often in beyond.items() if too_often))


DESIGNS = (  # subjects, samples, groups, share of the judged one, expected errors in it, ratio
    (300, 6, 2, 0.5, 2, 1.25),
    (300, 6, 2, 0.5, 20, 1.25),
    (300, 6, 2, 0.5, 200, 1.25),
    (300, 6, 6, 0.2, 8, 1.25),
    (300, 6, 6, 0.2, 60, 1.0),
    (300, 6, 6, 0.05, 3, 1.25),
    (1000, 4, 2, 0.2, 30, 1.25),
    (1000, 4, 2, 0.5, 124, 1.25),
    (1000, 4, 6, 0.05, 5, 1.25),
    (300, 6, 2, 0.2, 5, 1.25),
    (300, 6, 6, 0.05, 20, 1.25),
    (1000, 4, 2, 0.5, 2, 1.25),
    (1000, 4, 2, 0.2, 200, 1.25),
    (1000, 4, 6, 0.2, 60, 1.0),
    (1000, 4, 6, 0.05, 20, 1.25),
)


def cells() -> Iterator[Cell]:
    """Both rates by every generator; look-alikes for FMR, in the first three designs."""
    by_rate = [(rate, generator, DESIGNS) for rate in RATES for generator in GENERATORS]
    for rate, generator, designs in (*by_rate, ("fmr", "look-alikes", DESIGNS[:3])):
        for subjects, samples, groups, share, errors, ratio in designs:
            yield Cell(
                generator=generator, rate=rate, subjects=subjects, samples=samples, groups=groups,
                share=share, errors=errors, ratio=ratio,
            )  # fmt: skip


def counted(cell: Cell, cohorts: int, seed: int = 0) -> Counted:
    """The cell's cohorts, one after another."""
    rng = np.random.default_rng(seed_of(seed, PLACE, str(cell)))
    scale, truth = _mated_scale(cell, rng) if cell.rate == "fnmr" else _non_mated_scale(cell)
    drawn = (ratio_of(cell, scale, rng) for _ in range(cohorts))
    known = [ratio for ratio in drawn if ratio is not None]
    low, high = _bounds(known, (1 - NOMINAL) / 2)
    lower, upper = _bounds(known, ALPHA)
    lower_misses, upper_misses = int((low > truth).sum()), int((high < truth).sum())
    return Counted(
        cell=cell, cohorts=cohorts, given=len(known), lower_misses=lower_misses,
        upper_misses=upper_misses, passed=int((upper <= truth).sum()),
        failed=int((lower > truth).sum()), width=float(np.median(high - low)),
    )  # fmt: skip


def _bounds(known: Sequence[OverallRatio], error: float) -> tuple[Floats, Floats]:
    low, high = (
        np.array([bound(error) / ratio.weight for ratio, bound in pairs])
        for pairs in ([(r, r.bounds.low) for r in known], [(r, r.bounds.high) for r in known])
    )
    return low, high


def weights(generator: str, n: int, rng: np.random.Generator) -> Floats:
    """How much each person errs, 1 on average."""
    if generator == "hubs":
        return np.asarray(rng.lognormal(-0.32, 0.8, n))
    if generator == "wolves":
        return np.where(rng.random(n) < 0.02, 8.0, 1.0) / 1.14
    return np.ones(n)


def ratio_of(cell: Cell, scale: Floats, rng: np.random.Generator) -> OverallRatio | None:
    """The ratio in one cohort."""
    factors = weights(cell.generator, cell.subjects, rng)
    mated = mated_times(cell, factors, scale, rng) if cell.rate == "fnmr" else None
    tail = tail_of(cell, mated, None if cell.rate == "fnmr" else non_mated_times(cell, factors, scale, rng))
    names = tuple(("group", str(g)) for g in range(cell.groups))
    groups = Groups(schemas=("group",), names=names, of=cell.group_of[None], ranked=(True,) * cell.groups)
    return ratio_to_overall(prepare(tail, groups, [THRESHOLD]), cell.rate, THRESHOLD, 1, Weighting.POOLED)


def _mated_scale(cell: Cell, rng: np.random.Generator) -> tuple[Floats, float]:
    """Rate of each group's mated comparisons, and the true ratio: that of many people."""
    share = float((cell.group_of == 0).mean())
    factor = cell.ratio * (1 - share) / (1 - cell.ratio * share)
    pairs = cell.samples * (cell.samples - 1) / 2
    # Of each group: the judged one's multiplier, and unequal ones of the others, 1 on average.
    others = np.linspace(0.6, 1.4, cell.groups - 1) if cell.groups > 2 else np.ones(1)
    rates = np.concatenate([[factor], others]) * cell.errors / (share * cell.subjects * pairs * factor)
    factors = weights(cell.generator, PEOPLE, rng)
    images = rng.gamma(0.5, 2.0, (2, PEOPLE)).mean(axis=0)
    mean = np.array([np.minimum(rate * factors * images, 1.0).mean() for rate in rates])
    sizes = np.bincount(cell.group_of) / cell.subjects
    return rates, float(mean[0] / (mean * sizes).sum())


def mated_times(cell: Cell, factors: Floats, rates: Floats, rng: np.random.Generator) -> Floats:
    """When each mated comparison errs, shape (K, pairs): at 1 and before, at the threshold."""
    first, second = np.triu_indices(cell.samples, 1)
    images = rng.gamma(0.5, 2.0, (cell.subjects, cell.samples))
    hazard = (rates[cell.group_of] * factors)[:, None] * (images[:, first] + images[:, second]) / 2
    return np.asarray(rng.random(hazard.shape) / np.maximum(hazard, 1e-300))


def _non_mated_scale(cell: Cell) -> tuple[Floats, float]:
    """First errors expected of a pair of people, by their groups (G, G), and the true ratio."""
    sizes = np.bincount(cell.group_of).astype(np.float64)
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    multiplier = np.ones((cell.groups, cell.groups)) + np.eye(cell.groups)
    multiplier[0, 0] = 0.0
    f = pairs[0, 0] / pairs.sum()
    rest = float((multiplier * pairs).sum() / pairs.sum())
    multiplier[0, 0] = cell.ratio * rest / (1 - cell.ratio * f)
    # A further pair errs by the threshold where its delay allows: 1 in 2.
    each = 1 + (cell.samples**2 - 1) * BLUR / 2
    return multiplier * cell.errors / (multiplier[0, 0] * each * pairs[0, 0] / 2), cell.ratio


def non_mated_times(
    cell: Cell, factors: Floats, scale: Floats, rng: np.random.Generator
) -> tuple[Ints, Ints, Floats]:
    """Images, images, and when they err: pairs of people by their weights, each with some further pairs of images."""
    group = cell.group_of
    chance = factors / factors.sum()
    most, n = float(scale.max()), cell.samples
    count = rng.poisson(cell.depth * most * factors.sum() ** 2 / 2)
    a, b = rng.choice(cell.subjects, count, p=chance), rng.choice(cell.subjects, count, p=chance)
    accepted = (a != b) & (rng.random(count) * most < scale[group[a], group[b]])
    a, b = a[accepted], b[accepted]
    start = rng.random(a.size) * cell.depth
    further = rng.binomial(n * n - 1, BLUR, a.size)
    if cell.generator == "look-alikes":
        further = np.where(rng.random(a.size) < LOOK_ALIKE, n * n - 1, further)
    event = np.repeat(np.arange(a.size), 1 + further)
    leading = np.concatenate([[0], np.cumsum(1 + further)[:-1]]) if a.size else np.zeros(0, dtype=int)
    delay = 1 / np.maximum(rng.random(event.size), 1e-12)
    delay[leading] = 1.0
    times = start[event] * delay
    i, j = a[event] * n + rng.integers(0, n, event.size), b[event] * n + rng.integers(0, n, event.size)
    i, j = np.minimum(i, j), np.maximum(i, j)
    order = np.argsort(times, kind="stable")
    i, j, times = i[order], j[order], times[order]
    _, unique = np.unique(i.astype(np.int64) * (cell.subjects * n) + j, return_index=True)
    unique = np.sort(unique)
    unique = unique[times[unique] < cell.depth]
    return i[unique], j[unique], times[unique]


def tail_of(cell: Cell, mated: Floats | None, non_mated: tuple[Ints, Ints, Floats] | None) -> ScoreTail:
    """Times of errors as the scores of one system."""
    k, n = cell.subjects, cell.samples
    first, second = np.triu_indices(n, 1)
    start = np.arange(k)[:, None] * n
    i, j = (start + first).ravel(), (start + second).ravel()
    score = np.full(i.size, 1.0) if mated is None else mated.ravel() + THRESHOLD - 1
    order = np.argsort(score, kind="stable")
    a, b, times = non_mated or (np.zeros(0, int), np.zeros(0, int), np.zeros(0))
    total = k * (k - 1) // 2 * n * n
    return ScoreTail(
        n_samples=np.full(k, n),
        subject_of=np.repeat(np.arange(k), n).astype(np.int32),
        rows=np.arange(k * n, dtype=np.int32),
        mated_i=i[order].astype(np.int32),
        mated_j=j[order].astype(np.int32),
        mated_score=score[order],
        tail_i=a.astype(np.int32),
        tail_j=b.astype(np.int32),
        tail_score=-times,
        cutoff=-cell.depth,
        edges=np.array([-20.0, -cell.depth, 2.0]),
        histogram=np.array([total - a.size, a.size]),
        mated_histogram=np.array([0, i.size]),
        cells=np.zeros(k, dtype=np.int32),
        score_range=(-20.0, 2.0),
    )


def table(results: Sequence[Counted]) -> str:
    """The worst cell of each rate and generator in Markdown."""
    rows = []
    for rate, generator in dict.fromkeys((result.cell.rate, result.cell.generator) for result in results):
        alike = [
            result for result in results if (result.cell.rate, result.cell.generator) == (rate, generator)
        ]
        coverage = min(result.covered / result.given for result in alike)
        passed, failed = (
            max(getattr(result, name) / result.given for result in alike) for name in ("passed", "failed")
        )
        word = verdict(sorted({name for result in alike for name in result.broken}))
        size = f"{len(alike)} of {alike[0].cohorts:,}"
        rows.append(
            (rate.upper(), generator, size, f"{coverage:.3f}", f"{passed:.3f}", f"{failed:.3f}", word)
        )
    shares = ("least coverage", "false pass, at most", "false fail")
    return markdown(("rate", "people", "cells of cohorts", *shares, ""), rows)


def line(result: Counted) -> str:
    """A cell of the study in a line."""
    cell = result.cell
    design = f"{cell.subjects} x {cell.samples}, {cell.groups} groups, {cell.share:.0%}, {cell.errors} errors"
    shares = ", ".join(
        f"{name} {count / result.given:.4f}"
        for name, count in (
            ("lower misses", result.lower_misses),
            ("upper misses", result.upper_misses),
            ("pass", result.passed),
            ("fail", result.failed),
        )
    )
    where = f"{cell.rate}, {cell.generator}, {design}, ratio {cell.ratio}"
    return f"{where}: {result.given} given, {shares}, width {result.width:.2f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("overall_ratio", __doc__)
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    parser.add_argument("--rate", choices=RATES, help="the rate whose cells are run; both by default")
    options = parser.parse_args(argv)
    results: list[Counted] = []
    for cell in cells():
        if options.rate not in (None, cell.rate):
            continue
        results.append(counted(cell, options.cohorts))
        write_line(line(results[-1]))
    for rate in dict.fromkeys(result.cell.rate for result in results):
        text = table([result for result in results if result.cell.rate == rate])
        sys.stdout.write(text + "\n")
        into(options.docs, f"{PLACE}, {rate}", text)
    return int(any(result.broken for result in results))


if __name__ == "__main__":
    sys.exit(main())
