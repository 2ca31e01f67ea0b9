"""Majority by DBSCAN against a plain DBSCAN of loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frtaudit.stats.similarity.nearest import unit_rows

pytest.importorskip("sklearn")
from frtaudit.stats.labels import identity_noise


def slow_majority(vectors: np.ndarray, reach: float, least: int) -> list[bool]:
    """Clusters grown from cores one by one, in the order of images; the largest stays."""
    n = len(vectors)
    near = [[j for j in range(n) if 1 - float(vectors[i] @ vectors[j]) <= reach] for i in range(n)]
    core = [len(near[i]) >= least for i in range(n)]
    label, number = [-1] * n, 0
    for start in range(n):
        if not core[start] or label[start] >= 0:
            continue
        waiting = [start]
        while waiting:
            i = waiting.pop()
            if label[i] < 0:
                label[i] = number
                waiting += near[i] if core[i] else []
        number += 1
    if not number:
        return [True] * n
    best = max(range(number), key=lambda c: (label.count(c), -c))
    return [item == best for item in label]


@given(st.integers(1, 14), st.integers(0, 99), st.sampled_from([0.2, 0.5, 0.9]), st.integers(1, 3))
def test_the_majority_of_an_identity(n: int, seed: int, reach: float, least: int) -> None:
    """The largest cluster, as loops grow it; borders between clusters are as large either way."""
    rng = np.random.default_rng(seed)
    centres = unit_rows(rng.normal(size=(3, 6)).astype(np.float32))
    vectors = unit_rows(centres[rng.integers(0, 3, n)] + 0.1 * rng.normal(size=(n, 6)).astype(np.float32))
    found = identity_noise.majority(vectors.astype(np.float64).astype(np.float32), reach, least)
    assert found.sum() == sum(slow_majority(vectors.astype(np.float64), reach, least))


def test_only_the_identities_looked_at_lose_images() -> None:
    """A stranger's image goes from the identity looked at, and stays in the other."""
    a, b = np.float32([1, 0, 0]), np.float32([0, 1, 0])
    vectors = np.stack([a, a, b, b, b, a])
    found = identity_noise.noise_in(vectors, np.array([0, 0, 0, 1, 1, 1]), np.array([1]), 0.5, 2)
    assert found.tolist() == [False] * 5 + [True]
