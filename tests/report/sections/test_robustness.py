"""The section on robustness and limitations, from real small audits; its tables robustness_classes too."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from small_audits import ANALYSES, audit, one, pick, spec

from frtaudit.analyses.failures import Failures
from frtaudit.analyses.robustness import Robustness
from frtaudit.core import AuditResult
from frtaudit.core.spec import Report
from frtaudit.pipeline.audit import Audited
from frtaudit.report import render
from frtaudit.report.pieces import Table, plain_text
from frtaudit.report.sections.robustness import build
from frtaudit.report.source import Source

WHOLE = Robustness(mix={"group": {"x": 0.8, "y": 0.2}}, mislabelled={"group": {"each": 0.1}})


@cache
def made() -> Audited:
    """An audit with everything that the section prints."""
    names = ("differentials", "error_rates", "failures", "interclass")
    return audit(spec(analyses={"robustness": WHOLE, **{name: ANALYSES[name] for name in names}}))


def table(name: str, result: AuditResult | None = None) -> Table:
    """A table of the section by name."""
    view = build(Source(result or made().result))
    assert view is not None
    (found,) = [item for item in view.tables if item.name == f"robustness-{name}"]
    return found


def lines(found: Table) -> list[list[str]]:
    """Its rows as plain text."""
    return [[plain_text(cell) for cell in row] for block in found.blocks for row in block.rows]


def paragraphs(result: AuditResult, settings: Report | None = None) -> list[str]:
    """Its sentences."""
    view = build(Source(result, settings or Report()))
    assert view is not None
    return [plain_text(text) for text in view.lead]


def test_the_sentences_that_stand_in_every_report() -> None:
    """Seed, B, Monte Carlo error, earlier runs; what stands in the list of what cannot be shown is not said twice."""
    text = " ".join(paragraphs(made().result))
    assert "Representativeness" not in text
    assert "1:N" not in text
    assert "Seed 0, B = 199 resamples." in text
    assert re.search(r"95 % CI [^()]* \([^()]*bootstrap[^()]*\) with a Monte Carlo error of", text)
    assert text.endswith("Earlier runs on these data: not declared.")


def test_earlier_runs_are_printed_as_declared() -> None:
    """`report.earlier_runs` in its own words, and it is no part of the audit's identity."""
    declared = Report(earlier_runs="two in March, at other thresholds.")
    assert (
        "Earlier runs on these data: two in March, at other thresholds."
        in paragraphs(made().result, declared)[-1]
    )
    page = render.html(made().result, declared, "2026-01-02", "unsigned")
    assert "two in March, at other thresholds" in page


def test_who_may_be_missing() -> None:
    """Everybody and each class, with people, share and probability."""
    assert lines(table("unseen-subjects")) == [
        ["all subjects", "24", "11.7 %", "5 %"],
        ["x", "12", "22.1 %", "5 %"],
        ["y", "12", "22.1 %", "5 %"],
    ]


def test_the_worst_and_the_single_person() -> None:
    """The worst share with its counts at each threshold; leave-one-out extremes with the line of the list."""
    first = lines(table("most-false-matches"))[0]
    share = pick(made().result, "worst_share", provider="one", weighting="identity")[0]
    assert first[1] == "1"
    assert first[2].endswith(f" {share.numerator} / {share.denominator}")
    caption = plain_text(table("most-false-matches").caption)
    assert caption.startswith("The 1 % of subjects with most false matches.")
    assert "half of it counts for each" in caption
    alone = lines(table("leave-one-out"))[0]
    assert alone[0] == "all subjects"
    assert all(cell.split(" ")[-2] == "line" for cell in (alone[2], alone[3], alone[5], alone[6]))


def test_label_errors_with_and_without_a_review() -> None:
    """Six rows of a system with two targets; both ways of taking pairs out carry their counts."""
    found = lines(table("label-errors"))
    assert len(found) == 12
    assert found[0][0] == "top 1 at FMR 3 %"
    alone = one(
        made().result,
        "fmr_label_errors",
        provider="one",
        at={"fmr": 0.03, "label_errors": 1.0, "of": "comparisons"},
    )
    assert found[0][1].endswith(f"{alone.numerator} / {alone.denominator:,}")


