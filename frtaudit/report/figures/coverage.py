"""Figures of the study of guarantees, drawn from its JSON: realised against nominal coverage, misses, widths."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter

from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import INK, SOFT, pen
from frtaudit.report.pieces import Panel

Study = Mapping[str, Any]  # Any: JSON of mixed depth
Row = Mapping[str, Any]  # Any: the same

WIDE, TALL = 6.7, 3.6
ERROR_OF = {"coverage": "mc_error", "width_ratio": "width_ratio_error"}
FEWEST = 20  # dots of fewer intervals would be noise; the table has them
TWICE = 2.0  # bars reach two Monte Carlo standard errors
NOMINAL, DEFAULT, SHOWN = 0.95, 0.93, 0.90
LINES = (("fixed", "recentered"), ("fixed", "naive"), ("new", "recentered"), ("new", "wilson"))
SAID = {"fixed": "same subjects, new images", "new": "population"}
FEW_LINES = (
    ("vertex", "subject bootstrap, percentiles"),
    ("wilson_iid", "Wilson, comparisons independent"),
    ("wilson", "Wilson, the rule used here"),
)
MIN_WIDTH, MAX_WIDTH, CLAIMED_WIDTH = 0.25, 8.0, 1.6


def levels(study: Study, name: str = "levels") -> Panel:
    """Realised against nominal coverage of FNMR at one FMR: for the same subjects, and for the population."""
    runs = {"fixed" if run["same"] else "new": run for run in study["levels"]}

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8)
        axes.annotate("as promised", (0.86, 0.88), rotation=40, ha="right", va="bottom", color=SOFT)
        for index, (who, method) in enumerate(LINES):
            rows = _of_method(runs.get(who), method)
            if rows:
                style, label = pen(index), f"{method}, {SAID[who]}"
                x, y = [row["nominal"] for row in rows], [row["coverage"] for row in rows]
                low = [row["coverage"] - TWICE * row["mc_error"] for row in rows]
                high = [row["coverage"] + TWICE * row["mc_error"] for row in rows]
                axes.fill_between(x, low, high, color=style.hue, alpha=0.13, linewidth=0)
                dash = canvas.DASHES[index]
                axes.plot(
                    x, y, color=style.hue, linestyle=dash, marker=style.marker, markersize=3, label=label
                )
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="nominal coverage", ylabel="realised coverage")
        axes.set_title("How often the interval contains the true value")
        axes.legend(loc="upper left", frameon=False)

    parts = [
        f"{method} for {SAID[who]} realises {row['coverage']:.2f} at nominal {row['nominal']:g}"
        for who, method in LINES
        for row in _of_method(runs.get(who), method)
        if row["nominal"] == NOMINAL
    ]
    text = f"Realised against nominal coverage. {_sentence(parts)}"
    return canvas.plot(name, text, draw, width=4.6, height=4.0)


def realised(name: str, title: str, nominal: Sequence[float], lines: Mapping[str, Sequence[float]]) -> Panel:
    """Realised against nominal coverage, a line for each method; on the diagonal an interval holds what it promises."""

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=SOFT, linewidth=0.8)
        for index, shares in enumerate(lines.values()):
            style = pen(index)
            axes.plot(nominal, shares, color=style.hue)
            axes.plot(nominal, shares, color=style.hue, linestyle="none", marker=style.marker)
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="nominal coverage", ylabel="realised coverage")
        axes.set_aspect("equal")
        axes.set_title(title)

    last = max(range(len(nominal)), key=nominal.__getitem__)
    coverages = [f"{method} {shares[last]:.2f}" for method, shares in lines.items()]
    text = f"Realised against nominal coverage. At nominal {nominal[last]:g}: {', '.join(coverages)}."
    return canvas.plot(name, text, draw, width=canvas.WIDTH, height=canvas.WIDTH)


def few_errors(study: Study, name: str = "few") -> Panel:
    """Coverage of FMR as false matches become few: bootstrap, independent Wilson, the rule of 8.1."""
    rows = study["few_errors"]
    due = [row["expected"] for row in rows]

    def draw(axes: Axes) -> None:
        axes.axhline(NOMINAL, color=SOFT, linewidth=0.8)
        some = [1 - row["without_errors"] / row["cohorts"] for row in rows]
        dotted, label = (0, (1, 1.5)), "cohorts with a false match"
        axes.plot(due, some, color=INK, linewidth=0.9, linestyle=dotted, label=label)
        for index, (method, label) in enumerate(FEW_LINES):
            y, error = ([row[method][key] for row in rows] for key in ("coverage", "mc_error"))
            style = pen(index)
            low, high = ([a + sign * TWICE * b for a, b in zip(y, error, strict=True)] for sign in (-1, 1))
            axes.fill_between(due, low, high, color=style.hue, alpha=0.13, linewidth=0)
            dash = canvas.DASHES[index]
            axes.plot(due, y, color=style.hue, linestyle=dash, marker=style.marker, markersize=3, label=label)
        axes.set(xscale="log", xlim=(due[0] * 1.2, due[-1] / 1.2), ylim=(0, 1.02))
        axes.set(xlabel="false matches expected in a cohort", ylabel="realised coverage")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_title("Coverage of FMR at nominal 0.95, as false matches run out")
        axes.legend(loc="lower left", frameon=False)

    last = rows[-1]
    parts = [f"{label} {last[method]['coverage']:.2f}" for method, label in FEW_LINES]
    text = f"With {last['expected']:g} false matches expected in a cohort the coverage is: {_sentence(parts)}"
    return canvas.plot(name, text, draw, width=4.6, height=3.6)


def coverage(study: Study, quantity: str, name: str) -> Panel:
    """Realised coverage at nominal 0.95 of every method, pooled: one dot per population, size and point."""
    dots = list(_dots(study, quantity, "coverage", ERROR_OF["coverage"]))

    def draw(axes: Axes) -> None:
        for at, style in ((NOMINAL, "solid"), (DEFAULT, (0, (4, 2))), (SHOWN, (0, (1, 2)))):
            axes.axvline(at, color=SOFT, linewidth=0.8, linestyle=style)
        _scatter(axes, study, dots)
        low = min([dot[2] for dot in dots], default=0.5)
        axes.set(xlabel="realised coverage", xlim=(max(0.0, min(0.5, low - 0.02)), 1.005))
        axes.set_title(f"{quantity}: coverage of the population at nominal 0.95")

    return canvas.plot(name, _read(quantity, "covers", dots), draw, width=WIDE, height=_height(dots))


def widths(study: Study, quantity: str, name: str) -> Panel:
    """Mean width over that of an oracle, which knows the estimate's standard deviation, on a logarithmic axis."""
    dots = list(_dots(study, quantity, "width_ratio", ERROR_OF["width_ratio"]))

    def draw(axes: Axes) -> None:
        axes.axvline(1.0, color=SOFT, linewidth=0.8)
        axes.axvline(CLAIMED_WIDTH, color=SOFT, linewidth=0.8, linestyle=(0, (4, 2)))
        _scatter(axes, study, dots)
        axes.set(xscale="log", xlabel="mean width over the oracle's", xlim=(MIN_WIDTH, MAX_WIDTH))
        axes.set_xticks([0.25, 0.5, 1, 1.6, 2, 4, 8])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_title(f"{quantity}: width")

    text = _read(quantity, "has a width ratio of", dots)
    return canvas.plot(name, text, draw, width=WIDE, height=_height(dots))


