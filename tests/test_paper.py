"""The paper, and the page of published claims."""

import re
import tomllib
from pathlib import Path

import published_claims
import pytest

from frtaudit.testing.study.pages import between

ROOT = Path(__file__).resolve().parents[1]


def test_every_citation_has_its_entry_and_each_entry_is_cited() -> None:
    """Entries that reports have too say the same title and year there."""
    paper = (ROOT / "paper" / "paper.md").read_text("utf-8")
    text = (ROOT / "paper" / "paper.bib").read_text("utf-8")
    entries = dict(re.findall(r"@\w+\{(\w+),(.*?)\n\}", text, re.DOTALL))
    assert set(re.findall(r"@(\w+)", paper)) == set(entries)
    known = tomllib.loads((ROOT / "templates" / "references.toml").read_text("utf-8"))
    for name in entries.keys() & known.keys():
        for field in ("title", "year"):
            (found,) = re.findall(rf"\b{field} = \{{(.*)\}}", entries[name])
            assert found.replace("\\&", "&") == known[name][field]


def test_the_paper_has_the_parts_that_its_journal_asks_for() -> None:
    """Title, tags, authors, date and bibliography; a summary, a statement of need, references; up to 1000 words."""
    _, head, body = (ROOT / "paper" / "paper.md").read_text("utf-8").split("---\n", maxsplit=2)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(
        re.findall(r"^(\w+):", head, re.MULTILINE)
    )
    assert {"Summary", "Statement of need", "References"} <= set(re.findall(r"^# (.+)$", body, re.MULTILINE))
    assert 250 <= len(body.split()) <= 1000


def test_the_page_of_claims_has_a_figure_and_an_outcome_for_each() -> None:
    """A row for each claim of the four publications, those whose data are absent among them, no cell empty."""
    page = (ROOT / "docs" / "methods" / "claims.md").read_text("utf-8")
    rows = [line.strip("|").split("|") for line in between(page, "published claims").splitlines()[2:]]
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows)
    for name in (
        published_claims.RAPID,
        published_claims.UNCERTAINTY,
        published_claims.THESIS,
        published_claims.GOLDILOCKS,
    ):
        assert any(row[1].strip().startswith(name) for row in rows)
    assert {row.claim for row in published_claims.ABSENT} <= {row[0].strip() for row in rows}


def test_the_size_of_lfw_is_counted_again(face_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first claim about test sets, on the real pairs: an image occurs six times at most, half as often as said."""
    monkeypatch.setenv("FRTAUDIT_DATA", str(face_data))
    row = next(published_claims.goldilocks())
    assert row.figure == "7,701 images of 4,281 identities; up to 6 times"


def test_without_the_data_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line, and exit code 1."""
    monkeypatch.setenv("FRTAUDIT_DATA", str(tmp_path))
    assert published_claims.main([]) == 1
    assert "FRTAUDIT_DATA" in capsys.readouterr().err
