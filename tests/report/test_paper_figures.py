"""The report's figures for a paper."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from small_audits import audit, spec, whole

from frtaudit.analyses.densities import Densities
from frtaudit.analyses.tar_curves import TarCurves
from frtaudit.core import AuditResult
from frtaudit.core.spec import SchemaSpec
from frtaudit.errors import SpecError
from frtaudit.report.figure_choice import Choice
from frtaudit.report.figures.canvas import HUES, Drawing, ink, keeping, pen
from frtaudit.report.figures.curves import Dot, Series, det
from frtaudit.report.figures.curves import dots as row_dots
from frtaudit.report.figures.curves import keys as figure_keys
from frtaudit.report.figures.label_matrices import matrix
from frtaudit.report.figures.systems import overlaid
from frtaudit.report.paper_figures import (
    _break_words,
    _caption,
    _chosen,
    _filled,
    _place,
    _title,
    drawings,
    paper_figures,
    titles,
    write_figures,
)
from frtaudit.report.pieces import Figure, spans
from frtaudit.report.sections.tar_curves import build as tar_curves


@cache
def curves_alone() -> AuditResult:
    """The small audit's ROC and DET curves without the rest, which takes long to draw."""
    result = whole().result
    curves = tuple(item for item in result.curves if item.analysis in ("roc", "det"))
    return replace(result, estimates=(), findings=(), curves=curves)


@cache
def of_classes() -> AuditResult:
    """A small audit with figures by class."""
    return audit(
        spec(analyses={"densities": Densities(points=51), "tar_curves": TarCurves(points=11)})
    ).result


def test_every_panel_has_its_legend_and_its_caption() -> None:
    """Each panel of the report is a figure with the series' names below it; a caption and words say what it shows."""
    figures = paper_figures(whole().result)
    assert {"roc", "det"} <= set(figures)
    det = figures["det"]
    (legend,) = det.drawing.legends
    assert [text.get_text() for text in legend.get_texts()] == ["one", "two"]
    assert det.caption
    assert "one, two" in det.shows


def test_only_what_was_chosen_is_drawn() -> None:
    """One system alone, as wide as was asked, between the limits that were asked."""
    choice = Choice(systems=("two",), width=7.0, x=(0.04, 0.1))
    drawing = paper_figures(curves_alone(), choice)["det"].drawing
    assert [text.get_text() for text in drawing.legends[0].get_texts()] == ["two"]
    assert drawing.get_figwidth() == pytest.approx(7.0)
    assert drawing.axes[0].get_xlim() == pytest.approx((0.04, 0.1))


def test_a_metric_that_is_not_there_is_refused() -> None:
    """The names that the error offers are metrics; a curve without one adds none."""
    with pytest.raises(SpecError, match=r"^--metrics: the result has no 'fnm'; accepted: [a-z]"):
        paper_figures(whole().result, Choice(metrics=("fnm",)))


def test_a_system_keeps_its_colour() -> None:
    """The second of two systems has the same hue alone as beside the first."""
    both, alone = (
        paper_figures(curves_alone(), Choice(systems=names))["det"].drawing for names in ((), ("two",))
    )
    assert alone.axes[0].lines[0].get_color() == both.axes[0].lines[-1].get_color()
    assert alone.axes[0].lines[0].get_color() != both.axes[0].lines[0].get_color()


@cache
def judged_at(target: float) -> AuditResult:
    """The small audit's rates at targets, of which the requirements judge this one alone."""
    result = whole().result
    judged = [
        finding
        for finding in result.findings
        if finding.estimate is not None
        and result.estimates[int(finding.estimate.rsplit("/", 1)[1])].at.get("fmr") == target
    ]
    return replace(result, findings=tuple(judged), curves=())


@pytest.mark.parametrize(
    "choice",
    [
        Choice(systems=("two",)),
        Choice(classes=("y",)),
        Choice(metrics=("fmr", "fnmr_at_fmr")),
        Choice(metrics=("fmr",)),
    ],
)
def test_a_choice_leaves_the_operating_point(choice: Choice) -> None:
    """Rates by group are at the target that headlines the whole result, whatever part of it is drawn."""
    name = "fmr-group"
    whole_figure, part = (paper_figures(judged_at(0.1), of)[name] for of in (Choice(), choice))
    assert "overall FMR 10 %" in whole_figure.caption
    assert part.caption.split(".")[0] == whole_figure.caption.split(".")[0]


