"""Figures: what is drawn, for every eye and every printer. Tests also canvas and svg, which figures stand on.

tests/report/test_guarantees.py tests coverage, the figures of the study;
tests/report/sections/test_tail_model.py tests tails.
"""

import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.markers import CARETLEFT, CARETRIGHT
from report_fixture import SYSTEMS, curves, result

from frtaudit.core import Curve
from frtaudit.core.plain.records import from_json, to_json
from frtaudit.report.figures import canvas, violins
from frtaudit.report.figures import curves as figures
from frtaudit.report.figures.curves import Dot, Series
from frtaudit.report.pieces import Panel


def series(kind: str) -> list[Series]:
    """The synthetic curves of a kind, one system each."""
    found = [item for name in SYSTEMS for item in curves(name) if item.analysis == kind]
    return [Series(name=item.provider, index=index, curve=item) for index, item in enumerate(found)]


def dots() -> list[Dot]:
    """Two systems, two groups, one rate of zero."""
    return [
        Dot(row="Amber", series="x", index=0, value=0.0, low=0.0, high=0.01),
        Dot(row="Cedar", series="x", index=0, value=0.04, low=0.03, high=0.06),
        Dot(row="Amber", series="y", index=1, value=0.02),
    ]


PANELS = {
    "roc": lambda: figures.roc("a", series("roc")),
    "det": lambda: figures.det("a", series("det")),
    "fmr": lambda: figures.over_threshold("a", "FMR", series("fmr"), "FMR"),
    "tar": lambda: figures.tar("a", "t", series("tar"), differences=False),
    "tar_difference": lambda: figures.tar("a", "t", series("tar_difference"), differences=True),
    "dots": lambda: figures.dots("a", "FNMR", ["Amber", "Cedar"], dots(), "FNMR"),
    "folds": lambda: violins.folds("a", dots()[1:], ["Amber", "Cedar"]),
}


@pytest.fixture(scope="module", params=sorted(PANELS))
def drawn(request: pytest.FixtureRequest) -> Panel:
    """Each panel in turn."""
    return PANELS[request.param]()


def test_a_panel_is_clean_svg(drawn: Panel) -> None:
    """Well-formed, no style attribute or sheet, no metadata, no link to anywhere, small."""
    ET.fromstring(drawn.svg)
    assert "style" not in drawn.svg
    assert "metadata" not in drawn.svg
    assert set(re.findall(r"https?://[^\"]+", drawn.svg)) == {"http://www.w3.org/2000/svg"}
    assert len(drawn.svg) < 90_000


def test_every_id_of_a_panel_is_its_own(drawn: Panel) -> None:
    """Ids start with the panel's name, and every reference leads to one of them."""
    ids = set(re.findall(r' id="([^"]+)"', drawn.svg))
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', drawn.svg))
    assert all(name.startswith("a-") for name in ids)
    assert used <= ids


def test_a_panel_says_what_it_shows(drawn: Panel) -> None:
    """The alternative text is a sentence with the systems or the largest value."""
    assert len(drawn.alt) > 20
    assert drawn.alt.endswith(".")


def test_the_same_panel_is_the_same_bytes() -> None:
    """No clock, no random id."""
    assert PANELS["det"]() == PANELS["det"]()


def test_settings_of_the_machine_take_no_part() -> None:
    """A changed matplotlib default does not reach a figure, and is left as it was."""
    import matplotlib as mpl

    before = PANELS["dots"]()
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9}):
        assert PANELS["dots"]() == before
        assert mpl.rcParams["lines.linewidth"] == 9


