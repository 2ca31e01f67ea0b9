"""Scores in memory, read as the score list that they would be: the same checks, the same cohort, no file."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from operator import eq
from typing import Any, TypeAlias, cast  # Any: a value, as a caller may give it

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import Json, digest, dumps, sha256
from frtaudit.core.cohort import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import UNKNOWN
from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import PROBE, truth
from frtaudit.inputs.schemas import check_found
from frtaudit.inputs.score_lists.nameless import Scores, cohort_data_of_scores
from frtaudit.inputs.score_lists.score_cohort import cohort_of_lists
from frtaudit.inputs.score_lists.scorelist import FAILURE, PROBE_SUBJECT, is_nothing, scores_in
from frtaudit.inputs.tables import Table

_NO_NUMBERS = {"c": "complex numbers", "V": "records", "M": "dates", "m": "durations"}
SIDES = ("probe", "reference")
_ARGUMENTS = {"": "samples", "_subject": "subjects"}
NAME = "scores"
SCORES_FIRST = "scores first, then labels: evaluate(scores, mated); scikit-learn has (y_true, y_score)"
NO_SAMPLES = (
    "the samples are not named: each comparison is taken as one of two samples of its own, "
    "so that samples are counted once for each comparison they stand in"
)

Sides: TypeAlias = Sequence[npt.ArrayLike]  # of the probes, and of the references


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreArrays:
    """P comparisons of one system: a cohort source in memory.

    ``score``: shape (P,), float64, NaN where there is none; ``mated``: shape (P,), bool; ``texts``: name of a column of
    a score list to P texts, empty where missing; without ``probe_subject`` and ``reference_subject`` in it nobody is
    named.
    """

    system: str
    score: Floats
    mated: Flags
    texts: Mapping[str, list[str]]
    named_samples: bool

    @property
    def named(self) -> bool:
        """Whether it says whose samples are compared."""
        return "probe_subject" in self.texts

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> CohortData:  # noqa: ARG002  sources share a signature
        """The cohort, as of a score list. Raises :class:`DataError` naming the row, counted from 0."""
        columns: dict[str, Json] = {name: sha256(dumps(texts).encode()) for name, texts in self.texts.items()}
        numbers = {"score": sha256(self.score.tobytes()), "mated": sha256(self.mated.tobytes())}
        inputs = {NAME: digest(columns | numbers)}
        if not self.named:
            scores = Scores(name=self.system, mated=self.score[self.mated], non_mated=self.score[~self.mated])
            return cohort_data_of_scores([scores], inputs)
        cohort = cohort_of_lists([scores_in(self._table(), self.system)], None, schemas, inputs)
        return cohort if self.named_samples else replace(cohort, notes=(NO_SAMPLES,))

    def _table(self) -> Table:
        """As a score list; where samples are not named, each comparison has two of its own."""
        import pandas as pd
        import pyarrow as pa

        rows = range(self.score.size)
        samples = {} if self.named_samples else {side: [f"{side} {row}" for row in rows] for side in SIDES}
        columns = {name: pa.array(texts, pa.string()) for name, texts in {**self.texts, **samples}.items()}
        mated = pa.array(np.where(self.mated, "1", "0").tolist(), pa.string())
        whole = pa.table({**columns, "mated": mated, "score": pa.array(self.score)})
        return Table(name=NAME, frame=whole.to_pandas(types_mapper=pd.ArrowDtype), unit="row", first=0)


def score_arrays(
    scores: npt.ArrayLike,
    mated: npt.ArrayLike | None,
    *,
    subjects: Sides | None,
    samples: Sides | None,
    groups: Mapping[str, Sides],
    system: str,
    failures: npt.ArrayLike | None = None,
) -> ScoreArrays:
    """The arrays as one cohort source, typed; raises :class:`DataError` naming the array.

    Without ``mated`` comparisons of equal subjects are mated. ``failures``: codes, empty beside a score.

    >>> pairs = (["a", "a"], ["a", "b"])
    >>> arrays = score_arrays([0.9, 0.1], [1, 0], subjects=pairs, samples=None, groups={}, system="x")
    >>> arrays.load({}, 0).cohort.subject_ids
    ('a', 'b')
    """
    score = _numbers("scores", scores)
    if _are_flags(scores):
        raise DataError("scores", "an array of booleans", SCORES_FIRST)
    kinds = None if mated is None else _kinds(mated, score.size)
    if subjects is None and (samples is not None or groups):
        raise DataError("subjects", "None, but samples or groups are given", "subjects=(probe, reference)")
    taken = next((name for name in groups if f"probe_{name}" in (*PROBE, *PROBE_SUBJECT)), None)
    if taken is not None:
        raise DataError("groups", f"{taken!r} is the name of another column", "another name")
    names = {"": samples, "_subject": subjects, **{f"_{name}": sides for name, sides in groups.items()}}
    texts = {
        side + name: _texts(f"{name[1:] or 'sample'} of {side}", values, score.size)
        for name, sides in names.items()
        if sides is not None or name not in _ARGUMENTS
        for side, values in zip(SIDES, _two(_ARGUMENTS.get(name, name[1:]), sides), strict=True)
    }
    if failures is not None and any(codes := _codes(failures, score)):
        texts[FAILURE[0]] = codes
    return ScoreArrays(
        system=system,
        score=score,
        mated=_one_subject(texts, subjects) if kinds is None else kinds == 1,
        texts=texts,
        named_samples=samples is not None,
    )


def _codes(failures: npt.ArrayLike, score: Floats) -> list[str]:
    """The failure code of each comparison, empty beside a score."""
    given = _texts(FAILURE[0], failures, score.size)
    codes = ["" if is_nothing(text) or text == "False" else text for text in given]
    row = next((row for row in np.flatnonzero(~np.isnan(score)).tolist() if codes[row]), None)
    if row is not None:
        problem = f"both a score and a failure code, {codes[row]!r:.60}"
        raise DataError(
            f"scores row {row}", problem, "one of them: an empty code beside a score, or no column failure"
        )
    return codes


def _one_subject(texts: Mapping[str, list[str]], subjects: Sides | None) -> Flags:
    """Whether both sides are of one subject; equal numbers that differ as texts are refused."""
    probe, reference = (texts[f"{side}_subject"] for side in SIDES)
    pairs = zip(
        probe, reference, *(_flat(side) or () for side in subjects or (probe, reference)), strict=True
    )
    for row, (left, right, *given) in enumerate(pairs):
        if left != right and left and right and given[0] == given[1]:
            text = f"{left!r:.40} and {right!r:.40} are equal as numbers and differ as texts"
            raise DataError(f"subjects row {row}", text, "names of one type on both sides")
    return np.fromiter(map(eq, probe, reference), dtype=np.bool_, count=len(probe))


def classes_of(arrays: ScoreArrays, schema: str, unknown: Iterable[str] = ()) -> list[str]:
    """The classes that stand in the columns of a schema, ascending, but those that mean "not known".

    Raises :class:`DataError` for what a column of a score list may not hold.

    >>> sides = {"subjects": (["a"], ["b"]), "samples": None, "groups": {"sex": (["f"], ["m"])}}
    >>> classes_of(score_arrays([0.1], [0], **sides, system="x"), "sex")
    ['f', 'm']
    """
    silent = {"", UNKNOWN, *unknown}
    classes = sorted({text for side in SIDES for text in arrays.texts[f"{side}_{schema}"]} - silent)
    check_found(schema, tuple(classes))
    return classes


def _kinds(mated: npt.ArrayLike, size: int) -> Floats:
    """1 for mated, 0 for non-mated, from numbers or from the words that a score list has."""
    try:
        kinds = _numbers("mated", mated)
    except DataError:
        words = np.array(_unmasked(mated), dtype=object)
        if words.ndim != 1 or not any(isinstance(word, str) for word in words):
            raise
        kinds = np.array([np.nan if is_missing(word) else truth(str(word).strip().lower()) for word in words])
    else:
        words = kinds
    _check_length("mated", kinds.size, size)
    neither = np.flatnonzero(~np.isin(kinds, (0.0, 1.0)))
    if neither.size:
        row = int(neither[0])
        word = f"{words[row]:g}" if words is kinds else f"{str(words[row])!r:.60}"
        text = "no value" if np.isnan(kinds[row]) else f"{word} says neither mated nor non-mated"
        accepted = "1 or 0, true or false, mated or non-mated"
        raise DataError(f"mated row {row}", text, f"{accepted}; {SCORES_FIRST}")
    return kinds


def _are_flags(values: npt.ArrayLike) -> bool:
    """Whether all values that are given are truth values."""
    array = np.asarray(_unmasked(values))
    given = [value for value in array.tolist() if not is_missing(value)] if array.dtype == object else ()
    return array.dtype == np.bool_ or (bool(given) and all(isinstance(value, bool) for value in given))


def is_missing(value: object) -> bool:
    """Whether a value is None or the NA of pandas.

    >>> is_missing(None), is_missing(0)
    (True, False)
    """
    return value is None or type(value).__name__ == "NAType"


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    try:
        array = np.asarray(_unmasked(values))
    except ValueError:  # rows of different lengths
        array = np.empty((), dtype=object)
    if not array.ndim:
        raise DataError(name, "not an array of numbers", "one number for each comparison")
    for kind in (getattr(getattr(values, "dtype", None), "kind", ""), array.dtype.kind):
        if kind in _NO_NUMBERS:
            raise DataError(name, f"an array of {_NO_NUMBERS[kind]}", "real numbers")
    if array.ndim != 1 or not array.size:
        raise DataError(name, f"an array of shape {array.shape}", "shape (P,), one for each comparison")
    numbers = array.astype(np.float64) if array.dtype.kind in "biuf" else _one_by_one(name, array.tolist())
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise DataError(f"{name} row {infinite[0]}", "an infinite number", "a finite number, or NaN")
    return numbers


def _one_by_one(name: str, values: Sequence[Any]) -> Floats:
    """The values as numbers, NaN where there is none; :class:`DataError` names the first that is no number."""
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        try:
            if isinstance(value, np.datetime64 | np.timedelta64):
                raise TypeError  # noqa: TRY301  said below, with the row
            numbers[row] = float(value)
        except (TypeError, ValueError, OverflowError):
            text = f"{value!r:.60} is not a number of 64 bits"
            raise DataError(f"{name} row {row}", text, "one number for each comparison, or NaN") from None
    return numbers


def _unmasked(values: npt.ArrayLike) -> npt.ArrayLike:
    """The values with None for each that a mask of NumPy leaves out: a NaN, or an empty text."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    plain = np.ma.getdata(values).astype(object)
    plain[np.ma.getmaskarray(values)] = None
    return plain


