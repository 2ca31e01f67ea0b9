"""What an analysis gives of a model of the tail: fits, rates and thresholds beyond the data, curves of stability."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.analyses.shared.overall_ratios import points_of
from frtaudit.core import Curve, Estimate, Interval, Method
from frtaudit.core.arrays import Floats
from frtaudit.core.spec import Weighting
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.system import SystemData
from frtaudit.stats.intervals.bootstrap_intervals import mc_error, quantile
from frtaudit.stats.intervals.wilson import RuleInterval
from frtaudit.stats.rates.resolution import MIN_EXPECTED, smallest_target
from frtaudit.stats.tails.peaks import Peaks, TailModel, bounds, deciding_bound

NAME, SEEN, POOLED = "tail_model", "fmr_model_seen", Weighting.POOLED.value
DECADES = 2  # below what the data resolve: as far as the model is read
MIN_SHAPE = -0.5  # below it the largest score is no regular estimate of the end (Smith 1985)
UNASKED = f"a model decides nothing unless the spec says so: analyses.{NAME}.decides=true"
WITHIN = "the data reach this threshold: see FMR there"
NO_TAIL = "the tail holds too few different scores for the fewest exceedances asked for"
HELD = "FMR by the model at this threshold is smaller than what it is read down to, and is given as that"


def least_of(non_mated: int) -> float:
    """The smallest FMR that is read off a model of so many comparisons.

    >>> least_of(50_000)
    1e-06
    """
    return float(MIN_EXPECTED / max(non_mated, 1) / 10**DECADES)


def too_far(target: float, least: float) -> bool:
    """Whether a target lies below what is read off a model.

    >>> too_far(1e-6, 1e-6), too_far(9e-7, 1e-6)
    (False, True)
    """
    return target < least * (1 - 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEstimates:
    """A fitted model as estimates of one system.

    ``fmr``: targets, none for the default; ``decides``: whether FMR may be judged; ``least``: the smallest FMR
    that is read off the model; ``refused``: why none is.
    """

    system: SystemData
    model: TailModel
    fmr: tuple[float, ...]
    alpha: float
    decides: bool
    least: float
    refused: str | None

    @classmethod
    def of(
        cls, system: SystemData, model: TailModel, fmr: tuple[float, ...], alpha: float, *, decides: bool
    ) -> "ModelEstimates":
        """With the reason why the model is not read, where there is one."""
        refused = None if model.candidates else NO_TAIL
        if model.candidates and not model.fits:
            fit = model.candidates[-1]
            refused = f"no threshold fits: p {fit.p:.2g} at {fit.exceedances} exceedances"
        elif model.candidates and (shape := float(model.used[0].fitted.shape[0])) < MIN_SHAPE:
            refused = f"the fitted tail ends abruptly: shape {shape:.2f}; below {MIN_SHAPE:g} its bounds are not valid"
        least = least_of(int(system.trials.non_mated[0]))
        return cls(
            system=system, model=model, fmr=fmr, alpha=alpha, decides=decides, least=least, refused=refused
        )

    def fits(self) -> Iterator[Estimate]:
        """Threshold, shape and p value of each candidate."""
        for place, fit in enumerate(self.model.candidates):
            at: AtKey = {"exceedances": float(fit.exceedances)}
            used = place >= len(self.model.candidates) - self.model.fits
            note = None if used else "not used: this fit, or one above it, is rejected"
            interval = self._interval(fit.drawn.shape)
            yield self._of("tail_threshold", fit.threshold, at, note=note)
            yield self._of("tail_shape", float(fit.fitted.shape[0]), at, (interval,))
            yield self._of("tail_fit_p", fit.p, at)

    def rates(self) -> Iterator[Estimate]:
        """FMR at each threshold that these data did not choose: by the average, and by the chosen threshold."""
        for point, at in points_of(self.system):
            place = point - len(self.system.operating_points.targets)
            if place >= 0:
                yield from self._rate(self.system.operating_points.thresholds[place], at)

    def _rate(self, threshold: float, at: AtKey) -> Iterator[Estimate]:
        refused = self.refused or self.system.censoring.beyond(threshold)
        if refused is None and threshold < self.model.used[0].threshold:
            refused = WITHIN
        if refused:
            yield from (self._of(name, None, at, note=refused) for name in ("fmr_model", "fmr_model_choice"))
            return
        ruled = self.system.rule.fmr(threshold, 0, self.alpha, Weighting.POOLED)
        chosen = self.model.used[0]
        for name, value, drawn in (
            ("fmr_model", *self.model.fmr(threshold)),
            ("fmr_model_choice", chosen.fmr(threshold), chosen.drawn_fmr(threshold)),
        ):
            interval = self._of_rate(drawn, ruled if name == "fmr_model" else None, self.alpha)
            note = HELD if value < self.least else None
            yield self._of(name, max(value, self.least), at, (interval,), note)
        counts = ruled.errors, ruled.trials
        yield Estimate.share(self.system.provider, NAME, SEEN, counts, at=at, weighting=POOLED)

    def targets(self) -> Iterator[Estimate]:
        """The threshold of each FMR target beyond the data."""
        for target in self._targets():
            at: AtKey = {"fmr": target}
            refused = self.refused or self._unreadable(target)
            if refused:
                yield self._of("threshold_model", None, at, note=refused)
                continue
            value, drawn = self.model.threshold_at(target, self.system.tail.score_range[1])
            yield self._of("threshold_model", value, at, (self._interval(drawn),))

    def _targets(self) -> tuple[float, ...]:
        resolved = smallest_target(int(self.system.trials.non_mated[0]))
        if self.fmr or resolved == "none":
            return tuple(sorted(self.fmr, reverse=True))
        return tuple(float(f"{float(resolved) / 10**decade:.3g}") for decade in range(1, DECADES + 1))

    def _unreadable(self, target: float) -> str | None:
        if too_far(target, self.least):
            return (
                f"more than {DECADES} decades below what the data resolve: FMR {self.least:.3g} is the least"
            )
        if target >= min(fit.share for fit in self.model.used):
            return f"the data reach FMR {target:g}: see the threshold at FMR"
        return None

    def curves(self) -> Iterator[Curve]:
        """Shape, and FMR at the first target's threshold, over the candidates' thresholds."""
        targets = [
            target for target in self._targets() if self.refused is None and self._unreadable(target) is None
        ]
        rows = sorted(self.model.candidates, key=lambda fit: fit.threshold)
        if rows:
            yield self._curve("tail_shape", rows, lambda fit: (float(fit.fitted.shape[0]), fit.drawn.shape))
        if targets:
            at, _ = self.model.threshold_at(targets[0], self.system.tail.score_range[1])
            yield self._curve("tail_fmr", rows, lambda fit: (fit.fmr(at), fit.drawn_fmr(at)))

    def _curve(self, kind: str, rows: list[Peaks], of: Callable[[Peaks], tuple[float, Floats]]) -> Curve:
        values = [of(fit) for fit in rows]
        bands = [self._interval(drawn) for _, drawn in values]
        return replace(
            Curve.of(
                self.system.provider, kind, [fit.threshold for fit in rows], [value for value, _ in values]
            ),
            low=tuple(band.low if band.low is not None else np.nan for band in bands),
            high=tuple(band.high if band.high is not None else np.nan for band in bands),
            method=Method.TAIL_MODEL,
            target=Method.TAIL_MODEL.serves[0],
            level=1 - self.alpha,
        )

    def _interval(self, drawn: Floats) -> Interval:
        """Percentiles of the resamples."""
        ordered = np.sort(drawn)
        ends = quantile(ordered, self.alpha / 2), quantile(ordered, 1 - self.alpha / 2)
        error = float(mc_error(drawn, self.alpha))
        return Interval.of(*ends, self.alpha, Method.TAIL_MODEL, n_resamples=int(drawn.size), mc_error=error)

    def _of_rate(self, drawn: Floats, ruled: RuleInterval | None, alpha: float) -> Interval:
        """Percentiles; ``ruled``: of a rate that may be judged, which then allows for look-alikes too."""
        low, high = bounds(drawn, alpha / 2, self.least)
        decides = ruled is not None and self.decides
        error, note = float(mc_error(drawn, alpha)), None if decides or ruled is None else UNASKED
        interval = Interval.of(
            low, high, alpha, Method.TAIL_MODEL, n_resamples=int(drawn.size), mc_error=error, note=note
        )
        if ruled is None or not decides:
            return interval
        return replace(
            interval,
            one_sided=lambda error: self._deciding(drawn, ruled, error),
            people_for=lambda limit, error: ruled.bounds.people_for(limit, error, ruled.pairs),
        )

    def _deciding(self, drawn: Floats, ruled: RuleInterval, error: float) -> Interval:
        interval = self._of_rate(drawn, ruled, 2 * error)
        return replace(interval, high=deciding_bound(drawn, error, self.least, ruled.pair or 0.0))

    def _of(
        self,
        metric: str,
        value: float | None,
        at: AtKey,
        intervals: tuple[Interval, ...] = (),
        note: str | None = None,
    ) -> Estimate:
        of_rate = metric.startswith("fmr") or metric == "threshold_model"
        make = partial(Estimate.of, self.system.provider, NAME, weighting=POOLED if of_rate else None)
        return make(metric, value, at=at, intervals=intervals, note=note)