@given(st.integers(0, 400), st.integers(0, 400))
def test_pens_differ_without_colour(first: int, second: int) -> None:
    """Series of one colour, and neighbours, differ in marker, so that they differ in grey print."""
    one, other = canvas.pen(first), canvas.pen(second)
    if 0 < abs(first - second) < 4 or (one.hue == other.hue and first // 64 == second // 64):
        assert one.marker != other.marker or first == second


def test_the_first_sixty_four_pens_are_unique() -> None:
    """Up to 64 systems each have a hue and marker of their own."""
    assert len({canvas.pen(index) for index in range(64)}) == 64


@given(st.lists(st.floats(1e-6, 1), min_size=2, max_size=3000), st.booleans())
def test_decimation_keeps_ends_and_extremes(ys: list[float], log: bool) -> None:
    """First, last, highest and lowest point are always drawn, and no more than what can be seen."""
    x = np.linspace(1e-4, 1, len(ys)).tolist()
    kept = canvas.visible(x, ys, log=log)
    assert kept[0] == 0
    assert kept[-1] == len(ys) - 1
    drawn = np.asarray(ys)[kept]
    assert drawn.min() == min(ys)
    assert drawn.max() == max(ys)
    assert kept.size <= 4 * 261


def test_bounds_that_are_undefined_are_not_drawn() -> None:
    """A band with gaps draws without a warning."""
    x, y = (0.001, 0.01, 0.1), (0.3, 0.2, 0.1)
    gap = Curve(
        provider="a",
        analysis="roc",
        schema=None,
        group="all",
        weighting=None,
        x=x,
        y=y,
        low=(math.nan, 0.1, 0.05),
        high=(math.nan, 0.3, 0.2),
    )
    item = Series(name="a", index=0, curve=gap)
    assert "<path" in figures.roc("r", [item]).svg
    assert "nan" not in figures.det("d", [item]).svg.lower()


def test_legend_has_a_swatch_for_each_name() -> None:
    """Names in order, each with a drawing of its own."""
    found = figures.keys("f", [(0, "a"), (1, "b")])
    assert [key.name for key in found] == ["a", "b"]
    assert found[0].svg != found[1].svg


def test_the_made_up_result_is_a_result() -> None:
    """What the report is tested with obeys the core's invariants and survives its own JSON."""
    made = result()
    assert from_json(type(made), to_json(made)) == made


@pytest.mark.parametrize(
    "name", ["$x$", "\\frac{1", "$", "\u05e9\u05dc\u05d5\u05dd", "\u65e5\u672c", "_hidden", "a\tb"]
)
def test_any_name_can_be_drawn(
    name: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A name is no formula, and one in a script of no shipped font is drawn without a word on the terminal."""

    def draw(axes: Axes) -> None:
        axes.set(title=name, xlabel=name)
        axes.set_xticks([0.0], [name])

    assert "<svg" in canvas.plot("drawn", "a name", draw).svg
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_a_rate_of_zero_is_a_hollow_mark() -> None:
    """Its inside is seen: the mark is larger and has a thinner edge than that of another rate."""
    with canvas.keeping() as registry:
        points = [
            Dot(row="a", series="s", index=index, value=value) for index, value in enumerate((0.0, 0.1))
        ]
        figures.dots("d", "t", ["a"], points, "FMR")
    ((_, drawing),) = registry.values()
    hollow, full = (line for line in drawing.axes[0].lines if len(line.get_xdata()) == 1)
    assert hollow.get_markersize() - 2 * hollow.get_markeredgewidth() >= full.get_markersize()
    assert hollow.get_markerfacecolor() == canvas.PAPER


def test_a_bar_that_goes_on_ends_in_an_arrow() -> None:
    """Where its lower end lies left of the axis; an interval from 0, or one that ends inside, has none."""
    with canvas.keeping() as registry:
        points = [
            Dot(row="a", series="s", index=index, value=0.1, low=low, high=0.2)
            for index, low in enumerate((1e-6, 0.05, 0.0))
        ]
        figures.dots("d", "t", ["a"], points, "FMR")
    ((_, drawing),) = registry.values()
    arrows = [line for line in drawing.axes[0].lines if line.get_marker() == CARETLEFT]
    assert [line.get_color() for line in arrows] == [canvas.pen(0).hue]


def test_a_few_people_do_not_stretch_an_axis() -> None:
    """An upper bound far beyond every rate ends in an arrow; one up to ten times the highest rate is inside."""
    bounds = {"many": (0.001, 0.0005, 0.002), "few": (0.0, 0.0, 0.6), "some": (0.0, 0.0, 0.009)}
    points = [
        Dot(row=row, series="s", index=index, value=value, low=low, high=high)
        for index, (row, (value, low, high)) in enumerate(bounds.items())
    ]
    with canvas.keeping() as registry:
        figures.dots("d", "t", [*bounds], points, "FMR")
    ((_, drawing),) = registry.values()
    axes = drawing.axes[0]
    assert axes.get_xlim()[1] < 0.02
    arrows = [line for line in axes.lines if line.get_marker() == CARETRIGHT]
    assert [line.get_color() for line in arrows] == [canvas.pen(1).hue]
    assert [figures.goes_on(dot, points) for dot in points] == [False, True, False]


def test_an_axis_of_shares_has_no_less_than_nothing() -> None:
    """ROC: from below the lowest rate where FMR is on the axis, never below 0; DET: up to 1, 2 or 5 of a decade."""
    rates = curve_of((0.0, 0.001, 0.01, 0.1), (1.0, 0.13, 0.05, 0.01))
    with canvas.keeping() as registry:
        panels = [figures.roc("r", [rates]), figures.det("d", [rates])]
    roc, det = (registry[panel.svg][1].axes[0] for panel in panels)
    assert roc.get_ylim() == pytest.approx((0.85, 1.0))
    assert det.get_ylim()[1] == pytest.approx(0.2)
    nothing = curve_of((0.001, 0.01), (1.0, 0.97))
    with canvas.keeping() as registry:
        panel = figures.roc("r", [nothing])
    assert registry[panel.svg][1].axes[0].get_ylim() == (0.0, 1.0)
    with canvas.keeping() as registry:
        panel = figures.roc("r", [curve_of((1.0,), (0.5,))])
    assert registry[panel.svg][1].axes[0].get_xlim() == (0.1, 1.0)


def test_words_for_thresholds_by_class_have_the_case_of_the_heading() -> None:
    """TAR is not tar."""
    panel = figures.tar("a", "Threshold by TAR", series("tar"), differences=False)
    assert panel.alt.startswith("Threshold by TAR, for ")


def test_a_rate_of_zero_is_not_drawn_as_a_line() -> None:
    """Over the threshold a curve ends in the step from its last error to the edge; without an error there is none."""
    rates = curve_of((0.1, 0.2, 0.3, 0.4, 0.5), (0.5, 0.01, 0.0, 0.0, 0.0))
    none = curve_of((0.1, 0.2, 0.3), (0.0, 0.0, 0.0))
    with canvas.keeping() as registry:
        panel = figures.over_threshold("a", "FMR", [rates, none], "FMR")
    axes = registry[panel.svg][1].axes[0]
    assert [line.get_xdata().tolist() for line in axes.lines[::2]] == [[0.1, 0.2, 0.3], []]
    assert axes.lines[0].get_ydata().tolist() == [0.5, 0.01, 0.01]


def test_det_of_the_whole_range_ends_at_its_edges() -> None:
    """With a floor neither FMR nor FNMR of 0 is drawn along an edge."""
    rates = curve_of((0.0, 0.0, 0.01, 0.1, 0.5, 1.0), (1.0, 0.9, 0.5, 0.1, 0.0, 0.0))
    with canvas.keeping() as registry:
        panel = figures.det("a", [rates], floor=0.01)
    line = registry[panel.svg][1].axes[0].lines[0]
    assert line.get_xdata().tolist() == [0.01, 0.01, 0.1, 0.5]
    assert line.get_ydata().tolist() == [0.9, 0.5, 0.1, 0.01]


def curve_of(x: tuple[float, ...], y: tuple[float, ...]) -> Series:
    """A curve without a band."""
    curve = Curve(provider="a", analysis="fmr", schema=None, group="all", weighting=None, x=x, y=y)
    return Series(name="a", index=0, curve=curve)


def test_folds_fit_on_the_page_of_the_thresholds_by_class() -> None:
    """Two rows of thresholds by TAR and the folds of two systems are 6 inches: their table has the rest of a page."""
    with canvas.keeping() as registry:
        panels = [PANELS[name]() for name in ("tar", "tar_difference", "folds")]
    heights = [registry[panel.svg][1].get_figheight() for panel in panels]
    assert heights[0] == heights[1]
    assert heights[0] + heights[1] + heights[2] <= 6.0


def test_long_names_that_differ_at_their_ends_differ_in_their_rows() -> None:
    """Cut in the middle; where names leave little room a heading and the name of an axis have the whole drawing."""
    rows = [f"women over sixty-five of Northern European origin {number}" for number in range(3)]
    points = [Dot(row=row, series="x", index=0, value=0.1) for row in rows]
    with canvas.keeping() as registry:
        panel = figures.dots("p", "A heading", rows, points, "FNMR")
    drawing = registry[panel.svg][1]
    axes = drawing.axes[0]
    names = [name.get_text() for name in axes.get_yticklabels()]
    assert len(set(names)) == len(rows)
    assert max(map(len, names)) == figures.ROOM
    drawing.draw_without_rendering()
    heading = next(text for text in axes.get_children() if getattr(text, "get_text", str)() == "A heading")
    assert heading.get_window_extent().x0 < axes.get_window_extent().x0 - 20
    assert axes.xaxis.label.get_horizontalalignment() == "right"
    assert len(figures.shortened("顔" * 30)) == figures.ROOM // 2
