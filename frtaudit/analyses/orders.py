"""How far A against B is from B against A, by system: what a double round robin is run for (thesis; FORMULAS 8.15)."""

from dataclasses import dataclass
from functools import partial

from frtaudit.core import Estimate
from frtaudit.core.registry import register
from frtaudit.evaluation.system import AnalysisOutput, SystemData

NAME = "orders"
DESCRIBES = (
    "describes these comparisons: both orders of a pair are one comparison, which no interval counts twice"
)


@register("analysis", NAME)
@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """Comparisons made in both orders: how many differ, and by how much, in the provider's own units.

    Nothing where the protocol makes one order only.
    """

    metrics = ("order_differing", "order_gap_mean", "order_gap_max")

    def estimates(self, system: SystemData, alpha: float) -> AnalysisOutput:  # noqa: ARG002  analyses share a signature
        """Share of the comparisons with two scores that differ, mean and largest difference."""
        asymmetry = system.orders
        if asymmetry is None or not asymmetry.both:
            return AnalysisOutput(
                notes=() if asymmetry is None else (f"{system.provider}: no comparison in both orders",)
            )
        make = partial(Estimate.of, system.provider, NAME, note=DESCRIBES)
        counts = asymmetry.differing, asymmetry.both
        estimates = (
            make("order_differing", counts[0] / counts[1], counts=counts),
            make("order_gap_mean", asymmetry.mean),
            make("order_gap_max", asymmetry.max),
        )
        return AnalysisOutput(estimates=estimates)
