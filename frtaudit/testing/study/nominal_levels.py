"""Realised against nominal coverage of FNMR at an FMR (Conti and Clémençon, Tables 1 and 2) in a design of one's own.

``python -m frtaudit.testing.study.nominal_levels --subjects 300 --fmr 0.001 0.03``: the same subjects with new samples
in every cohort (appendix B.1), a table for each FMR on the terminal, as LaTeX and as JSON, with the bands of one cohort
and the true ROC. ``frtaudit figures`` draws the JSON (Figures 6 to 9).
"""

import argparse
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from frtaudit.core.canonical import to_bytes
from frtaudit.core.machine.progress import Progress, on_terminal, quiet
from frtaudit.core.methods import Method
from frtaudit.core.plain.records import to_json
from frtaudit.report.exports.latex import to_latex
from frtaudit.report.figures.nominal_levels import Levels, Study
from frtaudit.report.files import STUDY_FILE
from frtaudit.report.phrases import ABSENT
from frtaudit.report.pieces import Block, Column, Table, TextSpan, spans
from frtaudit.testing.checks import Coverage, tally
from frtaudit.testing.populations import HARD
from frtaudit.testing.study import pages, true_curve
from frtaudit.testing.study.cells import LevelsCell
from frtaudit.testing.study.cohorts import LEVELS, Collected, collect, levels_truth

METHODS = (Method.RECENTERED, Method.NAIVE, Method.GAUSSIAN)
SECTION = "nominal levels"


def study(
    cell: LevelsCell,
    methods: Sequence[Method],
    *,
    cohorts: int,
    n: int,
    seed: int,
    workers: int,
    progress: Progress = quiet,
) -> Levels:
    """Coverage at every nominal level: share of the cohorts whose interval contains the subjects' FNMR."""
    collected = collect(cell, cohorts, seed=seed, n=n, workers=workers, progress=progress)
    return Levels(
        subjects=cell.subjects,
        samples=cell.samples,
        dimension=cell.population.dimension,
        concentration=cell.population.concentration,
        fmr=cell.fmr,
        cohorts=cohorts,
        B=n,
        truth=levels_truth(cell, seed).value,
        methods=tuple(method.value for method in methods),
        nominal=LEVELS,
        coverage=tuple(
            tuple(_coverage(collected, method, level).share for method in methods) for level in LEVELS
        ),
        without=tuple(cohorts - _coverage(collected, method, max(LEVELS)).given for method in methods),
    )


def _coverage(collected: Collected, method: Method, level: float) -> Coverage:
    (bounds,) = [
        bounds for key, bounds in collected.shots.items() if key.method is method and key.nominal == level
    ]
    return tally(bounds.low, bounds.high, bounds.truth, floor=level)


def markdown(levels: Levels) -> str:
    """The table for a page, the highest level first, as published."""
    rows = ((f"{nominal:.2f}", *map(_share, shares)) for nominal, shares in _rows(levels))
    return f"{levels.caption}\n\n{pages.markdown(('nominal', *levels.methods), rows)}"


def table(levels: Levels) -> Table:
    """The same as a table of a report, which LaTeX is made of."""
    columns = [Column(title=title, kind="num") for title in ("Nominal", *levels.methods)]
    rows = tuple(
        tuple((TextSpan(text=_share(number)),) for number in (nominal, *shares))
        for nominal, shares in _rows(levels)
    )
    name, caption = f"coverage-{levels.fmr:g}", spans(levels.caption)
    return Table(name=name, caption=caption, columns=tuple(columns), blocks=(Block(rows=rows),))


def _rows(levels: Levels) -> Iterable[tuple[float, tuple[float, ...]]]:
    return reversed(list(zip(levels.nominal, levels.coverage, strict=True)))


def _share(share: float) -> str:
    """Two digits; a dash where no cohort had an interval."""
    return ABSENT if math.isnan(share) else f"{share:.2f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the designs that the arguments name; exit code 0."""
    options = _parser().parse_args(argv)
    methods = [Method(name) for name in options.methods]
    results = [
        study(
            cell,
            methods,
            cohorts=options.cohorts,
            n=options.B,
            seed=options.seed,
            workers=options.workers,
            progress=on_terminal,
        )
        for cell in cells(options)
    ]
    text = "\n\n".join(markdown(levels) for levels in results)
    options.out.mkdir(parents=True, exist_ok=True)
    bands = true_curve.bands(cells(options)[0], methods, n=options.B, seed=options.seed)
    (options.out / STUDY_FILE).write_bytes(to_bytes(to_json(Study(levels=tuple(results), bands=bands))))
    latex = "\n".join(to_latex(table(levels)) for levels in results)
    (options.out / STUDY_FILE).with_suffix(".tex").write_text(latex, "utf-8")
    pages.into(options.docs, SECTION, text)
    sys.stdout.write(f"{text}\n")
    return 0


def cells(options: argparse.Namespace) -> list[LevelsCell]:
    """One design for each FMR."""
    low, high = options.concentration
    population = replace(HARD, dimension=options.dimension, concentration=(low, high))
    return [
        LevelsCell(
            same=True, population=population, subjects=options.subjects, samples=options.samples, fmr=fmr
        )
        for fmr in options.fmr
    ]


def _parser() -> argparse.ArgumentParser:
    parser = pages.parser_of("nominal_levels", __doc__)
    parser.add_argument("--subjects", type=int, default=300)
    parser.add_argument("--samples", type=int, default=6, help="of each subject")
    parser.add_argument("--dimension", type=int, default=HARD.dimension)
    parser.add_argument(
        "--concentration", type=float, nargs=2, default=HARD.concentration, metavar=("LOW", "HIGH")
    )
    parser.add_argument("--fmr", type=float, nargs="+", default=[0.001, 0.03])
    methods = [method.value for method in METHODS]
    parser.add_argument("--methods", nargs="+", choices=methods, default=methods)
    parser.add_argument("--cohorts", type=int, default=200)
    parser.add_argument("--B", type=int, default=999)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="processes; the numbers do not depend on it")
    parser.add_argument("--out", type=Path, default=Path("reports/guarantees"), help="folder written to")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
