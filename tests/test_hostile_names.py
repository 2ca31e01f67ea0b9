"""Names that somebody chose to do harm, in every place where a run uses names: nothing lands outside its folder."""

import csv
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import hostile_data as hostile
import pytest

from frtaudit.config.load import load_spec
from frtaudit.config.plugins import load_plugins
from frtaudit.core.findings import exit_code
from frtaudit.core.registry import names
from frtaudit.core.spec import Report, RequirementSpec, SchemaSpec
from frtaudit.core.text.file_names import file_name
from frtaudit.datasets.cohorts.scores import ScoreLists
from frtaudit.pipeline.run import run
from frtaudit.report.exports import write
from frtaudit.report.exports.run_folder import read_run

SYSTEMS = ("../../../executed", "=cmd|' /C calc'!A0")
CLASSES = ("<b>$x$</b>", "\u202e\u05d0\u0301 18-35")
SCHEMA = '{{7*7}} "><i>../\u65e5'
FORMULA = re.compile(r"[=+@\t\r]|-(?!\d|inf$)")
TRACKERS = ("mlflow", "wandb")  # servers, not files
REQUIREMENT = "-1+1 [x](https://example.org) @all\n| a |"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, reports_made_once: object) -> Path:
    """A run of two systems and two classes of such names, with its exports beside it."""
    root = tmp_path_factory.mktemp("names") / "deep" / "er"
    (root / "data").mkdir(parents=True)
    with (root / "data" / "scores.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(_rows())
    load_plugins()
    words = [
        "audit=scores",
        f"cohort.root={root}",
        "thresholds.fmr=[0.2]",
        "bootstrap.B=199",
        "~analyses.interclass",
    ]
    limit = RequirementSpec(
        name=REQUIREMENT, metric="fnmr_at_fmr", at={"fmr": 0.2}, schema=SCHEMA, group="each", limit=0.5
    )
    spec = replace(
        load_spec(words),
        cohort=ScoreLists(root=str(root / "data")),
        schemas={SCHEMA: SchemaSpec(column="class", classes=CLASSES)},
        requirements=(limit,),
        report=Report(pdf=False, sign=False, title=REQUIREMENT, organisation=SYSTEMS[1]),
    )
    run(spec, root / "run", exit_code)
    files = [name for name in names("export") if name not in TRACKERS]
    write.export(read_run(root / "run"), files, root / "exports")
    return root


def _rows() -> list[tuple[object, ...]]:
    """Scores of all pairs of the synthetic images, higher for one person."""
    sides = ("probe", "reference", "probe_subject", "reference_subject", "probe_class", "reference_class")
    rows: list[tuple[object, ...]] = [("provider", *sides, "score")]
    whose: Callable[[str], str] = lambda name: CLASSES["abcd".index(name[0]) % 2]  # noqa: E731  one line
    for number, system in enumerate(SYSTEMS):
        for i, one in enumerate(hostile.IDS):
            for j, other in enumerate(hostile.IDS[:i]):
                score = 0.6 * (one[0] == other[0]) + ((7 * i + 5 * j + number) % 37) / 100
                rows.append((system, one, other, one[0], other[0], whose(one), whose(other), score))
    return rows


def test_nothing_lands_outside(folder: Path) -> None:
    """The folder above holds the data, the run and the exports; the list of each system lies in the run's own."""
    assert sorted(path.name for path in folder.iterdir()) == ["data", "exports", "run"]
    above = [path for path in folder.parent.parent.rglob("*") if not path.is_relative_to(folder)]
    assert above == [folder.parent]
    lists = folder / "run" / "lists" / "robustness"
    assert {path.name for path in lists.iterdir() if path.is_dir()} == {file_name(name) for name in SYSTEMS}
    cards = folder / "exports" / "model_card"
    assert {path.name for path in cards.iterdir()} == {f"{file_name(name)}.json" for name in SYSTEMS}


def test_the_page_shows_markup_as_text(folder: Path) -> None:
    """Markup of a class is text on the page, and braces of a schema are not computed."""
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    assert CLASSES[0] not in page
    assert "&lt;b&gt;$x$&lt;/b&gt;" in page
    assert "{{7*7}}" in page
    assert '"><i>' not in page
    assert all(re.fullmatch(r"[\w.-]+", name) for name in re.findall(r"url\(#(.*?)\)\"", page))


def test_the_page_has_no_mark_that_turns_text_round(folder: Path) -> None:
    """A direction mark of a class is written out wherever the page shows it, so that no number stands in reverse."""
    page = (folder / "run" / "report.html").read_text(encoding="utf-8")
    shown = re.sub(r'data-p="[^"]*"', "", page)
    assert r"\u202e" in shown
    ours = {"\n", "\u2068", "\u2069"}
    assert not {"Cc", "Cf", "Zl", "Zp"} & {unicodedata.category(mark) for mark in {*shown} - ours}
    alone = re.findall("\u2068\\\\{1,2}u202e\u05d0\u0301 18-35\u2069", shown)  # two in JSON
    assert len(alone) == shown.count("\u05d0") == shown.count("\u2068") == shown.count("\u2069")


def test_tables_hold_no_formula(folder: Path) -> None:
    """No cell of a CSV file of the run or of its exports begins as a formula does, but numbers."""
    found = [*(folder / "exports" / "csv").glob("*.csv"), *(folder / "run").rglob("*.csv")]
    assert len(found) > 5
    for path in found:
        with path.open(encoding="utf-8", newline="") as stream:
            cells = {text for row in csv.reader(stream) for text in row}
        assert not [text for text in cells if FORMULA.match(text)], path.name


def test_other_formats_escape_names(folder: Path) -> None:
    """JUnit is XML that holds the names whole; a page of Markdown gets no link, no mention and no row from them."""
    cases = ET.parse(folder / "exports" / "junit.xml").getroot().findall(".//testcase")
    assert any(CLASSES[0] in (case.get("name") or "") for case in cases)
    page = (folder / "exports" / "summary.md").read_text(encoding="utf-8")
    assert "[x](" not in page
    assert "https://" not in page
    assert "\n| a |" not in page
    assert " @all" not in page
    assert "\u202e" not in page
    for card in (folder / "exports" / "model_index").iterdir():
        body = card.read_text(encoding="utf-8").split("\n---\n")[1]
        assert r"\u202e" in body
        assert body.replace("\n", "").isprintable()
