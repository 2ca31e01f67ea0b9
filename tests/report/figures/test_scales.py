"""Axes of one quantity: the same limits and ticks, and nothing drawn is lost."""

import re

import pytest
from report_fixture import SYSTEMS, curves

from frtaudit.report.figures import canvas, scales, systems
from frtaudit.report.figures.curves import Series
from frtaudit.report.pieces import Panel


def panels() -> list[Panel]:
    """The DET curve of each of two systems by itself."""
    return [
        systems.overlaid(
            f"p{index}",
            name,
            [Series(name=name, index=index, curve=item) for item in curves(name) if item.analysis == "det"],
            "FNMR",
            rates=True,
        )
        for index, name in enumerate(SYSTEMS)
    ]


def limits(svg: str) -> list[str]:
    """What the axes of a drawing span, as a page has it."""
    (frame,) = re.findall(r'data-frame="([^"]+)"', svg)
    return frame.split()[4:8]


def test_panels_of_one_quantity_have_one_scale() -> None:
    """Limits are those of all panels; names, words and what else a panel says stay."""
    alone, together = panels(), scales.alike(panels)
    assert limits(alone[0].svg) != limits(alone[1].svg)
    assert limits(together[0].svg) == limits(together[1].svg)
    for low, high in ((0, 1), (2, 3)):
        ends = [[float(limits(panel.svg)[end]) for panel in alone] for end in (low, high)]
        shared = [float(limits(together[0].svg)[end]) for end in (low, high)]
        assert shared == [min(ends[0]), max(ends[1])]
    assert [panel.alt for panel in together] == [panel.alt for panel in alone]
    assert ["p0" in panel.svg for panel in together] == [True, False]


def test_ticks_follow_the_shared_limits() -> None:
    """Both panels have the same ticks, printed in the same way."""
    with canvas.keeping() as registry:
        scales.alike(panels)
    axes = [drawing.axes[0] for _, drawing in registry.values()]
    ticks = [list(each.yaxis.get_majorticklocs()) for each in axes]
    words = [
        [each.yaxis.get_major_formatter()(tick) for tick in row]
        for each, row in zip(axes, ticks, strict=True)
    ]
    assert ticks[0] == ticks[1]
    assert words[0] == words[1]


def test_one_axis_alone_may_be_shared() -> None:
    """The other keeps its limits."""
    alone, together = panels(), scales.alike(panels, "x")
    assert limits(together[0].svg)[:2] == limits(together[1].svg)[:2]
    assert [limits(panel.svg)[2:] for panel in together] == [limits(panel.svg)[2:] for panel in alone]


@pytest.mark.usefixtures("undrawn_panels")
def test_where_nothing_is_drawn_nothing_is_shared() -> None:
    """Panels without a drawing stay as they are."""
    assert [panel.svg for panel in scales.alike(panels)] == ["", ""]


@pytest.fixture(name="undrawn_panels")
def _undrawn_panels() -> object:
    with canvas.undrawn():
        yield


def test_figures_drawn_apart_have_one_scale() -> None:
    """Each of several figures keeps its panels, with the limits of all; a figure without panels stays so."""
    first, second = panels()
    groups = scales.alike_groups([lambda: panels()[:1], lambda: (), lambda: panels()[1:]])
    assert [len(group) for group in groups] == [1, 0, 1]
    assert limits(groups[0][0].svg) == limits(groups[2][0].svg)
    assert limits(first.svg) != limits(second.svg)
