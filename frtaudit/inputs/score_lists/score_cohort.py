"""From score lists to a cohort: who stands in their lines, and the comparisons that the lines are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.canonical import sha256
from frtaudit.core.cohort import Cohort, CohortData, LedgerEntry, ledger_of
from frtaudit.core.comparisons import Comparisons
from frtaudit.core.scores import ScoreTable
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded, joined
from frtaudit.inputs.pairing import both_orders, listed_comparisons
from frtaudit.inputs.pairlist import said_mated
from frtaudit.inputs.pseudonyms import pseudonym_key
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.inputs.score_lists.gathering import compared
from frtaudit.inputs.score_lists.scorelist import SIDES, ScoreList, refuse_repeats
from frtaudit.inputs.tables import Table

SAMPLE = ("sample_id", "image_id")
SUBJECT = ("subject_id", "subject")


@dataclass(frozen=True, slots=True)
class _Person:
    """What is known of a sample: its subject, its class columns, and where it was first seen."""

    subject: str
    columns: dict[str, str]
    place: str


def cohort_of_lists(
    lists: Sequence[ScoreList],
    metadata: Table | None,
    schemas: Mapping[str, SchemaSpec],
    inputs: Mapping[str, str],
    key_file: str | None = None,
) -> CohortData:
    """The cohort of score lists, with a table of scores for each system in them.

    ``metadata``: a table with the subject of each sample, where the lists do not say it; ``inputs``: name to sha256 of
    what was read; ``key_file``: holds the key of pseudonyms. Raises :class:`DataError` naming file and line, never a
    sample or subject.
    """
    known = _registered(metadata) if metadata else {}
    people = _people(lists, known)
    roster = _roster(people)
    asked = (schema.column for schema in schemas.values() if schema.column is not None)
    _check_sides(lists, [column for column in asked if column not in roster.columns])
    cohort = enrol(roster, schemas)
    subjects = {sample: person.subject for sample, person in (known | people).items()}
    tables, ledger = tables_of(lists, cohort, subjects)
    return CohortData(
        cohort=replace(cohort, ledger=(*cohort.ledger, *ledger)),
        tables=tables,
        notes=tuple(_copies(tables)),
        inputs=inputs,
        attributes=attributes_of(roster, cohort),
        pseudonym_key=pseudonym_key(key_file, list(subjects), list(subjects.values())),
        secret=key_file is not None,
    )


def _check_sides(lists: Sequence[ScoreList], missing: Sequence[str]) -> None:
    """Refuse a class that a list says of one side only, of the columns that schemas ask for and nothing has."""
    for column, scores in product(missing, lists):
        sides = [f"{side}{column}" for side in SIDES]
        there = [name in scores.table.columns for name in sides]
        if any(there):
            problem = f"a column {sides[there.index(True)]} without {sides[there.index(False)]}"
            raise DataError(scores.table.name, problem, "both columns, or the class in a metadata file")


def _copies(tables: Mapping[str, tuple[Comparisons, ScoreTable]]) -> Iterator[str]:
    """A sentence for each system whose scores are those of another, comparison by comparison."""
    first: dict[str, str] = {}
    for name, (comparisons, table) in tables.items():
        columns = (comparisons.probe, comparisons.reference, table.score)
        other = first.setdefault(sha256(b"".join(column.tobytes() for column in columns)), name)
        if other != name and np.isfinite(table.score).any():
            yield f"{name} has the same scores as {other}: check that its list is no copy"


def _people(lists: Sequence[ScoreList], known: Mapping[str, _Person]) -> dict[str, _Person]:
    """Every sample of the lists; its subject and classes from the metadata, or from the lists themselves."""
    people: dict[str, _Person] = {}
    for scores in lists:
        sides = (scores.probe, scores.probe_subject), (scores.reference, scores.reference_subject)
        for side, (samples, subjects) in enumerate(sides):
            columns = {name: pair[side] for name, pair in scores.columns.items()}
            for row in _first_rows(samples, subjects, columns):
                sample = samples.text(row)
                subject = None if subjects is None else subjects.text(row)
                values = {name: column.text(row) for name, column in columns.items()}
                before = people.get(sample) or known.get(sample)
                people[sample] = _merged(before, subject, values, scores.table, row)
    return people


def _first_rows(samples: Coded, subjects: Coded | None, columns: Mapping[str, Coded]) -> list[int]:
    """The rows that say something that no row before them said."""
    import pandas as pd

    codes = {"": samples.code, "subject": (subjects or samples).code}
    codes |= {f"column {name}": column.code for name, column in columns.items()}
    return np.flatnonzero(~pd.DataFrame(codes).duplicated().to_numpy()).tolist()


def _merged(
    known: _Person | None, subject: str | None, values: Mapping[str, str], table: Table, row: int
) -> _Person:
    """What is known of a sample after one more line; :class:`DataError` when lines disagree."""
    if known is None:
        if subject is None:
            accepted = "columns probe_subject and reference_subject, or a metadata file that holds the sample"
            accepted += "; scores without subjects: audit=nameless (docs/guides/formats.md)"
            raise DataError(table.place(row), "no subject for a sample", accepted)
        return _Person(subject, dict(values), table.place(row))
    if subject is not None and subject != known.subject:
        problem = f"gives a sample a different subject than {known.place}"
        raise DataError(table.place(row), problem, "one subject")
    for name, value in values.items():
        before = known.columns.get(name, "")
        if value and before and value != before:
            problem = f"gives a sample a different {name} than {known.place}"
            raise DataError(table.place(row), problem, "one value")
    news = {name: value for name, value in values.items() if value and not known.columns.get(name)}
    return _Person(known.subject, known.columns | news, known.place) if news else known


def _registered(table: Table) -> dict[str, _Person]:
    samples, subjects = table.texts(table.need(SAMPLE)), table.texts(table.need(SUBJECT))
    columns = {name: table.texts(name) for name in table.columns}
    people: dict[str, _Person] = {}
    for row, (sample, subject) in enumerate(zip(samples, subjects, strict=True)):
        if not sample or not subject or sample in people:
            accepted = "unique samples, each with a subject"
            raise DataError(table.place(row), "duplicate ids, or a missing id", accepted)
        classes = {name: texts[row] for name, texts in columns.items()}
        people[sample] = _Person(subject, classes, table.place(row))
    return people


def _roster(people: Mapping[str, _Person]) -> Roster:
    columns = {
        name: np.array([person.columns.get(name, "") for person in people.values()], dtype=object)
        for name in sorted({name for person in people.values() for name in person.columns})
    }
    return Roster(
        sample_ids=list(people),
        subjects=[person.subject for person in people.values()],
        columns=columns,
        places=[person.place for person in people.values()],
    )


_Part = tuple[Index, Index, Floats, Coded, Table, Ints]  # of one list; its rows last


def tables_of(
    lists: Sequence[ScoreList], cohort: Cohort, subjects: Mapping[str, str]
) -> tuple[dict[str, tuple[Comparisons, ScoreTable]], list[LedgerEntry]]:
    """The comparisons and scores of each provider, and the lines that are none, counted.

    ``subjects``: sample to its subject.
    """
    index = {name: i for i, name in enumerate(cohort.sample_ids)}
    lines: dict[str, list[_Part]] = {}
    for scores in lists:
        _check_mated(scores, subjects)
        probe, reference = scores.probe.indices(index), scores.reference.indices(index)
        for place, provider in enumerate(scores.provider.names.tolist()):
            rows = scores.provider.code == place
            part = probe[rows], reference[rows], scores.score[rows], scores.failure.at(rows)
            lines.setdefault(provider, []).append((*part, scores.table, np.flatnonzero(rows)))
    tables, ledger = {}, []
    for provider in sorted(lines):
        tables[provider], entries = _table(provider, cohort, lines[provider])
        ledger += entries
    return tables, ledger


def _check_mated(scores: ScoreList, subjects: Mapping[str, str]) -> None:
    mated = said_mated(scores.table)
    number = {subject: place for place, subject in enumerate(dict.fromkeys(subjects.values()))}
    of_probe, of_reference = (
        side.mapped(np.array([number[subjects[name]] for name in side.names.tolist()], dtype=np.int32), -1)
        for side in (scores.probe, scores.reference)
    )
    wrong = np.flatnonzero((mated >= 0) & ((mated == 1) != (of_probe == of_reference)))
    if wrong.size:
        row = int(wrong[0])
        both = " and ".join(repr(subjects[side.text(row)]) for side in (scores.probe, scores.reference))
        problem = f"a {'mated' if mated[row] else 'non-mated'} line disagrees with the subjects {both}"
        raise DataError(scores.table.place(row), problem, "mated iff one subject")


def _table(
    provider: str, cohort: Cohort, lines: Sequence[_Part]
) -> tuple[tuple[Comparisons, ScoreTable], list[LedgerEntry]]:
    probe, reference, score = (np.concatenate([line[part] for line in lines]) for part in range(3))
    keep, counts = compared(probe, reference, f"provider {provider}")
    refuse_repeats(probe, reference, keep, [(table, rows) for *_, table, rows in lines])
    probe, reference = probe[keep], reference[keep]
    comparisons = listed_comparisons(cohort, probe, reference, ordered=both_orders(probe, reference))
    failure = joined([joined([line[3] for line in lines]).at(keep)])
    table = ScoreTable(
        score=score[keep], failure=failure.code.astype(np.int16), codes=tuple(failure.names.tolist())
    )
    return (comparisons, table), ledger_of(counts, "comparisons", provider)
