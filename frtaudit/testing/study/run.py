"""The whole study, or a smaller one: settings in, one JSON value out."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
import scipy

from frtaudit.core.canonical import Json
from frtaudit.core.machine.progress import Progress, quiet
from frtaudit.core.spec import Weighting
from frtaudit.errors import SpecError
from frtaudit.testing.study import tally
from frtaudit.testing.study.cells import CELLS, LEVELS_CELLS, NOMINAL, TARGETS, Cell, LevelsCell
from frtaudit.testing.study.claims import SAME_PEOPLE
from frtaudit.testing.study.cohorts import Collected, collect, levels_truth
from frtaudit.testing.study.truths import values
from frtaudit.testing.study.zero import running_out
from frtaudit.testing.truth import simulate

FORMAT = 1
PARTS, TABLES = ("cells", "levels"), ("intervals", "tests")
Either = Cell | LevelsCell
Study = dict[str, Any]  # JSON of mixed depth, as assembled() makes it


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How large the study is.

    ``cohorts``: per population cell, with ``B`` replicates of each plan: the defaults need a standard deviation or one
    quantile of B values, whose noise costs up to 0.01 of coverage at B = 199, on the unsafe side. ``level_cohorts``,
    ``B_level``: of the two studies over nominal levels, whose quantiles are the claim. ``cells``: a cell's name holds
    one of these words; () for all.
    """

    cohorts: int = 1000
    B: int = 199
    level_cohorts: int = 200
    B_level: int = 999
    seed: int = 0
    workers: int = 1
    cells: tuple[str, ...] = ()


def cells_of(settings: Settings) -> tuple[Either, ...]:
    """The chosen cells. Raises :class:`SpecError` where none is left.

    >>> [cell.name for cell in cells_of(Settings(cells=("hubs, 40",)))]
    ['hubs, 40 x 4']
    """
    everything: tuple[Either, ...] = (*LEVELS_CELLS, *CELLS)
    chosen = tuple(
        cell for cell in everything if not settings.cells or any(word in cell.name for word in settings.cells)
    )
    if not chosen:
        raise SpecError(
            "cells", ", ".join(settings.cells), "parts of: " + "; ".join(c.name for c in everything)
        )
    return chosen


def study(settings: Settings, progress: Progress = quiet) -> Study:
    """Run every chosen cell; the numbers do not depend on ``workers`` or on which other cells are run."""
    collected = []
    for cell in cells_of(settings):
        levels = isinstance(cell, LevelsCell)
        cohorts = settings.level_cohorts if levels else settings.cohorts
        n = settings.B_level if levels else settings.B
        result = collect(cell, cohorts, seed=settings.seed, n=n, workers=settings.workers, progress=progress)
        collected.append((cell, result))
    return assembled(settings, collected, progress)


def assembled(
    settings: Settings, collected: Sequence[tuple[Either, Collected]], progress: Progress = quiet
) -> Study:
    """The study's JSON from what the cells gave."""
    return {
        "format": FORMAT,
        "settings": {
            "B": settings.B,
            "cohorts": settings.cohorts,
            "B_level": settings.B_level,
            "level_cohorts": settings.level_cohorts,
            "nominal": NOMINAL,
            "seed": settings.seed,
            "targets": list(TARGETS),
        },
        "versions": {
            "frtaudit": version("frtaudit"),
            "numba": numba.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "scipy": scipy.__version__,
        },
        "levels": [
            _levels(cell, result, settings) for cell, result in collected if isinstance(cell, LevelsCell)
        ],
        "cells": [_cell(cell, result) for cell, result in collected if isinstance(cell, Cell)],
        "few_errors": running_out(
            seed=settings.seed, cohorts=settings.level_cohorts, n=settings.B, progress=progress
        ),
    }


def _levels(cell: LevelsCell, collected: Collected, settings: Settings) -> dict[str, Json]:
    truth = levels_truth(cell, settings.seed)
    return {
        "name": cell.name,
        "same": cell.same,
        "population": cell.population.name,
        "subjects": cell.subjects,
        "samples": cell.samples,
        "fmr": cell.fmr,
        "truth": truth.value,
        "truth_error": truth.error,
        "intervals": tally.rows(collected),
    }


def _cell(cell: Cell, collected: Collected) -> dict[str, Json]:
    truth = simulate(cell.population)
    names = cell.thresholds(truth.mean)
    true = values(cell, names, truth)
    return {
        "name": cell.name,
        "population": cell.population.name,
        "subjects": cell.subjects,
        "samples": list(cell.pattern),
        "mated": cell.mated,
        "non_mated": cell.non_mated,
        "weightings": [Weighting(weighting).value for weighting in cell.weightings],
        "thresholds": dict(names),
        "truths": [
            {"quantity": place[0], "point": place[1], "value": estimate.value, "error": estimate.error}
            for place, estimate in true.items()
        ],
        "intervals": tally.rows(collected),
        "tests": tally.null_rows(collected),
    }


def packed(results: Study) -> Study:
    """The study as it is written: each list of rows as ``columns`` and ``rows``, which halves the file.

    >>> packed({"cells": [{"intervals": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}], "levels": []})["cells"][0]["intervals"]
    {'columns': ['a', 'b'], 'rows': [[1, 2], [3, 4]]}
    """
    return {**results, **{part: [_each(cell, _packed_rows) for cell in results[part]] for part in PARTS}}


def unpacked(results: Study) -> Study:
    """What :func:`packed` packed.

    >>> unpacked({"cells": [], "levels": [{"intervals": {"columns": ["a"], "rows": [[1]]}}]})["levels"]
    [{'intervals': [{'a': 1}]}]
    """
    return {**results, **{part: [_each(cell, _unpacked_rows) for cell in results[part]] for part in PARTS}}


def _each(part: Study, change: Callable[[Any], Any]) -> Study:  # Any: packed or not
    return {key: change(value) if key in TABLES else value for key, value in part.items()}


def _packed_rows(rows: Sequence[Study]) -> Study:
    columns = list(rows[0]) if rows else []
    return {"columns": columns, "rows": [[row[column] for column in columns] for row in rows]}


def _unpacked_rows(table: Study) -> list[Study]:
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def summary(results: Study) -> Iterator[str]:
    """Lines for a terminal: each claim that does not hold, then how many do."""
    rows = [(cell["name"], row) for cell in results["cells"] for row in (*cell["intervals"], *cell["tests"])]
    broken = [(name, row) for name, row in rows if row["holds"] is False]
    for name, row in broken:
        if "test" in row:
            yield f"{name}: {row['test']}, {row['point']}: rejects {row['size']} of {row['made']}"
        else:
            where = f"{row['quantity']}, {row['point']}, {row['weighting']}"
            yield f"{name}: {where}, {row['method']}: covers {row['coverage']} of {row['printed']}"
    for name, row in rows:
        if row.get("narrow") is False:
            where = f"{row['quantity']}, {row['point']}, {row['weighting']}"
            yield f"{name}: {where}, {row['method']}: {row['width_ratio']} times the oracle's width"
    for level in results["levels"]:
        rows_at = {row["method"]: row for row in level["intervals"] if row["nominal"] == NOMINAL}
        # The same people with new images: 002's appendix B.1.
        for method, (low, high) in SAME_PEOPLE.items() if level["same"] else ():
            row = rows_at[method.value]
            if not low <= row["coverage"] <= high:
                covers = f"covers {row['coverage']} of {row['printed']}, not {low} to {high}"
                yield f"{level['name']}: {method.value} {covers}"
    holding = sum(row["holds"] is True for _, row in rows)
    yield f"{holding} claims of coverage or size hold, {len(broken)} do not"
