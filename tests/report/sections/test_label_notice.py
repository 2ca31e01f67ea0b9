"""What the first page says of estimated labels, from small audits."""

import re
from dataclasses import replace
from functools import cache
from typing import cast

from rapid_audits import made, result

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.label_cost import LabelCost
from frtaudit.core import AuditResult
from frtaudit.core.canonical import Json
from frtaudit.core.spec import Report
from frtaudit.core.spec_values import LabelSource
from frtaudit.core.text import formatting
from frtaudit.pipeline.audit import audit
from frtaudit.report import phrases
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import label_notice, summary
from frtaudit.report.source import Source


def with_source(found: AuditResult, source: str) -> AuditResult:
    """The same audit as if its labels were somebody else's."""
    cohort = cast("dict[str, Json]", dict(cast("dict[str, Json]", found.spec["cohort"])))
    cohort["labels"] = cast("Json", {**cast("dict[str, Json]", cohort["labels"]), "source": source})
    return replace(found, spec={**found.spec, "cohort": cohort})


@cache
def costed() -> AuditResult:
    """The shared search with what its labels cost, and without the section on labels."""
    analyses = {"error_rates": ErrorRates(curve_points=5), "label_cost": LabelCost(truths=100)}
    return audit(made(analyses=analyses)).result


def page_one(found: AuditResult) -> summary.Summary:
    """The first page's view."""
    return summary.build(Source(found), Report(), "2026-11-22")


def test_estimated_labels_are_said_without_any_analysis_of_labels() -> None:
    """The spec alone tells: an audit on estimated labels says so, whatever it was asked for."""
    bare = replace(result(), estimates=tuple(i for i in result().estimates if "label" not in i.metric))
    view = page_one(bare)
    assert label_notice.UNNAMED in view.cannot
    assert "estimated from the services' own scores" in plain_text(view.labels)
    assert "+analyses.label_cost={}" in plain_text(view.labels)
    assert view.headline is not None
    assert "No interval includes label errors" in plain_text(view.headline.caption)


def test_answers_need_no_warning() -> None:
    """Labels that people gave are not called estimated; answers and estimates together are."""
    view = page_one(with_source(result(), LabelSource.ANNOTATED))
    assert view.labels == ()
    assert label_notice.UNNAMED not in view.cannot
    mixed = page_one(with_source(result(), LabelSource.COMBINED))
    assert plain_text(mixed.labels).startswith("For images without an identity label")


def test_the_interval_with_labels_in_doubt_stands_beside_the_rate() -> None:
    """Each rate of the key numbers has both intervals, the second the one of label_cost, and a link to its section."""
    view = page_one(costed())
    assert view.headline is not None
    true = label_notice.true_rates(Source(costed()))
    assert true
    cells = [cell for row in view.headline.blocks[0].rows for cell in row[1:]]
    pointers = {piece.pointer for cell in cells for piece in cell}
    for record in true.values():
        assert f"{record.pointer}/intervals/0/low" in pointers
    assert all(label_notice.LINE in plain_text(cell) for cell in cells)
    assert "the pooled rate at its own threshold" in plain_text(view.headline.caption)
    assert any(piece.kind == "#label_cost" for piece in view.labels)


def test_page_1_has_both_intervals_in_one_line() -> None:
    """The one without label errors, then the one with them; the notice below says that this is of the pooled rate."""
    source = Source(costed())
    for record in source.select("fnmr_at_fmr", grouped=False, primary=True):
        true = label_notice.true_rates(source)[record.estimate.provider, float(record.estimate.at["fmr"])]
        bounds = plain_text(phrases.bounds(true.bounds[0], true.estimate))
        assert plain_text(label_notice.beside(source, record)) == f" without label errors, {bounds} with them"
    assert "intervals with label errors are of pooled rates" in plain_text(label_notice.notice(source))


def test_the_counts_beside_label_errors_are_those_of_the_rate_beside_them() -> None:
    """The second line is of the pooled rate alone: its rate, the counts that it is the quotient of, its interval."""
    lines = label_notice.lines(Source(costed()))
    assert lines.keys() == label_notice.true_rates(Source(costed())).keys()
    for line in lines.values():
        rate, counts, _ = re.split(r", | with ", plain_text(line))
        errors, trials = (int(number.replace(",", "")) for number in counts.split(" / "))
        assert rate == f"pooled {formatting.rate(errors / trials)}"
