"""A drawing for paper paints what the drawing of the page paints."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.axes import Axes

from frtaudit.report.figures.canvas import plot, swatch
from frtaudit.report.figures.on_paper import simplified

SVG = "{http://www.w3.org/2000/svg}"
STYLE = ("fill", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "fill-opacity", "clip-path")
Part = tuple[tuple[str | None, ...], npt.NDArray[np.float64]]


def moved(transform: str) -> npt.NDArray[np.float64]:
    """The matrix of a ``transform``."""
    matrix = np.eye(3)
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", transform):
        given = [float(number) for number in numbers.split()]
        step = np.eye(3)
        if name == "translate":
            step[:2, 2] = given
        elif name == "scale":
            step[0, 0], step[1, 1] = given[0], given[-1]
        else:
            assert name == "rotate"
            cos, sin = np.cos(np.radians(given[0])), np.sin(np.radians(given[0]))
            step[:2, :2] = [[cos, -sin], [sin, cos]]
        matrix = matrix @ step
    return matrix


def painted(svg: str) -> list[Part]:
    """Each part of each path: how it is painted and where its points lie, in the order of painting."""
    root = ET.fromstring(svg)
    named = {element.get("id"): element for element in root.iter() if element.get("id")}

    def parts_below(
        element: ET.Element, matrix: npt.NDArray[np.float64], style: Mapping[str, str]
    ) -> Iterator[Part]:
        if element.tag == f"{SVG}defs":
            return
        style = {**style, **{key: element.attrib[key] for key in STYLE if key in element.attrib}}
        matrix = matrix @ moved(element.get("transform", ""))
        if element.tag == f"{SVG}use":
            place = f"translate({element.get('x', 0)} {element.get('y', 0)})"
            yield from parts_below(
                named[element.attrib["href"].removeprefix("#")], matrix @ moved(place), style
            )
        if element.tag == f"{SVG}path":
            for part in re.findall(r"M[^M]*", element.get("d", "")):
                points = np.array([float(word) for word in part.split() if not word.isalpha()])
                whole = np.column_stack([points.reshape(-1, 2), np.ones(points.size // 2)])
                yield tuple(style.get(key) for key in STYLE), whole @ matrix.T
        for child in element:
            yield from parts_below(child, matrix, style)

    return list(parts_below(root, np.eye(3), {}))


def _drawn(axes: Axes) -> None:
    axes.plot([1, 10, 100], [0.1, 0.2, 0.3], "s--", label="a")
    axes.fill_between([1, 100], [0.1, 0.2], [0.2, 0.4], alpha=0.3)
    axes.set(xscale="log", xlabel="scores on 0–100", ylabel="FMR", title=" ")
    axes.annotate("$10^{-3}$", (10, 0.2))


@pytest.mark.parametrize(
    "draw", [lambda: plot("name", "What it is", _drawn).svg, lambda: swatch(1, "pen", "a system")]
)
def test_paper_paints_what_the_page_paints(draw: Callable[[], str]) -> None:
    """Every line, mark and letter, in its order, place and style."""
    drawing = draw()
    on_page, on_paper = painted(drawing), painted(simplified(drawing))
    assert [style for style, _ in on_paper] == [style for style, _ in on_page]
    for (_, points), (_, expected) in zip(on_paper, on_page, strict=True):
        np.testing.assert_allclose(points, expected, atol=1e-9)
    assert len(on_page) > 1


def test_paper_has_fewer_elements() -> None:
    """Marks are no references any more; letters are one path a text, and what a script reads is gone."""
    drawing = plot("name", "What it is", _drawn).svg
    paper = simplified(drawing)
    assert paper.count("<use") < drawing.count("<use") / 2  # an exponent's letters stay
    assert paper.count("<") < drawing.count("<") / 2
    assert "data-frame" not in paper
