"""The section on two dates, from small real audits."""

import re

import pytest
from one_scale import unequal
from two_collections import result

from frtaudit.core.spec import Report
from frtaudit.report import render
from frtaudit.report.pieces import plain_text
from frtaudit.report.section import View
from frtaudit.report.sections import summary
from frtaudit.report.sections.two_dates import build
from frtaudit.report.source import Source


def view(later: str, *words: str) -> View:
    """The view of one audit."""
    made = build(Source(result(later, *words)))
    assert made is not None
    return made


def rows(made: View, name: str) -> list[list[str]]:
    """The printed cells of one table."""
    (table,) = [item for item in made.tables if item.name == name]
    return [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]


def test_the_same_images_have_all_tables() -> None:
    """What decides, the scores again, the threshold kept, other labels; a panel for each service with both dates."""
    made = view("images")
    assert [item.name for item in made.tables] == [
        "dates-decisive",
        "dates-scores",
        "dates-kept",
        "dates-own",
        "dates-earlier",
    ]
    assert plain_text(made.lead[0]).startswith("The same images were scored at both dates.")
    (figure,) = made.figures
    assert len(figure.panels) == 3
    assert "FNMR over FMR of earlier, later" in figure.panels[0].alt


def test_a_planted_change_is_said_first() -> None:
    """The sentence names the service and by how much its FNMR fell; the row says yes; others say what was missed."""
    made = view("images")
    said = [plain_text(item) for item in made.verdicts]
    (crest,) = [text for text in said if text.startswith("crest")]
    assert crest.startswith("crest: FNMR changed at FMR")
    assert "\u2212" in crest
    assert " percentage points)" in crest
    assert re.search(r"Pairs with equal scores: 0 / [\d,]+\.$", crest)
    found = rows(made, "dates-decisive")
    assert any(row[0] == "crest" and row[-1].startswith("Yes (p ") for row in found)
    assert any("Minimum detectable change: " in row[-1] for row in found)


def test_a_collection_against_itself_says_identical() -> None:
    """No service changed, all scores are the same, and no p is printed."""
    made = view("same")
    for text in map(plain_text, made.verdicts):
        assert "not tested (identical by construction: the same scores at both dates)" in text
        assert re.search(r"Pairs with equal scores: ([\d,]+) / \1\.$", text)
    assert all("Not tested: identical" in row[-1] for row in rows(made, "dates-decisive"))
    assert all("p " not in row[-1] for row in rows(made, "dates-scores"))


def test_other_images_have_no_scores_to_compare() -> None:
    """The lead says that a change may be of the images; two tables, with the dates' own names."""
    made = view("names", "analyses.two_dates.dates=['2022', '2024']")
    assert [item.name for item in made.tables] == ["dates-decisive", "dates-kept"]
    assert "of the search results" in plain_text(made.lead[0])
    assert "Faces of 2022 that take part: 360 / 360." in plain_text(made.lead[0])
    titles = [column.title for column in made.tables[0].columns]
    assert titles[1:3] == ["FNMR, 2022", "FNMR, 2024"]


@pytest.mark.slow
def test_it_stands_in_the_report() -> None:
    """The page has the section, and nothing of it among the further estimates."""
    page = render.html(result("images"), Report(), "2026-03-04", "unsigned")
    assert "Did a service change?" in page
    assert "Further estimates" not in page


def test_one_collection_has_no_section() -> None:
    """Without an earlier date there is nothing to say."""
    assert build(Source(result("same", "~analyses.two_dates", "analyses.error_rates={}"))) is None


@pytest.mark.slow
def test_page_one_answers_the_audits_question() -> None:
    """Each service's answer stands on the first page, where no finding is missed."""
    found = Source(result("images"))
    page = summary.build(found, Report(), "2026-11-22")
    made = build(found)
    assert made is not None
    assert page.changed == made.verdicts
    text = render.html(result("images"), Report(), "2026-11-22", "unsigned")
    assert "Did a service change?</h2>" in text
    assert "No requirement was declared" not in text


def test_services_have_one_scale() -> None:
    """The panels of all services have the same axes."""
    assert not unequal(lambda: view("images"))
