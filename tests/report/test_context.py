"""Which sections stand, and in which order."""

from dataclasses import replace

import pytest
from report_bands import curves
from report_fixture import DATE, SETTINGS, result

from frtaudit.core.spec import Report
from frtaudit.report.context import Status, context
from frtaudit.report.section import sections

pytestmark = pytest.mark.usefixtures("words_alone")

ASKED_FOR = {
    *("profiles", "annotation", "collected", "identity_labels", "label_cost", "two_dates"),
    *("coverage", "card", "overlap", "sanitization", "tar_curves", "orders", "releases", "same_class"),
    *("transactions", "tail_model"),
    *(
        "densities",
        "quality",
        "failure_scores",
        "identity_check",
        "sealed",
        "publication",
        "checklists",
        "profile_facts",
        "changes",
        "vendors",
        "two_systems",
    ),
}  # they stand where a spec asks for them


def test_all_sections_stand_for_a_full_result() -> None:
    """With curves over FMR every section stands but those that a spec asks for: numbers, and letters in the annex."""
    found = context(replace(result(), curves=tuple(curves())), SETTINGS, DATE, Status.UNSIGNED)
    for annex, standing in ((False, found.sections), (True, found.annex)):
        listed = [entry.name for entry in sections() if entry.annex is annex]
        assert [item.name for item in standing] == [name for name in listed if name not in ASKED_FOR]
    assert [item.number for item in found.sections] == [str(n) for n in range(1, len(found.sections) + 1)]
    assert [item.number for item in found.annex] == list("ABCDEFGHIJ"[: len(found.annex)])


def test_an_empty_result_keeps_what_every_report_says() -> None:
    """Without estimates there are limitations, method and how to check; cohort, glossary and record in the annex."""
    empty = replace(result(), estimates=(), curves=(), findings=(), failures=())
    found = context(empty, Report(), DATE, Status.SIGNED)
    assert [item.name for item in found.sections] == ["robustness", "method", "signatures"]
    assert [item.name for item in found.annex] == ["cohort", "glossary", "record"]
    assert found.title == "Audit border desk"
    assert found.author == "not declared"
