"""The plain reference: image resamples, threshold search and scoring written from the formulas, in NumPy alone.

Answers of the bootstrap: one row for each replicate, FMR (T, 1 + G) and then FNMR at each threshold for everybody and
each group. With w the number of times a sample was drawn, a comparison of samples i and j counts w_i w_j times; two
draws of one sample are a mated comparison that never errs; the denominators are those of the cohort (FORMULAS 1).
"""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from benchmarks.clock import Clock
from benchmarks.data import EACH, GROUPS, Arrays

Floats = npt.NDArray[np.float64]
ROWS = 500  # rows of the score matrix at a time: whole subjects


def row_blocks(data: Arrays) -> Iterator[tuple[slice, slice, npt.NDArray[np.float32]]]:
    """Scores of some rows with all samples from the first of these rows on; products in float64, kept in float32."""
    vectors = data["vectors"].astype(np.float64)
    for first in range(0, len(vectors), ROWS):
        rows, columns = slice(first, min(first + ROWS, len(vectors))), slice(first, len(vectors))
        yield rows, columns, (vectors[rows] @ vectors[columns].T).astype(np.float32)


def tags_of(data: Arrays, rows: slice, columns: slice) -> npt.NDArray[np.intp]:
    """The group of each comparison of two people of one group, else the number of groups."""
    group = data["group"][data["subject"]]
    first, second = group[rows][:, None], group[columns][None, :]
    return np.where(first == second, first, GROUPS).astype(np.intp)


def non_mated_trials(data: Arrays) -> Floats:
    """Pairs of samples of different people: everybody, then within each group."""
    samples = EACH * np.bincount(data["group"], minlength=GROUPS)
    everyone = np.array([samples.sum(), *samples], dtype=np.float64)
    return np.asarray(everyone * (everyone - EACH) / 2)


def mated_trials(data: Arrays) -> Floats:
    """Pairs of samples of one person: everybody, then each group."""
    subjects = np.bincount(data["group"], minlength=GROUPS)
    return np.array([subjects.sum(), *subjects], dtype=np.float64) * EACH * (EACH - 1) / 2


def by_group(counts: Floats) -> Floats:
    """Sums (groups + cross, T + 1) of comparisons above so many thresholds, to matches (T, 1 + G)."""
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    return np.concatenate((above.sum(axis=0)[None], above[:GROUPS])).T


def fnmr_of(data: Arrays, weights: npt.NDArray[np.integer]) -> Floats:
    """FNMR of each resample, (B, T, 1 + G)."""
    cuts, found = data["thresholds"], []
    i, j = mated_pairs(data)
    score = np.einsum("pd,pd->p", *(data["vectors"][side].astype(np.float64) for side in (i, j)))
    place = np.searchsorted(cuts, score.astype(np.float32), side="left")  # thresholds below the score
    group = data["group"][data["subject"][i]]
    for w in weights.astype(np.float64):
        sums = np.bincount(group * (cuts.size + 1) + place, w[i] * w[j], GROUPS * (cuts.size + 1))
        errors = sums.reshape(GROUPS, -1).cumsum(axis=1)[:, :-1].T
        found.append(np.column_stack((errors.sum(axis=1), errors)) / mated_trials(data))
    return np.stack(found)


