"""The peers: SciPy, scikit-learn, pandas, faiss, bob.measure, pyeer. Each runs in its own environment."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.clock import Clock
from benchmarks.data import GROUPS, Arrays
from benchmarks.plain import answer, by_group, mated_pairs, non_mated_trials, tail_of

Floats = npt.NDArray[np.float64]
FMR = 1e-3
RESAMPLES = 999
FEW = 9  # resamples of what takes a second each
FAISS_PILOT = 2000  # samples
LEVELS = 500  # of the integral over u, as frtaudit takes it at this size


def sparse_products(data: Arrays, clock: Clock) -> Floats:
    """Image resamples by scipy.sparse: one matrix for each group and bin of the tail, 64 replicates at once."""
    from scipy.sparse import csr_array

    width, size = data["thresholds"].size + 1, data["subject"].size
    i, j, bins = tail_of(data)
    order = np.argsort(bins, kind="stable")
    ends = np.searchsorted(bins[order], np.arange((GROUPS + 1) * width + 1))
    parts = []
    for number, (low, high) in enumerate(pairwise(ends)):
        if high > low:
            own = order[low:high]
            ones = np.ones(own.size, dtype=np.float32)
            parts.append((number, csr_array((ones, (i[own], j[own])), shape=(size, size))))
    del i, j, bins, order

    def replicates() -> list[Floats]:
        weights = np.ascontiguousarray(data["weights"].T, dtype=np.float32)
        sums = np.zeros(((GROUPS + 1) * width, weights.shape[1]))
        for number, matrix in parts:
            sums[number] = np.einsum("ib,ib->b", weights, matrix @ weights, dtype=np.float64)
        trials = non_mated_trials(data)
        return [by_group(column.reshape(-1, width)) / trials for column in sums.T]

    found = clock.run("replicate", replicates, len(data["weights"]))
    return answer(found[:3], data, data["weights"])


def faiss_ranges(data: Arrays, clock: Clock) -> Floats:
    """Threshold at FMR 1e-3 and mated scores: faiss finds all comparisons above the threshold of a pilot."""
    import faiss

    faiss.omp_set_num_threads(1)
    vectors, subject = data["vectors"], data["subject"]
    trials = int(non_mated_trials(data)[0])

    def score() -> Floats:
        pilot = vectors[:FAISS_PILOT] @ vectors[:FAISS_PILOT].T
        apart = pilot[subject[:FAISS_PILOT, None] < subject[None, :FAISS_PILOT]]
        floor = np.partition(apart, -(apart.size * 3 // 2000))[-(apart.size * 3 // 2000)]
        index = faiss.IndexFlatIP(vectors.shape[1])
        index.add(vectors)
        limits, scores, neighbours = index.range_search(vectors, float(floor))
        query = np.repeat(np.arange(subject.size), np.diff(limits.astype(np.int64)))
        others = scores[subject[query] < subject[neighbours]]
        i, j = mated_pairs(data)
        mated = np.einsum("pd,pd->p", vectors[i], vectors[j])
        place = others.size - 1 - trials // 1000
        return np.array([np.partition(others, place)[place], mated.mean()], dtype=np.float64)

    return clock.run("score", score)


def assembled(data: Arrays, clock: Clock) -> Floats:
    """FNMR at FMR 1e-2 overall and by group by scikit-learn and pandas; scipy.stats.bootstrap over the subjects."""
    import pandas as pd
    from scipy import stats
    from sklearn.metrics import roc_curve

    first, second, group = data["first"], data["second"], data["group"]
    table = pd.DataFrame({"score": data["score"], "mated": first == second, "group": group[first]})
    mated = table["mated"].to_numpy()

    def rates(drawn: npt.NDArray[np.intp]) -> Floats:
        times = np.bincount(drawn, minlength=group.size)
        weight = np.where(mated, times[first], times[first] * times[second])
        fmr, tar, cuts = roc_curve(
            table["mated"], table["score"], sample_weight=weight, drop_intermediate=False
        )
        place = np.searchsorted(fmr, 1e-2, side="right") - 1
        own = table[mated].assign(weight=weight[mated])
        own["error"] = own["weight"] * (own["score"] < cuts[place])
        sums = own.groupby("group")[["error", "weight"]].sum()
        return np.array([1 - tar[place], *(sums["error"] / sums["weight"])])

    def statistic(drawn: npt.NDArray[np.intp], axis: int = -1) -> Floats:
        return np.apply_along_axis(rates, axis, drawn).swapaxes(0, -1) if drawn.ndim > 1 else rates(drawn)

    def intervals() -> Floats:
        subjects = (np.arange(group.size),)
        stats.bootstrap(
            subjects, statistic, n_resamples=FEW, batch=1, vectorized=True, method="percentile",
            rng=np.random.default_rng(0),
        )  # fmt: skip
        return rates(subjects[0])

    return clock.run("replicate", intervals, FEW)


def sklearn_fnmr(data: Arrays, clock: Clock) -> Floats:
    """FNMR at FMR 1e-3 from scikit-learn's ROC curve."""
    from sklearn.metrics import roc_curve

    score = np.concatenate((data["mated"], data["non_mated"]))
    label = np.arange(score.size) < data["mated"].size

    def find() -> Floats:
        fmr, tar, _ = roc_curve(label, score, drop_intermediate=False)
        return np.array([1 - tar[np.searchsorted(fmr, FMR, side="right") - 1]])

    return clock.run("find", find)


