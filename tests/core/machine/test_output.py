"""The one writer: nothing is written outside its folder or through a link."""

from pathlib import Path

import pytest
from small_limits import file_size_limit

from frtaudit.core.machine.faults import as_line
from frtaudit.core.machine.output import OutputFolder
from frtaudit.errors import DataError

OUTSIDE = ["../x", "/x", "a/../../x", "a//x", "", ".", "..", "a/.", "a\\..\\x", "a\0", "./x", "a/"]


@pytest.fixture
def out(tmp_path: Path) -> OutputFolder:
    """A folder to write into, with a neighbour that nothing may touch."""
    (tmp_path / "neighbour").mkdir()
    (tmp_path / "neighbour" / "kept").write_bytes(b"kept")
    (tmp_path / "out").mkdir()
    return OutputFolder(tmp_path / "out")


def _untouched(out: OutputFolder) -> bool:
    beside = out.root.parent
    kept = (beside / "neighbour" / "kept").read_bytes() == b"kept"
    return kept and sorted(path.name for path in beside.rglob("*")) == sorted(
        ["neighbour", "kept", "out", *(path.name for path in out.root.rglob("*"))]
    )


def test_files_and_their_folders_are_made(out: OutputFolder) -> None:
    """A name with folders in it makes them; the same name again is refused, replace replaces it."""
    assert out.write("lists/a/b.csv", b"one").read_bytes() == b"one"
    with pytest.raises(DataError, match="already exists"):
        out.write("lists/a/b.csv", b"two")
    assert out.replace("lists/a/b.csv", b"two").read_bytes() == b"two"
    assert [path.name for path in (out.root / "lists" / "a").iterdir()] == ["b.csv"]


@pytest.mark.parametrize("way", ["write", "create", "replace"])
def test_a_limit_that_is_met_names_the_file(way: str, out: OutputFolder) -> None:
    """`ulimit -f`, a full disk: the system does not say which file; nothing of it is left."""

    def create(name: str, data: bytes) -> None:
        with out.create(name) as stream:
            stream.write(data)

    write = {"write": out.write, "create": create, "replace": out.replace}[way]
    with file_size_limit(100), pytest.raises(OSError, match="too large") as caught:
        write("tables/a.parquet", b"x" * 200)
    assert str(as_line(caught.value)).startswith("a.parquet: the file-size limit is reached; accepted: ")
    assert not list((out.root / "tables").iterdir())


def test_what_cannot_be_written_whole_is_not_there(out: OutputFolder) -> None:
    """A fault while a new file is written leaves none, so the command can be repeated; a file that was there stays."""
    out.write("kept", b"mine")
    with file_size_limit(3):
        for name in ("new", "folder/new"):
            with pytest.raises(OSError, match="File too large"):
                out.write(name, b"x" * 100_000)
        with pytest.raises(DataError, match="already exists"):
            out.write("kept", b"x" * 100_000)
    assert [path.name for path in out.root.rglob("*") if path.is_file()] == ["kept"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_leads_out_is_refused(out: OutputFolder, name: str) -> None:
    """Absolute names, .. and empty parts in any place, backslashes and NUL: refused, nothing made."""
    for write in (out.write, out.replace):
        with pytest.raises(DataError, match="leads out of the folder"):
            write(name, b"x")
    assert _untouched(out)


@pytest.mark.parametrize("target", ["../neighbour/kept", "../neighbour/new", "loop"])
def test_a_file_that_is_a_link_is_refused(out: OutputFolder, target: str) -> None:
    """A link to a file, to nothing, to itself: neither followed nor replaced."""
    (out.root / "loop").symlink_to(target)
    for write in (out.write, out.replace):
        with pytest.raises(DataError, match="is a link"):
            write("loop", b"x")
    assert _untouched(out)


def test_a_folder_that_is_a_link_is_refused(out: OutputFolder) -> None:
    """A folder on the way that leads elsewhere, or nowhere, ends the way; so does the draft's own name."""
    (out.root / "lists").symlink_to("../neighbour")
    with pytest.raises(DataError, match="is a link"):
        out.write("lists/kept", b"x")
    with pytest.raises(DataError, match="is a link"):
        out.replace("lists/new", b"x")
    (out.root / ".a.draft").symlink_to("../neighbour/kept")
    assert out.replace("a", b"x").read_bytes() == b"x"
    assert _untouched(out)


def test_a_folder_that_is_kept_open_is_the_one_that_is_written_to(out: OutputFolder) -> None:
    """Replaced by a link meanwhile, its path leads elsewhere and no file goes there."""
    with out.kept_open("draft/files"):
        inner = OutputFolder(out.root / "draft" / "files")
        (out.root / "draft").rename(out.root / "aside")
        (out.root / "draft").symlink_to("../neighbour")
        inner.write("lists/a.csv", b"x")
        inner.replace("b.csv", b"x")
    (out.root / "draft").unlink()
    assert _untouched(out)
    files = out.root / "aside" / "files"
    assert sorted(path.name for path in files.rglob("*")) == ["a.csv", "b.csv", "lists"]
