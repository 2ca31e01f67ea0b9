"""Identity noise: images in an identity's folder that show somebody else (004, section 3.2: DBSCAN, majority kept)."""

import numpy as np

from frtaudit.core.arrays import Flags, Ints, Singles

NOISE = -1


def majority(vectors: Singles, reach: float, least: int) -> Flags:
    """Which images of one identity stay: those of the largest cluster, shape (n,).

    ``vectors`` (n, D) float32, unit; two images are neighbours when 1 - cosine <= ``reach``; a core has ``least``
    neighbours, itself included (scikit-learn's DBSCAN). Of clusters of one size the one with the earliest image stays;
    without any cluster there is no majority and all stay.

    >>> majority(np.float32([[1, 0], [1, 0], [0, 1]]), 0.5, 2).tolist()
    [True, True, False]
    """
    from sklearn.cluster import DBSCAN

    distance = np.clip(1.0 - vectors.astype(np.float64) @ vectors.astype(np.float64).T, 0.0, 2.0)
    label = DBSCAN(eps=reach, min_samples=least, metric="precomputed").fit(distance).labels_
    clustered = label[label != NOISE]
    if not clustered.size:
        return np.ones(len(vectors), dtype=bool)
    return np.asarray(label == int(np.bincount(clustered).argmax()))


def noise_in(vectors: Singles, subject: Ints, looked_at: Ints, reach: float, least: int) -> Flags:
    """Which images of the identities ``looked_at`` are noise, shape (M,).

    ``vectors`` (M, D) float32, unit; ``subject`` (M,) int64, non-decreasing.

    >>> faces = np.float32([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> noise_in(faces, np.array([0, 0, 0, 1]), np.array([0]), 0.5, 2).tolist()
    [False, False, True, False]
    """
    values = np.zeros(len(vectors), dtype=bool)
    starts, ends = (np.searchsorted(subject, looked_at, side=side) for side in ("left", "right"))
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        values[start:end] = ~majority(vectors[start:end], reach, least)
    return values
