"""What estimated labels cost: how wrong and missing labels move the reported rates, and intervals that know of it.

The truth is drawn at two ends (:mod:`frtaudit.labelling.cost`): faces that may be bad images of a person, or strangers
who look like the person, are strangers at the one, and own faces at the other, as far as that can be. Rates on the
labels stand beside rates on each possible truth, and an interval covers both ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import cast

import numpy as np

from frtaudit.analyses.shared.overall_ratios import chosen_here, every_point
from frtaudit.core import CohortData, Estimate, Interval, Method
from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.labelling import Labelling, Service
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec, FailureScore, Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import RateSummary, from_bounds, from_variance
from frtaudit.evaluation.operating_points import OperatingPoint, read
from frtaudit.evaluation.system import POOLED, AnalysisOutput, SystemData
from frtaudit.labelling import cost
from frtaudit.labelling.cost import Drawn, End, LabelUncertainty, Likely, Truths
from frtaudit.stats.intervals import bootstrap_intervals, dependence, wilson
from frtaudit.stats.intervals.rate_bounds import RateBounds

NAME = "label_cost"
MIN_TRUTHS = 100
KINDS = ("all", "left_out", "wrong")
DIFFERENCE, FACES = "difference of shares of comparisons", "faces"
MODEL = (
    "label_cost draws the truth: faces of the person searched for and other faces form two clusters by their "
    "similarity to the person's other faces, over all services; faces between the clusters are strangers at one end of "
    "the interval, and at the other end faces of the person, which from the boundary of the clusters down to the mean "
    "of strangers are as frequent as all faces are at the boundary; an interval contains both ends; queries are drawn "
    "with replacement and the clusters fitted again each time; scores and their modes are not changed"
)
BLIND = (
    "label_cost cannot detect own faces that every service scores like an average stranger, or relatives as similar "
    "as the person; for each own face in a thousand of the first kind, FNMR is about 0.2 percentage points higher "
    "than stated"
)
NOTHING = "not estimated: in some simulated truths no comparison is left"
OF_QUERIES = "of the queries with labels: the group of the others is not known"
FLAT = "the rate is 0 in every draw, so its spread is that of the rule for few errors"


Ends = Mapping[End, Drawn]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """What is drawn once for all systems: identities, possible truths, uncertain labels; or the obstacle."""

    found: Likely | None = None
    drawn: Mapping[End, Truths] = field(default_factory=dict)
    label_uncertainty: Mapping[End, LabelUncertainty] = field(default_factory=dict)
    obstacle: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A target or a fixed threshold: how an estimate names it, its place among the system's points, its threshold."""

    at: Mapping[str, float | str]
    place: int
    threshold: float
    target: float | None = None


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCost:
    """Reported minus true rates, estimated from the services' scores, and the true rates with intervals.

    ``truths``: how many are drawn.
    """

    truths: int = 200

    metrics = ("fnmr_true_labels", "fmr_true_labels", "label_cost", "label_cost_end", "labels_in_doubt")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for too few truths."""
        if self.truths < MIN_TRUTHS:
            raise SpecError(f"analyses.{NAME}.truths", f"found {self.truths}", f"{MIN_TRUTHS} or more")

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> object:
        """Possible truths of this cohort's queries: a :class:`Surveyed`, in ``system.surveys`` under its name."""
        labelling = cohort_data.labelling
        if labelling is None:
            return Surveyed(obstacle="the cohort's labels are not estimated")
        obstacle = cost.obstacle(labelling)
        if obstacle is not None:
            return Surveyed(obstacle=obstacle)
        try:
            likely = cost.likely(labelling)
        except ValueError as error:
            return Surveyed(obstacle=str(error))
        rng = np.random.default_rng(seed_of(spec.seed, NAME))
        drawn = cost.truths(labelling.faces, likely, self.truths, rng)
        label_uncertainty = {end: cost.label_uncertainty(labelling, truths) for end, truths in drawn.items()}
        return Surveyed(found=likely, drawn=drawn, label_uncertainty=label_uncertainty)

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """FNMR and FMR at each declared point, of everybody and by group, on the truth, and what the labels cost."""
        surveyed = next(survey for survey in system.surveys.values() if isinstance(survey, Surveyed))
        labelling = system.cohort_data.labelling
        if surveyed.found is None or labelling is None:
            return AnalysisOutput(per_system_state=surveyed)
        service = labelling.by_name.get(system.provider)
        if service is None:
            return AnalysisOutput(
                notes=(f"{system.provider}: {NAME} needs its scores of the faces left out",)
            )
        points = _points(system)
        if not points:
            note = f"{system.provider}: {NAME} found no threshold to read"
            return AnalysisOutput(notes=(note,), per_system_state=surveyed)
        drawns = {
            end: _read(system, labelling, service, surveyed.found, drawn, points)
            for end, drawn in surveyed.drawn.items()
        }
        estimates = [
            estimate
            for group in system.every_group()
            for rate in cost.Rate
            for drawn in [{end: by_group[group[0], rate] for end, by_group in drawns.items()}]
            for place, point in enumerate(points)
            for estimate in _told(system, group, rate, drawn, place, point, alpha)
        ]
        return AnalysisOutput(estimates=tuple(estimates), per_system_state=surveyed)

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  the same
        """What holds for all systems: how many labels are uncertain, what is assumed, or why nothing was drawn."""
        surveyed = cast("Surveyed", next(iter(states.values())))
        if surveyed.obstacle is not None:
            return AnalysisOutput(notes=(f"{NAME} was not made: {surveyed.obstacle}",))
        estimates = tuple(
            Estimate.of(EVERY_SYSTEM, NAME, "labels_in_doubt", count, at={"of": kind, "end": str(end)})
            for end, uncertainty in surveyed.label_uncertainty.items()
            for kind, count in asdict(uncertainty).items()
        )
        return AnalysisOutput(estimates=estimates, notes=(MODEL, BLIND))


