"""The section on error rates: what its figures show."""

from dataclasses import replace

from one_scale import unequal
from report_fixture import result

from frtaudit.report.figures import canvas
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import rates
from frtaudit.report.source import Source


def test_panels_of_one_quantity_have_one_scale() -> None:
    """FMR of ROC and DET, the thresholds of both rates, FNMR over FMR and over the threshold."""
    assert not unequal(lambda: rates.build(Source(result())))


def test_what_is_below_the_axis_lies_on_its_edge() -> None:
    """A DET that shares its FNMR with another panel ends on the lower edge of both, not above it."""
    with canvas.keeping() as registry:
        rates.build(Source(result()))
    axes = {name: drawing.axes[0] for name, drawing in registry.values()}
    edge = axes["fnmr-over-threshold"].get_ylim()[0]
    lowest = min(float(min(line.get_ydata())) for line in axes["det-whole-range"].lines)
    assert axes["det-whole-range"].get_ylim()[0] == edge
    assert lowest <= 10 * edge


def test_panels_of_many_systems_say_whose_they_are() -> None:
    """Their titles name the first and the last of the legend, the caption in a file of its own every one."""
    made = result()
    det = next(item for item in made.curves if item.analysis == "det" and item.group == "all")
    names = [f"service_{number}" for number in range(11)]
    curves = tuple(replace(det, provider=name) for name in names)
    source = Source(replace(made, curves=curves, estimates=(), findings=()), named=tuple(names))
    with canvas.keeping() as registry:
        view = rates.build(source)
    assert view is not None
    drawn = [(name, drawing.axes[0]) for name, drawing in registry.values() if drawing.axes[0].axison]
    titles = [axes.get_title("left") for _, axes in drawn]
    assert [name for name, _ in drawn[:6]] == [
        f"{kind}-part-{number}-of-3" for number in (1, 2, 3) for kind in ("roc", "det")
    ]
    assert titles[:6] == [
        f"{kind}, {which}"
        for which in ("service_0 to service_4", "service_5 to service_9", "service_10")
        for kind in ("ROC", "DET")
    ]
    assert [panel.names for panel in view.figures[0].panels[2:]] == [
        (*names[5:10],), (*names[5:10],), (names[10],), (names[10],),
    ]  # fmt: skip
    alone = view.figures[0].alone
    assert plain_text(alone["roc-part-3-of-3"]).startswith("Systems: service_10. Higher is better.")
    assert "Systems: service_5, service_6, service_7, service_8 and service_9. Lower" in plain_text(
        alone["det-part-2-of-3"]
    )


def test_the_caption_spells_out_what_the_letters_stand_for() -> None:
    """ROC and DET, beside the title that has the letters."""
    view = rates.build(Source(result()))
    assert view is not None
    said = plain_text(view.figures[0].caption)
    assert view.figures[0].title == "ROC and DET"
    assert said.startswith(
        "Receiver operating characteristic, left: higher is better. Detection error trade-off, "
    )
