"""Tallies of simulated errors, compiled: counted by subject, and carried on to the nearest threshold that has enough.

Errors come in with a random order of their scores: own ones first, further ones behind. Random numbers are those of
:mod:`frtaudit.stats.bootstrap.weights`, one stream for each cohort.
"""

from dataclasses import dataclass, fields

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Longs
from frtaudit.stats._numba import inner, kernel
from frtaudit.stats.bootstrap.weights import GOLDEN, mix
from frtaudit.stats.intervals.borrowing import ENOUGH_ERRORS, ENOUGH_SUBJECTS

S11 = np.uint64(11)
UNIT = 2.0**-53
COLUMNS = 6  # errors, count, square, cross, subjects with errors, heaviest


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Sums of C simulated cohorts, each (C,) float64, from which rates and variances are made.

    ``errors``: pooled; ``count``: errors, or shares of errors in a subject's (a block's) comparisons under identity
    weighting; ``square``, ``cross``: over subjects, of the squared count and of count times weight (comparisons, or
    subjects it is compared with; under identity weighting of FNMR, 1); ``subjects_with_errors``: subjects with an
    error; ``heaviest``: the largest residual sum of a subject, max |R_k| of FORMULAS 8.18, read for non-mated errors
    alone. NaN throughout where a cohort has no such tally.
    """

    errors: Floats
    count: Floats
    square: Floats
    cross: Floats
    subjects_with_errors: Floats
    heaviest: Floats


def no_tally(cohorts: int) -> Tally:
    """The tally of cohorts that have none.

    >>> bool(np.isnan(no_tally(2).errors).all())
    True
    """
    return tally_of(np.full((cohorts, COLUMNS), np.nan))


def tally_of(table: Floats) -> Tally:
    """The columns (C, 6) that the kernels write, by name.

    >>> tally_of(np.array([[3.0, 2.0, 1.5, 1.0, 2.0, 0.5]])).subjects_with_errors.tolist()
    [2.0]
    """
    return Tally(**{field.name: column for field, column in zip(fields(Tally), table.T, strict=True)})


@inner
def _uniform(state: np.uint64) -> float:
    """A uniform number in [0, 1) from a state of the stream."""
    return np.float64(mix(state) >> S11) * UNIT


@inner
def _find(bounds: Floats, low: int, high: int, value: float) -> int:
    """The last place in low..high-1 whose bound is at most ``value``."""
    while high - low > 1:
        middle = (low + high) // 2
        if bounds[middle] <= value:
            low = middle
        else:
            high = middle
    return low


@inner
def _cluster(excess: float, state: np.uint64) -> tuple[int, np.uint64]:
    """Errors of one candidate in a block with m d^2 = ``excess``: 0, or logarithmic."""
    if excess < 1e-9:
        return 1, state
    state += GOLDEN
    if _uniform(state) * excess >= np.log1p(excess):
        return 0, state
    share = excess / (1 + excess)
    state += GOLDEN
    v = _uniform(state)
    if v >= share:
        return 1, state
    state += GOLDEN
    q = -np.expm1(-np.log1p(excess) * _uniform(state))
    if v <= q * q:
        return int(1 + np.log(max(v, UNIT)) / np.log(q)), state
    return (2 if v <= q else 1), state


@inner
def sum_up(out: Floats, errors: int, total: Floats, weight: Floats) -> int:
    """Write one tally; return the subjects with errors."""
    subjects_with_errors = 0
    out[0], out[1], out[2], out[3] = errors, 0.0, 0.0, 0.0
    for k in range(total.size):
        if total[k] > 0:
            subjects_with_errors += 1
            out[1] += total[k]
            out[2] += total[k] * total[k]
            out[3] += total[k] * weight[k]
    out[4], out[5] = subjects_with_errors, 0.0
    rate = out[1] / weight.sum()
    for k in range(total.size):
        out[5] = max(out[5], abs(total[k] - rate * weight[k]))
    return subjects_with_errors


@inner
def _borrow(
    lent: Floats, errors: int, subjects_with_errors: int, total: Floats, weight: Floats, more: Ints, size: int,
    shares: Floats, state: np.uint64,
) -> None:  # fmt: skip
    """Add further errors in random order to ``total`` until there are enough; write the tally if there are.

    ``more`` (size, 2): subjects of the further errors, the second -1 when mated; ``shares`` (size,): what each adds.
    """
    for n in range(size):
        if errors >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS:
            break
        state += GOLDEN
        m = n + int(_uniform(state) * (size - n))
        a, b, share = more[m, 0], more[m, 1], shares[m]
        more[m, 0], more[m, 1], shares[m] = more[n, 0], more[n, 1], shares[n]
        errors += 1
        subjects_with_errors += total[a] == 0
        total[a] += share
        if b >= 0:
            subjects_with_errors += total[b] == 0
            total[b] += share
    if errors >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS:
        sum_up(lent, errors, total, weight)


@inner
def _kept(more: Ints, added: Floats, size: int, a: int, b: int, share: float) -> tuple[Ints, Floats]:
    """The further errors with one more at place ``size``, in twice the room where there was none."""
    if size == added.size:
        more = np.concatenate((more, np.empty_like(more)))
        added = np.concatenate((added, np.empty_like(added)))
    more[size, 0], more[size, 1], added[size] = a, b, share
    return more, added


@inner
def _look_alikes(alike: Ints, shares: Floats, total: Floats) -> int:
    """Add the false matches of pairs of indistinguishable people to ``total``; how many they are.

    ``alike`` (L, 3): two subjects, the first -1 from where there are no more, and their false matches; ``shares`` (L,):
    what each of these adds.
    """
    count = 0
    for m in range(shares.size):
        if alike[m, 0] < 0:
            break
        count += alike[m, 2]
        total[alike[m, 0]] += alike[m, 2] * shares[m]
        total[alike[m, 1]] += alike[m, 2] * shares[m]
    return count


@inner
def _close(
    observed: Floats, lent: Floats, count: int, total: Floats, weight: Floats, more: Ints, size: int, added: Floats,
    state: np.uint64,
) -> None:  # fmt: skip
    """Tallies of one cohort's false matches; each stands in the sums of two subjects."""
    subjects_with_errors = sum_up(observed, count, total, weight)
    observed[1] /= 2
    if count < ENOUGH_ERRORS or subjects_with_errors < ENOUGH_SUBJECTS:
        _borrow(lent, count, subjects_with_errors, total, weight, more, size, added, state)
        lent[1] /= 2


