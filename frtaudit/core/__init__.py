"""Frozen values: what every other floor passes around. No input, no output."""

from frtaudit.core.cohort import (
    UNKNOWN,
    Classification,
    Cohort,
    CohortData,
    LedgerEntry,
    StoredSystem,
    Templates,
)
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
