"""The pairs of the accuracy analysis and of test sets: which they are, what they score, which fold each lies in."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from frtaudit.core import Cohort, CohortData, Comparisons, ScoreTable
from frtaudit.core.arrays import Flags, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.comparisons import chosen
from frtaudit.core.spec import AuditSpec, FoldClaim, Folds, FoldSource
from frtaudit.errors import DataError, SpecError
from frtaudit.evaluation.protocols import Provider
from frtaudit.evaluation.system import FoldPairs
from frtaudit.inputs.acquisition import listed_tail
from frtaudit.inputs.pairlist import read_pairs
from frtaudit.stats.folds import fold_assignment
from frtaudit.stats.similarity.pairs import mated_pairs

DRAWN = 3000


def fold_pairs(
    spec: AuditSpec,
    provider: Provider,
    cohort_data: CohortData,
    comparisons: Comparisons,
    table: ScoreTable | None,
    seed: int,
) -> FoldPairs | None:
    """Pairs, scores and folds of one provider; None when the spec declares no folds."""
    if spec.folds.source is FoldSource.NONE:
        return None
    listed, origin = pairs_of(spec, spec.folds, cohort_data, comparisons)
    if table is None or listed is not comparisons:
        table = provider.score_table(cohort_data, listed, seed, spec.failures)
    return _folded(spec.folds, provider, cohort_data, listed, table, origin)


def set_pairs(
    spec: AuditSpec, name: str, cohort_data: CohortData, listed: Comparisons | None, comparisons: Comparisons
) -> tuple[Comparisons, str]:
    """The pairs of the declared test set ``name`` and their origin: what its protocol ``listed``, else as folds say."""
    of = spec.test_sets[name].folds
    where = f"test_sets.{name}"
    if of.source is FoldSource.NONE:
        raise SpecError(f"{where}.folds.source", "no folds", "official, file, disjoint or strict")
    if listed is None:
        return pairs_of(spec, of, cohort_data, comparisons, where)
    if listed.all_pairs:
        accepted = "a protocol that lists pairs: listed, sampled, curated"
        raise SpecError(f"{where}.pairs", "all pairs, implied", accepted)
    if of.source is FoldSource.FILE:
        text = "folds from a file with pairs"
        raise SpecError(f"{where}.folds.source", text, "official, disjoint or strict")
    capped, note = _capped(spec, of, cohort_data.cohort, listed)
    if of.source is FoldSource.OFFICIAL:
        folded = _with_folds(capped, f"{where}.pairs")
        return _claimed(of, cohort_data.cohort, folded, f"{where}.folds"), f"as its list gives them{note}"
    return capped, f"{_WORDS[of.source]}{note}"


_WORDS = {
    FoldSource.DISJOINT: "constructed identity-disjoint",
    FoldSource.STRICT: "constructed, sharing no subject",
}


def pairs_of(
    spec: AuditSpec, of: Folds, cohort_data: CohortData, comparisons: Comparisons, where: str = ""
) -> tuple[Comparisons, str]:
    """The file's pairs, the protocol's, the cohort's official ones, or as many drawn of each kind; and their origin."""
    at = f"{where}.folds" if where else "folds"
    listed, origin = _pairs(spec, of, cohort_data, comparisons)
    capped, note = _capped(spec, of, cohort_data.cohort, listed)
    return _claimed(of, cohort_data.cohort, capped, at), origin + note


def _pairs(
    spec: AuditSpec, of: Folds, cohort_data: CohortData, comparisons: Comparisons
) -> tuple[Comparisons, str]:
    if of.source is FoldSource.FILE:
        if of.file is None:
            raise SpecError("folds.file", "no file", "a list of pairs with a fold column")
        return _with_folds(_listed(cohort_data, Path(of.file)), "folds.file"), "from a file"
    if of.source is FoldSource.OFFICIAL:
        if not comparisons.all_pairs and comparisons.fold is not None:
            return _with_folds(comparisons, "protocol"), "as the list of comparisons gives them"
        return _official(cohort_data)
    words = _WORDS[of.source]
    if not comparisons.all_pairs:
        return comparisons, words
    if cohort_data.pairs is not None:
        return _listed(cohort_data, cohort_data.pairs), f"{words} on the official pairs"
    return _drawn(spec, cohort_data.cohort, comparisons), f"{words} on drawn pairs"


