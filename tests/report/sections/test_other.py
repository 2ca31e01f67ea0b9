"""Estimates of no section: each weighting is named."""

from dataclasses import replace

from small_audits import whole

from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import other
from frtaudit.report.source import Source


def test_the_weightings_of_a_metric_without_a_section_are_told_apart() -> None:
    """Two rows of one metric at one point differ by their weighting's words; the caption names the analysis."""
    result = whole().result
    rate = next(estimate for estimate in result.estimates if estimate.metric == "fnmr_at_fmr")
    renamed = tuple(
        replace(rate, metric="half_total", analysis="halves", weighting=weighting)
        for weighting in ("pooled", "identity")
    )
    view = other.build(Source(replace(result, estimates=renamed, findings=())))
    assert view is not None
    (table,) = view.tables
    assert plain_text(table.caption).startswith("Analysis halves.")
    first, second = (plain_text(row[0]) for block in table.blocks for row in block.rows)
    assert {first, second} == {first, f"{first}, each subject weighted equally (identity-weighted)"}
