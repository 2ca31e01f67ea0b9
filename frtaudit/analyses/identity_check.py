"""Suspected duplicates: two people who may be one, images that may be another person's (FORMULAS 8.20).

The rules stand in :mod:`frtaudit.stats.labels.suspected_duplicates`. What is suspected goes to a review file for a
person to look at, and
every FMR is printed with it and without it. Nothing is left out of a rate before a person has confirmed it.

Long because a plug-in is one file: what is suspected, the rates without it, the review file out and in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np

from frtaudit.analyses.shared.nearest_matches import DIFFERENT, VERDICTS
from frtaudit.analyses.shared.overall_ratios import every_point
from frtaudit.core import Cohort, Estimate, Method, ScoreTail, Target
from frtaudit.core.arrays import Ints
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec, IntervalSpec
from frtaudit.core.spec_values import PATH
from frtaudit.core.text import formatting
from frtaudit.evaluation.intervals import AtKey, intervals_of
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import BELOW_FLOOR, WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.inputs.review import as_csv, need_review, pair_id, read_review
from frtaudit.inputs.tables import read_table
from frtaudit.stats.intervals.left_out import rule_without
from frtaudit.stats.labels import suspected_duplicates
from frtaudit.stats.labels.suspected_duplicates import Cuts, Suspects
from frtaudit.stats.rates.trials import block_sizes

NAME = "identity_check"
PEOPLE, IMAGE = "people", "image"
REVIEW = (
    *("pair", "kind", "sample", "other_sample", "subject", "other_subject"),
    *("systems", "median", "cut", "comparisons", "verdict"),
)
SUSPECTED, CONFIRMED = "fmr_without_suspected", "fmr_without_confirmed"
NOBODY = "no subject has two samples: no score shows how similar images of one subject are"
NO_PAIRS = "no two subjects were compared"
WEAK = "the system is too weak to tell"
SUBJECTS = ("subject", "other_subject")
RULE = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSuspects:
    """What one system makes suspicious: each None with the reason ``why`` nothing can be told.

    ``cuts``: quantiles of the within-person medians; ``pairs`` of ``compared`` pairs of people; ``images`` of
    ``looked_at``, those that have others of their person.
    """

    cuts: Cuts | None
    pairs: Suspects | None
    images: Suspects | None
    compared: int
    looked_at: int
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the review file of one system: names, the median and what it had to reach, its comparisons."""

    pair: str
    kind: str
    samples: tuple[str, str]
    subjects: tuple[str, str]
    median: float
    cut: float
    comparisons: int


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityCheck:
    """Suspected duplicates of people and wrong labels of images; every FMR with and without them.

    ``reviewed``: the review file with verdicts. Pairs of people that it confirms are left out of every FMR that a
    requirement judges; pairs that it calls different are suspected no more.
    """

    reviewed: str | None = field(default=None, metadata=PATH)
    nameless = True  # where nobody is named nobody has two names: nothing is told

    def check_files(self) -> None:
        """Raise :class:`DataError` for a review file that is not there, before anything is estimated."""
        need_review(self.reviewed)

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """How many pairs and images one system makes suspicious, and every FMR without those pairs."""
        if not system.cohort_data.named:
            return AnalysisOutput()
        suspects = find_suspects(system)
        lines = tuple(_lines(system, suspects))
        verdicts = () if self.reviewed is None else _read(self.reviewed, system.cohort)
        confirmed = {verdict.pair: verdict for verdict in verdicts if verdict.kind == PEOPLE and verdict.same}
        known = {verdict.pair for verdict in verdicts}
        waiting = [line for line in lines if line.kind == PEOPLE and line.pair not in known]
        cuts = suspects.cuts
        at = {} if cuts is None else {"cut": cuts.few}
        at_both = {} if cuts is None else {"cut": cuts.few, "cut_of_many": cuts.many}
        why = None if suspects.pairs is not None else suspects.why
        counted = suspects.compared, suspects.looked_at
        estimates = [
            _count(system, "suspected_duplicates", suspects.pairs, counted[0], at_both, why),
            _count(system, "suspected_images", suspects.images, counted[1], at, suspects.why),
        ]
        apart = _compared(system, [reviewed.subjects for reviewed in confirmed.values()])
        if apart.size:
            estimates += _without(system, CONFIRMED, apart, alpha)
        if waiting:
            also = _compared(system, [line.subjects for line in waiting])
            estimates += _without(system, SUSPECTED, np.concatenate([apart, also]), alpha)
        return AnalysisOutput(estimates=tuple(estimates), per_system_state=(lines, verdicts))

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  shared
        """The review file of all systems and, where one came back, who and what is one person."""
        by_system = {
            name: cast("tuple[Sequence[Line], Sequence[Reviewed]]", state) for name, state in states.items()
        }
        files = {
            f"{NAME}/review.csv": as_csv(REVIEW, _rows({name: state[0] for name, state in by_system.items()}))
        }
        if self.reviewed is not None:
            merge = [
                (reviewed.sample if reviewed.kind == IMAGE else "", *reviewed.subjects)
                for _, verdicts in list(by_system.values())[:1]
                for reviewed in verdicts
                if reviewed.same
            ]
            files[f"{NAME}/label_errors.csv"] = as_csv(("sample", "subject", "same_person_as"), merge)
        return AnalysisOutput(files=files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A verdict that came back: of two ``subjects``, or of a ``sample`` of the first and the second of them."""

    pair: str
    kind: str
    sample: str
    subjects: tuple[str, str]
    same: bool


def find_suspects(system: SystemData) -> SystemSuspects:
    """Suspects of one system, or why it is too weak, or the tail too short, to tell."""
    tail, compared = system.tail, int(system.rule.spread.pairs[0])
    medians = suspected_duplicates.own_medians(tail)
    looked_at = int(np.count_nonzero(~np.isnan(medians)))
    cuts = suspected_duplicates.cuts_of(suspected_duplicates.within_medians(tail), tail.cutoff)
    make = partial(SystemSuspects, cuts=cuts, compared=compared, looked_at=looked_at)
    why = NOBODY if cuts is None else _beyond(tail, cuts.few)
    if cuts is None or why is not None or not compared:
        return make(pairs=None, images=None, why=why or NO_PAIRS)
    pairs = suspected_duplicates.suspected_pairs(tail, cuts, system.block)
    if suspected_duplicates.too_many(pairs.first.size, compared, int(system.trials.subjects[0])):
        why = f"{WEAK}: {_share(pairs.first.size, compared)} pairs of subjects reach the cut"
        return make(pairs=None, images=None, why=why)
    images: Suspects | None = suspected_duplicates.suspected_images(
        tail, cuts.few, medians <= suspected_duplicates.far_level(tail), system.block
    )
    if images is not None and images.first.size > suspected_duplicates.MAX_IMAGES * looked_at:
        why = f"{WEAK}: {_share(images.first.size, looked_at)} images"
        images = None
    return make(pairs=pairs, images=images, why=why)


def _beyond(tail: ScoreTail, cut: float) -> str | None:
    """Why the tail does not hold every score that reaches the cut; None where it does."""
    if cut > tail.cutoff:
        return None
    total = int(tail.histogram.sum())
    tail_size = tail.tail_score.size
    weak = f"{WEAK}: more than {_share(tail_size, total)} non-mated comparisons reach the cut"
    too_short = tail_size <= suspected_duplicates.MAX_PAIRS * total
    return "the cut lies below the floor of the kept tail" if too_short else weak


def _share(some: int, total: int) -> str:
    return f"{formatting.count(some)} of {formatting.count(total)} ({formatting.rate(some / total)})"


def _count(
    system: SystemData,
    metric: str,
    suspected: Suspects | None,
    of: int,
    at: Mapping[str, float],
    why: str | None,
) -> Estimate:
    counts = (suspected.first.size, of) if suspected is not None and of > 0 else None
    value = counts and counts[0] / counts[1]
    note = None if counts else why or NO_PAIRS
    return Estimate.of(system.provider, NAME, metric, value, counts=counts, at=at, note=note)


def _without(system: SystemData, metric: str, pairs: Ints, alpha: float) -> Iterator[Estimate]:
    """Every FMR that ``error_rates`` prints, without all comparisons of these pairs (n, 2) of people."""
    places = list(_places(system))
    thresholds = {place.threshold for _, place in places}
    tail, rule = rule_without(system.tail, system.groups, pairs[:, 0], pairs[:, 1], thresholds)
    rest = replace(system, tail=tail, rule=rule, replicates={})
    for at, place in places:
        for group_index, schema, group in system.every_group():
            here = replace(place, group_index=group_index)
            low = place.threshold < system.tail.cutoff
            summary = None if low else read(rest, here)
            make = partial(Estimate.of, system.provider, NAME, metric, of=(schema, group), at=at)
            make = partial(make, weighting=place.weighting.value)
            if summary is None or not np.isfinite(summary.value):
                yield make(None, counts=(0, 0), note=BELOW_FLOOR if low else "no comparison in this group")
                continue
            intervals, counts = intervals_of(summary, RULE, alpha), (summary.errors, summary.trials)
            yield make(summary.value, counts=counts, intervals=intervals)


def _places(system: SystemData) -> Iterator[tuple[AtKey, OperatingPoint]]:
    """Where ``error_rates`` reads FMR: declared targets, then fixed thresholds, in both weightings."""
    for w, weighting in enumerate(WEIGHTINGS):
        for point, at, threshold in every_point(system, w):
            if np.isfinite(threshold) if "fmr" in at else system.censoring.beyond(threshold) is None:
                yield at, OperatingPoint("fmr", weighting, 0, threshold, point)


def _lines(system: SystemData, suspects: SystemSuspects) -> Iterator[Line]:
    """What one system puts to review: pairs of people, then images."""
    for kind, items in ((PEOPLE, suspects.pairs), (IMAGE, suspects.images)):
        if items is None or suspects.cuts is None:
            continue
        of_images = np.full(items.first.size, suspects.cuts.few)
        cuts = suspects.cuts.of(items.comparisons) if kind == PEOPLE else of_images
        for n, cut in enumerate(cuts.tolist()):
            yield _line(system, items, n, kind, cut)


def _line(system: SystemData, items: Suspects, n: int, kind: str, cut: float) -> Line:
    """The two most alike images stand for a pair of people; of an image its own name and its own person come first."""
    tail, cohort = system.tail, system.cohort
    ends = [int(side[items.best[n]]) for side in (tail.tail_i, tail.tail_j)]
    first = int(items.first[n])
    if (ends[1] == first) if kind == IMAGE else (tail.subject_of[ends[1]] == first):
        ends.reverse()
    rows = [int(tail.rows[end]) for end in ends]
    samples = cohort.sample_ids[rows[0]], cohort.sample_ids[rows[1]]
    subjects = tuple(cohort.subject_ids[int(cohort.subject_of[row])] for row in rows)
    if kind == PEOPLE and subjects[0] > subjects[1]:
        samples, subjects = samples[::-1], subjects[::-1]
    return Line(
        pair=_pair_id(kind, samples[0], subjects[0], subjects[1]),
        kind=kind,
        samples=samples,
        subjects=(subjects[0], subjects[1]),
        median=float(items.median[n]),
        cut=cut,
        comparisons=int(items.comparisons[n]),
    )


def _pair_id(kind: str, sample: str, subject: str, other: str) -> str:
    return pair_id(kind, subject, other) if kind == PEOPLE else pair_id(kind, sample, other)


def _rows(by_system: Mapping[str, Sequence[Line]]) -> list[tuple[object, ...]]:
    """One row for each pair with the systems that suspect it; most systems first, then the clearest."""
    by_pair: dict[str, list[tuple[str, Line]]] = {}
    for provider, lines in by_system.items():
        for line in lines:
            by_pair.setdefault(line.pair, []).append((provider, line))
    order = sorted(
        by_pair.values(),
        key=lambda entries: (
            -len(entries),
            -max(line.median - line.cut for _, line in entries),
            entries[0][1].pair,
        ),
    )
    return [_row(entries) for entries in order]


def _row(entries: Sequence[tuple[str, Line]]) -> tuple[object, ...]:
    first = entries[0][1]
    medians = "; ".join(f"{name}: {line.median:.6g}" for name, line in entries)
    cuts = "; ".join(f"{name}: {line.cut:.6g}" for name, line in entries)
    return (
        first.pair,
        first.kind,
        *first.samples,
        *first.subjects,
        len(entries),
        medians,
        cuts,
        first.comparisons,
        "",
    )


def _read(path: str, cohort: Cohort) -> tuple[Reviewed, ...]:
    """The verdicts of a review file; a row is refused where its names do not make its pair's id, or are unknown."""
    table = read_table(Path(path), Path(path).name)
    columns = [table.texts(table.need((name,))) for name in ("pair", "kind", "sample", *SUBJECTS)]
    people = set(cohort.subject_ids)
    rows = {
        pair: (kind, sample, subject, other)
        for pair, kind, sample, subject, other in zip(*columns, strict=True)
        if {subject, other} <= people and pair == _pair_id(kind, sample, subject, other)
    }
    review = read_review(path, rows, VERDICTS)
    return tuple(
        Reviewed(
            pair=pair, kind=row[0], sample=row[1], subjects=(row[2], row[3]), same=review[pair] != DIFFERENT
        )
        for pair, row in rows.items()
        if pair in review
    )


def _compared(system: SystemData, subjects: Sequence[tuple[str, str]]) -> Ints:
    """The pairs of people that were compared, as subjects of the cohort, (n, 2) int64."""
    place = {name: k for k, name in enumerate(system.cohort.subject_ids)}
    pairs = np.array([[place[a], place[b]] for a, b in subjects], dtype=np.int64).reshape(-1, 2)
    sizes = block_sizes(system.tail, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32))
    cells = system.tail.cells[pairs]
    together = (cells[:, 0] == cells[:, 1]) & (cells[:, 0] >= 0) | (system.tail.blocks is not None)
    return np.asarray(pairs[(sizes > 0) & together])
