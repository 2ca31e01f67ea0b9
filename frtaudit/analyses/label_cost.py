"""What estimated labels cost: how wrong and missing labels move the reported rates, and intervals that know of it.

The truth is drawn (:mod:`frtaudit.labelling.cost`): rates on the labels stand beside rates on each possible truth.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from frtaudit.canonical import seed_of
from frtaudit.core import Estimate, Interval, Material, Method, Target
from frtaudit.core.spec import AuditSpec, FailureScore, Weighting
from frtaudit.errors import SpecError
from frtaudit.inference import SHARE, Place, Reading, from_variance, read
from frtaudit.labelling import cost
from frtaudit.labelling.cost import Doubts, Drawn, Likely, Truths
from frtaudit.registry import register
from frtaudit.stats import dependence, intervals, wilson
from frtaudit.trial import POOLED, Outcome, Trial

NAME = "label_cost"
LEAST_TRUTHS = 100
EVERY = "every system"
DIFFERENCE, FACES = "difference of shares of comparisons", "faces"
MODEL = (
    "label_cost draws the truth: faces that show the person searched for and faces that do not form two heaps by how "
    "alike they are to the person's other faces in all services' eyes, and where the heaps overlap either is possible; "
    "what is in doubt in one query is decided together; queries are drawn with replacement and the heaps fitted anew "
    "each time; scores and their modes stay as they are"
)
BLIND = (
    "label_cost cannot see what no service sees: an own face that all take for a stranger, a relative that all take "
    "for the person; for each own face in a thousand of the first kind FNMR is about 0.2 percentage points higher than "
    "said"
)
FLAT = "the rate is 0 in every draw, so its spread is that of the rule for few errors"

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """What is drawn once for all systems: who is who, possible truths, labels in doubt; or the obstacle."""

    found: Likely | None = None
    drawn: Truths | None = None
    doubts: Doubts | None = None
    obstacle: str | None = None


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCost:
    """Reported less true rates, as far as the services' scores tell, and the true rates with intervals.

    ``truths``: how many are drawn.
    """

    truths: int = 200

    metrics = ("fnmr_true_labels", "fmr_true_labels", "label_cost", "label_cost_sd", "labels_in_doubt")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for too few truths."""
        if self.truths < LEAST_TRUTHS:
            raise SpecError(f"analyses.{NAME}.truths", f"found {self.truths}", f"{LEAST_TRUTHS} or more")

    def survey(self, spec: AuditSpec, material: Material) -> object:
        """Possible truths of this cohort's queries: a :class:`Surveyed`, in ``trial.surveys`` under its name."""
        labelling = material.labelling
        if labelling is None:
            return Surveyed(obstacle="the cohort's labels are not estimated")
        obstacle = cost.obstacle(labelling)
        if obstacle is not None:
            return Surveyed(obstacle=obstacle)
        try:
            found = cost.likely(labelling)
        except ValueError as error:
            return Surveyed(obstacle=str(error))
        rng = np.random.default_rng(seed_of(spec.seed, NAME))
        drawn = cost.truths(labelling.faces, found, self.truths, rng)
        return Surveyed(found=found, drawn=drawn, doubts=cost.doubts(labelling, drawn))

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """FNMR at each declared FMR target, and FMR at its threshold, on the truth, with what the labels cost."""
        surveyed, labelling = _surveyed(trial.surveys), trial.material.labelling
        if surveyed.found is None or surveyed.drawn is None or labelling is None:
            return Outcome(kept=surveyed)
        service = next((one for one in labelling.services if one.name == trial.provider), None)
        if service is None:
            return Outcome(notes=(f"{trial.provider}: {NAME} needs its scores of the faces left out",))
        floor = None if trial.spec.failures is FailureScore.APART else -np.inf
        seen = cost.views(labelling, service, surveyed.found, surveyed.drawn, floor)
        points = _points(trial)
        targets = np.array([trial.points.targets[a] for a, _ in points])
        thresholds = np.array([threshold for _, threshold in points])
        drawn = {
            "fnmr": cost.fnmr_at(labelling, seen, surveyed.drawn, targets),
            "fmr": cost.fmr_at(labelling, seen, surveyed.drawn, thresholds),
        }
        made = [
            item
            for place, (a, threshold) in enumerate(points)
            for rate, rates in drawn.items()
            for item in _told(trial, rate, rates, place, (a, threshold), alpha)
        ]
        return Outcome(estimates=tuple(made), kept=surveyed)

    def across(self, kept: Mapping[str, object], spec: AuditSpec, alpha: float) -> Outcome:  # noqa: ARG002  the same
        """What holds for all systems: how many labels are in doubt, what is assumed, or why nothing was drawn."""
        surveyed = cast("Surveyed", next(iter(kept.values())))
        if surveyed.doubts is None:
            return Outcome(notes=(f"{NAME} was not made: {surveyed.obstacle}",))
        return Outcome(estimates=tuple(_doubts(surveyed.doubts)), notes=(MODEL, BLIND))


