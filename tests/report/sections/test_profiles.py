"""A profile's part of the report, and its mark on the first page."""

from dataclasses import replace
from functools import cache

import pytest
from report_fixture import result as reported
from small_audits import audit, pick, spec

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.ratio_to_overall import RatioToOverall
from frtaudit.core import AuditResult, Verdict
from frtaudit.core.methods import Sided
from frtaudit.core.plain.structure import plain
from frtaudit.core.profile import Confidence, Fact, ProfileSpec
from frtaudit.core.spec import Bootstrap, Report, RequirementSpec
from frtaudit.core.text import formatting
from frtaudit.datasets.providers.cosine import Cosine
from frtaudit.report.pieces import Table, plain_text
from frtaudit.report.sections import profiles, requirements, summary
from frtaudit.report.source import Source

AT = {"fmr": 0.1}
ATTACKS = Fact(
    asks="no attack passes", confidence=Confidence.DOCUMENT, cannot="no attack is here", would="a test"
)
OPEN = ProfileSpec(
    source="Rules of a house", version="2", date="2026", confidence=Confidence.SECONDARY, facts=(ATTACKS,)
)
RULED = ProfileSpec(source="Rules of another", date="2025", title="Another", rule="upper bound of 80 %")
ASKED = (
    RequirementSpec(name="near", metric="ratio_to_overall", of="fnmr", at=AT, group="each", limit=1.25, profile="open",
                    as_measured=True),
    RequirementSpec(name="far", metric="far", limit=0.0001, minimum={"transactions": 1}, strict=True, profile="open"),
    RequirementSpec(name="rate", metric="fnmr_at_fmr", at=AT, limit=0.9, level=0.8, sided=Sided.TWO, profile="ruled"),
    RequirementSpec(name="should", metric="fnmr_at_fmr", at=AT, limit=1e-6, advisory=True, profile="ruled"),
)  # fmt: skip


@cache
def result() -> AuditResult:
    """A small audit held to two profiles."""
    asked = spec(bootstrap=Bootstrap(B=399), requirements=ASKED, profiles={"open": OPEN, "ruled": RULED})
    analyses = {"error_rates": ErrorRates(), "ratio_to_overall": RatioToOverall()}
    return audit(replace(asked, analyses=analyses)).result


def part(name: str) -> tuple[profiles.Profile, dict[str, list[tuple[str, ...]]]]:
    """A profile's part, its tables by name as text."""
    view = profiles.build(Source(result()))
    assert view is not None
    (found,) = [one for one in view if one.name == name]
    tables = {
        table.name.removeprefix(f"profile-{name}").removeprefix("-"): [
            tuple(plain_text(cell) for cell in row) for block in table.blocks for row in block.rows
        ]
        for table in found.tables
    }
    return found, tables


def test_what_an_analysis_shows_is_not_called_unshown() -> None:
    """A fact that needs an analysis stands among those that cannot be shown unless the audit has it."""
    facts = tuple(replace(ATTACKS, asks=name, unless=name) for name in ("error_rates", "transactions"))
    spec_ = dict(result().spec)
    spec_["profiles"] = plain({"open": replace(OPEN, facts=facts)})
    view = profiles.build(Source(replace(result(), spec=spec_)))
    assert view is not None
    (table,) = [one for one in view[0].tables if one.name.endswith("-cannot")]
    assert [plain_text(row[0]) for block in table.blocks for row in block.rows] == ["transactions"]


def shown(found: profiles.Profile) -> Table:
    """The table of its findings."""
    (table,) = [table for table in found.tables if table.name.endswith("-shows")]
    return table


def test_no_profile_no_part() -> None:
    """A spec without profiles has no such section, and no line of them on its first page."""
    assert profiles.build(Source(reported())) is None
    assert profiles.named(Source(reported())) == ()


def test_a_source_without_a_rule_is_read_both_ways() -> None:
    """As measured beside as demonstrated, with the reason; what cannot be shown, and what would show it."""
    found, tables = part("open")
    assert (found.title, found.mark) == ("Rules of a house", "secondary source")
    assert found.notes.startswith("The source sets no statistical rule.")
    assert "Statistical rule: none stated." in plain_text(found.read)
    assert tables["cannot"] == [("no attack passes", "no attack is here", "a test")]
    blocks = {plain_text(block.head).partition(":")[0]: block.rows for block in shown(found).blocks}
    measured = [plain_text(row[1]) for row in blocks["near"]]
    assert len(measured) == 4
    assert all(
        text[0].isdigit() and text.endswith(("meet the limit", "meets the limit")) for text in measured
    )
    ((_, value, said),) = blocks["far"]
    assert plain_text(value) == "—"
    assert "it counts transactions" in plain_text(said)


def test_a_rule_of_the_source_has_both_readings_of_its_level() -> None:
    """The bound that decided, of the two-sided interval, and the one-sided one."""
    found, _ = part("ruled")
    assert found.mark == ""
    assert "Statistical rule: upper bound of 80 %" in plain_text(found.read)
    rows = {plain_text(block.head).partition(":")[0]: block.rows[0] for block in shown(found).blocks}
    rate, should = ([plain_text(cell) for cell in rows[name]] for name in ("rate", "should"))
    assert "two-sided 80" in rate[-1]
    assert "one-sided 80" in rate[-1]
    assert "(advisory)" in should[-1]


