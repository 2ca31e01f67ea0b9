"""Tables of attempts: who claimed whose identity in which transaction, and the score of each attempt."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from frtaudit.core.arrays import Floats, Index, Ints
from frtaudit.core.cohort import Cohort, CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.transactions import Transactions
from frtaudit.errors import DataError
from frtaudit.inputs.coded import Coded, coded_of
from frtaudit.inputs.pairlist import truth
from frtaudit.inputs.pseudonyms import pseudonym_key
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.inputs.score_lists.score_cohort import tables_of
from frtaudit.inputs.score_lists.scorelist import ScoreList, answers, is_nothing, providers
from frtaudit.inputs.tables import Table

TRANSACTION, ATTEMPT = ("transaction", "transaction_id"), ("attempt", "attempt_number")
SUBJECT, CLAIMED = ("subject", "subject_id"), ("claimed_subject", "claimed_subject_id", "claimed_id")
SECONDS = ("seconds", "elapsed_seconds")
ENROLLED = "enrolled"
MAX_ATTEMPTS = 1000  # attempts of a transaction
TIME = "seconds from the start of the transaction, or nothing"
_TIME = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_DIGITS = re.compile(r"[0-9]{1,9}")  # Python refuses to read thousands of them


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptList:
    """P attempts of one table: ``transaction``, ``subject``, ``claimed``: ids; ``attempt`` (P,) int64: from 1.

    ``seconds`` (P,) float64: from the start of the transaction to the end of the attempt, NaN where not said;
    ``scores``: the same as comparisons of a sample for each attempt with one for each person's reference.
    """

    transaction: Coded
    attempt: Ints
    subject: Coded
    claimed: Coded
    seconds: Floats
    scores: ScoreList

    @property
    def table(self) -> Table:
        """The rows as they were read."""
        return self.scores.table


def attempts_in(table: Table, system: str) -> AttemptList:
    """The attempts that a table holds; ``system``: whose they are, where no column says it.

    Raises :class:`DataError` naming the line: an empty id, an attempt that is not a number from 1 to 1000 or appears
    twice, a transaction of two people or with two claims, a score and a failure at once, a score that is not a finite
    number, a time that is none or lies before that of an earlier attempt.
    """
    transaction, subject, claimed = (
        table.coded(table.need(name)) for name in (TRANSACTION, SUBJECT, CLAIMED)
    )
    attempt = _numbers(table, table.need(ATTEMPT))
    score, failure = answers(table)
    provider = providers(table, system)
    for column in (transaction, subject, claimed, provider):
        table.refuse(
            column.code < 0, "an id is empty", "ids of transaction, claimed_subject, subject, provider"
        )
    _check_once(table, transaction, attempt, provider)
    seconds = _seconds(table)
    _check_ascending(table, seconds, (provider.code, transaction.code, attempt))
    _check_constant(table, transaction, subject, "subject")
    _check_constant(table, transaction, claimed, "claimed subject")
    probe = [f"{name}#{n}" for name, n in zip(transaction.texts().tolist(), attempt.tolist(), strict=True)]
    names = np.array([reference_of(name) for name in claimed.names.tolist()], dtype=object)
    scores = ScoreList(
        table=table,
        probe=coded_of(np.array(probe, dtype=object)),
        reference=Coded(code=claimed.code, names=names),
        probe_subject=subject,
        reference_subject=claimed,
        score=score,
        failure=failure,
        provider=provider,
        columns={},
    )
    return AttemptList(
        transaction=transaction,
        attempt=attempt,
        subject=subject,
        claimed=claimed,
        seconds=seconds,
        scores=scores,
    )


def reference_of(subject: str) -> str:
    """The sample that stands for a person's reference.

    >>> reference_of("anna")
    'anna#reference'
    """
    return f"{subject}#reference"


def _numbers(table: Table, column: str) -> Ints:
    texts = table.whole_texts(column)
    whole = [
        _DIGITS.fullmatch(text) is not None and 1 <= int(text) <= MAX_ATTEMPTS for text in texts.tolist()
    ]
    accepted = f"a whole number from 1 to {MAX_ATTEMPTS}"
    table.refuse(~np.array(whole, dtype=np.bool_), "the attempt is not an attempt number", accepted, texts)
    return texts.astype(np.int64)


def _seconds(table: Table) -> Floats:
    column = table.find(SECONDS)
    if column is None:
        return np.full(len(table.frame), np.nan)
    read = table.numbers(column)
    if read is None:
        texts = table.number_texts(column)
        texts[[is_nothing(text) for text in texts]] = ""
        wrong = np.array([text != "" and _TIME.fullmatch(text) is None for text in texts], dtype=np.bool_)
        table.refuse(wrong, "the time of an attempt is not a number", TIME, texts)
        read = np.array([float(text or "nan") for text in texts])
    table.refuse(np.isinf(read) | (read < 0), "the time of an attempt is no time", TIME)
    return read


def _check_ascending(table: Table, seconds: Floats, of: tuple[Index, Index, Ints]) -> None:
    """Refuse an attempt that ended before an earlier one; ``of``: system, transaction and number of each attempt."""
    known = np.flatnonzero(~np.isnan(seconds))
    provider, transaction, attempt = (column[known] for column in of)
    order = np.lexsort((attempt, transaction, provider))
    same = (np.diff(provider[order]) == 0) & (np.diff(transaction[order]) == 0)
    back = known[order[1:][same & (np.diff(seconds[known][order]) < 0)]]
    if back.size:
        text = "the attempt ends before an earlier one of its transaction"
        raise DataError(table.place(int(back[0])), text, TIME)


def _refuse_any(table: Table, column: Coded, wrong: Sequence[bool], problem: str, accepted: str) -> None:
    """Refuse a row whose text is one of the ``wrong`` names."""
    table.refuse(column.mapped(np.array(wrong, dtype=np.bool_), empty=False), problem, accepted)


def _check_once(table: Table, transaction: Coded, attempt: Ints, provider: Coded) -> None:
    key = (provider.code.astype(np.int64) << 31 | transaction.code) * (MAX_ATTEMPTS + 1) + attempt
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place] != np.arange(key.size))
    if again.size:
        row = int(again[0])
        text = f"the attempt of {table.place(int(first[place[row]]))} again"
        raise DataError(table.place(row), text, "each attempt of a transaction once")


def _check_constant(table: Table, transaction: Coded, of: Coded, what: str) -> None:
    """Refuse a transaction whose rows, of whatever system, differ in what they say ``of`` it."""
    first = np.full(transaction.names.size, -1, dtype=np.int64)
    backwards = np.arange(transaction.code.size)[::-1]
    first[transaction.code[backwards]] = backwards
    before = first[transaction.code]
    other = np.flatnonzero(of.code != of.code[before])
    if other.size:
        row = int(other[0])
        text = f"gives a transaction a different {what} than {table.place(int(before[row]))}"
        raise DataError(table.place(row), text, f"one {what} in a transaction")


def cohort_of_attempts(
    attempts: AttemptList,
    people: Table | None,
    schemas: Mapping[str, SchemaSpec],
    inputs: Mapping[str, str],
    key_file: str | None = None,
) -> CohortData:
    """The cohort of a table of attempts: everybody in it or in ``people``, each attempt one comparison.

    ``people``: a row for each person with the columns that schemas name, and perhaps ``enrolled``; ``inputs``: name to
    sha256 of what was read; ``key_file``: holds the key of pseudonyms. Raises :class:`DataError` naming file and line.
    """
    roster = _roster(attempts, people)
    cohort = enrol(roster, schemas)
    subjects = dict(zip(roster.sample_ids, roster.subjects, strict=True))
    tables, ledger = tables_of([attempts.scores], cohort, subjects)
    return CohortData(
        cohort=replace(cohort, ledger=(*cohort.ledger, *ledger)),
        tables=tables,
        inputs=inputs,
        attributes=attributes_of(roster, cohort),
        pseudonym_key=pseudonym_key(key_file, roster.sample_ids, roster.subjects),
        secret=key_file is not None,
        transactions=dict(_transactions(attempts, cohort)),
    )


def _roster(attempts: AttemptList, people: Table | None) -> Roster:
    """A sample for each person's reference, then one for each attempt."""
    subject = attempts.subject.texts().tolist()
    # one of each attempt, whatever the system
    first_rows = np.unique(attempts.scores.probe.code, return_index=True)[1].tolist()
    known = _registered(attempts, people)
    both = chain(attempts.subject.names.tolist(), attempts.claimed.names.tolist())
    names = list(known) or list(dict.fromkeys(both))
    columns = () if people is None else people.columns
    texts = {column: people.texts(column) for column in columns} if people is not None else {}
    order = [known[name] for name in (*names, *(subject[row] for row in first_rows))] if known else []
    return Roster(
        sample_ids=[*map(reference_of, names), *(attempts.scores.probe.text(row) for row in first_rows)],
        subjects=[*names, *(subject[row] for row in first_rows)],
        columns={column: texts[column][order] for column in columns},
        places=[
            *("the table of attempts" if people is None else people.place(known[name]) for name in names),
            *(attempts.table.place(row) for row in first_rows),
        ],
    )


