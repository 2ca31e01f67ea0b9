"""Bands of one synthetic cohort and the true ROC of its subjects (Conti and Clémençon, Figures 7 and 8)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from frtaudit.core import Curve, Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.over_fmr import Drawn, read_along
from frtaudit.report.figures.nominal_levels import CohortBands
from frtaudit.testing.study.cells import RESOLVED, LevelsCell
from frtaudit.testing.study.cohorts import fixed_roc, levels_system

PER_DECADE, HIGHEST = 5, 0.1
LEVEL = 0.95


def curves(cell: LevelsCell, methods: Sequence[Method], *, n: int, seed: int) -> tuple[list[Curve], Curve]:
    """FNMR over FMR of the study's first cohort with the band of each method, and the true FNMR at the same FMRs."""
    pairs = cell.subjects * (cell.subjects - 1) // 2 * cell.samples**2
    decades = np.log10(HIGHEST * pairs / RESOLVED)  # down to where ten false matches are expected
    steps = np.arange(int(decades * PER_DECADE) + 1)
    targets = tuple(float(f"{fmr:.3g}") for fmr in HIGHEST * 10.0 ** (-steps / PER_DECADE))
    system = levels_system(cell, 0, targets, seed=seed, n=n)
    along = read_along(system, "fnmr", Weighting.POOLED, 0)
    named = Drawn(system=system, kind="roc", schema=None, group="all", metric="roc", rate="fnmr")
    wanted = [IntervalSpec(method=method, target=Target.FIXED_IDENTITIES) for method in methods]
    banded = [named.banded(along, spec, 1 - LEVEL, (None,) * along.x.size) for spec in wanted]
    truth = named.curve(along, np.array(fixed_roc(cell, along.x.tolist(), seed)), ())
    return banded, replace(truth, group="truth")


def bands(cell: LevelsCell, methods: Sequence[Method], *, n: int, seed: int) -> CohortBands:
    """The same with its design, as the study writes it."""
    banded, truth = curves(cell, methods, n=n, seed=seed)
    return CohortBands(
        subjects=cell.subjects,
        samples=cell.samples,
        dimension=cell.population.dimension,
        concentration=cell.population.concentration,
        B=n,
        level=LEVEL,
        curves=tuple(banded),
        truth=truth,
    )
