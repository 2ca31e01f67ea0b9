"""Synthetic people of known truth, checks for estimators, strategies for property tests: see docs/reference/testing.md.

Importable without pytest. :mod:`frtaudit.testing.strategies` needs hypothesis (``pip install frtaudit[testing]``) and
is imported by itself.
"""

from frtaudit.testing.checks import Coverage, ScoredCohort, coverage, invariance, monotonicity, tally
from frtaudit.testing.populations import HUBS, ISOTROPIC, POPULATIONS, WOLVES, Population, SubjectClass
from frtaudit.testing.truth import Truth, Value, simulate

__all__ = [
    "HUBS",
    "ISOTROPIC",
    "POPULATIONS",
    "WOLVES",
    "Coverage",
    "Population",
    "ScoredCohort",
    "SubjectClass",
    "Truth",
    "Value",
    "coverage",
    "invariance",
    "monotonicity",
    "simulate",
    "tally",
]
