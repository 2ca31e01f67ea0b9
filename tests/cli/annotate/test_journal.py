from pathlib import Path

import numpy as np
import pytest

from frtaudit.cli.annotate.journal import Journal
from frtaudit.core.labelling import Faces
from frtaudit.errors import DataError

FACES = Faces(
    names=("a", "b,1", "c"), query_of=np.int32([0, 0, 1]), queries=("p", 'q "x"'), annotated=np.int8([1, -2, -2])
)  # fmt: skip


def test_each_answer_stands_in_the_file_at_once(tmp_path: Path) -> None:
    """After every answer the file holds all of them, by face; one that is taken back leaves; nothing lies beside it."""
    journal = Journal(tmp_path / "answers.csv", FACES)
    assert journal.keep(2, 0) == 1
    assert journal.keep(1, 1) == 2
    assert journal.path.read_text() == 'face_id,query,annotation\n"b,1",p,1\nc,"q ""x""",0\n'
    assert journal.keep(1, None) == 1
    assert journal.keep(2, -1) == 1
    assert journal.path.read_text() == 'face_id,query,annotation\nc,"q ""x""",-1\n'
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


def test_a_new_journal_goes_on(tmp_path: Path) -> None:
    """What stands in the file is read again; the list's own answers are not copied into it; no answers, no file."""
    Journal(tmp_path / "answers.csv", FACES).keep(2, 0)
    journal = Journal(tmp_path / "answers.csv", FACES)
    assert dict(journal.answers) == {2: 0}
    assert journal.keep(2, None) == 0
    assert list(tmp_path.iterdir()) == []
    assert journal.keep(2, 1) == 1


def test_answers_are_added_where_there_are_none(tmp_path: Path) -> None:
    """An answer that stands in the file stays, and is counted where the other one differs; the rest are written."""
    journal = Journal(tmp_path / "answers.csv", FACES)
    assert journal.add({}) == 0
    assert not journal.path.exists()
    journal.keep(2, 0)
    assert journal.add({0: 1, 2: 1}) == 1
    assert journal.add({0: 1, 2: 0}) == 0
    assert journal.path.read_text() == 'face_id,query,annotation\na,p,1\nc,"q ""x""",0\n'
    other = Journal(journal.path, FACES)
    other.keep(2, None)
    with pytest.raises(DataError, match="another program has changed the file"):
        journal.add({1: 1})


def test_a_column_that_would_be_lost_is_refused(tmp_path: Path) -> None:
    """A reviewer's remarks are not written again: such a file is refused before an answer, and stands as it was."""
    path = tmp_path / "answers.csv"
    path.write_text('face_id,query,annotation,remark\na,p,1,"twin, ask Eva"\n')
    with pytest.raises(
        DataError, match="^answers.csv: has the column 'remark', .*; accepted: face_id, query, annot"
    ):
        Journal(path, FACES).refuse_columns()
    path.write_text("face_id,annotation\na,1\n")
    Journal(path, FACES).refuse_columns()
    Journal(tmp_path / "new.csv", FACES).refuse_columns()


def test_a_file_that_another_program_changed_is_left_alone(tmp_path: Path) -> None:
    """Two reviews on one file: the second to write is refused, and the first one's answers stand."""
    path = tmp_path / "answers.csv"
    first, second = Journal(path, FACES), Journal(path, FACES)
    first.keep(0, 1)
    with pytest.raises(DataError, match=r"answers\.csv: another program has changed the file"):
        second.keep(1, 1)
    assert path.read_text() == "face_id,query,annotation\na,p,1\n"


@pytest.mark.parametrize(("face", "answer"), [(-1, 1), (3, 1), (0, 2), (0, -2)])
def test_what_is_no_answer_is_refused(tmp_path: Path, face: int, answer: int) -> None:
    """Faces of the list; 1, 0 or -1; and nothing is written."""
    with pytest.raises(DataError, match="no such face or answer"):
        Journal(tmp_path / "answers.csv", FACES).keep(face, answer)
    assert list(tmp_path.iterdir()) == []


def test_a_failing_disk_is_one_line(tmp_path: Path) -> None:
    """An answer that could not be written is refused and does not count."""
    (tmp_path / "folder").mkdir()
    journal = Journal(tmp_path / "folder" / "answers.csv", FACES)
    (tmp_path / "folder").rmdir()
    with pytest.raises(DataError, match=r"answers\.csv: cannot be written \(No such file"):
        journal.keep(0, 1)
    assert dict(journal.answers) == {}
