"""Resampling weights from a counter-based generator: each depends on (seed, subject, replicate, copy) alone.

A stream is keyed by mixing seed, subject and copy with SplitMix64's finaliser (Steele, Lea and Flood 2014); its odd
constant counts on to the replicates. Bounded draws take 32 bits, multiply and reject (Lemire 2019), so that they are
exactly uniform given uniform bits; up to eight draws of a subject come from the same 32 bits, and a word of 64 coins
serves 64 replicates. Whatever the tile, the thread or the order of calls, the same key gives the same weight.
"""

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Bytes, Ints, Longs
from frtaudit.stats._numba import kernel
from frtaudit.stats.bootstrap.kernel_arrays import aligned_zeros
from frtaudit.stats.inlined import inner

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(0xFFFFFFFF)
RANGE = np.uint64(0x100000000)
ONE, BYTE = np.uint64(1), np.uint64(0xFF)
S3, S27, S30, S31, S32 = np.uint64(3), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
WITHIN, BETWEEN, COIN, CURVE = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
FEW = 8  # draws that fit one 64-bit word of counts
DENSE = 3  # copies of a subject that so many replicates have that all of them are drawn at once


@inner
def mix(z: np.uint64) -> np.uint64:
    """SplitMix64's finaliser, a bijection of 64-bit words."""
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@inner
def stream_of(seed: np.uint64, level: np.uint64, subject: int, copy: int) -> np.uint64:
    """Where the stream of one copy of a subject starts; its replicates are counted on from there."""
    state = mix(mix(seed + GOLDEN * level) + GOLDEN * np.uint64(subject + 1))
    return mix(state + GOLDEN * np.uint64(copy + 1))


@inner
def bits_at(stream: np.uint64, replicate: int) -> np.uint64:
    """The 64 bits of one replicate."""
    return mix(stream + GOLDEN * np.uint64(replicate + 1))


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
def _few(size: int, state: np.uint64, least: np.uint64) -> np.uint64:
    """``size`` <= 8 draws below ``size`` as counts, a byte each, from the first 32 high bits not rejected."""
    while True:
        left, counts = state >> S32, np.uint64(0)
        for _ in range(size):
            left *= np.uint64(size)
            counts += ONE << ((left >> S32) << S3)
            left &= HALF
        if left >= least:
            return counts
        state = mix(state + GOLDEN)


@inner
def _fill_few(
    out: Bytes, low: int, size: int, stream: np.uint64, first: int, left: Longs, counts: Longs
) -> None:
    """``size`` <= 8 draws of each lane: digits of one 32-bit fraction in base ``size``, all lanes in step.

    The fraction times size**size is the number of the outcome; its rest decides the rejection (Lemire), so that
    every outcome is equally likely.
    """
    lanes, base, power = out.shape[1], np.uint64(size), ONE
    for replicate in range(lanes):
        left[replicate] = bits_at(stream, first + replicate) >> S32
        counts[replicate] = np.uint64(0)
    for _ in range(size):
        power *= base
        for replicate in range(lanes):
            scaled = left[replicate] * base
            counts[replicate] += ONE << ((scaled >> S32) << S3)
            left[replicate] = scaled & HALF
    least = RANGE % power
    for replicate in range(lanes):
        if left[replicate] < least:
            counts[replicate] = _few(size, bits_at(stream, first + replicate), least)
    for sample in range(size):
        shift = np.uint64(sample) << S3
        for replicate in range(lanes):
            out[low + sample, replicate] = np.uint8((counts[replicate] >> shift) & BYTE)


@inner
def _fill_column(out: Bytes, low: int, size: int, replicate: int, state: np.uint64) -> None:
    """The draws of one lane, equal to those of :func:`_fill_few`."""
    if size <= FEW:
        power = ONE
        for _ in range(size):
            power *= np.uint64(size)
        counts = _few(size, state, RANGE % power)
        for sample in range(size):
            out[low + sample, replicate] = np.uint8((counts >> (np.uint64(sample) << S3)) & BYTE)
    else:
        for _ in range(size):
            draw, state = _bounded(state, np.uint64(size))
            out[low + np.int64(draw), replicate] += np.uint8(1)


@inner
def _most(copies: Bytes, subject: int) -> int:
    """The largest number of copies of a subject; 1 where every subject has one copy."""
    most = 1 if copies.size == 0 else 0
    for replicate in range(copies.shape[1]):
        most = max(most, int(copies[subject, replicate]))
    return most


