"""Gamma variables of whole-numbered shape, one 64-bit word each: sums of that many standard exponentials.

The density is cut into 512 strips of equal probability. A word's first 9 bits choose the strip, its last 53 a point:
under the lowest density of the strip the point is uniform and done (99 % of the draws); else the rest of the strip is
drawn by rejection, and so is each tail, below the exponential that touches the density at the tail's edge. Exact up
to the rounding of doubles, at a cost that does not depend on the shape.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from frtaudit.core.arrays import Floats, Ints, Longs
from frtaudit.stats._numba import inner
from frtaudit.stats._scipy import scipy
from frtaudit.stats.bootstrap.weights import GOLDEN, bits_at, mix

STRIPS = 512
CHOICE, POINT, S11 = np.uint64(55), np.uint64(2**53 - 1), np.uint64(11)  # 64 - 9 bits; 53 bits; 64 - 53
UNIT = 2.0**-53


class GammaTables(NamedTuple):
    """The strips of R shapes, each shape (R * STRIPS,), float64.

    ``left``: where a strip starts, of a tail its edge; ``certain``: share of the strip under its lowest density;
    ``scale``: width over that share; ``width``; ``low``, ``top``: lowest and highest density; ``slope``: of a tail,
    that of the log density at its edge, else 0; ``power``, ``log_total``: the log density is power log x - x -
    log_total.
    """

    left: Floats
    scale: Floats
    certain: Floats
    width: Floats
    low: Floats
    top: Floats
    slope: Floats
    power: Floats
    log_total: Floats


def strips_of(shapes: Sequence[int]) -> GammaTables:
    """Tables of gammas of these shapes, whole numbers >= 0, one after the other; a gamma of shape 0 is 0.

    >>> strips = strips_of([0, 3])
    >>> strips.left.shape, float(strips.left[STRIPS + STRIPS // 2].round(3))
    ((1024,), 2.674)
    """
    nothing = GammaTables(*(np.zeros(STRIPS),) * 9)._replace(certain=np.ones(STRIPS))
    parts = [_gamma_table(shape) if shape else nothing for shape in shapes]
    return GammaTables(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _gamma_table(shape: int) -> GammaTables:
    edges = scipy.special.gammaincinv(shape, np.arange(STRIPS) / STRIPS)
    power, log_total = float(shape - 1), float(scipy.special.gammaln(shape))

    def density(x: Floats) -> Floats:
        return np.asarray(np.exp(scipy.special.xlogy(power, x) - x - log_total))

    left, right = edges, np.append(edges[1:], edges[-1])
    low = np.minimum(density(left), density(right))
    tails = [0, STRIPS - 1] if shape > 1 else [STRIPS - 1]  # the density of shape 1 falls from 0 on
    left[0] = right[0] if shape > 1 else 0.0
    width, slope = right - left, np.zeros(STRIPS)
    slope[tails] = power / left[tails] - 1
    certain = low * width * STRIPS
    scale = np.divide(width, certain, out=np.zeros(STRIPS), where=certain > 0)
    top = density(np.clip(power, left, right))
    same = np.full((2, STRIPS), [[power], [log_total]])
    return GammaTables(left, scale, certain, width, low, top, slope, *same)


@inner
def fill_sums(out: Floats, place: Ints, start: Longs, gamma_tables: GammaTables, stream: np.uint64) -> None:
    """Fill ``out``, shape (G,), with running sums of gammas, each of which depends on the stream and its place alone.

    ``place``, shape (G,), int64: of each in the stream; ``start``, shape (G,), uint64: where in ``gamma_tables`` those
    of its shape start.
    """
    total = 0.0
    for index in range(out.size):
        word = bits_at(stream, place[index])
        strip = start[index] + (word >> CHOICE)
        point = np.float64(np.int64(word & POINT)) * UNIT
        drawn = gamma_tables.left[strip] + point * gamma_tables.scale[strip]
        if point >= gamma_tables.certain[strip]:
            drawn = _rest(word, strip, gamma_tables)
        total += drawn
        out[index] = total


@inner
def _rest(state: np.uint64, strip: np.uint64, gamma_tables: GammaTables) -> float:
    """A draw from the strip's density above its lowest, or from a tail, by rejection."""
    left, slope, low = gamma_tables.left[strip], gamma_tables.slope[strip], gamma_tables.low[strip]
    while True:
        first, second = _unit(state + GOLDEN), _unit(state + GOLDEN + GOLDEN)
        state += GOLDEN + GOLDEN
        if slope == 0:
            x: float = left + gamma_tables.width[strip] * first
            height = low + (gamma_tables.top[strip] - low) * second
        else:
            x = left + math.log(first) / slope
            height = gamma_tables.top[strip] * first * second
        if x > 0 and height < math.exp(
            gamma_tables.power[strip] * math.log(x) - x - gamma_tables.log_total[strip]
        ):
            return x


@inner
def _unit(state: np.uint64) -> float:
    """A number above 0 and below 1."""
    return (np.float64(np.int64(mix(state) >> S11)) + 0.5) * UNIT
