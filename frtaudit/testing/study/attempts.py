"""Do the bounds of FTA hold where people are tried several times? ``python -m frtaudit.testing.study.attempts``.

Each person fails with a probability of its own: drawn from a beta distribution, or high for a few people and low for
the rest. Cohorts differ in how often people are tried.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.stats.intervals.clustered_share import share_bounds
from frtaudit.testing.study.misses import Misses, missed, totals
from frtaudit.testing.study.pages import into, markdown, parser_of, verdict
from frtaudit.testing.study.sets.one_sided import ERRORS

PEOPLE = (60, 200)
TRIED = (
    "5 each",
    "1 to 10",
    "one in 4 of 10, others of 1",
    "one in 10 of 30, others of 2",
    "one in 20 of 60, others of 2",
    "one in 50 of 100, others of 1",
)
COHORTS = 2000
PLACE = "attempts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """Who fails: a ``share`` of people with probability ``often``, the rest with ``seldom``."""

    share: float
    often: float
    seldom: float

    @property
    def truth(self) -> float:
        """FTA of the population, whoever is tried how often."""
        return self.share * self.often + (1 - self.share) * self.seldom

    def drawn(self, rng: np.random.Generator, trials: Ints) -> Ints:
        """Failures of each person."""
        return rng.binomial(trials, np.where(rng.random(trials.size) < self.share, self.often, self.seldom))


FAILING = (
    Failing(share=0.0, often=0.0, seldom=0.02),
    Failing(share=0.02, often=0.9, seldom=0.002),
    Failing(share=0.1, often=0.5, seldom=0.005),
    Failing(share=0.2, often=0.3, seldom=0.02),
    Failing(share=0.05, often=0.95, seldom=0.0),
    Failing(share=0.02, often=1.0, seldom=0.0),
    Failing(share=0.1, often=1.0, seldom=0.0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(Misses):
    """One cell: how people are tried, how many there are, and the share of failures that is true."""

    tried: str
    people: int
    truth: float


def trials_of(tried: str, people: int, rng: np.random.Generator) -> Ints:
    """How often each person is tried."""
    if tried == "5 each":
        return np.full(people, 5)
    if tried == "1 to 10":
        return rng.integers(1, 11, people)
    every, most, others = map(int, re.findall(r"\d+", tried))
    return np.where(np.arange(people) % every == 0, most, others)


def cells(cohorts: int) -> Iterator[Tried]:
    """Every pattern of attempts, size and way of failing."""
    for tried in TRIED:
        for people in PEOPLE:
            for failing in FAILING:
                rng = np.random.default_rng(seed_of(0, PLACE, tried, str(people), str(failing)))
                rows = [_missed(failing, trials_of(tried, people, rng), rng) for _ in range(cohorts)]
                lower, upper = totals(rows)
                yield Tried(
                    tried=tried, people=people, truth=failing.truth, cohorts=cohorts, lower=lower, upper=upper
                )


def _missed(failing: Failing, trials: Ints, rng: np.random.Generator) -> Floats:
    bounds = share_bounds(failing.drawn(rng, trials), trials)
    if bounds is None:
        raise ValueError("somebody is tried in every cohort")
    return missed(bounds, failing.truth)


def table(results: Sequence[Tried]) -> str:
    """The worst cell of each pattern of attempts in Markdown."""
    times = " / ".join(f"{error:g}" for error in ERRORS)
    rows = []
    for tried in dict.fromkeys(cell.tried for cell in results):
        alike = [cell for cell in results if cell.tried == tried]
        lower, upper = (
            " / ".join(f"{value:.2f}" for value in (np.array(counts) / alike[0].cohorts / ERRORS).max(axis=0))
            for counts in ([cell.lower for cell in alike], [cell.upper for cell in alike])
        )
        word = verdict(dict.fromkeys(name for cell in alike for name in cell.broken))
        rows.append((tried, f"{len(alike)}", lower, upper, word))
    lower = f"lower misses, times nominal at {times}"
    return markdown(("attempts", "cells", lower, "upper misses", ""), rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("attempts", __doc__)
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    options = parser.parse_args(argv)
    results = list(cells(options.cohorts))
    text = table(results)
    sys.stdout.write(text + "\n")
    into(options.docs, PLACE, text)
    return int(any(cell.broken for cell in results))


if __name__ == "__main__":
    sys.exit(main())