@cache
def labelled() -> AuditResult:
    """The small audit's densities by class, whose classes are printed otherwise than the result names them."""
    schema = SchemaSpec(column="group", classes=("x", "y"), labels=("Old & tall", "Why"))
    return audit(spec(analyses={"densities": Densities(points=51)}, schemas={"group": schema})).result


@pytest.mark.parametrize("name", ["x", "Old & tall"])
def test_a_class_is_named_by_its_key_or_as_it_is_printed(name: str) -> None:
    """Both choose the class."""
    drawing = paper_figures(labelled(), Choice(classes=(name,)))["score-density-group-one"].drawing
    (text,) = drawing.legends[0].get_texts()
    assert text.get_text().split() == ["Old", "&", "tall"]


def test_a_schema_alone() -> None:
    """Estimates, curves and required samples of one schema, and what is of none; another is refused."""
    result = of_classes()
    required = [{"schema": name} for name in ("group", "other")]
    sanitized = {"stages": [], "required": required}
    curves = (*result.curves, *(replace(curve, schema="other") for curve in result.curves if curve.schema))
    two = replace(result, curves=curves, cohort={**result.cohort, "sanitized": sanitized})
    chosen = _chosen(two, Choice(schemas=("other",)))
    assert {curve.schema for curve in chosen.curves} == {"other"}
    assert {estimate.schema for estimate in chosen.estimates} <= {None}
    assert chosen.cohort["sanitized"] == {"stages": [], "required": [{"schema": "other"}]}
    of_metric = _chosen(two, Choice(metrics=(two.estimates[0].metric,)))
    assert of_metric.cohort["sanitized"] == {"stages": [], "required": []}
    assert _chosen(result, Choice(schemas=("group",))).cohort == result.cohort
    with pytest.raises(SpecError, match="^--schemas: the result has no 'age'; accepted: group, other$"):
        _chosen(two, Choice(schemas=("age",)))


def test_every_system_has_its_figures() -> None:
    """Also those whose curves the report's page leaves out."""
    result = of_classes()
    first = [curve for curve in result.curves if curve.provider == "one"]
    names = [f"s{number}" for number in range(5)]
    curves = tuple(replace(curve, provider=name) for name in names for curve in first)
    figures = paper_figures(replace(result, findings=(), curves=curves), builds=[tar_curves])
    assert {figure.title.partition(":")[0] for figure in figures.values()} == set(names)


@pytest.mark.parametrize(
    "name",
    [
        "score-density-group-one",
        "tar-at-threshold-population-group-one",
        "threshold-at-tar-group-one",
    ],
)
def test_a_class_keeps_its_colour(name: str) -> None:
    """The second of two classes has the same hue alone as beside the first."""
    result = whole().result if name == "threshold-at-tar-group-one" else of_classes()
    both, alone = (
        paper_figures(result, Choice(names=(name,), classes=classes))[name].drawing
        for classes in ((), ("y",))
    )
    hues = [{line.get_color() for line in drawing.axes[0].lines} for drawing in (both, alone)]
    assert pen(1).hue in hues[0]
    assert hues[1] == {pen(1).hue}
    assert [text.get_text() for text in alone.legends[0].get_texts()] == ["y"]


def test_a_legend_is_as_wide_as_its_figure_at_most() -> None:
    """Long names stand below one another in a column's width."""
    result = curves_alone()
    (curve, *_) = [item for item in result.curves if item.metric == "det" or item.analysis == "det"]
    names = [f"{number}_" + "a_name_as_long_as_some_are" for number in range(4)]
    result = replace(result, curves=tuple(replace(curve, provider=name) for name in names))
    drawing = paper_figures(result)["det"].drawing
    extent = drawing.legends[0].get_window_extent()
    assert extent.x0 >= 0
    assert extent.x1 <= drawing.bbox.width


