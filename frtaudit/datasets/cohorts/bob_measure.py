"""Score files of bob.measure: two columns, 1 or -1 and the score; no subjects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH, Nan
from frtaudit.errors import DataError
from frtaudit.inputs.places import need_scores, paths_below
from frtaudit.inputs.score_lists.fields import SCORE, Layout

if TYPE_CHECKING:
    from frtaudit.core.cohort import CohortData
    from frtaudit.inputs.score_lists.nameless import Scores

LABEL = "label"
TWO = Layout(columns=(LABEL, SCORE), remarks=True)


@register("cohort", "bob_measure")
@dataclass(frozen=True, slots=True, kw_only=True)
class BobMeasureScores:
    """``root``: a file of two columns, 1 (mated) or -1 (non-mated) and a score; or a folder with one for each system.

    The files name no subjects: audit=nameless says what can be asked of them. ``nan``: refuse a score that is NaN, or
    count it as failed; ``files``: those below ``root`` that hold scores, by default all.
    """

    root: str = field(metadata=PATH)
    files: tuple[str, ...] = ()
    nan: Nan = Nan.REFUSE

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        for path in paths_below(Path(self.root), self.files, []):
            need_scores(path, path.name)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read all files. Raises :class:`DataError` naming file and line."""
        self.check_files()
        from frtaudit.inputs.score_lists.nameless import cohort_data_of_scores

        paths = paths_below(Path(self.root), self.files, [])
        systems = [_scores(path, self.nan) for path in paths]
        return cohort_data_of_scores(systems, {path.name: sha256_file(path) for path in paths})


def _scores(path: Path, nan: Nan) -> "Scores":
    import numpy as np

    from frtaudit.inputs.schemas import number_of
    from frtaudit.inputs.score_lists.fields import read_fields
    from frtaudit.inputs.score_lists.nameless import Scores

    read = read_fields(path, path.name, TWO, (LABEL,), nan)
    coded = read.texts[LABEL]
    labels = np.array([number_of(name) for name in coded.names])[coded.code]
    wrong = ~np.isin(labels, (-1.0, 1.0))
    if wrong.any():
        raise DataError(
            read.place(int(np.argmax(wrong))), "the label is neither 1 nor -1", "1 mated, -1 non-mated"
        )
    return Scores(name=path.stem, mated=read.score[labels == 1], non_mated=read.score[labels == -1])
