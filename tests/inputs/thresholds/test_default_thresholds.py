import math
import re

import numpy as np
import pytest

from frtaudit.inputs.thresholds.default_thresholds import Scale, default_thresholds

DEFAULTS = default_thresholds()
RNG = np.random.default_rng(2)
A, B = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in RNG.normal(size=(2, 4000, 3)))
COSINE = np.einsum("ij,ij->i", A, B)
DISTANCE = np.linalg.norm(A - B, axis=1)
SOURCE = re.compile(r"[\w.-]+/[\w.-]+, commit [0-9a-f]{12}, [\w/]+\.py")
SAYS = {
    "cosine_similarity": (COSINE, 1),
    "cosine_distance": (1 - COSINE, -1),
    "unit_euclidean": (DISTANCE, -1),
}
SCORE = {Scale.COSINE: COSINE, Scale.MINUS_SQUARED_DISTANCE: -np.square(DISTANCE)}


@pytest.mark.parametrize("default", DEFAULTS, ids=lambda default: default.name)
def test_a_converted_default_decides_as_the_library_does(default: object) -> None:
    """On unit vectors every decision by the library's own metric is the one at the converted score; dlib's is raw."""
    metric, threshold = default.metric, default.threshold  # type: ignore[attr-defined]  # a default
    if metric == "euclidean":
        assert [default.on(scale) for scale in Scale] == [None, None, -threshold]  # type: ignore[attr-defined]
        return
    assert default.on(Scale.MINUS_DISTANCE) is None  # type: ignore[attr-defined]
    value, sign = SAYS[metric]
    for scale, score in SCORE.items():
        at = default.on(scale)  # type: ignore[attr-defined]
        assert ((score > at) == (sign * value >= sign * threshold)).all()


def test_every_default_has_its_own_name_and_a_source() -> None:
    """No two alike, each finite; a source is a repository, a commit and a file."""
    assert len({default.name for default in DEFAULTS}) == len(DEFAULTS) == 14
    assert all(math.isfinite(default.threshold) for default in DEFAULTS)
    assert all(SOURCE.match(default.source) for default in DEFAULTS)
