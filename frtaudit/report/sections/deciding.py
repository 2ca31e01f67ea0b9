"""How many subjects would decide an inconclusive finding, and under which condition."""

from frtaudit.core import Target
from frtaudit.core.metrics import D_L2, RATES
from frtaudit.core.text import formatting
from frtaudit.evaluation.subjects_needed import subjects_for_distance, subjects_needed
from frtaudit.report.sections.verdicts import FindingRow, is_blurred, sense, two_sided
from frtaudit.report.source import Record, Source

OF_RATES = (
    "These numbers assume that rate and effective sample size per subject stay as estimated. About half of such audits "
    "would then pass or fail (without an error, all)."
)
OF_DISTANCES = (
    "These numbers assume that d_l2, its variance per subject and the shares of classes stay as estimated. About half "
    "of such audits would then pass or fail."
)


def condition(record: Record) -> str:
    """What the number of subjects assumes."""
    return OF_DISTANCES if record.estimate.metric == D_L2 else OF_RATES


def what_would(source: Source, row: FindingRow, record: Record) -> tuple[bool, str]:
    """Whether a number of subjects would decide a finding, and what would, in brackets; else nothing."""
    if is_blurred(source, source.result.findings[row.index]):
        return False, " (a larger bootstrap.B may decide)"
    needed = subjects(source, row, record)
    if needed is None:
        return False, ""
    whole = record.estimate.group == "all" or record.estimate.metric == D_L2
    whom = "in all" if whole else f"of {source.label(record.estimate.schema, record.estimate.group)}"
    return True, f" (about {formatting.count(needed)} subjects {whom} are needed)"


def subjects(source: Source, row: FindingRow, record: Record) -> float | None:
    """How many subjects would decide a finding, if its estimate stays as it is; None where that cannot be said."""
    finding, estimate = source.result.findings[row.index], record.estimate
    bound, count = record.bound(Target.POPULATION), source.result.cohort.get("subjects")
    if estimate.group != "all" and estimate.metric != D_L2:  # each class is compared with the mean of all
        rows = source.counts(estimate.schema or "")
        count = next((row.get("subjects") for row in rows if row.get("group") == estimate.group), None)
    if estimate.value is None or bound is None or finding.bound_level is None:
        return None
    if not isinstance(count, (int, float)) or not count:
        return None
    sides = 2 if two_sided(source, finding) else 1
    upper, alpha, family = (
        sense(source, finding) == "<=",
        (1.0 - finding.bound_level) / sides,
        finding.family or 1,
    )
    low, high, level = bound.interval.low, bound.interval.high, bound.interval.level
    if estimate.metric == D_L2 and upper and low is not None and high is not None:
        errors = alpha, alpha / family / _classes(source, record)
        return subjects_for_distance(
            estimate.value, finding.limit, (low, high), level=level, errors=errors, subjects=float(count)
        )
    if estimate.metric not in RATES:
        return None
    return subjects_needed(
        estimate.value,
        finding.limit,
        upper=upper,
        alpha=alpha,
        family=family,
        n_eff=bound.interval.n_eff or 0.0,
        subjects=float(count),
    )


def _classes(source: Source, record: Record) -> int:
    """How many classes the largest distance is chosen from; 1 for the distance of one class."""
    if record.estimate.group != "max":
        return 1
    names = {
        candidate.estimate.group
        for candidate in source.select(D_L2, schema=record.estimate.schema)
        if candidate.estimate.provider == record.estimate.provider
        and candidate.estimate.at == record.estimate.at
    }
    return max(1, sum(name != "max" and "|" not in str(name) for name in names))
