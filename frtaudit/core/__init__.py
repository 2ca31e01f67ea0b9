"""Frozen values: what every other layer passes around. No input, no output.

Each name is loaded when it is first used: a command that only answers loads no arrays.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frtaudit.core.cohort import Classification, Cohort, CohortData, LedgerEntry, StoredSystem, Templates
    from frtaudit.core.comparisons import Comparisons, Step
    from frtaudit.core.curves import Curve, RateCurve
    from frtaudit.core.estimates import Estimate, Interval, Test, TestMethod
    from frtaudit.core.findings import Finding, Verdict
    from frtaudit.core.methods import Method, Target
    from frtaudit.core.result import SCHEMA_VERSION, AuditResult
    from frtaudit.core.scores import Blocks, Groups, NonMatedSums, ScoreTable, ScoreTail
    from frtaudit.core.spec_values import UNKNOWN, NonMated, OrderRule

_PLACES = {
    "cohort": (
        "Classification",
        "Cohort",
        "CohortData",
        "LedgerEntry",
        "StoredSystem",
        "Templates",
    ),
    "comparisons": ("Comparisons", "Step"),
    "curves": ("Curve", "RateCurve"),
    "estimates": ("Estimate", "Interval", "Test", "TestMethod"),
    "methods": ("Method", "Target"),
    "findings": ("Finding", "Verdict"),
    "result": ("SCHEMA_VERSION", "AuditResult"),
    "spec_values": ("UNKNOWN", "NonMated", "OrderRule"),
    "scores": ("Blocks", "Groups", "NonMatedSums", "ScoreTable", "ScoreTail"),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "SCHEMA_VERSION",
    "UNKNOWN",
    "AuditResult",
    "Blocks",
    "Classification",
    "Cohort",
    "CohortData",
    "Comparisons",
    "Curve",
    "Estimate",
    "Finding",
    "Groups",
    "Interval",
    "LedgerEntry",
    "Method",
    "NonMated",
    "NonMatedSums",
    "OrderRule",
    "RateCurve",
    "ScoreTable",
    "ScoreTail",
    "Step",
    "StoredSystem",
    "Target",
    "Templates",
    "Test",
    "TestMethod",
    "Verdict",
]


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for."""
    if name not in _PLACE_OF:
        raise AttributeError(f"frtaudit.core has no name {name!r}")
    return getattr(import_module(f"frtaudit.core.{_PLACE_OF[name]}"), name)
