"""Checklists: each item follows the result; what a result lacks is missing, and nothing claims conformity."""

import csv
import io
import json
import re
from dataclasses import replace
from typing import Any

import pytest
from report_fixture import DATE, SETTINGS, result

from frtaudit.core import AuditResult
from frtaudit.core.spec import Report
from frtaudit.errors import SpecError
from frtaudit.report import render
from frtaudit.report.checklists import (
    DISCLAIMER,
    Evidence,
    Item,
    ItemStatus,
    check_names,
    filled,
    known,
    to_csv,
    to_json,
)

pytestmark = pytest.mark.usefixtures("words_alone")

NAMES = tuple(sorted(known()))
WHOLE = replace(
    SETTINGS, date=DATE, system_version="3.1", commissioner="A ministry", checklists=NAMES, sign=True
)


def items(made: AuditResult | None = None, settings: Report = WHOLE) -> dict[str, Item]:
    """Every item of every list by its id."""
    return {item.id: item for one in filled(made or result(), settings, NAMES) for item in one.items}


def test_ids_are_used_once_and_every_rule_is_one() -> None:
    """Each item has an id of its own, a question, and rules that the code reads; a list of each kind ships."""
    evidence = Evidence(result(), WHOLE)
    ids = []
    for one in known().values():
        for item in one["item"]:  # type: ignore[attr-defined]  # a table of TOML
            ids.append(item["id"])
            assert item["asks"]
            assert item.get("why") if item.get("applies") == "no" else item["found"]
            for rule in item["found"]:
                evidence.place(rule)
    assert len(ids) == len(set(ids)) > 40
    with pytest.raises(SpecError, match="found the rule 'colour blue'"):
        evidence.place("colour blue")


REMOVALS: dict[str, tuple[Any, set[str]]] = {
    "failure to acquire": (
        lambda r: replace(
            r, estimates=tuple(e for e in r.estimates if e.metric not in ("fta", "frr", "far"))
        ),
        {"iso-08", "iso-10"},
    ),
    "curves": (lambda r: replace(r, curves=()), {"iso-11"}),
    "findings": (lambda r: replace(r, findings=()), {"rmf-2.3"}),
    "classes": (
        lambda r: replace(
            r,
            findings=(),
            estimates=tuple(e for e in r.estimates if e.schema is None),
        ),
        {"iso-14", "mc-09", "rmf-2.3", "rmf-2.11", "aia-2g-groups", "aia-3-accuracy"},
    ),
    "intervals": (
        lambda r: replace(r, estimates=tuple(replace(e, intervals=()) for e in r.estimates)),
        {"iso-12", "mc-06", "rmf-2.5", "aia-2g-metrics"},
    ),
    "tests": (
        lambda r: replace(r, estimates=tuple(replace(e, test=None) for e in r.estimates)),
        {"aia-2g-groups"},
    ),
    "the question": (
        lambda r: replace(r, spec={k: v for k, v in r.spec.items() if k != "question"}),
        {"aia-4"},
    ),
    "versions": (lambda r: replace(r, versions={}), {"iso-15", "rmf-2.1"}),
}


@pytest.mark.parametrize("part", sorted(REMOVALS))
def test_what_is_removed_turns_its_items_to_missing(part: str) -> None:
    """Without a part of the result exactly its items are no longer provided; the others stand as they were."""
    remove, expected = REMOVALS[part]
    before, after = items(), items(remove(result()))
    turned = {name for name, item in after.items() if item.status is not before[name].status}
    possible = {name for name in expected if before[name].status is ItemStatus.PROVIDED}
    assert possible, "the full result provides what is taken away"
    assert turned == possible
    assert all(after[name].status is ItemStatus.MISSING for name in turned)
    assert all(after[name].place == () for name in turned)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("system_version", {"iso-02", "mc-01", "aia-1a"}),
        ("commissioner", {"iso-04"}),
        ("purpose", {"mc-02", "rmf-2.9", "aia-1-purpose", "aia-4"}),
        ("auditor", {"rmf-1.3", "aia-2g-signed"}),
    ],
)
def test_what_the_report_does_not_say_is_missing(field: str, expected: set[str]) -> None:
    """A setting of the report that is not given turns its items to missing."""
    before, after = items(), items(settings=replace(WHOLE, **{field: None}))
    turned = {name for name, item in after.items() if item.status is not before[name].status}
    assert turned == expected


def test_places_lead_into_the_result() -> None:
    """Each pointer of a provided item leads to something in result.json."""
    document = result().to_json()
    pointers = [place for item in items().values() for place in item.place if place.startswith("/")]
    assert len(pointers) > 30
    for pointer in pointers:
        found: Any = document
        for step in pointer.split("/")[1:]:
            found = found[int(step)] if isinstance(found, list) else found[step.replace("~1", "/")]
        assert found not in (None, "", [], {})


def test_items_that_cannot_apply_say_why() -> None:
    """Search and attacks are not applicable to a test of verification; groups are not where there is no schema."""
    found = items()
    assert {"iso-17", "iso-18", "rmf-2.7", "aia-2h"} <= {
        name for name, item in found.items() if item.status is ItemStatus.NOT_APPLICABLE and item.remark
    }
    bare = replace(result(), cohort={**result().cohort, "schemas": {}})
    assert items(bare)["mc-09"].status is ItemStatus.NOT_APPLICABLE


def test_nothing_claims_conformity() -> None:
    """No list, in any form, says that something conforms or complies; all say that they do not."""
    lists = filled(result(), WHOLE, NAMES)
    page = render.html(result(), WHOLE, DATE, "unsigned")
    assert DISCLAIMER in page
    text = page + to_json(lists).decode() + to_csv(lists).decode()
    said = text.replace(DISCLAIMER, "")
    assert not re.search(r"\b(conform(s|ity|ant)|compl(y|ies|iant|iance)|certified)\b", said, re.IGNORECASE)


def test_links_lead_to_sections_that_stand() -> None:
    """Every link of the lists leads to an id of the page; the lists stand only where the report asks for them."""
    page = render.html(result(), WHOLE, DATE, "unsigned")
    ids = set(re.findall(r' id="([^"]+)"', page))
    section = page[page.index('id="checklists"') :]
    links = set(re.findall(r'href="#([^"]+)"', section))
    assert {"answer", "rates", "groups", "record"} <= links | {"record"}
    assert links <= ids
    assert 'id="checklists"' not in render.html(result(), replace(WHOLE, checklists=()), DATE, "unsigned")


def test_json_and_csv_hold_the_same_items() -> None:
    """Both files list every item once, with its status."""
    lists = filled(result(), WHOLE, NAMES)
    file = json.loads(to_json(lists))
    rows = list(csv.DictReader(io.StringIO(to_csv(lists).decode())))
    pairs = [(i["id"], i["status"]) for one in file["checklists"] for i in one["items"]]
    assert pairs == [(row["id"], row["status"]) for row in rows]
    assert file["disclaimer"] == DISCLAIMER


def test_an_unknown_list_is_refused_in_one_line() -> None:
    """The error names the place, what was found and what there is."""
    with pytest.raises(SpecError, match=r"report\.checklists: found 'iso'; accepted: eu_ai_act, iso_19795_1"):
        check_names(["iso"])