def test_the_annex_has_what_each_source_asks() -> None:
    """A table for each profile with facts; none where no profile has any."""
    view = profiles.facts_of(Source(result()))
    assert view is not None
    (table,) = view.tables
    assert [[plain_text(cell) for cell in row] for row in table.blocks[0].rows] == [
        ["no attack passes", "document"]
    ]
    assert profiles.facts_of(Source(reported())) is None


def test_a_finding_that_is_not_testable_has_its_measured_value() -> None:
    """Where a source sets no rule the estimate stands beside whether it meets the limit, tested or not."""
    near = next(index for index, item in enumerate(result().findings) if item.requirement == "near")
    findings = list(result().findings)
    findings[near] = replace(findings[near], verdict=Verdict.NOT_TESTABLE, bound=None, bound_level=None)
    view = profiles.build(Source(replace(result(), findings=tuple(findings))))
    assert view is not None
    measured = [plain_text(row[1]) for block in shown(view[0]).blocks for row in block.rows]
    assert not any(text.startswith(":") for text in measured)


def test_page_one_marks_what_was_not_read_in_its_document() -> None:
    """The line of a requirement and that of the documents say so; an advisory one is not counted among the verdicts."""
    source = Source(result())
    first = summary.build(source, Report(), "2026-01-02")
    conditions = {
        requirement_row[0].requirement.text: plain_text(requirement_row[0].condition)
        for requirement_row in first.requirement_rows
    }
    assert "secondary source" in conditions["near"]
    assert "secondary source" not in conditions["rate"]
    assert conditions["should"].endswith(", advisory")
    terms = {name: plain_text(text) for name, text in first.terms}
    facts = {name: plain_text(text) for name, text in first.facts}
    assert facts["Limits of"] == "Rules of a house, 2 (secondary source); Rules of another."
    assert "the requirement's own level" in terms["Verdicts"]
    counted = sum(int(count) for _, count, _ in first.tally)
    assert counted == len(result().findings) - sum(finding.advisory for finding in result().findings)


def held(*names: str, limit: float = 1e-6) -> AuditResult:
    """Two systems whose vendors recommend a threshold each, held to limits that none keeps, of both profiles."""
    systems = tuple(Cosine(name=name, recommended={"gate": at}) for name, at in (("one", 0.3), ("two", 0.4)))
    asked = tuple(
        RequirementSpec(name=name, metric="fnmr", at={"recommended": "gate"}, limit=limit, level=0.8, sided=Sided.TWO,
                        profile=name)
        for name in names
    )  # fmt: skip
    made = spec(providers=systems, requirements=asked, profiles={"open": OPEN, "ruled": RULED})
    return audit(replace(made, bootstrap=Bootstrap(B=399))).result


def test_a_threshold_by_name_is_each_systems_own() -> None:
    """A requirement's line, which stands above all systems, has no system's value; a system's sentence has its own."""
    first = summary.build(Source(held("ruled")), Report(), "2026-01-02")
    (condition,) = [plain_text(requirement_row[0].condition) for requirement_row in first.requirement_rows]
    assert condition == "FNMR at the vendor's threshold gate, limit at most 10⁻⁶"
    assert ["threshold 0.3" in plain_text(text) for text in first.answers[:2]] == [True, False]
    assert ["threshold 0.4" in plain_text(text) for text in first.answers[:2]] == [False, True]


def test_limits_that_ask_the_same_are_one_sentence_with_both_names() -> None:
    """Each requirement that fails is counted and named, and the source that was not read is marked in the answer."""
    both, one = (
        summary.build(Source(held(*names)), Report(), "2026-01-02")
        for names in (("open", "ruled"), ("open",))
    )
    said = plain_text(both.answers[0])
    assert said.startswith("one fails both requirements: FNMR at threshold 0.3")
    assert said.endswith("limit at most 10⁻⁶ (open, secondary source; ruled).")
    assert said.count("FNMR") == 1
    assert plain_text(one.answers[0]).endswith("limit at most 10⁻⁶, secondary source.")
    value = pick(held("open"), "fnmr", provider="one", group="all", at={"recommended": "gate"})[0].value
    unsure = summary.build(Source(held("open", "ruled", limit=value or 0.0)), Report(), "2026-01-02")
    (line,) = [
        text for text in map(plain_text, unsure.answers) if text.startswith("Inconclusive on these data: one")
    ]
    assert line.count("FNMR") == 1


def test_the_other_reading_of_a_level_is_named_with_the_level_it_has() -> None:
    """A failure is claimed at its step of Holm's, and so is the bound beside it; no column of dashes."""
    result = held("ruled")
    view = profiles.build(Source(result))
    assert view is not None
    (table,) = [shown(one) for one in view if one.name == "ruled"]
    assert [column.title for column in table.columns] == ["Of", "As demonstrated"]
    assert {finding.bound_level for finding in result.findings} == {0.8, 0.9}
    for row, finding in zip(
        (row for block in table.blocks for row in block.rows), result.findings, strict=True
    ):
        assert finding.bound_level is not None
        level = formatting.exact(round(finding.bound_level, 4))
        assert f"; one-sided {level}: " in plain_text(row[-1])


@pytest.mark.parametrize("name", ["near", "rate"])
def test_findings_of_profiles_are_printed_as_others_are(name: str) -> None:
    """The annex has each of them."""
    view = requirements.build(Source(result()))
    assert view is not None
    assert any(row.requirement.text == name for row, _, _ in view.parts)
