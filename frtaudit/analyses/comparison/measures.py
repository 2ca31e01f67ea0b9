"""What systems with a common support are compared by: one number each, its replicates, how many decisions differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from frtaudit.analyses.comparison.support import CommonSupport, SystemOnSupport
from frtaudit.core import metrics
from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.methods import MIN_ERROR_SUBJECTS, MIN_ERRORS
from frtaudit.core.metrics import POINTS, SHARE
from frtaudit.core.spec import Weighting
from frtaudit.core.text.formatting import counted
from frtaudit.evaluation.intervals import MIN_EFFECTIVE, AtKey
from frtaudit.evaluation.system import WEIGHTINGS
from frtaudit.stats.groups.differentials import RateIndex, rate_index
from frtaudit.stats.interclass import class_curves
from frtaudit.stats.interclass.class_curves import Classes
from frtaudit.stats.interclass.d_l2 import to_scale
from frtaudit.stats.intervals.dependence import effective_number
from frtaudit.stats.systems import support
from frtaudit.stats.systems.multiple_comparisons import Pair, every_pair, noise_lift

FNMR, GAP, RATIO, D_L2, ACCURACY, FTA = "fnmr_at_fmr", "gap", "max_min", "d_l2", "accuracy", "fta"
METRICS = (FNMR, GAP, RATIO, D_L2, ACCURACY, FTA)
OF_CLASSES = frozenset({GAP, RATIO, D_L2})  # nothing without a schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number of V systems.

    ``of``: its metric; ``values`` (V,), ``drawn`` (B, V) float64, logarithms where ``ratio``; ``decided``: pair to the
    discordant decisions and to all decisions, of ``subjects``; ``untested``: pair to the reason why it is not tested;
    ``refused``: why there is no number at all; ``lift`` (V,): of a largest of several classes how far noise may have
    lifted it.
    """

    of: str
    values: Floats
    drawn: Floats
    unit: str
    schema: str | None = None
    group: str = "all"
    weighting: str | None = None
    at: AtKey = field(default_factory=dict)
    ratio: bool = False
    decided: Mapping[Pair, tuple[int, int]] = field(default_factory=dict)
    untested: Mapping[Pair, str] = field(default_factory=dict)
    refused: str | None = None
    subjects: int = 1
    lift: Floats | None = None

    @property
    def of_shares(self) -> bool:
        """Whether its values are shares, or differences of shares: numbers from 0 to 1."""
        return not self.ratio and self.of != D_L2

    @property
    def better(self) -> int:
        """1 where a larger number is better, else -1."""
        return 1 if metrics.METRICS[self.of].higher_is_better else -1


def fnmr(common: CommonSupport) -> Iterator[Measure]:
    """FNMR at every declared target, of everybody and of every class, in the primary weighting."""
    system = common.first_system
    weighting = system.spec.weighting
    w = WEIGHTINGS.index(weighting)
    mated = [support.mated_by_pair(supported.tail) for supported in common.systems]
    for a, target in enumerate(common.targets):
        wrong = [
            score <= supported.thresholds[w, a]
            for supported, (_, score, _) in zip(common.systems, mated, strict=True)
        ]
        for group_index, schema, group in system.every_group():
            inside = _inside(common, mated[0][2], group_index)
            weighing = mated[0][2][inside] if weighting is Weighting.POOLED else None
            decided, thin = discordant(wrong, mated[0][2], inside, weighing)
            yield Measure(
                of=FNMR,
                values=np.array([supported.fnmr[w, a, group_index] for supported in common.systems]),
                drawn=np.stack(
                    [supported.drawn_fnmr[w, :, a, group_index] for supported in common.systems], axis=1
                ),
                unit=SHARE,
                schema=schema,
                group=group,
                weighting=weighting.value,
                at={"fmr": target},
                decided=decided,
                untested=thin,
                refused=common.refused[a] or (None if inside.any() else "no mated comparison in this group"),
                subjects=int(np.unique(mated[0][2][inside]).size),
            )


