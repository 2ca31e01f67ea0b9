"""What is measured: one question, our answer, and other ways to the same answer.

A contender takes what its ``prepare`` made of the contest's arrays (not timed: scores sorted once, which a whole audit
shares) and returns (units of work done, answer). Answers of one contest must agree.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from frtaudit.core import Groups, ScoreTail
from frtaudit.core.spec import Plan, Weighting
from frtaudit.stats.allpairs import TailRequest, score_all_pairs
from frtaudit.stats.folds import k_fold_accuracy
from frtaudit.stats.interclass import Space, d_l2, thesis_bootstrap
from frtaudit.stats.rates import eer, rates, threshold_at
from frtaudit.stats.resample import replicate
from frtaudit.stats.scorers import COSINE_RANGE, cosine_blocks
from frtaudit.stats.tail import from_listed, from_matrix, no_groups
from frtaudit.stats.vonmises import uniform_directions, von_mises_fisher

Arrays = Mapping[str, npt.NDArray[Any]]  # arrays of several types, by name
Answer = npt.NDArray[np.float64]
TARGET = "1/1000"
ATOL = 1e-6


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to the answer; ``needs`` names the package without which it is skipped."""

    name: str
    work: Callable[[Any], tuple[int, Answer]]
    prepare: Callable[[Arrays], Any] = dict
    needs: str | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """A question, its data at full size (1.0) or small (for warming up), and who answers it; ours comes first."""

    title: str
    unit: str
    data: Callable[[float], dict[str, npt.NDArray[Any]]]
    contenders: tuple[Contender, ...]


def templates(scale: float, subjects: int = 500, each: int = 4) -> dict[str, npt.NDArray[Any]]:
    """Unit vectors (N, 128) of vMF subjects, their subject numbers and all scores (N, N)."""
    rng = np.random.default_rng(20)
    count = max(12, int(subjects * scale))
    means = np.repeat(uniform_directions(rng, count, 128), each, axis=0)
    vectors = von_mises_fisher(rng, means, rng.uniform(100, 250, len(means)))
    return {"vectors": vectors.astype(np.float32), "subject": np.repeat(np.arange(count), each)}


def matrices(scale: float) -> dict[str, npt.NDArray[Any]]:
    """The same with the score matrix, and the sample drawn for each place in three image resamples (3, N)."""
    data = templates(scale)
    vectors, subject = data["vectors"].astype(np.float64), data["subject"]
    first = np.searchsorted(subject, subject)
    drawn = first + np.random.default_rng(21).integers(0, 4, (3, subject.size))
    return {"scores": vectors @ vectors.T, "subject": subject, "drawn": drawn}


def sorted_tail(data: Arrays) -> tuple[ScoreTail, npt.NDArray[np.int64]]:
    """All scores as an audit holds them, and the weights of 600 replicates: the three resamples, repeated."""
    counts = np.stack([np.bincount(row, minlength=data["subject"].size) for row in data["drawn"]])
    return from_matrix(data["scores"], list(data["subject"])), np.tile(counts, (200, 1))


def kernel_replicates(prepared: tuple[ScoreTail, npt.NDArray[np.int64]]) -> tuple[int, Answer]:
    """Image bootstrap by weights on the sorted tail; both weightings."""
    tail, weights = prepared
    n = len(weights)
    found = replicate(
        tail, no_groups(tail), plan=Plan.IMAGES, n=n, seed=0, targets=[TARGET], thresholds=[], weights=weights
    )
    return n, np.concatenate([found.t_star[0, :3, 0], found.fnmr[0, :3, 0, 0]])


def literal_replicates(data: Arrays) -> tuple[int, Answer]:
    """Image bootstrap as the paper writes it: take the drawn samples' scores, cut at the order statistic."""
    subject = data["subject"]
    upper = np.triu(np.ones((subject.size, subject.size), dtype=bool), 1)
    mated = (subject[:, None] == subject[None, :]) & upper
    non_mated = upper & ~mated
    cuts, shares = [], []
    for drawn in data["drawn"]:
        scores = data["scores"][np.ix_(drawn, drawn)]
        others = scores[non_mated]
        allowed = others.size // 1000
        cut = np.partition(others, others.size - 1 - allowed)[others.size - 1 - allowed]
        errors = (scores <= cut) & mated & (drawn[:, None] != drawn[None, :])
        cuts.append(cut)
        shares.append(errors.sum() / mated.sum())
    return len(data["drawn"]), np.array([*cuts, *shares])


