"""Drawings whose texts and ticks are measured once are the files that Matplotlib writes by itself."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG

from frtaudit.report.figures import canvas
from frtaudit.report.figures.measures import as_svg


def _linear(axes: Axes) -> None:
    axes.plot([0, 1, 2], [3, 1, 4], marker="o")
    axes.set_title("two lines\nof a title")
    axes.set(xlabel="threshold", ylabel="FMR")


def _logarithmic(axes: Axes) -> None:
    axes.loglog(np.geomspace(1e-7, 1, 40), np.geomspace(1, 0.2, 40))
    axes.text(1e-3, 0.5, "turned", rotation=30)
    axes.set(xlabel="FMR", ylabel="FNMR")


def _offset(axes: Axes) -> None:
    axes.plot([1_000_000, 1_000_003], [1e9, 1e9 + 2])
    axes.set_title("offsets above the axes", loc="center")


def _named(axes: Axes) -> None:
    axes.barh(range(3), [1, 2, 3])
    axes.set_yticks(range(3), labels=["a group of a long name", "קבוצה", "18 to 35"])
    axes.legend(["share"], loc="lower right")


@pytest.mark.parametrize("draw", [_linear, _logarithmic, _offset, _named])
def test_the_file_is_that_of_matplotlib(draw: Callable[[Axes], None]) -> None:
    """The same bytes as ``print_svg``, which measures every text and tick anew."""
    with canvas.ink():
        drawings = [canvas.Drawing(figsize=(3.4, 2.2), layout="constrained") for _ in range(2)]
        for drawing in drawings:
            draw(drawing.add_subplot())
        stream = io.StringIO()
        FigureCanvasSVG(drawings[0]).print_svg(stream, metadata={"Date": None})  # type: ignore[no-untyped-call]  # untyped there
        assert as_svg(drawings[1]) == stream.getvalue()
