from dataclasses import replace
from functools import cache

from one_scale import unequal
from rapid_audits import made, result
from small_audits import audit

from frtaudit.analyses.label_cost import LabelCost
from frtaudit.core import AuditResult
from frtaudit.report.figures import canvas
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import label_cost
from frtaudit.report.source import Source


@cache
def result_with_cost() -> AuditResult:
    """The shared rapid test, with what its labels cost."""
    spec = made()
    return audit(replace(spec, analyses={**spec.analyses, "label_cost": LabelCost(truths=100)})).result


def test_it_stands_where_it_was_asked_for() -> None:
    """Not in the shared rapid test, which does not ask."""
    assert label_cost.build(Source(result())) is None


def test_rates_stand_side_by_side_with_uncertain_labels() -> None:
    """Reported and true by service, target, kind of error and group; uncertain labels in plain numbers; a figure."""
    view = label_cost.build(Source(result_with_cost()))
    assert view is not None
    names = [table.name for table in view.tables]
    assert names[:2] == ["label-cost", "label-cost-kinds"]
    assert "label-cost-groups" in names
    services = {item.provider for item in result_with_cost().estimates if item.metric == "fnmr_true_labels"}
    for block in view.tables[0].blocks:
        assert {plain_text(row[0]) for row in block.rows} == services
    assert "errors of type A" in plain_text(view.lead[1])
    assert "That interval takes these labels as correct" in plain_text(view.tables[0].caption)
    assert [item.name for item in view.figures] == ["label-cost"]


def test_where_nothing_was_drawn_the_section_says_why() -> None:
    """The note of the analysis, as a sentence."""
    bare = replace(
        result_with_cost(),
        estimates=result().estimates,
        notes=("label_cost was not made: the labels are annotated",),
    )
    view = label_cost.build(Source(bare))
    assert view is not None
    assert (
        plain_text(view.lead[0]) == "The effect of label errors is not estimated: the labels are annotated."
    )


def test_targets_have_one_scale() -> None:
    """FNMR is drawn between the same limits at every FMR target."""
    assert not unequal(lambda: label_cost.build(Source(result_with_cost())))


def test_a_service_has_its_colour_and_rates_are_said_to_be_pooled() -> None:
    """Bars and marks of a row have the hue that the service has in every figure."""
    with canvas.keeping() as registry:
        view = label_cost.build(Source(result_with_cost()))
    assert view is not None
    (figure,) = view.figures
    assert plain_text(figure.caption).startswith("Pooled rates. ")
    services = Source(result_with_cost()).providers
    for panel in figure.panels:
        axes = registry[panel.svg][1].axes[0]
        hues = dict.fromkeys(line.get_markeredgecolor() for line in axes.lines)
        assert list(hues) == [canvas.pen(index).hue for index, _ in enumerate(services)]
