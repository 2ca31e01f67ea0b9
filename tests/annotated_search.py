"""A small synthetic web search, audited: what tests of annotation read."""

from functools import cache

from frtaudit.config.load import load_spec
from frtaudit.core.result import AuditResult
from frtaudit.pipeline.audit import audit

SMALL = (
    "audit=rapid_demo", "cohort.queries=24", "cohort.dimension=24", "cohort.twins=0.2", "~cohort.services.crest",
    "~cohort.services.delta", "schemas=[]", "analyses=[error_rates]", "thresholds.fmr=[0.1,0.02]", "bootstrap.B=99",
)  # fmt: skip


@cache
def result(*more: str) -> AuditResult:
    """A small synthetic search, three services, a fifth of the queries with two people."""
    return audit(load_spec([*SMALL, *more])).result
