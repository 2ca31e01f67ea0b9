"""Bootstrap replicates of FMR, FNMR and thresholds at FMR targets, exact over all comparisons (FORMULAS 1).

Each replicate weighs comparisons, walks the non-mated ones downwards until FMR* first exceeds the target (that score
is t*), then the mated ones upwards to t*. Plans differ in weights and denominators alone:
:mod:`frtaudit.stats.bootstrap.plans`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats, Integers, Ints
from frtaudit.core.freeze import FrozenArrays
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.core.spec import Plan
from frtaudit.stats.bootstrap import plans
from frtaudit.stats.bootstrap.kernel_arrays import WIDTH
from frtaudit.stats.bootstrap.replicate_layout import ReplicateLayout, ReplicateRates, layout_of, run
from frtaudit.stats.bootstrap.rescored_batches import Rescoring
from frtaudit.stats.bootstrap.second_pass import RescoreInputs, rescore
from frtaudit.stats.rates.targets import Target, exact
from frtaudit.stats.similarity.tiles import in_order

LANES = WIDTH  # replicates of a tile; fewer change nothing but the time


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicates(FrozenArrays):
    """Rates of B replicates at A targets and T fixed thresholds, for G + 1 group indices and S schemas.

    First axis W = 2: 0 pooled, 1 identity-weighted (thresholds and rates alike). Points 0..A-1 are the thresholds
    t* of the targets, A.. the fixed thresholds. All float64, NaN where undefined: nothing to divide by in the
    replicate, or t* or a fixed threshold below the tail's floor (FMR only).

    ``targets`` (A,); ``thresholds`` (T,); ``t_star`` (W, B, A): t* for everybody; ``t_star_max`` (W, S, B, A): smallest
    threshold at which the FMR of every ranked group of the schema meets the target; ``fmr``, ``fnmr`` (W, B, A+T, G+1);
    ``fmr_max``, ``fnmr_max`` (W, S, B, A, G+1): at ``t_star_max``; ``below_floor`` (W, 1+S, A) int64: replicates whose
    t* (row 0) or t*_max (row s + 1) lies at or below the floor, hence NaN.
    """

    plan: Plan
    B: int
    targets: Floats
    thresholds: Floats
    t_star: Floats
    t_star_max: Floats
    fmr: Floats
    fnmr: Floats
    fmr_max: Floats
    fnmr_max: Floats
    below_floor: Ints


def replicate(
    tail: ScoreTail,
    groups: Groups,
    *,
    plan: Plan,
    n: int,
    seed: int,
    targets: Sequence[Target],
    thresholds: Sequence[float] | Floats,
    strata: Integers | None = None,
    threads: int = 0,
    weights: Integers | None = None,
    subject_weights: Integers | None = None,
    progress: Progress = quiet,
    below: Rescoring | None = None,
) -> Replicates:
    """Draw ``n`` replicates of every rate under a resampling plan.

    ``plan``: ``IMAGES`` resamples samples within each subject (002; needs every mated comparison); ``SUBJECTS``
    subjects, within ``strata`` (K,) if given (vertex); ``DOUBLE_OR_NOTHING`` keeps each subject twice or not at all;
    ``TWO_LEVEL`` subjects, then samples within each copy. Subjects are the cohort's, acquired or not: one ``seed``
    gives every provider the same copies of subjects. ``targets``: FMR targets as :func:`targets.exact` reads them,
    pooled ones compared in integers; ``thresholds``: fixed ones. ``threads`` 0: all cores; the result does not
    depend on it.
    ``weights`` (n, N) for IMAGES, or ``subject_weights`` (n, K) for the others, 0 to 255, replace the draws.
    ``progress`` hears of each tile. ``below``: where the scores below the tail's floor come from; without it what lies
    there is NaN, with it all pairs are scored again, and every number is that of a whole tail. Raises ValueError for
    a plan that data, strata or weights do not serve.

    >>> from frtaudit.stats.similarity.tail import from_matrix, no_groups
    >>> tail = from_matrix([[1, .9, .2], [.9, 1, .3], [.2, .3, 1]], ["a", "a", "b"])
    >>> drawn = replicate(tail, no_groups(tail), plan=Plan.IMAGES, n=2, seed=1, targets=["1/2"],
    ...                   thresholds=[0.25], weights=np.array([[1, 1, 1], [2, 0, 1]]))
    >>> drawn.t_star[0, :, 0].tolist(), drawn.fmr[0, :, 1, 0].tolist()
    ([0.2, 0.2], [0.5, 0.0])
    """
    draw = _draw(plans.source_of(tail, groups, seed), plan, strata, weights, subject_weights)
    for given in (weights, subject_weights):
        if given is not None and len(given) != n:
            raise ValueError(f"{len(given)} replicates of weights; accepted: n = {n}")
    rows = plans.rows_of(tail, plan)
    layout = layout_of(tail, groups, targets, thresholds, rows, threads)
    deep = (
        None
        if below is None
        else rescore(RescoreInputs(tail, groups, layout, rows, draw, n, LANES, threads), below)
    )

    def tile(first: int) -> ReplicateRates:
        count = min(LANES, n - first)
        return run(layout, draw(first, count), None if deep is None else deep.lanes(first, count))

    tiles = in_order(tile, range(0, n, LANES), threads, progress, f"bootstrap {plan.value}")
    return _replicates(plan, n, targets, layout, _joined(layout, list(tiles)))


def _draw(
    source: plans.Source,
    plan: Plan,
    strata: Integers | None,
    weights: Integers | None,
    subject_weights: Integers | None,
) -> plans.Draw:
    if plan is Plan.COMPARISONS:
        raise ValueError("replicates resample images or subjects, not comparisons")
    if (weights is not None and plan is not Plan.IMAGES) or (
        subject_weights is not None and plan is Plan.IMAGES
    ):
        raise ValueError("weights belong to the plan images, subject_weights to the others")
    if plan is Plan.IMAGES:
        return plans.images(source, weights)
    copies = plans.copies_of(source, plan, strata, subject_weights)
    return plans.two_level(source, copies) if plan is Plan.TWO_LEVEL else plans.subjects(source, copies)


def _joined(layout: ReplicateLayout, tiles: list[ReplicateRates]) -> ReplicateRates:
    """Tiles side by side: replicates are the last axis."""
    return ReplicateRates(
        *(np.concatenate(parts, axis=-1) for parts in zip(layout.nothing(), *tiles, strict=True))
    )


def _replicates(
    plan: Plan, n: int, targets: Sequence[Target], layout: ReplicateLayout, rates: ReplicateRates
) -> Replicates:
    fmr = np.concatenate((rates.fmr_target[:, 0], rates.fmr_fixed), axis=1)
    fnmr = np.concatenate((rates.fnmr_target[:, 0], rates.fnmr_fixed), axis=1)
    return Replicates(
        plan=plan,
        B=n,
        targets=np.array([float(exact(target)) for target in targets]),
        thresholds=layout.thresholds.copy(),
        t_star=np.moveaxis(rates.threshold[:, 0], -1, 1),
        t_star_max=np.moveaxis(rates.threshold[:, 1:], -1, 2),
        fmr=np.moveaxis(fmr, -1, 1),
        fnmr=np.moveaxis(fnmr, -1, 1),
        fmr_max=np.moveaxis(rates.fmr_target[:, 1:], -1, 2),
        fnmr_max=np.moveaxis(rates.fnmr_target[:, 1:], -1, 2),
        below_floor=rates.below_cutoff.sum(axis=-1, dtype=np.int64),
    )
