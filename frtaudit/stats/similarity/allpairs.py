"""All-pairs scoring: from a block scorer to the tail, in memory that does not grow with the number of pairs."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

import numpy as np

from frtaudit.core.arrays import Index, Ints
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.scores import Groups, ScoreTail
from frtaudit.stats.rates.eer import eer
from frtaudit.stats.rates.histogram import above_edges, edges_over, histogram_of
from frtaudit.stats.rates.sums import BelowFloorError, error_sums
from frtaudit.stats.rates.targets import TOLERANCE, exact
from frtaudit.stats.rates.trials import complete_trials, schema_of, trials
from frtaudit.stats.similarity.executor import Executor, PassContext, by_threads
from frtaudit.stats.similarity.pair_scan import Pairs, Scan, scan_mated, scan_non_mated
from frtaudit.stats.similarity.pilot_sample import PilotSample, pilot_of
from frtaudit.stats.similarity.ranking import ranked
from frtaudit.stats.similarity.scorers import BlockScorer
from frtaudit.stats.similarity.sums_below_floor import sums_below
from frtaudit.stats.similarity.tiles import layout_of

ALL_BELOW = 1 << 20  # comparisons: a cohort this small is kept whole
PAIR_BYTES = 36  # two int32 and a float32 as scanned, and two copies while they are sorted; 12 stay
AIM = 1.25  # depth of the tail aimed at, in units of what is required: room for the pilot's error
EER_AIM = 1.25
MIN_PILOT = 200  # the floor is based on at least so many comparisons of the pilot
DEEPER = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TailRequest:
    """What must be exact in the scores of all pairs. An audit makes it; ``tail_of`` takes it.

    Parameters
    ----------
    fmr : float
        The largest FMR target of interest.
    thresholds : tuple of float
        Fixed thresholds of interest, in units of the score; for those below the tail's cutoff there are sums.
    eer : bool
        Whether the equal error rate is of interest too.
    budget : int
        Bytes for the tail and its sorting.
    threads : int
        0 for one per core.
    progress : callable
        Is told how far the pass is.
    executor : callable
        Does the passes over all pairs.

    Examples
    --------
    >>> TailRequest(fmr=0.001, thresholds=(0.4,)).eer
    False
    """

    fmr: float
    thresholds: tuple[float, ...] = ()
    eer: bool = False
    budget: int = 2_000_000_000
    threads: int = 0
    progress: Progress = quiet
    executor: Executor = by_threads


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredTail:
    """The scores of all pairs, and what scores them again.

    Attributes
    ----------
    tail : ScoreTail
        The scores.
    context : frtaudit.stats.similarity.executor.PassContext or None
        Scores pairs again; None where nothing can.
    """

    tail: ScoreTail
    context: PassContext | None = None


def score_all_pairs(
    block: BlockScorer,
    *,
    n_samples: Ints,
    rows: Index,
    cells: Index,
    groups: Groups,
    score_range: tuple[float, float],
    request: TailRequest,
) -> ScoredTail:
    """Score every unordered pair of samples once; keep mated scores, the histogram and the non-mated tail.

    ``block`` scores slices of the N acquired samples, sorted by subject; ``n_samples`` (K,) int64: acquired
    samples of each subject; ``rows`` (N,) int32: their cohort indices; ``cells`` (K,) int32. Scores are
    rounded to float32; ``block`` gives finite scores, the same for both orders of a pair. The floor lies low
    enough that :func:`threshold_at` at ``request.fmr`` is exact in both weightings,
    :func:`threshold_at_max_group` too and, if asked for, :func:`eer`, unless the budget forbids it: then it
    lies as low as the budget allows, and what lies below raises :class:`BelowFloorError`. The result does not
    depend on the number of threads, nor on the executor.

    >>> from frtaudit.core.spec_values import COSINE_RANGE
    >>> from frtaudit.stats.similarity.scorers import cosine_blocks
    >>> nobody = Groups(schemas=(), names=(), of=np.empty((0, 2), np.int32), ranked=())
    >>> scored = score_all_pairs(
    ...     cosine_blocks(np.float32([[1, 0], [1, 1], [0, 1]])), n_samples=np.array([2, 1]),
    ...     rows=np.arange(3, dtype=np.int32), cells=np.zeros(2, np.int32), groups=nobody,
    ...     score_range=COSINE_RANGE, request=TailRequest(fmr=0.5))
    >>> scored.tail.tail_score.round(3).tolist()
    [0.7070000171661377, 0.0]
    """
    counts = np.asarray(n_samples, dtype=np.int64)
    subject_of = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    context = PassContext(
        block=block, layout=layout_of(counts), subject_of=subject_of, cells=np.asarray(cells)[subject_of],
        edges=edges_over(score_range), threads=request.threads, progress=request.progress,
        executor=request.executor,
    )  # fmt: skip
    mated = scan_mated(context)
    empty = ScoreTail(
        n_samples=counts,
        subject_of=subject_of,
        rows=rows,
        mated_i=mated.i,
        mated_j=mated.j,
        mated_score=mated.score,
        tail_i=np.empty(0, dtype=np.int32),
        tail_j=np.empty(0, dtype=np.int32),
        tail_score=np.empty(0, dtype=np.float32),
        cutoff=float("inf"),
        edges=context.edges,
        histogram=np.zeros(context.edges.size - 1, dtype=np.int64),
        mated_histogram=histogram_of(mated.score, context.edges),
        cells=cells,
        score_range=score_range,
    )
    tail = _deep_enough(context, empty, groups, request)
    missing = np.unique([t for t in request.thresholds if np.isfinite(t) and t < tail.cutoff])
    if missing.size:
        tail = replace(tail, rescored=sums_below(context, tail, groups, missing))
    return ScoredTail(tail=tail, context=context)


def _deep_enough(context: PassContext, empty: ScoreTail, groups: Groups, request: TailRequest) -> ScoreTail:
    """Scan, and scan again with a lower floor while the tail is too short, or a higher one when it is too long."""
    capacity = max(request.budget // PAIR_BYTES, 1)
    total = int(complete_trials(empty.n_samples, empty.cells).comparisons.sum()) // 2
    pilot, depth = None, 1.0  # the share of the non-mated comparisons that the tail should hold
    if total > min(ALL_BELOW, capacity):
        pilot = pilot_of(context.block, empty.n_samples, context.subject_of, context.cells, context.threads)
        crossing = EER_AIM * pilot.rate_at_crossing(empty.mated_score) if request.eer else 0.0
        required = AIM * float(_need(empty.n_samples)) * request.fmr
        depth = max(required, crossing, MIN_PILOT / max(pilot.score.size, 1))
    allowed = 0.8 * capacity / max(total, 1)
    while True:
        floor = float("-inf") if pilot is None else _floor(pilot, depth, allowed, float(context.edges[0]))
        scan = scan_non_mated(context, floor, capacity)
        if scan.pairs is None:
            # the lowest edge above which no more than the capacity lie
            floor = float(context.edges[int(np.argmax(above_edges(scan.histogram) <= capacity))])
            return _with_tail(empty, scan_non_mated(context, floor, capacity), floor)
        tail = _with_tail(empty, scan, floor)
        del scan
        if depth >= min(allowed, 1.0) or not _short(tail, groups, request):
            return tail
        depth *= DEEPER


def _need(n_samples: Ints) -> Fraction:
    """Depth required, in units of the largest target: replicates of K subjects spread like 1/sqrt(K) around it."""
    return 1 + Fraction(10, max(isqrt(int((n_samples > 0).sum())), 1))


def _floor(pilot: PilotSample, depth: float, allowed: float, lowest: float) -> float:
    """The floor for a depth, or the one that the budget allows; if finite, above the lowest score."""
    wanted = pilot.floor_at(depth)
    if allowed < 1:
        wanted = max(wanted, pilot.pooled_floor_at(allowed))
    if np.isneginf(wanted):
        return wanted
    return max(wanted, float(np.nextafter(np.float32(lowest), np.float32(np.inf))))


def _with_tail(empty: ScoreTail, scan: Scan, floor: float) -> ScoreTail:
    pairs: tuple[Pairs, ...] = scan.pairs or ()
    tail = ranked(pairs, empty.subject_of.size)
    return replace(
        empty, tail_i=tail.i, tail_j=tail.j, tail_score=tail.score, cutoff=floor, histogram=scan.histogram
    )


def _short(tail: ScoreTail, groups: Groups, request: TailRequest) -> bool:
    """Whether something that was asked for lies below the floor."""
    target = exact(request.fmr)
    if np.isneginf(tail.cutoff):
        return False
    need = _need(tail.n_samples)
    denominators = trials(tail, groups)
    sums = error_sums(tail, groups, [tail.cutoff])
    limit = np.full(denominators.mated.size, float(target))
    limit[0] *= float(need) if target * need < 1 else 1.0
    reached = (sums.errors[0] > limit * denominators.non_mated) & (
        sums.far_sum[0] > limit * (1 + TOLERANCE) * denominators.subject_pairs
    )
    watched = np.array([False, *groups.ranked]) & (denominators.non_mated > 0)
    schema = np.append(-1, schema_of(groups))
    for number in range(len(groups.schemas)):
        in_schema = watched & (schema == number)
        if target < 1 and in_schema.any() and not (reached & in_schema).any():
            return True
    if target < 1 and denominators.non_mated[0] and not reached[0]:
        return True
    try:
        if request.eer:
            eer(tail, groups)
    except BelowFloorError:
        return True
    return False