def misses(study: Study, name: str = "misses") -> Panel:
    """Lower against upper misses of the intervals whose coverage is claimed; half of 5 % each is the fair share."""
    rows = [
        (cell, row) for cell in study["cells"] for row in cell["intervals"] if row["floor"] and row["printed"]
    ]

    def draw(axes: Axes) -> None:
        axes.plot([0, 0.05], [0.05, 0], color=SOFT, linewidth=0.8)
        axes.plot([0, 0.1], [0.1, 0], color=SOFT, linewidth=0.8, linestyle=(0, (1, 2)))
        for index, population in enumerate(_populations(study)):
            points = [row for cell, row in rows if cell["population"] == population]
            sides = ("lower_misses", "upper_misses")
            x, y = ([row[side] / row["printed"] for row in points] for side in sides)
            style = pen(index)
            axes.plot(x, y, marker=style.marker, color=style.hue, linestyle="none", markersize=3, alpha=0.7)
        _legend(axes, study)
        axes.set(xlabel="truth below the interval", ylabel="truth above the interval")
        axes.set_title("Misses on either side")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))

    text = f"Lower and upper misses of {len(rows)} intervals that are claimed to cover; lines: 5 % and 10 % together."
    return canvas.plot(name, text, draw, width=4.6, height=4.0)


