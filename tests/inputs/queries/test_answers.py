from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.labelling import Faces
from frtaudit.errors import DataError
from frtaudit.inputs.queries.answers import with_answers
from frtaudit.inputs.tables import read_table

FACES = Faces(
    names=("a", "b", "c"), query_of=np.int32([0, 0, 1]), queries=("p", "q"), annotated=np.int8([1, -2, -2])
)


def told(folder: Path, text: str) -> list[int]:
    """The answers of FACES after a file of that text."""
    path = folder / "answers.csv"
    path.write_text(text)
    return with_answers(FACES, read_table(path, path.name)).annotated.tolist()


def test_answers_stand_over_the_list(tmp_path: Path) -> None:
    """A file's answer replaces the list's; a face that it does not name, or names without an answer, keeps its own."""
    assert told(tmp_path, "face_id,query,annotation\na,p,0\nc,q,-1\nb,p,\n") == [0, -2, -1]
    assert told(tmp_path, "face_id,annotation\nb,yes\nb,1\n") == [1, 1, -2]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "face_id,annotation\na,1\nz,0\n",
            "answers.csv line 3: a face that the list of faces lacks; accepted: faces of that list",
        ),
        (
            "face_id,annotation\nb,1\nc,1\nb,0\n",
            "answers.csv line 4: another answer for a face of an earlier line; accepted: one answer per face",
        ),
        (
            "face_id,query,annotation\na,q,1\n",
            "answers.csv line 2: the face belongs to another query; accepted: that of the list",
        ),
        (
            "face_id,annotation\na,maybe\n",
            "answers.csv line 2: column 'annotation' holds no answer: 'maybe'; accepted: 1 or yes, 0 or no, -1",
        ),
        (
            "face_id\na\n",
            "answers.csv: no column annotation or of_query or y among face_id; accepted: a column annotation",
        ),
    ],
)
def test_a_wrong_answer_is_one_line(tmp_path: Path, text: str, line: str) -> None:
    """What is wrong is said with file and line, without the face's name."""
    with pytest.raises(DataError) as caught:
        told(tmp_path, text)
    assert str(caught.value).startswith(line)
