"""Intervals whose threshold moves with the cohort: FNMR at an FMR, the threshold, the group picked as the highest.

``python -m frtaudit.testing.study.moving_thresholds``: cohorts of a scored set, each audited whole by the audit's own
functions with replicates drawn (FORMULAS 8.2, 8.19, 8.21). Groups are dealt at random, of equal size: all have the
rates of the set, and whichever is picked differs from the rest by chance alone.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

from frtaudit.core import Estimate, Interval, Method, ScoreTail, Target
from frtaudit.core.arrays import Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.spec import IntervalSpec, Plan, Weighting
from frtaudit.datasets.protocols.all_pairs import AllPairs
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate
from frtaudit.evaluation.picked_group import picked
from frtaudit.evaluation.system import SystemData, replicates_of
from frtaudit.pipeline.evaluate import groups_of, request_of
from frtaudit.pipeline.thresholds import points_of
from frtaudit.stats.intervals.wilson import WilsonRule, prepare, prepare_mated
from frtaudit.stats.rates.rates import rates
from frtaudit.stats.rates.resolution import unresolved
from frtaudit.stats.rates.trials import trials
from frtaudit.stats.similarity.tail import no_groups
from frtaudit.testing.checks import ALARM
from frtaudit.testing.populations import Sampled
from frtaudit.testing.study import misses
from frtaudit.testing.study.pages import into, markdown, parser_of, read_rows, write_line, write_rows
from frtaudit.testing.study.sets import scored_sets, shown
from frtaudit.testing.study.sets.one_sided import ERRORS, shares
from frtaudit.testing.study.sets.scored_sets import ScoredSet
from frtaudit.testing.study.sets.sources import LIKE_PEOPLE, ready, sources
from frtaudit.testing.study.systems import SYSTEM, cohort_of, spec_of

DESIGNS = ((60, 1e-2), (150, 1e-3), (400, 1e-4))  # people and FMR target: ten expected false matches and more
GROUPS = (2, 6, 12)
SYSTEMS = (1, 3)
NOISE = 0.05  # of each coordinate of a template, so that systems of a set are exchangeable (FORMULAS 8.16)
COHORTS, RESAMPLES = 2000, 199
ALPHA, COVERS = 0.05, 0.94
PLACE = "moving thresholds"

MissedBounds = tuple[Floats, Floats]  # of the lower and of the upper bound, 1 or 0 at each error


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving(misses.Misses):
    """One interval of one design: ``lower``, ``upper`` misses at each of ``ERRORS`` (or of the 95 % interval alone)."""

    set: str
    people: int
    target: float
    interval: str

    @property
    def key(self) -> tuple[str | int | float, ...]:
        """What interval of what design it is."""
        return self.set, self.people, self.target, self.interval

    @property
    def holds(self) -> bool:
        """Picked: covers .94 or more. Others: no one-sided miss is more frequent than 1.2 times its error."""
        if len(self.lower) == 1:
            covered = self.cohorts - self.lower[0] - self.upper[0]
            return bool(stats.binomtest(covered, self.cohorts, COVERS, alternative="less").pvalue > ALARM)
        return not self.broken


def exchangeable(of: ScoredSet, count: int) -> list[ScoredSet]:
    """Systems that see the same people with noise of their own."""
    templates = of.templates
    if templates is None:
        raise ValueError(f"{of.name}: no templates to audit")
    systems = []
    for number in range(count):
        rng = np.random.default_rng(seed_of(0, "noise", of.name, str(number)))
        vectors = templates.vectors
        scale = NOISE * float(np.linalg.norm(vectors, axis=1).mean()) / np.sqrt(vectors.shape[1])
        noise = scale * rng.standard_normal(vectors.shape, dtype=np.float32)
        sampled = Sampled(vectors=vectors + noise, subject_of=templates.subject_of)
        systems.append(scored_sets.scored(of.name, sampled))
    return systems


def design(
    systems: Sequence[ScoredSet], people: int, target: float, cohorts: int, resamples: int
) -> Iterator[Moving]:
    """Every interval of one size of cohort: of the first system, of its groups, and of the groups of all systems."""
    of = systems[0]
    truths = {weighting: [_truth(system, target, weighting) for system in systems] for weighting in Weighting}
    rng = np.random.default_rng(seed_of(0, "moving", of.name, str(people), f"{target:g}"))
    missed: dict[str, list[MissedBounds]] = {}
    for number, chosen in enumerate(shown.draw(of, people, cohorts, rng)):
        dealt = rng.permutation(people)
        codes = {str(size): dealt % size for size in GROUPS}
        evaluated = [
            _evaluated(system, np.sort(chosen), codes, target, number, resamples) for system in systems
        ]
        for name, bounds in _shown(evaluated, truths, target):
            missed.setdefault(name, []).append(bounds)
    make = partial(Moving, set=of.name, people=people, target=target)
    for name, rows in missed.items():
        lower, upper = misses.totals(rows)
        yield make(interval=name, cohorts=len(rows), lower=lower, upper=upper)


def _truth(of: ScoredSet, target: float, weighting: Weighting) -> tuple[float, float]:
    """The set's threshold at the target, and its FNMR there."""
    threshold = of.threshold(target, weighting)
    share, total = of.mated_shares(weighting)
    end = int(np.searchsorted(of.mated_score, threshold, side="right"))
    return threshold, float(share[:end].sum() / total)


