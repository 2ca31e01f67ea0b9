"""Score lists: one line per comparison, with a score or a failure code, as text and numbers in parallel arrays."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from frtaudit.errors import DataError
from frtaudit.intake.pairlist import PROBE, REFERENCE
from frtaudit.intake.tables import Table, Texts, read_table

PROBE_SUBJECT = ("probe_subject", "probe_subject_id", "subject_id_1", "subject_1")
REFERENCE_SUBJECT = ("reference_subject", "reference_subject_id", "subject_id_2", "subject_2")
SCORE = ("score", "similarity", "similarity_score", "comparison_score")
FAILURE = ("failure", "failure_code", "error_code")
PROVIDER = ("provider", "system", "vendor", "model")
MATED = ("mated", "genuine", "is_mated", "is_genuine", "label")
MISSING_SCORE = "missing_score"
_YES = frozenset({"1", "true", "yes", "mated", "genuine"})
_NO = frozenset({"0", "-1", "false", "no", "non-mated", "non_mated", "nonmated", "impostor", "imposter"})
_NO_SCORE = frozenset({"", "nan", "na", "null", "none"})

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreList:
    """P lines of one file, in its order.

    ``probe``, ``reference``: sample ids; ``probe_subject``, ``reference_subject``: subjects, None where the file has no
    such columns; ``score``: float64, NaN where there is none; ``failure``: the code, empty where there is a score;
    ``provider``: names, the file's stem where the file has no such column; ``columns``: class column to the texts of
    probe and of reference.
    """

    table: Table
    probe: Texts
    reference: Texts
    probe_subject: Texts | None
    reference_subject: Texts | None
    score: Floats
    failure: Texts
    provider: Texts
    columns: dict[str, tuple[Texts, Texts]]


def read_scores(path: Path, name: str) -> ScoreList:
    """Read one list; the words genuine and impostor are accepted beside mated and non-mated.

    A line without a score and without a failure code gets the code ``missing_score``. Raises :class:`DataError` naming
    the line: a score that is no finite number, both a score and a failure code, a missing id, a ``mated`` value that
    is no truth value or disagrees with the subjects.
    """
    table = read_table(path, name)
    probe, reference = (table.texts(table.need(names)) for names in (PROBE, REFERENCE))
    subjects = [table.texts(found) if (found := table.find(names)) else None for names in _SUBJECTS]
    if (subjects[0] is None) != (subjects[1] is None):
        table.need(PROBE_SUBJECT if subjects[0] is None else REFERENCE_SUBJECT)
    score, failure = _answers(table)
    provider = table.find(PROVIDER)
    read = ScoreList(
        table=table,
        probe=probe,
        reference=reference,
        probe_subject=subjects[0],
        reference_subject=subjects[1],
        score=score,
        failure=failure,
        provider=table.texts(provider) if provider else np.full(len(probe), path.stem, dtype=object),
        columns=_class_columns(table),
    )
    _check_ids(read)
    return read


_SUBJECTS = (PROBE_SUBJECT, REFERENCE_SUBJECT)
_SIDES = ("probe_", "reference_")


def said_mated(table: Table) -> list[bool | None]:
    """What the ``mated`` column says of each line, None where there is no such column.

    Raises :class:`DataError` naming the first line that is neither mated nor non-mated.
    """
    column = table.find(MATED)
    if column is None:
        return [None] * len(table.frame)
    said = [_truth(text.lower()) for text in table.texts(column)]
    if None in said:
        row = said.index(None)
        raise DataError(table.place(row), f"column {column!r} says neither", "1 or 0, mated or non-mated")
    return said


def _truth(text: str) -> bool | None:
    return True if text in _YES else False if text in _NO else None


def _answers(table: Table) -> tuple[Floats, Texts]:
    """Score and failure code of each line, one of them empty."""
    column = table.need(SCORE)
    texts = table.texts(column)
    found = table.find(FAILURE)
    failure = table.texts(found) if found else np.full(texts.size, "", dtype=object)
    empty = np.array([text.lower() in _NO_SCORE for text in texts], dtype=np.bool_)
    score = np.full(texts.size, np.nan)
    score[~empty] = _parsed(table, texts, np.flatnonzero(~empty))
    twice = np.flatnonzero(~empty & (failure != ""))
    if twice.size:
        raise DataError(table.place(int(twice[0])), "both a score and a failure code", "one of them")
    failure = np.where(empty & (failure == ""), MISSING_SCORE, failure)
    return score, failure


def _parsed(table: Table, texts: Texts, rows: npt.NDArray[np.intp]) -> Floats:
    """The scores of the given rows; :class:`DataError` names the first that is no finite number."""
    try:
        values = texts[rows].astype(np.float64)
    except ValueError:
        row = next(row for row in rows.tolist() if not _is_number(texts[row]))
        raise DataError(table.place(row), "the score is no number", "a finite number, or nothing") from None
    infinite = rows[~np.isfinite(values)]
    if infinite.size:
        raise DataError(table.place(int(infinite[0])), "the score is infinite", "a finite number, or nothing")
    return values


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _class_columns(table: Table) -> dict[str, tuple[Texts, Texts]]:
    """Columns that stand with ``probe_`` and with ``reference_`` before their name, ids and subjects apart."""
    taken = {*PROBE, *REFERENCE, *PROBE_SUBJECT, *REFERENCE_SUBJECT}
    names = [
        name.removeprefix(_SIDES[0])
        for name in table.columns
        if name.startswith(_SIDES[0]) and name not in taken
    ]
    both = [name for name in names if _SIDES[1] + name in table.columns]
    return {name: (table.texts(_SIDES[0] + name), table.texts(_SIDES[1] + name)) for name in both}


def _check_ids(read: ScoreList) -> None:
    columns = (read.probe, read.reference, read.probe_subject, read.reference_subject, read.provider)
    for texts in columns:
        empty = np.flatnonzero(texts == "") if texts is not None else np.empty(0, dtype=np.intp)
        if empty.size:
            raise DataError(
                read.table.place(int(empty[0])), "an id is empty", "ids of samples, subjects, provider"
            )
