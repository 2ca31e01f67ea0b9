"""The modes of a service's scores, and the mixture that they are of, as a result keeps them."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from frtaudit.core import Curve, Estimate
from frtaudit.core.arrays import Floats
from frtaudit.core.labelling import Mixture, ModeFit
from frtaudit.stats._scipy import scipy

CURVES = "labels_modes"
PARTS = ("non_mated", "mated")
BINS = 60
GIVEN = "given as cohort.labels.modes"
AT_ENDS = "most scores lie at the floor and the ceiling: these are the modes"


def estimates(provider: str, analysis: str, fit: ModeFit) -> Iterator[Estimate]:
    """Both modes; of the mixture mean, width and share of each part, log-likelihood and the number of starts."""
    mixture, make = fit.mixture, partial(Estimate.of, provider, analysis, weighting="pooled")
    note = GIVEN if fit.given else fit.problem or (AT_ENDS if mixture is None else None)
    for place, part in enumerate(PARTS):
        mode = None if fit.modes is None else fit.modes[place]
        yield make("label_mode", mode, at={"part": part}, note=note)
        if mixture is not None:
            for metric, value in (
                ("label_mode_mean", mixture.mean[place]),
                ("label_mode_width", mixture.width[place]),
                ("label_mode_share", mixture.share[place]),
            ):
                yield make(metric, value, at={"part": part})
    if mixture is not None:
        yield make("label_mode_log_likelihood", mixture.log_likelihood)
        yield make("label_mode_gain", mixture.gain)
        yield make("label_mode_starts", float(mixture.starts))


def curves(provider: str, scores: Floats, mixture: Mixture | None) -> Iterator[Curve]:
    """Shares of scores in equal bins, and those that each part of the mixture has there; none without two scores.

    What a part has beyond the first and the last edge stands in the first and the last bin, as scores cut off do.
    """
    if scores.size and scores[0] < scores[-1]:
        edges = np.linspace(scores[0], scores[-1], BINS + 1)
        drawn = {"scores": np.histogram(scores, edges)[0] / scores.size}
        if mixture is not None:
            cuts = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])
            for place, part in enumerate(PARTS):
                shares = np.diff(scipy.special.ndtr((cuts - mixture.mean[place]) / mixture.width[place]))
                drawn[part] = shares * mixture.share[place]
        for rate, y in drawn.items():
            middles = (edges[1:] + edges[:-1]) / 2
            yield Curve.of(provider, CURVES, middles, y, weighting="pooled", rate=rate)
