"""The section on how scores were collected, of a real small collection; also collected_canaries, collected_services."""

import json
import re
from dataclasses import replace
from typing import Any

import printed_values
import rapid_audits
from collected_audits import result
from report_text import Page

from frtaudit.core import AuditResult
from frtaudit.core.machine.resources import shipped
from frtaudit.core.spec import Report
from frtaudit.pipeline.publishable.disclosure import published
from frtaudit.report import render
from frtaudit.report.pieces import Table, plain_text
from frtaudit.report.sections import collected
from frtaudit.report.source import Source
from frtaudit.report.words import words


def rows(table: Table) -> list[list[str]]:
    """The words of a table's cells."""
    return [[plain_text(cell) for cell in row] for block in table.blocks for row in block.rows]


def changed(**fields: Any) -> AuditResult:
    """The shared result with other facts of its collection."""
    found = json.loads(result().to_bytes())
    found["cohort"]["collection"] |= fields
    return AuditResult.from_json(found)


def view(made: AuditResult) -> tuple[collected.Collected, dict[str, Table]]:
    """The section, and its tables by name."""
    found = collected.build(Source(made))
    assert found is not None
    return found, {table.name.removeprefix("collected-"): table for table in (*found.left_out, *found.tables)}


def test_it_stands_where_scores_were_collected() -> None:
    """A rapid test on other files has neither section nor warning."""
    source = Source(rapid_audits.result())
    assert collected.build(source) is None
    assert collected.notice(source) == ()


def test_amounts_settings_and_versions_are_told() -> None:
    """Images, queries, faces and pairs; what was searched, without an empty setting; versions with their answers."""
    found, tables = view(result())
    lead = plain_text(found.lead)
    assert (
        "72 images were found; 70 of them belong to the 12 queries that were compared, with 70 faces" in lead
    )
    assert "the same 340 pairs of faces. " in lead
    asked = {name: plain_text(said) for name, said in found.requested}
    assert asked["Faces"].endswith("of queries with at least 5")
    services = {name: plain_text(said) for name, said in found.services}
    assert services["bolt"] == "model one version m1 (130 answers) and version m2 (318 answers)"
    assert rows(tables["images"]) == [["2 images", "no image that can be read"]]


def test_refusals_stand_by_kind_and_in_words() -> None:
    """Each service's scored comparisons of all; columns of what never happened are left out."""
    _, tables = view(result())
    assert [column.title for column in tables["calls"].columns] == ["Service", "scored / pairs", "transport"]
    assert rows(tables["calls"])[2] == ["crest", "336 / 340", "4"]
    assert rows(tables["refusals"]) == [["crest", "comparing", "down (transport)a", "4"]]
    assert "not a result of the service" in plain_text(tables["refusals"].notes[0][1])


def test_canaries_say_what_changed_and_what_would_have_been_found() -> None:
    """A row for each later round, yes where more are apart than chance allows; order, noise, least change."""
    _, tables = view(result())
    said = {(row[0], row[1]): row[2:] for row in rows(tables["rounds"])}
    assert said["acme", "2"] == ["0 / 0", "1.00", "no"]
    assert said["bolt", "3"] == ["12 / 12", "< 0.001", "yes"]
    reach = {row[0]: row[1:] for row in rows(tables["canaries"])}
    assert reach["bolt"] == ["12 / 12", "3", "0 %", "43.9 %", "6 / 6", "0.1"]
    assert reach["acme"][-2:] == ["0 / 6", "0"]


def test_the_first_page_warns_of_a_change_and_of_a_budget() -> None:
    """Which services changed or stated several versions; that the collection is partial."""
    said = " ".join(map(plain_text, collected.notice(Source(result()))))
    assert said == (
        "bolt changed during the collection: the same comparisons had other scores later. "
        "bolt stated several versions during the collection. See How scores were collected."
    )
    partial = changed(finished=False)
    assert "The budget was not sufficient for all comparisons." in plain_text(
        collected.notice(Source(partial))[-1]
    )
    assert "the collection is partial" in plain_text(view(partial)[0].lead)


def test_the_first_page_says_where_canaries_show_nothing() -> None:
    """A service whose canaries lack answers may have changed: that is not known, and said so."""
    facts: Any = result().cohort["collection"]
    silent = {**facts["services"]["acme"]["canaries"], "least_share_found": None, "answered": 0}
    services = {"acme": {**facts["services"]["acme"], "canaries": silent}}
    said = " ".join(map(plain_text, collected.notice(Source(changed(services=services)))))
    assert said == (
        "Whether acme changed during the collection is not known: too few canaries were answered. "
        "See How scores were collected."
    )


def test_without_canaries_it_says_what_is_not_known() -> None:
    """No tables of canaries, and a sentence instead; where all was scored no table of comparisons."""
    facts: Any = result().cohort["collection"]
    services = {"acme": {**facts["services"]["acme"], "canaries": None}}
    found, tables = view(changed(services=services))
    assert set(tables) == {"images"}
    assert "could have shown a change" in plain_text(found.lead)
    assert "and gave a score for each" in plain_text(found.lead)


def test_every_number_has_its_pointer() -> None:
    """Each number is the one in the result that it points at, as frtaudit verify checks; none stands loose."""
    made = changed(finished=False)
    page = render.html(made, Report(), "2026-11-22", "unsigned")
    section = re.search(r'<section class="chapter annex" id="collected".*?</section>', page, re.DOTALL)
    assert section is not None
    assert 'aria-label="Warning on the scores"' in page
    checked = printed_values.on_page(printed_values.Page(section.group()), made.to_json())
    assert checked.compared > 60
    assert checked.wrong == ()
    loose = [text for _, text in Page(section.group()).loose if re.search(r"\d", text)]
    assert loose == []


def test_the_publishable_variant_counts_no_queries() -> None:
    """Neither images nor queries, faces, pairs, refusals or answers; what was asked and what canaries say stands."""
    made = published(result(), "ab" * 32)
    facts: Any = json.loads(made.to_bytes())["cohort"]["collection"]
    assert [facts[name] for name in ("images", "queries", "faces", "pairs")] == [None] * 4
    assert facts["spec"]["source"] == {"type": "drawn"}
    assert facts["services"]["bolt"]["versions"] == {"m1": None, "m2": None}
    found, tables = view(made)
    assert "is withheld" in plain_text(found.lead)
    assert set(tables) == {"rounds", "canaries"}
    services = {name: plain_text(said) for name, said in found.services}
    assert services["bolt"] == "model one version m1 and version m2"
    render.html(replace(made), Report(), "2026-11-22", "unsigned")


def test_codes_of_services_and_sources_have_words() -> None:
    """Each code that a call may end with, but those of HTTP, is said in words."""
    package = shipped("templates").parent / "frtaudit"
    text = "".join(path.read_text() for path in package.rglob("*.py"))
    codes = set(re.findall(r'Refusal\.[A-Z_]+, "([a-z_]+)"', text))
    assert len(codes) > 20
    assert codes <= set(words().collected_code)
