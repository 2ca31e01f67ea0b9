import pickle
import time
from pathlib import Path

import numpy as np
import pytest

from frtaudit.inputs.importing.pickled_images import read_pickled_images, stored_images


@pytest.mark.slow
def test_twelve_thousand_images_take_less_than_a_second_per_hundred_megabytes(tmp_path: Path) -> None:
    """A .bin of 12,000 images and 100 MB is read in less than a second, and its images are those that were written."""
    images = [b"\xff\xd8\xff" + np.random.default_rng(row).bytes(8_330) for row in range(12_000)]
    labels = [row % 600 < 300 for row in range(6_000)]
    path = tmp_path / "lfw.bin"
    path.write_bytes(pickle.dumps((images, labels), protocol=4))
    start = time.perf_counter()
    places, mated = read_pickled_images(path, path.name)
    seconds = time.perf_counter() - start
    assert seconds < path.stat().st_size / 1e8
    assert mated.tolist() == labels
    assert list(stored_images(path, path.name, places[-2:])) == images[-2:]