def _official(cohort_data: CohortData) -> tuple[Comparisons, str]:
    """The pairs that the cohort brings with their folds: those of finished runs, or its list."""
    if cohort_data.folded is not None:
        return cohort_data.folded, "as in the finished runs"
    if cohort_data.pairs is None:
        raise SpecError("folds.source", "the cohort has no official pairs", "file, disjoint, strict or none")
    return _with_folds(_listed(cohort_data, cohort_data.pairs), cohort_data.pairs.name), "official"


def _capped(spec: AuditSpec, of: Folds, cohort: Cohort, listed: Comparisons) -> tuple[Comparisons, str]:
    """At most ``per_subject`` mated pairs of a subject, drawn; and how many were left out, in words."""
    if of.per_subject is None:
        return listed, ""
    rng = np.random.default_rng(seed_of(spec.seed, "folds", "per_subject"))
    subject = cohort.subject_of[listed.probe].astype(np.int64)
    keep = fold_assignment.capped(subject, listed.mated, of.per_subject, rng)
    lost = int(np.count_nonzero(~keep))
    return chosen(listed, keep), f", at most {of.per_subject} mated pairs of a subject ({lost} left out)"


def _claimed(of: Folds, cohort: Cohort, listed: Comparisons, where: str) -> Comparisons:
    """The pairs, if their folds are what the spec claims; :class:`DataError` that counts the leaks otherwise."""
    if of.claim is FoldClaim.NONE or listed.fold is None:
        return listed
    subject = cohort.subject_of.astype(np.int64)
    ends = subject[listed.probe], subject[listed.reference]
    mated, every = fold_assignment.leaking(*ends, listed.mated, listed.fold.astype(np.int64))
    leaks = mated if of.claim is FoldClaim.DISJOINT else every
    if leaks:
        kind = "mated pairs" if of.claim is FoldClaim.DISJOINT else "pairs"
        of_subjects = f"{kind} of {leaks} subject{'s' * (leaks > 1)}"
        text = f"the folds share identities: {of_subjects} lie in more than one fold"
        raise DataError(f"{where}.claim", text, f"each subject's {kind} in one fold, or claim: none")
    return listed


def _listed(cohort_data: CohortData, file: Path) -> Comparisons:
    pairs, subject = read_pairs(file, cohort_data.cohort), cohort_data.cohort.subject_of
    return Comparisons(
        all_pairs=False,
        probe=pairs.probe,
        reference=pairs.reference,
        mated=subject[pairs.probe] == subject[pairs.reference],
        cells=np.zeros(cohort_data.cohort.n_subjects, dtype=np.int32),
        fold=pairs.fold,
    )


def _with_folds(listed: Comparisons, where: str) -> Comparisons:
    """The pairs. Raises :class:`SpecError` where they have no folds, or one: a threshold needs other folds."""
    if listed.fold is None or listed.fold.max() < 1:
        number = "no folds" if listed.fold is None else "one fold"
        accepted = "two folds or more in the list, or folds.source=disjoint or strict"
        raise SpecError(where, f"the list of pairs has {number}", accepted)
    return listed


def _drawn(spec: AuditSpec, cohort: Cohort, comparisons: Comparisons) -> Comparisons:
    """At most 3,000 mated pairs without replacement, and as many distinct non-mated ones."""
    rng = np.random.default_rng(seed_of(spec.seed, "folds", "pairs"))
    subject = cohort.subject_of
    first, second = mated_pairs(subject)
    if first.size == 0:
        raise SpecError("folds.source", "no subject has two samples", "folds.source=none")
    drawn = np.sort(rng.permutation(first.size)[:DRAWN])
    probe, reference = rng.integers(0, subject.size, (2, 20 * DRAWN)).astype(np.int32)
    low, high = np.minimum(probe, reference), np.maximum(probe, reference)
    _, once = np.unique(low.astype(np.int64) * subject.size + high, return_index=True)
    low, high = low[np.sort(once)], high[np.sort(once)]
    a, b = comparisons.cells[subject[low]], comparisons.cells[subject[high]]
    other = np.flatnonzero((subject[low] != subject[high]) & (a == b) & (a >= 0))[: drawn.size]
    return Comparisons(
        all_pairs=False,
        probe=np.concatenate([first[drawn], low[other]]),
        reference=np.concatenate([second[drawn], high[other]]),
        mated=np.arange(drawn.size + other.size) < drawn.size,
        cells=np.zeros(cohort.n_subjects, dtype=np.int32),
    )