def _evaluated(
    of: ScoredSet, people: Ints, codes: dict[str, Ints], target: float, number: int, resamples: int
) -> SystemData:
    """The audit's own path, without what FNMR at one FMR does not read: curves, strictest groups, FMR of groups.

    Long because a system is one constructor.
    """
    templates = of.templates
    if templates is None:
        raise ValueError(f"{of.name}: no templates to audit")
    cohort_data = cohort_of(templates.of(people), codes)
    wanted = (IntervalSpec(method=Method.WILSON, target=Target.POPULATION),)
    spec = spec_of(targets=(target,), thresholds=(), intervals=wanted, n=resamples, seed=number, folds=False)
    provider, comparisons = Cosine(name=SYSTEM), AllPairs().comparisons(cohort_data)
    groups = groups_of(cohort_data.cohort)
    tail = provider.score_tail(cohort_data, comparisons, groups, request_of(spec, ()), number).tail
    counted = trials(tail, groups)
    resolved = (unresolved(target, int(counted.non_mated[0])),)
    points = points_of((target,), (0,), tail, groups, resolved, ())
    known = points.at_target[np.isfinite(points.at_target)]
    pooled, identity = (rates(tail, groups, np.where(np.isnan(at), np.inf, at)) for at in points.at_target)
    return SystemData(
        provider=SYSTEM,
        spec=spec,
        cohort_data=cohort_data,
        comparisons=comparisons,
        table=None,
        tail=tail,
        groups=groups,
        trials=counted,
        operating_points=points,
        rates=(pooled, identity),
        replicates={Plan.SUBJECTS: replicates_of(spec, Plan.SUBJECTS, tail, groups, spec.thresholds.fmr)},
        rule=prepare_mated(tail, groups, known),
        resolved=resolved,
        warned=(None,),
        failed={},
    )


def _shown(
    systems: Sequence[SystemData], truths: dict[Weighting, list[tuple[float, float]]], target: float
) -> Iterator[tuple[str, MissedBounds]]:
    """Name and misses of every interval of one cohort; a target without a threshold shows nothing."""
    rule = prepare(systems[0].tail, no_groups(systems[0].tail), ())
    for w, weighting in enumerate(Weighting):
        if not all(np.isfinite(system.operating_points.at_target[w, 0]) for system in systems):
            continue
        threshold, fnmr = truths[weighting][0]
        whole = _fnmr(systems[0], weighting, target, 0)
        yield f"FNMR at FMR, {weighting.value}", _misses(whole.intervals[0], fnmr, picked=False)
        yield (
            f"threshold, {weighting.value}",
            threshold_misses(systems[0].tail, rule, threshold, target, weighting),
        )
        by_system = [system.rates[w] for system in systems]
        values = [(rate.fnmr if weighting is Weighting.POOLED else rate.frr)[0] for rate in by_system]
        for size in GROUPS:
            classes = [index for index, _ in systems[0].classes(str(size))]
            for count in SYSTEMS:
                searched = np.array([value[classes] for value in values[:count]])
                if not np.isfinite(searched).any():
                    continue
                system, group = divmod(int(np.nanargmax(searched)), len(classes))
                most = _fnmr(systems[system], weighting, target, classes[group])
                (interval, *_) = picked(most, int(np.isfinite(searched).sum()), ALPHA).intervals or (None,)
                if interval is not None:
                    name = f"picked of {size} groups, {count} systems, {weighting.value}"
                    yield name, _misses(interval, truths[weighting][system][1], picked=True)


