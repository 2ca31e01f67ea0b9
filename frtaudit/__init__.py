"""frtaudit: statistical audits of face verification. A spec goes in, a signed report comes out.

These names, their arguments and what they return follow semantic versioning, and so does :mod:`frtaudit.plugin`; every
other module may change in any version. Everything is loaded when it is first used, so that ``frtaudit --version``
answers at once.

>>> import frtaudit
>>> frtaudit.load_spec(["audit=demo"]).name
'demo'
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frtaudit.config.load import load_spec
    from frtaudit.core import (
        AuditResult,
        Cohort,
        Comparisons,
        Curve,
        Estimate,
        Finding,
        Interval,
        Method,
        RateCurve,
        ScoreTable,
        ScoreTail,
        Target,
        Verdict,
    )
    from frtaudit.core.registry import register
    from frtaudit.core.spec import AuditSpec
    from frtaudit.errors import DataError, FrtauditError, ProviderError, SpecError, VerificationError
    from frtaudit.pipeline.audit_report import Report
    from frtaudit.pipeline.door import audit, compare, evaluate, load_report, run
    from frtaudit.pipeline.run import RunSummary
    from frtaudit.signing.verification import Depth, Verification
    from frtaudit.signing.verify import verify

__version__ = "0.2.0"

_PLACES = {
    "frtaudit.pipeline.door": ("audit", "compare", "evaluate", "load_report", "run"),
    "frtaudit.pipeline.audit_report": ("Report",),
    "frtaudit.pipeline.run": ("RunSummary",),
    "frtaudit.signing.verify": ("verify",),
    "frtaudit.signing.verification": ("Depth", "Verification"),
    "frtaudit.core": (
        "AuditResult",
        "Cohort",
        "Comparisons",
        "Curve",
        "Estimate",
        "Finding",
        "Interval",
        "Method",
        "RateCurve",
        "ScoreTable",
        "ScoreTail",
        "Target",
        "Verdict",
    ),
    "frtaudit.core.spec": ("AuditSpec",),
    "frtaudit.errors": ("DataError", "FrtauditError", "ProviderError", "SpecError", "VerificationError"),
    "frtaudit.core.registry": ("register",),
    "frtaudit.config.load": ("load_spec",),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "AuditResult",
    "AuditSpec",
    "Cohort",
    "Comparisons",
    "Curve",
    "DataError",
    "Depth",
    "Estimate",
    "Finding",
    "FrtauditError",
    "Interval",
    "Method",
    "ProviderError",
    "RateCurve",
    "Report",
    "RunSummary",
    "ScoreTable",
    "ScoreTail",
    "SpecError",
    "Target",
    "Verdict",
    "Verification",
    "VerificationError",
    "__version__",
    "audit",
    "compare",
    "evaluate",
    "load_report",
    "load_spec",
    "register",
    "run",
    "verify",
]


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for."""
    if name not in _PLACE_OF:
        raise AttributeError(f"frtaudit has no public name {name!r}")
    return getattr(import_module(_PLACE_OF[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
