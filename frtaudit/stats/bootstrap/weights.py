"""Resampling weights from a counter-based generator: each depends on (seed, subject, replicate, copy) alone.

A stream is keyed by mixing seed, subject and copy with SplitMix64's finaliser (Steele, Lea and Flood 2014); its odd
constant counts on to the replicates. Bounded draws take 32 bits, multiply and reject (Lemire 2019), so that they are
exactly uniform given uniform bits; up to eight draws of a subject come from the same 32 bits, and a word of 64 coins
serves 64 replicates. Whatever the tile, the thread or the order of calls, the same key gives the same weight.
"""

from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Bytes, Index, Integers, Ints, Longs
from frtaudit.stats._numba import inner, kernel
from frtaudit.stats.bootstrap.kernel_arrays import aligned_zeros

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(0xFFFFFFFF)
RANGE = np.uint64(0x100000000)
ONE, BYTE = np.uint64(1), np.uint64(0xFF)
S3, S27, S30, S31, S32 = np.uint64(3), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
WITHIN, BETWEEN, COIN, CURVE = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
HEAVIEST = 255  # weight of a sample
FEW = 8  # draws that fit one 64-bit word of counts
STEP = 32  # states that are drawn from at a time


class Pairs(NamedTuple):
    """Pairs of samples of some subjects: those of subject s have the places ``start[s]`` to ``start[s + 1]``.

    ``left``, ``right`` (P,) int64: which samples of the subject; ``row`` (P,) int64: where their weights are written.
    """

    start: Ints
    left: Ints
    right: Ints
    row: Ints


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
def _list_draws(
    copies: Bytes,
    place: int,
    subject: int,
    seed: np.uint64,
    first: int,
    whose: Ints,
    state: Longs,
    copy: Ints,
) -> int:
    """List each copy that a replicate has of a subject: whose it is, the state of its draws, which copy; how many.

    A place is written before it is known to be needed: nothing for the processor to foresee.
    """
    number, low, which, row = np.uint64(0), np.uint64(0), 0, copies[place]
    for replicate in range(row.size):
        whose[number] = replicate
        number += np.uint64(row[replicate] > 0)
    while low < number:
        stream, high = stream_of(seed, WITHIN, subject, which) + GOLDEN * np.uint64(first + 1), number
        for draw in range(low, high):
            state[draw], copy[draw] = stream + GOLDEN * np.uint64(whose[draw]), which
        which += 1
        for draw in range(low, high):
            whose[number] = whose[draw]
            number += np.uint64(row[np.uint64(whose[draw])] > which)
        low = high
    return int(np.int64(number))


@inner
def _room(copies: Bytes, most: int) -> int:
    """Places for the draws of any subject, ``most`` or more, one more, and what fills the last step."""
    for place in range(copies.shape[0]):
        number = np.int64(0)
        for replicate in range(copies.shape[1]):
            number += np.int64(copies[place, replicate])
        most = max(most, int(number))
    return most + 1 + STEP


@inner
def _list_replicates(subject: int, seed: np.uint64, first: int, state: Longs, lanes: int) -> int:
    """The same where each replicate has one copy."""
    stream = stream_of(seed, WITHIN, subject, 0)
    for replicate in range(lanes):
        state[replicate] = stream + GOLDEN * np.uint64(first + replicate + 1)
    return lanes


@inner
def _draw_few(size: int, number: int, state: Longs, left: Longs, counts: Longs) -> None:
    """``size`` <= 8 draws from each of ``number`` states as counts: digits of one 32-bit fraction in base ``size``.

    The fraction times size**size is the number of the outcome; its rest decides the rejection (Lemire), so that
    every outcome is equally likely. The loops and the arrays end on a multiple of ``STEP``: nothing is left over.
    """
    lanes, base, power = (number + STEP - 1) // STEP * STEP, np.uint64(size), ONE
    for draw in range(lanes):
        left[draw] = mix(state[draw]) >> S32
        counts[draw] = np.uint64(0)
    for _ in range(size):
        power *= base
        for draw in range(lanes):
            scaled = left[draw] * base
            counts[draw] += ONE << ((scaled >> S32) << S3)
            left[draw] = scaled & HALF
    least = RANGE % power
    for draw in range(number):
        if left[draw] < least:
            counts[draw] = _few(size, mix(state[draw]), least)


@inner
def _unpack(out: Bytes, low: int, size: int, counts: Longs) -> None:
    """A row for each byte of the counts."""
    for sample in range(size):
        shift = np.uint64(sample) << S3
        for replicate in range(out.shape[1]):
            out[low + sample, replicate] = np.uint8((counts[replicate] >> shift) & BYTE)