def differentials(common: CommonSupport) -> Iterator[Measure]:
    """The gap and the ratio between the largest and the smallest rate of a class, by schema, target and rate."""
    system = common.first_system
    weighting = system.spec.weighting
    w = WEIGHTINGS.index(weighting)
    for schema in system.groups.schemas:
        group_indices = [group_index for group_index, _ in system.classes(schema)]
        for a, target in enumerate(common.targets) if len(group_indices) > 1 else ():
            for rate in ("fnmr", "fmr"):
                reasons = [
                    _thin(supported, common, group_indices, w, a, rate) for supported in common.systems
                ]
                thin = {
                    (i, j): reason
                    for i, j in every_pair(len(reasons))
                    if (reason := reasons[i] or reasons[j]) is not None
                }
                values = np.stack(
                    [getattr(supported, rate)[w, a, group_indices] for supported in common.systems]
                )
                drawn = np.stack(
                    [
                        getattr(supported, f"drawn_{rate}")[w, :, a][:, group_indices]
                        for supported in common.systems
                    ],
                    axis=1,
                )
                for of, index in ((GAP, _gap), (RATIO, _log_ratio)):
                    yield Measure(
                        of=of,
                        values=index(values),
                        drawn=index(drawn),
                        lift=_lift(of, values, drawn),
                        unit=SHARE if of == GAP else "ratio",
                        schema=schema,
                        weighting=weighting.value,
                        at={"fmr": target, "rate": rate},
                        ratio=of == RATIO,
                        untested=thin,
                        refused=common.refused[a],
                    )


def d_l2(common: CommonSupport) -> Iterator[Measure]:
    """The largest distance of a class from the mean of the classes, quantile space (thesis)."""
    system = common.first_system
    mated = [support.mated_by_pair(supported.tail) for supported in common.systems]
    who = mated[0][2]
    copies = common.copies()
    for schema in system.groups.schemas:
        inside = [_inside(common, who, group_index) for group_index, _ in system.classes(schema)]
        inside = [flags for flags in inside if flags.any()]
        fewest = min((np.unique(who[flags]).size for flags in inside), default=0)
        refused = (
            None if len(inside) > 1 and fewest > 1 else "needs two classes of two subjects with mated scores"
        )
        values, drawn = np.full(len(mated), np.nan), np.full((len(copies), len(mated)), np.nan)
        errors = np.full_like(drawn, np.nan)
        for v, system_on_support in enumerate(common.systems) if refused is None else ():
            scale = to_scale(mated[v][1], system_on_support.tail.score_range)
            classes = Classes.of([scale[flags] for flags in inside], [who[flags] for flags in inside])
            weights = tuple(copies[:, np.unique(who[flags])] for flags in inside)
            curves = _from_mean(classes, class_curves.once(classes.sizes))
            values[v] = class_curves.largest(curves)[0]
            for start in range(0, len(copies), class_curves.BATCH):
                part = slice(start, start + class_curves.BATCH)
                resampled = _from_mean(classes, tuple(weight[part] for weight in weights))
                drawn[part, v] = class_curves.largest(resampled)
                errors[part, v] = class_curves.largest(resampled - curves)
        yield Measure(
            of=D_L2, values=values, drawn=drawn, unit=POINTS, schema=schema, group="max", refused=refused,
            lift=noise_lift(values, _mean_norm(errors)),
        )  # fmt: skip


def discordant(
    wrong: list[Flags], who: Ints, inside: Flags, weighing: Ints | None = None
) -> tuple[dict[Pair, tuple[int, int]], dict[Pair, str]]:
    """Discordant decisions of each pair of systems, and the pairs with too few of them for a test.

    ``wrong``: V arrays (P,); ``who`` (P,): subject of each thing; ``inside`` (P,): those that count; ``weighing``:
    subject of each thing by which subjects weigh unequally, none where all weigh the same. Resampling subjects says
    nothing of a difference that fewer than 10 things or 10 subjects make (FORMULAS 8.3), nor where a few subjects
    weigh most (:func:`no_test_by_weight`).

    >>> discordant([np.array([True]), np.array([False])], np.array([0]), np.array([True]))[0]
    {(0, 1): (1, 1)}
    """
    decided: dict[Pair, tuple[int, int]] = {}
    thin: dict[Pair, str] = {}
    for i, j in every_pair(len(wrong)):
        other = (wrong[i] != wrong[j]) & inside
        count, subjects = int(np.count_nonzero(other)), int(np.unique(who[other]).size)
        decided[i, j] = count, int(np.count_nonzero(inside))
        if count < MIN_ERRORS or subjects < MIN_ERROR_SUBJECTS:
            thin[i, j] = (
                f"discordant: {count}, of {counted(subjects, 'subject')}; a test needs {MIN_ERRORS} of "
                f"{MIN_ERROR_SUBJECTS}"
            )
    few = None if weighing is None else no_test_by_weight(weighing)
    return decided, thin if few is None else dict.fromkeys(decided, few)


