"""The section on uncertainty over FMR: where it stands, what it draws, what its words say."""

import math
from dataclasses import replace
from functools import cache

import pytest
from one_scale import unequal
from report_bands import GAP, SYSTEM, X, curves, fairness, rocs, uncertainty
from report_fixture import SYSTEMS, result

from frtaudit.core import Curve
from frtaudit.report.figures import canvas
from frtaudit.report.paper_figures import paper_figures
from frtaudit.report.pieces import Figure, plain_text
from frtaudit.report.section import View
from frtaudit.report.sections.uncertainty import MAX_SYSTEMS, build
from frtaudit.report.source import Source

DRAWN = True  # panels that look alike are found by what is drawn (conftest.py)


def view(made: list[Curve]) -> View | None:
    """The section of the synthetic result with these curves alone."""
    return build(Source(replace(result(), curves=tuple(made))))


def figures(made: list[Curve]) -> dict[str, Figure]:
    """Its figures by name."""
    found = view(made)
    assert found is not None
    return {item.name: item for item in found.figures}


@cache
def of_one_system() -> dict[str, Figure]:
    """The figures of all the synthetic curves."""
    return figures(curves())


def test_it_stands_only_where_the_analysis_ran() -> None:
    """Without curves of these analyses there is no section, also where there is a ROC with bands."""
    assert build(Source(result())) is None
    assert view(rocs()[:4]) is None
    assert of_one_system()


def test_bands_of_a_system_have_its_hue() -> None:
    """Lines and bands of the second system have its colour; dashes of their edges distinguish the methods."""
    second = tuple(SYSTEMS)[1]
    made = tuple(replace(curve, provider=second) for curve in curves())
    drawn = paper_figures(replace(result(), curves=made), builds=[build])
    hue, others = canvas.pen(1).hue, {*canvas.HUES} - {canvas.pen(1).hue}
    for name, figure in drawn.items():
        if "uncertainty" not in name:  # whose lines are metrics
            lines = [str(line.get_color()) for line in figure.drawing.axes[0].lines]
            assert hue in lines
            assert not others & {*lines}
    dashed = {str(line.get_linestyle()) for line in drawn[f"roc-bands-{second}"].drawing.axes[0].lines}
    assert dashed == {"-", "--", "None"}


def test_the_naive_band_is_dark_as_the_v_statistic() -> None:
    """Its edges lie between those of the recentred band: they differ in hue and dash."""
    made = replace(result(), curves=tuple(curves()))
    drawn = paper_figures(made, builds=[build])[f"roc-bands-{SYSTEM}"].drawing.axes[0]
    dashes = {(line.get_color(), line.get_linestyle()) for line in drawn.lines}
    assert (canvas.INK, "--") in dashes
    assert {hue for hue, dash in dashes if dash == "-"} == {canvas.pen(0).hue}


def test_every_figure_of_one_system_is_there() -> None:
    """Bundle and bands, the band for the whole curve, four metrics of each rate, all uncertainties."""
    found = of_one_system()
    panels = {name: len(item.panels) for name, item in found.items()}
    assert panels == {
        "bootstrap-0": 4,
        "whole-0": 2,
        "fair-group-fnmr-0": 4,
        "fair-group-fmr-0": 4,
        "uncertain-group-0": 2,
    }
    svgs = [panel.svg for item in found.values() for panel in item.panels]
    assert len(set(svgs)) == len(svgs)
    assert all(panel.alt and SYSTEM in item.title for item in found.values() for panel in item.panels)


def test_every_panel_names_what_it_draws() -> None:
    """For a paper: bundle and bands have lines of their own, the ROC's uncertainty stands with FNMR alone."""
    found = of_one_system()
    for item in found.values():
        for panel in item.panels:
            assert panel.names
            assert set(panel.names) <= {key.name for key in item.keys}
    bundle, compared, *_ = (set(panel.names or ()) for panel in found["bootstrap-0"].panels)
    assert bundle & compared == {"empirical ROC"}
    assert "V-statistic" in bundle
    fnmr, fmr = (set(panel.names or ()) for panel in found["uncertain-group-0"].panels)
    assert fnmr - fmr == {"FNMR itself (ROC)"}


@pytest.mark.usefixtures("ink")
def test_no_two_panels_have_one_title() -> None:
    """Also those that show the same over the empirical curve."""
    made = replace(result(), curves=tuple(curves()))
    titles = [figure.title for figure in paper_figures(made, builds=[build]).values()]
    assert len(set(titles)) == len(titles) == 16


