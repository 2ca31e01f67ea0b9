"""A roster: who gave which samples, as read; enrolled, it is a cohort."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from frtaudit.core.arrays import Texts
from frtaudit.core.canonical import Json, digest
from frtaudit.core.cohort import Classification, Cohort
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.schemas import Columns, classify
from frtaudit.inputs.tables import NO_VALUE

NOBODY = frozenset({"nan", "NaN", "n/a", "N/A", "#N/A", "<NA>", "null", "NULL"})  # NA and None may be names
NO_PERSON = "the subject id is a word for a missing value"
KNOWN_PEOPLE = "the subject's id; leave samples without one out of every file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """Samples in the order of their source.

    Parameters
    ----------
    sample_ids : sequence of str
        N names.
    subjects : sequence of str
        The subject of each.
    columns : mapping of str to ndarray of object, shape (N,)
        Column to texts; empty is missing.
    places : sequence of str
        Where each sample stands in its source, for errors, which name no sample and no subject.

    Examples
    --------
    >>> Roster(sample_ids=["a1"], subjects=["a"], columns={}, places=["line 2"]).subjects
    ['a']
    """

    sample_ids: Sequence[str]
    subjects: Sequence[str]
    columns: Columns
    places: Sequence[str]


def enrol(roster: Roster, schemas: Mapping[str, SchemaSpec]) -> Cohort:
    """The cohort of a roster. The order of the roster changes nothing.

    Parameters
    ----------
    roster : Roster
        Samples as read.
    schemas : mapping of str to SchemaSpec
        How subjects are classified by the roster's columns.

    Returns
    -------
    Cohort
        Sorted by subject, then sample; subjects with conflicting classes are dropped and counted where the schema says
        so.

    Raises
    ------
    DataError
        A sample id is missing or repeated, a subject is missing, or a column does not fit its schema.

    Examples
    --------
    >>> roster = Roster(sample_ids=["b1", "a1"], subjects=["b", "a"], columns={}, places=["line 2", "line 3"])
    >>> enrol(roster, {}).sample_ids
    ('a1', 'b1')
    """
    _check(roster)
    order = sorted(range(len(roster.sample_ids)), key=lambda i: (roster.subjects[i], roster.sample_ids[i]))
    samples = [roster.sample_ids[i] for i in order]
    names = [roster.subjects[i] for i in order]
    subjects = sorted(set(names))
    number = {name: k for k, name in enumerate(subjects)}
    subject_of = np.array([number[name] for name in names], dtype=np.int32)
    classified = classify(schemas, {name: texts[order] for name, texts in roster.columns.items()}, subject_of)
    staying = classified.keep[subject_of]
    samples = [name for name, stays in zip(samples, staying, strict=True) if stays]
    subjects = [name for name, stays in zip(subjects, classified.keep, strict=True) if stays]
    renumbered = (np.cumsum(classified.keep) - 1).astype(np.int32)[subject_of[staying]]
    return Cohort(
        sample_ids=tuple(samples),
        subject_ids=tuple(subjects),
        subject_of=renumbered,
        classifications=classified.classifications,
        digest=cohort_digest(samples, subjects, renumbered.tolist(), classified.classifications),
        ledger=classified.ledger,
    )


def attributes_of(roster: Roster, cohort: Cohort) -> dict[str, Texts]:
    """The columns of a roster in the order of the cohort that it became, for ``CohortData.attributes``.

    Parameters
    ----------
    roster : Roster
        Samples as read.
    cohort : Cohort
        What ``enrol`` made of it.

    Returns
    -------
    dict of str to ndarray of object, shape (N,)
        Column to the text of each sample; empty is missing.

    Examples
    --------
    >>> columns = {"age": np.array(["31", "30"], dtype=object)}
    >>> roster = Roster(sample_ids=["b1", "a1"], subjects=["b", "a"], columns=columns, places=["line 2", "line 3"])
    >>> attributes_of(roster, enrol(roster, {}))["age"].tolist()
    ['30', '31']
    """
    row = {name: i for i, name in enumerate(roster.sample_ids)}
    order = np.array([row[name] for name in cohort.sample_ids], dtype=np.int64)
    return {name: texts[order] for name, texts in roster.columns.items()}


def _check(roster: Roster) -> None:
    first: dict[str, int] = {}
    for i, (sample, subject) in enumerate(zip(roster.sample_ids, roster.subjects, strict=True)):
        if not sample or not subject:
            raise DataError(
                roster.places[i], f"no {'subject' if sample else 'sample'} id", "an id in every row"
            )
        if subject in NOBODY:
            raise DataError(roster.places[i], f"{NO_PERSON} ({subject})", KNOWN_PEOPLE)
        if "\0" in sample or "\0" in subject:  # arrays of texts end there
            kind = "sample" if "\0" in sample else "subject"
            raise DataError(roster.places[i], f"a zero byte in the {kind} id", "ids without zero bytes")
        if sample in first:
            text = f"the sample id is already at {roster.places[first[sample]]}"
            raise DataError(roster.places[i], f"duplicate id: {text}", "unique sample ids")
        first[sample] = i


def missing_notes(cohort: Cohort) -> tuple[str, ...]:
    """A sentence for each subject of several samples whose id may stand for a missing value."""
    samples = np.bincount(cohort.subject_of, minlength=cohort.n_subjects).tolist()
    return tuple(
        f"subject {name!r} has {count} samples and counts as one person: "
        "if this stands for a missing value, leave the samples out"
        for name, count in zip(cohort.subject_ids, samples, strict=True)
        if count > 1 and name.lower() in NO_VALUE
    )


def cohort_digest(
    samples: Sequence[str],
    subjects: Sequence[str],
    subject_of: Sequence[int],
    classifications: Mapping[str, Classification],
) -> str:
    """SHA-256 over ids, subjects and classes: who is tested."""
    classes: dict[str, Json] = {
        name: {"classes": list(classification.classes), "codes": [int(code) for code in classification.codes]}
        for name, classification in classifications.items()
    }
    return digest({"samples": samples, "subjects": subjects, "subject_of": subject_of, "classes": classes})