def no_test_by_weight(who: Ints) -> str | None:
    """Why resampled subjects say little of a pooled difference: a few of them have most of what is counted.

    >>> no_test_by_weight(np.repeat(np.arange(61), [435, *[3] * 60]))
    'by weight these are 1.99 subjects; a test needs 20'
    """
    pairs = np.bincount(who)
    pairs = pairs[pairs > 0]
    count = effective_number(pairs)
    if count >= min(MIN_EFFECTIVE, pairs.size / 2):
        return None
    return f"by weight these are {count:.3g} subjects; a test needs {MIN_EFFECTIVE}"


def _inside(common: CommonSupport, who: Ints, group_index: int) -> Flags:
    """Which mated comparisons belong to a group."""
    if group_index == 0:
        return np.ones(who.size, dtype=np.bool_)
    groups = common.groups
    row = groups.of[groups.schemas.index(groups.names[group_index - 1][0])]
    return np.asarray(row[who] == group_index - 1)


def _gap(rates: Floats) -> Floats:
    return np.asarray(rates.max(axis=-1) - rates.min(axis=-1))


def _lift(of: str, rates: Floats, drawn: Floats) -> Floats:
    """How far noise may have lifted the gap of rates (V, C), or of their logarithms; ``drawn`` (B, V, C)."""
    if of == RATIO:
        with np.errstate(divide="ignore", invalid="ignore"):
            rates, drawn = np.log(rates), np.log(drawn)
    with np.errstate(invalid="ignore"):
        return noise_lift(_gap(rates), _mean_norm(_gap(drawn - rates)))


def _mean_norm(norms: Floats) -> Floats:
    """Means over the replicates in which they are finite, of each system; NaN where none is."""
    known = np.isfinite(norms)
    sums = np.where(known, norms, 0.0).sum(axis=0)
    return np.asarray(
        np.divide(sums, known.sum(axis=0), out=np.full_like(sums, np.nan), where=known.any(axis=0))
    )


def _log_ratio(rates: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(rate_index(RateIndex.MAX_MIN, rates)))


def _thin(
    system: SystemOnSupport, common: CommonSupport, group_indices: list[int], w: int, a: int, rate: str
) -> str | None:
    """Why a class has fewer than 10 errors or 10 subjects with errors (FORMULAS 8.5); None where none has."""
    threshold = float(system.thresholds[w, a])
    if not np.isfinite(threshold):
        return "no threshold"
    tail = system.tail
    if rate == "fnmr":
        wrong = tail.mated_score <= threshold
        ends = (tail.subject_of[tail.mated_i[wrong]],) * 2
    else:
        wrong = tail.tail_score > threshold
        ends = (tail.subject_of[tail.tail_i[wrong]], tail.subject_of[tail.tail_j[wrong]])
    for group_index in group_indices:
        inside = _inside(common, ends[0].astype(np.int64), group_index) & _inside(
            common, ends[1].astype(np.int64), group_index
        )
        subjects_with_errors = np.unique(np.concatenate([ends[0][inside], ends[1][inside]])).size
        if int(np.count_nonzero(inside)) < MIN_ERRORS or subjects_with_errors < MIN_ERROR_SUBJECTS:
            name = common.groups.names[group_index - 1][1]
            few = f"fewer than {MIN_ERRORS} errors or {MIN_ERROR_SUBJECTS} subjects with errors"
            return f"{system.system.provider}: {name} has {few}"
    return None


def _from_mean(classes: Classes, weights: class_curves.Weights) -> Floats:
    """Curves of the classes minus their mean in each replicate, (b, C, levels); NaN where a class was not drawn."""
    empty = np.any([weight.sum(axis=1) == 0 for weight in weights], axis=0)
    return np.where(empty[:, None, None], np.nan, class_curves.from_mean(classes, weights))
