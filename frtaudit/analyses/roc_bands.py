"""How sure is the ROC as a whole? Simultaneous bands, bootstrap replicates around the V-statistic, uncertainty."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from frtaudit.core import Curve, Method, Target
from frtaudit.core.curves import spans
from frtaudit.core.registry import register
from frtaudit.core.spec import Plan
from frtaudit.errors import SpecError
from frtaudit.evaluation.intervals import few_images
from frtaudit.evaluation.operating_points import images_of
from frtaudit.evaluation.over_fmr import Drawn, OverFmr, read_along
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.stats.intervals import bands

NAME = "roc_bands"
BAND, VSTAT = "roc_band", "roc_vstat"
DIGITS = 6


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class RocBands:
    """Overall curves in the spec's primary weighting, over the grid of FMR targets (Conti and Clémençon, 3.2).

    ``replicates``: how many curves of the image bootstrap the result keeps, for drawing, rounded to six digits.
    """

    replicates: int = 100

    def __post_init__(self) -> None:
        """Raise :class:`SpecError` for a negative number of curves."""
        if self.replicates < 0:
            raise SpecError(f"analyses.{NAME}.replicates", f"found {self.replicates}", "a number from 0")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:
        """Curves only; where a plan was not drawn, what needs it is left out."""
        along = read_along(system, "fnmr", system.spec.weighting, 0)
        return AnalysisOutput(curves=tuple(self._curves(system, along, alpha)) if along.x.size else ())

    def _curves(self, system: SystemData, along: OverFmr, alpha: float) -> Iterator[Curve]:
        named = Drawn(system=system, kind=BAND, schema=None, group="all", metric="roc", rate="fnmr")
        usable = np.array([reason is None for reason in along.too_few_errors])
        if Plan.IMAGES in along.replicates:
            images = along.replicates[Plan.IMAGES]
            thin = [reason and f"no band: {reason}" for reason in along.too_few_errors]
            yield replace(
                replace(named, kind=VSTAT).curve(along, along.vstat, spans(along.x.tolist(), thin)),
                replicates=tuple(
                    tuple(float(f"{value:.{DIGITS}g}") for value in row)
                    for row in images[: self.replicates].tolist()
                ),
            )
            band = bands.simultaneous(images, along.value, along.vstat, usable, alpha)
            curve, few = _banded(named, along, band, alpha), few_images(images_of(system))
            notes = curve.notes if few is None else (*curve.notes, few)
            yield replace(curve, method=Method.RECENTERED, target=Target.FIXED_IDENTITIES, notes=notes)
        if Plan.SUBJECTS in along.replicates:
            band = bands.on_logit(along.replicates[Plan.SUBJECTS], along.value, usable, alpha)
            curve = _banded(named, along, band, alpha)
            yield replace(curve, method=Method.VERTEX, target=Target.POPULATION)
        uncertainty = named.uncertainty(along)
        if uncertainty is not None:
            yield uncertainty


def _banded(named: Drawn, along: OverFmr, band: bands.Band, alpha: float) -> Curve:
    degenerate = "the replicates do not vary, or some are undefined"
    reasons = [
        None if inside else f"no band: {thin or degenerate}"
        for inside, thin in zip(band.inside, along.too_few_errors, strict=True)
    ]
    return replace(
        named.curve(along, along.value, spans(along.x.tolist(), reasons)),
        low=tuple(band.low.tolist()),
        high=tuple(band.high.tolist()),
        level=1 - alpha,
        simultaneous=True,
    )
