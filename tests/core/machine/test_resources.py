from pathlib import Path

import pytest

from frtaudit.core.machine import resources as module
from frtaudit.core.machine.resources import shipped


def test_the_checkout_ships_its_trees() -> None:
    """In a checkout conf and templates stand beside the package."""
    assert (shipped("conf") / "config.yaml").is_file()
    assert (shipped("templates") / "report.html.j2").is_file()


def test_the_wheel_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder inside the package wins over one beside it; either is found alone."""
    package = tmp_path / "frtaudit"
    (package / "conf").mkdir(parents=True)
    (tmp_path / "conf").mkdir()
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(module, "_PACKAGE", package)
    assert shipped("conf") == package / "conf"
    assert shipped("templates") == tmp_path / "templates"


def test_what_does_not_ship_is_refused() -> None:
    """An unknown folder is an error that names it."""
    with pytest.raises(FileNotFoundError, match="nothing_here is neither"):
        shipped("nothing_here")
