"""Faces for tests of alignment and of presets: pictures of noise with five landmarks, and the shipped presets."""

import numpy as np
import yaml

from frtaudit.collection.embed.preset import Preset
from frtaudit.core.machine.resources import shipped
from frtaudit.core.plain.structure import build
from frtaudit.testing.photographs import LANDMARKS


def noisy_face(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A picture of noise, RGB, and five points in it, (5, 2)."""
    rng = np.random.default_rng(seed)
    height, width = (int(side) for side in rng.integers(60, 300, 2))
    image = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    angle, scale = rng.uniform(-0.8, 0.8), rng.uniform(0.5, 2.5)
    turned = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points = (LANDMARKS - 56) @ turned.T + np.array([width, height]) / 2 + rng.normal(0, 2, (5, 2))
    return image, points


def preset(name: str) -> Preset:
    """A shipped one."""
    data = yaml.safe_load((shipped("conf") / "preset" / f"{name}.yaml").read_text())
    return build(Preset, data, "preset")
