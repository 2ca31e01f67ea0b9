"""Numbers over cohorts, held against what is claimed of them: misses of one-sided bounds, shares, means.

A bound may miss 1.2 times as often as its error. A claim is tested, printed, and written as JSON and as a table.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from frtaudit.core.arrays import Flags, Floats
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.testing.checks import ALARM
from frtaudit.testing.study.pages import into, markdown, write_indented, write_line
from frtaudit.testing.study.sets.one_sided import ERRORS

SLACK = 1.2
AT_LEAST = ("covers", "planted")  # words of the claims of a limit or more; others are of at most it


@dataclass(frozen=True, slots=True, kw_only=True)
class Misses:
    """How many of ``cohorts`` have a ``lower``, an ``upper`` bound that misses, at each of ``ERRORS``."""

    cohorts: int
    lower: tuple[int, ...]
    upper: tuple[int, ...]

    @property
    def broken(self) -> tuple[str, ...]:
        """The bounds that miss more often than 1.2 times their error."""
        return tuple(
            f"{side} {error:g}"
            for side, counts in (("lower", self.lower), ("upper", self.upper))
            for error, count in zip(ERRORS, counts, strict=True)
            if stats.binomtest(count, self.cohorts, SLACK * error, alternative="greater").pvalue <= ALARM
        )


def totals(rows: Sequence[Floats | tuple[Floats, Floats]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many of the cohorts' lower and of their upper bounds miss, at each error, from what each missed."""
    lower, upper = np.array(rows, dtype=np.float64).sum(axis=0).astype(int).tolist()
    return tuple(lower), tuple(upper)


def missed(bounds: RateBounds, truth: float) -> Floats:
    """Whether the lower and the upper bound of one cohort miss the truth (2, errors), as 0 and 1."""
    low = [bounds.low(error) > truth for error in ERRORS]
    return np.array([low, [bounds.high(error) < truth for error in ERRORS]], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A number over cohorts and what was claimed of it; ``p``: of the claim, one-sided (binomial for a share)."""

    scene: str
    claim: str
    found: float
    cohorts: int
    limit: float
    p: float


def of_share(scene: str, claim: str, flags: Flags, limit: float, beyond: Literal["less", "greater"]) -> Claim:
    """``beyond``: on which side of the limit a count breaks the claim."""
    hits = int(np.count_nonzero(flags))
    p = float(stats.binomtest(hits, flags.size, limit, alternative=beyond).pvalue)
    return Claim(scene=scene, claim=claim, found=hits / flags.size, cohorts=flags.size, limit=limit, p=p)


def line(claim: Claim) -> str:
    """The claim, marked where it does not hold."""
    word = "holds" if claim.p > ALARM else "DOES NOT HOLD"
    found_of = f"{claim.found:.3f} of {claim.cohorts} (limit {claim.limit:g}, p {claim.p:.3g})"
    return f"{claim.scene}: {claim.claim} {found_of}: {word}"


def table(claims: Sequence[Mapping[str, Any]], head: Sequence[str]) -> str:
    """The claims as rows of a page in Markdown.

    >>> row = {"scene": "hubs", "claim": "a planted one is found", "found": 0.9, "cohorts": 9, "limit": 0.8, "p": 1.0}
    >>> print(table([row], ["people", "claim", "found", "held to", "p"]))
    | people | claim | found | held to | p |
    |---|---|---|---|---|
    | hubs | a planted one is found | 0.900 of 9 | 0.8 at least | 1 |
    """
    rows = []
    for claim in claims:
        side = "least" if any(word in claim["claim"] for word in AT_LEAST) else "most"
        share = f"{claim['found']:.3f} of {claim['cohorts']}"
        limit = f"{claim['limit']:g} at {side}"
        rows.append((claim["scene"], claim["claim"], share, limit, f"{claim['p']:.2g}"))
    return markdown(head, rows)


def told(claims: Iterable[Claim], place: str, head: Sequence[str], options: argparse.Namespace) -> int:
    """Print each claim as it comes; then the JSON of ``--out`` and the table of ``--docs``; 1 where one fails."""
    rows: list[dict[str, Any]] = []
    for claim in claims:
        rows.append(asdict(claim))
        write_line(line(claim))
    write_indented(options.out, rows)
    into(options.docs, place, table(rows, head))
    return int(any(row["p"] <= ALARM for row in rows))
