"""Slow twins for robustness: every assignment of people to classes, every subject left out and all scored again."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class People:
    """A small cohort as a score matrix: samples, subjects, one threshold."""

    def __init__(self, seed: int, subjects: int = 7, classes: int = 2, unknown: int = 2) -> None:
        """Random scores and labels; the last ``unknown`` subjects have none (code ``classes``)."""
        rng = np.random.default_rng(seed)
        self.samples = rng.integers(2, 4, subjects)
        self.subject = np.repeat(np.arange(subjects), self.samples)
        size = int(self.samples.sum())
        scores = np.round(rng.random((size, size)), 2)
        self.scores = (scores + scores.T) / 2
        self.classes = classes
        self.code = np.concatenate(
            [np.arange(subjects - unknown) % classes, np.full(unknown, classes)]
        ).astype(np.int64)
        self.threshold = float(rng.choice([0.3, 0.5, 0.7]))

    @property
    def ids(self) -> list[str]:
        """Names of the subjects of the rows, in the order of their numbers."""
        return [f"{k:02d}" for k in self.subject]

    def pairs(self) -> Iterator[tuple[int, int, float]]:
        """Every unordered comparison: two subjects and the score."""
        for i in range(len(self.subject)):
            for j in range(i + 1, len(self.subject)):
                yield int(self.subject[i]), int(self.subject[j]), float(self.scores[i, j])

    def rates(self, members: set[int], threshold: float | None = None) -> dict[tuple[str, str], float]:
        """(rate, weighting) to FMR and FNMR among some subjects, by going through every comparison."""
        at = self.threshold if threshold is None else threshold
        held: dict[str, dict[tuple[int, int], list[bool]]] = {"fmr": {}, "fnmr": {}}
        for a, b, score in self.pairs():
            if a in members and b in members:
                rate, wrong = ("fnmr", score <= at) if a == b else ("fmr", score > at)
                held[rate].setdefault((a, b), []).append(wrong)
        found = {}
        for rate, blocks in held.items():
            every = [wrong for block in blocks.values() for wrong in block]
            found[rate, "pooled"] = float(np.mean(every)) if every else float("nan")
            shares = [np.mean(block) for block in blocks.values()]
            found[rate, "identity"] = float(np.mean(shares)) if shares else float("nan")
        return found

    def of_class(self, code: Ints, number: int) -> set[int]:
        """Subjects of a class under some labels."""
        return set(np.flatnonzero(code == number).tolist())

    def assignments(self) -> Iterator[Ints]:
        """Every way in which the unknown could belong to a class, or to none."""
        some = np.flatnonzero(self.code == self.classes)
        for chosen in product(range(self.classes + 1), repeat=some.size):
            code = self.code.copy()
            code[some] = chosen
            yield code

    def relabelled(self, limits: Ints) -> Iterator[Ints]:
        """Every way in which at most ``limits`` of each class belong to another."""
        known = np.flatnonzero(self.code < self.classes)
        for chosen in product(range(self.classes), repeat=known.size):
            code = self.code.copy()
            code[known] = chosen
            moved = np.bincount(self.code[known][code[known] != self.code[known]], minlength=self.classes)
            if np.all(moved <= limits):
                yield code


def every_choice(errors: float, trials: float, pools: list[tuple[Floats, Floats, int | None]]) -> list[float]:
    """All ratios that choices from the pools give."""
    found = []
    sets = [list(product((0, 1), repeat=len(pool[0]))) for pool in pools]
    for chosen in product(*sets):
        if any(
            limit is not None and sum(flags) > limit for flags, (*_, limit) in zip(chosen, pools, strict=True)
        ):
            continue
        over = errors + sum(float(pool[0] @ np.array(f)) for f, pool in zip(chosen, pools, strict=True))
        under = trials + sum(float(pool[1] @ np.array(f)) for f, pool in zip(chosen, pools, strict=True))
        if under > 0:
            found.append(over / under)
    return found
