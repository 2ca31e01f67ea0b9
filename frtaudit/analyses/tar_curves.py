"""TAR and threshold of each class as curves with intervals, class minus overall, and what a threshold means for others.

Thesis (Pena-Alcantara), "True Accept Rates" and "Difference in Medians": threshold as a function of TAR, and TAR as a
function of the threshold. Two bands: the thesis's, of scores treated as independent, and one for the population.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from frtaudit.core import Curve, Estimate, Interval, Method, Target
from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import seed_of
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.registry import register
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.evaluation.class_scores import ClassScores, check_shares, class_scores, shares_of
from frtaudit.evaluation.intervals import MIN_EFFECTIVE, empty, finite
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats._scipy import scipy
from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import SCALE, to_scale
from frtaudit.stats.intervals import wilson
from frtaudit.stats.intervals.dependence import degrees_of_freedom, effective_number

NAME = "tar_curves"
MIN_CLASSES = 2
MIN_SUBJECTS = 2
GAP = (
    f"no band where fewer than {MIN_ERRORS} scores, or scores of fewer than {MIN_ERROR_SUBJECTS} subjects, "
    "lie on one side of the threshold"
)
Band = tuple[Floats, Floats]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class TarCurves:
    """Curves of TAR by class in both orientations, class minus overall, and the table of consequences.

    ``points``: of each curve; ``tar``: the TAR that the table of consequences gives one class; ``alpha``, ``B``: of the
    thesis's band (its t has B degrees of freedom); ``shares``: schema to class to its share in overall (default: all
    classes alike).
    """

    points: int = 101
    tar: float = 0.8
    alpha: float = 0.10
    B: int = 9999
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    metrics = ("tar_at_tar",)

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for numbers that no curve has."""
        for key in ("tar", "alpha"):
            if not 0 < getattr(self, key) < 1:
                text = f"found {getattr(self, key):g}"
                raise SpecError(f"analyses.{NAME}.{key}", text, "a number between 0 and 1, both excluded")
        for key in ("points", "B"):
            if getattr(self, key) < 2:
                raise SpecError(f"analyses.{NAME}.{key}", f"found {getattr(self, key)}", "2 or more")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """All schemas with two classes or more that have mated comparisons of two subjects or more."""
        check_shares(self.shares, system, f"analyses.{NAME}.shares")
        estimates: list[Estimate] = []
        curves: list[Curve] = []
        notes: list[str] = []
        for schema in system.groups.schemas:
            by_class, _ = class_scores(system, schema)
            if len(by_class.names) < MIN_CLASSES:
                continue
            few, number = by_class.fewest()
            if number < MIN_SUBJECTS:
                notes.append(
                    f"{system.provider}: {schema} {few} has {number} subject(s) with mated comparisons: no TAR curves"
                )
                continue
            drawing = _Drawing.of(self, system, by_class, alpha)
            curves += drawing.curves()
            estimates += drawing.consequences()
        return AnalysisOutput(estimates=tuple(estimates), curves=tuple(curves), notes=tuple(notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """One schema of one system, with the replicates that its bands are read from."""

    spec: TarCurves
    system: SystemData
    held: ClassScores
    alpha: float
    classes: Classes
    shares: Floats
    at: Floats  # thresholds, in score units, as are those of the replicates
    tar: Floats  # TAR values
    rule: wilson.WilsonRule
    tar_excess: Floats  # (B, C, T)
    threshold_excess: Floats  # (B, C, V)
    others: Floats  # (B, A, B)
    effective_subjects: Floats  # (C,), by weight

    @classmethod
    def of(cls, spec: TarCurves, system: SystemData, by_class: ClassScores, alpha: float) -> "_Drawing":
        """Draw the replicates: subjects within classes, as many as the audit's B."""
        classes = Classes.of(by_class.scores, by_class.subjects)
        shares = shares_of(spec.shares, by_class, f"analyses.{NAME}.shares")
        at = np.linspace(*by_class.score_range, spec.points)
        tar = np.linspace(0.0, 1.0, spec.points + 2)[1:-1]
        rng = np.random.default_rng(seed_of(system.spec.seed, NAME, by_class.schema))
        parts: tuple[list[Floats], list[Floats], list[Floats]] = ([], [], [])
        tar_of, once = class_curves.tar_at(classes, at), class_curves.once(classes.sizes)
        rates = tar_of(once)
        quantile = class_curves.quantiles(classes, 1 - np.append(tar, spec.tar), once)[0]
        effective_subjects = np.array([effective_number(np.bincount(who)) for who in classes.subjects])
        apart = class_curves.drawn_apart(effective_subjects)[:, None]
        for weights in class_curves.drawn(classes, system.spec.bootstrap.B, rng):
            parts[0].append(class_curves.from_overall(rates + apart * (tar_of(weights) - rates), shares))
            moved = class_curves.quantiles(classes, 1 - tar, weights) - quantile[:, :-1]
            parts[1].append(class_curves.from_overall(quantile[:, :-1] + apart * moved, shares))
            parts[2].append(class_curves.tar_of_others(classes, spec.tar, weights))
        wanted = np.concatenate([at, quantile.ravel()])
        return cls(
            spec=spec,
            system=system,
            held=by_class,
            alpha=alpha,
            classes=classes,
            shares=shares,
            at=at,
            tar=tar,
            rule=wilson.prepare_mated(system.tail, system.groups, wanted),
            tar_excess=np.concatenate(parts[0]),
            threshold_excess=np.concatenate(parts[1]),
            others=np.concatenate(parts[2]),
            effective_subjects=effective_subjects,
        )

    def curves(self) -> Iterator[Curve]:
        """Both orientations with both bands, then class minus overall."""
        once = class_curves.once(self.classes.sizes)
        tar = class_curves.tar_at(self.classes, self.at)(once)[0]
        threshold = class_curves.quantiles(self.classes, 1 - self.tar, once)[0]
        counts = np.array([scores.size for scores in self.classes.scores], dtype=np.float64)
        critical = float(-scipy.special.stdtrit(self.spec.B, self.spec.alpha / 2))
        spread, excess = class_curves.spread_iid(tar, counts, self.shares)
        apart = class_curves.quantile_spread_iid(self.classes, 1 - self.tar, self.shares) * self._unit
        x, y, u = self._scaled(self.at), self._scaled(threshold), 1 - self.tar
        for c, name in enumerate(self.held.names):
            low, high = self._fnmr_band(c, self.at)
            yield self._curve("tar_at_threshold", name, x, tar[c], (1 - high, 1 - low))
            half = critical * spread[c]
            yield self._iid("tar_at_threshold", name, x, tar[c], (tar[c] - half, tar[c] + half))
            # the same bands read sideways (Woodruff 1952): quantiles at the bounds of FNMR at the threshold
            low, high = self._fnmr_band(c, threshold[c])
            yield self._curve("threshold_at_tar", name, self.tar, y[c], self._sideways(c, low, high))
            half = critical * np.sqrt(u * (1 - u) / counts[c])
            yield self._iid("threshold_at_tar", name, self.tar, y[c], self._sideways(c, u - half, u + half))
        yield self._plain("tar_at_threshold", x, self.shares @ tar)
        yield self._plain("threshold_at_tar", self.tar, self.shares @ y)
        more, above = (class_curves.from_overall(curves, self.shares) for curves in (tar, y))
        for c, name in enumerate(self.held.names):
            band = self._percentiles(c, self.tar_excess[:, c], more[c], self.at)
            yield self._excess("tar_excess", name, x, more[c], band)
            half = critical * excess[c]
            yield self._iid("tar_excess", name, x, more[c], (more[c] - half, more[c] + half))
            drawn = self.threshold_excess[:, c] * self._unit
            band = self._percentiles(c, drawn, above[c], threshold[c])
            yield self._excess("threshold_excess", name, self.tar, above[c], band)
            half = critical * apart[c]
            yield self._iid("threshold_excess", name, self.tar, above[c], (above[c] - half, above[c] + half))

    def _scaled(self, scores: Floats) -> Floats:
        return to_scale(scores, self.held.score_range)

    @property
    def _unit(self) -> float:
        """Points of 0..100 in one unit of the score."""
        low, high = self.held.score_range
        return SCALE / (high - low)

    def _fnmr(self, c: int, threshold: float) -> wilson.RuleInterval:
        """The rule of FORMULAS 8.1 for the FNMR of class ``c`` at a prepared threshold."""
        return self.rule.fnmr(threshold, self.held.group_indices[c], self.alpha, Weighting.POOLED)

    def _fnmr_band(self, c: int, thresholds: Floats) -> Band:
        ruled = [self._fnmr(c, float(t)) for t in thresholds]
        low = np.array([0.0 if interval.low is None else interval.low for interval in ruled])
        return low, np.array([1.0 if interval.high is None else interval.high for interval in ruled])

    def _sideways(self, c: int, low: Floats, high: Floats) -> Band:
        """Q at both ends, on 0..100; beyond the scores seen, the ends of the range."""
        scores = self._scaled(self.classes.scores[c])
        place = (np.ceil(np.clip(end, 0, 1) * scores.size - 1e-9).astype(np.int64) for end in (low, high))
        below, above = (scores[np.clip(rank, 1, scores.size) - 1] for rank in place)
        return np.where(low <= 0, 0.0, below), np.where(high >= 1, SCALE, above)

    def _percentiles(self, c: int, replicates: Floats, point: Floats, thresholds: Floats) -> Band:
        """Percentiles of the replicates, as far from the point as t is beyond z; t takes the least K of the classes.

        NaN where too little lies on one side (FORMULAS 8.3), or where a class has fewer than 20 subjects by weight.
        """
        fewest = float(self.effective_subjects.min())
        if fewest < MIN_EFFECTIVE:
            return np.full(point.size, np.nan), np.full(point.size, np.nan)
        stretch = class_curves.t_over_z(degrees_of_freedom(fewest), self.alpha)
        ends = np.quantile(replicates - point, [self.alpha / 2, 1 - self.alpha / 2], axis=0)
        low, high = point + stretch * ends
        scores, who = self.classes.scores[c], self.classes.subjects[c]
        accepted = class_curves.hits(scores, who, self.classes.sizes[c], thresholds)
        missed = np.bincount(who, minlength=self.classes.sizes[c])[:, None] - accepted
        thin = np.zeros(thresholds.size, dtype=np.bool_)
        for side in (accepted, missed):
            thin |= (side.sum(axis=0) < MIN_ERRORS) | ((side > 0).sum(axis=0) < MIN_ERROR_SUBJECTS)
        return np.where(thin, np.nan, low), np.where(thin, np.nan, high)

    def _curve(self, kind: str, group: str, x: Floats, y: Floats, band: Band) -> Curve:
        return self._made(kind, group, x, y, band, Method.WILSON, Target.POPULATION, 1 - self.alpha)

    def _excess(self, kind: str, group: str, x: Floats, y: Floats, band: Band) -> Curve:
        few = int(self.effective_subjects.argmin())
        number, gaps = float(self.effective_subjects[few]), bool(np.isnan(band[0]).any())
        thin = (
            f"no band: by weight {self.held.schema} {self.held.names[few]} has {number:.3g} subjects; "
            f"a bootstrap of subjects needs {MIN_EFFECTIVE}"
        )
        notes = (thin,) if number < MIN_EFFECTIVE else (GAP,) if gaps else ()
        return self._made(kind, group, x, y, band, Method.VERTEX, Target.POPULATION, 1 - self.alpha, notes)

    def _iid(self, kind: str, group: str, x: Floats, y: Floats, band: Band) -> Curve:
        """The thesis's band; NaN where it has no width: none or all of the scores lie above."""
        level, flat = 1 - self.spec.alpha, band[0] >= band[1]
        low, high = (np.where(flat, np.nan, end) for end in band)
        return self._made(kind, group, x, y, (low, high), Method.T_BOOTSTRAP, Target.COMPARISONS_IID, level)

    def _plain(self, kind: str, x: Floats, y: Floats, group: str = "all") -> Curve:
        """Overall, or of a group, without a band."""
        return Curve.of(self.system.provider, kind, x, y, (self.held.schema, group))

    def _made(
        self,
        kind: str,
        group: str,
        x: Floats,
        y: Floats,
        band: Band,
        method: Method,
        target: Target,
        level: float,
        notes: tuple[str, ...] = (),
    ) -> Curve:
        return replace(
            self._plain(kind, x, y, group),
            low=tuple(band[0].tolist()),
            high=tuple(band[1].tolist()),
            method=method,
            target=target,
            level=level,
            notes=notes,
        )

    def consequences(self) -> Iterator[Estimate]:
        """At the threshold that gives class A its TAR, the TAR of every class."""
        once = class_curves.once(self.classes.sizes)
        thresholds = class_curves.quantiles(self.classes, np.array([1 - self.spec.tar]), once)[0][:, 0]
        for a, first in enumerate(self.held.names):
            at: dict[str, float | str] = {
                "class": first,
                "tar": self.spec.tar,
                "threshold": float(thresholds[a]),
            }
            for b, second in enumerate(self.held.names):
                scores = self.classes.scores[b]
                accepted = int(np.count_nonzero(scores > thresholds[a]))
                intervals = () if a == b else self._intervals(a, b, float(thresholds[a]), accepted)
                yield Estimate.of(
                    self.system.provider,
                    NAME,
                    "tar_at_tar",
                    accepted / scores.size,
                    of=(self.held.schema, second),
                    counts=(accepted, scores.size),
                    at=at,
                    intervals=intervals,
                    note="by construction: the threshold is this class's" if a == b else None,
                )

    def _intervals(self, a: int, b: int, threshold: float, accepted: int) -> tuple[Interval, ...]:
        trials = self.classes.scores[b].size
        rate = accepted / trials
        half = float(-scipy.special.stdtrit(self.spec.B, self.spec.alpha / 2)) * float(
            np.sqrt(rate * (1 - rate) / trials)
        )
        iid = Interval.of(rate - half, rate + half, self.spec.alpha, Method.T_BOOTSTRAP)
        if half == 0:
            iid = empty(
                Method.T_BOOTSTRAP, self.spec.alpha, "no spread: none or all are accepted", iid.target
            )
        return self._population(a, b, threshold, accepted), iid

    def _population(self, a: int, b: int, threshold: float, accepted: int) -> Interval:
        """Wilson on the effective number that the replicates give, the threshold found anew in each (FORMULAS 8.2).

        With few errors that number counts where it is smaller than by 8.1: the threshold moves for every class.
        """
        ruled = self._fnmr(b, threshold)
        rate, variance = accepted / ruled.trials, float(self.others[:, a, b].var(ddof=1))
        thin = (
            min(accepted, ruled.trials - accepted) < MIN_ERRORS
            or ruled.subjects_with_errors < MIN_ERROR_SUBJECTS
        )
        if thin or variance <= 0:
            fnmr = ruled.bounds.moving(1 - self.others[:, a, b])
        else:
            degrees = min(self.classes.sizes[a], self.classes.sizes[b]) - 1
            fnmr = wilson.bounds_from_variance(1 - rate, variance, ruled.trials, degrees, ruled.image)
        interval = fnmr.interval(self.alpha)
        return Interval.of(
            1 - interval.high,
            1 - interval.low,
            self.alpha,
            Method.WILSON,
            n_resamples=len(self.others),
            n_eff=finite(interval.n_eff),
        )
