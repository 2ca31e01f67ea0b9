"""Figures of the study of guarantees, drawn from its JSON: realised against nominal coverage, misses, widths."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from frtaudit.report import canvas
from frtaudit.report.canvas import INK, SOFT, pen
from frtaudit.report.pieces import Panel

Study = Mapping[str, Any]  # Any: JSON of mixed depth
Row = Mapping[str, Any]  # Any: the same

WIDE, TALL = 6.7, 3.6
TWICE = 2.0  # bars reach two Monte Carlo standard errors
NOMINAL, DEFAULT, SHOWN = 0.95, 0.93, 0.90
LINES = (("fixed", "recentered"), ("fixed", "naive"), ("new", "recentered"), ("new", "wilson"))
SAID = {"fixed": "same people, new images", "new": "new people"}
LEAST_WIDTH, MOST_WIDTH, CLAIMED_WIDTH = 0.25, 8.0, 1.6


def levels(found: Study, name: str = "levels") -> Panel:
    """Realised against nominal coverage of FNMR at one FMR: recentered for these people, and for new ones."""
    runs = {"fixed" if one["same"] else "new": one for one in found["levels"]}

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8)
        axes.annotate("as promised", (0.86, 0.88), rotation=40, ha="right", va="bottom", color=SOFT)
        for index, (who, method) in enumerate(LINES):
            rows = _of_method(runs.get(who), method)
            if rows:
                _line(axes, index, rows, f"{method}, {SAID[who]}")
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="nominal coverage", ylabel="realised coverage")
        axes.set_title("How often the interval holds the truth")
        axes.legend(loc="upper left", frameon=False)

    said = [
        f"{method} for {SAID[who]} realises {row['coverage']:.2f} at nominal {row['nominal']:g}"
        for who, method in LINES
        for row in _of_method(runs.get(who), method)
        if row["nominal"] == NOMINAL
    ]
    return _panel(name, f"Realised against nominal coverage. {_sentence(said)}", draw, width=4.6, height=4.0)


def running_out(found: Study, name: str = "zero") -> Panel:
    """Intervals of FMR as the errors run out: the bootstrap shrinks to nothing, the rule of 8.1 does not."""
    rows = found["zero_errors"]
    floor = min(row["truth"] for row in rows if row["truth"] > 0) / 30
    methods = ("vertex", "wilson_iid", "wilson")
    names = ("subject bootstrap", "Wilson, comparisons independent", "Wilson, the rule used here")

    def draw(axes: Axes) -> None:
        for place, row in enumerate(rows):
            axes.plot([place - 0.42, place + 0.42], [row["truth"]] * 2, color=INK, linewidth=1.4)
            for index, method in enumerate(methods):
                _bar(axes, index, place + (index - 1) * 0.24, row[method], floor)
        axes.plot([], [], color=INK, linewidth=1.4, label="truth")
        for index, label in enumerate(names):
            axes.plot([], [], color=pen(index).hue, marker=pen(index).marker, label=label)
        axes.annotate(
            "[0, 0]", (len(rows) - 1.24, floor), xytext=(0, 6), textcoords="offset points", ha="center",
            color=pen(0).hue,
        )  # fmt: skip
        axes.set(yscale="log", ylim=(floor / 1.5, None), xlabel="false matches seen", ylabel="FMR")
        axes.set_xticks(range(len(rows)), labels=[str(row["errors"]) for row in rows])
        axes.grid(visible=False, axis="x")
        axes.set_title("95 % intervals of FMR in one cohort, as its errors run out")
        axes.legend(loc="lower left", frameon=False, ncols=2)

    last = rows[-1]
    said = (
        f"With {last['errors']} false matches of {last['trials']} the bootstrap says 0 to {last['vertex'][1]:g}, "
        f"Wilson on independent comparisons up to {last['wilson_iid'][1]:.2g}, the rule up to {last['wilson'][1]:.2g}; "
        f"the truth is {last['truth']:.2g}."
    )
    return _panel(name, said, draw, width=WIDE)


def coverage(found: Study, quantity: str, name: str) -> Panel:
    """Realised coverage at nominal 0.95 of every method, one dot per population, size and point."""
    dots = list(_dots(found, quantity, "coverage", "mc_error"))

    def draw(axes: Axes) -> None:
        for at, style in ((NOMINAL, "solid"), (DEFAULT, (0, (4, 2))), (SHOWN, (0, (1, 2)))):
            axes.axvline(at, color=SOFT, linewidth=0.8, linestyle=style)
        _scatter(axes, found, dots)
        low = min([dot[2] for dot in dots], default=0.5)
        axes.set(xlabel="realised coverage", xlim=(max(0.0, min(0.5, low - 0.02)), 1.005))
        axes.set_title(f"{quantity}: coverage of new people at nominal 0.95")

    return _panel(name, _read(quantity, "covers", dots), draw, width=WIDE, height=_height(dots))


def widths(found: Study, quantity: str, name: str) -> Panel:
    """Mean width over that of an oracle, which knows the estimate's standard deviation, on a logarithmic axis."""
    dots = list(_dots(found, quantity, "width_ratio", "width_ratio_error"))

    def draw(axes: Axes) -> None:
        axes.axvline(1.0, color=SOFT, linewidth=0.8)
        axes.axvline(CLAIMED_WIDTH, color=SOFT, linewidth=0.8, linestyle=(0, (4, 2)))
        _scatter(axes, found, dots)
        axes.set(xscale="log", xlabel="mean width over the oracle's", xlim=(LEAST_WIDTH, MOST_WIDTH))
        axes.set_xticks([0.25, 0.5, 1, 1.6, 2, 4, 8])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_title(f"{quantity}: width")

    return _panel(name, _read(quantity, "has a width ratio of", dots), draw, width=WIDE, height=_height(dots))


