"""A table in memory, one row a comparison, as the arrays that an evaluation takes: columns by name."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable  # Any: a column, as its library gives it

import numpy as np
import numpy.typing as npt

from frtaudit.core.plain.structure import closest
from frtaudit.errors import DataError
from frtaudit.inputs.pairlist import MATED, PROBE, REFERENCE
from frtaudit.inputs.places import MAX_NAMED
from frtaudit.inputs.score_lists.arrays import SIDES, ScoreArrays, Sides, score_arrays
from frtaudit.inputs.score_lists.scorelist import FAILURE, PROBE_SUBJECT, PROVIDER, REFERENCE_SUBJECT, SCORE

TRUTH, ESTIMATE = (*MATED, "y_true"), (*SCORE, "y_score")

Groups: TypeAlias = Sequence[str] | Mapping[str, Sequence[object]]  # names, each perhaps with its columns


@runtime_checkable
class Frame(Protocol):
    """A table with named columns: a DataFrame of pandas, or of another library."""

    @property
    def columns(self) -> Any:  # noqa: ANN401  see the import
        """Names of the columns."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  see the import
        """One column."""


def arrays_of_frame(
    frame: Frame,
    *,
    score: str | None,
    mated: object,
    samples: tuple[str | None, str | None],
    subjects: object,
    groups: Groups,
    system: str,
) -> ScoreArrays:
    """The comparisons of a table's rows. A column that is not named is looked for under the names of a score list.

    Without a column that says it, comparisons of equal subjects are mated. A group of a list stands in ``probe_NAME``
    and ``reference_NAME``, or in ``NAME``, which holds for both. Raises :class:`DataError` naming the column.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"similarity": [0.9, 0.2], "same": [1, 0]})
    >>> names = {"samples": (None, None), "subjects": None, "groups": (), "system": "x"}
    >>> arrays_of_frame(frame, score=None, mated="same", **names).score.tolist()
    [0.9, 0.2]
    """
    columns = _Columns(frame=frame, labels={str(label): label for label in frame.columns})
    columns.check_system()
    usual = (PROBE_SUBJECT, REFERENCE_SUBJECT)
    people = columns.pair("subjects", (None, None) if subjects is None else subjects, usual)
    scores, truth = columns.find("score", score, ESTIMATE), columns.find("mated", mated, TRUTH)
    if scores is None:
        raise DataError("score", f"no column is named {' or '.join(ESTIMATE[:2])}", "score=COLUMN")
    if truth is None and people is None:
        accepted = "mated=COLUMN, of 1 and 0, or subjects=(COLUMN, COLUMN)"
        raise DataError("mated", "no column says which comparisons are mated", accepted)
    named = (
        any(name is not None for name in samples) or people is not None
    )  # samples of nobody in particular: not looked for
    return score_arrays(
        scores,
        truth,
        subjects=people,
        samples=columns.pair("probe and reference", samples, (PROBE, REFERENCE)) if named else None,
        groups={name: sides for name in groups if (sides := columns.group(name, groups))},
        system=system,
        failures=columns.find("failure", None, FAILURE),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    """The columns of a table, by the argument that names them."""

    frame: Frame
    labels: Mapping[str, Any]  # of each column: what the table calls it, such as a number

    @property
    def names(self) -> list[str]:
        """The names of the columns, as texts."""
        return list(self.labels)

    def check_system(self) -> None:
        """Raise :class:`DataError` for rows of several systems: they would be taken for one."""
        name = next((column for column in PROVIDER if column in self.names), None)
        systems = (
            []
            if name is None
            else sorted({str(value) for value in np.asarray(self.frame[self.labels[name]]).tolist()})
        )
        if len(systems) > 1:
            shown = f"{', '.join(systems[:MAX_NAMED])}{', ...' if len(systems) > MAX_NAMED else ''}"
            text = f"column {name!r} names {len(systems)} systems: {shown}"
            accepted = (
                f"rows of one system: table[table[{name!r}] == {systems[0]!r}]; audit=scores reads several"
            )
            raise DataError("scores", text, accepted)

    def find(self, argument: str, name: object, usual: Sequence[str] = ()) -> npt.ArrayLike | None:
        """The column of a name, or the first that is called as usual; None where there is none."""
        if isinstance(name, int) and not isinstance(name, bool):
            name = str(name)
        if name is None:
            name = next((column for column in usual if column in self.labels), None)
        elif not isinstance(name, str):
            text = "an array with a table" if isinstance(name, Sized) else f"found {name!r}"
            raise DataError(argument, text, "the name of a column, a text")
        elif name not in self.labels:
            text = f"the table has no column {name!r}{closest(name, self.names)}"
            raise DataError(argument, text, ", ".join(self.names))
        column: npt.ArrayLike | None = None if name is None else self.frame[self.labels[str(name)]]
        return column

    def pair(self, argument: str, names: object, usual: Sequence[Sequence[str]] = ((), ())) -> Sides | None:
        """The columns of the probes and of the references; None where there is neither."""
        accepted = "two columns: of the probe, and of the reference"
        if isinstance(names, Frame):
            raise DataError(argument, "found a table", accepted)
        if (
            isinstance(names, str)
            or not isinstance(names, Iterable)
            or len(both := list(names)) != len(SIDES)
        ):
            raise DataError(argument, f"found {names!r:.60}", accepted)
        probe, reference = (self.find(argument, *wanted) for wanted in zip(both, usual, strict=True))
        if (probe is None or reference is None) and all(name is None for name in both):
            return None  # a column of one side that is not named says too little
        if probe is None or reference is None:
            side = SIDES[reference is None]
            raise DataError(argument, f"no column of the {side}s", accepted)
        return probe, reference

    def group(self, name: str, groups: Groups) -> Sides | None:
        """The classes of a schema, of both sides."""
        if isinstance(groups, Mapping):
            sides = self.pair("groups", groups[name])
            if sides is None:
                raise DataError(
                    "groups", f"no columns of {name!r}", "two: of the probe, and of the reference"
                )
            return sides
        both = [f"{side}_{name}" for side in SIDES]
        if name not in self.names and not set(both) <= set(self.names):
            text = f"the table has no column {name!r}, nor both {' and '.join(both)}"
            accepted = f"groups={{{name!r}: (COLUMN, COLUMN)}}, of probe and reference, among {', '.join(self.names)}"
            raise DataError("groups", text, accepted)
        return self.pair("groups", both if set(both) <= set(self.names) else [name, name])
