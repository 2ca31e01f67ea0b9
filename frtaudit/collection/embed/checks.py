"""Checks of templates, which warn and change nothing: colours, mirror images, lengths, duplicate images.

A few mated pairs of different people are embedded again, mirrored and with red and blue exchanged. All of it is a hint:
the number of pairs stands beside it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import Json
from frtaudit.core.text.formatting import counted

PAIRS = 32  # mated pairs at most, each of another person
MIN_PAIRS = 8  # below which colours are not judged
SURE = 2.33  # standard errors: of 100 runs whose two orders separate alike, one at most is told otherwise
MIRRORED = 0.5  # cosine with the mirrored face, below which a model does not see an upright face
ALIKE, APART = 0.95, 1.0  # mean cosine of different people; d' of mated and non-mated pairs
SHORT = 0.1  # of the median length


def mated_pairs(subjects: Sequence[str], rows: Sequence[int]) -> list[tuple[int, int]]:
    """The first two of ``rows`` of up to ``PAIRS`` people, evenly over all who have two.

    >>> mated_pairs(["a", "a", "b", "a", "c", "c"], [0, 1, 2, 3, 4, 5])
    [(0, 1), (4, 5)]
    """
    of_subject: dict[str, list[int]] = defaultdict(list)
    for row in rows:
        of_subject[subjects[row]].append(row)
    pairs = [(indices[0], indices[1]) for indices in of_subject.values() if len(indices) > 1]
    if len(pairs) <= PAIRS:
        return pairs
    return [pairs[place * len(pairs) // PAIRS] for place in range(PAIRS)]


def probe_checks(probes: Floats, colours: str, *, paired: bool = True) -> tuple[dict[str, Json], list[str]]:
    """The numbers of the checks, and a sentence for each that may be wrong.

    ``probes``: (3, 2 P, D) float64, the model's outputs for 2 P images, as they are, mirrored, and with red and blue
    exchanged; of pair i, images 2 i and 2 i + 1. ``colours``: of the preset; ``paired``: whether the images are pairs,
    or just some images.
    """
    plain, mirrored, swapped = map(unit, probes)
    mirror = float(np.median(np.einsum("ij,ij->i", plain, mirrored)))
    n_pairs = plain.shape[0] // 2 if paired else 0
    numbers: dict[str, Json] = {"mated_pairs": n_pairs, "cosine_with_mirrored": rounded(mirror)}
    warnings = []
    if mirror < MIRRORED:
        warnings.append(
            f"a face and its mirror image have a median cosine of {mirror:.2f} in {plain.shape[0]} images: faces may "
            "not be aligned as the model needs them"
        )
    if n_pairs < 2:
        return numbers, warnings
    mated, others = cosines(plain)
    apart, other = separation(mated, others), separation(*cosines(swapped))
    numbers |= {
        "separation": rounded(apart),
        "separation_with_colours_exchanged": rounded(other),
        "mean_cosine_non_mated": rounded(float(others.mean())),
    }
    if others.mean() > ALIKE:
        warnings.append(f"templates of different people are very similar: mean cosine {others.mean():.2f}")
    if apart < APART:
        warnings.append(
            f"in {n_pairs} pairs, mated images are hardly more similar than non-mated ones (d' {apart:.1f}): "
            "preset, detector or model may be wrong"
        )
    if n_pairs >= MIN_PAIRS and gain(plain, swapped) > SURE:
        warnings.append(
            f"{n_pairs} mated pairs separate better with red and blue exchanged (d' {other:.1f} against {apart:.1f}): "
            f"the model may not use {colours}"
        )
    return numbers, warnings


def length_checks(length: Floats) -> tuple[dict[str, Json], list[str]]:
    """Of the model's outputs, shape (M,)."""
    low, middle, high = (float(value) for value in np.quantile(length, (0.0, 0.5, 1.0)))
    numbers: dict[str, Json] = {
        "length": [rounded(low), rounded(middle), rounded(high)],
        "unit_length": bool(abs(low - 1) < 1e-3 and abs(high - 1) < 1e-3),
    }
    short = int(np.count_nonzero(length < SHORT * middle))
    text = f"{counted(short, 'template')} shorter than a tenth of the median length ({middle:.3g})"
    return numbers, [text] if short else []


def copy_checks(digests: Sequence[str], subjects: Sequence[str]) -> tuple[dict[str, Json], list[str]]:
    """Files of the same bytes; ``digests``: of each image, empty where it could not be read."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, digest in enumerate(digests):
        if digest:
            rows[digest].append(row)
    twice = [indices for indices in rows.values() if len(indices) > 1]
    between = [indices for indices in twice if len({subjects[row] for row in indices}) > 1]
    alone = [indices for indices in twice if len({subjects[row] for row in indices}) == 1]
    numbers: dict[str, Json] = {"files_that_stand_twice": len(alone), "files_of_several_people": len(between)}
    warnings = []
    for copies, where in ((between, "for several people"), (alone, "twice for one person")):
        if copies:
            files = "1 image file is" if len(copies) == 1 else f"{len(copies)} image files are"
            lines = f"lines {copies[0][0] + 2} and {copies[0][1] + 2} of metadata.csv"
            warnings.append(f"{files} listed {where}, the first in {lines}")
    return numbers, warnings


def unit(vectors: Floats) -> Floats:
    """Each row of length 1."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def cosines(vectors: Floats) -> tuple[Floats, Floats]:
    """Of each pair, and of its first image with the second one of the next pair: (P,), (P,)."""
    first, second = vectors[0::2], vectors[1::2]
    return np.einsum("ij,ij->i", first, second), np.einsum("ij,ij->i", first, np.roll(second, -1, axis=0))


def separation(mated: Floats, others: Floats) -> float:
    """d': the difference of the means over the root of the mean variance.

    >>> separation(np.array([0.8, 0.6]), np.array([0.1, -0.1]))
    7.0
    """
    spread = float(np.sqrt((mated.var() + others.var()) / 2))
    return round(float(mated.mean() - others.mean()) / max(spread, 1e-12), 9)


def gain(plain: Floats, swapped: Floats) -> float:
    """By how many standard errors the separation grows from one order of colours to the other.

    The standard error is the jackknife's: each pair of people is left out once, with the two comparisons that it shares
    with others.
    """
    sides = [cosines(vectors) for vectors in (plain, swapped)]
    n_pairs = sides[0][0].size

    def grown(left_out: int | None) -> float:
        mated, others = np.ones(n_pairs, dtype=np.bool_), np.ones(n_pairs, dtype=np.bool_)
        if left_out is not None:
            mated[left_out] = others[left_out] = others[left_out - 1] = False
        apart, other = (separation(mated_cosines[mated], two[others]) for mated_cosines, two in sides)
        return other - apart

    parts = np.array([grown(pair) for pair in range(n_pairs)])
    error = np.sqrt((n_pairs - 1) / n_pairs * ((parts - parts.mean()) ** 2).sum())
    return float(grown(None) / max(float(error), 1e-6))


def rounded(value: float) -> float:
    """To four digits behind the point: a hint needs no more."""
    return round(value, 4)


def merged(parts: Sequence[tuple[Mapping[str, Json], list[str]]]) -> tuple[dict[str, Json], list[str]]:
    """All numbers, and all warnings."""
    numbers = {key: value for part_numbers, _ in parts for key, value in part_numbers.items()}
    return numbers, [sentence for _, warnings in parts for sentence in warnings]
