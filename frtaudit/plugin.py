"""What a plug-in in another wheel imports. These names follow semantic versioning, as those of :mod:`frtaudit` do.

A plug-in is a frozen dataclass under :func:`register`; the protocols (:class:`Provider`, :class:`Analysis`, ...) say
which methods its group asks for.

>>> from frtaudit.plugin import Method, Target
>>> Method.WILSON.value, Target.POPULATION.value
('wilson', 'population')
"""

from frtaudit.collection.clients.http import Caller, caller_of
from frtaudit.collection.clients.pictures import cut, picture_of, pixels
from frtaudit.collection.clients.protocol import Gate, Limits, Notes, Service, Session, Source, SourceImage
from frtaudit.core import (
    UNKNOWN,
    AuditResult,
    Classification,
    Cohort,
    CohortData,
    Comparisons,
    Curve,
    Estimate,
    Finding,
    Groups,
    Interval,
    LedgerEntry,
    Method,
    NonMated,
    OrderRule,
    RateCurve,
    ScoreTable,
    ScoreTail,
    Target,
    Templates,
    Verdict,
)
from frtaudit.core.collecting import Answer, Box, CallError, Crop, DetectedFace, Detection, Picture, Refusal
from frtaudit.core.registry import register
from frtaudit.core.spec import AuditSpec, FailureScore, Plan, SchemaSpec, Weighting
from frtaudit.core.spec_values import MACHINE, PATH
from frtaudit.errors import DataError, FrtauditError, ProviderError, SpecError
from frtaudit.evaluation.operating_points import OperatingPoint, rate_estimate
from frtaudit.evaluation.protocols import (
    Analysis,
    CohortAnalysis,
    CohortSource,
    Comparison,
    Pairing,
    Provider,
)
from frtaudit.evaluation.shares import share_estimate
from frtaudit.evaluation.system import AnalysisOutput, SystemData
from frtaudit.inputs.acquisition import acquired_rows, table_of, tail_of, usual_range
from frtaudit.inputs.pairing import listed_comparisons
from frtaudit.inputs.roster import Roster, attributes_of, enrol
from frtaudit.report.exports.run_folder import Export, FinishedRun, read_run
from frtaudit.report.exports.write import export
from frtaudit.stats.similarity.allpairs import ScoredTail, TailRequest

__all__ = [
    "MACHINE",
    "PATH",
    "UNKNOWN",
    "Analysis",
    "AnalysisOutput",
    "Answer",
    "AuditResult",
    "AuditSpec",
    "Box",
    "CallError",
    "Caller",
    "Classification",
    "Cohort",
    "CohortAnalysis",
    "CohortData",
    "CohortSource",
    "Comparison",
    "Comparisons",
    "Crop",
    "Curve",
    "DataError",
    "DetectedFace",
    "Detection",
    "Estimate",
    "Export",
    "FailureScore",
    "Finding",
    "FinishedRun",
    "FrtauditError",
    "Gate",
    "Groups",
    "Interval",
    "LedgerEntry",
    "Limits",
    "Method",
    "NonMated",
    "Notes",
    "OperatingPoint",
    "OrderRule",
    "Pairing",
    "Picture",
    "Plan",
    "Provider",
    "ProviderError",
    "RateCurve",
    "Refusal",
    "Roster",
    "SchemaSpec",
    "ScoreTable",
    "ScoreTail",
    "ScoredTail",
    "Service",
    "Session",
    "Source",
    "SourceImage",
    "SpecError",
    "SystemData",
    "TailRequest",
    "Target",
    "Templates",
    "Verdict",
    "Weighting",
    "acquired_rows",
    "attributes_of",
    "caller_of",
    "cut",
    "enrol",
    "export",
    "listed_comparisons",
    "picture_of",
    "pixels",
    "rate_estimate",
    "read_run",
    "register",
    "share_estimate",
    "table_of",
    "tail_of",
    "usual_range",
]
