import itertools

import pytest

from frtaudit.core import Curve
from frtaudit.report.figures import canvas
from frtaudit.report.figures.curves import Series
from frtaudit.report.figures.interclass import BoxStats, Line, boxes, left, sanitized_sizes, tar_panel


def test_what_the_steps_ask_for() -> None:
    """Declared numbers, their defaults, none without steps."""
    assert sanitized_sizes({}) == (None, None)
    assert sanitized_sizes({"sanitize": [{"step": "fixed_samples", "number": 5}]}) == (None, 5)
    assert sanitized_sizes({"sanitize": [{"step": "min_subjects", "number": None}]}) == (30, None)


def test_people_left_are_drawn_on_a_log_scale() -> None:
    """A point without people is not drawn; the alt text says where each line starts and ends."""
    lines = [Line(name="a", index=0, x=(1, 2, 3), y=(40, 12, 0)), Line(name="b", index=1, x=(1, 2), y=(5, 1))]
    panel = left("p", lines, samples=2, people=30)
    assert panel.alt == "Subjects left against required samples: a from 40 to 0; b from 5 to 1."
    assert panel.svg.startswith("<svg")
    assert left("p", lines, samples=None, people=None).svg != panel.svg


@pytest.mark.parametrize(("most", "scale"), [(30, "linear"), (530, "log")])
def test_one_subject_with_very_many_samples_leaves_room_for_all(most: int, scale: str) -> None:
    """Beyond a hundred samples their axis is logarithmic, as half of the subjects have a few."""
    line = Line(name="a", index=0, x=(1, 4, most), y=(4000, 600, 1))
    with canvas.keeping() as registry:
        panel = left("p", [line], samples=4, people=30)
    assert registry[panel.svg][1].axes[0].get_xscale() == scale


def test_differences_of_tar_are_in_points() -> None:
    """A difference of two shares has no percent sign, which would read as relative; a TAR has it."""
    curve = Curve(
        provider="s", analysis="t", schema=None, group="a", weighting="pooled", x=(0.2, 0.4), y=(-0.1, 0.1)
    )
    with canvas.keeping() as registry:
        kinds = ("tar_excess", "threshold_excess")
        panels = [tar_panel(kind, kind, kind, [Series(name="a", index=0, curve=curve)]) for kind in kinds]
    points, shares = (registry[panel.svg][1].axes[0] for panel in panels)
    assert points.get_ylabel() == "TAR difference (points)"
    assert points.yaxis.get_major_formatter()(-0.1, 0) == "−10"
    assert shares.xaxis.get_major_formatter()(0.2, 0) == "20 %"


@pytest.mark.parametrize(("name", "turned"), [("Tone III", 0), ("Medium-Dark Brown", 30)])
def test_names_below_boxes_are_level_where_they_have_room(name: str, turned: int) -> None:
    """Six short names stand beside each other; long ones are turned, so that none lies on the next."""
    stats = [BoxStats(name=name, index=index, numbers=(1, 2, 3, 4, 5)) for index in range(6)]
    with canvas.keeping() as registry:
        panel = boxes("b", "Brightness", "brightness", stats)
    drawing = registry[panel.svg][1]
    drawing.draw_without_rendering()
    labels = drawing.axes[0].get_xticklabels()
    assert {label.get_rotation() for label in labels} == {turned}
    ends = [(label.get_window_extent().x0, label.get_window_extent().x1) for label in labels]
    assert turned or all(after[0] > before[1] for before, after in itertools.pairwise(ends))
