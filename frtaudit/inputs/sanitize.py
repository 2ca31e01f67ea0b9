"""Sanitization: declared steps, in the spec's order, that take samples and subjects out before anything is scored.

The class of a subject is the one it was read with, so that a step moves nobody between classes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Ints
from frtaudit.core.canonical import seed_of
from frtaudit.core.cohort import (
    ClassCount,
    Cohort,
    CohortData,
    LedgerEntry,
    Required,
    Sanitized,
    Stage,
    Templates,
    ledger_of,
)
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import AuditSpec, ConflictRule
from frtaudit.core.spec_values import Sanitize, SanitizeStep
from frtaudit.core.text.formatting import counted
from frtaudit.errors import DataError, column_names
from frtaudit.inputs.class_rules import labelled, number_of
from frtaudit.inputs.pairing import listed_comparisons
from frtaudit.inputs.roster import cohort_digest
from frtaudit.inputs.schemas import sample_codes, subject_codes
from frtaudit.inputs.template_files import Failures

SIZE_REASON = "the largest face size that the systems ask for, so that all are judged on the same images"
READ = "read"
STOOD = f"conflicting_classes_{ConflictRule.MAJORITY.value}"


def sanitized(cohort_data: CohortData, spec: AuditSpec) -> CohortData:
    """The cohort data with what the steps of ``spec`` leave; ``ledger`` and :class:`Sanitized` hold what they excluded.

    ``cohort_data``: read with :func:`as_read`. The draw of ``fixed_samples`` takes the samples with the smallest keyed
    digests, so that neither another subject nor a step more moves it. Raises :class:`DataError` in one line: a missing
    column, a class below its number of subjects, a cohort of fewer than two subjects.
    """
    cohort = cohort_data.cohort
    for place, step in enumerate(spec.sanitize if cohort_data.transactions else ()):
        if step.step not in (Sanitize.CONFLICTING_LABELS, Sanitize.MIN_SUBJECTS):  # a transaction is whole
            text = f"{step.step.value} chooses among samples, and these are attempts of transactions"
            raise DataError(f"sanitize[{place}]", text, "conflicting_labels, or min_subjects")
    keep = np.ones(cohort.n_samples, dtype=np.bool_)
    stages = [_stage(READ, "as read", "", cohort, keep)]
    before: Flags | None = None
    ledger: list[LedgerEntry] = []
    counted_at = 0
    for place, step in enumerate(spec.sanitize):
        if before is None and step.step in (Sanitize.MIN_SAMPLES, Sanitize.FIXED_SAMPLES):
            before, counted_at = keep, place
        left = keep & _kept(f"sanitize[{place}]", step, cohort_data, keep, spec)
        if step.step is Sanitize.MIN_SUBJECTS:
            _refuse_small(f"sanitize[{place}]", step, cohort, left, keep if before is None else before)
        ledger += _entries(step, cohort, keep, left)
        reason = step.reason or (SIZE_REASON if step.step is Sanitize.MIN_FACE_SIZE else "")
        stages.append(_stage(step.step.value, rule_text(step), reason, cohort, left))
        keep = left
    if before is None:
        before, counted_at = keep, len(stages) - 1
    record = Sanitized(stages=tuple(stages), required=tuple(_required(cohort, before)), counted_at=counted_at)
    return replace(_subset(cohort_data, keep, [*_read_ledger(cohort, spec), *ledger]), sanitized=record)


def _read_ledger(cohort: Cohort, spec: AuditSpec) -> list[LedgerEntry]:
    """What reading left out, without the majorities that stood only till a step dropped them."""
    settled = {
        name
        for step in spec.sanitize
        if step.step is Sanitize.CONFLICTING_LABELS
        for name in labelled(step, spec.schemas)
    }
    return [entry for entry in cohort.ledger if entry.code != STOOD or entry.schema not in settled]


def rule_text(step: SanitizeStep) -> str:
    """A step's rule in words.

    >>> rule_text(SanitizeStep(step=Sanitize.MIN_FACE_SIZE))
    'faces of at least 50 x 50 pixels'
    """
    number = number_of(step)
    return {
        Sanitize.CONFLICTING_LABELS: "subjects whose samples agree on a class",
        Sanitize.MIN_FACE_SIZE: f"faces of at least {step.width} x {step.height} pixels",
        Sanitize.MIN_SAMPLES: f"subjects with at least {number} samples",
        Sanitize.FIXED_SAMPLES: f"{number} samples of each subject, drawn without replacement",
        Sanitize.MIN_SUBJECTS: f"classes of at least {number} subjects",
    }[step.step]


def _kept(where: str, step: SanitizeStep, cohort_data: CohortData, keep: Flags, spec: AuditSpec) -> Flags:
    """Which samples a step keeps, shape (N,), of those in ``keep``."""
    cohort = cohort_data.cohort
    counts = np.bincount(cohort.subject_of[keep], minlength=cohort.n_subjects)
    if step.step is Sanitize.CONFLICTING_LABELS:
        disagree = np.zeros(cohort.n_subjects, dtype=np.bool_)
        for name in labelled(step, spec.schemas):
            _, codes = sample_codes(name, spec.schemas, cohort_data.attributes, cohort.subject_of, {})
            disagree |= subject_codes(np.where(keep, codes, -1), cohort.subject_of)[2]
        return ~disagree[cohort.subject_of]
    if step.step is Sanitize.MIN_FACE_SIZE:
        wide = _numbers(where, cohort_data, step.width_column) >= step.width
        return wide & (_numbers(where, cohort_data, step.height_column) >= step.height)
    if step.step is Sanitize.MIN_SAMPLES:
        return np.asarray(counts[cohort.subject_of] >= number_of(step))
    if step.step is Sanitize.FIXED_SAMPLES:
        enough = counts[cohort.subject_of] >= number_of(step)
        return np.asarray(enough & (_rank(cohort, keep, spec.seed) < number_of(step)))
    return np.ones_like(keep)


def _numbers(where: str, cohort_data: CohortData, column: str) -> Floats:
    """A column as numbers, NaN where it is empty: a face of unknown size is not known to be large enough."""
    if column not in cohort_data.attributes:
        accepted = column_names(cohort_data.attributes) or "a column of numbers"
        raise DataError(where, f"no column {column!r}", accepted)
    try:
        return np.array([float(text) if text else np.nan for text in cohort_data.attributes[column]])
    except ValueError:
        raise DataError(where, f"column {column!r} holds a text that is not a number", "numbers") from None


def _rank(cohort: Cohort, keep: Flags, seed: int) -> Ints:
    """The place of each kept sample among its subject's, by a digest keyed by the seed and the sample's id."""
    names = zip(cohort.sample_ids, keep, strict=True)
    key = np.array(
        [seed_of(seed, "sanitize", name) if stays else 0 for name, stays in names], dtype=np.uint64
    )
    order = np.lexsort((key, ~keep, cohort.subject_of))
    starts = np.searchsorted(cohort.subject_of, np.arange(cohort.n_subjects))
    rank = np.empty(cohort.n_samples, dtype=np.int64)
    rank[order] = np.arange(cohort.n_samples) - starts[cohort.subject_of]
    return rank


def _refuse_small(where: str, step: SanitizeStep, cohort: Cohort, keep: Flags, before: Flags) -> None:
    """Refuse a class with fewer subjects than asked for; say with how many samples it would have enough."""
    for name in cohort.classifications if step.schema is None else [step.schema]:
        for count in _counts(cohort, keep, name):
            if count.subjects < number_of(step):
                text = f"class {count.group} of {name} has {counted(count.subjects, 'subject')} left"
                raise DataError(where, text, f"{number_of(step)} or more{_hint(step, cohort, before, count)}")


def _hint(step: SanitizeStep, cohort: Cohort, before: Flags, class_count: ClassCount) -> str:
    (left,) = [
        line.left
        for line in _required(cohort, before)
        if (line.schema, line.group) == (class_count.schema, class_count.group)
    ]
    most = sum(count >= number_of(step) for count in left)
    if not most:
        return f"; it has {left[0] if left else 0} with any sample"
    return f"; it has {left[most - 1]} where {most} sample(s) of each are asked for"


def _entries(step: SanitizeStep, cohort: Cohort, keep: Flags, left: Flags) -> Iterator[LedgerEntry]:
    """Samples and subjects that a step excluded."""
    people = [np.unique(cohort.subject_of[chosen]).size for chosen in (keep, left)]
    samples = int(np.count_nonzero(keep)) - int(np.count_nonzero(left))
    for unit, count in (("samples", samples), ("subjects", people[0] - people[1])):
        yield from ledger_of({f"sanitize_{step.step.value}": count}, unit)


def _stage(step: str, words: str, reason: str, cohort: Cohort, keep: Flags) -> Stage:
    return Stage(
        step=step,
        rule=words,
        reason=reason,
        subjects=int(np.unique(cohort.subject_of[keep]).size),
        samples=int(np.count_nonzero(keep)),
        groups=tuple(count for name in cohort.classifications for count in _counts(cohort, keep, name)),
    )


def _counts(cohort: Cohort, keep: Flags, schema: str) -> Iterator[ClassCount]:
    """Subjects and samples left in each class of a schema, unknown apart."""
    classification = cohort.classifications[schema]
    counts = np.bincount(cohort.subject_of[keep], minlength=cohort.n_subjects)
    for code, group in enumerate(classification.classes):
        sizes = counts[classification.codes == code]
        yield ClassCount(
            schema=schema, group=group, subjects=int(np.count_nonzero(sizes)), samples=int(sizes.sum())
        )


def _required(cohort: Cohort, keep: Flags) -> Iterator[Required]:
    """Subjects left in each class against the number of samples asked for."""
    counts = np.bincount(cohort.subject_of[keep], minlength=cohort.n_subjects)
    for name, schema in cohort.classifications.items():
        for code, group in enumerate(schema.classes):
            sizes = counts[schema.codes == code]
            left = (
                int(np.count_nonzero(sizes >= number)) for number in range(1, int(sizes.max(initial=0)) + 1)
            )
            yield Required(schema=name, group=group, left=tuple(left))


def _moved(failures: Mapping[str, Mapping[int, str]], place: Ints, provider: str) -> dict[int, str]:
    """The failed samples of a provider by their index in the cohort that is left."""
    return {int(place[i]): code for i, code in failures[provider].items() if place[i] >= 0}


def _subset(cohort_data: CohortData, keep: Flags, ledger: Sequence[LedgerEntry]) -> CohortData:
    """The cohort data of the kept samples alone."""
    cohort = _kept_cohort(cohort_data.cohort, keep, ledger)
    place = np.where(keep, np.cumsum(keep) - 1, -1).astype(np.int64)
    return replace(
        cohort_data,
        cohort=cohort,
        templates={name: partial(_templates, load, place) for name, load in cohort_data.templates.items()},
        tables={name: _table(cohort, place, *pair) for name, pair in cohort_data.tables.items()},
        failures=Failures(tuple(cohort_data.failures), partial(_moved, cohort_data.failures, place)),
        attributes={name: texts[keep] for name, texts in cohort_data.attributes.items()},
    )


def _kept_cohort(cohort: Cohort, keep: Flags, ledger: Sequence[LedgerEntry]) -> Cohort:
    people = np.unique(cohort.subject_of[keep])
    if people.size < 2:
        raise DataError("sanitize", f"{people.size} subject(s) are left", "two subjects or more")
    number = np.full(cohort.n_subjects, -1, dtype=np.int32)
    number[people] = np.arange(people.size, dtype=np.int32)
    samples = tuple(name for name, stays in zip(cohort.sample_ids, keep, strict=True) if stays)
    subjects = tuple(cohort.subject_ids[k] for k in people)
    subject_of = number[cohort.subject_of[keep]]
    classes = {
        name: replace(schema, codes=schema.codes[people]) for name, schema in cohort.classifications.items()
    }
    for schema in classes.values():
        empty = [name for code, name in enumerate(schema.classes) if not np.any(schema.codes == code)]
        if empty:
            text = f"class {empty[0]} of {schema.name} has no subject left"
            raise DataError("sanitize", text, "some in each")
    return Cohort(
        sample_ids=samples,
        subject_ids=subjects,
        subject_of=subject_of,
        classifications=classes,
        digest=cohort_digest(samples, subjects, subject_of.tolist(), classes),
        ledger=tuple(ledger),
    )


def _templates(load: Callable[[], Templates], place: Ints) -> Templates:
    templates = load()
    rows = place[templates.rows]
    return Templates(rows=rows[rows >= 0].astype(np.int32), vectors=templates.vectors[rows >= 0])


def _table(
    cohort: Cohort, place: Ints, comparisons: Comparisons, table: ScoreTable
) -> tuple[Comparisons, ScoreTable]:
    """Listed comparisons of kept samples, and their scores."""
    probe, reference = place[comparisons.probe], place[comparisons.reference]
    both = (probe >= 0) & (reference >= 0)
    listed = listed_comparisons(
        cohort,
        probe[both].astype(np.int32),
        reference[both].astype(np.int32),
        fold=None if comparisons.fold is None else comparisons.fold[both],
        ordered=comparisons.ordered,
    )
    return listed, ScoreTable(score=table.score[both], failure=table.failure[both], codes=table.codes)
