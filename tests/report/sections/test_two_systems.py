import re
from dataclasses import replace

import pytest
from vendor_audits import result

from frtaudit.core import Curve
from frtaudit.core.spec import Report
from frtaudit.report import render
from frtaudit.report.figure_choice import Choice
from frtaudit.report.figures.canvas import HUES, pen
from frtaudit.report.figures.systems import EDGE
from frtaudit.report.paper_figures import paper_figures
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import two_systems
from frtaudit.report.source import Source


def test_all_three_figures_stand_by_name() -> None:
    """Two systems, two splits, zones, with the systems in their titles."""
    found = two_systems.build(Source(result()))
    assert found is not None
    assert [item.name for item in found.figures] == [
        "two-models",
        "two-splits",
        "zones-fnmr-max-geomean-group",
    ]
    assert found.figures[0].title == "Two systems: one and three"
    for figure in found.figures[:2]:
        assert plain_text(figure.caption).endswith(
            " Rates: each subject weighted equally (identity-weighted)."
        )


def test_a_caption_promises_what_is_drawn() -> None:
    """Level and bootstrap samples of the bands, zones where there are some, and where a curve has no place."""
    known = result().curves
    zoned = [
        replace(curve, x=(0.03, 0.1), y=(1.0, 0.0)) if curve.analysis == two_systems.CODES else curve
        for curve in known
    ]
    bare = [
        replace(curve, low=None, high=None, y=(0.0, *curve.y[1:]))
        if curve.analysis in two_systems.TITLES
        else curve
        for curve in known
    ]
    texts = []
    for curves in (known, zoned, bare):
        view = two_systems.build(Source(replace(result(), curves=tuple(curves))))
        assert view is not None
        texts.append([plain_text((*figure.caption, *sum(figure.gaps, ()))) for figure in view.figures])
    assert all("(level 95 %, B = 199)" in text for text in texts[0])
    assert ["Zones describe" in drawn[2] for drawn in texts] == [False, True, False]
    assert ["There are no zones" in drawn[2] for drawn in texts] == [True, False, True]
    assert "without bands" in texts[2][0]
    assert "recentred" not in texts[2][0]
    assert texts[2][0].count("Every curve: ") == texts[2][0].count("FNMR is 0") == 1
    assert "FNMR is 0" not in texts[2][2]


def test_each_metric_of_each_rate_has_its_own_zones() -> None:
    """Curves and codes of one schema, rate and metric stand in one figure, and no others do."""
    codes = next(curve for curve in result().curves if curve.analysis == two_systems.CODES)
    more = [
        replace(curve, rate="fmr", metric="gini", x=tuple(x / 2 for x in curve.x))
        for curve in result().curves
        if curve.analysis == two_systems.ZONES or curve is codes
    ]
    view = two_systems.build(Source(replace(result(), curves=(*result().curves, *more))))
    assert view is not None
    alone = two_systems.build(Source(result()))
    assert alone is not None
    assert [figure.name for figure in view.figures[2:]] == [
        "zones-fnmr-max-geomean-group",
        "zones-fmr-gini-group",
    ]
    assert view.figures[2].panels[0].alt == alone.figures[2].panels[0].alt
    assert view.figures[3].title.endswith("FMR by group: Gini coefficient")
    labels = [
        re.search(r"F\w*MR, [\w ]+?(?: / [\w ]+?)?(?= over)", f.panels[0].alt) for f in view.figures[2:]
    ]
    assert [of and of[0] for of in labels] == [
        "FNMR, largest / geometric mean",
        "FMR, Gini coefficient",
    ]  # the axis says which rate


