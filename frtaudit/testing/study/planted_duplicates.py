"""Planted duplicates: people of a real set split into two labels each, and how many of them FORMULAS 8.20 finds.

``python -m frtaudit.testing.study.planted_duplicates``: among the people of ten images or more, 20 are split at random
into halves of five images at least; then all people of the set as it is.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.scores import ScoreTail
from frtaudit.stats.labels.suspected_duplicates import Suspects, cuts_of, suspected_pairs, within_medians
from frtaudit.testing.populations import Sampled
from frtaudit.testing.study.pages import into, markdown, parser_of, write_line
from frtaudit.testing.study.sets import superpopulation
from frtaudit.testing.study.sets.scored_sets import tail_of
from frtaudit.testing.study.sets.sources import SYSTEMS, ready, real_data
from frtaudit.testing.study.sets.superpopulation import RealSet

WEAK = "F"  # the letter of the set that a bad matcher made on purpose
DRAWS, PLANTED, IMAGES = 10, 20, 10
MIN_FOUND, MAX_OTHERS = 16, 2  # the bar: planted pairs found, and other pairs flagged
PLACE = "planted duplicates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """Of one system: planted pairs ``found`` and ``others`` in each draw, and pairs of all people of the set.

    ``by_one_cut``: planted pairs that the cut of FORMULAS 8.20 finds where it stands for all pairs, in the same draws.
    """

    system: str
    found: tuple[int, ...]
    others: tuple[int, ...]
    by_one_cut: tuple[int, ...]
    of_all: int

    @property
    def holds(self) -> bool:
        """At least 16 of the 20 in every draw, and at most two others."""
        return min(self.found) >= MIN_FOUND and max(self.others) <= MAX_OTHERS


def suspects(tail: ScoreTail, *, one_cut: bool = False) -> Suspects:
    """The pairs that are flagged; ``one_cut``: by the 25 % quantile, however many comparisons they have."""
    cuts = cuts_of(within_medians(tail), tail.cutoff)
    if cuts is None or cuts.few <= tail.cutoff:
        raise ValueError("nobody has two samples, or the cut lies below the cut-off of the tail")
    return suspected_pairs(tail, replace(cuts, many=cuts.few) if one_cut else cuts, None)


def split(of: RealSet, images: int, planted: int, rng: np.random.Generator) -> tuple[Sampled, Ints]:
    """People of so many images, ``planted`` of them under a second label; whose each label is, (K,)."""
    people = np.flatnonzero(of.tail.n_samples >= images)
    inside = np.isin(of.tail.subject_of, people)
    subject = np.searchsorted(people, of.tail.subject_of[inside])
    chosen = rng.choice(people.size, planted, replace=False)
    for label, person in enumerate(chosen, people.size):
        permutation = rng.permutation(np.flatnonzero(subject == person))
        subject[permutation[: permutation.size // 2]] = label
    order = np.argsort(subject, kind="stable")
    whose = np.concatenate([np.arange(people.size), chosen])
    return Sampled(vectors=of.templates.vectors[inside][order], subject_of=subject[order]), whose


def drawn(of: RealSet, images: int, planted: int, rng: np.random.Generator) -> tuple[int, int, int]:
    """How many planted pairs are flagged in one draw, how many others, and how many planted ones by one cut."""
    sampled, whose = split(of, images, planted, rng)
    tail = tail_of(sampled)
    flagged, by_one_cut = suspects(tail), suspects(tail, one_cut=True)
    hit, once = (
        int(np.count_nonzero(whose[pairs.first] == whose[pairs.second])) for pairs in (flagged, by_one_cut)
    )
    return hit, flagged.first.size - hit, once


def flagged(folder: Path, system: str, draws: int, images: int = IMAGES) -> Flagged:
    """The draws of one system, and its whole set."""
    of = superpopulation.real_set(folder, system)
    rng = np.random.default_rng(seed_of(0, "planted duplicates", system))
    planted, others, by_one_cut = zip(*(drawn(of, images, PLANTED, rng) for _ in range(draws)), strict=True)
    of_all = suspects(of.tail).first.size
    return Flagged(system=system, found=planted, others=others, by_one_cut=by_one_cut, of_all=of_all)


def table(rows: Sequence[Flagged]) -> str:
    """The systems in Markdown."""
    counted = ("planted pairs found in each draw", "most others in a draw", "flagged among all people")
    cells = []
    for row in rows:
        word = "holds" if row.holds else "**claim rejected**"
        text, once = (" ".join(map(str, sorted(counts))) for counts in (row.found, row.by_one_cut))
        cells.append((row.system, text, f"{max(row.others)}", f"{row.of_all}", word, once))
    return markdown(("system", *counted, "", "found by one cut of 25 %"), cells)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where the bar is not reached."""
    parser = parser_of("planted_duplicates", __doc__)
    parser.add_argument(
        "--set", action="append", default=[], help="letter of a system; all good ones without"
    )
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--images", type=int, default=IMAGES, help="of each person at least")
    options = parser.parse_args(argv)
    ready(parser, ("real",))
    names = [
        name
        for letter, name in SYSTEMS.items()
        if letter in options.set or (not options.set and letter != WEAK)
    ]
    rows = []
    for name in names:
        rows.append(flagged(real_data(), name, options.draws, options.images))
        write_line(table(rows[-1:]).splitlines()[-1])
    into(options.docs, PLACE, table(rows))
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
