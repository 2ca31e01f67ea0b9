"""Scores of nobody in particular: mated or non-mated, without subject or sample.

Such files carry rates, and no more than the interval of independent comparisons: who depends on whom is not known. The
cohort that stands for them has two stand-ins: every mated comparison is of the first with itself, every non-mated one
of both. So each comparison has the same weight, and memory does not grow with such subjects.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Floats
from frtaudit.core.canonical import digest
from frtaudit.core.cohort import Cohort, CohortData, LedgerEntry, ledger_of
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.methods import Target
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import AuditSpec, Weighting
from frtaudit.errors import DataError, SpecError
from frtaudit.inputs.score_lists.gathering import scored
from frtaudit.inputs.score_lists.scorelist import MISSING_SCORE

SAID = (
    "the files name no subjects: intervals hold for independent comparisons only (target comparisons_iid), which "
    "comparisons of the same people are not; they are too narrow for people, and nothing is said of groups"
)
ACCEPTED = "{method: wilson_iid, target: comparisons_iid}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One system's scores, in the order of its files: ``mated`` (M,) and ``non_mated`` (N,), NaN where one failed."""

    name: str
    mated: Floats
    non_mated: Floats


def cohort_data_of_scores(systems: list[Scores], inputs: Mapping[str, str]) -> CohortData:
    """What stands for the systems' scores. Raises :class:`DataError` where their numbers of scores differ."""
    for scores in systems:
        for kind, count, known in (
            ("mated", scores.mated.size, systems[0].mated.size),
            ("non-mated", scores.non_mated.size, systems[0].non_mated.size),
        ):
            if not count:
                raise DataError(scores.name, f"no {kind} score", "scores of both kinds")
            if count != known:
                accepted = "as many for each system, or an audit of each"
                raise DataError(
                    scores.name, f"{count} {kind} scores, {systems[0].name} has {known}", accepted
                )
    return CohortData(
        cohort=_stand_ins(systems),
        tables={system.name: _table(system) for system in systems},
        inputs=inputs,
        pseudonym_key=bytes.fromhex(digest(dict(inputs))),
        named=False,
    )


def _stand_ins(systems: list[Scores]) -> Cohort:
    ledger: list[LedgerEntry] = []
    for system in systems:
        failed = int(np.isnan(system.mated).sum() + np.isnan(system.non_mated).sum())
        ledger += ledger_of({MISSING_SCORE: failed}, "comparisons", system.name)
    return Cohort(
        sample_ids=("one", "one again", "other"),
        subject_ids=("one", "other"),
        subject_of=np.array([0, 0, 1], dtype=np.int32),
        classifications={},
        digest=digest("nobody is named"),
        ledger=tuple(ledger),
    )


def _table(scores: Scores) -> tuple[Comparisons, ScoreTable]:
    mated = np.repeat([True, False], [scores.mated.size, scores.non_mated.size])
    comparisons = Comparisons(
        all_pairs=False,
        probe=np.zeros(mated.size, dtype=np.int32),
        reference=np.where(mated, 1, 2).astype(np.int32),
        mated=mated,
        cells=np.zeros(2, dtype=np.int32),
    )
    return comparisons, scored(np.concatenate([scores.mated, scores.non_mated]))


def refuse_people(spec: AuditSpec, cohort_data: CohortData) -> None:
    """Refuse what needs subjects, in a spec on files that name none; :class:`SpecError` says what to write instead."""
    if cohort_data.named:
        return
    why = "the files name no subjects"
    if {interval.target for interval in spec.intervals} != {Target.COMPARISONS_IID}:
        raise SpecError("intervals", why, f"[{ACCEPTED}], as in audit=nameless")
    if spec.weighting is not Weighting.POOLED:
        raise SpecError("weighting", why, "pooled")
    if spec.schemas:
        raise SpecError("schemas", why, "none")
    if spec.sanitize:
        raise SpecError("sanitize", why, "none")
    for name, analysis in spec.analyses.items():
        if not getattr(analysis, "nameless", False):
            raise SpecError(f"analyses.{name}", why, "analyses of comparisons, such as error_rates")
