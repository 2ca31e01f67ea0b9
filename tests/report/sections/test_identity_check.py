"""Tests of frtaudit.report.sections.identity_check."""

from dataclasses import replace

from small_audits import audit, pick, spec

from frtaudit.core import AuditResult, Estimate
from frtaudit.core.text import formatting
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import identity_check
from frtaudit.report.sections.operating_points import main_target
from frtaudit.report.source import Source

PAIRS = Estimate(
    provider="one", analysis="identity_check", metric="suspected_duplicates", schema=None, group="all",
    weighting=None, at={"cut": 0.5, "cut_of_many": 0.4}, value=2 / 276, numerator=2, denominator=276,
    unit="share of pairs",
)  # fmt: skip


def result(**changes: object) -> AuditResult:
    """A small audit in which two pairs of people are suspected; class x loses half of its false matches with them."""
    found = audit(spec()).result
    (fmr,) = pick(found, "fmr", provider="one", group="x", weighting="identity", at={"threshold": 0.3})
    half = {"value": (fmr.value or 0) / 2, "numerator": (fmr.numerator or 0) // 2}
    without = replace(fmr, analysis="identity_check", metric="fmr_without_suspected", **half)
    same = [
        replace(item, analysis="identity_check", metric="fmr_without_suspected")
        for item in pick(found, "fmr", provider="one", group="all", weighting="identity")
    ]
    images = replace(PAIRS, metric="suspected_images", numerator=0, value=0.0, denominator=80)
    pairs = replace(PAIRS, **changes)  # type: ignore[arg-type]  # its fields
    return replace(found, estimates=(*found.estimates, pairs, images, without, *same))


def test_the_first_page_names_the_rate_that_changes_most() -> None:
    """How many pairs, where FMR changes most, with them and without."""
    source = Source(result())
    (warning,) = identity_check.warnings(source)
    said = plain_text(warning)
    assert said.startswith("one: 2 pairs of subjects are as similar as images of one subject")
    assert "FMR for x, at threshold 0.3, is" in said
    assert all(piece.pointer for piece in warning if piece.kind == "n")


def test_the_first_page_names_a_rate_at_its_own_operating_point() -> None:
    """Where FMR changes less at the threshold of the main target than at another, it is the former that is named."""
    whole = audit(spec()).result
    source = Source(whole)
    target = main_target(source)
    (fmr,) = pick(whole, "fmr", provider="one", group="y", weighting="identity", at={"fmr": target})
    less = replace(
        fmr, analysis="identity_check", metric="fmr_without_suspected", value=(fmr.value or 0) * 0.9
    )
    more = result()
    (warning,) = identity_check.warnings(Source(replace(more, estimates=(*more.estimates, less))))
    assert f"FMR for y, at the threshold for FMR {formatting.exact(target or 0)}, is" in plain_text(warning)


def test_only_rates_that_change_are_listed() -> None:
    """One line of class x; the rates of everybody, which do not change, are left out."""
    view = identity_check.build(Source(result()))
    assert view is not None
    counts, rates = view.tables
    assert [plain_text(cell) for cell in counts.blocks[0].rows[0][1:4]] == ["0.5", "0.4", "2 / 276"]
    ((row,),) = (block.rows for block in rates.blocks)
    assert plain_text(row[0]) == "threshold 0.3, x"


def test_a_system_too_weak_to_tell_says_so_and_warns_of_nothing() -> None:
    """No count: a dash with its note, and nothing on page 1 without a rate that changes."""
    found = result(
        value=None, numerator=None, denominator=None, note="the system is too weak to tell: 9 of 99"
    )
    kept = [item for item in found.estimates if item.metric != "fmr_without_suspected"]
    source = Source(replace(found, estimates=tuple(kept)))
    view = identity_check.build(source)
    assert view is not None
    (counts,) = view.tables
    assert any("too weak to tell" in plain_text(note) for _, note in counts.notes)
    assert identity_check.warnings(source) == ()


def test_without_the_analysis_there_is_no_section() -> None:
    """None where it did not run."""
    assert identity_check.build(Source(audit(spec()).result)) is None
