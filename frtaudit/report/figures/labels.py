"""Figures of estimated labels: rates by source of labels, scores, faces, one query's confidences, uncertain rates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator, PercentFormatter, StrMethodFormatter

from frtaudit.core.text import formatting
from frtaudit.report.figures import canvas
from frtaudit.report.figures.canvas import pen
from frtaudit.report.figures.curves import BAND, Dot, Series, draw_marks, marked, name_rows
from frtaudit.report.figures.ticks import log_rates
from frtaudit.report.pieces import HUES, Key, Panel

PERCENT = " %"  # as rates are printed
THICK, PALE = 2.4, 0.45  # points, opacity: of annotated curves
THIN = 1.1
THIRD, FLAT = 2.2, 1.95  # inches: three panels side by side
INKED = 0.75  # of the darkest shade: from here on digits are white
LOW = 1.55  # inches, of panels that stand in threes
HEAT = LinearSegmentedColormap.from_list("differences", ["#dfe9f2", HUES[0]])  # 0 is not the paper's white


def det(
    name: str, title: str, series: Sequence[Series], *, wide: bool = False, thin: Sequence[Series] = ()
) -> Panel:
    """FNMR over FMR, both logarithmic; ``thin``: drawn thin and dark over ``series``, which are then thick and pale."""
    drawn = [*series, *thin]
    known = [y for trace in drawn for y in trace.curve.y if y > 0]
    right = [x for trace in drawn for x, y in zip(trace.curve.x, trace.curve.y, strict=True) if y > 0]

    def draw(axes: Axes) -> None:
        for trace in series:
            _line(axes, trace, pale=bool(thin))
        for trace in thin:
            _line(axes, trace)
        axes.set(xscale="log", yscale="log", xlabel="FMR", ylabel="FNMR")
        if known:
            axes.set(
                ylim=(min(known) / 1.5, min(1.0, max(known) * 1.5)), xlim=(min(right) / 1.2, max(right) * 1.2)
            )
        log_rates(axes)

    names = ", ".join(dict.fromkeys(trace.name for trace in drawn))
    alt = f"{title}: FNMR over FMR of {names}."
    width, height = (1.9 * canvas.WIDTH, 3.2) if wide else (THIRD, FLAT)
    return canvas.plot(name, alt, draw, heading=title, width=width, height=height)


def widths(name: str, thin: str, thick: str) -> tuple[Key, ...]:
    """What the widths of lines mean in :func:`det`; ``name``: of the figure."""
    return tuple(
        Key(svg=canvas.sample(f"{name}-w{number}", f"lines {label}", _sampled, number), name=label)
        for number, label in enumerate((thin, thick))
    )


def _sampled(axes: Axes, pale: int) -> None:
    width, opacity = (THICK, PALE) if pale else (THIN, 1.0)
    axes.plot([0, 1], [0.5, 0.5], color=canvas.INK, linewidth=width, alpha=opacity, solid_capstyle="butt")


def _line(axes: Axes, series: Series, *, pale: bool = False) -> None:
    x, y = (np.asarray(part, dtype=np.float64) for part in (series.curve.x, series.curve.y))
    y = np.where(y > 0, y, np.nan)
    style, gid = pen(series.index), canvas.gid(series.index, series.at)
    if pale:
        axes.plot(x, y, color=style.hue, linewidth=THICK, alpha=PALE, solid_capstyle="butt", gid=gid)
        return
    if series.curve.low is not None and series.curve.high is not None:
        low, high = (np.asarray(end, dtype=np.float64) for end in (series.curve.low, series.curve.high))
        fine = np.isfinite(low) & np.isfinite(high)
        bottom, top = np.maximum(low[fine], 1e-9), high[fine]
        axes.fill_between(x[fine], bottom, top, color=style.hue, alpha=BAND, linewidth=0, gid=gid)
    axes.plot(x, y, color=style.hue, linewidth=THIN, gid=gid)
    draw_marks(axes, x, y, style, log=True, gid=gid)


def score_histograms(
    name: str,
    title: str,
    series: Sequence[Series],
    *,
    outline: Sequence[Series],
    share: str = "share of its kind",
    across: tuple[float, float] | None = None,
) -> Panel:
    """Shares of scores in equal bins; ``series``: filled, ``outline``: lines over them (Figure 4, left).

    ``across``: the scores that the axis spans, where they are not those of the bins.
    """

    def draw(axes: Axes) -> None:
        for trace in series:
            axes.fill_between(
                trace.curve.x, trace.curve.y, step="mid", color=pen(trace.index).hue, alpha=PALE, linewidth=0
            )
        for trace in outline:
            axes.step(trace.curve.x, trace.curve.y, where="mid", color=pen(trace.index).hue, linewidth=0.9)
            _marks(axes, trace)
        axes.set(xlabel="score", ylabel=share, xlim=across, ylim=(0, None))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=PERCENT))
        axes.xaxis.set_major_locator(MaxNLocator(5))

    alt = f"{title}: histogram of scores: {', '.join(dict.fromkeys(trace.name for trace in [*series, *outline]))}."
    return canvas.plot(name, alt, draw, heading=title, height=LOW)


def rates(
    name: str,
    title: str,
    thick: Sequence[Series],
    thin: Sequence[Series],
    across: tuple[float, float] | None = None,
) -> Panel:
    """FMR and FNMR over the threshold (Figure 4, middle); ``across``: the thresholds that the axis spans."""

    def draw(axes: Axes) -> None:
        for series in thick:
            axes.plot(
                series.curve.x, series.curve.y, color=pen(series.index).hue, linewidth=THICK, alpha=PALE
            )
        for series in thin:
            axes.plot(series.curve.x, series.curve.y, color=pen(series.index).hue, linewidth=THIN)
            _marks(axes, series)
        axes.set(xlabel="threshold", ylabel="rate", xlim=across, ylim=(-0.02, 1.02))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=PERCENT))
        axes.xaxis.set_major_locator(MaxNLocator(5))

    names = ", ".join(dict.fromkeys(series.name for series in [*thick, *thin]))
    return canvas.plot(name, f"{title}: {names} over the threshold.", draw, heading=title, height=LOW)


def _marks(axes: Axes, series: Series) -> None:
    """A few markers, which tell a line from others without colour."""
    x, y, style = np.asarray(series.curve.x), np.asarray(series.curve.y), pen(series.index)
    at = marked(x, log=False)
    axes.plot(x[at], y[at], color=style.hue, linestyle="none", marker=style.marker, markersize=3.2)


def scattered(name: str, title: str, series: Sequence[Series], *, shares: bool) -> Panel:
    """One dot for each query: faces of its person, annotated and estimated (Figure S.6); on the line they agree."""
    most = max((value for trace in series for value in (*trace.curve.x, *trace.curve.y)), default=1.0)

    def draw(axes: Axes) -> None:
        axes.plot([0, most], [0, most], color=canvas.SOFT, linewidth=0.8)
        for trace in series:
            style, gid = pen(trace.index), canvas.gid(trace.index, trace.at)
            axes.plot(
                trace.curve.x,
                trace.curve.y,
                linestyle="none",
                marker=style.marker,
                color=style.hue,
                markersize=3.2,
                alpha=0.7,
                gid=gid,
            )
        of = "share of the query's faces" if shares else "faces of the query's person"
        axes.set(xlabel=f"{of}, annotated", ylabel="estimated", xlim=(-0.03 * most, 1.03 * most))
        axes.set_ylim(axes.get_xlim())
        for axis in (axes.xaxis, axes.yaxis):
            if shares:
                axis.set_major_formatter(PercentFormatter(1.0, symbol=PERCENT))
            else:
                axis.set_major_locator(MaxNLocator(6, integer=True))

    text = "; ".join(f"{trace.name}: {len(trace.curve.x)} queries" for trace in series)
    return canvas.plot(name, f"{title}. {text}.", draw, heading=title)


def sizes(name: str, title: str, series: Series) -> Panel:
    """How many queries have how many faces (Figure S.1)."""
    x, y = np.array(series.curve.x), np.array(series.curve.y)
    edges = np.linspace(x.min() - 0.5, x.max() + 0.5, int(min(30, np.ptp(x) + 1)) + 1).tolist()

    def draw(axes: Axes) -> None:
        axes.hist(x, edges, weights=y, color=pen(series.index).hue, alpha=0.75)
        axes.set(xlabel="faces of a query", ylabel="queries", ylim=(0, None))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(6, integer=True))

    alt = f"{title}: {int(y.sum())} queries of {x.min():g} to {x.max():g} faces."
    return canvas.plot(name, alt, draw, heading=title)


def face_sizes(name: str, title: str, series: Sequence[Series]) -> Panel:
    """Histograms of the sizes of faces by service, on a logarithmic scale (Figure S.4)."""

    def draw(axes: Axes) -> None:
        for trace in series:
            edge, style = np.array(trace.curve.x), pen(trace.index)
            edges = np.append(edge, edge[-1] * (edge[1] / edge[0] if edge.size > 1 else 2))
            axes.stairs(trace.curve.y, edges, color=style.hue, linewidth=1.4)
        axes.set_xscale("log", base=2)
        axes.set(xlabel="size of the face, pixels", ylabel="faces", ylim=(0, None))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))

    often = [trace.curve.x[int(np.argmax(trace.curve.y))] for trace in series]
    text = "; ".join(
        f"{trace.name}: {sum(trace.curve.y):.0f} faces, most often from {size:.0f} pixels"
        for trace, size in zip(series, often, strict=True)
    )
    return canvas.plot(name, f"{title}. {text}.", draw, heading=title)


def boxes(name: str, title: str, series: Sequence[Series]) -> Panel:
    """Right faces of each query as a share: dots, quartiles, tenths as whiskers (Figures S.2 and S.3)."""

    def draw(axes: Axes) -> None:
        for place, trace in enumerate(series):
            y, hue = np.array(trace.curve.y), pen(trace.index).hue
            turn = 0.18 * np.sin(2.399963 * np.arange(y.size))  # dots side by side, the same in every run
            axes.plot(place + turn, y, linestyle="none", marker="o", markersize=2.2, color=hue, alpha=0.35)
            axes.boxplot(
                [y],
                positions=[place],
                whis=(10, 90),
                widths=0.5,
                showfliers=False,
                medianprops={"color": canvas.INK},
                boxprops={"color": canvas.SOFT},
                whiskerprops={"color": canvas.SOFT},
                capprops={"color": canvas.SOFT},
            )
        names = [f"{box.name}\n{len(box.curve.y)} queries" for box in series]
        axes.set_xticks(range(len(series)), labels=names)
        axes.set(ylabel="share of right faces", xlim=(-0.6, len(series) - 0.4), ylim=(-0.03, 1.03))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=PERCENT))

    medians = (f"{trace.name}: median {np.median(trace.curve.y):.0%}" for trace in series if trace.curve.y)
    return canvas.plot(name, f"{title}. {'; '.join(medians)}.", draw, heading=title)


def equal_errors(
    name: str,
    title: str,
    points: Sequence[tuple[Dot, float]],
    rows: Sequence[str],
    every: Sequence[tuple[Dot, float]],
) -> Panel:
    """Equal error rates by two kinds of labels (Figure 5); ``points``: a dot, whose value lies on x, and its y.

    ``rows``: the groups that shapes stand for; ``every``: what the axes have room for.
    """
    values = [value for dot, y in every for value in (dot.value, y) if value > 0]
    low, high = min(values, default=1e-3) / 1.5, min(1.0, max(values, default=1.0) * 1.5)
    xlabel, ylabel = "EER by annotated labels", "EER by estimated labels"

    def draw(axes: Axes) -> None:
        axes.plot([low, high], [low, high], color=canvas.SOFT, linewidth=0.8)
        for dot, y in points:
            style = pen(dot.index)
            marker, gid = canvas.MARKERS[rows.index(dot.row)], canvas.gid(dot.index, dot.at, dot.says)
            place = max(dot.value, low), max(y, low)
            axes.plot(*place, color=style.hue, marker=marker, markersize=5, linestyle="none", gid=gid)
        axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), xlabel=xlabel, ylabel=ylabel)
        log_rates(axes)

    text = "; ".join(
        f"{dot.series}, {dot.row}: {formatting.rate(dot.value)} and {formatting.rate(y)}" for dot, y in points
    )
    return canvas.plot(name, f"{title}: {xlabel} and {ylabel}: {text}.", draw, heading=title)


def subsets(
    name: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[float | None]],
    darkest: float,
) -> Panel:
    """Differences of a rate by service (row) and subset of services (column), hatched where there is none (S.13).

    ``darkest``: the difference of the darkest colour.
    """
    table = np.array(cells, dtype=np.float64)  # None is NaN
    most = float(np.nanmax(table)) if np.isfinite(table).any() else 1.0

    def draw(axes: Axes) -> None:
        axes.pcolormesh(
            np.ma.masked_invalid(table), cmap=HEAT, vmin=0.0, vmax=max(darkest, 1e-9), edgecolors="none"
        )
        for (place, number), value in np.ndenumerate(table):
            if np.isfinite(value):
                ink = canvas.PAPER if value > INKED * darkest else canvas.INK
                middle, text = (number + 0.5, place + 0.5), f"{100 * value:.2g}"
                axes.text(*middle, text, ha="center", va="center", fontsize=6, color=ink)
                continue
            for shift in (0.0, 0.5):  # hatched
                across, down = number + shift, place + shift
                axes.plot([across, number + 1], [place + 1, down], color=canvas.GRID, linewidth=0.8)
                axes.plot([number, across], [down, place], color=canvas.GRID, linewidth=0.8)
        axes.set_yticks(np.arange(len(rows)) + 0.5, labels=rows)
        axes.set_xticks(np.arange(len(columns)) + 0.5, labels=columns, rotation=90)
        axes.tick_params(length=0)
        axes.set(ylim=(len(rows), 0), xlim=(0, len(columns)))
        axes.grid(visible=False)

    of = f"of {len(rows)} services under labels of {len(columns)} subsets"
    alt = f"{title}: {of}; the largest is {100 * most:.2g} points."
    height = 0.9 + 0.24 * len(rows) + 0.08 * max((len(column) for column in columns), default=1)
    return canvas.plot(name, alt, draw, heading=title, width=1.95 * canvas.WIDTH, height=height)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A rate with its interval, ``reported``, and on true labels: ``on_truth``: (low, high); ``index``: of the pen."""

    row: str
    index: int
    value: float
    reported: tuple[float | None, float | None] | None
    true: float
    on_truth: tuple[float | None, float | None] | None


