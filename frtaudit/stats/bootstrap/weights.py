"""Resampling weights from a counter-based generator: each depends on (seed, subject, replicate, copy) alone.

A stream is keyed by mixing seed, subject and copy with SplitMix64's finaliser (Steele, Lea and Flood 2014); its odd
constant counts on to the replicates. Bounded draws take 32 bits, multiply and reject (Lemire 2019), so that they are
exactly uniform given uniform bits; up to eight draws of a subject come from the same 32 bits, and a word of 64 coins
serves 64 replicates. Whatever the tile, the thread or the order of calls, the same key gives the same weight.
"""

import numpy as np

from frtaudit.core.arrays import Bytes, Halves, Integers, Ints, Longs
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
    copies: Bytes, subject: int, seed: np.uint64, first: int, whose: Ints, state: Longs
) -> tuple[int, int]:
    """List the lanes that have a copy of a subject, copy by copy, and the states that their draws come from.

    Returns the length of the list and the largest number of copies.
    """
    number, low, copy, row = np.uint64(0), np.uint64(0), 0, copies[subject]
    for replicate in range(
        row.size
    ):  # a place is written before it is known to be needed: no jump to foresee
        whose[number] = replicate
        number += np.uint64(row[replicate] > 0)
    while low < number:
        stream, high = stream_of(seed, WITHIN, subject, copy) + GOLDEN * np.uint64(first + 1), number
        copy += 1
        for place in range(low, high):
            state[place] = stream + GOLDEN * np.uint64(whose[place])
        for place in range(low, high):
            whose[number] = whose[place]
            number += np.uint64(row[np.uint64(whose[place])] > copy)
        low = high
    return int(np.int64(number)), copy


@inner
def _draw_few(size: int, number: int, state: Longs, left: Longs, counts: Longs) -> None:
    """``size`` <= 8 draws from each of ``number`` states as counts: digits of one 32-bit fraction in base ``size``.

    The fraction times size**size is the number of the outcome; its rest decides the rejection (Lemire), so that
    every outcome is equally likely. The arrays end on a multiple of ``STEP``, as the loops do: nothing is left over.
    """
    lanes, base, power = (number + STEP - 1) // STEP * STEP, np.uint64(size), ONE
    for place in range(lanes):
        left[place] = mix(state[place]) >> S32
        counts[place] = np.uint64(0)
    for _ in range(size):
        power *= base
        for place in range(lanes):
            scaled = left[place] * base
            counts[place] += ONE << ((scaled >> S32) << S3)
            left[place] = scaled & HALF
    least = RANGE % power
    for place in range(number):
        if left[place] < least:
            counts[place] = _few(size, mix(state[place]), least)


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
def _fill_within(out: Bytes, copies: Bytes, offsets: Ints, seed: np.uint64, first: int, room: int) -> bool:
    """Fill ``out`` with the draws of all subjects, summed over ``copies``, or of one copy each; whether all fit."""
    lanes, fits, number, most, whose = out.shape[1], True, out.shape[1], 1, np.empty(room, dtype=np.int64)
    state, left, counts = np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.uint64)
    total = counts if copies.size == 0 else np.empty(lanes, dtype=np.uint64)
    for subject in range(offsets.size - 1):
        low, size = offsets[subject], offsets[subject + 1] - offsets[subject]
        if copies.size > 0:
            number, most = _list_draws(copies, subject, seed, first, whose, state)
        else:
            stream = stream_of(seed, WITHIN, subject, 0)
            for replicate in range(lanes):
                state[replicate] = stream + GOLDEN * np.uint64(first + replicate + 1)
        if size > FEW or size * most > HEAVIEST:
            for place in range(number):
                replicate = whose[place] if copies.size > 0 else place
                fits &= _add_column(out, low, size, replicate, mix(state[place]))
            continue
        _draw_few(size, number, state, left, counts)
        if copies.size > 0:
            total[:] = 0
            for place in range(number):
                total[np.uint64(whose[place])] += counts[place]
        _unpack(out, low, size, total)
    return fits


