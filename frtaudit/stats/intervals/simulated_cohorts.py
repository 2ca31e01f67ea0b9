"""Errors of simulated cohorts of one structure under the model of ``subject_effects``, as sums by subject.

A cohort is drawn with errors at a wider threshold too, so that the rule of FORMULAS 8.1 can borrow its design effect
as it does on real scores: the errors at the threshold that is read come first, the further ones follow in random
order, until there are enough. Effects do not change with the threshold.

Non-mated errors are few among many comparisons, so no comparison is visited. Blocks of a complete cell: as many
candidates as the Poisson of the expected errors says, both subjects of each drawn in proportion to n_k a_k, and dropped
if they are one; then block {k, l} has a Poisson number of candidates of mean m = p n_kl a_k a_l. A gamma pair effect
of variance d^2 turns that into a negative binomial, which is a Poisson number of clusters of logarithmic size (Fisher,
Corbet and Williams 1943; Quenouille 1949): a candidate is a cluster with probability log(1 + m d^2)/(m d^2), of size
logarithmic with parameter m d^2/(1 + m d^2) (Kemp 1981).

Pairs of people that the cohort lacks are no part of that model: look-alikes, a number of pairs drawn from the Poisson
distribution, whose comparisons match as those of one person do, each by itself.
"""

from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Longs
from frtaudit.stats.intervals.simulated_counts import (
    Tally,
    cell_tallies,
    listed_tallies,
    mated_tallies,
    no_tally,
    tally_of,
)

WIDE_ERRORS = 100.0  # errors expected at the wider threshold
DENSE = 5_000.0  # false matches expected in a cohort above which their sums are drawn from the normal distribution
CHUNK = 1 << 21  # subjects times cohorts drawn at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Simulated cohorts: ``own`` at the threshold that is read; ``lent`` at the nearest with enough errors, else NaN.

    ``errors`` (C, K2) int64: mated errors of each subject at the former, empty when non-mated.
    """

    own: Tally
    lent: Tally
    errors: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Subjects of a group whose non-mated pairs within a cell are all compared, sorted by cell.

    ``samples`` (K,) int64, ``starts`` (cells + 1,) int64: where each cell starts; ``weight`` (K,) float64: comparisons
    of each subject, or subjects it is compared with under ``identity`` weighting.
    """

    samples: Ints
    starts: Ints
    weight: Floats
    identity: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAlikes:
    """Pairs of indistinguishable people: how many a cohort holds on average, how often their images match."""

    pairs: float
    match_rate: float


