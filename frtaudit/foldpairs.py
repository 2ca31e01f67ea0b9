"""The pairs of the accuracy analysis: which they are, what they score, and which fold each lies in."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from frtaudit.canonical import seed_of
from frtaudit.core import Cohort, Comparisons, Groups, Material, ScoreTable, ScoreTail
from frtaudit.core.spec import AuditSpec, FoldSource
from frtaudit.errors import SpecError
from frtaudit.intake.acquisition import listed_tail
from frtaudit.intake.pairlist import PairList, read_pairs
from frtaudit.stats import folds
from frtaudit.stats.tail import TailRequest
from frtaudit.trial import FoldPairs, Provider

DRAWN = 3000
Index = npt.NDArray[np.int32]


def fold_pairs(
    spec: AuditSpec,
    provider: Provider,
    material: Material,
    comparisons: Comparisons,
    table: ScoreTable | None,
    groups: Groups,
    seed: int,
) -> FoldPairs | None:
    """Pairs, scores and folds of one provider; None when the spec declares no folds."""
    if spec.folds.source is FoldSource.NONE:
        return None
    listed, origin = _pairs(spec, material, comparisons)
    if table is None or listed is not comparisons:
        request = TailRequest(
            fmr=0.5, thresholds=(), eer=False, budget=spec.tail_budget, threads=spec.threads
        )
        found = provider.scores(material, listed, groups, request, seed, spec.failures)
        if isinstance(found, ScoreTail):
            raise SpecError("folds.source", f"{provider.name} cannot score listed pairs", "folds.source=none")
        table = found
    return _folded(spec, provider, material, listed, table, origin)


def _pairs(spec: AuditSpec, material: Material, comparisons: Comparisons) -> tuple[Comparisons, str]:
    """The file's pairs, the protocol's, the cohort's official ones, or as many drawn of each kind."""
    source = spec.folds.source
    if source is FoldSource.FILE:
        if spec.folds.file is None:
            raise SpecError("folds.file", "no file", "a list of pairs with a fold column")
        pairs = _listed(material, read_pairs(Path(spec.folds.file), material.cohort))
        return _with_folds(pairs, "folds.file"), "from a file"
    if source is FoldSource.OFFICIAL:
        if not comparisons.all_pairs and comparisons.fold is not None:
            return comparisons, "as the list of comparisons gives them"
        if material.pairs is None:
            raise SpecError(
                "folds.source", "the cohort has no official pairs", "file, disjoint, strict or none"
            )
        return _with_folds(
            _listed(material, read_pairs(material.pairs, material.cohort)), "pairs"
        ), "official"
    words = (
        "constructed identity-disjoint"
        if source is FoldSource.DISJOINT
        else "constructed, sharing no subject"
    )
    if not comparisons.all_pairs:
        return comparisons, words
    if material.pairs is not None:
        return _listed(
            material, read_pairs(material.pairs, material.cohort)
        ), f"{words} on the official pairs"
    return _drawn(spec, material.cohort, comparisons), f"{words} on drawn pairs"


def _listed(material: Material, pairs: PairList) -> Comparisons:
    subject = material.cohort.subject_of
    return Comparisons(
        all_pairs=False,
        probe=pairs.probe,
        reference=pairs.reference,
        mated=subject[pairs.probe] == subject[pairs.reference],
        cells=np.zeros(material.cohort.n_subjects, dtype=np.int32),
        fold=pairs.fold,
    )


def _with_folds(listed: Comparisons, where: str) -> Comparisons:
    if listed.fold is None:
        raise SpecError(where, "the list of pairs has no folds", "folds.source=disjoint or strict")
    return listed


def _drawn(spec: AuditSpec, cohort: Cohort, comparisons: Comparisons) -> Comparisons:
    """At most 3,000 mated pairs without replacement, and as many distinct non-mated ones."""
    rng = np.random.default_rng(seed_of(spec.seed, "folds", "pairs"))
    subject = cohort.subject_of
    first, second = _mated(subject)
    if first.size == 0:
        raise SpecError("folds.source", "no subject has two samples", "folds.source=none")
    chosen = np.sort(rng.permutation(first.size)[:DRAWN])
    probe, reference = rng.integers(0, subject.size, (2, 20 * DRAWN)).astype(np.int32)
    low, high = np.minimum(probe, reference), np.maximum(probe, reference)
    _, once = np.unique(low.astype(np.int64) * subject.size + high, return_index=True)
    low, high = low[np.sort(once)], high[np.sort(once)]
    a, b = comparisons.cells[subject[low]], comparisons.cells[subject[high]]
    other = np.flatnonzero((subject[low] != subject[high]) & (a == b) & (a >= 0))[: chosen.size]
    return Comparisons(
        all_pairs=False,
        probe=np.concatenate([first[chosen], low[other]]),
        reference=np.concatenate([second[chosen], high[other]]),
        mated=np.arange(chosen.size + other.size) < chosen.size,
        cells=np.zeros(cohort.n_subjects, dtype=np.int32),
    )


def _mated(subject: Index) -> tuple[Index, Index]:
    """Every pair of samples of one subject, by subject."""
    ends = np.searchsorted(subject, subject, side="right")
    counts = ends - np.arange(subject.size) - 1
    first = np.repeat(np.arange(subject.size), counts)
    starts = np.cumsum(counts) - counts
    second = np.arange(counts.sum()) - np.repeat(starts, counts) + first + 1
    return first.astype(np.int32), second.astype(np.int32)


def _folded(
    spec: AuditSpec,
    provider: Provider,
    material: Material,
    listed: Comparisons,
    table: ScoreTable,
    origin: str,
) -> FoldPairs:
    scored = np.isfinite(table.score)
    subject = material.cohort.subject_of.astype(np.int64)
    first, second = subject[listed.probe[scored]], subject[listed.reference[scored]]
    mated = listed.mated[scored]
    made = _assigned(spec, listed, scored, first, second, mated, material.cohort.subject_ids)
    k = spec.folds.k if listed.fold is None or _constructed(spec) else int(listed.fold.max()) + 1
    check = folds.check_folds(first, second, mated, made.folds, k)
    tail = listed_tail(table, listed, material.cohort, provider.score_range)
    return FoldPairs(
        first=first,
        second=second,
        mated=mated,
        score=table.score[scored],
        folds=made.folds,
        k=k,
        failed=int(np.count_nonzero(~scored)),
        dropped=made.dropped,
        disjoint=check.mated_disjoint,
        tail=tail,
        origin=origin,
    )


def _constructed(spec: AuditSpec) -> bool:
    return spec.folds.source in (FoldSource.DISJOINT, FoldSource.STRICT)


def _assigned(
    spec: AuditSpec,
    listed: Comparisons,
    scored: npt.NDArray[np.bool_],
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    mated: npt.NDArray[np.bool_],
    names: tuple[str, ...],
) -> folds.Assignment:
    if spec.folds.source is FoldSource.DISJOINT:
        return folds.disjoint_folds(first, mated, spec.folds.k, names)
    if spec.folds.source is FoldSource.STRICT:
        return folds.strict_folds(first, second, mated, spec.folds.k, names)
    given = listed.fold if listed.fold is not None else np.zeros(listed.n_listed, dtype=np.int16)
    return folds.Assignment(folds=given[scored].astype(np.int64))
