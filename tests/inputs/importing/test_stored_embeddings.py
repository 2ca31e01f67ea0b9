"""Which arrays and columns are embeddings, and which file is read. Tests also left_out."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frtaudit.config.plugins import load_plugins
from frtaudit.errors import DataError
from frtaudit.inputs.importing.importer import Import, read_import
from frtaudit.inputs.importing.values import Options

N, D = 24, 20
WHOLE = np.random.default_rng(5).integers(-99, 99, size=(N, D))
FLOATS = np.float32(WHOLE) / 8
IDS = [f"i{row:02d}" for row in range(N)]
PEOPLE = [f"p{row // 3}" for row in range(N)]


def imported_from(folder: Path, **options: str) -> Import:
    """The folder as it is imported."""
    load_plugins()
    return read_import(str(folder), str(folder / "into"), "", Options(**options))


def read(folder: Path, **options: str) -> Import:
    """The same of a folder that gains a table of its people."""
    pd.DataFrame({"image_id": IDS, "subject_id": PEOPLE}).to_csv(folder / "people.csv", index=False)
    return imported_from(folder, **options)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32])
@pytest.mark.parametrize("name", ["embedding", "features"])
def test_whole_numbers_are_embeddings_where_they_are_called_so(
    kind: type[np.integer], name: str, tmp_path: Path
) -> None:
    """An array file of whole numbers is a system beside one of floats, and alone."""
    whole = WHOLE.astype(kind)
    np.savez(tmp_path / "a.npz", **{name: whole, "image_id": IDS, "labels": np.arange(N)})
    (alone,) = read(tmp_path).known.templates.values()
    np.testing.assert_array_equal(alone.vectors, np.float32(whole))
    np.savez(tmp_path / "b.npz", embedding=FLOATS, image_id=IDS)
    assert list(read(tmp_path).known.templates) == ["a", "b"]


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_whole_numbers_without_a_name_are_read_if_their_file_is_named(
    kind: type[np.integer], tmp_path: Path
) -> None:
    """A bare array, and one called X, may be images or labels: beside embeddings they are named as not read."""
    np.savez(tmp_path / "a.npz", embedding=FLOATS, image_id=IDS)
    np.save(tmp_path / "images.npy", WHOLE.astype(kind))
    np.savez(tmp_path / "pixels.npz", X=WHOLE.astype(kind), image_id=IDS)
    imported = read(tmp_path)
    assert list(imported.known.templates) == ["a"]
    assert any(note.startswith("not read: images.npy, pixels.npz ") for note in imported.known.notes)
    assert list(read(tmp_path, file="images.npy").known.templates) == ["images"]
    assert list(read(tmp_path, file="pixels.npz").known.templates) == ["pixels"]


def test_floats_of_any_name_stand_before_whole_numbers(tmp_path: Path) -> None:
    """Beside an array of floats, one of whole numbers is not taken for its name, only if it is asked for."""
    np.savez(tmp_path / "a.npz", vecs=FLOATS, feature=WHOLE[:, :4], image_id=IDS)
    assert read(tmp_path).known.templates["a"].vectors.shape == (N, D)
    assert read(tmp_path, embedding="feature").known.templates["a"].vectors.shape == (N, 4)


@pytest.mark.parametrize("options", [{"embedding": "codes"}, {"file": "a.npz"}])
def test_whole_numbers_of_any_name_are_read_if_they_are_named(
    options: dict[str, str], tmp_path: Path
) -> None:
    """Without an option, the error names the array; with it, or the file's name, its rows are embeddings."""
    np.savez(tmp_path / "a.npz", codes=WHOLE, image_id=IDS)
    with pytest.raises(DataError, match=r"a.npz: .*it has codes; accepted: embedding=codes$"):
        read(tmp_path)
    assert list(read(tmp_path, **options).known.templates) == ["a"]


def test_a_bare_array_that_may_be_images_is_read_if_its_file_is_named(tmp_path: Path) -> None:
    """The one file of the folder has rows of uint8: the advice of the error reads it."""
    np.save(tmp_path / "a.npy", WHOLE.astype(np.uint8))
    with pytest.raises(DataError, match=r"a.npy: rows of whole numbers, .*; accepted: file=a.npy$"):
        read(tmp_path)
    assert list(read(tmp_path, file="a.npy").known.templates) == ["a"]


