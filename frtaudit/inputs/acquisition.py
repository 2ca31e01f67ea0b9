"""From a scorer of sample pairs to the scores of a protocol, with the samples that failed."""

from collections.abc import Callable, Mapping

import numpy as np

from frtaudit.core.arrays import Floats, Index
from frtaudit.core.cohort import Cohort
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import Groups, ScoreTable, ScoreTail
from frtaudit.core.spec import FailureScore
from frtaudit.stats.rates.failures import score_zero
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest, score_all_pairs
from frtaudit.stats.similarity.scorers import BlockScorer
from frtaudit.stats.similarity.tail import from_listed

PairScorer = Callable[[Index, Index], Floats]
_CHUNK = 1 << 16
SIGNED = (-1.0, 1.0)
USUAL_RANGES = ((0.0, 1.0), SIGNED, (0.0, 100.0))


def acquired_rows(n_samples: int, failed: Mapping[int, str]) -> Index:
    """Cohort indices of the samples that did not fail.

    Parameters
    ----------
    n_samples : int
        Samples of the cohort, N.
    failed : mapping of int to str
        Cohort sample index to failure code.

    Returns
    -------
    ndarray of int32, shape (n,)
        Ascending.

    Examples
    --------
    >>> acquired_rows(3, {1: "no_face"}).tolist()
    [0, 2]
    """
    rows = np.ones(n_samples, dtype=np.bool_)
    rows[list(failed)] = False
    return np.flatnonzero(rows).astype(np.int32)


def tail_of(
    block: BlockScorer,
    rows: Index,
    cohort: Cohort,
    comparisons: Comparisons,
    groups: Groups,
    score_range: tuple[float, float],
    request: TailRequest,
    failures: FailureScore,
) -> ScoredTail:
    """Score all pairs of the acquired samples.

    Parameters
    ----------
    block : callable
        From two slices of the acquired samples, numbered as in ``rows``, to their scores: float64, shape (a, b),
        finite, the same for both orders of a pair; higher is more alike. Scores are rounded to float32.
    rows : ndarray of int32, shape (n,)
        Cohort indices of the acquired samples, ascending, as ``acquired_rows`` gives them.
    cohort : Cohort
        The cohort.
    comparisons : Comparisons
        All pairs, implied, with their cells.
    groups : Groups
        The classes of all schemas.
    score_range : (float, float)
        Lowest and highest possible score.
    request : TailRequest
        What must be exact.
    failures : FailureScore
        ``SCORE_ZERO``: every sample takes part, and a failed one scores the lowest of ``score_range`` with every other.

    Returns
    -------
    ScoredTail
        For ``Provider.score_tail``. It does not depend on the number of threads.

    References
    ----------
    ISO/IEC 19795-1:2021, Biometric performance testing and reporting, part 1: failure to acquire. Peña-Alcántara, A.
    A., A Subject Based Methodology for Measuring Interclass Bias, 2022: a failure as the lowest score.

    Examples
    --------
    >>> three = Cohort(sample_ids=("a1", "a2", "b1"), subject_ids=("a", "b"),
    ...                subject_of=np.array([0, 0, 1], np.int32), classifications={}, digest="")
    >>> none = np.empty(0, np.int32)
    >>> pairs = Comparisons(all_pairs=True, probe=none, reference=none, mated=none.astype(bool),
    ...                     cells=np.zeros(2, np.int32))
    >>> cosine = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 1.0]])
    >>> scored = tail_of(lambda a, b: cosine[a, b], acquired_rows(3, {}), three, pairs,
    ...                  Groups(schemas=(), names=(), of=np.empty((0, 2), np.int32), ranked=()), (-1.0, 1.0),
    ...                  TailRequest(fmr=0.5), FailureScore.APART)
    >>> scored.tail.mated_score.round(2).tolist(), scored.tail.tail_score.round(2).tolist()
    ([0.800000011920929], [0.30000001192092896, 0.10000000149011612])
    """
    if failures is FailureScore.SCORE_ZERO and rows.size < cohort.n_samples:
        block = with_failed(block, rows, score_range[0])
        rows = np.arange(cohort.n_samples, dtype=np.int32)
    return score_all_pairs(
        block,
        n_samples=np.bincount(cohort.subject_of[rows], minlength=cohort.n_subjects).astype(np.int64),
        rows=rows,
        cells=comparisons.cells,
        groups=groups,
        score_range=score_range,
        request=request,
    )


