"""One service at two dates as estimates: rates of each, their difference with its test, scores that moved."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Curve, Estimate, Interval, Method, Target, Test, TestMethod
from frtaudit.core.canonical import seed_of
from frtaudit.core.methods import MIN_ERROR_SUBJECTS
from frtaudit.core.metrics import unit_of
from frtaudit.core.spec import Plan
from frtaudit.evaluation.intervals import AtKey, empty, finite
from frtaudit.evaluation.system import SystemData, on_panel, strata_of
from frtaudit.labelling import changes
from frtaudit.labelling.changes import Compared, Drawing
from frtaudit.labelling.dates import By, Design, Meeting, Scored, scored_twice, sides
from frtaudit.stats.bootstrap import weights
from frtaudit.stats.intervals.weighted_means import weighted_means
from frtaudit.stats.systems import multiple_comparisons
from frtaudit.stats.systems.multiple_comparisons import Family

NAME = "two_dates"
AT_DATE, CHANGE = "fnmr_at_date", "fnmr_change"
SAME_SCORES, SCORE_CHANGE, LARGEST = "scores_unchanged", "score_change_mean", "score_change_largest"
IDENTICAL = "identical by construction: the same scores at both dates"
OWN_THRESHOLD, KEPT = "own", "earlier"
KINDS = {"mated": True, "non_mated": False}


@dataclass(frozen=True, slots=True)
class DatedService:
    """One service at both dates."""

    system: SystemData
    met: Meeting
    alpha: float
    dates: tuple[str, str]

    def drawing(self) -> Drawing:
        """Queries drawn as the audit draws its subjects, within the classes of the schema that it stratifies by."""
        spec, faces = self.system.spec, self.met.later.of.faces
        strata = np.full(len(faces.queries), -1, dtype=np.int64)
        stratum_of = strata_of(spec, self.system.groups)
        if stratum_of is not None:
            sample_of = self.met.later.of.sample_of
            known = np.flatnonzero(sample_of >= 0)
            strata[faces.query_of[known]] = stratum_of[self.system.cohort.subject_of[sample_of[known]]]
        at = {name: q for q, name in enumerate(faces.queries)}
        return Drawing(
            n=spec.bootstrap.B,
            seed=seed_of(spec.seed, NAME, Plan.SUBJECTS.value),
            strata=strata[[at[name] for name in self.met.queries]],
            weighting=spec.weighting,
            threads=spec.threads,
        )

    def compared(self, by: By) -> Compared:
        """Rates at both dates by one kind of labels; targets beside the declared ones only for the curves."""
        points = self.system.operating_points
        declared = [points.targets[a] for a in points.declared]
        further = points.targets if by is self.met.kinds[0] else ()
        both = sides(self.met, by, self.system.provider)
        same = self.met.design is Design.SAME_IMAGES
        return changes.compared(both, further, declared, self.drawing(), same_images=same)

    def values(self, compared: Compared, by: By) -> Iterator[Estimate]:
        """FNMR of each date at each declared FMR target."""
        for a in range(compared.declared):
            for name, rates in zip(self.dates, (compared.earlier, compared.later), strict=True):
                at: AtKey = {"fmr": compared.targets[a], "labels": by.value, "date": name}
                estimate = self._estimate(AT_DATE, at, finite(rates.fnmr[a]), compared.refused[a])
                if estimate.value is not None:
                    estimate = replace(
                        estimate,
                        numerator=int(rates.errors[a]),
                        denominator=rates.trials,
                        intervals=(changes.band(rates, a, compared.weighting, self.alpha),),
                    )
                yield estimate

    def changes(self, compared: Compared, by: By) -> Iterator[Estimate]:
        """Later minus earlier in FNMR, each date at its own threshold, with its test."""
        for a, target in enumerate(compared.targets[: compared.declared]):
            at: AtKey = {"fmr": target, "labels": by.value, "rate": "fnmr", "threshold_of": OWN_THRESHOLD}
            values = np.array([compared.later.fnmr[a], compared.earlier.fnmr[a]])
            drawn = np.stack([compared.later.drawn[:, a], compared.earlier.drawn[:, a]], axis=1)
            yield self._tested(compared, at, (values, drawn), compared.refused[a], a)

    def at_threshold(self, compared: Compared, by: By) -> Iterator[Estimate]:
        """Later minus earlier in FNMR and FMR at the threshold that met the target at the earlier date."""
        dates = (compared.later, compared.earlier)
        for a, target in enumerate(compared.targets[: compared.declared]):
            for k, rate in enumerate(("fnmr", "fmr")):
                at: AtKey = {"fmr": target, "labels": by.value, "rate": rate, "threshold_of": KEPT}
                values = np.array([rates.fixed[k, a] for rates in dates])
                drawn = np.stack([rates.drawn_fixed[k, :, a] for rates in dates], axis=1)
                few = compared.too_few_errors(a, rate) if compared.refused[a] is None else None
                yield self._tested(compared, at, (values, drawn), compared.refused[a], None, few)

    def _tested(
        self,
        compared: Compared,
        at: AtKey,
        pair: tuple[np.ndarray, np.ndarray],
        refused: str | None,
        place: int | None,
        few: str | None = None,
    ) -> Estimate:
        """A difference of two dates, or why it is not tested; ``place``: the target whose decisions are counted."""
        values, drawn = pair
        estimate = self._estimate(CHANGE, at, finite(values[0] - values[1]), refused)
        if estimate.value is None:
            return estimate
        if place is not None:
            count, total, _ = compared.decided[place]
            estimate = replace(estimate, numerator=count, denominator=total)
        if compared.identical:
            return replace(estimate, note=IDENTICAL, test=self._test(None, 0, None, IDENTICAL))
        thin = compared.too_few_errors(place) if place is not None else few
        family = None if thin else multiple_comparisons.family_of(values, drawn, [(0, 1)])
        if family is None:
            reason = thin or "the replicates are undefined or equal"
            none = empty(Method.MAX_T, self.alpha, reason, Target.POPULATION)
            return replace(estimate, intervals=(none,), test=self._test(None, 0, None, reason))
        apart = (
            np.array([compared.decided[place][0] / compared.decided[place][1]]) if place is not None else None
        )
        # Holm judges the smallest p of the declared family at this level.
        tests = len(set(self.met.services) & set(on_panel(self.system.spec, self.system.cohort_data)))
        least = self.alpha / max(tests * len(self.system.operating_points.declared), 1)
        far = float(family.detectable(least, apart, compared.subjects)[0])
        return replace(
            estimate,
            intervals=(self._interval(family),),
            test=self._test(float(family.raw_p()[0]), family.n_resamples, far if far < 1 else None, None),
        )

    def _interval(self, family: Family) -> Interval:
        low, high = (float(side[0]) for side in family.bounds(self.alpha))
        return Interval.of(low, high, self.alpha, Method.MAX_T, n_resamples=family.n_resamples)

    def _test(self, p: float | None, n_resamples: int, far: float | None, note: str | None) -> Test:
        return Test(
            p=p,
            null_median=None,
            null_edge=None,
            alpha=self.alpha,
            n_resamples=n_resamples or None,
            method=TestMethod.PAIRED_PEOPLE,
            detectable=far,
            detectable_unit=unit_of(CHANGE),
            power=multiple_comparisons.POWER,
            note=note,
        )

    def curves(self, compared: Compared, by: By) -> Iterator[Curve]:
        """FNMR over FMR at each date, with a pointwise band."""
        usable = (a for a, reason in enumerate(compared.refused) if reason is None)
        order = sorted(usable, key=lambda a: compared.targets[a])
        for name, rates in zip(self.dates, (compared.earlier, compared.later), strict=True):
            bands = [changes.band(rates, a, compared.weighting, self.alpha) for a in order]
            if not order:
                continue
            yield Curve(
                provider=self.system.provider,
                analysis=NAME,
                schema=None,
                group=name,
                weighting=compared.weighting.value,
                x=tuple(compared.targets[a] for a in order),
                y=tuple(float(rates.fnmr[a]) for a in order),
                low=tuple(float("nan") if interval.low is None else interval.low for interval in bands),
                high=tuple(float("nan") if interval.high is None else interval.high for interval in bands),
                method=Method.WILSON,
                target=Target.POPULATION,
                metric=by.value,
                level=1 - self.alpha,
            )

    def scores(self) -> Iterator[Estimate]:
        """How many scores of the same pairs of faces are the same, how far the others moved: mean and most."""
        scored, other = scored_twice(self.met, self.system.provider)
        person = self.met.later.person[self.met.kinds[0]]
        query = self.met.later.query
        known = (person[scored.first] >= 0) & (person[scored.second] >= 0)
        same = query[scored.first] == query[scored.second]
        moved = other.score - scored.score
        yield self._count("all", int(np.count_nonzero(moved == 0)), moved.size)
        yield self._estimate(LARGEST, {"pairs": "all"}, float(np.abs(moved).max(initial=0.0)), None)
        for kind, within in KINDS.items():
            keep = known & (same & (person[scored.first] == person[scored.second]) if within else ~same)
            yield self._count(kind, int(np.count_nonzero(moved[keep] == 0)), int(np.count_nonzero(keep)))
            yield self._moved(kind, moved[keep], scored.of(keep), query)

    def _count(self, kind: str, same: int, total: int) -> Estimate:
        share = same / total if total else None
        estimate = self._estimate(SAME_SCORES, {"pairs": kind}, share, "no such pair")
        return replace(estimate, numerator=same, denominator=total) if total else estimate

    def _moved(self, kind: str, moved: np.ndarray, pairs: Scored, query: np.ndarray) -> Estimate:
        """The mean change with the test that it is none, queries drawn anew."""
        mean = float(moved.mean()) if moved.size else None
        estimate = self._estimate(SCORE_CHANGE, {"pairs": kind}, mean, "no such pair")
        if mean is None or not moved.any():
            return estimate
        queries = np.unique(np.concatenate([query[pairs.first], query[pairs.second]])).size
        if queries < MIN_ERROR_SUBJECTS:
            few = f"queries with such pairs: {queries}; a test needs {MIN_ERROR_SUBJECTS}"
            none = empty(Method.MAX_T, self.alpha, few, Target.POPULATION)
            test = replace(self._test(None, 0, None, few), detectable_unit=unit_of(SCORE_CHANGE))
            return replace(estimate, intervals=(none,), test=test)
        drawing = self.drawing()
        copies = weights.draw_between(drawing.strata, seed=drawing.seed, first=0, count=drawing.n).T
        drawn = weighted_means(moved, query[pairs.first], query[pairs.second], copies)
        replicates = np.stack([drawn, np.zeros(drawn.size)], axis=1)
        family = multiple_comparisons.family_of(np.array([mean, 0.0]), replicates, [(0, 1)])
        if family is None:
            return estimate
        far = float(family.detectable(self.alpha)[0])
        tested = self._test(float(family.raw_p()[0]), family.n_resamples, far, None)
        test = replace(tested, detectable_unit=unit_of(SCORE_CHANGE))
        return replace(estimate, intervals=(self._interval(family),), test=test)

    def _estimate(self, metric: str, at: AtKey, value: float | None, note: str | None) -> Estimate:
        weighting = None if "pairs" in at else self.system.spec.weighting.value
        plain = estimate(self.system.provider, metric, at, value, note)
        return replace(plain, weighting=weighting)


def estimate(
    provider: str,
    metric: str,
    at: Mapping[str, float | str],
    value: float | None,
    note: str | None = None,
) -> Estimate:
    """An estimate of everybody without counts; without a value the note, or that it is undefined."""
    note = None if value is not None else note or "undefined"
    return Estimate.of(provider, NAME, metric, value, at=at, note=note)
