"""Score files of pyeer: one of genuine (mated), one of impostor (non-mated) scores; no subjects."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from frtaudit.core.canonical import sha256_file
from frtaudit.core.registry import register
from frtaudit.core.spec import SchemaSpec
from frtaudit.core.spec_values import PATH, Nan
from frtaudit.errors import DataError
from frtaudit.inputs.places import need_scores, visible

if TYPE_CHECKING:
    from frtaudit.core.arrays import Floats
    from frtaudit.core.cohort import CohortData

FIELDS = 4  # of a line: more are all scores on one


@register("cohort", "pyeer")
@dataclass(frozen=True, slots=True, kw_only=True)
class PyeerScores:
    """``mated``, ``non_mated``: a file of genuine and one of impostor scores, the score last in each line.

    Or two folders, with a file of the same name in both for each system. A higher score is more alike: not pyeer's
    dissimilarities, nor its histograms. The files name no subjects: audit=nameless says what can be asked of them.
    ``nan``: refuse a score that is NaN, or count it as failed.
    """

    mated: str = field(metadata=PATH)
    non_mated: str = field(metadata=PATH)
    nan: Nan = Nan.REFUSE

    def check_files(self) -> None:
        """Raise :class:`DataError` for a file that is not there, before anything is read."""
        for paths in self._pairs().values():
            for path in paths:
                need_scores(path, path.name)

    def load(self, schemas: Mapping[str, SchemaSpec], seed: int) -> "CohortData":  # noqa: ARG002  sources share a signature
        """Read all files. Raises :class:`DataError` naming file and line."""
        self.check_files()
        from frtaudit.inputs.score_lists.nameless import Scores, cohort_data_of_scores

        systems: list[Scores] = []
        inputs: dict[str, str] = {}
        for name, (mated, non_mated) in self._pairs().items():
            same, others = _read(mated, self.nan), _read(non_mated, self.nan)
            systems.append(Scores(name=name, mated=same, non_mated=others))
            inputs[f"mated/{mated.name}"] = sha256_file(mated)
            inputs[f"non_mated/{non_mated.name}"] = sha256_file(non_mated)
        return cohort_data_of_scores(systems, inputs)

    def _pairs(self) -> dict[str, tuple[Path, Path]]:
        """System to its two files."""
        path, other = Path(self.mated), Path(self.non_mated)
        if path.is_dir() != other.is_dir():
            problem = "one of mated and non_mated is a folder"
            raise DataError("cohort.mated", problem, "two files, or two folders")
        if not path.is_dir():
            if path.exists() and other.exists() and path.samefile(other):
                raise DataError("cohort.non_mated", "the same file as cohort.mated", "another file")
            return {path.stem: (path, other)}
        names = _names(path)
        if not names or names != _names(other):
            lost = ", ".join(sorted(names ^ _names(other))) or "no file"
            raise DataError("cohort.mated", f"not in both folders: {lost}", "files of the same names")
        return {Path(name).stem: (path / name, other / name) for name in sorted(names)}


def _names(folder: Path) -> set[str]:
    return {path.name for path in visible(folder) if not path.is_dir()}


def _read(path: Path, nan: Nan) -> "Floats":
    """The last field of each line, all lines having as many as the first."""
    from frtaudit.inputs.score_lists.fields import SCORE, Layout, first_line, read_fields, split_spaces

    count = len(split_spaces(first_line(path, path.name), f"{path.name} line 1"))
    if count > FIELDS:
        accepted = f"one comparison per line, its score the last of at most {FIELDS} fields"
        raise DataError(f"{path.name} line 1", f"{count} fields", accepted)
    columns = (*(f"field_{place}" for place in range(1, count)), SCORE)
    return read_fields(path, path.name, Layout(columns=columns), (), nan).score
