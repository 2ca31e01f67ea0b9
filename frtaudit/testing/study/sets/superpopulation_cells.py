"""One cell of the superpopulation study: a rate, a threshold and a size of cohort, and what is claimed of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import Weighting
from frtaudit.testing.study.sets import one_sided, shown
from frtaudit.testing.study.sets.one_sided import ERRORS, FAMILIES
from frtaudit.testing.study.sets.sources import RARE_HEAVY, Source

WIDTHS = 1000  # cohorts whose widths are taken
SLACK, ALARM = 1.2, 1e-3
ANY_FALSE_FAIL, FALSE_PASS, FALSE_PASS_RARE_HEAVY = 0.06, 0.06, 0.10
MAX_FNMR = 0.4  # FNMR above it is no rate of errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One rate at one threshold of one set, over cohorts of ``people``.

    ``lower``, ``upper``: bounds that miss ``truth`` at each of ``ERRORS``; ``false_fails``: lower bounds at .05/m that
    do, m of ``FAMILIES``; ``before``: the same by Wilson alone; ``width``: median now, before and of an oracle.
    """

    part: str
    set: str
    people: int
    target: float
    weighting: str
    rate: str
    truth: float
    cohorts: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]
    false_fails: tuple[int, ...]
    before: tuple[tuple[int, ...], ...]
    width: tuple[float, float, float]

    @property
    def key(self) -> tuple[str | int | float, ...]:
        """What cell it is."""
        return self.set, self.people, self.target, self.weighting, self.rate

    @property
    def broken(self) -> tuple[str, ...]:
        """The claims that do not hold, by exact binomial tests."""
        false_pass = FALSE_PASS_RARE_HEAVY if self.set in RARE_HEAVY else FALSE_PASS
        claims = {
            **{
                f"{side} {error:g}": (count, SLACK * error)
                for side, counts in (("lower", self.lower), ("upper", self.upper))
                for error, count in zip(ERRORS, counts, strict=True)
            },
            **{
                f"any false fail of {m}": (count, 1 - (1 - ANY_FALSE_FAIL) ** (1 / m))
                for m, count in zip(FAMILIES, self.false_fails, strict=True)
            },
            "false pass": (self.upper[0], false_pass),
        }
        return tuple(
            name
            for name, (count, limit) in claims.items()
            if stats.binomtest(count, self.cohorts, limit, alternative="greater").pvalue <= ALARM
        )


def cells(source: Source, people: int, target: float, weighting: Weighting, cohorts: int) -> Iterator[Cell]:
    """FMR and FNMR of one set, size, threshold and weighting; rates of 0, and an FNMR past 0.4, are left out."""
    seed = seed_of(0, "superpopulations", source.name, str(people), f"{target:g}", weighting.value)
    chosen = shown.draw(source.drawn, people, cohorts, np.random.default_rng(seed))
    threshold = source.base.threshold(target, weighting)
    fnmr = shown.mated(source.drawn, chosen, threshold, weighting)
    for rate in source.rates:
        drawn = fnmr
        if rate == "fmr":
            fmr = shown.non_mated(source.drawn, chosen, threshold, weighting)
            drawn = one_sided.with_match_rates(fmr, fnmr)
        if not 0 < drawn.truth < MAX_FNMR:
            continue
        given = one_sided.given(drawn)
        now, before = one_sided.missed(given), one_sided.missed_before(given)
        yield Cell(
            part=source.part, set=source.name, people=people, target=target, weighting=weighting.value, rate=rate,
            truth=given.truth, cohorts=now.cohorts, lower=now.lower, upper=now.upper,
            false_fails=now.false_fails, before=(before.lower, before.upper, before.false_fails),
            width=one_sided.widths(given, WIDTHS),
        )  # fmt: skip
