"""The peers: SciPy, scikit-learn, bob.measure, pyeer. Each function runs in that peer's own environment."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.clock import Clock
from benchmarks.data import GROUPS, Arrays
from benchmarks.plain import answer, by_group, non_mated_trials, tail_of

Floats = npt.NDArray[np.float64]
FMR = 1e-3
RESAMPLES = 999
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
