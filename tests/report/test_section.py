"""Sections: each declared where it is built, all of them placed."""

from pathlib import Path

import pytest

from frtaudit.core.machine.resources import shipped
from frtaudit.report import section as declared
from frtaudit.report.section import Declared, View, section, sections, titles
from frtaudit.report.source import Source


def test_every_declared_section_has_one_place() -> None:
    """None is lost because it follows one that is not there, and none stands twice."""
    folder = Path(declared.__file__).with_name("sections")
    written = sum(path.read_text("utf-8").count("\n@section(") for path in folder.glob("*.py"))
    assert len(sections()) == len(titles()) == written


def test_every_template_is_of_a_section() -> None:
    """No template is left without a section; the summary has its own place."""
    files = (shipped("templates") / "sections").iterdir()
    assert {path.name.removesuffix(".html.j2") for path in files} <= {*titles(), "summary"}


def test_a_section_stands_after_the_one_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more declaration is enough to place a section: where others follow it by a chain, before the chain."""
    monkeypatch.setattr(declared, "_declared", dict(declared._declared))

    @section("zebra", "Extra", after="rates")
    def build(_: Source) -> View:
        return View()

    order = [entry.name for entry in sections.__wrapped__()]
    place = order.index("zebra")
    assert order[place - 1 : place + 2] == ["rates", "zebra", "groups"]
    assert declared._declared["zebra"] == Declared(
        name="zebra", title="Extra", after="rates", annex=False, build=build
    )