def test_every_band_of_a_legend_names_method_and_target() -> None:
    """Pointwise or simultaneous, the method in words, and for whom it holds."""
    found = of_one_system()
    named = {key.name for item in found.values() for key in item.keys if ":" in key.name}
    assert named == {
        "pointwise: bootstrap of images, not recentred, for the same subjects, new images",
        "pointwise: bootstrap of images, recentred, for the same subjects, new images",
        "pointwise: bootstrap of images, Gaussian, for the same subjects, new images",
        "pointwise: bootstrap of subjects, for the population of the test subjects",
        "simultaneous: bootstrap of images, recentred, for the same subjects, new images",
        "simultaneous: bootstrap of subjects, for the population of the test subjects",
    }


def test_the_words_count_what_the_figure_shows() -> None:
    """The naive band's misses stand in its caption, a metric's in its own; levels are printed."""
    found = of_one_system()
    said = {name: plain_text(item.caption) for name, item in found.items()}
    assert "leaves the curve itself out at 15 of 15 targets" in said["bootstrap-0"]
    assert "largest / smallest at 15 of 15 targets" in said["fair-group-fmr-0"]
    assert "Here that happens" not in said["fair-group-fnmr-0"]
    assert all("Level 95 %" in said[name] for name in ("bootstrap-0", "whole-0", "fair-group-fnmr-0"))


def test_gaps_are_told_once_with_their_metrics_and_place() -> None:
    """A note of some metrics names them, one of all does not; each points at its first place in the result."""
    made = curves()
    gaps = of_one_system()["fair-group-fnmr-0"].gaps
    assert [plain_text(gap) for gap in gaps] == [
        "All but Gini coefficient: FMR 0.1: infinite: a class has no error.",
        f"{GAP}.",
    ]
    pointer = gaps[0][-1].pointer
    assert pointer is not None
    _, _, index, _, note = pointer.split("/")
    assert made[int(index)].notes[int(note)] == "FMR 0.1: infinite: a class has no error"


@pytest.mark.slow
def test_parts_stand_alone() -> None:
    """Only the ROC, only metrics, only uncertainty without a schema: each gives its own figures."""
    assert set(figures(rocs())) == {"bootstrap-0", "whole-0"}
    assert set(figures(fairness())) == {"fair-group-fnmr-0", "fair-group-fmr-0"}
    (alone,) = figures(uncertainty()[:1]).values()
    assert (alone.name, len(alone.panels)) == ("uncertain-0", 1)
    people_only = [*rocs()[3:4], rocs()[6]]
    assert "Left, these people" not in plain_text(figures(people_only)["whole-0"].caption)


def test_what_has_no_band_is_not_promised() -> None:
    """Without a bound anywhere no legend names a band, no caption counts misses, and empty figures do not stand."""
    nothing = (math.nan,) * len(X)
    bare = [
        replace(item, low=nothing, high=nothing) if item.low is not None else replace(item, notes=(GAP,))
        for item in rocs()
    ]
    unknown = [replace(item, y=nothing) for item in uncertainty()]
    found = figures([*bare, *unknown])
    assert set(found) == {"bootstrap-0"}
    assert [key.name for key in found["bootstrap-0"].keys] == [
        "empirical ROC",
        "V-statistic",
        "7 bootstrap curves of images",
    ]
    assert "targets" not in plain_text(found["bootstrap-0"].caption)
    assert [plain_text(gap) for gap in found["bootstrap-0"].gaps] == [f"{GAP}."]


@pytest.mark.usefixtures("no_ink")
def test_a_figure_without_a_band_points_at_the_reason() -> None:
    """The caption alone sends the reader to the note that says why there is no band; with bands no caption does."""
    nothing = (math.nan,) * len(X)
    bare = [
        replace(item, low=nothing, high=nothing) if item.low is not None else item
        for item in fairness()
        if item.rate == "fnmr"
    ]
    text = "No band is drawn; the note below says why."
    section = view(bare)
    assert section is not None
    assert "no band" not in plain_text(section.lead[0])
    assert text in plain_text(section.figures[0].caption)
    assert text not in "".join(plain_text(figure.caption) for figure in of_one_system().values())


@pytest.mark.usefixtures("no_ink")
def test_many_systems_are_cut_and_named() -> None:
    """Figures of four systems are drawn on the page; it says which are left out, and what writes them."""
    made = [replace(item, provider=f"s{n}") for n in range(MAX_SYSTEMS + 2) for item in rocs()]
    found = view(made)
    assert found is not None
    assert len(found.figures) == 2 * MAX_SYSTEMS
    assert [plain_text(text) for text in found.left_out] == [
        "Not drawn here: the curves of s4 and s5; frtaudit figures writes them."
    ]


def test_panels_of_one_quantity_have_one_scale() -> None:
    """Bundle and bands, the bands of both targets, the uncertainty of both rates."""
    assert not unequal(lambda: view(curves()))
