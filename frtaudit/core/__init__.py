"""Frozen values: what every other floor passes around. No input, no output."""

from frtaudit.core.cohort import UNKNOWN, Classification, Cohort, Finished, LedgerEntry, Material, Templates
from frtaudit.core.comparisons import Comparisons, NonMated, Step
from frtaudit.core.curves import Curve, RateCurve
from frtaudit.core.estimates import SERVES, Estimate, Interval, Method, Target, Test, TestMethod
from frtaudit.core.findings import Finding, Verdict
from frtaudit.core.result import SCHEMA_VERSION, AuditResult
from frtaudit.core.scores import Blocks, Groups, NonMatedSums, ScoreTable, ScoreTail

__all__ = [
    "SCHEMA_VERSION",
    "SERVES",
    "UNKNOWN",
    "AuditResult",
    "Blocks",
    "Classification",
    "Cohort",
    "Comparisons",
    "Curve",
    "Estimate",
    "Finding",
    "Finished",
    "Groups",
    "Interval",
    "LedgerEntry",
    "Material",
    "Method",
    "NonMated",
    "NonMatedSums",
    "RateCurve",
    "ScoreTable",
    "ScoreTail",
    "Step",
    "Target",
    "Templates",
    "Test",
    "TestMethod",
    "Verdict",
]