def misses(found: Study, name: str = "misses") -> Panel:
    """Lower against upper misses of the intervals whose coverage is claimed; half of 5 % each is the fair share."""
    rows = [
        (cell, row) for cell in found["cells"] for row in cell["intervals"] if row["floor"] and row["printed"]
    ]

    def draw(axes: Axes) -> None:
        axes.plot([0, 0.05], [0.05, 0], color=SOFT, linewidth=0.8)
        axes.plot([0, 0.1], [0.1, 0], color=SOFT, linewidth=0.8, linestyle=(0, (1, 2)))
        for index, population in enumerate(_populations(found)):
            own = [row for cell, row in rows if cell["population"] == population]
            x, y = ([row[side] / row["printed"] for row in own] for side in ("lower_misses", "upper_misses"))
            style = pen(index)
            axes.plot(x, y, marker=style.marker, color=style.hue, linestyle="none", markersize=3, alpha=0.7)
        _legend(axes, found)
        axes.set(xlabel="truth below the interval", ylabel="truth above the interval")
        axes.set_title("Misses on either side; lines: 5 % and 10 % together")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))

    said = f"Lower and upper misses of {len(rows)} intervals that are claimed to cover."
    return _panel(name, said, draw, width=4.6, height=4.0)


Dot = tuple[str, str, float, float]  # method, population, value, Monte Carlo error


def _dots(found: Study, quantity: str, value: str, error: str) -> Iterator[Dot]:
    for cell in found["cells"]:
        for row in cell["intervals"]:
            numbers = row[value], row[error]
            if row["quantity"] == quantity and all(_is_number(one) for one in numbers):
                yield row["method"], cell["population"], float(numbers[0]), float(numbers[1])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _scatter(axes: Axes, found: Study, dots: Sequence[Dot]) -> None:
    methods, populations = _methods(dots), _populations(found)
    for index, population in enumerate(populations):
        style = pen(index)
        x: list[float] = []
        y: list[float] = []
        half: list[float] = []
        for row, method in enumerate(methods):
            own = [dot for dot in dots if dot[:2] == (method, population)]
            middle = row + (index - (len(populations) - 1) / 2) * 0.26
            x += [dot[2] for dot in own]
            half += [TWICE * dot[3] for dot in own]
            y += [middle + (step / max(len(own), 2) - 0.4) * 0.18 for step in range(len(own))]
        axes.errorbar(x, y, xerr=half, color=style.hue, fmt=style.marker, markersize=2.4, elinewidth=0.6)
    _legend(axes, found)
    axes.set_yticks(range(len(methods)), labels=methods)
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _legend(axes: Axes, found: Study) -> None:
    for index, population in enumerate(_populations(found)):
        style = pen(index)
        axes.plot(
            [], [], color=style.hue, marker=style.marker, linestyle="none", markersize=3, label=population
        )
    axes.legend(loc="upper right", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _methods(dots: Sequence[Dot]) -> list[str]:
    return list(dict.fromkeys(dot[0] for dot in dots))


def _populations(found: Study) -> list[str]:
    return list(dict.fromkeys(cell["population"] for cell in found["cells"]))


def _height(dots: Sequence[Dot]) -> float:
    return 1.0 + 0.42 * max(len(_methods(dots)), 2)


def _of_method(run: Row | None, method: str) -> list[Row]:
    return [row for row in run["intervals"] if row["method"] == method] if run else []


def _line(axes: Axes, index: int, rows: Sequence[Row], label: str) -> None:
    style = pen(index)
    x, y = [row["nominal"] for row in rows], [row["coverage"] for row in rows]
    low = [row["coverage"] - TWICE * row["mc_error"] for row in rows]
    high = [row["coverage"] + TWICE * row["mc_error"] for row in rows]
    axes.fill_between(x, low, high, color=style.hue, alpha=0.13, linewidth=0)
    axes.plot(x, y, color=style.hue, linestyle=style.dash, marker=style.marker, markersize=3, label=label)


def _bar(axes: Axes, index: int, x: float, bounds: Sequence[float], floor: float) -> None:
    """An interval; what reaches below the floor of the axis ends there."""
    style = pen(index)
    low, high = (max(bound, floor) for bound in bounds)
    axes.plot([x, x], [low, high], color=style.hue, linewidth=1.2, solid_capstyle="butt")
    axes.plot([x, x], [low, high], color=style.hue, linestyle="none", marker=style.marker, markersize=2.6)


def _read(quantity: str, verb: str, dots: Sequence[Dot]) -> str:
    parts = []
    for method in _methods(dots):
        own = [dot[2] for dot in dots if dot[0] == method]
        parts.append(f"{method} {verb} {min(own):.2f} to {max(own):.2f}")
    return f"{quantity}: {_sentence(parts)}"


def _sentence(parts: Sequence[str]) -> str:
    return "; ".join(parts) + "."


def _panel(name: str, alt: str, draw: Callable[[Axes], None], *, width: float, height: float = TALL) -> Panel:
    return Panel(svg=canvas.panel(name, alt, draw, width=width, height=height), alt=alt)