def test_a_legend_takes_no_room_from_its_axes() -> None:
    """Names longer than a column are broken, all within the figure, which grows: the axes stay as high as with one."""
    result = curves_alone()
    (curve, *_) = [item for item in result.curves if item.analysis == "det" or item.metric == "det"]
    heights = []
    for count in (1, 5):
        names = [
            f"{number} is named by many words, more of them than a column is wide" for number in range(count)
        ]
        named = replace(result, curves=tuple(replace(curve, provider=name) for name in names))
        drawing = paper_figures(named)["det"].drawing
        with ink():
            drawing.draw_without_rendering()
        extent = drawing.legends[0].get_window_extent()
        assert extent.x0 >= 0
        assert extent.x1 <= drawing.bbox.width
        assert "\n" in drawing.legends[0].get_texts()[0].get_text()
        heights.append(drawing.axes[0].get_window_extent().height / drawing.dpi)
    assert heights[1] == pytest.approx(heights[0], abs=0.05)
    assert heights[1] > 1.5


def test_titles_and_names_of_axes_stay_within_their_figure() -> None:
    """What is longer than its figure has room for is written in two lines, the rest is not."""
    drawing = Drawing(figsize=(3.35, 1.0), layout="constrained")
    axes = drawing.add_subplot(xlabel="a short name", ylabel="a name that is longer than that")
    title = "a title of more words than a column has room for"
    with ink():
        axes.set_title(title, loc="left")
        _break_words(drawing)
    assert axes.get_ylabel() == "a name that is\nlonger than that"
    assert axes.get_title("left") == "a title of more words than\na column has room for"
    assert axes.get_xlabel() == "a short name"
    with ink():
        axes.set_title("some_system: a title of more words than that", loc="left")
        _break_words(drawing)
    assert axes.get_title("left") == "some_system:\na title of more words than that"


def test_a_chosen_axis_has_three_ticks_at_least() -> None:
    """Between limits that hold one decade the ticks are at 2 and 5 as well."""
    axes = paper_figures(curves_alone(), Choice(x=(0.004, 0.06)))["det"].drawing.axes[0]
    ticks = [tick for tick in axes.get_xticks() if 0.004 <= tick <= 0.06]
    assert ticks == pytest.approx([0.005, 0.01, 0.02, 0.05])


def test_systems_have_colour_and_marker_and_no_dashes() -> None:
    """Dashes are of splits: the lines of every system are solid, and so are their samples in the legend."""
    drawn = paper_figures(curves_alone())
    systems = dict.fromkeys(curve.provider for curve in curves_alone().curves)
    assert len(systems) > 1
    for name in ("roc", "det"):
        (axes,) = drawn[name].drawing.axes
        lines = [
            (line.get_color(), line.get_linestyle()) for line in axes.lines if line.get_linestyle() != "None"
        ]
        assert lines == [(hue, "-") for hue in HUES[: len(systems)]]


def test_a_legend_shows_markers_and_what_its_panel_draws() -> None:
    """A sample has a line and a marker; a panel that names some of the legend has these alone."""

    def make() -> list[Figure]:
        curve = curves_alone().curves[0]
        series = [Series(name=name, index=place, curve=curve) for place, name in enumerate(("one", "two"))]
        keys = figure_keys("f", [(0, "one"), (1, "two"), (2, "three")])
        panels = [
            replace(det(name, series), names=names) for name, names in (("a", None), ("b", ("one", "two")))
        ]
        return [
            Figure(name="f", title="t", caption=spans("Left: a. Right: b."), panels=tuple(panels), keys=keys)
        ]

    made = drawings(make)
    names = [[text.get_text() for text in item.drawing.legends[0].get_texts()] for item in made.values()]
    assert names == [["one", "two", "three"], ["one", "two"]]
    with keeping() as kept:
        keys = figure_keys("f", [(1, "two")])
        line, mark = kept[keys[0].svg][1].axes[0].lines
    assert (line.get_linestyle(), mark.get_linestyle(), mark.get_marker()) == ("-", "None", "s")
    assert [item.caption for item in made.values()] == [
        f"Left: a. Right: b. This is the panel on the {side}." for side in ("left", "right")
    ]