def test_the_file_that_is_named_is_read_alone(tmp_path: Path) -> None:
    """The evidence is of that file, and the other is named as not read."""
    np.savez(tmp_path / "a.npz", feats=FLOATS, image_id=IDS)
    np.savez(tmp_path / "b.npz", feats=WHOLE, image_id=IDS)
    imported = read(tmp_path, file="b.npz")
    assert list(imported.known.templates) == ["b"]
    assert imported.evidence.file == "b.npz"
    assert any(note.startswith("not read: a.npz ") for note in imported.known.notes)


@pytest.mark.parametrize("beside", [{"feats": FLOATS}, {"codes": WHOLE}])
def test_a_file_that_cannot_be_read_as_embeddings_is_refused(
    beside: dict[str, np.ndarray], tmp_path: Path
) -> None:
    """A named file of labels gives its arrays; one that is not there is said."""
    np.savez(tmp_path / "a.npz", image_id=IDS, **beside)
    np.savez(tmp_path / "labels.npz", labels=np.arange(N))
    with pytest.raises(DataError, match=r"^file: labels.npz has no rows of numbers.*: labels 24 int64"):
        read(tmp_path, file="labels.npz")
    with pytest.raises(DataError, match=r"^file: the folder has no 'c.npz'"):
        read(tmp_path, file="c.npz")


def lists(**columns: list[list[float]]) -> pd.DataFrame:
    """A table of the images with columns of lists."""
    return pd.DataFrame({"image_id": IDS, **columns, "subject_id": PEOPLE})


def in_parquet(path: Path, frame: pd.DataFrame) -> None:
    """Lists as Parquet has them."""
    frame.to_parquet(path / "a.parquet")


def in_csv(path: Path, frame: pd.DataFrame) -> None:
    """Lists as texts in brackets."""
    frame.to_csv(path / "a.csv", index=False)


def with_semicolons(path: Path, frame: pd.DataFrame) -> None:
    """Lists without quotes."""
    frame.to_csv(path / "a.csv", index=False, sep=";")


@pytest.mark.parametrize("write", [in_parquet, in_csv, with_semicolons])
def test_a_column_of_lists_of_another_name_is_read_if_it_is_named(
    write: Callable[[Path, pd.DataFrame], None], tmp_path: Path
) -> None:
    """By its name, or by that of the file, whose other lists are short; without one the error gives the names."""
    write(tmp_path, lists(box=[[1.0, 2.0, 3.0, 4.0]] * N, vec=FLOATS.tolist()))
    with pytest.raises(DataError, match="it has box, vec; accepted: embedding=box or embedding=vec$"):
        imported_from(tmp_path)
    (file,) = (path.name for path in tmp_path.glob("a.*"))
    for options in ({"embedding": "vec"}, {"file": file}):
        imported = imported_from(tmp_path, **options)
        np.testing.assert_array_equal(imported.known.templates["a"].vectors, FLOATS)


def test_lists_beside_embeddings_are_no_system(tmp_path: Path) -> None:
    """A table of the images with the numbers of landmarks, some lists longer than others, stays a table."""
    np.savez(tmp_path / "m.npz", embedding=FLOATS, image_id=IDS)
    in_parquet(tmp_path, lists(landmarks=[[0.5] * (16 + row % 3) for row in range(N)]))
    assert list(imported_from(tmp_path).known.templates) == ["m"]


@pytest.mark.parametrize("write", [in_parquet, in_csv])
def test_a_column_of_lists_that_could_be_another_is_asked_for(
    write: Callable[[Path, pd.DataFrame], None], tmp_path: Path
) -> None:
    """Short lists alone, two of long lists, and a name that no column has are one line each."""
    write(tmp_path, lists(box=[[1.0, 2.0, 3.0, 4.0]] * N))
    with pytest.raises(DataError, match="it has box; accepted: embedding=box$"):
        imported_from(tmp_path)
    write(tmp_path, lists(u=FLOATS.tolist(), v=FLOATS.tolist()))
    with pytest.raises(DataError, match="accepted: embedding=u or embedding=v$"):
        imported_from(tmp_path)
    with pytest.raises(DataError, match="accepted: embedding=u or embedding=v$"):
        imported_from(tmp_path, embedding="w")