def _surveyed(surveys: Mapping[str, object]) -> Surveyed:
    return next(item for item in surveys.values() if isinstance(item, Surveyed))


def _points(trial: Trial) -> list[tuple[int, float]]:
    """Declared FMR targets that have a threshold: position and threshold, pooled."""
    found = [(a, float(trial.points.at_target[POOLED, a])) for a in trial.points.declared]
    return [(a, threshold) for a, threshold in found if np.isfinite(threshold) and trial.resolved[a] is None]


def _told(
    trial: Trial, rate: str, rates: Drawn, place: int, point: tuple[int, float], alpha: float
) -> Iterator[Estimate]:
    """The rate on true labels with its interval, the cost in all and by kind, and how far draws spread."""
    a, threshold = point
    target: dict[str, float | str] = {"fmr": trial.points.targets[a]}
    true = rates.true[:, place]
    if not np.isfinite(true).all():
        note = "not to be had: in some truths no comparison is left"
        yield _estimate(trial.provider, f"{rate}_true_labels", target, None, SHARE, note)
        return
    reading = read(trial, Place(rate=rate, weighting=Weighting.POOLED, tag=0, threshold=threshold, point=a))
    made = _estimate(trial.provider, f"{rate}_true_labels", target, float(true.mean()), SHARE)
    own = on_truth(reading, true, rates.anew[:, place], alpha, moving=rate == "fnmr")
    yield replace(made, intervals=() if own is None else (own,))
    for of, differences in rates.cost.items():
        at = {**target, "rate": rate, "of": of}
        yield _estimate(trial.provider, "label_cost", at, float(differences[:, place].mean()), DIFFERENCE)
    spread = float(true.std(ddof=1))
    yield _estimate(trial.provider, "label_cost_sd", {**target, "rate": rate}, spread, DIFFERENCE)


def on_truth(reading: Reading, true: Floats, anew: Floats, alpha: float, *, moving: bool) -> Interval | None:
    """Wilson's interval around the mean over truths (FORMULAS 8.1, 8.2, the truth drawn).

    FNMR at an FMR target: the variance of draws of queries and truth together, threshold drawn anew, which holds
    both sampling and doubt (law of total variance), and not below that of the rule 8.1 at few errors. FMR at a
    threshold: that of 8.1, whose block noise draws of subjects would triple, and the variance over truths. To either
    the Monte Carlo error of the mean is added.
    """
    ruled = reading.rule(alpha) if reading.rule is not None else None
    if ruled is None or ruled.n_eff is None or not reading.trials:
        return None
    rate, n_eff = float(true.mean()), ruled.n_eff
    sampling = rate * (1 - rate) / n_eff
    known = anew[np.isfinite(anew)]
    if moving:
        spread = float(known.var(ddof=1))
        variance = max(spread, sampling) if reading.thin else spread
        error = intervals.variance_error(known)
    else:
        variance, error = sampling + float(true.var(ddof=1)), intervals.variance_error(true)
    variance += float(true.var(ddof=1)) / true.size
    degrees = dependence.degrees_of_freedom(reading.effective or reading.erring)
    if not (0 < rate < 1 and variance > 0):
        return _flat(rate, n_eff, degrees, alpha)
    return _around(rate, (variance, variance + error), reading.trials, degrees, true.size, alpha)


def _around(
    rate: float, variance: tuple[float, float], trials: int, degrees: float, draws: int, alpha: float
) -> Interval:
    def score(spread: float, level: float) -> wilson.Score:
        return wilson.wilson_from_variance(rate, spread, trials, level, degrees)

    return replace(
        from_variance(score, variance, draws, alpha),
        method=Method.LABELS,
        one_sided=lambda error: _around(rate, variance, trials, degrees, draws, 2 * error),
    )


def _flat(rate: float, n_eff: float, degrees: float, alpha: float) -> Interval:
    score = wilson.wilson_score(rate, n_eff, float(student.ppf(1 - alpha / 2, degrees)))
    return Interval(
        low=score.low,
        high=score.high,
        level=1 - alpha,
        method=Method.LABELS,
        target=Target.POPULATION,
        n_eff=n_eff,
        note=FLAT,
        one_sided=lambda error: _flat(rate, n_eff, degrees, 2 * error),
    )


def _doubts(doubts: Doubts) -> Iterator[Estimate]:
    for kind, count in asdict(doubts).items():
        yield _estimate(EVERY, "labels_in_doubt", {"of": kind}, count, FACES)


def _estimate(
    provider: str,
    metric: str,
    at: Mapping[str, float | str],
    value: float | None,
    unit: str,
    note: str | None = None,
) -> Estimate:
    return Estimate(
        provider=provider,
        analysis=NAME,
        metric=metric,
        schema=None,
        group="all",
        weighting=Weighting.POOLED.value if unit == SHARE else None,
        at=at,
        value=value,
        numerator=None,
        denominator=None,
        unit=unit,
        note=note,
    )