def _points(system: SystemData) -> list[Point]:
    """Declared FMR targets that have a threshold, pooled, then fixed thresholds that can be read."""
    targets = system.operating_points.targets
    points = []
    for place, at, threshold in every_point(system, POOLED):
        if place >= len(targets):
            if system.censoring.beyond(threshold) is None and not chosen_here(at):
                points.append(Point(at=at, place=place, threshold=threshold))
        elif np.isfinite(threshold) and system.resolved[place] is None:
            points.append(Point(at=at, place=place, threshold=threshold, target=targets[place]))
    return points


def _read(
    system: SystemData,
    labelling: Labelling,
    service: Service,
    likely: Likely,
    drawn: Truths,
    points: Sequence[Point],
) -> dict[tuple[int, cost.Rate], Drawn]:
    """Rates at every point under the truths of one end, by group; a target's threshold is that of everybody."""
    floor = None if system.spec.failures is FailureScore.APART else -np.inf
    everybody = cost.views(labelling, service, likely, drawn, floor)
    fixed = Drawn.fixed(np.array([point.threshold for point in points]), len(drawn.own))
    targets = np.array([point.target for point in points if point.target is not None])
    moving = cost.cuts_at(labelling, everybody, drawn, targets)
    cuts = {cost.Rate.FNMR: _joined(moving, fixed), cost.Rate.FMR: fixed}
    by_group = {}
    for group_index, schema, _ in system.every_group():
        of = None if schema is None else _queries(system, labelling, group_index)
        seen = everybody if of is None else cost.views(labelling, service, likely, drawn, floor, of)
        for rate, at in cuts.items():
            by_group[group_index, rate] = cost.rates_at(labelling, seen, drawn, rate, at)
    return by_group


def _joined(moving: Drawn, fixed: Drawn) -> Drawn:
    """The thresholds of targets, then those of the rest."""
    n = moving.reported.size
    return Drawn(*(np.hstack([at, rest[..., n:]]) for at, rest in zip(moving, fixed, strict=True)))


def _queries(system: SystemData, labelling: Labelling, group_index: int) -> Flags:
    """The queries whose persons are of a group, shape (Q,)."""
    schema = system.groups.schemas.index(system.groups.names[group_index - 1][0])
    enrolled = np.flatnonzero(labelling.sample_of >= 0)
    subject = system.cohort_data.cohort.subject_of[labelling.sample_of[enrolled]]
    in_group = system.groups.of[schema, subject] == group_index - 1
    values = np.zeros(len(labelling.faces.queries), dtype=np.bool_)
    values[labelling.faces.query_of[enrolled[in_group]]] = True
    return values