def _registered(attempts: AttemptList, people: Table | None) -> dict[str, int]:
    """The row of each person; every one of the attempts is among them, and who is claimed is enrolled."""
    if people is None:
        return {}
    rows: dict[str, int] = {}
    for row, name in enumerate(people.texts(people.need(SUBJECT)).tolist()):
        if not name or name in rows:
            raise DataError(
                people.place(row), "a person without an id, or a duplicate", "one row for each person"
            )
        rows[name] = row
    for column in (attempts.subject, attempts.claimed):
        strange = [name not in rows for name in column.names.tolist()]
        problem = "a person that the table of people lacks"
        _refuse_any(attempts.table, column, strange, problem, f"people of {people.name}")
    if ENROLLED not in people.columns:
        return rows
    enrolled = [is_enrolled(text) for text in people.texts(ENROLLED).tolist()]
    people.refuse(np.array(enrolled) < 0, f"column {ENROLLED!r} says neither", "1 or 0, yes or no")
    absent = [not enrolled[rows[name]] for name in attempts.claimed.names.tolist()]
    problem, accepted = "claims a person who was not enrolled", "claims of people with enrolled=1"
    _refuse_any(attempts.table, attempts.claimed, absent, problem, accepted)
    return rows


def is_enrolled(text: str) -> int:
    """1 for a word of yes, 0 for one of no, -1 for another.

    >>> is_enrolled("Yes"), is_enrolled("0"), is_enrolled("")
    (1, 0, -1)
    """
    return truth(text.lower())


