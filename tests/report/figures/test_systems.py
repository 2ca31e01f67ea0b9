import pytest

from frtaudit.core import Curve
from frtaudit.report.figures import systems
from frtaudit.report.figures.canvas import keeping
from frtaudit.report.figures.curves import Dot, Series


def test_gaps_say_each_pair() -> None:
    """The drawing names every pair with its value; a pair without bounds is a dot alone."""
    rows = [
        Dot(row="a – b", series="a", index=0, value=0.1, low=0.0, high=0.2),
        Dot(row="a – c", series="a", index=0, value=-0.1),
    ]
    panel = systems.gaps("g", "Differences", rows, "first minus second", alike=0.0, margin=0.05, points=True)
    assert panel.alt == "Differences, one row for each pair: a – b: 10 points; a – c: −10 points."
    assert panel.svg.startswith("<svg")
    ratios = systems.gaps("r", "Ratios", rows, "ratio", alike=1.0, margin=1.5, points=False)
    assert ratios.alt == "Ratios, one row for each pair: a – b: 0.1; a – c: −0.1."
    assert ratios.svg != panel.svg


def test_overlaid_curves_name_systems_and_zones() -> None:
    """Bands where they are, zones by their letters."""
    curve = Curve(
        provider="a", analysis="zones", schema=None, group="all", weighting="pooled",
        x=(0.001, 0.01, 0.1), y=(0.3, 0.2, 0.0), low=(0.2, 0.1, 0.0), high=(0.4, 0.3, float("nan")),
    )  # fmt: skip
    bare = Curve(
        provider="b",
        analysis="zones",
        schema=None,
        group="all",
        weighting="pooled",
        x=curve.x,
        y=(0.2, 0.2, 0.1),
    )
    series = [Series(name="a", index=0, curve=curve), Series(name="b", index=1, curve=bare)]
    panel = systems.overlaid(
        "o", "Two", series, "FNMR", rates=True, zones=[(0.001, 0.01, "A"), (0.01, 0.1, "C")]
    )
    assert panel.alt == "Two: FNMR over FMR of a, b. Zones: A from 0.1 % to 1 %, C from 1 % to 10 %."
    with keeping() as kept:
        systems.overlaid("o", "Two", series, "FNMR", rates=True, zones=[(0.001, 0.01, "A"), (0.01, 0.1, "C")])
    ((_, drawing),) = kept.values()
    upright = [line.get_xdata()[0] for line in drawing.axes[0].lines if len({*line.get_xdata()}) == 1]
    edges = [line.get_ydata().tolist() for line in drawing.axes[0].lines if line.get_linewidth() < 0.7]
    assert edges == [[0.2, 0.1], [0.4, 0.3]]
    assert upright == [0.01]  # between the zones, and none at the end of the axis


def test_letters_of_narrow_zones_do_not_lie_on_each_other() -> None:
    """Where two zones have no room beside each other, the second one's letter is lower; the others are level."""
    curve = Curve(
        provider="a", analysis="zones", schema=None, group="all", weighting="pooled",
        x=(0.001, 0.1), y=(0.3, 0.2),
    )  # fmt: skip
    zones = [(0.001, 0.01, "A"), (0.01, 0.0105, "B"), (0.0105, 0.011, "C"), (0.011, 0.1, "A")]
    with keeping() as kept:
        systems.overlaid("o", "T", [Series(name="a", index=0, curve=curve)], "m", rates=False, zones=zones)
    ((_, drawing),) = kept.values()
    heights = [text.get_position()[1] for text in drawing.axes[0].texts]
    assert heights == pytest.approx([0.96, 0.96, 0.90, 0.96])


def test_letters_stand_within_the_limits_of_the_axis() -> None:
    """A zone that limits cut has its letter in the middle of what is left of it, one that they drop has none."""
    curve = Curve(
        provider="a", analysis="zones", schema=None, group="all", weighting="pooled",
        x=(0.001, 0.1), y=(3.0, 20.0),
    )  # fmt: skip
    zones = [(0.001, 0.002, "A"), (0.002, 0.01, "B"), (0.01, 0.1, "C")]
    with keeping() as kept:
        systems.overlaid(
            "o", "T", [Series(name="a", index=0, curve=curve)], "m", rates=False, ratio=True, zones=zones
        )
    ((_, drawing),) = kept.values()
    (axes,) = drawing.axes
    assert axes.get_yscale() == "log"
    axes.set_xlim(0.004, 0.1)
    assert [text.get_visible() for text in axes.texts] == [False, True, True]
    assert axes.texts[1].get_position()[0] == pytest.approx((0.004 * 0.01) ** 0.5)
