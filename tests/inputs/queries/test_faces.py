from pathlib import Path

import numpy as np
import pytest

from frtaudit.core.labelling import Faces
from frtaudit.errors import DataError
from frtaudit.inputs.queries.faces import faces_of, services_of
from frtaudit.inputs.score_lists.scorelist import read_scores
from frtaudit.inputs.tables import read_table

FACES = "face_id,query,group,annotation\nb2,b,x,0\na1,a,y,1\nb1,b,x,\n"


def read(tmp_path: Path, text: str) -> tuple[Faces, dict[str, np.ndarray]]:
    """The faces of a file with this text."""
    (tmp_path / "faces.csv").write_text(text)
    return faces_of(read_table(tmp_path / "faces.csv", "faces.csv"))


def test_faces_are_sorted_by_query_and_name(tmp_path: Path) -> None:
    """Answers and other columns go with them."""
    faces, columns = read(tmp_path, FACES)
    assert faces.names == ("a1", "b1", "b2")
    assert faces.queries == ("a", "b")
    assert faces.annotated.tolist() == [1, -2, 0]
    assert columns["group"].tolist() == ["y", "x", "x"]
    floats = "face_id,query,annotation\na,q,1.0\nb,q,\nc,q,0.0\nd,q,-1.0\n"
    assert read(tmp_path, floats)[0].annotated.tolist() == [1, -2, 0, -1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("face_id,query\na,\n", "faces.csv line 2: no face or no query"),
        ("face_id,query\na,q\nb,nan\n", "faces.csv line 3: the query is a word for a missing value"),
        ("face_id,query\na,q\nb,q\na,p\n", "faces.csv line 4: the face is in an earlier row"),
        (
            "face_id,query,annotation\na,q,perhaps\n",
            "faces.csv line 2: column 'annotation' holds no answer: 'perhaps'; accepted: 1 or yes, 0 or",
        ),
        ("face_id,person\na,q\n", "faces.csv: no column query or query_id or name"),
    ],
)
def test_bad_lists_of_faces_are_one_line(tmp_path: Path, text: str, line: str) -> None:
    """File, line, what was found, what is accepted; no name of a face."""
    with pytest.raises(DataError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(line)


def test_services_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    """One list with a provider column, failures with their code, a face with itself counted and left out."""
    faces, _ = read(tmp_path, FACES)
    (tmp_path / "s.csv").write_text(
        "provider,probe,reference,score,failure\nzeta,a1,b1,0.5,\nalpha,b1,b2,,blur\nzeta,b1,b1,1,\nalpha,a1,b2,0.25,\n"
    )
    services, alone = services_of(faces, [read_scores(tmp_path / "s.csv", "s.csv")])
    assert [one.name for one in services] == ["alpha", "zeta"]
    assert services[0].codes == ("blur",)
    assert np.isnan(services[0].score).tolist() == [False, True]
    assert alone == {"zeta": 1}


def test_the_order_of_lines_and_of_faces_in_them_changes_nothing(tmp_path: Path) -> None:
    """Pairs ascend; where none stands in both orders, the face that comes first by name is the first."""
    faces, _ = read(tmp_path, FACES)
    (tmp_path / "s.csv").write_text("probe,reference,score\nb1,a1,0.5\nb2,b1,0.25\n")
    (tmp_path / "t.csv").write_text("provider,probe,reference,score\ns,b1,b2,0.25\ns,a1,b1,0.5\n")
    (one,), (two,) = (services_of(faces, [read_scores(tmp_path / f, f)])[0] for f in ("s.csv", "t.csv"))
    assert one.first.tolist() == two.first.tolist()
    assert one.second.tolist() == two.second.tolist()
    assert one.score.tolist() == two.score.tolist()
    assert (one.first < one.second).all()


def test_a_pair_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Which of two scores is meant is not known: file and line; the other order, and a face with itself, may stand."""
    faces, _ = read(tmp_path, FACES)
    (tmp_path / "s.csv").write_text("probe,reference,score\na1,b1,0.5\nb1,a1,0.75\nb1,b1,1\nb1,b1,1\n")
    (tmp_path / "t.csv").write_text("provider,probe,reference,score\ns,b1,b2,0.5\ns,a1,b1,0.25\n")
    lists = [read_scores(tmp_path / name, name) for name in ("s.csv", "t.csv")]
    assert services_of(faces, lists[:1])[0][0].score.tolist() == [0.5, 0.75]
    with pytest.raises(
        DataError, match=r"^t.csv line 3: the comparison of s.csv line 2 again; accepted: each"
    ):
        services_of(faces, lists)


def test_a_face_that_nobody_listed_is_refused(tmp_path: Path) -> None:
    """File and line of the comparison, not the name."""
    faces, _ = read(tmp_path, FACES)
    (tmp_path / "s.csv").write_text("probe,reference,score\na1,b1,0.5\na1,nobody,0.5\n")
    with pytest.raises(DataError, match="s.csv line 3: a face that the list of faces lacks"):
        services_of(faces, [read_scores(tmp_path / "s.csv", "s.csv")])


def test_pictures_beside_face_ids_are_kept(tmp_path: Path) -> None:
    """A column image beside face_id is one of the others, for the page of frtaudit label."""
    (tmp_path / "faces.csv").write_text("face_id,query,image\nf1,ada,a.png\nf2,ada,b.png\n")
    faces, columns = faces_of(read_table(tmp_path / "faces.csv", "faces.csv"))
    assert faces.names == ("f1", "f2")
    assert columns["image"].tolist() == ["a.png", "b.png"]
