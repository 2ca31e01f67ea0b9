"""Which sections stand, and in which order."""

from dataclasses import replace

from report_bands import curves
from report_fixture import DATE, SETTINGS, result

from frtaudit.core.machine.resources import shipped
from frtaudit.core.spec import Report
from frtaudit.report.context import SECTIONS, Status, context

ASKED_FOR = {
    *("annotation", "collected", "identity_labels", "label_cost", "two_dates"),
    *("coverage", "card", "overlap", "sanitization", "tar_curves", "orders", "releases"),
    *(
        "densities",
        "quality",
        "failure_scores",
        "robustness",
        "identity_check",
        "sealed",
        "publication",
        "checklists",
        "changes",
        "vendors",
        "two_systems",
    ),
}  # they stand where a spec asks for them


def test_every_section_has_its_template() -> None:
    """The list names templates that ship, and no template is left without a place."""
    names = {name for name, _, _ in SECTIONS} | {"summary"}
    assert {
        path.name.removesuffix(".html.j2") for path in (shipped("templates") / "sections").iterdir()
    } == names


def test_all_sections_stand_for_a_full_result() -> None:
    """The made-up result, with curves over FMR, has every section but those that a spec asks for, numbered from 1."""
    found = context(replace(result(), curves=tuple(curves())), SETTINGS, DATE, Status.UNSIGNED).sections
    assert [item.name for item in found] == [name for name, _, _ in SECTIONS if name not in ASKED_FOR]
    assert [item.number for item in found] == list(range(1, len(found) + 1))


def test_an_empty_result_keeps_what_every_report_says() -> None:
    """Without estimates there are method, cohort, glossary, record and the page to sign."""
    empty = replace(result(), estimates=(), curves=(), findings=(), failures=())
    found = context(empty, Report(), DATE, Status.SIGNED)
    assert [item.name for item in found.sections] == ["method", "cohort", "glossary", "record", "signatures"]
    assert found.title == "Audit border desk"
    assert found.author == "not declared"
