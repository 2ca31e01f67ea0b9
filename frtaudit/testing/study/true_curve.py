"""Bands of one synthetic cohort and the true ROC of its subjects (Conti and Clémençon, Figures 7 and 8)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from frtaudit.core import Curve, Method, Target
from frtaudit.core.spec import IntervalSpec, Weighting
from frtaudit.evaluation.over_fmr import Drawn, read_along
from frtaudit.report.figures import bands, canvas, legends
from frtaudit.report.figures.bands import RATE, Banded, BandStyle, outside
from frtaudit.report.pieces import Figure, spans
from frtaudit.testing.study.cells import RESOLVED, LevelsCell
from frtaudit.testing.study.cohorts import fixed_roc, levels_system

PER_DECADE, HIGHEST = 5, 0.1
LEVEL = 0.95


def curves(cell: LevelsCell, methods: Sequence[Method], *, n: int, seed: int) -> tuple[list[Curve], Curve]:
    """FNMR over FMR of the study's first cohort with the band of each method, and the true FNMR at the same FMRs."""
    system = levels_system(cell, 0, _targets(cell), seed=seed, n=n)
    along = read_along(system, "fnmr", Weighting.POOLED, 0)
    named = Drawn(system=system, kind="roc", schema=None, group="all", metric="roc", rate="fnmr")
    banded = [
        named.banded(
            along,
            IntervalSpec(method=method, target=Target.FIXED_IDENTITIES),
            1 - LEVEL,
            (None,) * along.x.size,
        )
        for method in methods
    ]
    truth = named.curve(along, np.array(fixed_roc(cell, along.x.tolist(), seed)), ())
    return banded, replace(truth, group="truth")


def figures(cell: LevelsCell, methods: Sequence[Method], *, n: int, seed: int) -> list[Figure]:
    """A figure of each method: its band, the empirical curve, and the true one in dashes."""
    banded, truth = curves(cell, methods, n=n, seed=seed)
    low, high = cell.population.concentration
    caption = spans(
        f"One cohort of {cell.subjects} subjects with {cell.samples} samples each, dimension "
        f"{cell.population.dimension}, concentration {low:g} to {high:g}, B = {n}; pointwise band at level "
        f"{LEVEL:g}. The true FNMR is that of the same subjects, from fresh samples."
    )
    drawn = []
    for place, (method, curve) in enumerate(zip(methods, banded, strict=True)):
        style = BandStyle(label=f"{method.value} band", hue=canvas.HUES[1 + place], fill=True)
        out, total = outside(truth, replace(curve, y=truth.y))
        alt = f"{method.value} band at level {LEVEL:g}: the true FNMR lies outside at {out} of {total} FMRs."
        name, title = f"bands_{method.value}", f"The {method.value} band and the true ROC"
        panel = bands.compared(name, title, curve, [Banded(style=style, curve=curve)], RATE, alt, truth)
        keys = (
            bands.line_key(name, 0, "empirical ROC"),
            bands.band_key(name, style),
            *legends.dashes(name, ["true ROC"], first=1),
        )
        drawn.append(Figure(name=name, title=title, caption=caption, panels=(panel,), keys=keys))
    return drawn


def _targets(cell: LevelsCell) -> tuple[float, ...]:
    """FMRs at which ten false matches are expected or more."""
    pairs = cell.subjects * (cell.subjects - 1) // 2 * cell.samples**2
    decades = np.log10(HIGHEST * pairs / RESOLVED)
    steps = np.arange(int(decades * PER_DECADE) + 1)
    return tuple(float(f"{fmr:.3g}") for fmr in HIGHEST * 10.0 ** (-steps / PER_DECADE))