def test_each_index_with_its_causes() -> None:
    """As measured, wrong labels, pooled, failures, behind the labels; a cause that is not there has no column."""
    found = table("unknown-classes-group")
    assert [column.title for column in found.columns] == [
        "Index",
        "As measured",
        "wrong labels",
        "measured, pooled",
        "failed comparisons, pooled",
        "corrected for wrong labels",
    ]
    first = lines(found)[0]
    assert first[0] == "largest / smallest of FMR at FMR 3 %"
    assert " to " in first[2]
    assert "Without a class" not in plain_text(found.caption)
    names = [row[0] for row in lines(found)]
    assert len([name for name in names if name.startswith("d_l2")]) == 4


def test_where_nothing_is_open_it_says_so() -> None:
    """No unknown, no failure, no declared wrong label: a sentence instead of a table."""
    result = audit(spec(analyses={"robustness": Robustness()}, providers=("two",))).result
    view = build(Source(result))
    assert view is not None
    assert any("best and worst cases are the estimates themselves" in text for text in paragraphs(result))
    assert not [item for item in view.tables if "bounds" in item.name or "mix" in item.name]
    assert any("No bound uses resamples" in text for text in paragraphs(result))


@pytest.mark.parametrize("without", ["a score", "a schema"])
def test_where_comparisons_failed_or_nothing_is_known_of_classes_nothing_is_closed(without: str) -> None:
    """The sentence on best and worst cases claims that every comparison has a score and every subject a class."""
    analyses = {"robustness": Robustness(), "failures": Failures()}
    changes: dict[str, Any] = {"schemas": {}} if without == "a schema" else {}
    provider = "two" if changes else "one"
    closed = "best and worst cases are the estimates themselves"
    assert not any(
        closed in text
        for text in paragraphs(audit(spec(analyses=analyses, providers=(provider,), **changes)).result)
    )


def test_the_declared_mix_is_named() -> None:
    """Shares as declared, thresholds before and after, rates with intervals, or why a class of the mix allows none."""
    found = table("mix-of-classes-group")
    assert "x: 80 %, y: 20 %." in plain_text(found.caption)
    row = lines(found)[0]
    assert row[0] == "FMR 3 %"
    assert " to " in row[2]
    assert row[3].endswith("nonea")
    assert any("each class of the mix needs 10 of 10" in plain_text(text) for _, text in found.notes)


def test_a_review_stands_in_the_head_of_its_system() -> None:
    """Reviewed pairs and the FMR without the label errors they name."""
    kept = [item for item in made().result.estimates if item.metric == "fmr_label_errors"]
    (first, *_) = [item for item in kept if item.provider == "one"]
    reviewed = replace(first, metric="fmr_reviewed", at={"fmr": 0.03})
    share = replace(
        first, metric="reviewed_label_errors", at={}, value=0.5, numerator=1, denominator=2, weighting=None
    )
    result = replace(made().result, findings=(), estimates=(*made().result.estimates, reviewed, share))
    found = table("label-errors", result)
    assert "of the reviewed pairs one person: 1 / 2" in plain_text(found.blocks[0].head)
    assert [row[0] for row in lines(found)].count("label errors found by review, at FMR 3 %") == 1


def test_unknown_people_are_counted_in_words() -> None:
    """How many people have no class, with the schema."""
    (count,) = pick(made().result, "unknown_subjects")
    some = replace(count, value=3 / 24, numerator=3)
    others = tuple(item for item in made().result.estimates if item.metric != "unknown_subjects")
    result = replace(made().result, findings=(), estimates=(*others, some))
    assert "Without a class under group: 3 / 24 subjects." in paragraphs(result)


def test_no_analysis_no_table() -> None:
    """Without robustness the section says how the report was computed, and has no table."""
    view = build(Source(audit(spec()).result))
    assert view.tables == ()
    assert [plain_text(text).split(".")[0] for text in view.lead] == ["How it was computed"]


@pytest.mark.parametrize(
    "name",
    [
        "unseen-subjects",
        "most-false-matches",
        "leave-one-out",
        "label-errors",
        "unknown-classes-group",
        "mix-of-classes-group",
    ],
)
def test_every_number_points_into_the_result(name: str) -> None:
    """Pieces printed as numbers carry a pointer that leads somewhere."""
    document = json.loads(made().result.to_bytes())
    for block in table(name).blocks:
        for row in block.rows:
            for piece in (
                piece for cell in row for piece in cell if piece.kind.startswith("n") and piece.kind != "none"
            ):
                assert piece.pointer
                place = document
                for step in piece.pointer.split("/")[1:]:
                    place = place[int(step)] if isinstance(place, list) else place[step]
                assert place is not None
