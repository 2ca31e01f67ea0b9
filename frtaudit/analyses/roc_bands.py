"""How sure is the ROC as a whole? Simultaneous bands, bootstrap replicates around the V-statistic, uncertainty."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from frtaudit.core import Curve, Method, Target
from frtaudit.core.curves import spans
from frtaudit.core.spec import Plan
from frtaudit.errors import SpecError
from frtaudit.registry import register
from frtaudit.stats import bands
from frtaudit.sweep import Drawn, Sweep, sweep
from frtaudit.trial import Outcome, Trial

NAME = "roc_bands"
BAND, VSTAT = "roc_band", "roc_vstat"
DIGITS = 6
Floats = npt.NDArray[np.float64]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class RocBands:
    """Curves of everybody in the spec's primary weighting, over the grid of FMR targets (002, 3.2; FORMULAS 8.10).

    ``replicates``: how many curves of the image bootstrap the result keeps, for drawing, rounded to six digits.
    """

    replicates: int = 100

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a negative number of curves."""
        if self.replicates < 0:
            raise SpecError(f"analyses.{NAME}.replicates", f"found {self.replicates}", "a number from 0")

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """Curves only; where a plan was not drawn, what rests on it is left out."""
        swept = sweep(trial, "fnmr", trial.spec.weighting, 0)
        return Outcome(curves=tuple(self._curves(trial, swept, alpha)) if swept.x.size else ())

    def _curves(self, trial: Trial, swept: Sweep, alpha: float) -> Iterator[Curve]:
        named = Drawn(trial=trial, kind=BAND, schema=None, group="all", metric="roc", rate="fnmr")
        if Plan.IMAGES in swept.replicates:
            thin = [reason and f"no band: {reason}" for reason in swept.thin]
            yield replace(
                replace(named, kind=VSTAT).curve(swept, swept.vstat, spans(swept.x.tolist(), thin)),
                replicates=_kept(swept.replicates[Plan.IMAGES][: self.replicates]),
            )
            yield _fixed(named, swept, alpha)
        if Plan.SUBJECTS in swept.replicates:
            yield _population(named, swept, alpha)
        uncertainty = named.uncertainty(swept)
        if uncertainty is not None:
            yield uncertainty


def _fixed(named: Drawn, swept: Sweep, alpha: float) -> Curve:
    usable = np.array([reason is None for reason in swept.thin])
    made = bands.simultaneous(swept.replicates[Plan.IMAGES], swept.value, swept.vstat, usable, alpha)
    curve = _banded(named, swept, made, alpha)
    return replace(curve, method=Method.RECENTERED, target=Target.FIXED_IDENTITIES)


def _population(named: Drawn, swept: Sweep, alpha: float) -> Curve:
    usable = np.array([reason is None for reason in swept.thin])
    made = bands.on_logit(swept.replicates[Plan.SUBJECTS], swept.value, usable, alpha)
    curve = _banded(named, swept, made, alpha)
    return replace(curve, method=Method.VERTEX, target=Target.POPULATION)


def _banded(named: Drawn, swept: Sweep, made: bands.Band, alpha: float) -> Curve:
    degenerate = "the replicates do not vary, or some are undefined"
    reasons = [
        None if inside else f"no band: {thin or degenerate}"
        for inside, thin in zip(made.inside, swept.thin, strict=True)
    ]
    return replace(
        named.curve(swept, swept.value, spans(swept.x.tolist(), reasons)),
        low=tuple(made.low.tolist()),
        high=tuple(made.high.tolist()),
        level=1 - alpha,
        simultaneous=True,
    )


def _kept(drawn: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(f"{value:.{DIGITS}g}") for value in one) for one in drawn.tolist())
