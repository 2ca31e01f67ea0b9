"""The section on curves by class, from a real small audit."""

from dataclasses import replace
from functools import cache

import pytest
from small_audits import audit, spec

from frtaudit.analyses.tar_curves import TarCurves
from frtaudit.core.spec import SchemaSpec
from frtaudit.report.figures import canvas
from frtaudit.report.pieces import plain_text
from frtaudit.report.section import View
from frtaudit.report.sections import tar_curves
from frtaudit.report.sections.tar_curves import MAX_SYSTEMS, build
from frtaudit.report.source import Source


@cache
def view() -> View:
    """The section of the small audit, with a super-class for each class."""
    schema = SchemaSpec(
        column="group", classes=("x", "y"), labels=("Ex", "Why"), super_classes={"up": ("x",), "down": ("y",)}
    )
    made = spec(analyses={"tar_curves": TarCurves(points=11)}, schemas={"group": schema})
    found = build(Source(audit(made).result))
    assert found is not None
    return found


def test_it_stands_only_where_the_analysis_ran() -> None:
    """Without its curves there is no section."""
    assert build(Source(audit(spec()).result)) is None


@pytest.mark.slow
def test_both_orientations_both_bands_and_super_classes() -> None:
    """Two kinds with two bands each, differences, a panel for each super-class; for each system."""
    panels = {item.name: len(item.panels) for item in view().figures}
    assert panels == {
        "curves-group-0": 4, "excess-group-0": 4, "super-group-0": 8,
        "curves-group-1": 4, "excess-group-1": 4, "super-group-1": 8,
    }  # fmt: skip
    alts = [panel.alt for item in view().figures[:1] for panel in item.panels]
    assert alts == [
        "Threshold by TAR (independent), for Ex, Why, overall.",
        "Threshold by TAR (population), for Ex, Why, overall.",
        "TAR by threshold (independent), for Ex, Why, overall.",
        "TAR by threshold (population), for Ex, Why, overall.",
    ]
    within = [panel.alt.partition(",")[0] for panel in view().figures[2].panels[:2]]
    assert [text.rpartition("(")[2] for text in within] == ["independent)", "population)"]
    titles = [panel.alt.partition(", for ")[0] for figure in view().figures for panel in figure.panels]
    assert max(map(len, titles)) <= 52  # letters of a heading: more would leave the panel
    apart = view().figures[1]
    assert [panel.alt.partition(",")[0] for panel in apart.panels[:2]] == ["Threshold", "Threshold"]
    assert (
        "Bands, left: for comparisons treated as independent (Peña-Alcántara 2022), level 90 %; right: for the "
        "population" in plain_text(apart.caption)
    )


def test_the_table_of_consequences() -> None:
    """A row for each class whose TAR is set, a cell for each class, with both intervals."""
    (table,) = view().tables
    assert [column.title for column in table.columns] == ["Threshold set for", "threshold", "Ex", "Why"]
    assert "a TAR of 80 %" in plain_text(table.caption)
    row = table.blocks[0].rows[0]
    assert plain_text(row[0]) == "Ex"
    assert plain_text(row[3]).count("\u00a0to\u00a0") == 2
    assert (
        sum(piece.kind == "br" for piece in row[3]) == 1
    )  # the first of two classes' intervals stands beside it
    assert "; beside it the interval for the population of the test subjects, below for " in plain_text(
        table.caption
    )
    assert table.notes[0][1][0].text.startswith("By construction") or len(table.notes) == 2


def test_intervals_of_many_classes_stand_below_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate and two intervals are three lines where a line has no room for two of them."""
    monkeypatch.setattr(tar_curves, "BESIDE", 1)
    (table,) = view.__wrapped__().tables  # not the cached one
    assert sum(piece.kind == "br" for piece in table.blocks[0].rows[0][3]) == 2
    assert "; below it the interval for the population of the test subjects and for " in plain_text(
        table.caption
    )


def test_figures_in_the_annex_are_named() -> None:
    """One sentence says of which systems, by which schemas."""
    (said,) = view().left_out
    assert plain_text(said) == "The annex has the further curves of one and two, by group."


@pytest.mark.usefixtures("no_ink")
def test_of_many_systems_each_has_its_curves_and_the_first_has_all() -> None:
    """The page says whose differences it does not draw, and what writes them; for a paper all are drawn."""
    schema = SchemaSpec(column="group", classes=("x", "y"), super_classes={"up": ("x",), "down": ("y",)})
    result = audit(spec(analyses={"tar_curves": TarCurves(points=11)}, schemas={"group": schema})).result
    curves = [curve for curve in result.curves if curve.provider == "one"]
    estimates = [estimate for estimate in result.estimates if estimate.provider == "one"]
    names = [f"s{number}" for number in range(MAX_SYSTEMS + 1)]
    many = replace(
        result,
        findings=(),
        curves=tuple(replace(curve, provider=name) for name in names for curve in curves),
        estimates=tuple(replace(estimate, provider=name) for name in names for estimate in estimates),
    )
    found, every = build(Source(many)), build(Source(many, every_figure=True))
    assert found is not None
    assert every is not None
    assert [figure.name for figure in found.figures] == [
        "curves-group-0", "excess-group-0", "super-group-0", "curves-group-1", "curves-group-2", "curves-group-3",
    ]  # fmt: skip
    assert plain_text(found.left_out[-1]) == (
        "Not drawn here: the differences between classes of s1, s2 and s3; frtaudit figures writes them."
    )
    assert len(every.figures) == 3 * len(names)


def test_figures_of_systems_have_one_scale_and_say_where_bands_hide(ink: None) -> None:
    """Panels of one kind have the same limits for every system; bands have edges of their own."""
    schema = SchemaSpec(column="group", classes=("x", "y"), labels=("Ex", "Why"))
    audited = audit(spec(analyses={"tar_curves": TarCurves(points=11)}, schemas={"group": schema})).result
    with canvas.keeping() as registry:
        found = build(Source(audited))
    assert found is not None
    for kind in ("curves", "excess"):
        pair = [figure for figure in found.figures if figure.name.startswith(kind)]
        assert len(pair) == 2
        for panels in zip(*(figure.panels for figure in pair), strict=True):
            first, second = (registry[panel.svg][1].axes[0] for panel in panels)
            assert (first.get_xlim(), first.get_ylim()) == (second.get_xlim(), second.get_ylim())
            assert all(band.get_linewidth()[0] > 0 for band in first.collections)
    assert "a band narrower than its line is hidden by it" in plain_text(found.figures[0].caption)