@kernel
def _fill_within(out: Bytes, copies: Bytes, depth: int, offsets: Ints, seed: np.uint64, first: int) -> None:
    """Fill ``out``; ``depth`` is the largest number of copies, 1 where every subject has one copy."""
    samples, lanes = offsets[-1], out.shape[1]
    left, counts = np.empty(lanes, dtype=np.uint64), np.empty(lanes, dtype=np.uint64)
    for subject in range(offsets.size - 1):
        low, size = offsets[subject], offsets[subject + 1] - offsets[subject]
        for copy in range(min(depth, _most(copies, subject)) if size > 0 else 0):
            stream, row = stream_of(seed, WITHIN, subject, copy), copy * samples + low
            if size <= FEW and copy < DENSE:
                _fill_few(out, row, size, stream, first, left, counts)
                for place in range(row, row + (size if copies.size > 0 else 0)):
                    for replicate in range(lanes):
                        out[place, replicate] *= np.uint8(copies[subject, replicate] > copy)
                continue
            for replicate in range(lanes):
                if copies.size == 0 or copies[subject, replicate] > copy:
                    _fill_column(out, row, size, replicate, bits_at(stream, first + replicate))


@kernel
def _fill_between(out: Bytes, member: Ints, low: Ints, size: Ints, seed: np.uint64, first: int) -> None:
    for slot in range(member.size):
        stream, bound = stream_of(seed, BETWEEN, slot, 0), np.uint64(size[slot])
        least = RANGE % bound
        for replicate in range(out.shape[1]):
            state = bits_at(stream, first + replicate)
            product = (state >> S32) * bound
            draw = product >> S32
            if (product & HALF) < least:
                draw, state = _bounded(state, bound)
            out[member[low[slot] + np.int64(draw)], replicate] += np.uint8(1)


@kernel
def _fill_coins(out: Bytes, seed: np.uint64, first: int) -> None:
    for subject in range(out.shape[0]):
        stream, word, bits = stream_of(seed, COIN, subject, 0), -1, np.uint64(0)
        for column in range(out.shape[1]):
            replicate = first + column
            if replicate >> 6 != word:
                word = replicate >> 6
                bits = bits_at(stream, word)
            out[subject, column] = np.uint8(((bits >> np.uint64(replicate & 63)) & ONE) << ONE)


def word_of(seed: int) -> np.uint64:
    """The seed as the kernels take it.

    >>> int(word_of(2**64 + 3))
    3
    """
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
    return _within(n_samples, copies, int(copies.max(initial=1)), copies.shape[1], seed, first)


def draw_within(n_samples: Ints, *, seed: int, first: int, count: int) -> Bytes:
    """Resample samples with replacement within each subject (002, the bootstrap of FORMULAS 1).

    ``n_samples`` (K,) int64: samples of each subject, sorted by subject. Returns (N, count) uint8: how often each
    sample is drawn in replicates ``first`` .. ``first + count - 1``; they sum to n_k for subject k.

    >>> draw_within(np.array([3, 1]), seed=7, first=0, count=1).sum(axis=0)
    array([4], dtype=uint64)
    """
    drawn: Bytes = _within(n_samples, np.empty((0, 0), dtype=np.uint8), 1, count, seed, first)[0]
    return drawn


def _within(n_samples: Ints, copies: Bytes, depth: int, count: int, seed: int, first: int) -> Bytes:
    offsets = np.concatenate(([0], np.cumsum(n_samples))).astype(np.int64)
    out = aligned_zeros(depth * int(offsets[-1]), count)
    with np.errstate(over="ignore"):
        _fill_within(out, copies, depth, offsets, word_of(seed), first)
    return out.reshape(depth, int(offsets[-1]), count)


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
        _fill_between(out, member, low, counts[inverse].astype(np.int64), word_of(seed), first)
    return out


def draw_coins(n_subjects: int, *, seed: int, first: int, count: int) -> Bytes:
    """Keep each subject twice or not at all, by a fair coin (double-or-nothing, FORMULAS 1).

    Returns (K, count) uint8 of 0 and 2, replicates ``first`` .. ``first + count - 1``.

    >>> bool(np.isin(draw_coins(5, seed=1, first=0, count=3), (0, 2)).all())
    True
    """
    out = np.zeros((n_subjects, count), dtype=np.uint8)
    with np.errstate(over="ignore"):
        _fill_coins(out, word_of(seed), first)
    return out
