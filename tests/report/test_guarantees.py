"""The study's page and figures, which report/figures/coverage.py draws."""

import json
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from frtaudit.report import guarantees
from frtaudit.testing.study.run import unpacked

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "reports" / "guarantees" / "guarantees.json"


@cache
def found() -> Any:
    """The committed study."""
    if not COMMITTED.is_file():
        pytest.skip("the study is not committed yet")
    return unpacked(json.loads(COMMITTED.read_text("utf-8")))


@pytest.mark.slow
def test_the_page_stands_by_itself() -> None:
    """One file: no script, nothing loaded; the same study gives the same bytes."""
    page = guarantees.page(found())
    assert page == guarantees.page(found())
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org/", "")


@pytest.mark.usefixtures("no_ink")
def test_the_page_marks_what_does_not_hold() -> None:
    """A claim of coverage and a test of a true null that fail their binomial tests are marked, nothing else is."""
    study = json.loads(json.dumps(found()))
    held = [row for cell in study["cells"] for row in (*cell["intervals"], *cell["tests"])]
    marks = sum(row["holds"] is False for row in held)
    assert guarantees.page(study).count(" ✗<") == marks
    next(row for row in held if row["holds"] and "method" in row)["holds"] = False
    next(row for row in held if row["holds"] and "test" in row)["holds"] = False
    assert guarantees.page(study).count(" ✗<") == marks + 2


@pytest.mark.parametrize("name", ["for_whom", "few_errors"])
def test_the_figures_of_the_documents_are_drawn_from_the_study(name: str) -> None:
    """docs/figures holds what the committed study draws: well-formed SVG on light paper, with a title."""
    drawn = guarantees.for_documents(found())[name]
    root = ET.fromstring(drawn)
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert guarantees.PAPER in drawn
    committed = (ROOT / "docs" / "figures" / f"{name}.svg").read_text("utf-8")
    assert [child.tag for child in ET.fromstring(committed).iter()] == [child.tag for child in root.iter()]


@pytest.mark.usefixtures("no_ink")
def test_files_are_named_after_the_figures() -> None:
    """Every figure of the study stands on the page, and each is offered as a file."""
    names = list(guarantees.panels(found()))
    assert list(guarantees.files(found())) == names
    assert guarantees.page(found()).count("<figure>") == len(names) > 10
