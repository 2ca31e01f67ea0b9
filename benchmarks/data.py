"""The data of each contest, from fixed seeds; ``scale`` 1 is the full size. NumPy only."""

from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = dict[str, npt.NDArray[Any]]

DIMENSION = 128
EACH = 5
GROUPS = 4
SPREAD = 0.09  # standard deviation of a sample around its subject, in each dimension
DEEPEST = 1e-6
PER_DECADE = 10
GIVEN = 64  # replicates whose weights everybody is given
PILOT = 800  # subjects that the thresholds are taken from


def people(subjects: int, lowest: float) -> Arrays:
    """Templates of ``subjects`` people with five samples each in four groups, and thresholds from FMR ``lowest`` on.

    ``vectors`` (N, 128) float32, unit rows sorted by subject; ``subject`` (N,); ``group`` (K,); ``thresholds`` (T,):
    ten a decade from FMR ``lowest`` down to 1e-6, ascending; ``weights`` (64, N) uint8: how often each sample is drawn
    in 64 image resamples.
    """
    rng = np.random.default_rng(20)
    subject = np.repeat(np.arange(subjects, dtype=np.int32), EACH)
    means = unit(rng.standard_normal((subjects, DIMENSION), dtype=np.float32))
    vectors = unit(means[subject] + SPREAD * rng.standard_normal((subject.size, DIMENSION), dtype=np.float32))
    return {
        "vectors": vectors,
        "subject": subject,
        "group": (np.arange(subjects) % GROUPS).astype(np.int32),
        "thresholds": thresholds(vectors, subject, lowest),
        "weights": resamples(rng, subject),
        "lowest": np.array(lowest),
    }


def unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows of length one."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def thresholds(
    vectors: npt.NDArray[np.float32], subject: npt.NDArray[np.int32], lowest: float
) -> npt.NDArray[np.float64]:
    """Thresholds at FMR ``lowest`` .. 1e-6, ten a decade, between two scores of a pilot of 800 subjects.

    None is a score: how a score is rounded does not decide on which side of a threshold it lies, or hardly ever.
    """
    first, whose = vectors[: PILOT * EACH], subject[: PILOT * EACH]
    scores = first @ first.T
    others = np.sort(scores[np.triu(whose[:, None] != whose[None, :])])
    steps = round(np.log10(lowest / DEEPEST) * PER_DECADE)
    rates = lowest * 10.0 ** (-np.arange(steps + 1) / PER_DECADE)
    place = np.minimum(np.ceil(others.size * (1 - rates)).astype(int), others.size - 1)
    return np.unique((others[place - 1] + others[place]) / 2).astype(np.float64)


def resamples(rng: np.random.Generator, subject: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
    """How often each sample is drawn when each subject's five are drawn with replacement, (64, N)."""
    first = np.arange(subject.size) // EACH * EACH
    drawn = first + rng.integers(0, EACH, (GIVEN, subject.size))
    return np.stack([np.bincount(row, minlength=subject.size) for row in drawn]).astype(np.uint8)


def large_deep(scale: float) -> Arrays:
    """60,000 samples, lowest FMR 1e-2."""
    return people(max(40, int(12_000 * scale)), 1e-2)


def large(scale: float) -> Arrays:
    """60,000 samples, lowest FMR 1e-3."""
    return people(max(40, int(12_000 * scale)), 1e-3)


def middle(scale: float) -> Arrays:
    """20,000 samples, lowest FMR 1e-1."""
    return people(max(40, int(4_000 * scale)), 1e-1)


def ten_thousand(scale: float) -> Arrays:
    """10,000 samples, lowest FMR 1e-3."""
    return people(max(40, int(2_000 * scale)), 1e-3)


def two_thousand(scale: float) -> Arrays:
    """Every comparison of 2,000 samples: ``score``, with noise, ``first`` and ``second`` (subjects), ``group`` (K,)."""
    given = people(max(60, int(400 * scale)), 1e-2)
    i, j = np.triu_indices(given["subject"].size, 1)
    cosine = np.einsum("pd,pd->p", given["vectors"][i], given["vectors"][j])
    return {
        "score": cosine + np.random.default_rng(21).normal(0.0, 0.15, i.size),
        "first": given["subject"][i],
        "second": given["subject"][j],
        "sample_i": i.astype(np.int32),
        "sample_j": j.astype(np.int32),
        "group": given["group"],
    }


def _lists(size: int) -> Arrays:
    rng = np.random.default_rng(22)
    mated = max(100, size // 100)
    return {"mated": rng.normal(3.0, 1.0, mated), "non_mated": rng.normal(0.0, 1.0, size - mated)}


def ten_million(scale: float) -> Arrays:
    """1e7 scores, 1 % of them mated."""
    return _lists(max(10_000, int(10_000_000 * scale)))


def one_million(scale: float) -> Arrays:
    """1e6 scores, 1 % of them mated."""
    return _lists(max(10_000, int(1_000_000 * scale)))


def classes(scale: float) -> Arrays:
    """Mated scores of three classes, 0..100, 4,000 each; never so few that the integral takes another grid."""
    rng = np.random.default_rng(23)
    size = max(2100, int(4000 * scale))
    shifts = {"a": 0.0, "b": 1.0, "c": 2.5}
    return {name: np.clip(rng.normal(80 - shift, 10, size), 0, 100) for name, shift in shifts.items()}


def fold_pairs(scale: float) -> Arrays:
    """6,000 scored pairs in ten folds, as LFW has them."""
    rng = np.random.default_rng(24)
    size = max(200, int(6000 * scale)) // 20 * 20
    mated = np.arange(size) % 2 == 0
    return {"score": rng.normal(2.0 * mated, 1.0), "mated": mated, "fold": np.arange(size) * 10 // size}
