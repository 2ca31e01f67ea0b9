"""Resampling weights from a counter-based generator: each depends on (seed, subject, replicate, copy) alone.

A stream is keyed by mixing the four numbers with SplitMix64's finaliser (Steele, Lea and Flood 2014) and then counts
on by its
odd constant. Bounded draws take 32 bits, multiply and reject (Lemire 2019), so that they are exactly uniform given
uniform bits. Whatever the tile, the thread or the order of calls, the same key gives the same weight.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.stats.compiled import kernel
from frtaudit.stats.inlined import inner

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(0xFFFFFFFF)
RANGE = np.uint64(0x100000000)
S27, S30, S31, S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
WITHIN, BETWEEN, COIN = np.uint64(1), np.uint64(2), np.uint64(3)


@inner
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's finaliser, a bijection of 64-bit words."""
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@inner
def _key(seed: np.uint64, level: np.uint64, subject: int, replicate: int, copy: int) -> np.uint64:
    state = mix(seed + GOLDEN * level)
    state = mix(state + GOLDEN * np.uint64(subject + 1))
    state = mix(state + GOLDEN * np.uint64(replicate + 1))
    return mix(state + GOLDEN * np.uint64(copy + 1))


@inner
def _bounded(state: np.uint64, bound: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A uniform draw below ``bound`` (< 2**32) and the next state of the stream."""
    state += GOLDEN
    product = (mix(state) >> S32) * bound
    if (product & HALF) < bound:
        least = (RANGE - bound) % bound
        while (product & HALF) < least:
            state += GOLDEN
            product = (mix(state) >> S32) * bound
    return product >> S32, state


@inner
def _fill_copy(
    out: Bytes, low: int, size: int, lane: int, seed: np.uint64, subject: int, replicate: int, copy: int
) -> None:
    if size == 1:
        out[low, lane] = 1
        return
    state = _key(seed, WITHIN, subject, replicate, copy)
    for _ in range(size):
        draw, state = _bounded(state, np.uint64(size))
        out[low + np.int64(draw), lane] += np.uint8(1)


@kernel
def _fill_within(out: Bytes, copies: Bytes, offsets: Ints, seed: np.uint64, first: int) -> None:
    samples = offsets[-1]
    for lane in range(out.shape[1]):
        for subject in range(offsets.size - 1):
            low, size = offsets[subject], offsets[subject + 1] - offsets[subject]
            if size > 0:
                for copy in range(copies[subject, lane]):
                    start = copy * samples + low
                    _fill_copy(out, start, size, lane, seed, subject, first + lane, copy)


@kernel
def _fill_between(out: Bytes, member: Ints, low: Ints, size: Ints, seed: np.uint64, first: int) -> None:
    for lane in range(out.shape[1]):
        for slot in range(member.size):
            state = _key(seed, BETWEEN, slot, first + lane, 0)
            draw, state = _bounded(state, np.uint64(size[slot]))
            out[member[low[slot] + np.int64(draw)], lane] += np.uint8(1)


@kernel
def _fill_coins(out: Bytes, seed: np.uint64, first: int) -> None:
    for lane in range(out.shape[1]):
        for subject in range(out.shape[0]):
            bit = _key(seed, COIN, subject, first + lane, 0) >> np.uint64(63)
            out[subject, lane] = np.uint8(2) * np.uint8(bit)


def _word(seed: int) -> np.uint64:
    return np.uint64(seed % 2**64)


def draw_copies(n_samples: Ints, copies: Bytes, *, seed: int, first: int) -> Bytes:
    """Resample each subject's samples within the subject, once per copy of the subject.

    ``n_samples`` (K,) int64: samples of each subject; ``copies`` (K, L) uint8: copies of each subject in each of
    the replicates ``first`` .. ``first + L - 1``. Returns (C, N, L) uint8, C = the largest number of copies:
    how often each sample is drawn in each copy, n_k in all for subject k; 0 in copies that do not exist.
    Copy 0 is that of :func:`draw_within`.

    >>> draw_copies(np.array([2, 1]), np.array([[2], [0]], dtype=np.uint8), seed=1, first=0).sum(axis=1).ravel()
    array([2, 2], dtype=uint64)
    """
    offsets = np.concatenate(([0], np.cumsum(n_samples))).astype(np.int64)
    depth, width = int(copies.max(initial=1)), copies.shape[1]
    out = np.zeros((depth * int(offsets[-1]), width), dtype=np.uint8)
    with np.errstate(over="ignore"):
        _fill_within(out, copies, offsets, _word(seed), first)
    return out.reshape(depth, int(offsets[-1]), width)


def draw_within(n_samples: Ints, *, seed: int, first: int, count: int) -> Bytes:
    """Resample samples with replacement within each subject (002, the bootstrap of FORMULAS 1).

    ``n_samples`` (K,) int64: samples of each subject, sorted by subject. Returns (N, count) uint8: how often each
    sample
    is drawn in replicates ``first`` .. ``first + count - 1``; they sum to n_k for subject k.

    >>> draw_within(np.array([3, 1]), seed=7, first=0, count=1).sum(axis=0)
    array([4], dtype=uint64)
    """
    once = np.ones((n_samples.size, count), dtype=np.uint8)
    drawn: Bytes = draw_copies(n_samples, once, seed=seed, first=first)[0]
    return drawn


def draw_between(strata: npt.NDArray[np.integer], *, seed: int, first: int, count: int) -> Bytes:
    """Resample subjects with replacement within strata (the vertex bootstrap, FORMULAS 1).

    ``strata`` (K,) int: stratum of each subject. Returns (K, count) uint8: copies of each subject in replicates
    ``first`` .. ``first + count - 1``; they sum to the number of subjects of each stratum.

    >>> draw_between(np.array([0, 0, 1]), seed=7, first=0, count=2)[2]
    array([1, 1], dtype=uint8)
    """
    member = np.argsort(strata, kind="stable").astype(np.int64)
    _, inverse, counts = np.unique(strata, return_inverse=True, return_counts=True)
    low = (np.cumsum(counts) - counts)[inverse].astype(np.int64)
    out = np.zeros((strata.size, count), dtype=np.uint8)
    with np.errstate(over="ignore"):
        _fill_between(out, member, low, counts[inverse].astype(np.int64), _word(seed), first)
    return out


def draw_coins(n_subjects: int, *, seed: int, first: int, count: int) -> Bytes:
    """Keep each subject twice or not at all, by a fair coin (double-or-nothing, FORMULAS 1).

    Returns (K, count) uint8 of 0 and 2, replicates ``first`` .. ``first + count - 1``.

    >>> bool(np.isin(draw_coins(5, seed=1, first=0, count=3), (0, 2)).all())
    True
    """
    out = np.zeros((n_subjects, count), dtype=np.uint8)
    with np.errstate(over="ignore"):
        _fill_coins(out, _word(seed), first)
    return out