def _folded(
    of: Folds,
    provider: Provider,
    cohort_data: CohortData,
    listed: Comparisons,
    table: ScoreTable,
    origin: str,
) -> FoldPairs:
    scored = np.isfinite(table.score)
    subject = cohort_data.cohort.subject_of.astype(np.int64)
    first, second = subject[listed.probe[scored]], subject[listed.reference[scored]]
    mated = listed.mated[scored]
    assignment, overlap = _assigned(of, listed, scored, first, second, cohort_data.cohort)
    constructed = of.source in (FoldSource.DISJOINT, FoldSource.STRICT)
    k = of.k if listed.fold is None or constructed else int(listed.fold.max()) + 1
    check = fold_assignment.check_folds(first, second, mated, assignment.folds, k)
    tail = listed_tail(table, listed, cohort_data.cohort, provider.score_range)
    return FoldPairs(
        first=first,
        second=second,
        mated=mated,
        score=table.score[scored],
        folds=assignment.folds,
        k=k,
        failed=int(np.count_nonzero(~scored)),
        dropped=assignment.dropped,
        disjoint=check.mated_disjoint,
        strict=check.fully_disjoint,
        tail=tail,
        origin=origin,
        overlap=overlap,
        listed=listed,
        at=np.flatnonzero(scored),
    )


def _assigned(
    of: Folds, listed: Comparisons, scored: Flags, first: Ints, second: Ints, cohort: Cohort
) -> tuple[fold_assignment.Assignment, Ints | None]:
    """The folds of the scored pairs; and folds that split each subject's mated pairs, where the spec wants both."""
    mated, names = listed.mated[scored], cohort.subject_ids
    strata = strata_of_pairs(cohort, of.stratify, first, second)
    if of.source is FoldSource.STRICT:
        return fold_assignment.strict_folds(first, second, mated, of.k, names), None
    if of.source is FoldSource.DISJOINT:
        disjoint = fold_assignment.disjoint_folds(first, mated, of.k, names, strata)
        split = fold_assignment.overlap_folds(first, mated, of.k, names, strata) if of.overlap else None
        return disjoint, None if split is None else split.folds
    given = listed.fold if listed.fold is not None else np.zeros(listed.n_listed, dtype=np.int16)
    folds = given[scored].astype(np.int64)
    if not of.overlap:
        return fold_assignment.Assignment(folds=folds), None
    dealt = fold_assignment.overlap_folds(first, mated, int(given.max()) + 1, names, strata).folds
    return fold_assignment.Assignment(folds=folds), np.where(mated & (folds >= 0), dealt, folds)


def strata_of_pairs(cohort: Cohort, schema: str | None, first: Ints, second: Ints) -> Ints | None:
    """The stratum of each pair: the group that both subjects share, else one for pairs across groups."""
    if schema is None:
        return None
    if schema not in cohort.classifications:
        accepted = ", ".join(cohort.classifications) or "a schema"
        raise SpecError("folds.stratify", f"no schema is named {schema!r}", accepted)
    codes = cohort.classifications[schema].codes.astype(np.int64)
    across = len(cohort.classifications[schema].classes) + 1
    return np.where(codes[first] == codes[second], codes[first] + 1, across)


def scored_sets(
    spec: AuditSpec,
    provider: Provider,
    cohort_data: CohortData,
    lists: Mapping[str, tuple[Comparisons, str]],
) -> dict[str, FoldPairs]:
    """Every declared test set as one provider scores it."""
    seed = seed_of(spec.seed, "provider", provider.name)
    sets: dict[str, FoldPairs] = {}
    for name, (listed, origin) in lists.items():
        table = provider.score_table(cohort_data, listed, seed, spec.failures)
        sets[name] = _folded(spec.test_sets[name].folds, provider, cohort_data, listed, table, origin)
    return sets
