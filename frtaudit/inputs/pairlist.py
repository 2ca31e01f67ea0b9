"""Official lists of pairs: LFW's ``pairs.txt``, and tables with columns probe, reference and perhaps fold."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.machine.files import check_regular
from frtaudit.errors import DataError, excerpt
from frtaudit.inputs.tables import KNOWN, Table, need_table, read_table, table_suffix

if TYPE_CHECKING:
    from frtaudit.core.arrays import Index, Shorts, Signs
    from frtaudit.core.cohort import Cohort

PROBE = ("probe", "probe_id", "image_id_1", "sample_id_1", "image_1", "sample_1")
REFERENCE = ("reference", "reference_id", "image_id_2", "sample_id_2", "image_2", "sample_2")
MATED = ("mated", "genuine", "is_mated", "is_genuine", "label")
SAID = MATED[:-1]  # in a list of pairs: a column label may hold anything there
_YES = frozenset({"1", "1.0", "true", "y", "yes", "mated", "genuine", "same", "match"})
_NO = frozenset(
    {
        *("0", "0.0", "-1", "false", "n", "no", "non-mated", "non_mated", "nonmated", "impostor", "imposter"),
        *("different", "non-match", "non_match", "nonmatch"),
    }
)
FOLD = ("fold", "fold_id")
DIGITS = 9  # of a count or number in a list
SANITIZED = "sanitize_"  # prefix of the codes of exclusions by a step of sanitization
LFW_LINE = "name i j, or name1 i name2 j; lists of file names: a .csv with probe, reference"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairList:
    """Pairs by cohort sample index.

    ``probe``, ``reference``: shape (P,), int32; ``fold``: shape (P,), int16, from 0, or None; ``left_out``: pairs of
    the file with a sample that a conflict rule or a step of sanitization dropped.
    """

    probe: "Index"
    reference: "Index"
    fold: "Shorts | None"
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """One pair as written: where, two sample ids, a fold, and whether it is said to be mated (None: not said)."""

    place: str
    probe: str
    reference: str
    fold: int | None
    mated: bool | None = None


def said_mated(table: Table, names: Sequence[str] = MATED) -> "Signs":
    """What the ``mated`` column says of each line, shape (P,): 1, 0, or -1 where there is no such column.

    A column ``label`` may hold something else: it says nothing where no text of it is such a word.
    Raises :class:`DataError` naming the first line that is neither mated nor non-mated.
    """
    import numpy as np

    column = table.find(names)
    if column is None:
        return np.full(len(table.frame), -1, dtype=np.int8)
    labels = table.coded(column)
    mapped = labels.mapped(np.array([truth(text.lower()) for text in labels.names], dtype=np.int8), -1)
    if column not in SAID and (mapped < 0).all():
        return np.full(mapped.size, -1, dtype=np.int8)
    table.refuse(mapped < 0, f"column {column!r} says neither", "1 or 0, mated or non-mated")
    return mapped.astype(np.int8)


def truth(text: str) -> int:
    """1 for a word of yes, 0 for one of no, -1 for another."""
    return 1 if text in _YES else 0 if text in _NO else -1


def need_pairs(path: Path) -> None:
    """Raise :class:`DataError` for a pair list that is not there, or is no regular file."""
    if table_suffix(path.name):
        return need_table(path, path.name)
    check_regular(path)
    if not path.is_file():
        accepted = f"pairs.txt as LFW has it, or {KNOWN}, in the working folder or below cohort.root"
        raise DataError(path.name, f"no file {str(path)!r}", accepted)
    return None


def lines_of(path: Path) -> list[PairLine]:
    """The lines of a pair list, whatever cohort they are of. Raises :class:`DataError` for a file that is no list."""
    return _table_lines(path) if table_suffix(path.name) else lfw_lines(path)


def read_pairs(path: Path, cohort: "Cohort") -> PairList:
    """Read a pair list for ``cohort``.

    Tables (``.csv``, ``.parquet``, ...) need columns probe and reference (or image_id_1 and image_id_2); fold is an
    integer, of which the smallest is fold 0; mated is compared with the subjects.
    Anything else is LFW's layout: an optional first line ``folds pairs`` (or ``pairs``), then lines ``name i j``
    (mated) and ``name1 i name2 j`` (non-mated), sample ids being ``name_%04d``. With ``folds pairs`` each fold is that
    many mated lines, then as many non-mated ones. Raises :class:`DataError` naming the line.
    """
    import numpy as np

    from frtaudit.inputs.schemas import DROPPED

    lines = lines_of(path)
    if not lines:
        raise DataError(path.name, "the list holds no pair", "one pair per line")
    index = {name: i for i, name in enumerate(cohort.sample_ids)}
    known = [line for line in lines if line.probe in index and line.reference in index]
    dropped = any(entry.code == DROPPED or entry.code.startswith(SANITIZED) for entry in cohort.ledger)
    if len(known) < len(lines) and not dropped:
        lost = next(line for line in lines if line.probe not in index or line.reference not in index)
        raise DataError(lost.place, "names a sample that the cohort does not hold", "samples of the metadata")
    for line in known:
        _check(line, index, cohort)
    numbers = sorted({line.fold for line in lines if line.fold is not None})
    place = {number: fold for fold, number in enumerate(numbers)}
    folds = [place[line.fold] for line in known if line.fold is not None]
    return PairList(
        probe=np.array([index[line.probe] for line in known], dtype=np.int32),
        reference=np.array([index[line.reference] for line in known], dtype=np.int32),
        fold=np.array(folds, dtype=np.int16) if folds else None,
        left_out=len(lines) - len(known),
    )


def _check(line: PairLine, index: dict[str, int], cohort: "Cohort") -> None:
    if line.probe == line.reference:
        raise DataError(line.place, "compares a sample with itself", "two different samples")
    mated = cohort.subject_of[index[line.probe]] == cohort.subject_of[index[line.reference]]
    if line.mated is not None and line.mated != bool(mated):
        kind = "mated" if line.mated else "non-mated"
        problem = f"a {kind} line disagrees with the metadata"
        raise DataError(line.place, problem, "pairs that agree with the subjects")


def _table_lines(path: Path) -> list[PairLine]:
    import numpy as np

    table = read_table(path, path.name)
    probe, reference = table.texts(table.need(PROBE)), table.texts(table.need(REFERENCE))
    column = table.find(FOLD)
    folds = np.full(len(probe), "") if column is None else table.whole_texts(column)
    mated = [None if value < 0 else value > 0 for value in said_mated(table, SAID).tolist()]
    lines = []
    for i, text in enumerate(folds.tolist()):
        place, whole = table.place(i), text.isdecimal() and len(text) <= DIGITS and int(text) < 1 << 15
        if column is not None and not whole:
            problem = f"the fold is not an integer from 0 to 32767: {excerpt(text)}"
            raise DataError(place, problem, "0, 1, 2, ...")
        fold = int(text) if whole else None
        lines.append(PairLine(place=place, probe=probe[i], reference=reference[i], fold=fold, mated=mated[i]))
    return lines


def lfw_lines(path: Path) -> list[PairLine]:
    """The lines of a list in LFW's layout: see :func:`read_pairs`."""
    need_pairs(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError):
        raise DataError(path.name, "not a readable text file", "UTF-8 text") from None
    split = (line.split("\t") if "\t" in line else line.split() for line in text.splitlines())
    rows = [(f"{path.name} line {number}", fields) for number, fields in enumerate(split, 1) if any(fields)]
    header: tuple[int, ...] = ()
    if rows and len(rows[0][1]) <= 2:
        (place, counts), *rows = rows
        for count in counts:
            if not count.strip().isdecimal() or len(count) > DIGITS or int(count) < 1:
                accepted = "two counts: folds, pairs of each kind in a fold"
                raise DataError(place, f"{excerpt(count)} is not a count", accepted)
        header = tuple(map(int, counts))
    lines = [_lfw_line(place, fields) for place, fields in rows]
    return _with_folds(path.name, lines, header) if header else lines


