"""Score lists: one line per comparison, with a score or a failure code, as parallel arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from frtaudit.core.arrays import Flags, Floats, Index, Ints, Positions, Texts
from frtaudit.errors import DataError, column_names, excerpt
from frtaudit.inputs.coded import Coded
from frtaudit.inputs.number_signs import is_number
from frtaudit.inputs.pairing import ONCE, repeated
from frtaudit.inputs.pairlist import PROBE, REFERENCE
from frtaudit.inputs.score_lists.fields import number_fault
from frtaudit.inputs.tables import NO_VALUE, Table, read_table, table_stem

PROBE_SUBJECT = ("probe_subject", "probe_subject_id", "subject_id_1", "subject_1")
REFERENCE_SUBJECT = ("reference_subject", "reference_subject_id", "subject_id_2", "subject_2")
SCORE = ("score", "similarity", "similarity_score", "comparison_score")
FAILURE = ("failure", "failure_code", "error_code")
PROVIDER = ("provider", "system", "vendor", "model")
MISSING_SCORE = "missing_score"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreList:
    """P lines of one file, in its order.

    ``probe``, ``reference``: sample ids; ``probe_subject``, ``reference_subject``: subjects, None where the file has no
    such columns; ``score``: float64, NaN where there is none; ``failure``: the code, empty where there is a score;
    ``provider``: names, the file's stem where the file has no such column; ``columns``: class column to the texts of
    probe and of reference. Texts are held once each.
    """

    table: Table
    probe: Coded
    reference: Coded
    probe_subject: Coded | None
    reference_subject: Coded | None
    score: Floats
    failure: Coded
    provider: Coded
    columns: dict[str, tuple[Coded, Coded]]


def read_scores(path: Path, name: str) -> ScoreList:
    """Read one list; the words genuine and impostor are accepted beside mated and non-mated.

    A line without a score and without a failure code gets the code ``missing_score``. Raises :class:`DataError` naming
    the line: a score that is not a finite number, both a score and a failure code, a missing id, a ``mated`` value that
    is no truth value or disagrees with the subjects.
    """
    return scores_in(read_table(path, name), table_stem(path.name))


def scores_in(table: Table, system: str) -> ScoreList:
    """The score list that a table holds; ``system``: whose scores they are, where no column says it."""
    missing = [names[0] for names in (PROBE, REFERENCE, SCORE) if table.find(names) is None]
    if len(missing) > 1:
        problem = f"no columns {', '.join(missing)} among {column_names(table.columns)}"
        raise DataError(table.name, problem, _ACCEPTED)
    probe, reference = (table.coded(table.need(names)) for names in (PROBE, REFERENCE))
    subjects = [table.coded(column) if (column := table.find(names)) else None for names in _SUBJECTS]
    if (subjects[0] is None) != (subjects[1] is None):
        table.need(PROBE_SUBJECT if subjects[0] is None else REFERENCE_SUBJECT)
    score, failure = answers(table)
    provider = providers(table, system)
    for ids in (probe, reference, *subjects, provider):
        if ids is not None:
            table.refuse(ids.code < 0, "an id is empty", "ids of samples, subjects, provider")
    return ScoreList(
        table=table,
        probe=probe,
        reference=reference,
        probe_subject=subjects[0],
        reference_subject=subjects[1],
        score=score,
        failure=failure,
        provider=provider,
        columns=_class_columns(table),
    )


_SUBJECTS = (PROBE_SUBJECT, REFERENCE_SUBJECT)
SIDES = ("probe_", "reference_")
_ACCEPTED = (
    "columns probe, reference, score, and probe_subject, reference_subject unless metadata.csv has the subjects; "
    "docs/start/your_own_data.md renames columns"
)


def providers(table: Table, system: str) -> Coded:
    """Whose score each line is: what a column says, or else ``system``."""
    column = table.find(PROVIDER)
    if column:
        return table.coded(column)
    return Coded(code=np.zeros(len(table.frame), dtype=np.int32), names=np.array([system], dtype=object))


def answers(table: Table) -> tuple[Floats, Coded]:
    """Score and failure code of each line, one of them empty."""
    score = _scores(table)
    empty = np.isnan(score)
    failure = _failures(table)
    both = np.flatnonzero(~empty & (failure.code >= 0))
    if both.size:
        row = int(both[0])
        problem = f"both a score and a failure code, {excerpt(failure.text(row))}"
        raise DataError(table.place(row), problem, "one of them: an empty code beside a score")
    return score, failure.filled(empty & (failure.code < 0), MISSING_SCORE)


def _failures(table: Table) -> Coded:
    """The failure code of each line, empty where there is none."""
    column = table.find(FAILURE)
    if column is None:
        code = np.full(len(table.frame), -1, dtype=np.int32)
        return Coded(code=code, names=np.empty(0, dtype=object))
    codes = table.coded(column)
    nothing = codes.mapped(np.array([is_nothing(text) for text in codes.names], dtype=np.bool_), empty=False)
    return replace(codes, code=np.where(nothing, -1, codes.code).astype(np.int32)).used()


def is_nothing(text: str) -> bool:
    """Whether a field says that there is no value.

    >>> is_nothing("NA"), is_nothing(""), is_nothing("0")
    (True, True, False)
    """
    return text.lower() in NO_VALUE


def _scores(table: Table) -> Floats:
    """The score of each line, NaN where there is none."""
    column = table.need(SCORE)
    score = table.numbers(column)
    if score is None:
        texts = table.number_texts(column)
        there = np.array([text.lower() not in NO_VALUE for text in texts], dtype=np.bool_)
        score = np.full(texts.size, np.nan)
        score[there] = _parsed(table, texts, np.flatnonzero(there))
        infinite = there & ~np.isfinite(score)
    else:
        infinite = np.isinf(score)
    table.refuse(infinite, "the score is infinite", "a finite number, or nothing")
    return score


def _parsed(table: Table, texts: Texts, rows: Positions) -> Floats:
    """The scores of the given rows; :class:`DataError` names the first that is not a number."""
    try:
        whole = "".join(texts[rows])
        if "_" in whole or not whole.isascii():  # float() takes 1_0 and digits of other scripts
            raise ValueError  # noqa: TRY301  said below, with the row
        return texts[rows].astype(np.float64)
    except ValueError:
        row = next(row for row in rows.tolist() if not is_number(texts[row]))
        accepted = "a finite number such as 0.25, or nothing"
        raise DataError(table.place(row), number_fault(texts[row]), accepted) from None


def _class_columns(table: Table) -> dict[str, tuple[Coded, Coded]]:
    """Columns that stand with ``probe_`` and with ``reference_`` before their name, ids and subjects apart."""
    taken = {*PROBE, *REFERENCE, *PROBE_SUBJECT, *REFERENCE_SUBJECT}
    named = [name for name in table.columns if name.startswith(SIDES[0]) and name not in taken]
    names = [name.removeprefix(SIDES[0]) for name in named]
    both = [name for name in names if SIDES[1] + name in table.columns]
    return {name: (table.coded(SIDES[0] + name), table.coded(SIDES[1] + name)) for name in both}


def refuse_repeats(probe: Index, reference: Index, keep: Flags, lists: Sequence[tuple[Table, Ints]]) -> None:
    """Refuse a comparison that appears twice in one order, in one list or in two: it would count twice.

    Of the rows to ``keep``; ``lists``: the table of each list and its rows, one list after the other.
    Raises :class:`DataError`, which names both places.
    """
    repeat = repeated(probe[keep], reference[keep])
    if repeat is None:
        return
    starts = np.cumsum([0, *(rows.size for _, rows in lists)])

    def place(position: int) -> str:
        row = int(np.flatnonzero(keep)[position])
        part = int(np.searchsorted(starts, row, side="right")) - 1
        table, rows = lists[part]
        return table.place(int(rows[row - starts[part]]))

    row, before = map(place, repeat)
    raise DataError(row, f"the comparison of {before} again", ONCE)
