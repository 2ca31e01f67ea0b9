"""The figures of a sweep: a headline rate of every job; and what its numbers are called."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from frtaudit.core.canonical import number_in
from frtaudit.core.machine.files import read_regular
from frtaudit.core.text import kinds
from frtaudit.errors import DataError
from frtaudit.report.direction import strings_in, use_names
from frtaudit.report.figures import canvas, curves
from frtaudit.report.figures.curves import Dot
from frtaudit.report.files import TABLE
from frtaudit.report.pieces import Figure, spans
from frtaudit.report.words import display_name, words

SweepJson = Mapping[str, Any]  # Any: JSON of mixed depth
ACCURACY = "accuracy"
SHOWN = ("fnmr_at_fmr", "eer", ACCURACY, "d_l2", "max_min", "fta")
WIDE = 12  # jobs of a matrix, and of a caption


def read_sweep(path: Path) -> SweepJson | None:
    """The table of a sweep, from its file or the folder that holds it; None where there is none.

    Raises :class:`DataError` for a file that is no such table.
    """
    file = path / TABLE if path.is_dir() else path
    if file.name != TABLE or not file.exists():
        return None
    try:
        sweep: SweepJson = json.loads(read_regular(file))
        with canvas.undrawn():
            figure(sweep)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        wanted = "what frtaudit run -m writes"
        raise DataError(str(file), "is not the table of a sweep", wanted) from None
    return sweep


def figures(sweep: SweepJson) -> list[Figure]:
    """The figures of a sweep's page, for :func:`frtaudit.report.paper_figures.drawings`."""
    with use_names(strings_in(sweep)):
        return [drawn for drawn in [figure(sweep)] if drawn is not None]


def figure(sweep: SweepJson) -> Figure | None:
    """FNMR at the two smallest FMR targets (or the first rate there is), a row for each job."""
    drawable = {  # rates that a logarithmic axis shows, where any job has them
        measure_words(row["measure"])
        for row in sweep["rows"]
        if row["measure"]["metric"] in ("fnmr_at_fmr", "eer") and row["value"] is not None
    }
    rates = [name for name in measures_of(sweep) if name in drawable]
    if not rates:
        return None
    systems = list(dict.fromkeys(row["provider"] for row in sweep["rows"]))
    dots = {name: _dots(sweep, name, systems) for name in rates[:2]}
    every = [dot for panel_dots in dots.values() for dot in panel_dots]  # rates of errors: on one scale
    panels = [
        curves.dots(
            _panel_name(name), name, list(dict.fromkeys(dot.row for dot in shown)), shown, name, every=every
        )
        for name, shown in dots.items()
    ]
    keys = curves.keys("sweep", list(enumerate(systems))) if len(systems) > 1 else ()
    caption = (
        "A row for each job, by its number. Estimates of jobs on the same subjects are correlated: where intervals "
        "overlap the numbers may still differ, and the sweep makes no test between jobs."
    )
    jobs = [  # what each was run with, for who has not its table
        f" Job {job['number']}: {', '.join(f'{name}={value}' for name, value in job['settings'].items())}."
        for job in sweep["jobs"]
    ]
    settings = "".join(jobs) if len(jobs) <= WIDE else ""
    return Figure(
        name="sweep",
        title="The jobs compared",
        caption=spans(caption),
        alone={_panel_name(name): spans(caption, settings) for name in dots},
        panels=tuple(panels),
        keys=keys,
    )


def _panel_name(name: str) -> str:
    """As a file is named: ``sweep-fnmr-at-fmr-0-1``."""
    return "-".join(re.findall(r"[a-z0-9]+", f"sweep {name.lower()}"))


def _dots(sweep: SweepJson, name: str, systems: Sequence[str]) -> list[Dot]:
    return [
        Dot(
            row=f"job {row['job']}",
            series=row["provider"],
            index=systems.index(row["provider"]),
            value=number_of(row["value"]) or 0.0,
            low=number_of(row["low"]),
            high=number_of(row["high"]),
        )
        for row in sweep["rows"]
        if measure_words(row["measure"]) == name and row["value"] is not None
    ]


def measure_words(measure: SweepJson, *, with_provider: bool = False) -> str:
    """A number's name in print.

    >>> measure_words({"provider": "", "metric": "fnmr_at_fmr", "schema": None, "group": "all", "at": {"fmr": 0.001}})
    'FNMR at FMR 0.1 %'
    """
    parts = [display_name(words().metric, measure["metric"])]
    for key, value in measure["at"].items():
        shown = display_name(words().at_value, value) if isinstance(value, str) else kinds.place(key, value)
        parts.append(f"{'at ' if key == 'fmr' else ''}{display_name(words().at, key)} {shown}")
    if measure["schema"]:
        group = measure.get("label") or measure["group"].replace("_", " ")
        whole = measure["group"] in ("all", "max")
        parts.append(measure["schema"].replace("_", " ") + ("" if whole else f" {group}"))
    name = " ".join(parts[:2]) if len(parts) > 1 and parts[1].startswith("at ") else parts[0]
    rest = parts[2:] if name != parts[0] else parts[1:]
    text = ", ".join([name, *rest])
    return f"{measure['provider']}: {text}" if with_provider and measure["provider"] else text


def measures_of(sweep: SweepJson) -> list[str]:
    """Names of headline numbers, the metrics that matter most first; of targets the smallest first."""
    seen: dict[str, tuple[int, float]] = {}
    for row in sweep["rows"]:
        measure = row["measure"]
        fmr = measure["at"].get("fmr", 0.0)
        order = SHOWN.index(measure["metric"]) if measure["metric"] in SHOWN else len(SHOWN)
        seen.setdefault(measure_words(measure), (order, fmr if isinstance(fmr, float) else 0.0))
    return sorted(seen, key=lambda name: (seen[name], name))


def number_of(value: object) -> float | None:
    """A number as JSON holds it, infinities as text."""
    return number_in(value) if isinstance(value, int | float | str) else None
