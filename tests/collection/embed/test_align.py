"""The similarity against Umeyama's own steps, the warp against a slow twin and against pixels of insightface."""

import hashlib
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from face_cases import noisy_face, preset

from frtaudit.collection.embed.align import similarity, warped
from frtaudit.testing.photographs import LANDMARKS

# sha256 of insightface 2.1's norm_crop (OpenCV 4.10.0, scikit-image 0.26), whose template is float32.
NORM_CROP = {
    0: "bfbf1783a24967f4142042cda27b3b5307899ba19375cc91d00dc253bb847b4e",
    1: "efef038ec9af4a3472a34cbde8ff5d4337ab1aaa8ad644073a8d715ad84a775d",
    2: "6a8c153b831590f86f41c74b367cebd0642befdd8243b3ea343848157f4394aa",
    3: "6a716d4b269ae8c91c81a057312d503d91a105b8718578adfb8f8501556f4b6d",
}


def umeyama(points: np.ndarray, template: np.ndarray) -> np.ndarray:
    """Umeyama (1991), equations 34 to 43, by the singular values of the covariance."""
    source, target = points.mean(axis=0), template.mean(axis=0)
    covariance = (template - target).T @ (points - source) / len(points)
    u, values, v = np.linalg.svd(covariance)
    signs = np.array([1.0, np.sign(np.linalg.det(covariance))])
    rotation = u @ np.diag(signs) @ v
    scale = (values * signs).sum() / ((points - source) ** 2).sum(axis=1).mean()
    return np.column_stack([scale * rotation, target - scale * rotation @ source])


def by_pixel(image: np.ndarray, matrix: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """Each pixel by itself: its place to 1/32, four neighbours with exact weights, black outside, halves up."""
    turned = np.linalg.inv(matrix[:, :2])
    inverse = np.column_stack([turned, -turned @ matrix[:, 2]])
    found = np.zeros((*size, 3), dtype=np.uint8)
    for row, column in np.ndindex(size):
        x, y = (
            Fraction((int(np.rint(a * column * 1024)) + int(np.rint((b * row + c) * 1024)) + 16) // 32, 32)
            for a, b, c in inverse
        )
        total = [Fraction(0)] * 3
        for right, down in np.ndindex(2, 2):
            at_x, at_y = floor(x) + right, floor(y) + down
            weight = (1 - abs(x - at_x)) * (1 - abs(y - at_y))
            if 0 <= at_x < image.shape[1] and 0 <= at_y < image.shape[0]:
                total = [
                    value + weight * int(seen) for value, seen in zip(total, image[at_y, at_x], strict=True)
                ]
        found[row, column] = [floor(value + Fraction(1, 2)) for value in total]
    return found


@pytest.mark.parametrize("seed", NORM_CROP)
def test_aligned_pixels_are_those_of_insightface(seed: int) -> None:
    """Pictures of noise, points off the template by pixels, faces that reach over the border: the same bytes."""
    image, points = noisy_face(seed)
    found = warped(image, similarity(points, preset("arcface_rgb_127.5").template), (112, 112))
    assert hashlib.sha256(found.tobytes()).hexdigest() == NORM_CROP[seed]


def test_the_similarity_is_umeyamas() -> None:
    """To 1e-9, of five points and of fewer; two points are taken exactly where they belong."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        _, points = noisy_face(int(rng.integers(1 << 30)))
        known = rng.permutation(5)[: rng.integers(3, 6)]
        some = np.full((5, 2), np.nan)
        some[known] = points[known]
        np.testing.assert_allclose(
            similarity(some, LANDMARKS), umeyama(points[known], LANDMARKS[known]), rtol=1e-9, atol=1e-9
        )
    some[:], some[:2] = np.nan, points[:2]
    matrix = similarity(some, LANDMARKS)
    np.testing.assert_allclose(points[:2] @ matrix[:, :2].T + matrix[:, 2], LANDMARKS[:2], atol=1e-9)


def test_the_warp_is_its_slow_twins() -> None:
    """Pictures under any turn, scale and shift, also such that show nothing of them: equal to the pixel."""
    rng = np.random.default_rng(2)
    for largest, least in [(12, 0.3)] * 12 + [(90, 0.06)] * 6:
        height, width = rng.integers(1, largest, 2)
        image = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
        angle, scale = rng.uniform(-3, 3), rng.uniform(least, 10 * least)
        matrix = np.column_stack(
            [
                scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]),
                rng.uniform(-12, 12, 2),
            ]
        )
        np.testing.assert_array_equal(warped(image, matrix, (9, 7)), by_pixel(image, matrix, (9, 7)))
    far = np.array([[1.0, 0.0, 1e5], [0.0, 1.0, -1e5]])
    assert not warped(np.full((5, 5, 3), 9, np.uint8), far, (4, 4)).any()
