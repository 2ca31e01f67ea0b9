"""Robustness: kinds of people that may be absent, subjects that carry a rate, what labels could change.

Everything comes from counts that the system's data hold already: nothing is scored again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from frtaudit.analyses.shared.class_uncertainty import ClassUncertainty
from frtaudit.analyses.shared.influence import NAME, Influence, Kept, make_estimate, review_rows, reviewed
from frtaudit.analyses.shared.nearest_matches import DIFFERENT, VERDICTS
from frtaudit.core import UNKNOWN, CohortData, Estimate
from frtaudit.core.metrics import EVERY_SYSTEM
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec
from frtaudit.core.spec_values import PATH
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import AtKey
from frtaudit.evaluation.system import AnalysisOutput, SystemData, on_panel
from frtaudit.inputs.review import as_csv, need_review, read_review
from frtaudit.stats.groups import influence

WHERE = f"analyses.{NAME}"
REVIEW = (
    *("pair", "sample", "other_sample", "subject", "other_subject", "ranks", "score"),
    *("comparisons_of_the_two", "verdict"),
)
Shares = Mapping[str, Mapping[str, float]]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """Absent people, subjects with most errors, leave-one-out, label errors, bounds for unknowns, other class shares.

    ``worst``: the share of subjects whose false matches are added up; ``label_errors``: how many of the top non-mated
    pairs are taken for label errors; ``reviewed``: the review file with verdicts; ``mix``: schema to class to its share
    in the population, 1 in all; ``mislabelled``: schema to class (or ``each``) to the share of its labels that are
    wrong.
    """

    worst: float = 0.01
    label_errors: tuple[int, ...] = (1, 3, 10)
    reviewed: str | None = field(default=None, metadata=PATH)
    mix: Shares = field(default_factory=dict)
    mislabelled: Shares = field(default_factory=dict)
    metrics = ("fmr_mix", "fnmr_mix")

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for shares that are none, and for no number of label errors."""
        if not 0 < self.worst < 1:
            raise SpecError(
                f"{WHERE}.worst", f"found {self.worst:g}", "a number between 0 and 1, both excluded"
            )
        if not self.label_errors or min(self.label_errors) < 1:
            raise SpecError(f"{WHERE}.label_errors", "names no pair", "whole numbers, 1 or more")
        for schema, shares in self.mix.items():
            total = sum(shares.values())
            if min(shares.values(), default=-1.0) < 0 or not abs(total - 1) < 1e-6:
                text = f"shares that are negative, or sum to {total:g}"
                raise SpecError(f"{WHERE}.mix.{schema}", text, "shares of 0 or more that sum to 1")
        for schema, shares in self.mislabelled.items():
            for name, share in shares.items():
                if not 0 <= share < 1:
                    text = f"found {share:g}"
                    raise SpecError(f"{WHERE}.mislabelled.{schema}.{name}", text, "a share from 0 to below 1")

    def check_files(self) -> None:
        """Raise :class:`DataError` for a review file that is not there, before anything is estimated."""
        need_review(self.reviewed)

    def survey(self, spec: AuditSpec, cohort_data: CohortData) -> None:  # noqa: ARG002  analyses share a signature
        """Refuse, before anything is scored, a schema or class that the cohort has not."""
        known = cohort_data.cohort.classifications
        for key, declared, more in (("mix", self.mix, ()), ("mislabelled", self.mislabelled, ("each",))):
            for schema, shares in declared.items():
                if schema not in known:
                    raise SpecError(
                        f"{WHERE}.{key}", f"no schema is named {schema!r}", ", ".join(known) or "none"
                    )
                names = (*known[schema].classes, *more)
                for name in shares:
                    if name not in names:
                        text = f"{schema} has no class {name!r}"
                        raise SpecError(f"{WHERE}.{key}.{schema}", text, ", ".join(names))

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Everything about one system; once for all: who could be absent, and how many have no class."""
        people = Influence(system=system, worst_share=self.worst, label_errors_taken=self.label_errors)
        estimates = [*people.worst(), *people.heaviest(), *people.without_one(), *people.label_errors()]
        if system.provider == on_panel(system.spec, system.cohort_data)[0]:
            estimates = [*_absent(system, alpha), *_unknown(system), *estimates]
        for schema in system.groups.schemas:
            mix, mislabelled = self.mix.get(schema), self.mislabelled.get(schema, {})
            estimates += ClassUncertainty(
                system=system, schema=schema, alpha=alpha, mix=mix, mislabelled=mislabelled
            ).estimates()
        return AnalysisOutput(
            estimates=tuple(estimates), files=people.files(), per_system_state=people.review_pairs()
        )

    def across(self, states: Mapping[str, object], spec: AuditSpec, alpha: float) -> AnalysisOutput:  # noqa: ARG002  shared
        """The review file of all systems' top pairs; with verdicts, FMR without the label errors they name."""
        by_system = {name: cast("Kept", state) for name, state in states.items()}
        rows = review_rows(by_system)
        files = {f"{NAME}/review.csv": as_csv(REVIEW, rows)}
        if self.reviewed is None:
            return AnalysisOutput(files=files)
        review = read_review(self.reviewed, {str(row[0]) for row in rows}, VERDICTS)
        wrong = {pair for pair, verdict in review.items() if verdict != DIFFERENT}
        estimates = [
            estimate for name, state in by_system.items() for estimate in reviewed(name, state, review, wrong)
        ]
        merge = sorted({(str(row[3]), str(row[4])) for row in rows if row[0] in wrong})
        files[f"{NAME}/label_errors.csv"] = as_csv(("subject", "same_person_as"), merge)
        return AnalysisOutput(estimates=tuple(estimates), files=files)


def _absent(system: SystemData, alpha: float) -> Iterator[Estimate]:
    """How common a kind of person may be and still be missed with probability alpha: by all, by each class."""
    cohort = system.cohort
    groups: list[tuple[str | None, str, int]] = [(None, "all", cohort.n_subjects)]
    for name_of, classification in cohort.classifications.items():
        sizes = np.bincount(
            classification.codes[classification.codes >= 0], minlength=len(classification.classes)
        ).tolist()
        groups += [(name_of, name, size) for name, size in zip(classification.classes, sizes, strict=True)]
    for schema, group, size in groups:
        value = influence.absent_share(size, alpha)
        counts = 0, size
        at: AtKey = {"missed": alpha}
        yield make_estimate(EVERY_SYSTEM, "absent_kind", at, value, counts, schema=schema, group=group)


def _unknown(system: SystemData) -> Iterator[Estimate]:
    for schema, classification in system.cohort.classifications.items():
        some, total = int(np.count_nonzero(classification.codes < 0)), system.cohort.n_subjects
        yield make_estimate(
            EVERY_SYSTEM, "unknown_subjects", {}, some / total, (some, total),
            schema=schema, group=UNKNOWN,
        )  # fmt: skip