def _fnmr(system: SystemData, weighting: Weighting, target: float, group_index: int) -> Estimate:
    """FNMR at the target of one group, with its interval."""
    threshold = float(system.operating_points.at_target[list(Weighting).index(weighting), 0])
    _, schema, group = system.every_group()[group_index]
    place = OperatingPoint("fnmr", weighting, group_index, threshold, 0)
    return rate_estimate(system, "study", "fnmr_at_fmr", schema, group, {"fmr": target}, place, ALPHA)


def threshold_misses(
    tail: ScoreTail, rule: WilsonRule, threshold: float, target: float, weighting: Weighting
) -> MissedBounds:
    """Whether the interval of FORMULAS 8.21 misses a threshold, at every error of ``ERRORS``, read at two scores.

    Its low end is above the threshold where FMR's lower bound exceeds the target at the last score not above it; its
    high end is below where FMR's upper bound keeps the target at the last score below it.
    """
    scores = np.unique(tail.tail_score.astype(np.float64))
    last, before = (int(np.searchsorted(scores, threshold, side=side)) - 1 for side in ("right", "left"))
    if before < 0:
        raise ValueError(f"threshold {threshold} lies below every score that was kept")
    at = scores[[last, before]]
    ready = rule.along(tail, no_groups(tail), np.unique(at))
    lower, upper = (ready.fmr(float(score), 0, ALPHA, weighting).bounds for score in at)
    low = np.array([lower.low(error) > target for error in ERRORS], dtype=np.float64)
    high = np.array([upper.high(error) <= target for error in ERRORS], dtype=np.float64)
    return low, high


def _misses(interval: Interval, truth: float, *, picked: bool) -> MissedBounds:
    """Whether each bound misses the truth: at every error of ``ERRORS``, of a picked group at its own level alone."""
    one_sided = interval.one_sided
    bounds = [interval] if picked or one_sided is None else [one_sided(error) for error in ERRORS]
    low = np.array([bound.low is not None and bound.low > truth for bound in bounds], dtype=np.float64)
    high = np.array([bound.high is not None and bound.high < truth for bound in bounds], dtype=np.float64)
    return low, high


def table(movings: Sequence[Moving]) -> str:
    """The designs in Markdown."""
    head = ("cohorts of", "people", "FMR", "interval of", "lower misses", "upper misses", "of", "")
    rows = []
    for moving in movings:
        word = "holds" if moving.holds else "**claim rejected**"
        design = (moving.set, f"{moving.people}", f"{moving.target:g}", moving.interval)
        rows.append((*design, *shares(moving.lower, moving.upper, moving.cohorts), f"{moving.cohorts}", word))
    return markdown(head, rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0; 1 where a claim does not hold."""
    parser = parser_of("moving_thresholds", __doc__)
    parser.add_argument("--part", action="append", choices=("real", "made"), help="both without")
    parser.add_argument("--set", action="append", default=[], help="letter of a real set, or a population")
    parser.add_argument("--people", type=int, action="append", default=[])
    parser.add_argument("--cohorts", type=int, default=COHORTS)
    parser.add_argument("--B", type=int, default=RESAMPLES, dest="resamples")
    parser.add_argument("--made-people", type=int, default=LIKE_PEOPLE)
    parser.add_argument("--out", type=Path, help="JSON file; other designs that it holds are kept")
    options = parser.parse_args(argv)
    parts = options.part or ("real", "made")
    ready(parser, parts)
    movings = {entry.key: entry for entry in read_rows(options.out, Moving)}
    for source in sources(parts, options.set, (), options.made_people):
        systems = exchangeable(source.drawn, max(SYSTEMS))
        for people, target in DESIGNS:
            if options.people and people not in options.people:
                continue
            begun = time.process_time()
            for moving in design(systems, people, target, options.cohorts, options.resamples):
                movings[moving.key] = moving
                write_line(table([moving]).splitlines()[-1])
            sys.stderr.write(
                f"{source.name}, {people} people: {time.process_time() - begun:.0f} s of one core\n"
            )
            if options.out:
                write_rows(options.out, map(asdict, movings.values()))
    into(options.docs, PLACE, table(list(movings.values())))
    return int(not all(entry.holds for entry in movings.values()))


if __name__ == "__main__":
    sys.exit(main())
