"""Tests of frtaudit.config.template."""

from pathlib import Path

import pytest
from small_limits import file_size_limit

from frtaudit.config import template
from frtaudit.config.load import load_spec
from frtaudit.config.template import write_starter
from frtaudit.errors import DataError, SpecError


@pytest.mark.parametrize("name", ["mine", "it's [mine], no: 010"])
def test_the_starter_is_a_spec(tmp_path: Path, name: str) -> None:
    """What init writes can be loaded as it stands, whatever the folder is called."""
    folder = tmp_path / name
    said = write_starter(folder)
    spec = load_spec(["audit=my_audit"], folder)
    assert spec.name == "my_audit"
    assert getattr(spec.cohort, "root", None) == str(folder)
    assert spec.requirements[0].schema == "gender"
    assert "audit=my_audit" in said
    assert (folder / "metadata.csv").read_text() == "image_id,subject_id,gender\n"


@pytest.mark.parametrize("name", ["audit/my_audit.yaml", "metadata.csv"])
def test_nothing_is_overwritten(tmp_path: Path, name: str) -> None:
    """Where one of the files is there, none is written."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(SpecError, match=f"^{name}: already exists"):
        write_starter(tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(name).name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    """A file in the way is an error in one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="a file stands where a folder is needed"):
        write_starter(tmp_path / "file")


@pytest.mark.parametrize("size", [10, 10_000])
def test_a_fault_of_the_machine_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Whichever of the files cannot be written, neither stands there, nor a folder for it."""
    monkeypatch.setattr(template, "METADATA", "image_id,subject_id\n" * 1000)
    with (
        file_size_limit(size),
        pytest.raises(DataError, match=r"(yaml|csv): the file-size limit is reached; accepted: a higher"),
    ):
        write_starter(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []
    write_starter(tmp_path / "a" / "b")
