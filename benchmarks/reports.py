"""How long a big report takes: 20 systems, 12 groups, tables of hundreds of rows, in a process of its own.

``python -m benchmarks.reports`` prints seconds, memory and sizes, and ends with 1 beyond 60 s, 1 GB or 5 MB.
"""

import resource
import sys
import time
from itertools import product

import numpy as np

from frtaudit.core import AuditResult, Curve, Estimate, Finding, Interval, Method, Target, Verdict
from frtaudit.core.spec import Report
from frtaudit.report import render

SYSTEMS, GROUPS, TARGETS = 20, 12, (0.01, 0.001)
SECONDS, MEGABYTES, PDF_MEGABYTES = 60.0, 1000.0, 5.0
GRID = 365
METHODS = (
    (Method.WILSON, Target.POPULATION),
    (Method.VERTEX, Target.POPULATION),
    (Method.RECENTERED, Target.FIXED_IDENTITIES),
    (Method.WILSON_IID, Target.COMPARISONS_IID),
)


def big_result() -> AuditResult:
    """A synthetic result: rates of every system, group and target, curves of everybody and of groups, findings."""
    rng = np.random.default_rng(5)
    systems = [f"system_{n:02d}" for n in range(SYSTEMS)]
    groups = [f"group_{n:02d}" for n in range(GROUPS)]
    estimates = [
        _estimate(rng, system, group, metric, fmr)
        for system, group, fmr, metric in product(systems, ["all", *groups], TARGETS, ("fnmr_at_fmr", "fmr"))
        if not (group == "all" and metric == "fmr")
    ]
    curves = [
        _curve(rng, system, group, kind)
        for system, group, kind in product(systems, ["all", *groups], ("det", "fmr", "fnmr"))
    ]
    findings = [_finding(index, item) for index, item in enumerate(estimates) if item.metric == "fnmr_at_fmr"]
    rows = [
        {"group": name, "label": name.replace("_", " "), "subjects": 100, "samples": 500} for name in groups
    ]
    return AuditResult(
        spec={
            "name": "big",
            "weighting": "identity",
            "schemas": {"group": {}},
            "question": "Which of twenty systems meet their limits in every group?",
        },
        digests={"spec": "0" * 64, "cohort": "1" * 64, "inputs": {}},
        versions={"frtaudit": "0"},
        estimates=tuple(estimates),
        curves=tuple(curves),
        findings=tuple(findings),
        failures=(),
        cohort={
            "subjects": 1200,
            "samples": 6000,
            "schemas": {"group": {"groups": rows, "super_classes": {}}},
        },
    )


def _estimate(rng: np.random.Generator, system: str, group: str, metric: str, fmr: float) -> Estimate:
    trials = 5000
    errors = int(rng.binomial(trials, rng.uniform(0.005, 0.05)))
    value = errors / trials
    intervals = tuple(
        Interval(
            low=value * 0.8,
            high=value * 1.25 + 1e-4,
            level=0.95,
            method=method,
            target=target,
            n_eff=812.0,
            n_resamples=1999,
            mc_error=value / 100,
        )
        for method, target in METHODS
    )
    return Estimate(
        provider=system,
        analysis="error_rates",
        metric=metric,
        schema=None if group == "all" else "group",
        group=group,
        weighting="identity",
        at={"fmr": fmr},
        value=value,
        numerator=errors,
        denominator=trials,
        unit="share of comparisons",
        intervals=intervals,
    )


def _curve(rng: np.random.Generator, system: str, group: str, kind: str) -> Curve:
    t = np.linspace(-0.5, 0.9, GRID)
    shift = rng.normal(0, 0.02)
    falling, rising = 1 / (1 + np.exp(14 * (t - 0.2 + shift))), 1 / (1 + np.exp(-14 * (t - 0.6 + shift)))
    x, y = (t, falling) if kind == "fmr" else (t, rising) if kind == "fnmr" else (falling[::-1], rising[::-1])
    return Curve(
        provider=system,
        analysis=kind,
        schema=None if group == "all" else "group",
        group=group,
        weighting="pooled",
        x=tuple(x.tolist()),
        y=tuple(y.tolist()),
    )


def _finding(index: int, estimate: Estimate) -> Finding:
    high = estimate.intervals[0].high or 0.0
    met = high <= 0.04
    return Finding(
        requirement="fnmr-each-group",
        estimate=f"/estimates/{index}",
        limit=0.04,
        bound=high,
        bound_level=0.95,
        verdict=Verdict.PASS if met else Verdict.INCONCLUSIVE,
        sentence=f"{estimate.provider}: FNMR of {estimate.group} 95 % confidence beside the limit of at most 4 %.",
        p=0.5,
        p_adjusted=1.0,
        family=520,
    )


def main() -> int:
    """Make page and PDF, print what they took."""
    result = big_result()
    start = time.process_time()
    page = render.html(result, Report(title="Twenty systems"), "2026-01-31", "unsigned")
    html = time.process_time() - start
    paper = render.pdf(page)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    longest = max(part.split("</table>")[0].count("<tr") for part in page.split("<table>"))
    sys.stdout.write(
        f"{len(result.estimates)} estimates, {len(result.findings)} findings, {len(result.curves)} curves, "
        f"longest table {longest} rows\n"
        f"page {html:.1f} s, page and PDF {seconds:.1f} s of CPU, peak {memory:.0f} MB, "
        f"page {len(page.encode()) / 1e6:.2f} MB, PDF {len(paper) / 1e6:.2f} MB\n"
    )
    good = seconds <= SECONDS and memory <= MEGABYTES and len(paper) <= PDF_MEGABYTES * 1e6
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
