"""Photos in a folder."""

from pathlib import Path

import pytest
from web_pages import photo

from frtaudit.collection.sources.folder import Folder
from frtaudit.config.plugins import load_plugins
from frtaudit.core.collecting import CallError
from frtaudit.core.identity import plugin
from frtaudit.errors import DataError, SpecError


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Two queries, named as people are, of three and one images, and what is none."""
    for n, name in enumerate(
        ["Ada Lovelace/b.jpg", "Ada Lovelace/a.JPEG", "Ada Lovelace/c.png", "Alan Turing/x.jpg"]
    ):
        path = tmp_path / "photos" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(photo(n, kind="PNG" if name.endswith("png") else "JPEG"))
    (tmp_path / "photos" / "Ada Lovelace" / "notes.txt").write_text("no image")
    (tmp_path / "photos" / ".hidden").mkdir()
    return tmp_path / "photos"


def test_a_folder_for_each_query(photos: Path) -> None:
    """By name of folder and file; places tell neither; images are read as they are."""
    load_plugins()
    source = plugin("source", {"type": "folder", "root": str(photos)}, "source")
    assert isinstance(source, Folder)
    found = list(source.finds())
    assert [(one.query, one.place) for one in found] == [
        (0, "folder 1 image 1"),
        (0, "folder 1 image 2"),
        (0, "folder 1 image 3"),
        (1, "folder 2 image 1"),
    ]
    assert [source.read(one).data for one in found[:2]] == [photo(1), photo(0)]
    assert source.at_most() == [3, 1]
    assert (source.calls(), source.paid) == ({}, {})
    assert "Ada" not in repr(found)


def test_queries_with_columns_decide_the_order(photos: Path, tmp_path: Path) -> None:
    """A query without a folder keeps its number and has no image; a folder that no line names is refused."""
    table = tmp_path / "who.csv"
    table.write_text("query,group\nAlan Turing,m\nNobody,m\nAda Lovelace,f\n")
    source = Folder(root=str(photos), queries=str(table), limit=2)
    assert [(one.query, one.columns["group"]) for one in source.finds()] == [(0, "m"), (2, "f"), (2, "f")]
    assert source.at_most() == [1, 0, 2]
    assert source.cautions()[0] == "limit=2 leaves out 1 image of 1 query"
    table.write_text("query,group\nAlan Turing,m\n")
    with pytest.raises(DataError) as caught:
        list(source.finds())
    assert str(caught.value) == "source.root folder 1: is not in who.csv; accepted: a line for each folder"


def test_files_that_are_not_used_are_counted(photos: Path, tmp_path: Path) -> None:
    """Other kinds, images in subfolders or beside the folders: one line; a list of files says itself what is used."""
    tail = "not used: no .jpg, .jpeg, .png in a folder directly below it"
    assert Folder(root=str(photos)).cautions() == (f"1 file of the folder is {tail}",)
    (photos / "Alan Turing" / "more").mkdir()
    for name in ("Alan Turing/y.webp", "Alan Turing/more/z.jpg", "loose.jpg", ".hidden.jpg"):
        (photos / name).write_bytes(b"x")
    assert Folder(root=str(photos)).cautions() == (f"4 files of the folder are {tail}",)
    table = tmp_path / "list.csv"
    table.write_text("query,file\nq1,Ada Lovelace/c.png\n")
    assert Folder(root=str(photos), files=str(table)).cautions() == ()


def test_a_list_of_files(photos: Path, tmp_path: Path) -> None:
    """Query and file by line; a file that is not there or lies outside is refused by its line."""
    table = tmp_path / "list.csv"
    table.write_text("query,file\nq1,Ada Lovelace/c.png\nq1,Alan Turing/x.jpg\n")
    source = Folder(root=str(photos), files=str(table))
    assert [(one.query, one.place) for one in source.finds()] == [
        (0, "list.csv line 2"),
        (0, "list.csv line 3"),
    ]
    table.write_text("query,file\nq1,../list.csv\n")
    with pytest.raises(DataError, match="list.csv line 2: the file lies outside source.root"):
        list(source.finds())
    table.write_text("query,file\nq1,Ada Lovelace/z.png\n")
    with pytest.raises(DataError) as caught:
        list(source.finds())
    assert str(caught.value).startswith("list.csv line 2: no such file")
    assert "Ada" not in str(caught.value)


@pytest.mark.parametrize(("data", "code"), [(b"none", "unreadable_image"), (bytes(2000), "too_large")])
def test_what_cannot_be_read_is_a_failure_to_acquire(photos: Path, data: bytes, code: str) -> None:
    """A broken image, too many bytes, a file that went away since."""
    source = Folder(root=str(photos), most_bytes=1000 if code == "too_large" else 20_000_000)
    first = next(source.finds())
    (photos / first.address).write_bytes(data)
    with pytest.raises(CallError, match=code):
        source.read(first)
    (photos / first.address).unlink()
    with pytest.raises(CallError, match="unreadable_image") as caught:
        source.read(first)
    assert caught.value.__context__ is None


def test_200_megabytes_are_not_read_to_their_end(photos: Path) -> None:
    """A sparse file of 200 MB: too large."""
    source = Folder(root=str(photos))
    first = next(source.finds())
    with (photos / first.address).open("wb") as stream:
        stream.truncate(200_000_000)
    with pytest.raises(CallError, match="too_large"):
        source.read(first)


def test_settings_that_cannot_be_kept(tmp_path: Path) -> None:
    """A limit of 0, two lists, no folder, no image."""
    with pytest.raises(SpecError, match=r"source\.limit"):
        Folder(root=".", limit=0)
    with pytest.raises(SpecError, match=r"source\.queries"):
        Folder(root=".", files="a", queries="b")
    with pytest.raises(DataError, match="no folder 'nowhere'"):
        list(Folder(root="nowhere").finds())
    with pytest.raises(DataError, match="no image below the folder"):
        list(Folder(root=str(tmp_path)).finds())


def test_a_list_of_queries_and_hidden_folders_are_no_files_that_are_not_used(photos: Path) -> None:
    """What is read is used, and what is hidden is not looked at."""
    table = photos / "who.csv"
    table.write_text(
        "query\n" + "".join(f"{path.name}\n" for path in sorted(photos.iterdir()) if path.is_dir())
    )
    (photos / ".thumbnails").mkdir()
    (photos / ".thumbnails" / "a.jpg").write_bytes(b"")
    assert "2 files of the folder are" in Folder(root=str(photos)).cautions()[0]
    assert "1 file of the folder is" in Folder(root=str(photos), queries=str(table)).cautions()[0]