def _told(
    system: SystemData,
    of_group: tuple[int, str | None, str],
    rate: cost.Rate,
    rates: Ends,
    place: int,
    point: Point,
    alpha: float,
) -> Iterator[Estimate]:
    """The rate on true labels with its interval; of everybody the cost in all and by kind, and how far draws spread."""
    group_index, schema, group = of_group
    make = partial(Estimate.of, system.provider, NAME)
    note = None if schema is None else OF_QUERIES
    name = f"{rate}_true_labels"
    ends = [drawn.true[:, place] for drawn in rates.values()]
    if not all(np.isfinite(true).all() for true in ends):
        yield make(name, None, of=(schema, group), at=point.at, weighting="pooled", note=NOTHING)
        return
    estimate = make(name, _mean(ends), of=(schema, group), at=point.at, weighting="pooled", note=note)
    summary = read(system, OperatingPoint(rate, Weighting.POOLED, group_index, point.threshold, point.place))
    moving = rate is cost.Rate.FNMR
    intervals = [
        on_truth(summary, drawn.true[:, place], drawn.anew[:, place], alpha, moving=moving)
        for drawn in rates.values()
    ]
    interval = spanning([bounds for bounds in intervals if bounds is not None])
    yield replace(estimate, intervals=() if interval is None else (interval,))
    if schema is not None:
        return
    for kind in KINDS:
        at = {**point.at, "rate": str(rate), "of": kind}
        costs = [drawn.cost[kind][:, place] for drawn in rates.values()]
        yield make("label_cost", _mean(costs), at=at)
    for end, true in zip(rates, ends, strict=True):
        at = {**point.at, "rate": str(rate), "of": str(end)}
        yield make("label_cost_end", float(true.mean()), at=at, weighting="pooled")


def _mean(ends: Sequence[Floats]) -> float:
    """Of both ends alike."""
    return float(np.mean([end.mean() for end in ends]))


def spanning(ends: Sequence[Interval]) -> Interval | None:
    """From the lowest of the ends' bounds to the highest: it holds wherever the truth lies between the ends."""
    if not ends:
        return None
    lows = [interval.low for interval in ends if interval.low is not None]
    highs = [interval.high for interval in ends if interval.high is not None]
    errors = [interval.mc_error for interval in ends if interval.mc_error is not None]
    sizes = [interval.n_eff for interval in ends if interval.n_eff is not None]
    sided = [interval.one_sided for interval in ends]

    def bound(error: float) -> Interval:
        interval = spanning([one_sided(error) for one_sided in sided if one_sided is not None])
        return ends[0] if interval is None else interval

    return replace(
        ends[0],
        low=min(lows),
        high=max(highs),
        mc_error=max(errors, default=None),
        n_eff=min(sizes, default=None),
        one_sided=bound,
        p_value=None,
        people_for=None,
    )


def on_truth(
    summary: RateSummary, true: Floats, anew: Floats, alpha: float, *, moving: bool
) -> Interval | None:
    """Wilson's interval around the mean over truths (FORMULAS 8.1, 8.2, the truth drawn).

    FNMR at an FMR target: the variance of draws of queries and truth together, threshold drawn anew, which holds
    both sampling and doubt (law of total variance), and not below that of the rule 8.1 at few errors. FMR at a
    threshold: that of 8.1, whose block noise draws of subjects would triple, and the variance over truths. To either
    the Monte Carlo error of the mean is added. The upper bound allows for what the cohort does not hold (8.18).
    """
    ruled = summary.rule(alpha) if summary.rule is not None else None
    if ruled is None or ruled.n_eff is None or not summary.trials:
        return None
    rate, n_eff = float(true.mean()), ruled.n_eff
    sampling = rate * (1 - rate) / n_eff
    known = anew[np.isfinite(anew)]
    if moving:
        spread = float(known.var(ddof=1))
        variance = max(spread, sampling) if summary.too_few_errors else spread
        error = bootstrap_intervals.variance_error(known)
    else:
        variance, error = sampling + float(true.var(ddof=1)), bootstrap_intervals.variance_error(true)
    variance += float(true.var(ddof=1)) / true.size
    degrees = dependence.degrees_of_freedom(summary.effective_subjects or summary.subjects_with_errors)
    flat = RateBounds(rate=rate, n_eff=n_eff, degrees=degrees)
    known_bounds = flat if summary.bounds is None else summary.bounds()
    if 0 < rate < 1 and variance > 0:
        bounds, wider = (
            wilson.bounds_from_variance(rate, spread, summary.trials, degrees).allowing(known_bounds)
            for spread in (variance, variance + error)
        )
        return _of_labels(from_variance(bounds, wider, true.size, alpha))
    return _of_labels(from_bounds(flat.allowing(known_bounds), alpha, FLAT))


def _of_labels(interval: Interval) -> Interval:
    """The same at any level, under the name of the method that covers the uncertainty of labels."""
    sided = interval.one_sided
    again = None if sided is None else (lambda error: _of_labels(sided(error)))
    return replace(interval, method=Method.LABELS, one_sided=again)
