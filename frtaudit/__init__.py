"""frtaudit: statistical audits of face verification. A spec goes in, a signed report comes out.

The public door. Everything here is loaded when it is first used, so that ``frtaudit --version`` answers at once.

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
    from frtaudit.pipeline.run import run
    from frtaudit.signing.verify import verify

__version__ = "0.1.0"

_PLACES = {
    "frtaudit.signing.verify": ("verify",),
    "frtaudit.pipeline.run": ("run",),
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
    "Estimate",
    "Finding",
    "FrtauditError",
    "Interval",
    "Method",
    "ProviderError",
    "RateCurve",
    "ScoreTable",
    "ScoreTail",
    "SpecError",
    "Target",
    "Verdict",
    "VerificationError",
    "__version__",
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