def mated_pairs(data: Arrays) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Samples i < j of every mated comparison."""
    base = np.arange(0, data["subject"].size, EACH)
    first, second = np.triu_indices(EACH, 1)
    return (base + first[:, None]).ravel(), (base + second[:, None]).ravel()


def answer(fmr: list[Floats], data: Arrays, weights: npt.NDArray[np.integer]) -> Floats:
    """One row for each of the first resamples: its FMR, then its FNMR."""
    count = len(fmr)
    return np.column_stack(
        (np.stack(fmr).reshape(count, -1), fnmr_of(data, weights[:count]).reshape(count, -1))
    )


def weights_and_bincount(data: Arrays, clock: Clock) -> Floats:
    """Weigh every pair of samples, one bincount over all of them; the bin of each pair is known beforehand."""
    width, blocks = data["thresholds"].size + 1, []
    for rows, columns, scores in row_blocks(data):
        place = np.searchsorted(data["thresholds"], scores.ravel(), side="left").reshape(scores.shape)
        bins = tags_of(data, rows, columns) * width + place
        bins[data["subject"][rows][:, None] >= data["subject"][columns][None, :]] = (GROUPS + 1) * width
        blocks.append((rows, columns, bins))
    weights = data["weights"][:2].astype(np.float64)

    def one(w: Floats) -> Floats:
        sums = np.zeros((GROUPS + 1) * width + 1)
        for rows, columns, bins in blocks:
            sums += np.bincount(bins.ravel(), np.outer(w[rows], w[columns]).ravel(), sums.size)
        return by_group(sums[:-1].reshape(-1, width)) / non_mated_trials(data)

    found = clock.run("replicate", lambda: [one(w) for w in weights], len(weights))
    return answer(found, data, data["weights"])


def score_matrix(data: Arrays) -> npt.NDArray[np.float32]:
    """Scores of all samples with all samples."""
    scores = np.empty((data["subject"].size,) * 2, dtype=np.float32)
    for rows, columns, block in row_blocks(data):
        scores[rows, columns], scores[columns, rows] = block, block.T
    return scores


def resample_and_sort(data: Arrays, clock: Clock) -> Floats:
    """Index the score matrix with the drawn samples, sort what is non-mated, count above each threshold."""
    scores, subject, group = score_matrix(data), data["subject"], data["group"][data["subject"]]
    drawn = np.repeat(np.arange(subject.size), data["weights"][0])  # subjects stay in order
    cuts = data["thresholds"].astype(np.float32)

    def share(own: npt.NDArray[np.intp], whose: npt.NDArray[np.int32]) -> Floats:
        others = np.sort(scores[np.ix_(own, own)][whose[:, None] < whose[None, :]])
        return np.asarray(1 - np.searchsorted(others, cuts, side="right") / others.size)

    def one() -> Floats:
        within = [share(drawn[group == g], subject[group == g]) for g in range(GROUPS)]
        return np.column_stack((share(drawn, subject), *within))

    return answer([clock.run("replicate", one)], data, data["weights"])


def resample_by_rows(data: Arrays, clock: Clock) -> Floats:
    """The same row by row, without copies of the matrix: what one comes to after some thought."""
    scores, subject, group = score_matrix(data), data["subject"], data["group"][data["subject"]]
    drawn = np.repeat(np.arange(subject.size), data["weights"][0])
    cuts = data["thresholds"].astype(np.float32)

    def share(own: npt.NDArray[np.intp], whose: npt.NDArray[np.int32]) -> Floats:
        after = np.searchsorted(whose, whose, side="right")
        others = np.empty(int((own.size - after).sum()), dtype=np.float32)
        end = 0
        for row, first in zip(own, after, strict=True):
            end, begin = end + own.size - first, end
            others[begin:end] = scores[row][own[first:]]
        others.sort()
        return np.asarray(1 - np.searchsorted(others, cuts, side="right") / others.size)

    def one() -> Floats:
        within = [share(drawn[group == g], subject[group == g]) for g in range(GROUPS)]
        return np.column_stack((share(drawn, subject), *within))

    return answer([clock.run("replicate", one)], data, data["weights"])


def tail_of(data: Arrays) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.intp]]:
    """Samples i, j and bin of every non-mated comparison above the lowest threshold."""
    width, found = data["thresholds"].size + 1, []
    for rows, columns, scores in row_blocks(data):
        apart = data["subject"][rows][:, None] < data["subject"][columns][None, :]
        i, j = np.nonzero((scores > np.float32(data["thresholds"][0])) & apart)
        place = np.searchsorted(data["thresholds"], scores[i, j], side="left")
        bins = tags_of(data, rows, columns)[i, j] * width + place
        found.append((i.astype(np.int32) + rows.start, j.astype(np.int32) + columns.start, bins))
    i, j, bins = (np.concatenate(side) for side in zip(*found, strict=True))
    return i, j, bins


def same_tail(data: Arrays, clock: Clock) -> Floats:
    """Weigh only the comparisons above the lowest threshold."""
    width = data["thresholds"].size + 1
    i, j, bins = tail_of(data)
    weights = data["weights"][:3].astype(np.float64)

    def one(w: Floats) -> Floats:
        sums = np.bincount(bins, w[i] * w[j], (GROUPS + 1) * width)
        return by_group(sums.reshape(-1, width)) / non_mated_trials(data)

    found = clock.run("replicate", lambda: [one(w) for w in weights], len(weights))
    return answer(found, data, data["weights"])


def whole_matrix(data: Arrays, clock: Clock) -> Floats:
    """Threshold at FMR 1e-3 and mated scores from one float32 product of everything with everything."""

    def score() -> Floats:
        scores = data["vectors"] @ data["vectors"].T
        apart = data["subject"][:, None] < data["subject"][None, :]
        others = scores[apart]
        mated = scores[np.triu(data["subject"][:, None] == data["subject"][None, :], 1)]
        place = others.size - 1 - others.size // 1000
        return np.array([np.partition(others, place)[place], mated.mean()], dtype=np.float64)

    return clock.run("score", score)


def fold_loop(data: Arrays, clock: Clock) -> Floats:
    """Ten-fold accuracy by trying every threshold on the training folds."""

    def search() -> Floats:
        shares = []
        for fold in range(10):
            train = data["fold"] != fold
            score, mated = data["score"][train], data["mated"][train]
            ordered = np.unique(score)
            tried = [-math.inf, *((ordered[1:] + ordered[:-1]) / 2), ordered[-1]]
            right = [np.count_nonzero((score > cut) == mated) for cut in tried]
            best = tried[len(right) - 1 - int(np.argmax(right[::-1]))]  # of the best, the strictest
            shares.append(np.mean((data["score"][~train] > best) == data["mated"][~train]))
        return np.array(shares)

    return clock.run("search", search)
