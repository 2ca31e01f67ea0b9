"""The answers file: every answer is on the disk before the page hears that it was kept."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Lock

import numpy as np

from frtaudit.core.labelling import LEFT_OUT, NOT_OF_QUERY, OF_QUERY, UNSAID, Faces
from frtaudit.core.machine.output import OutputFolder
from frtaudit.core.text.columns import csv_bytes
from frtaudit.errors import DataError
from frtaudit.inputs.queries.answers import with_answers
from frtaudit.inputs.queries.faces import ANNOTATION, FACE, QUERY
from frtaudit.inputs.tables import read_table

HEADER = ("face_id", "query", "annotation")
POSSIBLE = (OF_QUERY, NOT_OF_QUERY, LEFT_OUT)


class Journal:
    """Answers by face, and the file that holds them: face_id, query, annotation (1, 0, or -1 for unsure).

    Each answer replaces the file by a whole new one, so that what stands there is always what was answered so far:
    a program that is killed loses no answer that it has confirmed.
    """

    def __init__(self, path: Path, faces: Faces) -> None:
        """Go on where ``path`` ends. Raises :class:`DataError` naming the line of what is no answer."""
        self.path = path
        self._faces = faces
        self._lock = Lock()
        self._answers: dict[int, int] = {}
        self._columns: tuple[str, ...] = ()
        if path.exists():
            unanswered = replace(faces, annotated=np.full_like(faces.annotated, UNSAID))
            table = read_table(path, path.name)
            answers, self._columns = with_answers(unanswered, table).annotated, table.columns
            self._answers = {int(row): int(answers[row]) for row in np.flatnonzero(answers != UNSAID)}
        self._last_stamp = _stamp(path)

    def refuse_columns(self) -> None:
        """Raise :class:`DataError` for a file with more columns than are written: what stands in them would be lost."""
        more = [name for name in self._columns if name not in {*FACE, *QUERY, *ANNOTATION}]
        if more:
            text = f"has the column {more[0]!r}, which would be lost when an answer is written"
            raise DataError(
                self.path.name, text, f"{', '.join(HEADER)} alone, or another file: --answers FILE"
            )

    @property
    def answers(self) -> Mapping[int, int]:
        """Face to its answer, as they stand in the file."""
        with self._lock:
            return dict(self._answers)

    def add(self, answers: Mapping[int, int]) -> int:
        """Write the answers to faces that have none; how many of the others have another answer, which stays.

        Raises :class:`DataError` as :meth:`keep` does.
        """
        with self._lock:
            missing = answers.keys() - self._answers.keys()
            if missing:
                self._replace({**self._answers, **{face: answers[face] for face in missing}})
            return sum(self._answers[face] != answer for face, answer in answers.items())

    def keep(self, face: int, answer: int | None) -> int:
        """Write down an answer, or with None take it back; how many stand then.

        Raises :class:`DataError` where another program has changed the file since: its answers would be lost.
        """
        if not 0 <= face < len(self._faces.names) or (answer is not None and answer not in POSSIBLE):
            raise DataError("answer", "no such face or answer", "a face of the list; 1, 0 or -1")
        with self._lock:
            self._replace({**self._answers, face: answer})
            return len(self._answers)

    def _replace(self, changed: Mapping[int, int | None]) -> None:
        name = self.path.name
        if _stamp(self.path) != self._last_stamp:
            raise DataError(name, "another program has changed the file", "one review at a time")
        answers = {row: number for row, number in sorted(changed.items()) if number is not None}
        try:
            _write(self.path, self._text(answers) if answers else None)
        except OSError as error:
            problem = f"cannot be written ({error.strerror})"
            raise DataError(name, problem, "a writable folder with free space") from error
        self._last_stamp, self._answers = _stamp(self.path), answers

    def _text(self, answers: Mapping[int, int]) -> bytes:
        names, queries, query_of = self._faces.names, self._faces.queries, self._faces.query_of
        return csv_bytes([HEADER, *((names[row], queries[query_of[row]], n) for row, n in answers.items())])


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """What changes when somebody else writes the file; None where there is none."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _write(path: Path, data: bytes | None) -> None:
    """Replace a file whole, or with None remove it; on the disk when this returns."""
    if data is None:
        path.unlink(missing_ok=True)
    else:
        OutputFolder(path.parent).replace(path.name, data)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
