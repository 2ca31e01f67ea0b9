"""A drawing written as SVG: what Matplotlib measures again and again while it lays one out is measured once."""

import io
from collections.abc import Callable
from functools import cache
from typing import Any  # Any: these parts of Matplotlib have no types

from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.textpath import text_to_path

POINTS = 72  # per inch: units of an SVG drawing
HEIGHTS = (  # table of a font, and what it calls ascent, descent and line gap
    ("OS/2", "sTypoAscender", "sTypoDescender", "sTypoLineGap"),
    ("hhea", "ascent", "descent", "lineGap"),
)


class Renderer(RendererSVG):
    """Matplotlib's writer of SVG, which measures each text and each font once in a process."""

    def get_text_width_height_descent(
        self,
        s: str,
        prop: FontProperties,
        ismath: bool | str,  # noqa: FBT001  as Matplotlib has it
    ) -> tuple[float, float, float]:
        """Size of a text in points."""
        return _size(s, prop.copy(), ismath)

    def _get_font_height_metrics(self, prop: FontProperties) -> tuple[float | None, ...]:
        """Ascent, descent and line gap of a font; Matplotlib asks for them before each text."""
        return _heights(prop.copy())


@cache
def _size(text: str, font: FontProperties, math: object) -> tuple[float, float, float]:
    measure: Any = text_to_path.get_text_width_height_descent
    width, height, descent = measure(text, font, math)
    return width, height, descent


@cache
def _heights(font: FontProperties) -> tuple[float | None, ...]:
    """As ``Text._get_layout`` reads them from the font's tables; three None where it has neither."""
    face = get_font(fontManager._find_fonts_by_props(font))  # noqa: SLF001  as Text does
    tables: Any = {name: face.get_sfnt_table(name) for name in ("OS/2", "hhea", "head")}
    for name, ascent, descent, gap in HEIGHTS:
        table = tables[name]
        if table is not None:
            scale = 1 / tables["head"]["unitsPerEm"] * font.get_size_in_points()
            return table[ascent] * scale, -table[descent] * scale, table[gap] * scale
    return None, None, None


def as_svg(drawing: Figure) -> str:
    """The drawing's file, as ``savefig`` writes it; laid out with the renderer that draws it."""
    stream = io.StringIO()
    drawing.dpi = POINTS
    width, height = drawing.get_size_inches() * POINTS
    write: Any = Renderer
    renderer = write(width, height, stream, image_dpi=POINTS, metadata={"Date": None})
    drawing._get_renderer = lambda: renderer  # type: ignore[attr-defined]  # noqa: SLF001  the layout asks for it
    for axes in drawing.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _place_once(axis)
    drawing.draw(renderer)
    renderer.finalize()
    return stream.getvalue()


def _place_once(axis: Any) -> None:  # noqa: ANN401  methods of an axis are replaced
    """Ticks and boxes of their labels once for each place of the axes and each span of values."""
    axis._update_ticks = _once(axis, axis._update_ticks)  # noqa: SLF001  no public name
    axis._get_ticklabel_bboxes = _once(axis, axis._get_ticklabel_bboxes)  # noqa: SLF001  no public name


def _once(axis: Axis, call: Callable[..., object]) -> Callable[..., object]:
    known: dict[object, object] = {}

    def answer(*arguments: object) -> object:
        place = (*axis.axes.bbox.bounds, *axis.get_view_interval())
        if place not in known:
            known.clear()
            known[place] = call(*arguments)
        return known[place]

    return answer
