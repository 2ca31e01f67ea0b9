"""What looks wrong is said, and what is right is not."""

import numpy as np
import pytest
from scipy.stats import binomtest

from frtaudit.collection.embed.checks import (
    PAIRS,
    SURE,
    copy_checks,
    gain,
    length_checks,
    mated_pairs,
    probe_checks,
)

D = 32


def pairs(rng: np.random.Generator, noise: float, count: int = PAIRS) -> np.ndarray:
    """Vectors of ``count`` people with two images each, (2 * count, D)."""
    people = rng.standard_normal((count, D)).repeat(2, axis=0)
    return people + noise * rng.standard_normal(people.shape)


def probes(rng: np.random.Generator, **noise: float) -> np.ndarray:
    """Three variants of the same images, each with its noise; ``bias`` is added to all of a person's numbers."""
    plain = pairs(rng, noise.get("plain", 0.5)) + noise.get("bias", 0.0)
    mirrored = plain + noise.get("mirrored", 0.2) * rng.standard_normal(plain.shape)
    return np.stack([plain, mirrored, pairs(rng, noise.get("swapped", 1.5))])


@pytest.mark.parametrize(
    ("noise", "line"),
    [
        ({}, None),
        ({"mirrored": 9.0}, "a face and its mirror image have a median cosine"),
        ({"plain": 1.5, "swapped": 0.4}, "separate better with red and blue exchanged"),
        ({"bias": 30.0}, "templates of different people are very similar"),
        ({"plain": 12.0, "swapped": 12.0}, "mated images are hardly more similar than non-mated ones"),
    ],
)
def test_one_fault_is_one_sentence(noise: dict[str, float], line: str | None) -> None:
    """Templates without a fault say nothing; each fault is told by its own sentence, with the number of pairs."""
    found, said = probe_checks(probes(np.random.default_rng(3), **noise), "rgb")
    assert found["mated_pairs"] == PAIRS
    assert ([] if line is None else [True]) == [line in sentence for sentence in said]
    assert all("32" in sentence or "64" in sentence or "very similar" in sentence for sentence in said)


def test_equal_orders_of_colours_are_rarely_told_apart() -> None:
    """Of 300 runs in which both orders separate alike, no more are told than 1 in 100 (false alarm 1e-3)."""
    rng = np.random.default_rng(5)
    told = sum(gain(pairs(rng, 1.0, 12), pairs(rng, 1.0, 12)) > SURE for _ in range(300))
    assert binomtest(told, 300, 0.01, alternative="greater").pvalue > 1e-3


def test_a_few_images_without_pairs_are_judged_by_their_mirror_images_alone() -> None:
    """Nobody has two images, or one person has: no separation is told, and nothing breaks."""
    rng = np.random.default_rng(1)
    single = rng.standard_normal((3, D))
    found, said = probe_checks(np.stack([single] * 3), "bgr", paired=False)
    assert (found, said) == ({"mated_pairs": 0, "cosine_with_mirrored": 1.0}, [])
    two = pairs(rng, 0.1, 1)
    found, said = probe_checks(np.stack([two] * 3), "bgr")
    assert "separation" not in found
    assert said == []


def test_pairs_are_spread_over_all_people_with_two_images() -> None:
    """One pair of a person, no more than ``PAIRS``, the first person's and one near the last's among them."""
    subjects = [f"p{row // 3}" for row in range(300)]
    found = mated_pairs(subjects, [row for row in range(300) if row % 3 != 1])
    assert len(found) == PAIRS
    assert found[0] == (0, 2)
    assert found[-1][0] > 280
    assert all(subjects[one] == subjects[other] for one, other in found)


def test_lengths_and_copies_are_told() -> None:
    """The range of lengths; templates that are far shorter; the same bytes under two people and under one."""
    found, said = length_checks(np.array([10.0, 11.0, 12.0, 0.5]))
    assert found == {"length": [0.5, 10.5, 12.0], "unit_length": False}
    assert said == ["1 template shorter than a tenth of the median length (10.5)"]
    assert length_checks(np.ones(4)) == ({"length": [1.0, 1.0, 1.0], "unit_length": True}, [])
    found, said = copy_checks(["x", "y", "x", "z", "z", "", ""], ["a", "a", "b", "b", "b", "c", "d"])
    assert found == {"files_that_stand_twice": 1, "files_of_several_people": 1}
    assert said == [
        "1 image file is listed for several people, the first in lines 2 and 4 of metadata.csv",
        "1 image file is listed twice for one person, the first in lines 5 and 6 of metadata.csv",
    ]
    assert copy_checks(["x", "y"], ["a", "b"])[1] == []