def test_a_title_names_the_system_of_a_figure() -> None:
    """A figure of one system names it, and no two have one title; a title that says as much has nothing added."""
    titles = {name: figure.title for name, figure in paper_figures(of_classes()).items()}
    assert titles["score-density-group-one"] == "Densities of mated scores by group: one"
    assert titles["score-density-group-two"] == "Densities of mated scores by group: two"
    assert titles["tar-at-threshold-population-group-two"].startswith(
        "two: thresholds and TAR by group: TAR by "
    )
    assert len(set(titles.values())) == len(titles)


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("", "Accuracy of the folds"),
        ("Accuracy of the folds", "Accuracy of the folds"),
        ("The folds", "Accuracy of the folds"),
        ("old", "Accuracy of the folds: old"),
        ("\u2068\u05d0\u05d1\u2069", "Accuracy of the folds: \u05d0\u05d1"),
    ],
)
def test_a_title_is_said_once(heading: str, title: str) -> None:
    """A panel's title is added unless the figure's has it word for word; marks of direction are left out."""
    assert _title("Accuracy of the folds", heading) == title


@pytest.mark.parametrize(
    "choice", [Choice(), Choice(systems=("two",), names=("det",))], ids=["all", "chosen"]
)
def test_titles_are_listed_without_drawings(choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those of the figures, in their order, and no axes are made."""
    result = whole().result
    drawn = {name: figure.title for name, figure in paper_figures(result, choice).items()}
    monkeypatch.setattr(Drawing, "__init__", lambda *_, **__: pytest.fail("something was drawn"))
    listed = titles(result, choice)
    assert listed == drawn
    assert [*listed] == [*drawn]


def test_what_is_not_there_is_not_listed() -> None:
    """An unknown name ends with those that there are, as it does where figures are drawn."""
    with pytest.raises(SpecError, match="found 'no'"):
        titles(curves_alone(), Choice(names=("no",)))


def test_a_caption_of_several_panels_says_which_one_this_is() -> None:
    """Rows of two where panels are a column wide, otherwise a number; nothing where there is one."""
    narrow, wide = Drawing(figsize=(3.35, 2.0)), Drawing(figsize=(5.0, 2.0))
    assert _place(0, [narrow]) == ""
    assert _place(1, [narrow] * 2) == " This is the panel on the right."
    assert _place(2, [narrow] * 4) == " This is the panel on the left, row 2."
    assert _place(1, [wide] * 3) == " This is panel 2 of 3."


def test_a_caption_stands_alone() -> None:
    """A panel of curves by class says what it shows and what its band is, and points at no panel beside it."""
    figures = paper_figures(of_classes(), builds=[tar_curves])
    captions = {name: figure.caption for name, figure in figures.items()}
    assert not [
        text
        for text in captions.values()
        if re.search(r"\b(left|right|top|bottom|panel)\b", text, re.IGNORECASE)
    ]
    assert "for the population, level 95 %" in captions["tar-at-threshold-population-group-one"]
    assert "for the population" not in captions["tar-at-threshold-comparisons-iid-group-one"]
    assert "above 0 has the higher TAR" in captions["tar-excess-comparisons-iid-group-one"]


def test_a_caption_has_the_gaps_and_the_size_of_the_cohort() -> None:
    """Figure's caption, place and gaps in one text, or the panel's own; the cohort's size at the end."""
    figure = Figure(
        name="figure",
        title="Title",
        caption=spans("Left: one. "),
        panels=(),
        gaps=(spans("No band."),),
        alone={"one": spans("One.")},
    )
    assert _caption(figure, "one", " This is the panel on the left.") == "One."
    assert (
        _caption(figure, "two", " This is the panel on the right.")
        == "Left: one. This is the panel on the right. No band."
    )
    assert _caption(figure, "two", "") == "Left: one. No band."
    of_all = replace(figure, caption=spans("Zeros are left out, or at the left edge."))
    assert (
        _caption(of_all, "two", " This is the panel on the right.")
        == "Zeros are left out, or at the left edge. No band."
    )
    cohort = curves_alone().cohort
    (det,) = paper_figures(curves_alone(), Choice(names=("det",))).values()
    assert det.caption.endswith(f" Cohort: {cohort['subjects']} subjects, {cohort['samples']} samples.")
    unknown = replace(curves_alone(), cohort={**cohort, "subjects": None})
    assert "Cohort" not in paper_figures(unknown, Choice(names=("det",)))["det"].caption


def test_a_legend_fills_its_rows() -> None:
    """Seven names have two rows of four and three, not of six and one."""
    assert [_filled(names, 6) for names in (1, 6, 7, 12, 13)] == [1, 6, 4, 6, 5]


def test_thirteen_systems_are_thirteen() -> None:
    """More systems than colours: panels of five on the same axes, and no two systems look alike."""
    result = curves_alone()
    (curve, *_) = [item for item in result.curves if item.analysis == "det" or item.metric == "det"]
    result = replace(result, curves=tuple(replace(curve, provider=f"s{number}") for number in range(13)))
    figures = paper_figures(result)
    dets = [figures[name].drawing.axes[0] for name in [f"det-part-{number}-of-3" for number in (1, 2, 3)]]
    assert len({axes.get_xlim() + axes.get_ylim() for axes in dets}) == 1
    looks = {(pen(number).hue, pen(number).marker) for number in range(13)}
    assert len(looks) == 13
    captions = {
        name + number: figures[name + number].caption
        for name in ("roc", "det")
        for number in ("-part-1-of-3", "-part-2-of-3", "-part-3-of-3")
    }
    assert "Higher is better" in captions["roc-part-1-of-3"]
    assert "Lower is better" in captions["det-part-1-of-3"]
    assert not [text for text in captions.values() if "right" in text.lower() or "panel" in text]


def test_axes_of_one_quantity_are_shared() -> None:
    """Panels get the same limits where they show the same quantity on the same scale, and lose nothing of theirs."""
    names = ("a", "b")
    curves = [item for item in whole().result.curves if item.analysis == "det" and item.group == "all"]

    def make() -> list[Figure]:
        panels = [
            overlaid(name, "t", [Series(name=name, index=0, curve=curve)], "FNMR", rates=True)
            for name, curve in zip(names, curves, strict=True)
        ]
        return [
            Figure(name=name, title="t", caption=(), panels=(panel,), keys=())
            for name, panel in zip(names, panels, strict=True)
        ]

    alone, shared = (drawings(make, Choice(shared=on)) for on in (False, True))
    (span,) = {shared[name].drawing.axes[0].get_ylim() for name in names}
    spans = [alone[name].drawing.axes[0].get_ylim() for name in names]
    assert spans[0] != spans[1]
    assert span == (min(low for low, _ in spans), max(high for _, high in spans))


def of_rows() -> list[Figure]:
    """Two panels with a row for each system, of one system and of three, and two matrices of unequal size."""
    rows = [[f"s{place}" for place in range(count)] for count in (1, 3)]
    panels = [
        row_dots(f"rows-{len(names)}", "t", names, dots_of(names), "FNMR")
        if kind == "rows"
        else matrix(f"matrix-{len(names)}", "t", square(len(names)))
        for kind in ("rows", "matrix")
        for names in rows
    ]
    return [Figure(name="f", title="t", caption=spans("c"), panels=tuple(panels))]


def dots_of(rows: list[str]) -> list[Dot]:
    """A dot in each row."""
    return [Dot(row=row, series=row, index=0, value=0.1) for row in rows]


def square(side: int) -> Series:
    """Confidences of so many faces with each other."""
    row = (0.5,) * side
    curve = replace(curves_alone().curves[0], x=row, y=row, low=None, high=None, replicates=(row,) * side)
    return Series(name="m", index=0, curve=curve)


@pytest.mark.parametrize("choice", [Choice(shared=True), Choice(y=(0.0, 1.0))], ids=["shared", "limits"])
def test_no_row_is_dropped(choice: Choice) -> None:
    """An axis with a row for each system keeps all of them, whatever limits the others get."""
    plain, limited = (drawings(of_rows, of) for of in (Choice(), choice))
    for name in ("rows-1", "rows-3"):
        ends = [figures[name].drawing.axes[0].get_ylim() for figures in (plain, limited)]
        assert ends[0] == ends[1]


def test_an_axis_keeps_its_direction() -> None:
    """Axes that fall downwards are shared as far as the longest, and still fall."""
    shared = drawings(of_rows, Choice(shared=True))
    assert [shared[f"matrix-{count}"].drawing.axes[0].get_ylim() for count in (1, 3)] == [(3, 0)] * 2


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Choice(systems=("three",)), "--systems: the result has no 'three'; accepted: one, two"),
        (Choice(classes=("z",)), "--classes: the result has no 'z'; accepted: x, y"),
        (Choice(metrics=("fnr",)), "--metrics: the result has no 'fnr'; accepted: "),
        (
            Choice(names=("roc",), x=(-1, 0)),
            "--xlim: -1 on the logarithmic axis 'FMR'; accepted: limits above 0",
        ),
    ],
)
def test_what_the_result_lacks_is_one_line(choice: Choice, said: str) -> None:
    """An unknown system, class or metric is named with those that there are; limits that an axis cannot have."""
    with pytest.raises(SpecError, match=r"^" + said.replace("(", r"\(")):
        paper_figures(whole().result, choice)


