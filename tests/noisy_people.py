"""Isotropic people for the coverage tests: directions on the sphere, noise of their own, unit templates."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

DIMENSION = 16


def unit(vectors: Floats) -> Floats:
    """Vectors of length one along the last axis."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def people(rng: np.random.Generator, n: int, spread: tuple[float, float]) -> tuple[Floats, Floats]:
    """Mean directions, uniform on the sphere, and the noise of each subject's samples, uniform in ``spread``."""
    return unit(rng.standard_normal((n, DIMENSION))), rng.uniform(*spread, n)


def images(rng: np.random.Generator, who: tuple[Floats, Floats], m: int) -> Floats:
    """``m`` unit templates of each subject, shape (K, m, DIMENSION)."""
    means, noise = who
    drawn = rng.standard_normal((len(means), m, DIMENSION)) / np.sqrt(DIMENSION)
    return unit(means[:, None] + noise[:, None, None] * drawn)