def many_templates(scale: float) -> dict[str, npt.NDArray[Any]]:
    """Unit vectors of 10,000 samples."""
    return templates(scale, subjects=2500)


def blocked_scores(data: Arrays) -> tuple[int, Answer]:
    """Mated scores and the tail above FMR 1e-3, scored block by block in float64, never all in memory."""
    counts = np.bincount(data["subject"]).astype(np.int64)
    nobody = Groups(schemas=(), names=(), of=np.empty((0, counts.size), dtype=np.int32), ranked=())
    tail = score_all_pairs(
        cosine_blocks(data["vectors"]),
        n_samples=counts,
        rows=np.arange(data["subject"].size, dtype=np.int32),
        cells=np.zeros(counts.size, dtype=np.int32),
        groups=nobody,
        score_range=COSINE_RANGE,
        request=TailRequest(fmr=1e-3),
    )
    return 1, np.array([threshold_at(tail, nobody, TARGET, Weighting.POOLED), tail.mated_score.size])


def whole_matrix(data: Arrays) -> tuple[int, Answer]:
    """The same from one float32 product of everything with everything."""
    scores = data["vectors"] @ data["vectors"].T
    upper = np.triu(np.ones(scores.shape, dtype=bool), 1)
    mated = (data["subject"][:, None] == data["subject"][None, :]) & upper
    others = scores[upper & ~mated]
    place = others.size - 1 - others.size // 1000
    return 1, np.array([np.partition(others, place)[place], mated.sum()], dtype=np.float64)