def _lfw_line(place: str, fields: Sequence[str]) -> PairLine:
    """``name i j`` or ``name1 i name2 j``."""
    if len(fields) not in {3, 4}:
        raise DataError(place, f"{len(fields)} fields", LFW_LINE)
    first, second = (fields[0], fields[1]), (fields[0] if len(fields) == 3 else fields[2], fields[-1])
    numbers = first[1].strip(), second[1].strip()
    if not all(number.isdecimal() and len(number) <= DIGITS for number in numbers):
        raise DataError(place, "an image number is not an integer", LFW_LINE)
    return PairLine(
        place=place,
        probe=f"{first[0].strip()}_{int(first[1]):04d}",
        reference=f"{second[0].strip()}_{int(second[1]):04d}",
        fold=None,
        mated=len(fields) == 3,
    )


def _with_folds(name: str, lines: Sequence[PairLine], header: tuple[int, ...]) -> list[PairLine]:
    """Check the counts of the header; number the folds when it declares several."""
    folds, pairs = (1, *header)[-2:]
    if len(lines) != 2 * folds * pairs:
        raise DataError(name, f"{len(lines)} pairs", f"{2 * folds * pairs}, as the first line says")
    numbered = []
    for i, line in enumerate(lines):
        fold, rank = divmod(i, 2 * pairs)
        if line.mated != (rank < pairs):
            accepted = f"{pairs} mated lines, then {pairs} non-mated"
            raise DataError(line.place, "a line of the other kind", accepted)
        numbered.append(replace(line, fold=fold) if len(header) == 2 else line)
    return numbered
