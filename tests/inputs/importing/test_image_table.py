"""Which column of a table has the image ids, and what is said where none has."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frtaudit.config.plugins import load_plugins
from frtaudit.errors import DataError
from frtaudit.inputs.importing.image_table import check_single, image_table
from frtaudit.inputs.importing.importer import Import, read_import
from frtaudit.inputs.importing.values import Options
from frtaudit.inputs.tables import read_table

N = 60
IMAGES = {
    "image_id": [f"{row:04d}" for row in range(N)],
    "subject_id": [f"{row // 3:03d}" for row in range(N)],
    "age": [18 + row // 3 for row in range(N)],  # 20 of the numbers 0 to 59, each three times
}


def imported_from(folder: Path, **options: str) -> Import:
    """The folder as it is imported: embeddings with the ids 0 to 59, and images.csv."""
    load_plugins()
    np.savez(folder / "z.npz", features=np.random.default_rng(2).normal(size=(N, 16)), ids=np.arange(N))
    return read_import(str(folder), str(folder / "into"), "", Options(**options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"subject": "subject_id"},
        {"subject": "folder"},
        {"table": "images.csv"},
        {"id": "image_id"},
        {"table": "images.csv", "id": "image_id"},
    ],
)
def test_ids_without_their_zeros_are_said_with_one_of_each_side(
    options: dict[str, str], tmp_path: Path
) -> None:
    """Whatever the options, the error names both files and the column; the ids spelled as it says are imported."""
    pd.DataFrame(IMAGES).to_csv(tmp_path / "images.csv", index=False)
    problem = (
        "images.csv: no column has most of the image ids of z.npz, such as '0': column image_id has '0000'"
    )
    with pytest.raises(DataError, match=f"^{problem}; accepted: image ids spelled as in z.npz$"):
        imported_from(tmp_path, **options)
    pd.DataFrame(IMAGES | {"image_id": range(N)}).to_csv(tmp_path / "images.csv", index=False)
    assert imported_from(tmp_path).known.samples.columns.keys() == {"age"}


def test_a_column_that_repeats_image_ids_is_named_with_the_line(tmp_path: Path) -> None:
    """The column of the ids has one twice: the error names its second line, not a count."""
    pd.DataFrame(IMAGES | {"image_id": [0, 0, *range(2, N)]}).to_csv(tmp_path / "images.csv", index=False)
    where = "images.csv line 3: the image id, of column image_id, stands in an earlier row"
    with pytest.raises(DataError, match=f"^{where}; accepted: a row for each image, or id=COLUMN$"):
        imported_from(tmp_path)


def test_embeddings_of_other_images_are_said_with_one_id_of_each_side(tmp_path: Path) -> None:
    """The second file has ids that no image of the set has."""
    pd.DataFrame(IMAGES | {"image_id": range(N)}).to_csv(tmp_path / "images.csv", index=False)
    np.savez(tmp_path / "zz.npz", features=np.ones((2, 16), np.float32), ids=["0007", "0008"])
    problem = "zz.npz: no row is an embedding of an image of the set: the first row's image id is '0007', the first of"
    with pytest.raises(
        DataError, match=f"^{problem} the set '0'; accepted: image ids spelled as in the set$"
    ):
        imported_from(tmp_path)


def test_the_column_with_most_ids_is_taken(tmp_path: Path) -> None:
    """One accidental hit of a column of numbers is less than every id but one that stands twice, which is refused."""
    ids = [f"{row}.jpg" for row in range(20)]
    frame = pd.DataFrame({"serial": [ids[0], *map(str, range(100, 119))], "photo": ids, "subject_id": "p"})
    frame.to_csv(tmp_path / "meta.csv", index=False)
    table = read_table(tmp_path / "meta.csv", "meta.csv")
    assert image_table(table, ids, Options()).id == "photo"
    pd.concat([frame, frame.tail(1).assign(serial="200")]).to_csv(tmp_path / "meta.csv", index=False)
    doubled = image_table(read_table(tmp_path / "meta.csv", "meta.csv"), ids, Options())
    with pytest.raises(
        DataError, match=r"^meta.csv line 22: the image id, of column photo, stands in an earlier row"
    ):
        check_single(doubled)


def test_of_two_columns_with_as_many_ids_the_one_named_so_is_taken(tmp_path: Path) -> None:
    """Numbers of rows match the stems of images as well; the column of ids stands twice in one line, and is refused."""
    ids = [f"img/{row}.jpg" for row in range(20)]
    frame = pd.DataFrame({"row": range(20), "image_id": ids[::-1], "subject_id": "p"})
    pd.concat([frame, frame.tail(1).assign(row=20)]).to_csv(tmp_path / "meta.csv", index=False)
    table = image_table(read_table(tmp_path / "meta.csv", "meta.csv"), ids, Options())
    assert table.id == "image_id"
    with pytest.raises(DataError, match="of column image_id, stands in an earlier row"):
        check_single(table)
