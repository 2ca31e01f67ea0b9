from dataclasses import replace

from rapid_audits import result

from frtaudit.report.figures import canvas, labels
from frtaudit.report.figures.curves import Dot, Series


def series(kind: str) -> Series:
    """The first curve of a kind."""
    curve = next(item for item in result().curves if item.analysis == kind)
    return Series(name="used", index=0, curve=curve)


def test_dots_say_how_many_queries_they_are() -> None:
    """The words beside the drawing count them."""
    found = labels.scattered("dots", "Right faces", [series("label_counts")], shares=False)
    assert "queries" in found.alt
    assert found.svg.startswith("<svg")


def test_annotated_curves_are_thick_and_pale_under_thin_ones() -> None:
    """Two strokes of one hue: one wide and see-through, one thin."""
    one = series("labels_det")
    both = labels.det("both", "All", [one], thin=[one]).svg
    alone = labels.det("both", "All", [one]).svg
    assert both.count('stroke-width="2.4"') > alone.count('stroke-width="2.4"')
    assert labels.THICK < 3 * labels.THIN  # wider lines of several services would hide one another
    assert "acme" not in both
    assert "FNMR over FMR of used" in both


def test_a_subset_that_a_service_is_not_in_stays_blank() -> None:
    """Two cells with a number, two without."""
    found = labels.subsets("cells", "Change", ["a", "b"], ["ABC", "ABD"], [[0.01, None], [None, 0.02]], 0.03)
    assert found.alt == "Change: of 2 services under labels of 2 subsets; the largest is 2 points."


def test_changes_of_several_targets_have_one_scale_of_colours() -> None:
    """The darkest colour stands for the change that is given, not for the largest of a panel."""
    with canvas.keeping() as registry:
        labels.subsets("cells", "Change", ["a"], ["ABC"], [[0.01]], 0.03)
    ((_, drawing),) = registry.values()
    assert drawing.axes[0].collections[0].get_clim() == (0.0, 0.03)


def test_scores_rates_sizes_and_shares_are_drawn_and_told() -> None:
    """Each panel says in words what it shows."""
    clusters, rates, sizes, shares = (
        series(kind) for kind in ("labels_scores", "labels_rates", "label_sizes", "label_shares")
    )
    assert "histogram of scores" in labels.score_histograms("h", "acme", [clusters], outline=[clusters]).alt
    assert "over the threshold" in labels.rates("r", "acme", [rates], [rates]).alt
    assert "24 queries of 14 to 20 faces" in labels.sizes("s", "Faces", sizes).alt
    assert "used: median" in labels.boxes("b", "Right faces", [shares]).alt
    count = replace(sizes, curve=replace(sizes.curve, x=(32.0, 64.0), y=(3.0, 9.0)))
    assert "12 faces, most often from 64 pixels" in labels.face_sizes("f", "Sizes", [count]).alt
    one = replace(sizes, curve=replace(sizes.curve, x=(32.0,), y=(3.0,)))
    assert "3 faces, most often from 32 pixels" in labels.face_sizes("f", "Sizes", [one]).alt


def test_one_rate_against_another_is_read_out() -> None:
    """The words name the class and both values."""
    dot = Dot(row="amber", series="acme", index=0, value=0.02)
    found = labels.equal_errors("p", "EER", [(dot, 0.01)], [dot.row], [(dot, 0.01)])
    assert "acme, amber: 2.00 % and 1.00 %" in found.alt