def _transactions(attempts: AttemptList, cohort: Cohort) -> Mapping[str, Transactions]:
    """The transactions of each provider, in the order of their first rows; those of dropped people are left out."""
    index = {name: k for k, name in enumerate(cohort.subject_ids)}
    subject, claimed = (side.indices(index) for side in (attempts.subject, attempts.claimed))
    transactions: dict[str, Transactions] = {}
    for code, provider in enumerate(attempts.scores.provider.names.tolist()):
        rows = np.flatnonzero((attempts.scores.provider.code == code) & (subject >= 0) & (claimed >= 0))
        _, first, place = np.unique(attempts.transaction.code[rows], return_index=True, return_inverse=True)
        score = np.full((first.size, int(attempts.attempt[rows].max(initial=1))), np.nan)
        score[place, attempts.attempt[rows] - 1] = attempts.scores.score[rows]
        seconds = np.full(score.shape, np.nan)
        seconds[place, attempts.attempt[rows] - 1] = attempts.seconds[rows]
        last = np.zeros(first.size, dtype=np.int32)
        np.maximum.at(last, place, attempts.attempt[rows].astype(np.int32))
        transactions[provider] = Transactions(
            subject=subject[rows][first],
            claimed=claimed[rows][first],
            score=score,
            made=last,
            seconds=None if np.isnan(seconds).all() else seconds,
        )
    return transactions