def bob_fnmr(data: Arrays, clock: Clock) -> Floats:
    """FNMR at FMR 1e-3 by bob.measure: its threshold, then its rates."""
    from bob.measure import far_threshold, farfrr

    def find() -> Floats:
        cut = far_threshold(data["non_mated"], data["mated"], FMR)
        return np.array([farfrr(data["non_mated"], data["mated"], cut)[1]])

    return clock.run("find", find)


def bob_eer(data: Arrays, clock: Clock) -> Floats:
    """Equal error rate by bob.measure."""
    from bob.measure import eer

    return clock.run("find", lambda: np.array([eer(data["non_mated"], data["mated"])]))


def pyeer_eer(data: Arrays, clock: Clock) -> Floats:
    """Equal error rate by pyeer: its curve, then its crossing."""
    from pyeer.eer_stats import calculate_roc, get_eer_values

    def find() -> Floats:
        _, fmr, fnmr = calculate_roc(data["mated"], data["non_mated"])
        return np.array([get_eer_values(fmr, fnmr)[3]])

    return clock.run("find", find)


def scipy_thesis(data: Arrays, clock: Clock) -> Floats:
    """d_l2 of three classes with the thesis interval; the standard deviations come from scipy.stats.bootstrap."""
    from scipy import stats

    samples = tuple(data[name] for name in "abc")
    size = samples[0].size
    rank = np.ceil((np.arange(LEVELS) + 0.5) / LEVELS * size).astype(int) - 1

    def differences(*drawn: Floats, axis: int = -1) -> Floats:
        """Delta of each class at u, (3, U, resamples)."""
        q = np.stack([np.take(np.sort(x, axis=axis), rank, axis=axis) for x in drawn])
        return np.moveaxis(q - q.mean(axis=0), -1, 1)

    def norms(values: Floats) -> Floats:
        return np.asarray(np.sqrt(np.square(values).mean(axis=1)))

    def find() -> Floats:
        found = stats.bootstrap(
            samples,
            differences,
            n_resamples=RESAMPLES,
            batch=100,
            vectorized=True,
            method="percentile",
            rng=np.random.default_rng(0),
        )
        delta = differences(*samples)
        half = stats.t.isf(0.05, RESAMPLES) * found.standard_error
        low = np.maximum(np.abs(delta) - half, 0.0)
        return np.concatenate((norms(low), norms(np.abs(delta) + half)))

    return clock.run("resample", find, RESAMPLES)
