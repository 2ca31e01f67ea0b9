"""What interclass bias becomes when a failure to extract is a score of zero (the thesis), and when it is kept apart.

Thesis, "Failure to Extract Features": any comparison with an image that failed gets the lowest score.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from frtaudit.core import Estimate
from frtaudit.core.arrays import Ints
from frtaudit.core.registry import register
from frtaudit.core.spec import FailureScore
from frtaudit.evaluation.class_scores import ClassScores, class_scores
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.inputs.pairing import align
from frtaudit.stats.interclass import d_l2

NAME = "failure_scores"
APART, ZERO = "apart", "score_zero"
SAME = "the same comparisons read in two ways: a difference without sampling error of its own"


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class FailureScores:
    """d_l2 of each class in quantile space with failed comparisons kept apart, and as the lowest score; the difference.

    Whatever ``failures`` the spec declares for the rest of the audit.
    """

    metrics = ("d_l2_failures", "d_l2_failures_change", "failed_mated")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """All schemas with two classes or more that have mated comparisons."""
        estimates: list[Estimate] = []
        failed = failed_pairs(system)
        scored = failed if system.spec.failures is FailureScore.SCORE_ZERO else failed[:0]
        for schema in system.groups.schemas:
            by_class, _ = class_scores(system, schema)
            if len(by_class.names) >= 2:
                estimates += self._schema(system, without(by_class, scored), failed)
        return AnalysisOutput(estimates=tuple(estimates))

    def _schema(self, system: SystemData, by_class: ClassScores, failed: Ints) -> Iterator[Estimate]:
        summaries = {APART: by_class, ZERO: with_zeros(system, by_class, failed)}
        if any(scores.size == 0 for scores in summaries[APART].scores):
            return
        distances = {
            name: d_l2.d_l2(variant.scores, variant.score_range) for name, variant in summaries.items()
        }
        for c, group in enumerate((*by_class.names, "max")):
            make = partial(Estimate.of, system.provider, NAME, of=(by_class.schema, group))
            both = {name: float(d.max() if group == "max" else d[c]) for name, d in distances.items()}
            if group != "max":
                zero, apart = (summaries[name].scores[c].size for name in (ZERO, APART))
                counts = zero - apart, zero
                yield make("failed_mated", (zero - apart) / zero, counts=counts)
            for name, value in both.items():
                yield make("d_l2_failures", value, at={"failures": name})
            yield make("d_l2_failures_change", both[ZERO] - both[APART], note=SAME)


def failed_pairs(system: SystemData) -> Ints:
    """Mated pairs without a score, cohort indices (F, 2), the smaller first: listed ones, or all of failed samples."""
    if system.attempts is not None:
        compared = system.comparisons
        chosen = (system.attempts.failure >= 0) & compared.mated
        pairs = np.stack([compared.probe[chosen], compared.reference[chosen]], axis=1)
        return np.sort(pairs, axis=1).astype(np.int64)
    cohort = system.cohort
    lost = np.zeros(cohort.n_samples, dtype=np.bool_)
    lost[list(system.failed)] = True
    starts = np.searchsorted(cohort.subject_of, np.arange(cohort.n_subjects + 1))
    lost_pairs = [
        (i, j)
        for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        if lost[start:stop].any()
        for i in range(start, stop)
        for j in range(i + 1, stop)
        if lost[i] or lost[j]
    ]
    return np.array(lost_pairs, dtype=np.int64).reshape(-1, 2)


def without(by_class: ClassScores, failed: Ints) -> ClassScores:
    """The scores without those of failed comparisons: of the lines of a pair as many as failed, the lowest first."""
    lost = _keys(failed)
    keep = []
    for pairs, score in zip(by_class.pairs, by_class.scores, strict=True):
        keys = _keys(np.sort(pairs, axis=1))
        order = np.lexsort((score, keys))
        line = align(lost, keys[order])
        flags = np.ones(keys.size, dtype=np.bool_)
        flags[order[line[line >= 0]]] = False
        keep.append(flags)
    return replace(
        by_class,
        scores=tuple(s[flags] for s, flags in zip(by_class.scores, keep, strict=True)),
        subjects=tuple(w[flags] for w, flags in zip(by_class.subjects, keep, strict=True)),
        pairs=tuple(p[flags] for p, flags in zip(by_class.pairs, keep, strict=True)),
    )


def with_zeros(system: SystemData, by_class: ClassScores, failed: Ints) -> ClassScores:
    """Scores of comparisons that did not fail, and the lowest of the range for each failed comparison of the class."""
    subject = system.cohort.subject_of[failed[:, 0]].astype(np.int64)
    codes = system.groups.of[system.groups.schemas.index(by_class.schema)][subject]
    scores, subjects, pairs = [], [], []
    for c, group_index in enumerate(by_class.group_indices):
        lost = codes == group_index - 1
        zeros = np.full(int(lost.sum()), by_class.score_range[0])
        scores.append(np.concatenate([zeros, by_class.scores[c]]))
        subjects.append(np.concatenate([subject[lost], by_class.subjects[c]]))
        pairs.append(np.concatenate([failed[lost], by_class.pairs[c]]))
    return replace(by_class, scores=tuple(scores), subjects=tuple(subjects), pairs=tuple(pairs))


def _keys(pairs: Ints) -> Ints:
    return (pairs[:, 0] << 31) | pairs[:, 1]