def score_lists(scale: float) -> dict[str, npt.NDArray[Any]]:
    """Listed comparisons of 4,000 samples: 1,500 mated and about 2e6 non-mated, normal scores."""
    rng = np.random.default_rng(22)
    count = max(20, int(2000 * scale))
    i, j = (side.astype(np.int32) for side in np.triu_indices(count, 1))
    subject_of = (np.arange(count) // 4).astype(np.int32)
    mated = subject_of[i] == subject_of[j]
    return {"i": i, "j": j, "subject_of": subject_of, "mated": mated, "score": rng.normal(2.5 * mated, 1.0)}


def listed_rates(data: Arrays) -> tuple[int, Answer]:
    """FNMR at FMR 1e-3 and EER of score lists, with every comparison booked by subject."""
    cells = np.zeros(int(data["subject_of"][-1]) + 1, dtype=np.int32)
    tail = from_listed(
        data["score"], data["i"], data["j"], subject_of=data["subject_of"], cells=cells, score_range=(-10, 10)
    )
    groups = no_groups(tail)
    cut = threshold_at(tail, groups, TARGET, Weighting.POOLED)
    return 1, np.array([rates(tail, groups, [cut]).fnmr[0, 0], eer(tail, groups).value])


def sklearn_rates(data: Arrays) -> tuple[int, Answer]:
    """FNMR at FMR 1e-3 and EER from scikit-learn's ROC curve."""
    from sklearn.metrics import roc_curve  # type: ignore[import-not-found]  # a peer, not a dependency

    fmr, tar, _ = roc_curve(data["mated"], data["score"], drop_intermediate=False)
    at = np.flatnonzero(fmr <= 1e-3)[-1]
    cross = np.argmin(np.abs(1 - tar - fmr))
    return 1, np.array([1 - tar[at], (1 - tar[cross] + fmr[cross]) / 2])


def sorted_rates(data: Arrays) -> tuple[int, Answer]:
    """The same by sorting everything with NumPy and searching in it."""
    mated, others = np.sort(data["score"][data["mated"]]), np.sort(data["score"][~data["mated"]])
    cut = others[others.size - 1 - others.size // 1000]
    every = np.unique(data["score"])
    fnmr = np.searchsorted(mated, every, side="right") / mated.size
    fmr = 1 - np.searchsorted(others, every, side="right") / others.size
    cross = np.argmin(np.abs(fnmr - fmr))
    return 1, np.array([np.mean(mated <= cut), (fnmr[cross] + fmr[cross]) / 2])


def classes(scale: float) -> dict[str, npt.NDArray[Any]]:
    """Mated scores of three classes, 0..100."""
    rng = np.random.default_rng(23)
    size = max(50, int(4000 * scale))
    return {
        name: np.clip(rng.normal(80 - shift, 10, size), 0, 100)
        for name, shift in zip("abc", (0, 1, 2.5), strict=True)
    }


def fast_thesis(data: Arrays) -> tuple[int, Answer]:
    """d_l2 with the thesis interval, B = 2000."""
    rng = np.random.default_rng(0)
    found = thesis_bootstrap([data[name] for name in "abc"], (0, 100), alpha=0.1, n=2000, rng=rng)
    return 2000, np.asarray(found.point, dtype=np.float64)


def scipy_thesis(data: Arrays) -> tuple[int, Answer]:
    """d_l2 of each class under scipy.stats.bootstrap, B = 50."""

    def statistic(*samples: Answer) -> Answer:
        return np.asarray(d_l2(list(samples), (0, 100), Space.QUANTILE))

    samples = tuple(data[name] for name in "abc")
    scipy_stats.bootstrap(
        samples,
        statistic,
        n_resamples=50,
        vectorized=False,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return 50, statistic(*samples)


def fold_pairs(scale: float) -> dict[str, npt.NDArray[Any]]:
    """6,000 scored pairs in ten folds, as LFW has them."""
    rng = np.random.default_rng(24)
    size = max(200, int(6000 * scale)) // 20 * 20
    mated = np.arange(size) % 2 == 0
    return {"score": rng.normal(2.0 * mated, 1.0), "mated": mated, "fold": np.arange(size) * 10 // size}


def fast_folds(data: Arrays) -> tuple[int, Answer]:
    """Ten-fold accuracy by cumulative counts."""
    found = k_fold_accuracy(data["score"], data["mated"], data["fold"])
    return 1, np.asarray(found.correct / found.total)


def plain_folds(data: Arrays) -> tuple[int, Answer]:
    """Ten-fold accuracy by trying every threshold on the training folds."""
    shares = []
    for fold in range(10):
        train = data["fold"] != fold
        score, mated = data["score"][train], data["mated"][train]
        ordered = np.unique(score)
        candidates = [-math.inf, *((ordered[1:] + ordered[:-1]) / 2), ordered[-1]]
        right = [np.count_nonzero((score > cut) == mated) for cut in candidates]
        best = candidates[len(right) - 1 - int(np.argmax(right[::-1]))]
        test = ~train
        shares.append(np.mean((data["score"][test] > best) == data["mated"][test]))
    return 1, np.array(shares)


CONTESTS = (
    Contest(
        "all-pairs scoring: mated scores and threshold at FMR 1e-3 (10,000 samples, 5e7 comparisons)",
        "scoring",
        many_templates,
        (Contender("frtaudit", blocked_scores), Contender("NumPy, whole matrix", whole_matrix)),
    ),
    Contest(
        "image bootstrap: threshold at FMR 1e-3 and FNMR there (2,000 samples, 2e6 comparisons)",
        "replicate",
        matrices,
        (
            Contender("frtaudit", kernel_replicates, sorted_tail),
            Contender("NumPy, resample all scores", literal_replicates),
        ),
    ),
    Contest(
        "FNMR at FMR 1e-3 and EER of 2e6 listed scores",
        "list",
        score_lists,
        (
            Contender("frtaudit", listed_rates),
            Contender("NumPy, sort all", sorted_rates),
            Contender("scikit-learn roc_curve", sklearn_rates, needs="sklearn"),
        ),
    ),
    Contest(
        "thesis bootstrap of d_l2 (3 classes, 4,000 scores each)",
        "resample",
        classes,
        (Contender("frtaudit", fast_thesis), Contender("scipy.stats.bootstrap", scipy_thesis)),
    ),
    Contest(
        "ten-fold accuracy (6,000 pairs)",
        "search",
        fold_pairs,
        (Contender("frtaudit", fast_folds), Contender("plain loop over thresholds", plain_folds)),
    ),
)