def reaching(name: str, title: str, reaches: Sequence[Reach]) -> Panel:
    """One row for each service: thick what the labels say as they are, thin the uncertain labels decided either way."""

    def draw(axes: Axes) -> None:
        for place, reach in enumerate(reaches):
            hue = pen(reach.index).hue
            for ends, shift, width in ((reach.reported, -0.14, 3.4), (reach.on_truth, 0.14, 1.1)):
                if ends is not None and ends[0] is not None and ends[1] is not None:
                    axes.plot([ends[0], ends[1]], [place + shift] * 2, color=hue, linewidth=width)
            axes.plot(
                [reach.value],
                [place - 0.14],
                linestyle="none",
                marker="o",
                markersize=5.5,
                color=canvas.PAPER,
                markeredgecolor=hue,
            )
            axes.plot([reach.true], [place + 0.14], linestyle="none", marker="|", markersize=9, color=hue)
        name_rows(axes, [service.row for service in reaches])
        axes.set(xlabel="FNMR", xlim=(0.0, None))
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, symbol=PERCENT))

    text = "; ".join(
        f"{reach.row}: {reach.value:.2%} reported, {reach.true:.2%} on true labels" for reach in reaches
    )
    alt = f"{title}, one row for each service: {text}."
    return canvas.plot(name, alt, draw, heading=title, height=min(0.9 + 0.38 * len(reaches), 6.0))
