"""Scores in memory, read as the score list that they would be: the same checks, the same cohort, no file."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from frtaudit.core.arrays import Flags, Floats
from frtaudit.core.canonical import Json, digest, dumps, sha256
from frtaudit.core.cohort import CohortData
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import PROBE, truth
from frtaudit.inputs.score_lists.nameless import Scores, cohort_data_of_scores
from frtaudit.inputs.score_lists.score_cohort import cohort_of_lists
from frtaudit.inputs.score_lists.scorelist import PROBE_SUBJECT, scores_in
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
    mated: npt.ArrayLike,
    *,
    subjects: Sides | None,
    samples: Sides | None,
    groups: Mapping[str, Sides],
    system: str,
) -> ScoreArrays:
    """The arrays as one cohort source, typed; raises :class:`DataError` naming the array.

    >>> pairs = (["a", "a"], ["a", "b"])
    >>> arrays = score_arrays([0.9, 0.1], [1, 0], subjects=pairs, samples=None, groups={}, system="x")
    >>> arrays.load({}, 0).cohort.subject_ids
    ('a', 'b')
    """
    score = _numbers("scores", scores)
    if np.asarray(scores).dtype == np.bool_:
        raise DataError("scores", "an array of booleans", SCORES_FIRST)
    kinds = _kinds(mated)
    _check_length("mated", kinds.size, score.size)
    neither = np.flatnonzero(~np.isin(kinds, (0.0, 1.0)))
    if neither.size:
        raise DataError(f"mated row {neither[0]}", "neither mated nor non-mated", f"1 or 0; {SCORES_FIRST}")
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
    return ScoreArrays(
        system=system, score=score, mated=kinds == 1, texts=texts, named_samples=samples is not None
    )


def classes_of(arrays: ScoreArrays, schema: str) -> list[str]:
    """The classes that stand in the columns of a schema, ascending.

    >>> sides = {"subjects": (["a"], ["b"]), "samples": None, "groups": {"sex": (["f"], ["m"])}}
    >>> classes_of(score_arrays([0.1], [0], **sides, system="x"), "sex")
    ['f', 'm']
    """
    return sorted({text for side in SIDES for text in arrays.texts[f"{side}_{schema}"]} - {""})


def _kinds(mated: npt.ArrayLike) -> Floats:
    """1 for mated, 0 for non-mated, from numbers or from the words that a score list has."""
    try:
        return _numbers("mated", mated)
    except DataError:
        words = np.array(_unmasked(mated), dtype=object)
        if words.ndim != 1 or not any(isinstance(word, str) for word in words):
            raise
    kinds = np.array([truth(str(word).strip().lower()) for word in words], dtype=np.float64)
    neither = np.flatnonzero(kinds < 0)
    if neither.size:
        word = words[neither[0]]
        text = "no value" if word is None else f"{str(word)!r:.60} says neither mated nor non-mated"
        raise DataError(f"mated row {neither[0]}", text, "1 or 0, true or false, mated or non-mated")
    return kinds


def _numbers(name: str, values: npt.ArrayLike) -> Floats:
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if kind in _NO_NUMBERS:  # a list of them is no array of numbers
        raise DataError(name, f"an array of {_NO_NUMBERS[kind]}", "real numbers")
    try:
        numbers = np.asarray(_unmasked(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(name, "not an array of numbers", "one number for each comparison") from None
    if numbers.ndim != 1 or not numbers.size:
        raise DataError(name, f"an array of shape {numbers.shape}", "shape (P,), one for each comparison")
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise DataError(f"{name} row {infinite[0]}", "an infinite number", "a finite number, or NaN")
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
    """One text for each comparison; None and NaN are the empty text."""
    import pandas as pd

    if isinstance(values, list | tuple) and any(isinstance(value, tuple) for value in values):
        flat = list(values)  # each is a name
    else:
        array = np.asarray(_unmasked(values), dtype=object)
        if array.ndim != 1:
            raise DataError(name, f"an array of shape {array.shape}", "shape (P,), one for each comparison")
        flat = array.tolist()
    series = pd.Series(flat, dtype=object)
    _check_length(name, series.size, size)
    return [str(text) for text in series.map(str, na_action="ignore").fillna("")]


def _check_length(name: str, size: int, wanted: int) -> None:
    if size != wanted:
        raise DataError(name, f"{size} values", f"{wanted}, one for each score")