def with_failed(block: BlockScorer, rows: Index, lowest: float) -> BlockScorer:
    """A scorer of all samples out of one of the samples ``rows`` (ascending): ``lowest`` where one of the two failed.

    >>> scorer = with_failed(lambda a, b: np.ones((a.stop - a.start, b.stop - b.start)), np.array([0, 2]), -1.0)
    >>> scorer(slice(0, 1), slice(0, 3)).tolist()
    [[1.0, -1.0, 1.0]]
    """

    def scored(first: slice, second: slice) -> Floats:
        a, b = _positions(rows, first), _positions(rows, second)
        result = np.full((first.stop - first.start, second.stop - second.start), lowest)
        result[np.ix_(rows[a] - first.start, rows[b] - second.start)] = block(a, b)
        return result

    return scored


def table_of(
    scorer: PairScorer,
    comparisons: Comparisons,
    failed: Mapping[int, str],
    score_range: tuple[float, float],
    failures: FailureScore,
) -> ScoreTable:
    """Score listed comparisons. One whose probe or reference failed has that sample's code, the probe's first.

    Parameters
    ----------
    scorer : callable
        From cohort indices of probes and of references (acquired samples, int32, shape (P,)) to scores, float64, shape
        (P,); higher is more alike. Scores are rounded to float32, as those of all pairs are.
    comparisons : Comparisons
        Listed comparisons.
    failed : mapping of int to str
        Cohort sample index to failure code.
    score_range : (float, float)
        Lowest and highest possible score.
    failures : FailureScore
        ``SCORE_ZERO``: a failed comparison has the lowest score of ``score_range``, and no failure.

    Returns
    -------
    ScoreTable
        For ``Provider.score_table``.

    References
    ----------
    ISO/IEC 19795-1:2021, Biometric performance testing and reporting, part 1: failure to acquire. Peña-Alcántara, A.
    A., A Subject Based Methodology for Measuring Interclass Bias, 2022: a failure as the lowest score.

    Examples
    --------
    >>> from frtaudit.plugin import listed_comparisons
    >>> three = Cohort(sample_ids=("a1", "a2", "b1"), subject_ids=("a", "b"),
    ...                subject_of=np.array([0, 0, 1], np.int32), classifications={}, digest="")
    >>> pairs = listed_comparisons(three, np.array([0, 0], np.int32), np.array([1, 2], np.int32), np.zeros(2, np.int32))
    >>> table = table_of(lambda probe, reference: np.full(probe.size, 0.5), pairs, {2: "no_face"}, (0.0, 1.0),
    ...                  FailureScore.APART)
    >>> table.score.tolist(), [table.codes[code] for code in table.failure if code >= 0]
    ([0.5, nan], ['no_face'])
    """
    codes = tuple(sorted(set(failed.values())))
    code = np.full(max(failed, default=-1) + 2, -1, dtype=np.int16)
    code[list(failed)] = [codes.index(name) for name in failed.values()]
    probe, reference = (
        code[np.minimum(side, code.size - 1)] for side in (comparisons.probe, comparisons.reference)
    )
    failure = np.where(probe >= 0, probe, reference)
    score = np.full(comparisons.n_listed, np.nan)
    scored = np.flatnonzero(failure < 0)
    for start in range(0, scored.size, _CHUNK):
        part = scored[start : start + _CHUNK]
        score[part] = scorer(comparisons.probe[part], comparisons.reference[part]).astype(np.float32)
    table = ScoreTable(score=score, failure=failure, codes=codes)
    return score_zero(table, score_range) if failures is FailureScore.SCORE_ZERO else table


def listed_tail(
    table: ScoreTable, comparisons: Comparisons, cohort: Cohort, score_range: tuple[float, float]
) -> ScoreTail:
    """Scores of listed comparisons as the estimators need them."""
    return from_listed(
        table.score,
        comparisons.probe,
        comparisons.reference,
        subject_of=cohort.subject_of,
        cells=comparisons.cells,
        score_range=score_range,
    )


def usual_range(score: Floats) -> tuple[float, float]:
    """The first usual range that holds every score: 0 to 1, -1 to 1, 0 to 100; else the extremes of the scores.

    Parameters
    ----------
    score : ndarray of float64, shape (P,)
        Scores; what is not finite is left out.

    Returns
    -------
    (float, float)
        Low and high.

    Examples
    --------
    >>> usual_range(np.array([0.2, -0.1, np.nan]))
    (-1.0, 1.0)
    """
    known = score[np.isfinite(score)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    usual = next((pair for pair in USUAL_RANGES if pair[0] <= low and high <= pair[1]), None)
    return usual or (low, high if high > low else low + 1.0)


def _positions(rows: Index, part: slice) -> slice:
    """Where the acquired samples of a slice of all samples stand among ``rows``."""
    start, stop = np.searchsorted(rows, [part.start, part.stop])
    return slice(int(start), int(stop))
