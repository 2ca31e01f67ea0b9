"""Tests of frtaudit.config.template."""

from pathlib import Path

import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.template import write_starter
from frtaudit.errors import SpecError


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
    with pytest.raises(SpecError, match=f"^{name}: is there already"):
        write_starter(tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [Path(name).name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    """A file in the way is an error in one line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="a folder that can be written"):
        write_starter(tmp_path / "file")
