import pickle
import struct
import time
from pathlib import Path

import numpy as np
import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.importing.pickled_images import read_pickled_images, stored_images


@pytest.mark.slow
def test_twelve_thousand_images_take_less_than_a_second_per_hundred_megabytes(tmp_path: Path) -> None:
    """A .bin of 12,000 images and 100 MB is read in less than a CPU second; its images are those that were written."""
    images = [b"\xff\xd8\xff" + np.random.default_rng(row).bytes(8_330) for row in range(12_000)]
    labels = [row % 600 < 300 for row in range(6_000)]
    path = tmp_path / "lfw.bin"
    path.write_bytes(pickle.dumps((images, labels), protocol=4))
    start = time.process_time()
    places, mated = read_pickled_images(path, path.name)
    seconds = time.process_time() - start  # of this process: 0.1 when measured
    assert seconds < path.stat().st_size / 1e8
    assert mated.tolist() == labels
    assert list(stored_images(path, path.name, places[-2:])) == images[-2:]


@pytest.mark.parametrize("text", ["\u0100", "\ud800"])
def test_a_text_that_stands_for_no_bytes_is_one_line(tmp_path: Path, text: str) -> None:
    """As Python 3 writes bytes in protocol 2, but with letters that are no byte."""
    letters = text.encode("utf-8", "surrogatepass")
    image = b"c_codecs\nencode\nX" + struct.pack("<I", len(letters)) + letters + b"X\x06\0\0\0latin1\x86R"
    path = tmp_path / "set.bin"
    path.write_bytes(b"\x80\x02](" + image + image + b"e]\x88a\x86.")
    places, _ = read_pickled_images(path, path.name)
    with pytest.raises(DataError, match=r"set\.bin offset \d+: a text that represents no bytes"):
        list(stored_images(path, path.name, places))
