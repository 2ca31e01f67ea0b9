"""Tests also label_query_drawings."""

from dataclasses import replace

from one_scale import unequal
from rapid_audits import result

from frtaudit.report.figures import canvas
from frtaudit.report.figures.curves import Dot
from frtaudit.report.pieces import plain_text
from frtaudit.report.sections import label_drawings
from frtaudit.report.source import Source


def test_captions_of_curves_say_that_rates_are_pooled() -> None:
    """Tables beside them may weight each subject equally."""
    curves = ("labels-det-services", "labels-bands", "labels-det", "labels-group-group", "labels-scores")
    captions = {figure.name: plain_text(figure.caption) for figure in label_drawings.drawn(Source(result()))}
    assert all(captions[name].endswith(" Pooled over comparisons.") for name in curves)


def test_each_service_has_a_letter() -> None:
    """By place, each its own."""
    assert label_drawings.letters(Source(result())) == {"acme": "A", "bolt": "B", "crest": "C"}


def test_services_have_one_scale() -> None:
    """Curves and shares of all services lie on the same axes; not scores, nor faces of a query."""
    free = ("score", "threshold", "face", "face, by falling z", "z, eigenvectors", "estimated")
    assert not unequal(lambda: label_drawings.drawn(Source(result())), free)


def test_scores_and_thresholds_of_a_service_have_one_scale() -> None:
    """A threshold stands below the scores that it divides."""
    with canvas.keeping() as registry:
        label_drawings.drawn(Source(result()))
    axes = {name: drawing.axes[0] for name, drawing in registry.values()}
    for service in Source(result()).providers:
        assert axes[f"labels-scores-{service}"].get_xlim() == axes[f"labels-rates-{service}"].get_xlim()


def test_no_two_services_of_a_figure_of_equal_error_rates_look_alike() -> None:
    """More services than colours: figures of a few that say which, on the same axes, with the shapes of all groups."""
    records = [entry for entry in result().estimates if entry.metric == "eer_by_labels"]
    alike = [entry for entry in records if entry.provider == records[0].provider]
    names = [f"s{number}" for number in range(10)]
    many = tuple(replace(entry, provider=name) for name in names for entry in alike)
    source = Source(replace(result(), estimates=many, curves=(), findings=()), named=tuple(names))
    with canvas.keeping() as registry:
        figures = list(label_drawings._equal_error(source))
    assert [figure.name for figure in figures] == [f"labels-eer-group-part-{part}-of-2" for part in (1, 2)]
    assert figures[1].title.endswith("estimated against annotated, s5, s6, s7, s8 and s9")
    keys = [[key.name for key in figure.keys] for figure in figures]
    assert keys[0][:5] + keys[1][:5] == names
    assert keys[0][5:] == keys[1][5:]
    axes = [registry[figure.panels[0].svg][1].axes[0] for figure in figures]
    assert [axes[0].get_xlabel(), axes[0].get_ylabel()] == [
        "EER by annotated labels",
        "EER by estimated labels",
    ]
    assert axes[0].get_xlim() == axes[1].get_xlim()
    for drawing in axes:
        assert len({line.get_color() for line in drawing.lines[1:]}) == 5


def test_no_two_groups_of_a_figure_of_equal_error_rates_look_alike() -> None:
    """More groups than shapes: figures of a few that say which, on the same axes, each with a shape of its own."""
    names = [f"class {letter}" for letter in "abcdefghi"]
    pairs = [(Dot(row=name, series="s", index=0, value=0.1), 0.2) for name in names]
    with canvas.keeping() as registry:
        figures = list(label_drawings._equal_error_figures("group", pairs))
    assert [figure.name for figure in figures] == [f"labels-eer-group-part-{part}-of-2" for part in (1, 2)]
    assert [figure.title.rpartition("annotated, ")[2] for figure in figures] == [
        "class a to class e",
        "class f to class i",
    ]
    assert [[key.name for key in figure.keys[1:]] for figure in figures] == [names[:5], names[5:]]
    axes = [registry[figure.panels[0].svg][1].axes[0] for figure in figures]
    assert axes[0].get_xlim() == axes[1].get_xlim()
    assert [len({line.get_marker() for line in drawing.lines[1:]}) for drawing in axes] == [5, 4]
