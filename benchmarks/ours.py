"""frtaudit's own side. Nothing else here knows frtaudit: where its functions move, this file is what changes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.clock import Clock
from benchmarks.data import Arrays
from frtaudit.core import Groups, ScoreTail
from frtaudit.core.spec import Plan, Weighting
from frtaudit.core.spec_values import COSINE_RANGE
from frtaudit.stats.bootstrap.resample import Replicates, replicate
from frtaudit.stats.folds.kfold_accuracy import k_fold_accuracy
from frtaudit.stats.interclass.iid_bootstrap import thesis_bootstrap
from frtaudit.stats.rates.eer import eer_of
from frtaudit.stats.rates.listed import fnmr_at_fmr
from frtaudit.stats.rates.targets import threshold_at
from frtaudit.stats.similarity.allpairs import TailRequest, score_all_pairs
from frtaudit.stats.similarity.executor import Executor, by_threads
from frtaudit.stats.similarity.scorers import cosine_blocks

Floats = npt.NDArray[np.float64]
FMR = "1/1000"
FMR_OF_WHOLE = "0.01"
REPLICATES = 1000
CHECKED = 3
PLANS = (Plan.SUBJECTS, Plan.DOUBLE_OR_NOTHING, Plan.TWO_LEVEL)


def groups_of(data: Arrays) -> Groups:
    """One schema; its classes are the groups."""
    names = tuple(("group", str(number)) for number in range(int(data["group"].max()) + 1))
    return Groups(schemas=("group",), names=names, of=data["group"][None], ranked=(True,) * len(names))


def scored(data: Arrays, threads: int = 1, executor: Executor = by_threads) -> ScoreTail:
    """Mated scores, histogram and the tail above the lowest threshold, which an audit's replicates start from."""
    counts = np.bincount(data["subject"]).astype(np.int64)
    return score_all_pairs(
        cosine_blocks(data["vectors"]),
        n_samples=counts,
        rows=np.arange(data["subject"].size, dtype=np.int32),
        cells=np.zeros(counts.size, dtype=np.int32),
        groups=groups_of(data),
        score_range=COSINE_RANGE,
        request=TailRequest(fmr=float(data["lowest"]), threads=threads, executor=executor),
    ).tail


def replicates(
    tail: ScoreTail,
    data: Arrays,
    plan: Plan = Plan.IMAGES,
    *,
    n: int = REPLICATES,
    threads: int = 1,
    targets: Sequence[str] = (),
    weights: npt.NDArray[np.uint8] | None = None,
) -> Replicates:
    """Rates of everybody and every group at every threshold, with the weights drawn, or given."""
    return replicate(
        tail,
        groups_of(data),
        plan=plan,
        n=n,
        seed=1,
        targets=list(targets),
        thresholds=data["thresholds"],
        threads=threads,
        weights=weights,
    )


def engine(data: Arrays, clock: Clock) -> Floats:
    """Scoring pass, image bootstrap on one thread and on two, and the other plans."""
    clock.run("score, 2 threads", lambda: scored(data, 2))
    tail = clock.run("score", lambda: scored(data))
    clock.note("pairs scored", data["subject"].size * (data["subject"].size - 1) / 2)
    clock.note("pairs above", float((tail.tail_score > data["thresholds"][0]).sum()))
    clock.run("images, 2 threads", lambda: replicates(tail, data, threads=2))
    clock.run("images", lambda: replicates(tail, data))
    clock.peak("images")
    clock.run("images, t*", lambda: replicates(tail, data, targets=("1/1000", "1/10000")))
    for plan in PLANS:
        clock.run(plan.value, lambda plan=plan: replicates(tail, data, plan))
    return _given(tail, data)


def bootstrap(data: Arrays, clock: Clock) -> Floats:
    """Image bootstrap, B = 1000, from a tail that is there."""
    tail = scored(data)
    clock.note("pairs above", float((tail.tail_score > data["thresholds"][0]).sum()))
    clock.run("replicate", lambda: replicates(tail, data), REPLICATES)
    return _given(tail, data)


def _given(tail: ScoreTail, data: Arrays) -> Floats:
    """FMR and FNMR of the resamples that everybody is given."""
    found = replicates(tail, data, n=CHECKED, weights=data["weights"][:CHECKED])
    return np.column_stack((found.fmr[0].reshape(CHECKED, -1), found.fnmr[0].reshape(CHECKED, -1)))


def scoring(data: Arrays, clock: Clock) -> Floats:
    """Threshold at FMR 1e-3 and mated scores, scored block by block."""

    def score() -> Floats:
        tail = scored(data)
        cut = threshold_at(tail, groups_of(data), FMR, Weighting.POOLED)
        return np.array([cut, tail.mated_score.mean(dtype=np.float64)])

    return clock.run("score", score)


def whole(data: Arrays, clock: Clock) -> Floats:
    """From scores to the report's numbers: rates overall and by group with intervals, differences between groups."""
    import frtaudit

    first, second = data["first"], data["second"]
    sides = [tuple(side.astype(str) for side in pair) for pair in _pairs(data)]

    def audit() -> Floats:
        report = frtaudit.evaluate(
            data["score"],
            first == second,
            subjects=sides[0],
            samples=sides[1],
            groups={"group": sides[2]},
            fmr=[float(FMR_OF_WHOLE)],
            overrides=[f"bootstrap.B={REPLICATES}", "threads=1"],
        )
        frame = report.frame()
        here = (frame["analysis"] == "error_rates") & (frame["weighting"] == "pooled")
        rates = frame[here & (frame["metric"] == "fnmr_at_fmr")]
        return rates.sort_values("group", key=lambda names: names.where(names != "all", ""))[
            "value"
        ].to_numpy()

    return clock.run("replicate", audit, REPLICATES)


def _pairs(data: Arrays) -> tuple[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]], ...]:
    """Subjects, samples and groups of both sides."""
    first, second, group = data["first"], data["second"], data["group"]
    return (first, second), (data["sample_i"], data["sample_j"]), (group[first], group[second])


def fnmr(data: Arrays, clock: Clock) -> Floats:
    """FNMR at FMR 1e-3 of two arrays of scores."""
    return clock.run("find", lambda: np.array([fnmr_at_fmr(data["mated"], data["non_mated"], FMR)]))


def eer(data: Arrays, clock: Clock) -> Floats:
    """Equal error rate of two arrays of scores."""
    return clock.run("find", lambda: np.array([eer_of(data["mated"], data["non_mated"]).value]))


def thesis(data: Arrays, clock: Clock) -> Floats:
    """d_l2 of three classes with the thesis interval, B = 9999: lower and upper bounds."""
    samples = [data[name] for name in "abc"]

    def find() -> Floats:
        found = thesis_bootstrap(samples, (0, 100), alpha=0.1, n=9999, seed=0)
        return np.concatenate((found.lower, found.upper))

    return clock.run("resample", find, 9999)


def folds(data: Arrays, clock: Clock) -> Floats:
    """Ten-fold accuracy, the threshold of each fold fitted on the others."""

    def search() -> Floats:
        found = k_fold_accuracy(data["score"], data["mated"], data["fold"])
        return np.asarray(found.correct / found.total)

    return clock.run("search", search)
