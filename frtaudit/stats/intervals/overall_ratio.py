"""The ratio of a group's error rate to the overall rate, the group included, and its bounds.

Overall x errors on weight w, of them x_g on w_g in the group (comparisons, or subjects and pairs of
subjects, each weighted equally). With r = x/w, r_g = x_g/w_g the ratio is

    r_g/r = s/f,   s = x_g/x: the group's share of the errors,   f = w_g/w: its share of the weight.

So it is a proportion on a number of errors, at most 1/f, and its bounds are those of FORMULAS 8.1 on an effective
number of errors: as with two independent Poisson counts, of which one given the sum is binomial. Group and whole share
their subjects; with n_gk, e_gk the comparisons and errors of subject k within the group, n_k, e_k those of all,

    d_k = (e_gk - r_g n_gk - s (e_k - r n_k))/x,   V = K/(K-1) sum_k d_k^2,   n_eff = min(x, s(1-s)/V),

K the subjects of the group, or of the rest, whichever are fewer; Student's t has K - 1 degrees of freedom. Of FNMR, a
subject with most comparisons of the group or of the rest has d_k over 1 - its share, and K is then counted by weight
(:func:`~frtaudit.stats.intervals.dependence.hub_factor`). What both rates have in common, as a threshold chosen anew,
cancels to first order. FMR within classes over FMR of all is such a ratio too: a part of the comparisons, in which all
subjects stand.
"""

from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.spec import Weighting
from frtaudit.stats.intervals import borrowing
from frtaudit.stats.intervals.dependence import (
    ALONE,
    Residuals,
    degrees_of_freedom,
    effective_number,
    hub_factor,
    is_hub,
)
from frtaudit.stats.intervals.rate_bounds import RateBounds
from frtaudit.stats.intervals.wilson import RuleInterval, WilsonRule

EVERYBODY = 0  # position of the group of all


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallRatio:
    """A group's share of the errors with what its bounds are made of, and its share of the weight.

    ``bounds``: of ``share`` on the effective number of errors; ``errors``, ``of``: pooled counts, in the group and
    overall.
    """

    share: float
    weight: float
    errors: int
    of: int
    bounds: RateBounds

    @property
    def value(self) -> float:
        """The ratio of the rates."""
        return self.share / self.weight

    def moving(self, ratios: Floats) -> "OverallRatio":
        """The same on the variance of ``ratios`` of replicates (B,), where that is larger: the threshold moved too."""
        return replace(self, bounds=self.bounds.moving(ratios * self.weight))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sums:
    """Errors and weight of each subject (K,), of a group or of all; ``total``, ``whole``: of everything."""

    errors: Floats
    weight: Floats
    total: float
    whole: float


def ratio_to_overall(
    rule: WilsonRule, rate: str, threshold: float, group_index: int, weighting: Weighting
) -> OverallRatio | None:
    """The ratio of ``rate`` ("fmr" or "fnmr") in a group to that of everybody, at a prepared threshold.

    None where the group has no comparison, or nobody an error.

    >>> from frtaudit.core.scores import Groups
    >>> from frtaudit.stats.intervals.wilson import prepare_mated
    >>> from frtaudit.stats.similarity.tail import from_matrix
    >>> tail = from_matrix([[1, 0.9, 0, 0], [0.9, 1, 0, 0], [0, 0, 1, 0.3], [0, 0, 0.3, 1]], ["a", "a", "b", "b"])
    >>> sex = Groups(schemas=("sex",), names=(("sex", "f"), ("sex", "m")), of=np.int32([[0, 1]]), ranked=(True, True))
    >>> ratio_to_overall(prepare_mated(tail, sex, [0.5]), "fnmr", 0.5, 2, Weighting.POOLED).value
    2.0
    """
    group, everybody = (_read(rule, rate, threshold, index, weighting) for index in (group_index, EVERYBODY))
    people, of_all = group.residuals.subjects, everybody.residuals.subjects
    rest = everybody.residuals.subjects_with_errors - group.residuals.subjects_with_errors
    fewest = float(min(people, of_all - people or people))
    if rate != "fnmr":
        return _ratio(group, everybody, fewest, rest)
    grown, by_weight = _hubs(group.sums, everybody.sums)
    return _ratio(group, everybody, min(fewest, by_weight), rest, grown)


def ratio_within_classes(
    within: WilsonRule, rule: WilsonRule, threshold: float, weighting: Weighting
) -> OverallRatio | None:
    """The ratio of FMR among subjects of one class to that among all, at a threshold prepared in both rules.

    ``within``: the rule on the comparisons within classes (:func:`~frtaudit.stats.groups.same_class.within_classes`),
    which is a part of those of ``rule``; all subjects stand in both. None where there is no such comparison, or no
    false match at all.
    """
    part, whole = (_read(prepared, "fmr", threshold, EVERYBODY, weighting) for prepared in (within, rule))
    return _ratio(part, whole, float(part.residuals.subjects), whole.residuals.subjects_with_errors)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A rate of a part of the comparisons: its sums, its rule's interval, its residuals."""

    sums: _Sums
    ruled: RuleInterval
    residuals: Residuals