def test_an_unknown_figure_is_one_line() -> None:
    """An unknown name is refused with the names that there are."""
    with pytest.raises(SpecError, match=r"figure: found 'dte' \(did you mean 'det'\?\); accepted: roc, det"):
        paper_figures(curves_alone(), Choice(names=("det", "dte")))


def test_files_of_a_figure(tmp_path: Path) -> None:
    """SVG, PDF, PNG and the words; without a date, so that writing again gives the same bytes."""
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        figures = paper_figures(curves_alone(), Choice(names=("det",)))
        write_figures(figures.values(), ("svg", "pdf", "png"), folder)
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert set(files) == {"det.svg", "det.pdf", "det.png", "det.txt"}
    assert files["det.pdf"].startswith(b"%PDF")
    assert not re.search(rb"/Type3|/FontDescriptor", files["det.pdf"])  # its text is outlines, as in SVG
    assert files["det.png"].startswith(b"\x89PNG")
    assert figures["det"].title in files["det.txt"].decode()
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}


def test_marks_that_nobody_sees_are_written_out(tmp_path: Path) -> None:
    """A system's name with control characters and marks of no width: SVG is XML, PDF is written, words are plain."""
    curves = tuple(
        replace(item, provider="_\x1b[2J\ufeff\u202e$x") if item.provider == "one" else item
        for item in curves_alone().curves
    )
    figures = paper_figures(replace(curves_alone(), curves=curves), Choice(names=("det",)))
    assert figures["det"].drawing.legends[0].get_texts()[0].get_text() == r"_\x1b[2J\ufeff\u202e$x"
    write_figures(figures.values(), ("svg", "pdf"), tmp_path)
    ET.parse(tmp_path / "det.svg")
    assert not {"\x1b", "\ufeff", "\u202e"} & set((tmp_path / "det.txt").read_text("utf-8"))