@inner
def _add_column(out: Bytes, low: int, size: int, replicate: int, state: np.uint64) -> bool:
    """Add the draws of one lane, those of :func:`_draw_few` where there are few; whether each sum fits a byte."""
    fits, counts = True, np.uint64(0)
    if size <= FEW:
        counts = _few(size, state, RANGE % np.uint64(size**size))
    for sample in range(size):
        which, number = np.int64(sample), np.int64((counts >> (np.uint64(sample) << S3)) & BYTE)
        if size > FEW:
            draw, state = _bounded(state, np.uint64(size))
            which, number = np.int64(draw), np.int64(1)
        number += np.int64(out[low + which, replicate])
        fits = fits and bool(number <= HEAVIEST)
        out[low + which, replicate] = np.uint8(number)
    return fits


@kernel
def _fill_within(out: Bytes, copies: Bytes, who: Ints, offsets: Ints, seed: np.uint64, first: int) -> bool:
    """Fill ``out`` with the draws of the subjects ``who``, summed if it has rows for one copy; whether all fit."""
    samples, lanes, fits, most = offsets[-1], out.shape[1], True, 1
    apart, one_each, room = out.shape[0] > samples, copies.size == 0, _room(copies, lanes)
    whose, copy, state = np.arange(room), np.zeros(room, np.int64), np.zeros(room, np.uint64)
    left, counts = np.empty(room, np.uint64), np.empty(room, np.uint64)
    total = counts if one_each else np.empty(lanes, dtype=np.uint64)
    for place in range(who.size):
        low, size = offsets[place], offsets[place + 1] - offsets[place]
        if one_each:
            number = _list_replicates(who[place], seed, first, state, lanes)
        else:
            number = _list_draws(copies, place, who[place], seed, first, whose, state, copy)
            most = 1 if apart or number == 0 else copy[number - 1] + 1
        if size > FEW or size * most > HEAVIEST:
            for draw in range(number):
                row = low + (copy[draw] * samples if apart else 0)
                fits &= _add_column(out, row, size, whose[draw], mix(state[draw]))
            continue
        _draw_few(size, number, state, left, counts)
        if apart:
            for draw in range(number):
                row, lane = np.uint64(low + copy[draw] * samples), np.uint64(whose[draw])
                for sample in range(np.uint64(size)):
                    out[row + sample, lane] = np.uint8((counts[draw] >> (sample << S3)) & BYTE)
            continue
        if not one_each:
            total[:] = 0
            for draw in range(number):
                total[np.uint64(whose[draw])] += counts[draw]
        _unpack(out, low, size, total)
    return fits


@kernel
def _fill_products(
    out: Bytes, copies: Bytes, who: Ints, sizes: Ints, pairs: Pairs, seed: np.uint64, first: int
) -> bool:
    """Add to ``out`` the products of each pair, copy by copy of its subject; whether all sums fit."""
    start, i, j, row = pairs
    room = _room(copies, out.shape[1])
    whose, copy, state = np.arange(room), np.zeros(room, np.int64), np.zeros(room, np.uint64)
    left, counts, fits = np.empty(room, np.uint64), np.empty(room, np.uint64), True
    column = np.zeros((sizes.max(), 1), np.uint8)
    for place in range(who.size):
        size = sizes[place]
        number = _list_draws(copies, place, who[place], seed, first, whose, state, copy)
        if size <= FEW:
            _draw_few(size, number, state, left, counts)
        for draw in range(number):
            lane = np.uint64(whose[draw])
            if size > FEW:
                column[:size] = 0
                fits &= _add_column(column, 0, size, 0, mix(state[draw]))
            for pair in range(start[place], start[place + 1]):
                if size > FEW:
                    product = np.int64(column[i[pair], 0]) * np.int64(column[j[pair], 0])
                else:
                    weight = (counts[draw] >> (np.uint64(i[pair]) << S3)) & BYTE
                    product = np.int64(weight * ((counts[draw] >> (np.uint64(j[pair]) << S3)) & BYTE))
                product += np.int64(out[row[pair], lane])
                fits = fits and bool(product <= HEAVIEST)
                out[row[pair], lane] = np.uint8(product)
    return fits


@kernel
def _fill_between(out: Bytes, member: Ints, low: Ints, size: Ints, seed: np.uint64, first: int) -> None:
    product = np.empty(out.shape[1], dtype=np.uint64)
    for slot in range(member.size):
        stream, bound = stream_of(seed, BETWEEN, slot, 0), np.uint64(size[slot])
        least = RANGE % bound
        for replicate in range(product.size):
            product[replicate] = (bits_at(stream, first + replicate) >> S32) * bound
        for replicate in range(product.size):
            draw = product[replicate] >> S32
            if (product[replicate] & HALF) < least:
                draw, _ = _bounded(bits_at(stream, first + replicate), bound)
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