def is_seen(study: Study, quantity: str, value: str) -> bool:
    """Whether any row of the quantity has a finite ``value`` (``coverage`` or ``width_ratio``) to draw."""
    return any(True for _ in _dots(study, quantity, value, ERROR_OF[value]))


Dot = tuple[str, str, float, float]  # method, population, value, Monte Carlo error


def _dots(study: Study, quantity: str, value: str, error: str) -> Iterator[Dot]:
    for cell in study["cells"]:
        for row in cell["intervals"]:
            numbers = row[value], row[error]
            shown = row["quantity"] == quantity and row["weighting"] == "pooled" and row["printed"] >= FEWEST
            if shown and all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
                yield row["method"], cell["population"], float(numbers[0]), float(numbers[1])


def _scatter(axes: Axes, study: Study, dots: Sequence[Dot]) -> None:
    methods, populations = _methods(dots), _populations(study)
    for index, population in enumerate(populations):
        style = pen(index)
        x: list[float] = []
        y: list[float] = []
        half: list[float] = []
        for row, method in enumerate(methods):
            points = [dot for dot in dots if dot[:2] == (method, population)]
            middle = row + (index - (len(populations) - 1) / 2) * 0.26
            x += [dot[2] for dot in points]
            half += [TWICE * dot[3] for dot in points]
            y += [middle + (step / max(len(points), 2) - 0.4) * 0.18 for step in range(len(points))]
        axes.errorbar(x, y, xerr=half, color=style.hue, fmt=style.marker, markersize=2.4, elinewidth=0.6)
    _legend(axes, study)
    axes.set_yticks(range(len(methods)), labels=methods)
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")


def _legend(axes: Axes, study: Study) -> None:
    for index, population in enumerate(_populations(study)):
        style = pen(index)
        axes.plot(
            [], [], color=style.hue, marker=style.marker, linestyle="none", markersize=3, label=population
        )
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 0.99), frameon=False, ncols=3, borderpad=0)


def _methods(dots: Sequence[Dot]) -> list[str]:
    return list(dict.fromkeys(dot[0] for dot in dots))


def _populations(study: Study) -> list[str]:
    return list(dict.fromkeys(cell["population"] for cell in study["cells"]))


def _height(dots: Sequence[Dot]) -> float:
    return 1.0 + 0.42 * max(len(_methods(dots)), 2)


def _of_method(run: Row | None, method: str) -> list[Row]:
    return [row for row in run["intervals"] if row["method"] == method] if run else []


def _read(quantity: str, verb: str, dots: Sequence[Dot]) -> str:
    parts = []
    for method in _methods(dots):
        values = [dot[2] for dot in dots if dot[0] == method]
        parts.append(f"{method} {verb} {min(values):.2f} to {max(values):.2f}")
    return f"{quantity}: {_sentence(parts)}"


def _sentence(parts: Sequence[str]) -> str:
    return "; ".join(parts) + "."