def test_a_drawing_says_which_system_it_is_of() -> None:
    """Its heading begins with it, as a paper has one such drawing for each of thirteen systems."""
    figures = paper_figures(of_classes(), builds=[tar_curves])
    headings = {name: figure.drawing.axes[0].get_title("left") for name, figure in figures.items()}
    assert headings["tar-at-threshold-population-group-two"].startswith("two: TAR by threshold")
    assert headings["threshold-at-tar-population-group-one"].startswith("one: Threshold by TAR")
    assert all(heading.startswith(("one: ", "two: ")) for heading in headings.values())
    density = paper_figures(of_classes())["score-density-group-two"].drawing
    assert density.axes[0].get_title("left") == "two"


@pytest.mark.parametrize(("width", "least"), [(3.35, 1.7), (7.0, 2.8)])
def test_curves_have_room_in_a_paper(width: float, least: float) -> None:
    """Also those that share a page of the report with many: bands of six classes cannot be distinguished in an inch."""
    choice = Choice(names=("tar-excess-population-group-one",), width=width)
    (figure,) = paper_figures(of_classes(), choice, [tar_curves]).values()
    with ink():
        figure.drawing.draw_without_rendering()
    assert figure.drawing.axes[0].get_window_extent().height / figure.drawing.dpi >= least