NO_LOOK_ALIKES = LookAlikes(pairs=0.0, match_rate=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Subjects of a group and the listed blocks of their non-mated comparisons.

    ``first``, ``second``, ``size`` (Q,) int64: subjects (0..K-1) and comparisons of each block; ``weight`` (K,) and
    ``identity`` as in :class:`Cells`.
    """

    first: Ints
    second: Ints
    size: Ints
    weight: Floats
    identity: bool


def gamma_effects(rng: "np.random.Generator", shape: tuple[int, int], variance: float) -> Floats:
    """Effects of mean one and the given variance, gamma, of that shape (C, K); all ones where the variance is 0.

    >>> float(gamma_effects(np.random.default_rng(1), (1, 3), 0.0).sum())
    3.0
    """
    if variance <= 0:
        return np.ones(shape)
    return np.asarray(rng.standard_gamma(1 / variance, shape) * variance)


def with_wolves(rng: "np.random.Generator", effects: Floats, share: float, factor: float) -> Floats:
    """Make each subject a wolf with probability ``share``: its effect is ``factor`` times that of the others.

    All effects are divided by 1 + share (factor - 1), so that their mean stays one and the rate what it was.
    """
    return effects * np.where(rng.random(effects.shape) < share, factor, 1.0) / (1 + share * (factor - 1))


def wider(rate: float, trials: int, most: float = 1.0) -> float:
    """The rate at the wider threshold: one at which 100 errors are expected, twice the own rate, or the own rate.

    ``most``: the largest rate that the model allows.

    >>> wider(0.001, 10_000), wider(0.018, 10_000), wider(0.1, 10_000)
    (0.01, 0.036, 0.1)
    """
    if rate * trials >= 2 * WIDE_ERRORS:
        return rate
    return max(rate, min(max(2 * rate, WIDE_ERRORS / trials), most))


def draw_mated(
    rng: "np.random.Generator",
    pairs: Ints,
    rate: float,
    variance: float,
    cohorts: int,
    *,
    identity: bool,
    shift: Floats | None = None,
) -> Drawn:
    """Draw mated errors of ``cohorts`` cohorts: beta rates of the subjects, binomial errors given them.

    ``pairs`` (K2,) int64: comparisons of each subject; ``variance``: c^2, cut at 0.99 of the largest that rates in
    [0, 1] can have. The beta distribution is that at the wider threshold; own errors are a random part of the wider
    ones, so that a subject's own rate is the same multiple of the mean. ``shift`` (C,): what a threshold found anew in
    each cohort multiplies everybody's rate by.

    >>> drawn = draw_mated(np.random.default_rng(1), np.array([6, 6]), 0.5, 0.0, 3, identity=False)
    >>> drawn.errors.shape, bool((drawn.own.errors == drawn.errors.sum(axis=1)).all())
    ((3, 2), True)
    """
    spread = min(variance, 0.99 * (1 - rate) / rate)
    wide = wider(rate, int(pairs.sum()), 1 / (1 + 2 * spread))
    chance = np.full((cohorts, pairs.size), wide)
    if spread > 0:
        shape = (1 - wide - spread * wide) / (spread * wide)  # alpha + beta = p(1-p)/variance - 1, times p
        chance = rng.beta(wide * shape, (1 - wide) * shape, (cohorts, pairs.size))
    if shift is not None:
        chance = np.minimum(chance * shift[:, None], 1.0)
    every = rng.binomial(pairs, chance).astype(np.int64)
    errors = every if wide == rate else rng.binomial(every, rate / wide).astype(np.int64)
    share = 1 / pairs if identity else np.ones(pairs.size)
    weight = np.ones(pairs.size) if identity else pairs.astype(np.float64)
    with np.errstate(over="ignore"):
        observed, lent = mated_tallies(errors, every - errors, share, weight, _seeds(rng, cohorts))
    return Drawn(own=tally_of(observed), lent=tally_of(lent), errors=errors)


def draw_non_mated(
    rng: "np.random.Generator",
    place: Cells | Listing,
    rate: float,
    effects: Floats,
    pair: float,
    also: LookAlikes = NO_LOOK_ALIKES,
) -> Drawn:
    """Draw false matches of C cohorts, ``effects`` (C, K) being their subjects'; ``pair``: d^2; ``also``: look-alikes.

    Where more than 5,000 false matches are expected in complete cells, the sums by subject are drawn from the normal
    distribution with the mean and the covariance that they have given the subject effects.

    >>> cells = Cells(samples=np.array([2, 2, 2]), starts=np.array([0, 3]), weight=np.full(3, 8.0), identity=False)
    >>> drawn = draw_non_mated(np.random.default_rng(1), cells, 0.1, np.ones((4, 3)), 0.0)
    >>> drawn.own.count.shape
    (4,)
    """
    alike, added = _look_alikes(rng, place, len(effects), also)
    if isinstance(place, Listing):
        return _from_listing(rng, place, rate, effects, pair, alike, added)
    comparisons = place.weight
    if place.identity:
        samples = place.samples.astype(np.float64)[None]
        comparisons = (samples * (_in_cells(samples, place.starts) - samples))[0]
    trials = float(comparisons.sum()) / 2
    if rate * trials > DENSE:
        return _normal(rng, place, rate, effects, pair, trials, alike, added)
    wide = wider(rate, round(trials))
    heavy = effects * place.samples
    bounds = np.concatenate([np.zeros((len(effects), 1)), np.cumsum(heavy, axis=1)], axis=1)
    mass = np.diff(bounds[:, place.starts], axis=1)
    candidates = rng.poisson(wide * np.square(mass) / 2).astype(np.int64)
    seeds = _seeds(rng, len(effects))
    shares = 1 / np.maximum(place.samples, 1) if place.identity else np.ones(place.samples.size)
    with np.errstate(over="ignore"):
        observed, lent = cell_tallies(
            bounds, place.starts, candidates, heavy, shares, place.weight, wide * pair, rate / wide, seeds,
            alike, added,
        )  # fmt: skip
    return _non_mated(tally_of(observed), tally_of(lent))


def _non_mated(own: Tally, lent: Tally) -> Drawn:
    return Drawn(own=own, lent=lent, errors=np.zeros((own.errors.size, 0), dtype=np.int64))


def _look_alikes(
    rng: "np.random.Generator", place: Cells | Listing, cohorts: int, also: LookAlikes
) -> tuple[Ints, Floats]:
    """Pairs (C, L, 3) of subjects with their false matches, -1 where a cohort has fewer, and what each match adds."""
    number = rng.poisson(also.pairs, cohorts) if also.pairs > 0 else np.zeros(cohorts, dtype=np.int64)
    alike = np.full((cohorts, int(number.max(initial=0)), 3), -1, dtype=np.int64)
    added = np.zeros(alike.shape[:2])
    here = np.arange(alike.shape[1]) < number[:, None]
    first, second, size = _blocks(rng, place, int(here.sum()))
    alike[here] = np.stack([first, second, rng.binomial(size, also.match_rate)], axis=1)
    added[here] = 1 / size if place.identity else 1.0
    return alike, added


def _blocks(rng: "np.random.Generator", place: Cells | Listing, number: int) -> tuple[Ints, Ints, Ints]:
    """Compared pairs of subjects, each as likely as any other, and their comparisons; the same one may come twice."""
    if isinstance(place, Listing):
        at = rng.integers(0, place.size.size, number)
        return place.first[at], place.second[at], place.size[at]
    people = np.diff(place.starts).astype(np.float64)
    cell = rng.choice(people.size, number, p=people * (people - 1) / float((people * (people - 1)).sum()))
    start, width = place.starts[cell], np.diff(place.starts)[cell]
    first = rng.integers(0, width)
    second = (first + rng.integers(1, width)) % width
    first, second = first + start, second + start
    return first, second, place.samples[first] * place.samples[second]


def _from_listing(
    rng: "np.random.Generator",
    place: Listing,
    rate: float,
    effects: Floats,
    pair: float,
    alike: Ints,
    added: Floats,
) -> Drawn:
    wide = wider(rate, int(place.size.sum()))
    mean = wide * place.size * effects[:, place.first] * effects[:, place.second]
    candidates = rng.poisson(mean).astype(np.int64)
    shares = 1 / place.size if place.identity else np.ones(place.size.size)
    seeds = _seeds(rng, len(effects))
    with np.errstate(over="ignore"):
        observed, lent = listed_tallies(
            candidates, mean * pair, place.first, place.second, shares, place.weight, rate / wide, seeds,
            alike, added,
        )  # fmt: skip
    return _non_mated(tally_of(observed), tally_of(lent))


def _normal(
    rng: "np.random.Generator",
    place: Cells,
    rate: float,
    effects: Floats,
    pair: float,
    trials: float,
    alike: Ints,
    added: Floats,
) -> Drawn:
    """Sums by subject of very many false matches.

    Given the effects, subject k's sum has mean p f_k (F - f_k); Poisson noise of covariance p g_k g_l between subjects
    and variance p g_k (G - g_k); pair effects of covariance d^2 p^2 f_k^2 f_l^2 and variance
    d^2 p^2 f_k^2 (F2 - f_k^2), with f = g = n a (pooled) or f = a, g = a/n (identity), F, G, F2 the sums of f, g, f^2
    in the cell. A covariance u_k u_l with variance u_k (U - u_k) is that of u_k z + sqrt(u_k (U - 2 u_k)) z_k; a
    subject that holds more than half of its cell gets u_k^2, which is more.
    """
    f = effects if place.identity else effects * place.samples
    g = effects / place.samples if place.identity else f
    sums = rate * f * (_in_cells(f, place.starts) - f)
    sums += np.sqrt(rate) * _noise(rng, g, place.starts)
    sums += rate * np.sqrt(pair) * _noise(rng, f * f, place.starts)
    cohort, slot = np.nonzero(alike[:, :, 0] >= 0)
    for side in (0, 1):
        np.add.at(sums, (cohort, alike[cohort, slot, side]), alike[cohort, slot, 2] * added[cohort, slot])
    count = sums.sum(axis=1) / 2
    everybody = np.full(len(effects), float(place.samples.size))
    errors = np.clip(count if not place.identity else np.full(len(effects), rate * trials), 1, trials - 1)
    tally = Tally(
        errors=np.round(errors),
        count=count,
        square=np.square(sums).sum(axis=1),
        cross=sums @ place.weight,
        subjects_with_errors=everybody,
        heaviest=np.abs(sums - (2 * count / place.weight.sum())[:, None] * place.weight).max(axis=1),
    )
    return _non_mated(tally, no_tally(len(effects)))


def _noise(rng: "np.random.Generator", u: Floats, starts: Ints) -> Floats:
    """Normal noise with covariance u_k u_l and variance u_k (U - u_k) within each cell, none across cells."""
    each = np.sqrt(np.maximum(u * (_in_cells(u, starts) - 2 * u), 0.0)) * rng.standard_normal(u.shape)
    shared = rng.standard_normal((len(u), starts.size - 1))
    return np.asarray(each + u * np.repeat(shared, np.diff(starts), axis=1))


def _in_cells(values: Floats, starts: Ints) -> Floats:
    """Each subject's cell total, the shape of ``values``."""
    return np.repeat(np.add.reduceat(values, starts[:-1], axis=1), np.diff(starts), axis=1)


def _seeds(rng: "np.random.Generator", cohorts: int) -> Longs:
    return rng.integers(0, 2**64, cohorts, dtype=np.uint64)