@pytest.mark.usefixtures("ink")
def test_every_system_has_its_hue_and_each_split_its_dashes() -> None:
    """The legend has a line for each system and one for each split, and the figure two curves of each system."""
    made = paper_figures(result(), builds=[two_systems.build])["fnmr-two-splits"]
    (legend,) = made.drawing.legends
    names = ["one", "three", "two", "twin"]
    assert [text.get_text() for text in legend.get_texts()] == [*names, "split 1", "split 2"]
    curves = [
        line for line in made.drawing.axes[0].lines if line.get_linewidth() > EDGE
    ]  # not edges of bands
    lines = [line for line in curves if line.get_linestyle() != "None"]
    drawn = [(line.get_color(), line.get_linestyle()) for line in lines]
    assert [HUES.index(str(hue)) for hue, _ in drawn] == [0, 0, 2, 2, 1, 1, 3, 3]  # as in every figure
    assert [style for _, style in drawn] == ["-", "--"] * 4
    samples = [(line.get_marker(), line.get_linestyle()) for line in legend.get_lines()]
    assert samples == [*((pen(n).marker, "None") for n in (0, 2, 1, 3)), ("None", "-"), ("None", "--")]
    few = paper_figures(result(), Choice(systems=("one", "twin")), [two_systems.build])["fnmr-two-splits"]
    hues = {str(line.get_color()) for line in few.drawing.axes[0].lines}
    assert hues == {HUES[0], HUES[3]}


@pytest.mark.usefixtures("ink")
def test_every_letter_of_a_zone_is_in_the_legend() -> None:
    """A, B and C where all are drawn, two of them where two are; the lines between zones are in the caption."""
    for codes, letters in (((1.0, 0.0, -1.0), "ABC"), ((1.0, 1.0, -1.0), "AC"), ((0.0, 0.0, 0.0), "B")):
        curves = tuple(
            replace(curve, x=(0.03, 0.1, 0.3), y=codes) if curve.analysis == two_systems.CODES else curve
            for curve in result().curves
        )
        drawn = paper_figures(replace(result(), curves=curves), builds=[two_systems.build])
        figure = drawn["zones-fnmr-max-geomean-group"]
        texts = figure.drawing.axes[0].texts
        assert [text.get_text() for text in texts] == [*letters]
        (legend,) = figure.drawing.legends
        labels = [text.get_text() for text in legend.get_texts()][-len(letters) :]
        assert [label[:2] for label in labels] == [f"{letter}:" for letter in letters]
        assert ("Vertical lines separate zones." in figure.caption) == (len(letters) > 1)


def test_zones_meet_halfway() -> None:
    """Runs of one code become one span; neighbours meet at the geometric middle."""
    codes = Curve(
        provider="a", analysis="zone_codes", schema="s", group="b", weighting=None,
        x=(0.001, 0.002, 0.1, 0.2), y=(1.0, 1.0, 0.0, -1.0),
    )  # fmt: skip
    spans = two_systems._spans(codes)
    assert [letter for _, _, letter in spans] == ["A", "B", "C"]
    assert spans[0][1] == spans[1][0] == (0.002 * 0.1) ** 0.5


def test_without_curves_no_section() -> None:
    """An audit that drew none has none."""
    assert two_systems.build(Source(replace(result(), curves=()))) is None


def test_a_system_without_errors_leaves_one_curve_and_no_count_of_further_figures() -> None:
    """Its curve of zeros has no place on logarithmic axes: the title names the other, and no figure is "more"."""
    flat = tuple(
        replace(curve, y=(0.0,) * len(curve.x), low=None, high=None)
        for curve in result().curves
        if curve.analysis == "two_models"
    )
    kept = next(curve for curve in result().curves if curve.analysis == "two_models")
    audited = replace(result(), curves=(kept, *flat[1:]))
    view = two_systems.build(Source(audited))
    assert view is not None
    assert [figure.title for figure in view.figures] == [f"{kept.provider}, one of two systems"]
    page = render.html(audited, Report(sign=False), "2026-11-30", "unsigned")
    assert "one of two systems" in page
    assert "more figure" not in page


def test_a_curve_without_a_point_to_draw_is_said() -> None:
    """A fairness metric that is nowhere finite leaves a sentence and no figure, on logarithmic axes or not."""
    gone = tuple(
        replace(item, y=(float("nan"),) * len(item.x), low=None, high=None)
        if item.analysis == "zones"
        else item
        for item in result().curves
    )
    found = two_systems.build(Source(replace(result(), curves=gone)))
    assert found is not None
    assert [item.name for item in found.figures] == ["two-models", "two-splits"]
    assert "Zones by group: one has no finite value above zero" in found.left_out[0][0].text
