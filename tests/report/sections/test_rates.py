"""The section on error rates: what its figures show."""

from one_scale import unequal
from report_fixture import result

from frtaudit.report.figures import canvas
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
    edge = axes["over-fnmr"].get_ylim()[0]
    lowest = min(float(min(line.get_ydata())) for line in axes["whole-det"].lines)
    assert axes["whole-det"].get_ylim()[0] == edge
    assert lowest <= 10 * edge
