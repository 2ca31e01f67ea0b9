"""A small rapid test, made once and shared."""

from dataclasses import replace
from functools import cache
from typing import Any

from searches import SCHEMAS, SEARCH
from small_audits import EXPLICIT, spec

from frtaudit.analyses.error_rates import ErrorRates
from frtaudit.analyses.identity_labels import IdentityLabels
from frtaudit.core import AuditResult
from frtaudit.core.spec import AuditSpec, CurveGrid, Folds, FoldSource, Thresholds
from frtaudit.datasets.protocols.listed import Listed
from frtaudit.pipeline.audit import Audited, audit


def made(**changes: Any) -> AuditSpec:
    """The spec of a rapid test on the shared search."""
    asked = spec(
        cohort=SEARCH,
        protocol=Listed(),
        providers=None,
        schemas=SCHEMAS,
        analyses={"error_rates": ErrorRates(curve_points=5), "identity_labels": IdentityLabels()},
        thresholds=Thresholds(fmr=(0.1, 0.05), grid=EXPLICIT, curve=CurveGrid(per_decade=2)),
        folds=Folds(source=FoldSource.NONE),
    )
    return replace(asked, **changes)


@cache
def whole() -> Audited:
    """The audit of :func:`made`, and what stands beside its result."""
    return audit(made())


def result() -> AuditResult:
    """The result of :func:`whole`."""
    return whole().result
