"""The eight fairness metrics of Conti and Clemencon as curves over FMR, with bands and their normalized uncertainty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from frtaudit.core import Curve, Target
from frtaudit.core.curves import spans
from frtaudit.readings import Drawn, Readings, Reasons, read_along
from frtaudit.registry import register
from frtaudit.stats.differentials import RateIndex, rate_index
from frtaudit.trial import Outcome, Trial

NAME = "fairness_curves"
KIND = "fairness"
RATES = ("fnmr", "fmr")
Floats = npt.NDArray[np.float64]


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class FairnessCurves:
    """Four indices of the classes' FNMR and four of their FMR, at the threshold of everybody (002, A.1 and D.3).

    In the spec's primary weighting, with the band of every interval of target fixed_identities that the spec asks for.
    """

    def estimates(self, trial: Trial, alpha: float) -> Outcome:
        """Curves only: the indices at the declared targets are estimates of ``differentials``."""
        return Outcome(curves=tuple(self._curves(trial, alpha)))

    def _curves(self, trial: Trial, alpha: float) -> Iterator[Curve]:
        for schema in trial.groups.schemas:
            for rate in RATES:
                groups = _groups(trial, schema, rate)
                if len(groups) < 2 or not groups[0][1].x.size:
                    continue
                for kind in RateIndex:
                    named = Drawn(
                        trial=trial, kind=KIND, schema=schema, group="all", metric=kind.value, rate=rate
                    )
                    yield from _index_curves(named, _index(kind, groups), _unseen(kind, groups), alpha)


def _groups(trial: Trial, schema: str, rate: str) -> list[tuple[str, Readings]]:
    """The ranked classes of a schema, in its order, each read along the targets."""
    return [(name, read_along(trial, rate, trial.spec.weighting, tag)) for tag, name in trial.classes(schema)]


def _index(kind: RateIndex, groups: Sequence[tuple[str, Readings]]) -> Readings:
    """F(FRR_A) with F(FRRbar_A) and F(FRR*_A(t*_a)) at every target (FORMULAS 1, fairness)."""
    parts = [along for _, along in groups]
    return Readings(
        x=parts[0].x,
        value=rate_index(kind, np.stack([part.value for part in parts], axis=-1)),
        vstat=rate_index(kind, np.stack([part.vstat for part in parts], axis=-1)),
        replicates={
            plan: rate_index(kind, np.stack([part.replicates[plan] for part in parts], axis=-1))
            for plan in parts[0].replicates
        },
        thin=_thin(groups),
        refused=parts[0].refused,
    )


def _thin(groups: Sequence[tuple[str, Readings]]) -> Reasons:
    """The first class that has too few errors at each target, if there is one."""
    found = zip(*([(name, reason) for reason in along.thin] for name, along in groups), strict=True)
    return tuple(
        next((f"{name} has {reason}" for name, reason in at if reason is not None), None) for at in found
    )


def _unseen(kind: RateIndex, groups: Sequence[tuple[str, Readings]]) -> Reasons:
    """Why the index has no finite value at a target: a class was not compared, or some or all have no error."""
    rates = np.stack([along.value for _, along in groups], axis=-1)
    return tuple(_no_value(kind, at) for at in rates)


def _no_value(kind: RateIndex, rates: Floats) -> str | None:
    if np.isnan(rates).any():
        return "no value: a class has no comparison"
    if not rates.any():
        return "no value: no class has an error"
    if kind is not RateIndex.GINI and not rates.all():
        return "infinite: a class has no error"
    return None


def _index_curves(named: Drawn, along: Readings, unseen: Reasons, alpha: float) -> Iterator[Curve]:
    wanted = [spec for spec in named.trial.intervals if spec.target is Target.FIXED_IDENTITIES]
    for spec in wanted:
        yield named.banded(along, spec, alpha, unseen)
    if not wanted:
        yield named.curve(along, along.value, spans(along.x.tolist(), unseen))
    uncertainty = named.uncertainty(along)
    if uncertainty is not None:
        yield uncertainty