def _read(rule: WilsonRule, rate: str, threshold: float, group_index: int, weighting: Weighting) -> _Part:
    mated = rate == "fnmr"
    find, residuals = (rule.fnmr, rule.fnmr_residuals) if mated else (rule.fmr, rule.fmr_residuals)
    return _Part(
        sums=(_mated if mated else _non_mated)(rule, threshold, group_index, weighting),
        ruled=find(threshold, group_index, 0.05, weighting),
        residuals=residuals(threshold, group_index, weighting),
    )


def _hubs(group: _Sums, overall: _Sums) -> tuple[Floats, float]:
    """What each subject's d_k is multiplied by (K,), and the fewest subjects by weight of a part with a hub."""
    grown, fewest = np.ones(overall.weight.size), np.inf
    for weight in (group.weight, overall.weight - group.weight):
        part = weight > 0
        share = weight[part] / weight.sum() if part.any() else weight[part]
        grown[part] = hub_factor(share, ALONE)
        if is_hub(share, ALONE).any():
            fewest = min(fewest, effective_number(weight))
    return grown, float(fewest)


def _ratio(
    part: _Part, whole: _Part, people: float, rest_with_errors: int, grown: Floats | float = 1.0
) -> OverallRatio | None:
    """Of a part to the whole; ``people``: subjects whose number bounds what is known, of the part or of the rest."""
    if not (part.sums.whole and whole.sums.total):
        return None
    share, weight = part.sums.total / whole.sums.total, part.sums.whole / whole.sums.whole
    variance = _variance(part.sums, whole.sums, share, people, grown)
    independent, errors = share * (1 - share), whole.ruled.errors
    by_variance = independent / variance if variance > 0 and independent > 0 else float(errors)
    n_eff = min(by_variance, errors / _few(share, part, whole, rest_with_errors))
    bounds = RateBounds(
        rate=min(share, 1.0), n_eff=n_eff if people > 1 else 0.0, degrees=degrees_of_freedom(people)
    )
    return OverallRatio(share=share, weight=weight, errors=part.ruled.errors, of=errors, bounds=bounds)


def _variance(
    group: _Sums, overall: _Sums, share: float, people: float, grown: Floats | float = 1.0
) -> float:
    """Of the share, by subjects; ``grown``: what the residual of each is multiplied by."""
    group_rate, whole = group.total / group.whole, overall.total / overall.whole
    residual = group.errors - group_rate * group.weight - share * (overall.errors - whole * overall.weight)
    correction = people / (people - 1) if people > 1 else 1.0
    return correction * float(np.square(residual * grown).sum()) / overall.total**2


def _few(share: float, part: _Part, whole: _Part, rest_with_errors: int) -> float:
    """Design effect of the errors: 1, or by the rule of FORMULAS 8.1 where the part or the rest has few errors."""
    within, among = part.residuals, whole.residuals
    others = replace(
        among,
        errors=among.errors - within.errors,
        trials=among.trials - within.trials,
        subjects_with_errors=rest_with_errors,
    )
    if borrowing.few(within) or borrowing.few(others):
        return (1 - share) * part.ruled.deff + share * whole.ruled.deff
    return 1.0


def _mated(rule: WilsonRule, threshold: float, group_index: int, weighting: Weighting) -> _Sums:
    row = int(np.searchsorted(rule.mated.thresholds, threshold))
    pairs = rule.mated.subject_pairs.astype(np.float64)
    part = rule.spread.member[group_index] & (pairs > 0)
    errors = np.where(part, rule.mated.subject_errors[row], 0).astype(np.float64)
    weight = np.where(part, pairs, 0.0)
    if weighting is Weighting.IDENTITY:
        errors, weight = (
            np.divide(errors, pairs, out=np.zeros(part.size), where=part),
            part.astype(np.float64),
        )
    return _Sums(errors=errors, weight=weight, total=float(errors.sum()), whole=float(weight.sum()))


def _non_mated(rule: WilsonRule, threshold: float, group_index: int, weighting: Weighting) -> _Sums:
    row = int(np.searchsorted(rule.non_mated.thresholds, threshold))
    scope, part = int(rule.spread.scope_of[group_index]), rule.spread.member[group_index]
    identity = weighting is Weighting.IDENTITY
    by_subject = rule.non_mated.subject_far if identity else rule.non_mated.subject_errors
    weight = rule.spread.partners if identity else rule.spread.comparisons
    sums = rule.non_mated.far_sum if identity else rule.non_mated.errors
    whole = rule.spread.pairs if identity else rule.spread.trials
    return _Sums(
        errors=np.where(part, by_subject[row, scope], 0).astype(np.float64),
        weight=np.where(part, weight[scope], 0).astype(np.float64),
        total=float(sums[row, group_index]),
        whole=float(whole[group_index]),
    )