def _two(name: str, sides: object) -> Sides:
    if isinstance(sides, str) or not (isinstance(sides, Sized) and isinstance(sides, Iterable)):
        raise DataError(name, f"found {sides!r}", "two arrays: of the probes, and of the references")
    if len(sides) != len(SIDES):
        raise DataError(name, f"{len(sides)} arrays", "two: of the probes, and of the references")
    return cast("Sides", sides)


def _texts(name: str, values: npt.ArrayLike, size: int) -> list[str]:
    """One stripped text for each comparison; None and NaN are the empty text."""
    import pandas as pd

    flat = _flat(values)
    if flat is None:
        shape = np.asarray(_unmasked(values), dtype=object).shape
        raise DataError(name, f"an array of shape {shape}", "shape (P,), one for each comparison")
    missing = pd.isna(pd.Series(flat, dtype=object)).tolist()
    _check_length(name, len(flat), size)
    texts = ["" if gone else str(value).strip() for value, gone in zip(flat, missing, strict=True)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        row = next(
            row for row, text in enumerate(texts) if any("\ud800" <= sign <= "\udfff" for sign in text)
        )
        raise DataError(f"{name} row {row}", f"{texts[row]!r:.60} is no Unicode text", "text") from None
    return texts


def _flat(values: npt.ArrayLike) -> list[Any] | None:
    """The values as a list, None where they have several axes."""
    if isinstance(values, list | tuple) and any(isinstance(value, tuple) for value in values):
        return list(values)  # each is a name
    array = np.asarray(_unmasked(values), dtype=object)
    return array.tolist() if array.ndim == 1 else None


def _check_length(name: str, size: int, wanted: int) -> None:
    if size != wanted:
        raise DataError(name, f"{size} values", f"{wanted}, one for each score")
