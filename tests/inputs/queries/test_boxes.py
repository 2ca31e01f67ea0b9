"""A file of boxes as it is read."""

from pathlib import Path

import pytest

from frtaudit.errors import DataError
from frtaudit.inputs.queries.boxes import BoxList, boxes_of, need_no_boxes
from frtaudit.inputs.tables import read_table

HEADER = "image,provider,face,x,y,width,height"


def read(folder: Path, *rows: str) -> BoxList:
    """Boxes of these lines."""
    path = folder / "boxes.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return boxes_of(read_table(path, path.name))


def test_boxes_are_read_in_their_order(tmp_path: Path) -> None:
    """Names as text, sides as numbers; two providers may call their faces alike."""
    found = read(tmp_path, "p1,acme,1,0.5,2,30,40", "p1,bolt,1,1,2,30,40")
    assert found.face.tolist() == ["1", "1"]
    assert found.provider.tolist() == ["acme", "bolt"]
    assert found.box.tolist() == [[0.5, 2, 30, 40], [1, 2, 30, 40]]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("p1,acme,f,1,1,0,5", "a width or height that is not above 0"),
        ("p1,acme,f,1,1,5,-5", "a width or height that is not above 0"),
        ("p1,acme,f,left,1,5,5", "column 'x' holds no finite number"),
        ("p1,acme,f,1,inf,5,5", "column 'y' holds no finite number"),
        ("p1,acme,f,1,1,,5", "column 'width' holds no finite number"),
        ("p1,acme,,1,1,5,5", "no image, provider or face"),
        ("p1,acme,first,1,1,5,5", "the provider names this face in an earlier row"),
    ],
)
def test_a_malformed_box_is_named_by_its_line(tmp_path: Path, row: str, said: str) -> None:
    """What is no box is refused with file and line."""
    with pytest.raises(DataError, match="^boxes.csv line 3: " + said):
        read(tmp_path, "p1,acme,first,0,0,9,9", row)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    """A file without widths is refused."""
    path = tmp_path / "boxes.csv"
    path.write_text("image,provider,face,x,y,height\np1,acme,f,1,1,2\n")
    with pytest.raises(DataError, match="no column width"):
        boxes_of(read_table(path, path.name))


def test_undeclared_boxes_are_no_score_list(tmp_path: Path) -> None:
    """The advice names the setting; a score list of a service of that name is one."""
    path = tmp_path / "boxes.csv"
    path.write_text("image,provider,face,x,y,width,height\na,one,f,1,2,3,4\n")
    with pytest.raises(
        DataError, match=r"^boxes\.csv: a file of boxes .*; accepted: cohort\.boxes=boxes\.csv$"
    ):
        need_no_boxes(path)
    path.write_text("probe,reference,score\na,b,0.5\n")
    assert need_no_boxes(path) == path
