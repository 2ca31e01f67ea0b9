"""Synthetic curves over FMR of one system: ROC with every band, a bundle, eight fairness metrics, their uncertainty."""

import math
from itertools import product

import numpy as np
from report_fixture import SYSTEMS, fnmr

from frtaudit.core import Curve, Method, Target

X = tuple(float(f"{10**power:.6g}") for power in np.linspace(-5, -1, 17))
FIXED = (Method.NAIVE, Method.RECENTERED, Method.GAUSSIAN)
METRICS = {"max_min": 1.0, "max_geomean": 1.0, "log_geomean": 0.0, "gini": 0.0}
SYSTEM = next(iter(SYSTEMS))
GAP = "FMR 0.0562 to 0.1: no band: Amber has fewer than 10 errors or 10 subjects with errors"


def curve(kind: str, y: list[float], **more: object) -> Curve:
    """A curve over the targets."""
    fields = {"provider": SYSTEM, "analysis": kind, "schema": None, "group": "all", "weighting": "identity"}
    return Curve(**{**fields, **more}, x=X, y=tuple(y))  # type: ignore[arg-type]  # fields of a curve


def around(y: list[float], down: float, up: float) -> dict[str, object]:
    """A band that is missing at the last two targets."""
    seen = len(y) - 2
    return {
        "low": tuple(value * down if at < seen else math.nan for at, value in enumerate(y)),
        "high": tuple(value * up if at < seen else math.nan for at, value in enumerate(y)),
    }


def rocs() -> list[Curve]:
    """The ROC with pointwise and simultaneous bands, and the V-statistic with seven replicates."""
    y = [fnmr(SYSTEM, x) for x in X]
    low = [0.8 * value for value in y]
    ends = dict(zip(FIXED, ((0.7, 0.9), (0.9, 1.1), (0.88, 1.12)), strict=True))
    made = [
        curve("roc", y, **around(y, *ends[method]), method=method, target=Target.FIXED_IDENTITIES)
        for method in FIXED
    ]
    made.append(curve("roc", y, **around(y, 0.8, 1.25), method=Method.VERTEX, target=Target.POPULATION))
    replicates = tuple(tuple(value * (0.9 + 0.03 * b) for value in low) for b in range(7))
    made.append(curve("roc_vstat", low, metric="roc", rate="fnmr", replicates=replicates))
    for method, target in ((Method.RECENTERED, Target.FIXED_IDENTITIES), (Method.VERTEX, Target.POPULATION)):
        band = around(y, 0.7, 1.4)
        made.append(
            curve(
                "roc_band",
                y,
                **band,
                method=method,
                target=target,
                level=0.95,
                simultaneous=True,
                notes=(GAP,),
            )
        )
    return made


def fairness() -> list[Curve]:
    """Eight metrics, each with three bands; ratios are infinite at the last target; FMR bands leave their curve out."""
    made = []
    for rate, (metric, alike) in product(("fnmr", "fmr"), METRICS.items()):
        y = [alike + 0.3 + 0.05 * at for at in range(len(X))]
        y[-1] = math.inf if metric != "gini" else 0.9
        notes = (GAP,) if metric == "gini" else ("FMR 0.1: infinite: a class has no error", GAP)
        band = around(y, 1.1 if rate == "fmr" else 0.8, 1.3)
        named = {"schema": "group", "metric": metric, "rate": rate, "level": 0.95, "notes": notes}
        made += [
            curve("fairness", y, **band, **named, method=method, target=Target.FIXED_IDENTITIES)
            for method in FIXED
        ]
    return made


def uncertainty() -> list[Curve]:
    """Normalized uncertainty of the ROC and of the eight metrics; max/geomean is lowest."""
    made = [curve("normalized_uncertainty", [0.05] * len(X), metric="roc", rate="fnmr")]
    for rate, (place, metric) in product(("fnmr", "fmr"), enumerate(METRICS)):
        y = [0.2 + 0.1 * abs(place - 1) + 0.01 * at for at in range(len(X))]
        y[-1] = math.nan
        made.append(
            curve(
                "normalized_uncertainty", y, schema="group", metric=metric, rate=rate, notes=("FMR 0.1: few",)
            )
        )
    return made


def curves() -> list[Curve]:
    """All of them."""
    return [*rocs(), *fairness(), *uncertainty()]
