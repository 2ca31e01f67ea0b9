"""A whole comparison of systems: every measure on a common support, the declared decision, what failures could hide."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from frtaudit.analyses.comparison import attempts, measures
from frtaudit.analyses.comparison.attempts import Extremes
from frtaudit.analyses.comparison.contrasts import IDENTICAL, NAME, Judged, estimates, judged
from frtaudit.analyses.comparison.measures import FNMR, OF_CLASSES, Measure
from frtaudit.analyses.comparison.rules import Rule, Settings
from frtaudit.analyses.comparison.support import CommonSupport, support_of
from frtaudit.core import Estimate, Interval, Method
from frtaudit.core.metrics import unit_of
from frtaudit.core.result import DECISION
from frtaudit.core.spec import Plan
from frtaudit.errors import DataError
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.system import WEIGHTINGS, AnalysisOutput, SystemData
from frtaudit.stats.systems import support
from frtaudit.stats.systems.multiple_comparisons import Pair, every_pair, family_of

LOWEST, HIGHEST = "vendor_difference_lowest", "vendor_difference_highest"
CHANGED, LARGEST_CHANGE = "scores_changed", "largest_score_change"


def compare(systems: Sequence[SystemData], settings: Settings, alpha: float) -> AnalysisOutput:
    """Everything that two or more systems are compared in, at level 1 - alpha."""
    common = support_of(systems)
    decisive: Judged | None = None
    all_estimates: list[Estimate] = []
    all_measures = chain(
        measures.fnmr(common),
        measures.differentials(common),
        measures.d_l2(common),
        attempts.accuracy(common),
        attempts.failures(common),
    )
    incumbent = None if settings.decision.rule is Rule.BEST_OR_TIED else settings.decision.against
    for measure in all_measures:
        declared = decisive is None and _declared(measure, common, settings)
        against = common.names.index(incumbent) if declared and incumbent is not None else None
        outcome = judged(measure, common, alpha, against=against, confirmatory=declared)
        decisive = outcome if declared else decisive
        all_estimates += estimates(outcome, settings.margins.get(measure.of))
    if decisive is not None:
        all_estimates += _decided(decisive, settings)
    all_estimates += _hidden(common, alpha)
    all_estimates += _changes(common, settings)
    return AnalysisOutput(
        estimates=tuple(all_estimates),
        failures=common.ledger,
        notes=tuple(_notes(common, settings, decisive)),
    )


def _declared(measure: Measure, common: CommonSupport, settings: Settings) -> bool:
    """Whether this is the measure of the declared decision: of everybody, or of the schema it names."""
    wanted = settings.decision
    if measure.of != wanted.metric:
        return False
    smallest = min(common.targets, default=None)
    if "fmr" in measure.at and measure.at["fmr"] != (smallest if wanted.fmr is None else wanted.fmr):
        return False
    if measure.of in OF_CLASSES:
        return wanted.schema in (None, measure.schema) and measure.at.get("rate", "fnmr") == "fnmr"
    return measure.schema is None


def _decided(outcome: Judged, settings: Settings) -> Iterator[Estimate]:
    """For each system 1 where the rule chooses it, else 0, and the sentence that says why."""
    for v, name in enumerate(outcome.names):
        chosen, reason = _verdict(outcome, settings, v)
        yield Estimate.of(
            name,
            NAME,
            DECISION,
            None if outcome.measure.refused else float(chosen),
            "1 = chosen by the declared rule",
            of=(outcome.measure.schema, outcome.measure.group),
            at={"of": outcome.measure.of, **outcome.measure.at, "rule": settings.decision.rule.value},
            weighting=outcome.measure.weighting,
            note=outcome.measure.refused or reason,
        )


def _verdict(outcome: Judged, settings: Settings, v: int) -> tuple[bool, str]:
    name = outcome.names[v]
    if settings.decision.rule is Rule.BEST_OR_TIED:
        return _best(outcome, v)
    against = settings.decision.against or ""
    if name == against:
        return False, f"{name} is the incumbent"
    pair = (v, outcome.names.index(against))
    if pair in outcome.untested or outcome.family is None:
        return False, f"{name} and {against}: {outcome.untested.get(pair, 'not testable')}"
    place = outcome.family.pairs.index(pair)
    if settings.decision.rule is Rule.BETTER_THAN:
        better = outcome.directions()[place] < 0
        return better, f"{name} is {'' if better else 'not shown to be '}better than {against}"
    margin = settings.margins[outcome.measure.of]
    p = outcome.family.equivalence_p(float(np.log(margin)) if outcome.measure.ratio else margin)[place]
    same = bool(p <= outcome.alpha)
    word = "equivalent" if same else "not shown to be equivalent"
    return same, f"{name} is {word} to {against} within {margin:g}"


def _best(outcome: Judged, v: int) -> tuple[bool, str]:
    """Best, best or tied with others, or worse than some."""
    name, sets, worse = outcome.names[v], outcome.ranks(), outcome.directions()
    tested = outcome.family.pairs if outcome.family else ()
    above = [
        outcome.names[pair[1] if pair[0] == v else pair[0]]
        for pair, side in zip(tested, worse, strict=True)
        if (pair[0] == v and side > 0) or (pair[1] == v and side < 0)
    ]
    if above:
        return False, f"{name} is not best: {_listed(above)} {'is' if len(above) == 1 else 'are'} better"
    tied = [outcome.names[u] for u, (low, _) in enumerate(sets) if low == 1 and u != v]
    return True, f"{name} is best or tied with {_listed(tied)}" if tied else f"{name} is best"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _hidden(common: CommonSupport, alpha: float) -> Iterator[Estimate]:
    """Bounds of each difference in pooled FNMR over all that failed comparisons could have been, with intervals."""
    for a, target in enumerate(common.targets):
        sides = attempts.extremes(common, a) if common.refused[a] is None else None
        if sides is None:
            continue
        halves = tuple(_halves(sides, right, alpha) for right in (0, 1))
        for pair in every_pair(len(sides)):
            names = common.names[pair[0]], common.names[pair[1]]
            both = sides[pair[0]], sides[pair[1]]
            yield from _bounds(names, both, {"fmr": target}, [half.get(pair) for half in halves], alpha)


def _halves(sides: Sequence[Extremes], first: int, alpha: float) -> dict[Pair, float]:
    """Half the simultaneous interval of each bound; none for pairs whose replicates are equal.

    ``first``: 0 where failures of the first system are right and those of the second wrong, 1 the other way round.
    """
    count = len(sides)
    values = np.array(
        [counts.errors / counts.planned for counts in sides]
        + [(counts.errors + counts.lost) / counts.planned for counts in sides]
    )
    drawn = np.concatenate([np.stack([counts.drawn[row] for counts in sides]) for row in (0, 1)]).T
    places = {(i, j): (i + first * count, j + (1 - first) * count) for i, j in every_pair(count)}
    pairs = [pair for pair, place in places.items() if family_of(values, drawn, [place])]
    family = family_of(values, drawn, [places[pair] for pair in pairs])
    if family is None:
        return {}
    return dict(zip(pairs, (family.critical(alpha) * family.error).tolist(), strict=True))


def _bounds(
    names: tuple[str, str],
    sides: tuple[Extremes, Extremes],
    at: AtKey,
    halves: Sequence[float | None],
    alpha: float,
) -> Iterator[Estimate]:
    """The first system's failures all right and the second's all wrong, and the other way round."""
    extremes, other = sides
    low = (extremes.errors - other.errors - other.lost) / extremes.planned
    high = (extremes.errors + extremes.lost - other.errors) / extremes.planned
    for metric, value, half in zip((LOWEST, HIGHEST), (low, high), halves, strict=True):
        missing = "no interval: the replicates are undefined or equal" if half is None else None
        lower, upper = (None, None) if half is None else (value - half, value + half)
        interval = Interval.of(lower, upper, alpha, Method.MAX_T, note=missing)
        yield Estimate.of(
            names[0],
            NAME,
            metric,
            value,
            at={"of": FNMR, **at, "against": names[1]},
            weighting="pooled",
            intervals=(interval,),
            note=f"{extremes.lost} and {other.lost} of {extremes.planned} mated comparisons have no score",
        )


def _changes(common: CommonSupport, settings: Settings) -> Iterator[Estimate]:
    """Two dates of one vendor: how many scores of the same inputs changed, and by how much at most."""
    for systems in settings.services.values():
        for old, new in pairwise(systems):
            system, other = (common.systems[common.names.index(name)] for name in (old, new))
            first, second = (support.mated_by_pair(supported.tail)[1] for supported in (system, other))
            moved = np.abs(second - first)
            count, same = int(np.count_nonzero(moved)), system.digest == other.digest
            note = f"{IDENTICAL}: the scores of both have the digest {system.digest}" if same else None
            counts = count, int(moved.size)
            estimate = Estimate.share(new, NAME, CHANGED, counts, at={"against": old}, note=note)
            largest = float(moved.max(initial=0.0))
            yield estimate
            yield replace(
                estimate,
                metric=LARGEST_CHANGE,
                value=largest,
                numerator=None,
                denominator=None,
                unit=unit_of(LARGEST_CHANGE),
            )


def _reproduced(common: CommonSupport) -> Iterator[str]:
    """Replicates that a finished run left are found again, or its tables are not those of its result."""
    agreed: list[str] = []
    bare: list[str] = []
    for system_on_support in common.systems:
        system = system_on_support.system
        stored = system.cohort_data.stored_systems.get(system.provider)
        drawn = system.replicates.get(Plan.SUBJECTS)
        if stored is None or drawn is None or stored.seed != system.spec.seed:
            continue
        number = 0
        for a in system.operating_points.declared:
            for w, weighting in enumerate(WEIGHTINGS):
                left = stored.replicates.get((system.operating_points.targets[a], weighting.value))
                if left is None:
                    continue
                again, number = drawn.fnmr[w, :, a, 0], number + 1
                size = min(left.size, again.size)
                if left.size != stored.resamples or not np.allclose(
                    left[:size], again[:size], rtol=1e-9, equal_nan=True
                ):
                    raise DataError(
                        system.provider,
                        "its tables do not give the replicates of its run",
                        "an unchanged run",
                    )
        (agreed if number else bare).append(system.provider)
    if bare:
        yield f"no bootstrap replicates of the runs to compare with these scores: {', '.join(bare)}"
    if agreed:
        yield f"the stored bootstrap replicates of the runs were reproduced from their scores: {', '.join(agreed)}"


def _origins(common: CommonSupport) -> Iterator[str]:
    """Who signed the runs that systems were read from."""
    stored = common.first_system.cohort_data.stored_systems
    sources = [
        f"{name} ({f'signed, its statement names {run.signer}' if run.signer else 'an unsigned run'})"
        for name in common.names
        if (run := stored.get(name)) is not None
    ]
    if sources:
        yield f"read from finished runs: {'; '.join(sources)}"


def _notes(common: CommonSupport, settings: Settings, decisive: Judged | None) -> Iterator[str]:
    """The declared rule first, then the common support."""
    decision = settings.decision
    against = f" {decision.against}" if decision.against else ""
    rule = f"declared rule: {decision.rule.value.replace('_', ' ')}{against} in {decision.metric}"
    yield rule if decisive else f"{rule}; no measure that was compared is its metric"
    shared = common.trials
    yield (
        f"systems are compared on {int(shared.mated[0])} mated and {int(shared.non_mated[0])} non-mated comparisons "
        "that all of them scored; each system's threshold is set on these, and again in every replicate"
    )
    if common.first_system.pair_sets:
        yield "accuracy holds the thresholds of its folds fixed in every replicate"
    weighting = common.first_system.spec.weighting.value
    yield from _origins(common)
    yield from _reproduced(common)
    yield f"differences are computed in the primary weighting ({weighting}), bounds for failures in the pooled one"
