"""The section on groups: figures of many systems."""

from dataclasses import replace
from functools import cache

import pytest
from one_scale import unequal
from report_fixture import SYSTEMS, by_class, overall, result

from frtaudit.core import AuditResult
from frtaudit.report.figures import canvas
from frtaudit.report.paper_figures import paper_figures
from frtaudit.report.pieces import Figure, plain_text
from frtaudit.report.sections import groups
from frtaudit.report.source import Source


@cache
def of_six() -> AuditResult:
    """Rates of groups of six systems, four alike in one figure and two in another."""
    first, second = SYSTEMS
    kinds = (first, first, first, first, second, second)
    estimates = [
        replace(item, provider=f"s{place}")
        for place, kind in enumerate(kinds)
        for item in (*overall(kind), *by_class(kind))
    ]
    return replace(result(), estimates=tuple(estimates), findings=(), curves=())


def figures(of: AuditResult) -> tuple[Figure, ...]:
    """The figures of its one schema."""
    view = groups.build(Source(of))
    assert view is not None
    return view[0].figures


def test_a_figure_of_some_systems_names_them_and_has_a_short_caption() -> None:
    """No two figures have one title; how they are read is said once, the marks of each beside it."""
    first, second = figures(of_six())
    assert first.title == "Error rates by group at FMR 0.1 %, s0, s1, s2 and s3"
    assert second.title == "Error rates by group at FMR 0.1 %, s4 and s5"
    zero = " A hollow mark at the left edge: a rate of 0."  # of the first four alone
    assert plain_text(second.caption) == "Explanation as for the figure above."
    assert zero in plain_text(first.caption)
    assert "overall FMR 0.1 %" in plain_text(first.caption)
    whole = groups.build(Source(of_six(), every_figure=True))
    assert whole is not None
    of_files = [plain_text(figure.caption) for figure in whole[0].figures]
    assert of_files == [plain_text(first.caption), plain_text(first.caption).replace(zero, "")]
    (alone,) = figures(result())
    assert alone.title == "Error rates by group at FMR 0.1 %"


def test_the_files_of_figures_say_the_same() -> None:
    """Titles and captions of a paper's figures name their systems too."""
    drawn = paper_figures(of_six(), builds=(groups.build,))
    assert (
        drawn["fmr-group-part-2-of-2"].title
        == "Error rates by group at FMR 0.1 %, s4 and s5: FMR within the group"
    )
    captions = "".join(figure.caption for figure in drawn.values())
    assert "Overlap does not show that groups are equal." in captions
    assert not [words for words in ("As above", "table", "test below") if words in captions]


def test_figures_of_all_systems_have_one_scale() -> None:
    """A rate has the same axis in every figure, and its zeros lie on the edge of it."""
    with canvas.keeping() as registry:
        drawn = figures(of_six())
    for metric in ("fmr", "fnmr"):
        axes = [drawing.axes[0] for name, drawing in registry.values() if name.startswith(f"{metric}-group-")]
        assert len(axes) == len(drawn) == 2
        assert len({each.get_xlim() for each in axes}) == 1
    assert not unequal(lambda: figures(of_six()))


def test_the_caption_names_marks_at_the_left_edge_where_they_are_drawn() -> None:
    """A hollow dot for a rate of 0, an arrow for a bar that goes on: each only where a group has one."""
    made = result()

    def caption(value: float, low: float) -> str:
        estimates = tuple(
            replace(
                item,
                value=value if item.group == "amber" else 0.3,
                intervals=tuple(replace(one, low=low, high=0.4) for one in item.intervals),
            )
            if item.group in ("amber", "birch", "cedar") and item.metric in ("fmr", "fnmr_at_fmr")
            else item
            for item in made.estimates
        )
        (figure,) = figures(replace(made, estimates=estimates))
        return plain_text(figure.caption)

    zero, arrow = "a hollow mark at the left edge: a rate of 0", "an arrow: the bar goes on beyond the axis"
    assert f"the population. {zero.capitalize()}. Subjects" in caption(0.0, 0.0)
    assert f"the population. {arrow.capitalize()}. Subjects" in caption(0.2, 1e-4)
    assert f"the population. {zero.capitalize()}; {arrow}. Subjects" in caption(0.0, 1e-4)
    assert "bars: intervals for the population. Subjects" in caption(0.2, 0.1)


@pytest.mark.parametrize("several", [False, True])
def test_notes_on_rates_without_an_error_are_one_where_they_are_many(*, several: bool) -> None:
    """More than two that differ in their numbers alone become one with the smallest and the largest of each."""
    text = "no error: Wilson's upper bound is {} % for independent comparisons, {} % for {} subjects alone"
    texts = [text.format(*numbers) for numbers in ((0.67, 3.85, 96), (1.19, 6.76, 53), (1.2, 10.1, 8))]
    notes = iter(texts if several else texts[:2])
    estimates = [
        replace(item, intervals=tuple(replace(one, note=next(notes, None)) for one in item.intervals[:1]))
        if (item.metric, item.weighting, dict(item.at)) == ("fmr", "identity", {"fmr": 0.001}) and item.schema
        else item
        for item in result().estimates
    ]
    view = groups.build(Source(replace(result(), estimates=tuple(estimates))))
    assert view is not None
    said = [plain_text(note) for _, note in view[0].main[0].notes]
    printed = [note for note in said if note.startswith("No error")]
    one = text.format("0.67 % to 1.2", "3.85 % to 10.1", "8 to 96")
    assert printed == [f"{note[:1].upper()}{note[1:]}." for note in ([one] if several else texts[:2])]


def test_the_title_of_a_table_names_its_schema() -> None:
    """Tables of two schemas at one target have different titles."""
    records = [record for record in Source(result()).records if record.estimate.schema == "group"]
    point = next(record.at for record in records if record.estimate.metric == "fnmr_at_fmr")
    table = groups._table(Source(result()), "skin_tone", point, records)
    assert plain_text(table.caption).startswith("By skin tone at FMR ")