@kernel
def mated_tallies(
    errors: Ints, further: Ints, share: Floats, weight: Floats, seeds: Longs
) -> tuple[Floats, Floats]:
    """Tallies (C, 6) of own and borrowed mated errors; ``errors``, ``further`` (C, K)."""
    values, lent = np.zeros((seeds.size, COLUMNS)), np.full((seeds.size, COLUMNS), np.nan)
    for c in range(seeds.size):
        total = errors[c] * share
        count, size = errors[c].sum(), further[c].sum()
        subjects_with_errors = sum_up(values[c], count, total, weight)
        if (count >= ENOUGH_ERRORS and subjects_with_errors >= ENOUGH_SUBJECTS) or size == 0:
            continue
        more, shares = np.full((size, 2), -1), np.zeros(size)
        n = 0
        for k in range(share.size):
            for _ in range(further[c, k]):
                more[n, 0], shares[n] = k, share[k]
                n += 1
        _borrow(lent[c], count, subjects_with_errors, total, weight, more, size, shares, seeds[c])
    return values, lent


@kernel
def cell_tallies(
    bounds: Floats, starts: Ints, candidates: Ints, heavy: Floats, shares: Floats, weight: Floats, excess: float,
    part: float, seeds: Longs, alike: Ints, alike_shares: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Tallies (C, 6) of own and borrowed false matches in complete cells.

    ``bounds`` (C, K+1): cumulated n_k a_k; ``candidates`` (C, cells); ``heavy`` (C, K): n_k a_k; ``shares`` (K,): an
    error of k and l adds shares_k shares_l to both; ``excess``: wide rate times d^2; ``part``: own rate over wide rate;
    ``alike`` (C, L, 3), ``alike_shares`` (C, L): as in :func:`_look_alikes`, own errors each.
    """
    values, lent = np.zeros((seeds.size, COLUMNS)), np.full((seeds.size, COLUMNS), np.nan)
    for c in range(seeds.size):
        total = np.zeros(weight.size)
        more, added = np.empty((64, 2), dtype=np.int64), np.empty(64)
        count, size, state = _look_alikes(alike[c], alike_shares[c], total), 0, seeds[c]
        for cell in range(starts.size - 1):
            low, high = starts[cell], starts[cell + 1]
            base, mass = bounds[c, low], bounds[c, high] - bounds[c, low]
            for _ in range(candidates[c, cell]):
                state += GOLDEN
                a = _find(bounds[c], low, high, base + mass * _uniform(state))
                state += GOLDEN
                b = _find(bounds[c], low, high, base + mass * _uniform(state))
                if a == b:
                    continue
                number, state = _cluster(excess * heavy[c, a] * heavy[c, b], state)
                share = shares[a] * shares[b]
                for _ in range(number):
                    state += GOLDEN
                    if _uniform(state) < part:
                        count += 1
                        total[a] += share
                        total[b] += share
                        continue
                    more, added = _kept(more, added, size, a, b, share)
                    size += 1
        _close(values[c], lent[c], count, total, weight, more, size, added, state)
    return values, lent


@kernel
def listed_tallies(
    candidates: Ints, excess: Floats, first: Ints, second: Ints, shares: Floats, weight: Floats, part: float,
    seeds: Longs, alike: Ints, alike_shares: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """As :func:`cell_tallies` for listed blocks; ``candidates``, ``excess`` (C, Q), ``shares`` (Q,)."""
    values, lent = np.zeros((seeds.size, COLUMNS)), np.full((seeds.size, COLUMNS), np.nan)
    for c in range(seeds.size):
        total = np.zeros(weight.size)
        more, added = np.empty((64, 2), dtype=np.int64), np.empty(64)
        count, size, state = _look_alikes(alike[c], alike_shares[c], total), 0, seeds[c]
        for q in range(first.size):
            for _ in range(candidates[c, q]):
                number, state = _cluster(excess[c, q], state)
                for _ in range(number):
                    state += GOLDEN
                    if _uniform(state) < part:
                        count += 1
                        total[first[q]] += shares[q]
                        total[second[q]] += shares[q]
                        continue
                    more, added = _kept(more, added, size, first[q], second[q], shares[q])
                    size += 1
        _close(values[c], lent[c], count, total, weight, more, size, added, state)
    return values, lent