def draw_copies(n_samples: Ints, copies: Bytes, *, seed: int, first: int, who: Ints | None = None) -> Bytes:
    """Resample each subject's samples within the subject, once per copy of the subject.

    ``n_samples`` (K,) int64: samples of each subject; ``copies`` (K, L) uint8: copies of each subject in each of
    the replicates ``first`` .. ``first + L - 1``; ``who`` (M,) int64: the subjects to draw for, all if None.
    Returns (C, N, L) uint8, C = their largest number of copies, N = their samples: how often each sample is drawn in
    each copy, n_k in all for subject k; 0 in copies that do not exist. Copy 0 is that of :func:`draw_within`.

    >>> draw_copies(np.array([2, 1]), np.array([[2], [0]], dtype=np.uint8), seed=1, first=0).sum(axis=1).ravel()
    array([2, 2], dtype=uint64)
    """
    who = np.arange(n_samples.size) if who is None else who
    copies = copies[who]
    return _within(n_samples[who], copies, who, int(copies.max(initial=1)), copies.shape[1], seed, first)


def draw_products(
    n_samples: Ints, copies: Bytes, left: Index, right: Index, *, seed: int, first: int
) -> Bytes | None:
    """Weights of comparisons within subjects under the draws of :func:`draw_copies`; None where one is above 255.

    ``n_samples``, ``copies``, ``first``: as there; ``left``, ``right`` (P,) int32: the samples of each comparison.
    Returns (P + 1, L) uint8: the product of their two counts, summed over copies; the last row is of ones.

    >>> two, same = np.array([[2], [1]], dtype=np.uint8), np.array([0], dtype=np.int32)
    >>> draw_products(np.array([1, 1]), two, same, same, seed=1, first=0).ravel()
    array([2, 1], dtype=uint8)
    """
    subject = np.repeat(np.arange(n_samples.size), n_samples)[left]
    row = np.argsort(subject, kind="stable")
    subject = subject[row]
    start = np.flatnonzero(np.diff(subject, prepend=-1))
    who, before = subject[start], (np.cumsum(n_samples) - n_samples)[subject]
    pairs = Pairs(np.append(start, row.size), left[row] - before, right[row] - before, row)
    copies, out = copies[who], aligned_zeros(row.size + 1, copies.shape[1])
    out[-1] = 1
    with np.errstate(over="ignore"):
        fits = _fill_products(out, copies, who, n_samples[who], pairs, word_of(seed), first)
    return out if fits else None


def draw_summed(n_samples: Ints, copies: Bytes, *, seed: int, first: int) -> Bytes:
    """:func:`draw_copies` summed over copies, (N, L) uint8. Raises ValueError where a sum is above 255.

    >>> draw_summed(np.array([2, 1]), np.array([[2], [0]], dtype=np.uint8), seed=1, first=0).sum()
    np.uint64(4)
    """
    drawn: Bytes = _within(n_samples, copies, np.arange(n_samples.size), 1, copies.shape[1], seed, first)[0]
    return drawn


def draw_within(n_samples: Ints, *, seed: int, first: int, count: int) -> Bytes:
    """Resample samples with replacement within each subject (002, the bootstrap of FORMULAS 1).

    ``n_samples`` (K,) int64: samples of each subject, sorted by subject. Returns (N, count) uint8: how often each
    sample is drawn in replicates ``first`` .. ``first + count - 1``; they sum to n_k for subject k.

    >>> draw_within(np.array([3, 1]), seed=7, first=0, count=1).sum(axis=0)
    array([4], dtype=uint64)
    """
    once, who = np.empty((0, 0), dtype=np.uint8), np.arange(n_samples.size)
    drawn: Bytes = _within(n_samples, once, who, 1, count, seed, first)[0]
    return drawn


def _within(
    n_samples: Ints, copies: Bytes, who: Ints, depth: int, count: int, seed: int, first: int
) -> Bytes:
    offsets = np.concatenate(([0], np.cumsum(n_samples))).astype(np.int64)
    out = aligned_zeros(depth * int(offsets[-1]), count)
    with np.errstate(over="ignore"):
        if not _fill_within(out, copies, who, offsets, word_of(seed), first):
            raise ValueError(f"a weight is above {HEAVIEST}; accepted: 0 to {HEAVIEST}")
    return out.reshape(depth, int(offsets[-1]), count)


def draw_between(strata: Integers, *, seed: int, first: int, count: int) -> Bytes:
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
