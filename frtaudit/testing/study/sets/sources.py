"""The sets of the superpopulation study, part by part: real, fitted to real ones, with look-alikes, made up."""

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from frtaudit.config.plugins import load_plugins
from frtaudit.core.canonical import seed_of
from frtaudit.testing.populations import HARD, HUBS, ISOTROPIC, WOLVES, Population
from frtaudit.testing.study.sets import scored_sets
from frtaudit.testing.study.sets.scored_sets import ScoredSet

PARTS = ("real", "fitted", "twins", "made")
RATES = ("fmr", "fnmr")
NEED_DATA = {"real", "fitted", "twins"}
REAL = Path("lfw")
SYSTEMS = {
    "A": "dlib_resnet",
    "B": "mobilefacenet_insightface",
    "C": "mobilefacenet_foamliu",
    "D": "mobilefacenet_xiaoccer",
    "E": "mobilefacenet_quant_zye",
    "F": "mobileface_tfjs_weak",
}
TWINS = (0.001, 0.01)  # of all people
LOOK_ALIKES = (1.0, 3.0)  # pairs expected in a cohort
SUPER_WOLVES = Population(name="super-wolves", offset=0.4, wolves=0.002, wolf_offset=6.0)
UNEQUAL = Population(name="unequal", concentration=HARD.concentration)
MADE = {
    ISOTROPIC: (2,), UNEQUAL: (2, 2, 2, 3, 4, 12), HUBS: (2,), WOLVES: (2,), SUPER_WOLVES: (2,),
}  # fmt: skip
RARE_HEAVY = (HUBS.name, WOLVES.name, SUPER_WOLVES.name)
LIKE_PEOPLE = 8000  # of a made set: 400 are five per cent


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A set to draw from, and the ``base`` whose thresholds are taken; ``people``: the only size it is for, or None."""

    part: str
    name: str
    drawn: ScoredSet
    base: ScoredSet
    rates: tuple[str, ...] = RATES
    people: int | None = None


def sources(
    parts: Sequence[str],
    names: Sequence[str],
    sizes: Sequence[int],
    made_people: int,
    rates: Sequence[str] = RATES,
) -> Iterator[Source]:
    """Every source of ``parts``; ``names``: sets by letter or population, all where there is none."""
    for source in _all(parts, names, sizes, made_people):
        yield replace(source, rates=tuple(rate for rate in source.rates if rate in rates))


def _all(
    parts: Sequence[str], names: Sequence[str], sizes: Sequence[int], made_people: int
) -> Iterator[Source]:
    if set(parts) & NEED_DATA:
        for letter, system in SYSTEMS.items():
            if not names or letter in names:
                base = scored_sets.real(real_data(), system, f"real set {letter}")
                yield from _of(base, parts, sizes)
    if "made" in parts:
        for population, pattern in MADE.items():
            if not names or population.name in names:
                base = scored_sets.made(population, pattern, made_people, seed_of(0, "set", population.name))
                yield Source(part="made", name=base.name, drawn=base, base=base)


def _of(base: ScoredSet, parts: Sequence[str], sizes: Sequence[int]) -> Iterator[Source]:
    """A real set, and what is made of it, the same whatever other parts are asked for; FNMR stays as it is there."""
    seed = seed_of(0, "set", base.name)
    if "real" in parts:
        yield Source(part="real", name=base.name, drawn=base, base=base)
    if "fitted" in parts:
        drawn = scored_sets.without_heavy_pairs(base, np.random.default_rng(seed))
        yield Source(part="fitted", name=f"fitted to {base.name}", drawn=drawn, base=drawn, rates=("fmr",))
    if "twins" in parts:
        rng = np.random.default_rng(seed)
        for share in TWINS:
            drawn = scored_sets.with_look_alikes(base, scored_sets.twins(base, share, rng), rng)
            name = f"{base.name}, twins in {100 * share:g} % of people"
            yield Source(part="twins", name=name, drawn=drawn, base=base, rates=("fmr",))
        for people in sizes:
            for expected in LOOK_ALIKES:
                pairs = scored_sets.random_pairs(base, expected / (people * (people - 1) / 2), rng)
                drawn = scored_sets.with_look_alikes(base, pairs, rng)
                name = f"{base.name}, {expected:g} pairs of look-alikes in a cohort"
                yield Source(part="twins", name=name, drawn=drawn, base=base, rates=("fmr",), people=people)


def real_data() -> Path:
    """Folder of the real templates."""
    return Path(os.environ.get("FRTAUDIT_DATA", "../shared/data")) / REAL


def ready(parser: argparse.ArgumentParser, parts: Sequence[str]) -> None:
    """Load what a study of ``parts`` needs; the parser's error where these cannot be run here."""
    real = sorted(set(parts) & NEED_DATA)
    if real and not real_data().is_dir():
        folder = f"found no folder {real_data()}"
        parser.error(f"--part {real[0]}: {folder}; set FRTAUDIT_DATA, or name --part made")
    load_plugins()