@kernel
def _fill_products(
    out: Halves,
    copies: Bytes,
    who: Ints,
    sizes: Ints,
    start: Ints,
    pair: Ints,
    seed: np.uint64,
    first: int,
    room: int,
) -> None:
    """Add to ``out`` the products of the draws of two samples (``pair``) of a subject, copy by copy.

    ``who``, ``sizes``: subjects and their samples; ``start``: where the rows of each begin.
    """
    whose, column = np.empty(room, dtype=np.int64), np.zeros((sizes.max(), 1), dtype=np.uint8)
    state, left, counts = np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.uint64)
    for place in range(who.size):
        number, _ = _list_draws(copies, who[place], seed, first, whose, state)
        size, low, high = sizes[place], start[place], start[place + 1]
        if size <= FEW:
            _draw_few(size, number, state, left, counts)
            for row in range(low, high):
                left_byte, right_byte = np.uint64(pair[row, 0]) << S3, np.uint64(pair[row, 1]) << S3
                for draw in range(number):
                    product = (counts[draw] >> left_byte & BYTE) * (counts[draw] >> right_byte & BYTE)
                    out[row, np.uint64(whose[draw])] += np.uint16(product)
            continue
        for draw in range(number):
            column[:] = 0
            _add_column(column, 0, size, 0, mix(state[draw]))
            for row in range(low, high):
                product = np.uint64(column[pair[row, 0], 0]) * np.uint64(column[pair[row, 1], 0])
                out[row, whose[draw]] += np.uint16(product)


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


def draw_products(n_samples: Ints, copies: Bytes, who: Ints, pair: Ints, *, seed: int, first: int) -> Halves:
    """Products of the weights of two samples of one subject in each of its copies, summed over these.

    ``n_samples`` (K,), ``copies`` (K, L): as in :func:`draw_summed`; ``who`` (P,) int64, ascending: subject of each
    comparison; ``pair`` (P, 2) int64: which of its samples are compared. Returns (P, L) uint16: no sum of products
    exceeds the product of the sums, which are 255 at most.

    >>> copies, who, pair = np.array([[2, 0]], dtype=np.uint8), np.array([0]), np.array([[0, 1]])
    >>> draw_products(np.array([2]), copies, who, pair, seed=1, first=0)
    array([[1, 0]], dtype=uint16)
    """
    out = np.zeros((who.size, copies.shape[1]), dtype=np.uint16)
    start = np.flatnonzero(np.diff(who, prepend=-1, append=n_samples.size))
    if who.size:
        subjects = who[start[:-1]]
        with np.errstate(over="ignore"):
            _fill_products(
                out, copies, subjects, n_samples[subjects], start, pair, word_of(seed), first, _room(copies)
            )
    return out


def draw_summed(n_samples: Ints, copies: Bytes, *, seed: int, first: int) -> Bytes:
    """Resample each subject's samples within the subject, once per copy of the subject, and sum over copies.

    ``n_samples`` (K,) int64: samples of each subject; ``copies`` (K, L) uint8: copies of each subject in each of
    the replicates ``first`` .. ``first + L - 1``. Returns (N, L) uint8: how often each sample is drawn, v_k n_k in all
    for subject k; copy 0 is that of :func:`draw_within`. Raises ValueError where a sum is above 255.

    >>> draw_summed(np.array([2, 1]), np.array([[2], [0]], dtype=np.uint8), seed=1, first=0).sum()
    np.uint64(4)
    """
    return _within(n_samples, copies, copies.shape[1], seed, first)


def draw_within(n_samples: Ints, *, seed: int, first: int, count: int) -> Bytes:
    """Resample samples with replacement within each subject (002, the bootstrap of FORMULAS 1).

    ``n_samples`` (K,) int64: samples of each subject, sorted by subject. Returns (N, count) uint8: how often each
    sample is drawn in replicates ``first`` .. ``first + count - 1``; they sum to n_k for subject k.

    >>> draw_within(np.array([3, 1]), seed=7, first=0, count=1).sum(axis=0)
    array([4], dtype=uint64)
    """
    return _within(n_samples, np.empty((0, 0), dtype=np.uint8), count, seed, first)


def _within(n_samples: Ints, copies: Bytes, count: int, seed: int, first: int) -> Bytes:
    offsets = np.concatenate(([0], np.cumsum(n_samples))).astype(np.int64)
    out = aligned_zeros(int(offsets[-1]), count)
    with np.errstate(over="ignore"):
        if not _fill_within(out, copies, offsets, word_of(seed), first, _room(copies) + count):
            raise ValueError(f"a weight is above {HEAVIEST}; accepted: 0 to {HEAVIEST}")
    return out


def _room(copies: Bytes) -> int:
    """Room for the draws of any subject in all its copies, one more, and what fills the last step."""
    return int(copies.max(initial=1)) * int(copies.shape[1]) + 1 + STEP


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
