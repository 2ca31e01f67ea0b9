"""A number over cohorts, and what was claimed of it: tested, printed, and written as JSON and as a table of a page."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import scipy

from frtaudit.core.arrays import Flags
from frtaudit.testing.checks import ALARM
from frtaudit.testing.study.pages import into, markdown, write_indented, write_line

AT_LEAST = (
    "covers",
    "planted",
)  # words of the claims that are held to a limit or more, the others to at most it


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
    p = float(scipy.stats.binomtest(hits, flags.size, limit, alternative=beyond).pvalue)
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
        found = f"{claim['found']:.3f} of {claim['cohorts']}"
        held = f"{claim['limit']:g} at {side}"
        rows.append((claim["scene"], claim["claim"], found, held, f"{claim['p']:.2g}"))
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
